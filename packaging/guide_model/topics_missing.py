"""What Espalier does not do yet, said plainly."""

from __future__ import annotations

from guide_model.commands import keys
from guide_model.topic import Topic, lines

MISSING: tuple[Topic, ...] = (
    Topic(
        "delete",
        asked=lines("""
            how do i delete a branch | how do i delete a conversation | can i delete a message | where is delete
            can i remove a branch | how do i get rid of a chat | can i erase everything | is there a bin
            where is the trash | how do i clean up old branches | delete this | how do i remove an answer
            can i delete my data
        """),
        doing=lines("""
            delete a branch | delete a conversation | remove a branch | delete a message | get rid of a branch
            remove an old chat | erase a conversation | throw a branch away | clear my history
            delete an answer
        """),
        answers=(
            "Deleting is not there yet. Every branch and conversation is kept.",
            "Not yet: branches and conversations cannot be deleted in this version.",
        ),
    ),
    Topic(
        "search",
        asked=lines("""
            how do i search | can i search my conversations | where is search | how do i find a word
            can i search for text | is there a search field | how do i find an old message | find text in a chat
            does cmd f work
        """),
        doing=lines(
            "search | search my conversations | find a word | search for a message | look for text in my chats "
            "| search a chat"
        ),
        answers=(
            "There is no search yet.",
            "Searching is not there yet. The list at the left shows every conversation.",
        ),
    ),
    Topic(
        "organise",
        asked=lines("""
            can i make folders | are there folders | how do i rename a conversation | can i name a branch
            how do i rename a branch | how do i sort my conversations | can i put chats in a folder
            how do i give a branch a name | can i change the title | are there labels | can i mark a favourite
        """),
        doing=lines("""
            make a folder | name a branch | rename a conversation | rename a branch | sort my chats
            put conversations in folders | give a branch a title | change the name of a chat
            mark a branch as a favourite
        """),
        answers=(
            "Folders and names for branches are not there yet.",
            "Not yet. There are no folders, and branches have no names in this version.",
        ),
    ),
    Topic(
        "settings",
        asked=lines("""
            where are the settings | is there a settings window | how do i change the settings
            where are the preferences | how do i change the budget | can i change the memory limit
            can i set how much memory the cache uses | where are the options | how do i configure espalier
            can i set a system prompt | open the settings
        """),
        doing=lines("""
            open the settings | change the settings | find the preferences | change the budget
            change the cache limit | set a memory limit | configure espalier | give the cache more memory
            set a system prompt
        """),
        answers=(
            "There is no settings window yet.",
            "Not yet: this version has no settings window.",
        ),
    ),
    Topic(
        "disk",
        asked=lines("""
            what does on disk mean | is the cache kept on disk | is the cache saved when i quit
            can i pin a branch | how do i pin a branch | is the cache still there after a restart
            what is pinning | does the cache go to disk | why is everything cold after a restart
            is there a disk cache | what does “on disk” mean
        """),
        naming=lines("on disk | “on disk” | the disk cache | pinning | a pin | a pinned branch"),
        doing=lines("pin a branch | keep a branch in memory | pin this | save the cache to disk"),
        answers=(
            "Pinning and a cache on disk are not there yet. The cache lives in memory; your text is saved.",
            "Not yet. The cache is in memory only, so after a restart a branch is read again once.",
        ),
    ),
    Topic(
        "several",
        asked=lines("""
            can i get several answers at once | can you answer three times at once
            how do i get three answers side by side | can i see two answers next to each other
            can i compare two models | are there lanes | can two branches run together
            can you write two answers at the same time
        """),
        doing=lines(
            "get several answers at once | get three answers side by side | run two branches at once | compare "
            "two models"
        ),
        answers=(
            f"Several answers at once are not there yet. Press {keys('regenerate')} for another one.",
            f"Not yet: one answer at a time. {keys('regenerate')} gives the next one.",
        ),
    ),
    Topic(
        "map",
        asked=lines("""
            is there a map | can i see the whole tree | is there a picture of all branches | where is the map
            can i see all branches in one picture | is there an overview of the branches | show me the map
        """),
        naming=lines("the map | the branch map | the overview of branches"),
        answers=(
            "There is no map of the branches yet. The cache pane shows the tree of tokens.",
            "Not yet: this version has no map. Step through versions with the arrows at a fork.",
        ),
    ),
    Topic(
        "export",
        asked=lines("""
            can i export a conversation | how do i export | can i import a chat | how do i share a conversation
            can i save a chat as a file | how do i import my chats from another app | can i print this
            is there an export | can i export to pdf | can i export to markdown
        """),
        doing=lines("""
            export a conversation | export a chat | import a conversation | share a chat | save a chat as a file
            print a conversation | export to a text file | import chats
        """),
        answers=(
            f"Export and import are not there yet. You can copy a message with {keys('copy')}.",
            f"Not yet. Copy what you need with {keys('copy')}.",
        ),
    ),
    Topic(
        "edit_answer",
        asked=lines("""
            can i edit an answer | how do i change your answer | can i rewrite what the model said
            can i correct your answer | how do i edit the model's text | can i put words in your mouth
            can i fix an error in the answer
        """),
        doing=lines(
            "edit an answer | change an answer | rewrite the model's answer | correct the answer's text | edit "
            "your reply"
        ),
        answers=(
            f"The text of an answer cannot be edited yet. You can ask for another one with {keys('regenerate')}.",
            f"Not yet: only questions can be edited. {keys('regenerate')} gives another answer.",
        ),
    ),
    Topic(
        "attach",
        asked=lines("""
            can i attach a file | can you read a picture | can i send an image | can you see images
            can i add a pdf | can i drop a document | can you browse the web | can you search the internet
            can i speak to you | can you talk | can you use tools | can you run code | can you hear me
            can you open a website
        """),
        doing=lines(
            "attach a file | send a picture | add an image | upload a document | talk to you by voice | give you a pdf"
        ),
        answers=(
            "No. Espalier takes only the text you write.",
            "That is not there: you write text, and text comes back.",
        ),
    ),
)
