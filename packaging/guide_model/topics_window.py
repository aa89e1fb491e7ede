"""What the guide says about the window, its keys, and the marks in it."""

from __future__ import annotations

from guide_model.commands import keys, menu_path
from guide_model.topic import Topic, lines

WINDOW: tuple[Topic, ...] = (
    Topic(
        "hide_list",
        commands=("sidebar",),
        asked=lines("""
            how do i hide the sidebar | how do i show the sidebar | the list on the left is gone
            i want more room | where did the sidebar go | can i hide the conversations
            what is the shortcut for the sidebar | how do i get the left pane back
        """),
        doing=lines("""
            hide the sidebar | show the sidebar | hide the list of conversations | show the conversations pane
            hide the left pane | close the sidebar | toggle the sidebar | get the sidebar back
        """),
        answers=(
            f"{menu_path('sidebar')} ({keys('sidebar')}) shows or hides the list at the left.",
            f"Press {keys('sidebar')} to show or hide the list of conversations.",
        ),
    ),
    Topic(
        "hide_cache",
        commands=("cache",),
        asked=lines("""
            how do i hide the cache pane | how do i show the cache | where is the cache pane
            how do i open the cache pane | where is the trie | i do not see the cache | how do i see the trie
            what is the shortcut for the cache pane | what does show cache do
        """),
        doing=lines("""
            show the cache | hide the cache | show the cache pane | hide the cache pane | open the cache pane
            close the cache pane | see the trie | get the cache pane back | toggle the cache pane
        """),
        naming=lines("show cache | the shortcut for the cache"),
        answers=(
            f"{menu_path('cache')} ({keys('cache')}) shows or hides the Cache pane at the right.",
            f"Press {keys('cache')} for the Cache pane. The same keys put it away again.",
        ),
    ),
    Topic(
        "inspector",
        commands=("inspector",),
        asked=lines("""
            what is the inspector | the pane on the right is gone | can i hide the right side
            how do i get the right side back | what is at the right of the window | i want more room for the chat
            which panes are at the right | how do i close the pane at the right | the right side takes too much room
            where are the panes | how do i switch between the panes at the right
        """),
        doing=lines("""
            show the inspector | hide the inspector | close the right pane | hide the right side
            get the right pane back | change the pane at the right | have more room for the chat
        """),
        naming=lines("the inspector | the pane at the right | the right side of the window"),
        answers=(
            f"{menu_path('inspector')} ({keys('inspector')}) shows or hides the right side, with Branches, Cache, Map "
            "and Answers at its top.",
            f"Press {keys('inspector')} to show or hide the right side. At its top you choose Branches, Cache, Map or "
            "Answers.",
        ),
    ),
    Topic(
        "grey",
        asked=lines("""
            why is this command grey | why can i not choose this command | why is a menu entry grey
            why does this key do nothing | a command does not work | why is the button grey
            why is it dimmed in the menu | i pressed the keys and nothing happened | how do i know why it is grey
            some commands are grey | the shortcut does nothing | when does a grey command work again
        """),
        doing=lines("""
            find out why a command is grey | use a grey command | know why a key does nothing
            make a grey command work
        """),
        naming=lines("a grey command | a dimmed menu entry"),
        answers=(
            "A grey command would do nothing now. Point at it in its menu and it says why; so does the window when you "
            "press its keys.",
            "It cannot act at this moment, and its menu entry says why, when you point at it.",
        ),
    ),
    Topic(
        "text_size",
        commands=("bigger", "smaller", "actual_size"),
        asked=lines("""
            how do i make the text bigger | the text is too small | the letters are too small
            how do i change the text size | can i zoom | how do i change the font size | the text is too big
            i cannot read this, it is too small | how do i make everything larger
            how do i get the normal size back | is there a zoom
        """),
        doing=lines("""
            make the text bigger | make the text smaller | change the text size | zoom in | zoom out
            enlarge the text | change the font size | reset the text size | make letters larger
            get the usual size back | have larger letters | make everything bigger | read this more easily
            go back to the normal text size
        """),
        answers=(
            f"{keys('bigger')} makes the text bigger, {keys('smaller')} smaller, and {keys('actual_size')} gives "
            "the usual "
            "size again.",
            f"Use {menu_path('bigger')} ({keys('bigger')}) or {menu_path('smaller')} ({keys('smaller')}).",
        ),
    ),
    Topic(
        "first_keys",
        asked=lines("""
            which keys should i learn first | what are the shortcuts | which shortcuts are there
            keyboard shortcuts | what keys can i use | what are the most important keys | teach me the shortcuts
            which keys are useful | is there a list of shortcuts | tell me the shortcuts
            can i use the keyboard | what are the hotkeys | can i do everything with the keyboard
            shortcuts please
        """),
        naming=lines("the most useful shortcut | the best keys | the main shortcuts"),
        answers=(
            f"Learn three: {keys('fork')} forks a question, {keys('regenerate')} asks for another answer, and "
            f"{keys('stop')} stops.",
            f"Begin with Return to send, {keys('fork')} to fork, and {keys('previous')} or {keys('next')} to "
            "switch versions.",
        ),
        more=(
            "Every shortcut stands beside its command in the menus.",
            f"{keys('find')} finds, {keys('jump')} leads anywhere, {keys('undo')} takes back, {keys('new')} starts a "
            "conversation.",
        ),
    ),
    Topic(
        "compose",
        commands=("compose",),
        asked=lines("""
            how do i get to the message field | how do i put the cursor where i write | what does cmd l do
            which key goes to the message field | how do i jump to the composer | where is the cursor
            how do i focus the text field
        """),
        doing=lines("""
            get to the message field | jump to the composer | focus the text field | put the cursor in the field
            put the cursor into the message field | start typing | get back to the field
        """),
        answers=(
            f"Press {keys('compose')}: it puts the cursor where you write.",
            f"{menu_path('compose')} ({keys('compose')}) puts the cursor in the message field.",
        ),
    ),
    Topic(
        "copy",
        commands=("copy",),
        asked=lines("""
            how do i copy an answer | can i copy your answer | how do i copy a message | how do i copy text
            how do i get an answer into another program | how do i put this into an email | copy the answer
        """),
        doing=lines("""
            copy an answer | copy a message | copy the text | copy your reply | take an answer to another program
            copy what the model said | copy the reply | put an answer on the clipboard
            take the words of an answer with me
        """),
        answers=(
            f"Select the text or the message and press {keys('copy')}.",
            f"{menu_path('copy')} ({keys('copy')}) copies the selected text, or the selected message.",
        ),
        more=(
            "Code in an answer has a Copy button of its own.",
            "Drag over several messages to copy from all of them.",
        ),
    ),
    Topic(
        "cut",
        commands=("cut",),
        asked=lines("""
            how do i cut text | what does cut do | which key cuts | can i cut a sentence out of my question
            cut | cut this text | how do i take text out of the field | is there a cut command
            how do i remove and keep the selected text | what does cmd x do | how do i move text in my message
            can i cut and paste
        """),
        doing=lines("""
            cut text | cut the selected text | cut a sentence out of my message | move text within my message
            cut and paste | cut some words out of my text | take a sentence out of my message
        """),
        naming=lines("cut | the cut command"),
        answers=(
            f"Select the text and press {keys('cut')}; {keys('paste')} puts it in elsewhere.",
            f"{menu_path('cut')} ({keys('cut')}) cuts the selected text.",
        ),
    ),
    Topic(
        "paste",
        commands=("paste",),
        asked=lines("""
            how do i paste | can i paste text | which key pastes | paste | can i paste a whole article
            how do i get text from another program in here | can i insert text from the clipboard
            what does cmd v do | how do i put copied text into my question | is there a paste command
            i copied something, how do i get it in here | can i paste code
        """),
        doing=lines("""
            paste text | paste | insert text from the clipboard | paste an article | paste code into my question
            bring text in from another program | put copied text into the field | paste from a web page
            put copied words into my message | get text from a document in here | insert what i copied
        """),
        naming=lines("paste | the paste command"),
        answers=(
            f"Click into the message field and press {keys('paste')}. Text is pasted, pictures are not.",
            f"{menu_path('paste')} ({keys('paste')}) puts the text from the clipboard where you write.",
        ),
    ),
    Topic(
        "select_all",
        commands=("select_all",),
        asked=lines("""
            how do i select everything | how do i select all | which key selects all | what does cmd a do
            select all | can i mark all of my text | how do i select the whole text i wrote | what does select all do
            how do i mark everything in the field | i want to replace all that i typed | is there a select all
            how do i highlight all my text
        """),
        doing=lines("""
            select all | select everything | select all my text | mark everything in the field
            select all that i have written | mark my whole message | select the whole text i wrote
        """),
        naming=lines("select all | the select all command"),
        answers=(
            f"Press {keys('select_all')}: it selects all of the text you are writing.",
            f"{menu_path('select_all')} ({keys('select_all')}) selects everything in the message field.",
        ),
    ),
    Topic(
        "drafts",
        asked=lines("""
            what happens to text i have not sent | is my unsent text kept | do i lose what i typed when i switch chats
            are drafts kept | i typed something and went to another chat | where is my half written question
            does each conversation have its own field | is my draft saved | can i leave a question half written
            will my unsent words stay | what if i open another chat while i type | i did not send it yet, is it lost
        """),
        naming=lines("a draft | drafts | an unsent question | a half written question"),
        answers=(
            "What you have not sent stays in the message field of its conversation while you look at another one.",
            "Each conversation keeps its own unsent words. Go back to it and they stand in the field.",
        ),
    ),
    Topic(
        "close",
        commands=("close", "quit"),
        asked=lines("""
            how do i close the window | can i just close the window | do i lose anything when i close
            is it safe to quit | what happens when i close the window | how do i quit
            can i quit while you answer | what if i close espalier now
        """),
        doing=lines("""
            close the window | quit | close espalier | leave the program | exit | quit the program
            shut espalier down | close the program
        """),
        answers=(
            f"{menu_path('close')} ({keys('close')}) closes the window. Everything is already saved.",
            f"{keys('close')} closes the window and {keys('quit')} quits, at any time: everything is saved as it "
            "happens.",
        ),
    ),
    Topic(
        "new_window",
        commands=("new_window",),
        asked=lines("""
            how do i open another window | can i open two windows | can i have a second window | open another window
            is there a new window command | how do i get a second window | can i have several windows
            what is the shortcut for a new window | can i run espalier twice | are there tabs | can i have tabs
            i want two windows | one window is not enough | where is new window | can i work in two windows
        """),
        doing=lines("""
            open a second window | open two windows | open another window | make a new window | get a new window
            have two windows | have several windows | use tabs | work in two windows
        """),
        naming=lines("new window | a second window"),
        answers=(
            f"{menu_path('new_window')} ({keys('new_window')}) opens another window, with an empty conversation.",
            f"Press {keys('new_window')} for another window. All windows share the model, the cache and the "
            "conversations.",
        ),
        more=("All windows that are open when you quit are open again at the next start.",),
    ),
    Topic(
        "own_window",
        commands=("open_in_new_window",),
        asked=lines("""
            can i open a chat in its own window | can i see two conversations side by side
            two chats next to each other | how do i put this conversation into a window of its own
            is there a split view | how do i look at two conversations at once | can i move a chat to another window
            how do i open a conversation in a new window | i want to read one chat while i write in another
            can i have each conversation in a window
        """),
        doing=lines("""
            open a chat in its own window | see two conversations side by side | move a conversation to a new window
            open this conversation in a new window | look at two chats at once | put two chats next to each other
            get a window for each conversation
        """),
        naming=lines("open in new window | a window of its own"),
        answers=(
            f"{menu_path('open_in_new_window')} moves the conversation into a window of its own; lay the two side by "
            "side.",
            f"Right-click a conversation and choose Open in New Window, or use {menu_path('open_in_new_window')}.",
        ),
    ),
    Topic(
        "about",
        commands=("about",),
        asked=lines("""
            which version is this | what version do i have | where is the version number | what is the licence
            is espalier open source | is it free | what does it cost | do i have to pay | who made espalier
            which licence does it have | is this free software | what is the price of espalier | does it cost money
            how much is it | how much do i pay
        """),
        doing=lines("see the version | find the version number | find the licence | see which version i have"),
        answers=(
            f"{menu_path('about')} shows the version and the licence.",
            f"Espalier is free under the MIT licence. {menu_path('about')} shows the version.",
        ),
    ),
    Topic(
        "window",
        asked=lines("""
            what am i looking at | explain the window | what are the parts of the window | what is what here
            how is the window laid out | give me a tour | show me around | what do the three panes do | i am new here
            how does this window work | where do i begin | how do i start | i am lost | show me what is where
            where is what in this window | describe the window to me
        """),
        naming=lines("this window | the layout | the main window | all this"),
        answers=(
            "Conversations are at the left, the chat is in the middle; branches, cache and map are at the right. "
            "Write at the bottom and press Return.",
            f"Ask something at the bottom, then fork it with {keys('fork')}. The list at the left keeps your "
            "conversations, the pane at the right shows branches and cache.",
        ),
    ),
    Topic(
        "rail",
        asked=lines("""
            what is the line on the left of the chat | what is the green line | what is the rail
            why is the line dotted | what does the dotted line mean | what does the solid line mean
            what does the line beside the messages show | why is part of the line dotted
            what is the line down the side | what does the green line mean | what is the vertical line
        """),
        naming=lines(
            "the rail | the line beside the chat | the dotted line | the solid line | the green line | the dotted rail"
        ),
        answers=(
            "That is the rail. It is solid where the tokens are held, and dotted where they must be computed.",
            "The rail runs down the left of the chat: solid means held in the cache, dotted means still to be "
            "computed.",
        ),
    ),
    Topic(
        "footer",
        asked=lines("""
            what are the numbers under the answer | what does reused mean | what does computed mean
            what does reused plus computed mean | what is reused and computed | what does 412 reused mean
            what do the figures below an answer say | what are the figures under an answer
            what does 30 computed mean | why does it say reused under the answer
            how do i see how much was reused
        """),
        naming=lines(
            "the reused number | the computed number | reused + computed | the line under the answer | reused tokens"
            " | computed tokens"
        ),
        answers=(
            "Reused tokens came out of the cache. Computed tokens had to be read by the model for this answer.",
            'Under each answer stands "reused + computed": how much of the prompt the cache held, '
            "and how much was read.",
        ),
        more=("The more is reused, the sooner the answer begins.",),
    ),
)
