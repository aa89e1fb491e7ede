"""More ways to ask for each topic, in the words of people who do not know the program's words."""

from __future__ import annotations

from guide_model.more_asked_ideas import MORE_IDEAS
from guide_model.more_asked_lanes import MORE_LANES
from guide_model.topic import lines

_MORE_PROGRAM: dict[str, str] = {
    "fork_how": """
        i asked the wrong thing, can i fix it | how do i go back and ask something else
        can i change my last question | i want to try another wording | fork this
        edit my question | let me edit that | how do i make the conversation go two ways
        where do i click to branch | which key is fork | how do i ask a variation of this
        i want to keep this and try something else | can i go back and ask differently
        how is a question edited
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
    "inspector": """
        how do i close the pane on the right | where did the right pane go | remove the pane on the right
        how do i make the right side disappear | the right side is empty, where did it go
        i closed the right pane, how do i open it again""",
    "hide_cache": """
        i do not need the cache pane | bring back the cache pane | show the tree of tokens | open the trie
        how can i look at the cache | i want to see the cache | is there a view of the cache | where can i see the tree
        where is the button for the cache | put the cache pane away""",
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
        does it autosave | autosave | is this chat stored
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
        can i trust it with private things | is my conversation confidential
        no internet, does it work | do you send data home | are you connected to the internet
        what leaves my computer""",
}
MORE_ASKED: dict[str, tuple[str, ...]] = {
    topic: lines(asked) for topic, asked in (_MORE_PROGRAM | MORE_IDEAS | MORE_LANES).items()
}
