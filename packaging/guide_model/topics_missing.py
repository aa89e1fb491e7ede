"""What Espalier does not do yet, said plainly, and what comes nearest to it."""

from __future__ import annotations

from guide_model.commands import keys, menu_path
from guide_model.topic import Topic, lines

MISSING: tuple[Topic, ...] = (
    Topic(
        "branch_name",
        asked=lines("""
            can i name a branch | how do i rename a branch | how do i give a branch a name | are there labels
            how do i label a branch | are there tags | can i tag a conversation | can branches have names
            can i star a branch | can i mark a branch | name this branch | can i write a note on a branch
            can a version have a name | is there a way to label versions
        """),
        doing=lines("""
            name a branch | rename a branch | give a branch a title | label a branch | mark a branch as a favourite
            tag a branch | tag a conversation | put a label on a version | put a name on a branch
            write a name on a version
        """),
        naming=lines("a branch name | a branch label | a tag"),
        answers=(
            f"Branches have no names yet. A conversation can be renamed, with {menu_path('rename')}.",
            "Names and labels for branches are not there yet; the arrows at a fork count the versions.",
        ),
    ),
    Topic(
        "several",
        asked=lines("""
            can i get several answers at once | can you answer three times at once
            how do i get three answers side by side | can i see two answers next to each other
            are there lanes | can two branches run together | can you write two answers at the same time
            two answers at once | three answers please, all at once | can it write several replies in parallel
            can i see three versions next to each other | give me many answers
            how do i compare answers side by side | parallel answers
        """),
        doing=lines("""
            get several answers at once | get three answers side by side | run two branches at once
            see two answers side by side | have two answers next to each other
        """),
        answers=(
            f"Several answers at once are not there yet. Press {keys('regenerate')} for another one.",
            f"One answer at a time, so far. {keys('regenerate')} gives the next one, and the arrows switch between "
            "them.",
        ),
    ),
    Topic(
        "two_models",
        asked=lines("""
            can i compare two models | can i run two models together | can i ask two models the same question
            can two models be open | can i load a second model | how do i compare models
            can i have several models at once | can two models talk to each other | can i keep two models in memory
            which model gives the better answer | compare qwen and llama for me
            can different branches use different models
        """),
        doing=lines("compare two models | run two models at once | ask two models | load two models"),
        answers=(
            f"One model is open at a time. Ask, open the other with {menu_path('open_model')}, and press "
            f"{keys('regenerate')}: the answers stand beside each other.",
            "Two models at once are not there yet. Open one after the other in the same conversation; each answer "
            "keeps its model's name.",
        ),
    ),
    Topic(
        "map",
        asked=lines("""
            is there a map | can i see the whole tree | is there a picture of all branches | where is the map
            can i see all branches in one picture | is there an overview of the branches | show me the map
            map | can i see the tree of my conversation as a picture | draw the tree
            is there a drawing of the branches | where can i see all branches | a picture of the conversation
            can i zoom out to see the tree | i want to see every branch at once | show all branches
        """),
        naming=lines("the map | the branch map | the overview of branches"),
        answers=(
            "There is no map of the branches yet. The cache pane shows the tree of tokens.",
            "A map is not there yet. Step through versions with the arrows at a fork.",
        ),
    ),
    Topic(
        "edit_answer",
        asked=lines("""
            can i edit an answer | how do i change your answer | can i rewrite what the model said
            can i correct your answer | how do i edit the model's text | can i put words in your mouth
            can i fix an error in the answer
        """),
        doing=lines("""
            edit an answer | change an answer | rewrite the model's answer | correct the answer's text
            edit your reply | change what you answered | change what the model wrote | fix a reply
            edit the text of a reply
        """),
        answers=(
            f"The text of an answer cannot be edited yet. You can ask for another one with {keys('regenerate')}.",
            f"Only questions can be edited so far. {keys('regenerate')} gives another answer.",
        ),
    ),
    Topic(
        "tools",
        asked=lines("""
            can you browse the web | can you search the internet | can you use tools | can you run code
            can you open a website | can you go online | look it up on the internet | google it
            can you run a program | open this link | can you use a calculator | does it have web search
            can a model call functions | are there plugins | is there an api | does it support mcp
            can it run python | can you open a file | can the model see my files
        """),
        doing=lines("""
            let the model search the web | let the model run code | use tools | add a plugin
            look something up on the web | use the internet
        """),
        naming=lines("tool use | plugins | a plugin"),
        answers=(
            "A model here has no tools: it reads what you write and answers, and does not reach the internet or "
            "your files.",
            "No tools, plugins or web search: text goes in, text comes out.",
        ),
    ),
    Topic(
        "voice",
        asked=lines("""
            can i speak to you | can you talk | can you hear me | can i use my voice | do you have a voice
            can you read the answer aloud | can i dictate | is there voice input | do you speak
            read it to me | text to speech | can i talk instead of typing | say it out loud | can it listen
            is there a microphone button
        """),
        doing=lines("""
            talk to you by voice | use my voice | have an answer read aloud | dictate a question | hear the answer
            have the answers read aloud
        """),
        naming=lines("voice input | the voice mode"),
        answers=(
            "Espalier has no voice of its own and does not listen. The Mac's own dictation can type for you.",
            "There is no voice mode: questions are typed, and answers are read.",
        ),
    ),
    Topic(
        "print",
        asked=lines("""
            can i print this | print | can i make a pdf of this | can i export to pdf | how do i print a conversation
            is there a pdf export | how do i get a pdf | can i print an answer | i want this on paper
            save as pdf | can i export to word | print this chat | does cmd p print
            is there a print command | can i export to html
        """),
        doing=lines("print a conversation | print this | make a pdf | export to pdf | save a chat as a pdf"),
        answers=(
            f"There is no printing here. {menu_path('export_branch')} writes a text that other programs print.",
            f"Espalier does not print. Write the branch to a file with {menu_path('export_branch')} and print that.",
        ),
    ),
    Topic(
        "update",
        asked=lines("""
            how do i update espalier | does espalier update itself | is there an update | how do i get a new version
            check for updates | where do i get the newest version | will it update by itself | upgrade espalier
            is there an automatic update | do i have the latest version | when is the next version
            update the program | how do i install a new version
        """),
        doing=lines("update espalier | check for updates | get the newest version | install an update"),
        naming=lines("an update | automatic updates"),
        answers=(
            f"Espalier does not look for updates by itself. {menu_path('about')} shows your version.",
            "It does not update itself. Put a newer Espalier in the place of this one; your conversations stay.",
        ),
    ),
    Topic(
        "windows",
        asked=lines("""
            can i open two windows | can i have a second window | is there a new window command | are there tabs
            can i open a chat in its own window | can i see two conversations side by side | open another window
            can i have tabs | how do i get a second window | two chats next to each other
            can i run espalier twice | is there a split view
        """),
        doing=lines("open a second window | open two windows | see two conversations side by side | use tabs"),
        answers=(
            "There is one window, and it shows one conversation at a time. Go to another in the list at the left.",
            "Second windows and tabs are not there. The list at the left takes you from one conversation to another.",
        ),
    ),
    Topic(
        "merge",
        asked=lines("""
            can i merge two branches | how do i join two branches | can branches be combined
            can i put two branches together | merge | can i bring two versions together
            can two conversations be merged | combine the branches | how do i unite branches
            can i copy a branch into another one | can a branch grow back into another
            can i merge two conversations
        """),
        doing=lines("merge two branches | join two branches | combine two conversations | put branches together"),
        naming=lines("merging"),
        answers=(
            "Branches part and are not joined again. Copy what you need from one into a question of the other.",
            f"Two branches cannot be merged. You can copy a message ({keys('copy')}) and use it in the other branch.",
        ),
    ),
    Topic(
        "sync",
        asked=lines("""
            can i sync my conversations | is there a sync | does it sync with my phone | is there an iphone app
            does it use icloud | can i use it on my phone | is there a windows version | is there a web version
            are my chats on all my devices | sync | can i share my conversations over the network
            does espalier run on an ipad | can others join this chat | is there a cloud copy
        """),
        doing=lines("sync my conversations | use espalier on my phone | sync with icloud | see my chats on my phone"),
        naming=lines("sync | icloud sync"),
        answers=(
            f"Nothing is synced: your conversations are on this Mac only. {menu_path('export')} writes one to a file.",
            "There is no sync and no cloud. A conversation travels as a file that you export and import.",
        ),
    ),
)
