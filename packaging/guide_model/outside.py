"""Whole questions and requests from everyday life that have nothing to do with the program, for the second stage."""

from __future__ import annotations

from guide_model.topic import lines

ASKED_OUTSIDE = lines("""
    how do i unclog a sink | how do i paint a wall | how do i get a stain out of a shirt
    how do i sharpen a knife | how do i hang a picture | how do i plant tomatoes | how do i train a puppy
    how do i tie a tie | how do i sew on a button | how do i jump start a car | how do i check the oil
    how do i parallel park | how do i patch a bicycle tube | how do i get rid of ants | how do i keep bees
    how do i prune a rose | how do i build a shed | how do i fix a leaking tap | how do i learn to swim
    how do i stop snoring | how do i fall asleep faster | how do i run a marathon | how do i meditate
    how do i apply for a passport | how do i open a bank account | how do i write a will | how do i find a flat
    how do i quit my job | how do i ask for a raise | how do i make friends | how do i ask someone out
    how do i say sorry | how do i cook rice | how do i roast a chicken | how do i poach a pear
    how do i bake bread | how do i grill fish | how do i make mayonnaise | how do i ripen an avocado
    how long does milk keep | how long do i cook pasta | how long does it take to fly to japan
    how long is a marathon | how long do cats live | how long was the war | how many legs has a spider
    how many teeth does a dog have | how many players are in a rugby team | how many keys has a piano
    how many countries are there | how many planets are there | how many people live on earth
    how many strings has a guitar | how many litres are in a gallon | how many calories has an apple
    how many hours should i sleep | how many weeks are in a year | how many muscles does a body have
    how many states has america | how many sides has a hexagon | how many stars are there
    how many grams are in an ounce | how much does a whale eat | how much water should i drink
    how much is a litre of petrol | how much does a house cost | how much salt goes into bread
    how much is a euro in dollars | how old is the universe | how old was mozart | how fast does a cheetah run
    how far away is the sun | how deep is the ocean | how hot is the sun | how high is the moon
    how tall is a giraffe | how heavy is an elephant | how big is a football field | how cold is space
    what is a prime number | what is the largest animal | what is a mortgage | what is a verb | what is a haiku
    what is a sonnet | what is the boiling point of oil | what is the square of twelve | what is half of ninety
    what is ten percent of fifty | what is the formula for water | what is the symbol for iron
    what is the atomic weight of oxygen | what is a mammal | what is the plural of mouse
    what is the past tense of go | what is another word for happy | what is the longest word
    what is a good name for a cat | what is a good present for my father | what is the best way to lose weight
    what is the best book ever written | what is the best restaurant here | what is the best laptop
    what is the tallest tree | what is the national anthem of france | what is the flag of japan
    what is the tallest mountain in africa | what is a black hole | what is dark matter | what is a virus
    what is blood made of | what is glass made of | what is inside the earth
    what is the difference between a crocodile and an alligator | what is the smallest bird | what causes rain
    what causes an earthquake | what causes hiccups | what makes the wind blow | what do bees eat
    what do owls eat | what do i do about a headache | what do i feed a hedgehog | what helps against a sunburn
    what helps against mosquitoes | what goes well with cheese | what rhymes with moon | what rhymes with tree
    what sport should i take up | what instrument should i learn | what music do you like
    what film should i watch | what should i cook tonight | what should i read next | what should i call my boat
    what should i plant in spring | what should i write on a birthday card | what should i tell my boss
    what shall i do on sunday | what is on television | what are the colours of the rainbow
    what are the primary colours | what are the symptoms of flu | what are vitamins | what are clouds made of
    what are the seven wonders | what are good manners | what are taxes for | what year is it
    what happened to the dinosaurs | what happened in the last election | what was the first computer
    what was the cold war | what does the fox say | what does a lawyer do | what does blue cheese taste like
    what does love feel like | what language do they speak in brazil | what currency do they use in denmark
    what time does the shop close | what size shoe should i buy | what kind of dog should i get
    what kind of wood is best for a table | who wrote hamlet | who wrote the odyssey | who discovered penicillin
    who invented the light bulb | who built the pyramids | who composed the magic flute | who sculpted david
    who sang that song | who won the election | who won the race | who is the fastest runner | who is the pope
    who is the chancellor | who was the first woman in space | who was cleopatra | who was the second president
    who was the last tsar | who directed that film | who lives in a castle | who is my neighbour
    where is the nearest station | where is timbuktu | where do penguins live | where do i park
    where does chocolate come from | where does the sun set | where can i see whales | where was chopin born
    where should i go on holiday | where are my glasses | where is the louvre | where does the word tea come from
    where can i buy stamps | where do babies come from | when did the war end | when was the telephone invented
    when is the next full moon | when does spring begin | when was rome founded | when do swallows leave
    when is mother's day | when should i plant bulbs | when is the match | when did people first use fire
    when does the museum open | when was the printing press invented | why is grass green | why is snow white
    why do dogs bark | why do we dream | why do we yawn | why is blood red | why do onions make me cry
    why do leaves fall | why is the moon round | why do stars twinkle | why does ice float
    why do zebras have stripes | why is the dead sea salty | why do cats hate water | why does bread rise
    why do we age | why is gold expensive | why did rome fall | why is my cat sad | why is my plant dying
    why are flamingos pink | why does my knee hurt | why do i feel tired | why are there seasons
    why does metal rust | why do people lie | which is bigger, the sun or the moon | which river is the longest
    which bird cannot fly | which car should i buy | which wine goes with fish | which planet is the hottest
    which phone is better | which country is the smallest | which language is the hardest | which colour suits me
    which bus goes to the station | which team is the best | which tree grows fastest | which fruit has most sugar
    which book won the prize | which king built this | is tea healthy | is chocolate bad for dogs
    is the earth flat | is pluto a planet | is a whale a fish | is it going to rain | is a tomato a fruit
    is it safe to swim here | is he telling the truth | is there water on mars | is glass a liquid
    is it cheaper to fly | is sugar bad for me | is my fever dangerous | is violin hard to learn
    is it cold outside | is running good for the knees | is today a holiday | is there a god
    is red wine good for the heart | is butter vegetarian | are bats blind | are mushrooms plants
    are sharks dangerous | are ghosts real | are eggs healthy | are there wolves in italy | are spiders insects
    are you hungry | are there tigers in africa | are diamonds rare | are potatoes vegetables
    can dogs eat grapes | can fish sleep | can i freeze soup | can i drink this water
    can people live on the moon | can you sing | can you dance | can you cook | can you drive | can you count
    can you add numbers | can you do maths | can you recommend a hotel | can you name a bird
    can you play a game with me | can you rhyme | can you draw a cat | can you write a letter
    can you translate cheese into french | can you convert dollars to euros | can you find my keys
    can you tell me the time | can you tell me the way to the station | can you tell me about napoleon
    can you solve this | can you give me a recipe | can you explain gravity | can you teach me spanish
    can you book a table | can you wake me up | could you check my spelling | could you write a poem about autumn
    could you plan my week | could you explain taxes | do fish feel pain | do you eat | do you sleep
    do you like music | do you have a family | do you believe in god | do plants breathe | do i need a visa
    do i have a cold | do owls sleep by day | do you know the news | do you love me | does the sun move
    does vinegar kill weeds | does it snow in rome | does tea have caffeine | does my car need oil
    did people walk on the moon | did you see the game | did dinosaurs have feathers | did it rain yesterday
    should i wear a coat | should i see a doctor | should i sell my car | should i get a cat
    should i learn latin | should i eat breakfast | should i marry him | should i move to canada
    should i buy or rent | will it snow tomorrow | will i be rich | will robots rule the world | will my team win
    will the train be late | write a poem | write a limerick about a goat | write a song about summer
    write a letter to my aunt | write a speech for a wedding | write an advert | write a program that counts words
    write a loop in python | write a query in sql | write a function that adds two numbers | write a class in java
    write a shell script | write a review of a film | write a summary of hamlet | write an apology to my neighbour
    write ten sentences about spring | write my essay on trade | write a birthday wish | write a job application
    write a formula for excel | explain how a fridge works | explain how a plane flies | explain how magnets work
    explain how rain forms | explain the french revolution | explain how to play poker | explain a diesel engine
    explain the rules of cricket | explain inflation to a child | explain why the sky is blue
    explain how batteries work | explain relativity | translate i love you into italian | translate this sentence
    translate good night into polish | translate the menu | summarise the odyssey | summarise this book for me
    summarise the news | summarise the plot of a film | describe a sunset | describe the taste of coffee
    describe the roman army | describe your mother | describe paris | name three rivers | name a composer
    name the planets | name five birds | list the continents | list some vegetables | list the kings of england
    count from one to ten | count the letters in banana | spell rhythm | spell necessary | add two and two
    two plus two | seven times eight | divide a hundred by four | what is nine squared | solve for x
    five minus three | thirty divided by six | the root of sixteen | is ninety one a prime
    convert five miles to kilometres | give me a quote | give me a recipe for pancakes | give me advice
    give me a riddle | give me a fact | give me money | tell me about elephants | tell me about the romans
    tell me about the moon | tell me the weather | tell me a fact | tell me the news | tell me my future
    tell me about beethoven | tell me about your day | tell me how to cook an egg | tell me who is right
    tell me what to wear | tell me the meaning of life | tell me the date | tell me what time it is
    suggest a film | suggest a name for my dog | suggest a gift | recommend a good book | recommend a wine
    plan a week in greece | plan a party | plan my diet | make a timetable | make me a sandwich
    make a shopping list | play some music | sing me a song | draw a horse | paint a picture | call a taxi
    buy me a ticket | turn on the light | set a timer | check my email | order food | send a message to my wife
    find me a plumber | find cheap flights | fix this sentence | correct this text | improve my writing
    rewrite this letter | proofread my essay | debug my program | my dog is ill | my tooth hurts | my wife left me
    my boss is angry | my car will not start | my roses are dying | my phone is broken | i am hungry | i am sad
    i am lonely | i cannot sleep | i feel sick | i lost my keys | i broke my arm | i have a cold
    i have a test tomorrow | i need a job | i need a haircut | i want to learn french | i want to be rich
    i want a pizza | i love you | i hate mondays | i am looking for a present | i would like a coffee
    i am going to spain | the weather is nice | it is raining | today is my birthday | happy new year
    merry christmas | football was great | einstein | shakespeare | bananas | the second world war
    photosynthesis | the capital of peru | best pizza in naples | weather in oslo | cheap hotels | flights to rome
    symptoms of measles | height of the eiffel tower | recipe for goulash | exchange rate dollar euro
    population of india | distance from paris to berlin | age of the universe | lyrics of yesterday
""")
