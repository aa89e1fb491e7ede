"""More ways to ask about the ideas, about the guide itself, and for what is not there."""

from __future__ import annotations

MORE_IDEAS: dict[str, str] = {
    "token": """
        token | what counts as a token | how big is a token | is a letter a token
        how many tokens has a sentence | what is the difference between a token and a word
        why is it counted in tokens | what does token mean | give me an example of a token
        what are those tokens | how is text cut into tokens""",
    "prefix": """
        prefix | what do two chats have in common | what does shared mean here | which part is shared
        what is the common beginning | how much do two branches share | what is a common prefix
        do branches share their beginning | what is the part above a fork""",
    "trie": """
        trie | what kind of tree is this | is trie a typo | why does it say trie | what is a tree of tokens
        what is the tree for | how do i pronounce trie | what does the tree do | why keep a tree
        where do the branches of the tree come from | what is stored in the tree | what is the trie for""",
    "pane": """
        what do the rows mean | what are these rows | how do i read a row | what is written in a row
        what do the numbers in the tree mean | what do the numbers at the right mean | what is 0 to 412
        what is the range in a row | what does 33 MB in a row mean | what is an edge of the tree
        explain the rows | what is shown on the right side | what can i see in the cache pane | what is one row""",
    "kv_cache": """
        cache | kv | what is being cached | why cache anything | what does the cache hold
        what is inside the cache | what would happen without a cache | how does a kv cache help
        what are the keys and values | is the cache my text | what does the model store
        what is a cache in a language model""",
    "fast": """
        that was fast, why | why did it answer at once | how did you do that so quickly | why is it quick now
        why is the next answer so quick | why does a new branch start at once | what makes it fast
        why does editing a question not take long | how can the second fork be faster
        why do i not have to wait after a fork | is forking cheap | does branching take long""",
    "slow": """
        it takes forever | it takes a long time | why the delay | why is nothing happening yet | why so slow
        what is it reading | why does it read the prompt | it says reading, what is that | how long will it read
        what does it do before the first word | why is there a bar before the answer | why is it slow at first
        why does the first word take long | it is slow""",
    "snapshot": """
        snapshot | what is saved in a snapshot | what does a snapshot do | where are snapshots taken
        how many snapshots are there | why does it take snapshots | is a snapshot a picture
        what good is a snapshot | is a snapshot a copy of my text | do i make the snapshots""",
    "live": """
        live | which branch is live | why is only one branch live | what are the live rows
        why is this row green | what is a live branch | it says live at the right | the row says live
        what is the filled circle""",
    "in_memory": """
        in memory | the row says in memory | it says in memory at the right | what is a branch in memory
        how long does a branch stay in memory | is in memory good | what are in memory rows
        what is the half circle | why is my old branch in memory | is something in memory lost""",
    "no_snapshot": """
        no snapshot | the row says no snapshot | why does my branch have no snapshot
        is my text lost without a snapshot | what is the dashed ring
        can i still open a branch without a snapshot | a row has no snapshot, why | what if there is no snapshot
        why is a row grey""",
    "states": """
        live, in memory, no snapshot, what are these | what do the words at the right of a row mean
        which states can a row have | what colours are the discs | what does the mark before a row mean
        what do the different circles mean | explain live and in memory | what are the round marks
        how many states are there | list the states""",
    "paged": """
        paged | what is it to page out | what does it mean to page something in | when does it page out
        it was paged out, what now | is paged out bad | what does page in do | why was my branch paged out
        does paging lose anything | where does a paged out branch go""",
    "evicted": """
        evict | what does evict mean | why did my branch get evicted | something was evicted
        what goes first when memory is short | how does it choose what to drop
        can i get an evicted branch back | what is lost by eviction | why is my branch cold
        which state is dropped first""",
    "budget": """
        how much ram does it need | how much memory is the cache using | is there a limit for the cache
        what is the biggest size of the cache | the cache is full, what now | will it fill up my memory
        does the cache grow for ever | how large is the cache | what is 8.0 gb at the top
        what does of 8.0 gb mean | memory use | who decides how big the cache is | can it eat all my ram
        what are the bytes at the top""",
    "reuse_gain": """
        why did it compute so much | why is the reused number small | why are there no reused tokens
        0 reused, why | is more reuse better | what makes tokens be computed again | why were they computed
        why is it reading the same text again | what do i gain from reuse | how do i get more reuse""",
    "context": """
        context | how much can you read at once | how long may a chat get | is there a maximum length
        my prompt is too long | what happens in a very long chat | what does 2k mean | how big is your context
        what does the bar with 0 of 2k mean | the context is full | why can i not go on in this long chat
        how many tokens fit | does a model forget the beginning | what is the limit of a conversation""",
    "temperature": """
        top p | what is top-k | how random are the answers | can i make you more creative
        can i make the answers less random | what does a low temperature do | where do i change the sampling
        which temperature do you use | how do i make the answer steadier | min p""",
    "why_differ": """
        you said something else before | why is it not the same answer | why does it change every time
        why did i get two different answers | is there chance in it | can the answer be the same each time
        why are your stories different each time | the second answer is different, why | are answers random""",
    "model": """
        llm | what is an ai model | what is a neural network | how do you think | do you think | can you think
        do you understand me | how is an answer made | what happens inside a model | how does ai work
        what is artificial intelligence | where do the words come from | how can a program talk""",
    "mlx": """
        mlx | mlx lm | what framework is this | does it use metal | how does it run models
        which chip does it need | do i need a graphics card | is it made with python
        what technology is behind it | is there a server behind it | what does mlx-lm do""",
    "path": """
        which path am i on | what part of the tree do i see | where am i in the tree
        why are not all branches shown | which branch am i on | what is the bold path
        which rows belong to this chat | what does active mean | what does the marked row mean
        am i on the right branch""",
    "who": """
        who is this | what are you exactly | is this an ai | what am i talking to | who is the guide
        are you alive | are you gpt | are you llama | are you a machine | are you real | what do they call you
        name yourself | what kind of model are you | are you a bot | what sort of ai are you""",
    "can_do": """
        what should i try | what do you do | what are your skills | what is possible | tell me what you can do
        what are you able to explain | what can i learn from you | suggest something | any ideas
        what are you good for | can you assist me | how can i use you | what may i ask you
        which questions do you know | i need some help""",
    "small": """
        why can you not do more | you know nothing | you are useless | that was a bad answer | you are dumb
        are you always right | do you ever make mistakes | can i believe you | how good are you
        you make no sense | wrong | nonsense | no, that is wrong | why is your answer so short
        your answers are short | you do not know much | why are you limited""",
    "size": """
        how heavy are you | how many neurons do you have | are you a big model | how many megabytes are you
        what size is the guide | how much space do you take | parameters | how many tokens do you know
        how large is your brain""",
    "made": """
        who created you | who is your maker | where were you trained | what data were you made from
        who programmed you | what do you know it from | how did you learn this | are you trained on the internet
        who taught you | were you trained on my data | how long were you trained""",
    "espalier": """
        what kind of program is this | why does espalier exist | what is this good for
        what do people use this for | what is the point of this app | what is different here
        why is this better than other chats | is this a chat program | explain espalier
        what does this thing do | what is the purpose of this program | describe this app
        what can i use it for""",
    "name_why": """
        why espalier | strange name, espalier | what language is espalier | what kind of tree is an espalier
        what does the logo show | what is the logo | what does the icon mean | is espalier a french word
        how do i say espalier | why this name | what is the green icon""",
    "english": """
        do you know other languages | speak german | answer in french | deutsch | auf deutsch bitte
        en francais | can you talk in spanish | do you know latin | can you answer in dutch | habla espanol
        do you speak italian | can we speak another language | do you understand chinese
        is there a german version""",
    "memory_of_me": """
        can you read my other conversations | what did i say in the other chat | do you remember our last talk
        do you know me from before | do you know what i wrote yesterday | do you keep anything about me
        what do you remember | can you see the other branch | how much do you remember of me
        do you have a memory | are branches separate for you | does one branch know the other""",
    "greet": """
        hello, how do you do | hey guide | good evening guide | well hello | hi, nice to meet you | hallo
        howdy | salut | hi everyone | hello friend | nice to meet you | hello computer | hey you
        a good day to you | welcome | i am back | hi again | hey hey | evening""",
    "how_are_you": """
        how do you feel today | what's up | how's it going | everything ok | are you ok | are you all right
        how was your day | how have you been | you ok | are you tired | hi, how are you | hello, how are you
        hows life | do you feel well""",
    "thanks": """
        thanks so much | thank you a lot | ok, thank you | thanks for your help | thanks for the story
        good, thanks | ta | that helps | thanks, that is all i wanted to know | wonderful, thank you
        great thanks | i thank you | thank you for explaining | lovely, thanks | appreciate it""",
    "ok": """
        all right | very good | excellent | sounds good | i understand | clear | that is clear | oh | aha | yeah
        yep | nope | sure thing | of course | if you say so | hmm | that is nice | impressive | beautiful
        perfect | brilliant | well well | i agree | true | correct | i like that | good to know
        what a nice story | lovely | fair enough""",
    "bye": """
        good bye | i am leaving | i have to leave now | bye guide | talk to you later | see you soon
        until next time | that was all | i am going to bed | so long | later | cya | have a nice day | take care
        goodnight | i go now""",
    "joke": """
        can you tell jokes | do you know any jokes | i want to laugh | be witty | tell me something funny | joke
        are you funny | entertain me with a joke | one joke | a funny joke please | cheer me up
        do you have humour""",
    "trouble": """
        help, it is broken | it hangs | it froze | i see an error | there was an error | my model failed to open
        what went wrong | the answer failed | it will not start | i get a strange message | a card with an error
        something is not right | why is it not working | there is a red message | this does not work""",
    "unclear": """
        what what | eh | hmmm | ehm | uh | .. | - | a | b | ok what | how so | why not | which one | what is it
        aaa | zzz | dfgh | hjkl | poiuy | foo | foo bar | hello world test | random text | word | nothing
        something | say what | come again | pardon | i am confused | tell me""",
    "edit_answer": """
        can i modify a reply | let me change your words | i want to fix your answer
        can i write the answer myself | your answer has a mistake, can i correct it | edit this answer
        change what you said | may i edit the reply | can the model's answer be altered
        can i replace part of an answer""",
}
