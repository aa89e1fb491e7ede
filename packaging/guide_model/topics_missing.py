"""What Espalier does not do yet, said plainly, and what comes nearest to it."""

from __future__ import annotations

from guide_model.commands import keys, menu_path
from guide_model.topic import Topic, lines

MISSING: tuple[Topic, ...] = (
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
            f"Two models are not open at once. Open one after the other, ask both, and compare the answers with "
            f"{keys('compare')}.",
        ),
    ),
    Topic(
        "tools",
        asked=lines("""
            can you browse the web | can you search the internet | can you use tools | can you run code
            can you open a website | can you go online | look it up on the internet | google it
            can you run a program | open this link | can you use a calculator | does it have web search
            can a model call functions | are there plugins | does it support mcp
            can it run python | can you open a file | can the model see my files | can it do something for me
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
            f"Nothing is synced: your conversations are on this Mac only. {menu_path('export_all')} writes them to a "
            "file.",
            "There is no sync and no cloud. A conversation travels as a file that you export and import.",
        ),
    ),
)
