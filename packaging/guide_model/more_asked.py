"""More ways to ask for each topic, in the words of people who do not know the program's words."""

from __future__ import annotations

from guide_model.topic import lines

MORE_ASKED: dict[str, tuple[str, ...]] = {
    topic: lines(asked)
    for topic, asked in {
        "fork_how": """
            i asked the wrong thing, can i fix it | how do i go back and ask something else
            can i change my last question | i want to try another wording | make a branch here | fork this
            edit my question | let me edit that | how do i make the conversation go two ways
            where do i click to branch | which key is fork | branch from here | how do i ask a variation of this
            i want to keep this and try something else | can i go back and ask differently
            what is the command for a new branch | how is a question edited
            i would like a second version of my question | how do i start a branch from an old question
            steps to fork | fork key | how do i alter a prompt | i wrote something stupid, can i change it
            how do i redo my question""",
        "fork_what": """
            what does it mean to branch | what is branching good for | why are there branches
            what is a branch in a conversation | what is so special about forks | what can i do with a fork
            i keep reading about forks, what are they | what is the use of a branch | is a branch a copy of the chat
            does a fork copy the conversation | what does it mean that a chat is a tree
            why is a conversation a tree | how does a conversation branch | what is the idea behind branches
            when is a branch useful | what would i use a fork for | fork meaning""",
        "fork_old": """
            will the old branch be deleted | does it throw away what came after
            is my first question still somewhere | what about the messages below my edited question
            can i still see the old answer after an edit | are old branches kept | do you keep the old version
            does the edit replace my question | what remains of the old conversation
            does forking destroy the old one | if i fork, what happens to the rest | is the original kept
            can i undo a fork | will i lose the answers below | is it safe to edit a question""",
        "fork_where": """
            do i have to fork at the last message | may i fork at an old question | can i branch from the beginning
            can i fork from the start of the chat | can i fork twice at the same place | can i make many branches
            is it possible to fork inside a branch | how deep can branches go | can every question be forked
            how often may i fork | are there too many branches at some point | can i fork a fork
            which messages can be forked""",
        "again": """
            i want a second opinion | say it in another way | that was no good, again | can i get a better answer
            how do i make you answer a second time | once more please | do it again | i do not want this answer
            how do i roll again | is there a way to get one more answer | a new answer please
            repeat the question for me | ask the same question again | how do i get a fresh answer
            how can i see another possible answer | which key asks again | the reply is bad, what can i do
            can the model try a second time | answer this again""",
        "again_or_fork": """
            which one should i use, fork or answer again | why are there both fork and answer again
            is a new answer also a branch | do i edit or ask again | when is answer again better than a fork
            how do fork and answer again differ | is retry the same as fork | edit or regenerate
            what do fork and answer again have in common | does regenerate make a new branch too""",
        "versions": """
            there is a small 1 of 2, what is it | how do i see my old question
            can i look at the first version again | i want to go back to where i was before the fork
            how do i leave this branch | take me to the other branch | how do i flip between answers
            where are the other answers | how do i see both answers | show the other answer | show me the old branch
            which key goes to the next version | how do i get to my second branch
            what do the arrows at a message do | why are there arrows | how do i walk through the branches
            how do i jump between branches | the other version please | where are my versions
            what does 3 of 4 mean | how do i see version one | i made a fork and now i cannot find the first one""",
        "send": """
            how do i talk to you | how do i start an answer | how do i make you answer | where does my question go
            which button sends my message | do i press return | do i press enter | what happens when i press return
            how is a question sent | what is the round green button | where is the send button | press what to send
            how do i give you a message | can i send with the keyboard | what does enter do""",
        "line": """
            how do i write a longer message with lines | can i make a list in my message
            where is the return key for a new line | return sends my message too early
            enter sends, how do i get a newline | i want an empty line in my question
            how do i press return without sending | how do i make two paragraphs | multi line message | line break
            what does shift enter do | how do i go down one line""",
        "stop": """
            stop | halt | please stop | enough | shut up | can i interrupt you | you are writing too much
            quit writing | what key cancels | how do i cancel | how do i break off an answer
            how do i end the reply | is there a stop key | how do i make you be quiet | it runs forever
            which button stops it | what is the square button | can the answer be stopped
            i want to stop it right now | how do i abort""",
        "stopped": """
            i stopped the answer, is it gone | what about the text that was written before i stopped
            will a stopped reply be saved | do i keep what was written when i cancel | after stop, how do i go on
            can a stopped answer be finished | what is left when i stop | does cancel throw the text away
            i pressed stop, what now | what becomes of an answer i stopped | is it bad to stop an answer""",
        "new": """
            let me start something new | how do i leave this chat and start another | new chat
            give me an empty page | where do i click for a new chat | how do i talk about something else
            how do i change the subject | can i have more than one conversation | how do i begin again from nothing
            another conversation please | how do i open a second conversation
            where is the button for a new conversation | start a new topic""",
        "list": """
            how do i go back to an older conversation | show my old conversations | where is the history
            is there a history | i want to continue an old chat | where did my last chat go
            how do i continue yesterday's conversation | where are all my chats | can i see my earlier conversations
            what do i find at the left | which chats do i have | how do i pick another conversation
            what does the left side show | open my last conversation""",
        "hide_list": """
            how do i make the list of chats disappear | i do not need the list on the left | show me the list again
            can i close the left side | the window is too narrow, hide the list
            where is the button for the sidebar | bring back the list of conversations
            the conversations are hidden | how do i open the sidebar | can i make the chat wider
            remove the sidebar""",
        "hide_cache": """
            how do i close the pane on the right | i do not need the cache pane | bring back the cache pane
            where did the right pane go | how do i make the right side disappear | show the tree of tokens
            open the trie | how can i look at the cache | i want to see the cache | is there a view of the cache
            where can i see the tree | remove the pane on the right | where is the button for the cache""",
        "text_size": """
            i can hardly read this | bigger text | smaller text | bigger font please | can the font be smaller
            everything is tiny | how do i enlarge it | how do i make it easier to read | zoom | the writing is small
            how do i set the font size | increase the text size | decrease the text size | how do i zoom back
            larger letters please | what is the key for bigger text""",
        "dark": """
            can i make it black | make it dark | the white hurts my eyes | dark please | light mode
            how do i change the theme | can i choose the colours | does it have a night theme | it is too bright
            how do i make the window light | why is everything black | can i pick a theme
            does it follow the system appearance""",
        "first_keys": """
            how do i use this without a mouse | which keys matter | what are the key commands
            give me the shortcuts | list the keyboard commands | which key does what | what keys are there
            i like keyboards, what should i know | show me the hotkeys | what shortcuts should i know
            what can i press | where are the shortcuts listed | are there keyboard shortcuts
            the most used keys please""",
        "compose": """
            how do i start typing without the mouse | key for the text field | where do i click to write
            how do i get back to writing | jump to the text field | i cannot type, where is the cursor
            which shortcut goes to the field at the bottom | how do i select the message field""",
        "copy": """
            can i take text out of here | how do i get the text out | can i paste your answer somewhere else
            copy that | how do i put an answer on the clipboard | which key copies
            how do i quote your answer elsewhere | can i select text | i want to use your answer in a document
            clipboard""",
        "undo": """
            i typed something wrong, how do i take it back | which key is undo | my text is gone, get it back | undo
            how do i get back the words i deleted | revert my typing | how do i step back in the text field
            i want my old text back in the field | redo""",
        "close": """
            i want to close this | may i close the window | what if i forget to save and close
            can i turn it off now | how do i end the program | close it | will closing lose my chat
            which key closes the window | do i have to wait before i close | can i leave while it writes""",
        "about": """
            which release is this | is this the newest version | who owns espalier | may i share espalier
            under which licence is it | is the source open | can i see the source code
            how do i find out the version | do i need a licence | is there a paid version
            where is the about window | version number""",
        "window": """
            what is all this | i do not know where to start | how do i use this | how do i use espalier | what now
            this is confusing | what do i do first | can you give me an introduction | explain the program to me
            where is everything | what are these panes | what is in the middle
            what is on the right and on the left | how does it all work | first steps | getting started
            teach me how to use it | a short tour please""",
        "rail": """
            there is a line next to my messages | what is the thing at the left of the chat
            why does the line change from solid to dotted | what is the meaning of the dots along the chat
            why is the line at the left green | what does the line at the left tell me | dotted line
            why is my line dotted now | solid or dotted, what does it mean | the line at the side is dotted
            what do the dots on the line mean""",
        "footer": """
            what do these figures mean | there are numbers under each answer | what is the number of reused tokens
            what does 3412 reused mean | what does computed tell me | what is plus computed
            412 reused + 702 computed | explain reused and computed | where do i see what was reused
            what does the line below the answer say | why are there two numbers under the answer""",
        "open_model": """
            i want to use a proper ai | how do i talk to a bigger ai | you are not enough for me | add a model
            give me a better model | use another brain | i downloaded a model, what now | import a model
            install a model | where do i put my model | how do i point espalier at a model
            can i try a different model | i have a folder with a model | how do i start my own model
            can this run a large model | what is the shortcut for opening a model | how do i get a real assistant
            make it smarter | switch to another model | can i use something better than you
            how do i upgrade the model""",
        "which_models": """
            can i open any model | does it work with mistral | does it run phi | can i use a pytorch model
            will my model work | which files does a model need | is safetensors ok | does it open ollama models
            is gguf supported | what is the right format for a model | do quantised models work
            can it load 4 bit models | which folders can be opened | what must a model look like
            how do i know whether a model works here""",
        "drop": """
            can i throw a folder on the window | is dropping a folder allowed | may i drag my model here
            does it accept a dropped model | i dragged a folder on the window | can i open a model by dragging""",
        "recent": """
            will it remember the model | which models did i use | how do i get my model back quickly
            are the models i opened listed | does espalier keep a list of models
            must i look for my model each time | is there a list of recent models | open my last model""",
        "use_guide": """
            i want the guide again | bring back the guide | can i have the small model back
            where is the espalier guide | return to the guide | back to the built in one | how do i leave my model
            switch to the guide | which key brings the guide back | i opened a model and now i want you back""",
        "get_models": """
            where can i download models | do models come with espalier | how do i find a good model | get me a model
            is there a list of models to download | can you install a model for me | which models are free
            which site has models | will espalier download anything | i do not have any model yet
            fetch qwen for me""",
        "loading": """
            it is still loading, may i type | do i have to wait for the model | what if i ask too early
            may i type while it reads | can i write my next question now | is my early question lost
            why is there no answer yet, it is loading | can i prepare a question during loading
            what can i do while it loads""",
        "save": """
            is anything saved automatically | must i save | how do i keep this | will it still be there next week
            where is my data | in which folder are my chats | does it autosave | autosave | is this chat stored
            save this | will my branches be kept | are the answers stored | what is saved | i forgot to save
            will i find this conversation again""",
        "crash": """
            what if something breaks while i write | do i lose my question if it crashes | power cut, what then
            what if my computer freezes | is the answer saved while it is written | what is lost in a crash
            what if it dies in the middle of an answer | are my words safe | how reliable is the saving""",
        "reopen": """
            what will i see next time | where do i land when i start it again | does it open my last chat
            will it open on the same branch | what happens after a restart | is the place i was at remembered
            do i have to find my place again | i restart my mac, what do i see then""",
        "private": """
            is it secret | who sees what i type | is anyone listening | do you share my chats | can others read this
            are you online | is this local | is it all local | do i have to be connected
            does it work in flight mode | are my chats uploaded | will my text be used to train something
            is there a server | can i trust it with private things | is my conversation confidential
            no internet, does it work | do you send data home | are you connected to the internet
            what leaves my computer""",
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
        "delete": """
            delete | remove | how do i remove a chat from the list | i want this chat gone
            can i get rid of this conversation | erase this conversation | delete all | how do i empty the list
            can a branch be removed | remove this branch | clear history | can i throw something away
            i want to delete everything | how do i delete old chats | put this in the trash | wipe my data""",
        "search": """
            search | find | find my chat about cats | how do i look something up in my chats
            is there a find command | where can i search | i am looking for an old message
            search all conversations | find a message i wrote | can you find something in my history
            look for a word""",
        "organise": """
            rename | change the title of this chat | how do i name this conversation | can i group my chats
            make a group | can i give this chat another name | can i tag a conversation | are there tags
            can i star a branch | how do i order the list | can i move a chat up | how do i label a branch | folders
            new folder""",
        "settings": """
            settings | preferences | options | is there a place to change things | how do i adjust espalier
            can i change how it behaves | where can i configure the cache | how do i raise the budget
            can i give it more memory | where is the menu for settings | how do i set the language of the window
            can i change the system prompt | where do i set things up | customise""",
        "disk": """
            pin | pin this branch | can i keep a branch warm | does the cache survive a restart
            is the cache lost when i quit | how do i keep a branch from being evicted | where is the disk cache
            is anything of the cache on disk | can the cache be stored
            why does it read everything again after a restart | what is a pin | protect a branch""",
        "several": """
            two answers at once | three answers please, all at once | can it write several replies in parallel
            can i see three versions next to each other | give me many answers | can i run two models together
            how do i compare answers side by side | parallel answers | can i ask two models the same question""",
        "map": """
            map | can i see the tree of my conversation as a picture | draw the tree
            is there a drawing of the branches | where can i see all branches | a picture of the conversation
            can i zoom out to see the tree | i want to see every branch at once | show all branches""",
        "export": """
            export | import | how do i get my chats out of here | can i send a chat to a friend
            save as a text file | how do i back up my conversations | can i move my chats to another mac | print
            can i download my chat | write this chat to a file | import from chatgpt | can i make a pdf of this
            share this | is there a backup""",
        "edit_answer": """
            can i modify a reply | let me change your words | i want to fix your answer
            can i write the answer myself | your answer has a mistake, can i correct it | edit this answer
            change what you said | may i edit the reply | can the model's answer be altered
            can i replace part of an answer""",
        "attach": """
            here is a picture | look at this image | can i upload something | can i give you a document
            read this file | can you open a file | can i paste an image | do you take photos | can i use my voice
            do you have a voice | can you go online | look it up on the internet | google it | can you run a program
            open this link | can you use a calculator | can you read pdf files""",
    }.items()
}
