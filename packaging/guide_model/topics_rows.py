"""What the guide says about warming up, about the rows of the Cache pane that can be acted on, and short memory."""

from __future__ import annotations

from guide_model.commands import keys, menu_path
from guide_model.topic import Topic, lines

ROWS: tuple[Topic, ...] = (
    Topic(
        "warm_up",
        commands=("warm_up",),
        asked=lines("""
            how do i make a branch warm | how do i warm up a branch | warm up this branch | can a branch be read ahead
            can i prepare a branch | can i have a branch read before i ask | what does warm up this branch do
            how do i make a cold branch quick | can it read in the background | how do i stop warming up
            is it possible to preheat a branch | can i get rid of the wait before i ask | make this branch warm
            does warming up disturb my questions | get the branch ready while i think
        """),
        doing=lines("""
            warm up a branch | warm up this branch | read a branch ahead | make a cold branch warm
            prepare a branch for the next question | have a branch read in the background | stop warming up
            get a branch ready before i ask | load a cold branch into the cache
        """),
        naming=lines("warm up | warming up | warm up this branch | a warm up"),
        answers=(
            f"{menu_path('warm_up')} ({keys('warm_up')}) reads the branch in the background, so that going on begins "
            "at once.",
            f"Press {keys('warm_up')}: the branch is read ahead and gives way to any question. Press it again to stop.",
        ),
    ),
    Topic(
        "warm_up_row",
        commands=("warm_up_row",),
        asked=lines("""
            how do i warm up a row | warm up row | can i warm up a row of the cache pane | what does warm up row do
            can a row without a snapshot be computed ahead | how do i get a row back into memory
            can i bring back a row that was evicted | can i have a row read again
            how do i get the state of a row back | can i compute a row in the background
            make a row of the tree warm | what is the warm up button at a row
        """),
        doing=lines("""
            warm up a row | get a row back into memory | have a row computed again | bring an evicted row back
            make a row of the cache pane warm | fill a row that has no snapshot
        """),
        naming=lines("warm up row"),
        answers=(
            f"Choose the row in the Cache pane, then {menu_path('warm_up_row')}: its branch is read in the background.",
            f"{menu_path('warm_up_row')} reads the branch of the chosen row, so that its state is there again.",
        ),
    ),
    Topic(
        "show_row",
        commands=("show_row",),
        asked=lines("""
            which message is this row | how do i see the message of a row | show row in chat
            can i go from a row to the chat | what happens when i press return on a row | can i click a row
            to which message does a row belong | where in the chat is this row | what does show row in chat do
            can i open the messages of a row | how do i find the row of a message
            which rows belong to a message | why are rows marked when i select a message
        """),
        doing=lines("""
            see the message of a row | go from a row to the chat | show a row in the chat
            find out which message a row holds | open the message behind a row | find the rows of a message
        """),
        naming=lines("show row in chat | a marked row"),
        answers=(
            f"Choose a row in the Cache pane and press Return, or {menu_path('show_row')}: its message is shown.",
            f"{menu_path('show_row')} goes to the message that a row holds; a message that you select marks its rows.",
        ),
    ),
    Topic(
        "pin_row",
        commands=("pin_row", "unpin_row"),
        asked=lines("""
            can i pin a row | how do i pin a row | pin row | unpin row | can i pin a part of a branch
            how do i unpin a row | can i keep a row in memory | what does pin row do
            can i keep one row of the cache pane | how do i keep a shared beginning in the cache
            where is the pin button of a row | can a system prompt be pinned | how do i hold on to a row
            let a row go again
        """),
        doing=lines("""
            pin a row | unpin a row | keep a row of the cache pane | pin a shared beginning | hold on to a row
            take the pin off a row | pin a part of a branch
        """),
        naming=lines("pin row | unpin row | a pinned row"),
        answers=(
            f"Choose the row in the Cache pane: {menu_path('pin_row')} keeps what leads to it, "
            f"{menu_path('unpin_row')} lets it go.",
            f"{menu_path('pin_row')} keeps the chosen row, whatever else needs room; {menu_path('unpin_row')} takes "
            "that back.",
        ),
    ),
    Topic(
        "evict_row",
        commands=("evict_row",),
        asked=lines("""
            can i evict a row | how do i evict a row | evict row | can i free a row | how do i free memory by hand
            can i drop a row of the cache | how do i delete a row in the cache pane | what does evict row do
            can i throw a part of the cache away | what does delete do on a row | remove this row from the cache
            how do i free what a branch holds | is my text lost when i evict a row
        """),
        doing=lines("""
            evict a row | free a row | drop a row of the cache | free memory by hand | free what a branch holds
            remove a row from the cache | throw a row of the cache pane away
        """),
        naming=lines("evict row"),
        answers=(
            f"Choose a row in the Cache pane and press Delete, or {menu_path('evict_row')}. It frees state, and your "
            "words stay.",
            f"{menu_path('evict_row')} frees what the chosen row and those below it hold; every word is still there.",
        ),
    ),
    Topic(
        "other_rows",
        asked=lines("""
            where are the rows of my other conversations | what does other conversations mean in the cache pane
            why is there a line for other conversations | how do i see what other chats hold in the cache
            what is held for other conversations | can i see the whole cache | whose rows are these
            does the cache pane show other chats | which conversation does a row belong to
            how do i unfold the other conversations | how much of the cache do other conversations hold
            why do i see only this conversation in the cache pane | is the cache shared between conversations
        """),
        naming=lines("the line other conversations | the rows of other conversations"),
        doing=lines("see the rows of other conversations | unfold the other conversations in the cache pane"),
        answers=(
            "The Cache pane follows the open branch. What belongs to other conversations is one line there: open it to "
            "see its rows.",
            "All conversations share one cache. Rows of others are one line of the Cache pane, which opens.",
        ),
    ),
    Topic(
        "pressure",
        asked=lines("""
            my mac is short of memory | what happens when the system runs out of memory | the mac is slow, is it you
            why did the cache shrink | what does short of memory mean | memory pressure | does it slow down my mac
            will it take memory from other programs | the cache got smaller by itself | why was half of the cache freed
            does the cache give memory back | what if other programs need memory | is my mac running out of memory
        """),
        naming=lines("memory pressure | short memory"),
        doing=lines("give memory back to other programs | have the cache give memory back"),
        answers=(
            "While the Mac is short of memory, the cache holds less and the window says so. It grows back afterwards.",
            "The cache gives memory back when the system is short of it. That costs time later, and your words stay.",
        ),
    ),
    Topic(
        "limit_context",
        commands=("models",),
        asked=lines("""
            can i limit the context | how do i limit the context of a model | limit context
            can a model read fewer tokens | how do i make a model take less memory
            the context is limited, how do i raise it
            can i raise the context limit | what does limit context do | where do i set the context length
            how do i make the context shorter | can i set how much a model reads | raise the limit
            how do i give a model its full context again
        """),
        doing=lines("""
            limit the context of a model | set the context length | raise the context limit
            make a model read fewer tokens | shorten the context | get the full context of a model back
        """),
        naming=lines("limit context | the context limit of a model"),
        answers=(
            f"In {menu_path('models')} ({keys('models')}), choose the model, then More… and Limit Context…: it then "
            "reads fewer tokens.",
            f"Press {keys('models')}: Limit Context… stands under More… of each model. Nothing cached is lost by it.",
        ),
    ),
)
