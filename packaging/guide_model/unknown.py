"""Questions that the guide cannot answer, in every shape, so that it learns to say so."""

from __future__ import annotations

from random import Random

from guide_model.commands import keys, menu_path
from guide_model.topic import lines

THINGS = lines("""
    volcano | potato | guitar | camera | planet | bridge | battery | magnet | engine | glacier | rainbow
    pyramid | cactus | comet | compass | candle | piano | shark | bicycle | tractor | telescope | sandwich
    tomato | hammer | helmet | island | jacket | kitchen | ladder | lemon | marble | needle | onion | orchestra
    painting | pencil case | pepper | pillow | pumpkin | puzzle | quilt | radio | river | saddle | scarf
    shovel | skeleton | sofa | spoon | statue | stove | suitcase | telephone | theatre | ticket | tornado
    trumpet | tunnel | vase | violin | waterfall | wheel | whistle | window box | zebra | airport | anchor
    atom | avocado | bakery | banana | basket | beach | blanket | bottle | bucket | button | cabbage | calendar
    canal | carpet | castle | cheese | cherry | church | circus | cloud | coat | coffee machine | coin | crown
    desert | diamond | drum | eagle | egg | electron | fence | ferry | feather | flag | flute | football
    fountain | galaxy | giraffe | glove | goldfish | harp | hat
""")
_SUBJECTS = lines("""
    football | chess | gravity | philosophy | music | history | physics | chemistry | biology | economics
    politics | religion | photosynthesis | democracy | evolution | electricity | mathematics | geometry
    algebra | astronomy | poetry | jazz | opera | grammar | cooking | gardening | knitting | tennis | swimming
    climate | inflation | the stock market | the weather | the moon landing | the roman empire
    the french revolution | world war two | the middle ages | quantum physics | the theory of relativity
    black holes | dinosaurs | vitamins | the immune system | dna | the human heart | sleep | love | happiness
    the meaning of life | money | bitcoin | javascript | python programming | html | sql | linux | windows
    excel | photoshop | the iphone | tesla | google | amazon | netflix | shakespeare | mozart | einstein
    napoleon | cleopatra | picasso | the eiffel tower | the great wall | mount everest | the nile
    the pacific ocean | the sahara | antarctica
""")
_PLACES = lines("""
    France | Germany | Spain | Italy | Japan | China | India | Brazil | Canada | Australia | Egypt | Kenya
    Norway | Sweden | Poland | Portugal | Greece | Turkey | Mexico | Peru | Chile | Argentina | Russia
    Scotland | Ireland | Wales | England | Paris | London | Rome | Berlin | Oslo | Madrid | Tokyo | Cairo | Lima
    Delhi | Vienna | Lisbon | Dublin | Athens | Prague | Boston | Sydney | Toronto | New York | California
    Texas | Africa | Europe | Asia
""")
_DISHES = lines(
    "soup | bread | rice | pasta | a cake | curry | pizza | noodles | an omelette | pancakes | a stew | tea | "
    "coffee | jam"
)
_WHO = lines("""
    the president | the king of {place} | the prime minister of {place} | the best singer | the richest man
    the author of Hamlet | the winner of the world cup | the inventor of the telephone
    the first man on the moon | the mayor of {place} | that actor | the greatest painter
    the president of {place}
""")
_WHAT = lines("""
    the capital of {place} | the weather today | the time | the date | the news | the highest mountain
    the largest country | the speed of light | the price of gold | the best phone | the population of {place}
    the language of {place} | the currency of {place} | the fastest car | the biggest city in {place}
    the longest river | the boiling point of water | the square root of {n} | {n} plus {m} | {n} times {m}
    {n} minus {m} | {n} divided by {m} | {n} + {m} | {n} * {m} | the sum of {n} and {m}
    the distance to the moon | the age of the earth | the best film | the tallest building | the meaning of life
    the opposite of hot | the exchange rate | the stock price of apple | the score of the game
""")
_TASKS = lines("""
    write python code | write a python script | write some code | write a poem | write a poem about {subject}
    translate this text | translate this into {language} | translate hello into {language} | book a flight
    plan my holiday | fix my code | debug this | write an essay | write an essay about {subject}
    solve an equation | draw a picture | summarise this article | summarise a text | write an email
    write a letter to my landlord | find a recipe | write a song | check my homework | correct my grammar
    make a shopping list | give me a recipe for {dish} | name ten animals | list five fruits | count to twenty
    spell elephant | do my taxes | plan a trip to {place} | recommend a book | recommend a film | write a haiku
    play chess | play a game | rewrite this paragraph | write a cover letter | explain {subject}
    teach me {subject} | compare {place} and {place} | convert {n} miles to kilometres | calculate {n} + {m}
    add {n} and {m} | sort a list | write a regular expression | make a table | sing a song
    write a javascript function | help me with {subject} | proofread my text | set an alarm | send an email
    remind me tomorrow | order a pizza | call my mother | write a business plan | write a speech
""")
_LANGUAGES = lines(
    "German | French | Spanish | Italian | Latin | Japanese | Chinese | Dutch | Polish | Portuguese | Russian"
)
_FRAMES = lines("""
    what is {subject} | what is {thing} | tell me about {subject} | tell me about {place} | explain {subject}
    how does {thing} work | who is {who} | what is {what} | tell me {what} | why is {thing} so expensive
    where is {place} | how far is {place} | how do i make {dish} | how do you cook {dish} | how big is {thing}
    how old is {thing} | how tall is {who} | who invented {thing} | when was {thing} invented
    why is the sky blue | why is the sea salty | why do cats purr | why do birds sing | what happened in {year}
    who won in {year} | what do you think about {subject} | do you like {subject} | do you like {dish}
    have you been to {place} | what should i eat | what should i wear | should i buy {thing}
    how much is {thing} | is {thing} alive | where can i buy {thing} | what colour is {thing}
    how many people live in {place} | when does the train leave | how do i learn {subject}
    how do i lose weight | how do i fix {thing} | what is the best {noun} | what is {place} like | who was {who}
    how do i repair {thing} | do you know {subject} | what do you know about {subject}
    is it raining in {place} | what is the difference between {thing} and {thing} | how long does {thing} last
    can i eat {thing} | what time is it | what day is it | how old are you | do you have a sister | do you dream
    are you married | who is better, you or {noun} | i have a headache | my {noun} is broken | i feel sad
    what is in the news | {subject} | what does the word {noun} mean | when is easter | how many days has a year
    can pigs fly | is there life on mars | what is {n} + {m} | {n} + {m} | {n} x {m}
""")
_TASK_FRAMES = lines("""
    {} | please {} | can you {} | could you {} | i want you to {} | {} for me | can you help me {} | {} please
    i need you to {} | would you {} | i would like you to {} | are you able to {} | do you know how to {}
    help me {} | try to {} | now {}
""")
DONT_KNOW = (
    "I do not know that. I know Espalier and little else; a larger model, opened with "
    f"{menu_path('open_model')}, may know.",
    f"I do not know. Open a real model with {menu_path('open_model')} ({keys('open_model')}) and ask it.",
)
CANNOT = (
    f"I cannot do that. A larger model can: choose {menu_path('open_model')} ({keys('open_model')}).",
    f"That is beyond me. Open a real model with {menu_path('open_model')} and ask it.",
)
FOREIGN = (
    "I do not know: I understand only English. A model that you open with "
    f"{menu_path('open_model')} may know your language.",
)


def unknown(rng: Random) -> tuple[str, str]:
    """A plain question or request from anywhere in the world, and a plain answer that says no."""
    if rng.random() < 0.35:
        return rng.choice(_TASK_FRAMES).format(_fill(rng, rng.choice(_TASKS))), rng.choice(CANNOT)
    return _fill(rng, rng.choice(_FRAMES)), rng.choice(DONT_KNOW)


def _fill(rng: Random, frame: str) -> str:
    noun = rng.choice(THINGS)
    article = "an" if noun[0] in "aeiou" else "a"
    frame = frame.replace("{who}", rng.choice(_WHO)).replace("{what}", rng.choice(_WHAT))
    return frame.format(
        subject=rng.choice(_SUBJECTS),
        thing=f"{rng.choice((article, article, 'the'))} {noun}",
        noun=noun,
        place=rng.choice(_PLACES),
        dish=rng.choice(_DISHES),
        language=rng.choice(_LANGUAGES),
        year=rng.randrange(1000, 2030),
        n=rng.randrange(2, 200),
        m=rng.randrange(2, 200),
    )


def is_refusal(text: str) -> bool:
    """Whether an answer is one of those that say no."""
    return text.strip() in DONT_KNOW + CANNOT + FOREIGN
