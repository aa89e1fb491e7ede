"""What the guide says about finding and jumping, copying and the archive, the settings window and windows."""

from __future__ import annotations

from guide_model.commands import keys, menu_path
from guide_model.topic import Topic, lines

FINDING: tuple[Topic, ...] = (
    Topic(
        "find",
        commands=("find",),
        asked=lines("""
            does cmd f work | what does cmd f do | how do i find a word in this chat | can i search in this branch
            how do i search in the open conversation | find in branch | find a word on this page
            how do i find something in a long answer | is there a find command | can i look for a word in what i see
            how do i find text in the chat i am reading | where in this branch did i say that
            are the words that are found marked | how do i search only this chat | can found words be marked
            find it in this conversation | find text in a chat
        """),
        doing=lines("""
            find a word in this branch | search in this chat | search in this branch | find something in a long answer
            find text in the open conversation | look for a word in what i see | mark a word in the chat
            search only the open chat | find a word here | search this chat
        """),
        naming=lines("find in branch | the find bar | the find field"),
        answers=(
            f"Press {keys('find')} and type: the words are marked in the branch you see, and {keys('find_next')} goes "
            "on.",
            f"{menu_path('find')} ({keys('find')}) finds words in the branch that you see.",
        ),
        more=(f"{keys('find_everywhere')} looks in all conversations.",),
    ),
    Topic(
        "find_next",
        commands=("find_next", "find_previous"),
        asked=lines("""
            how do i go to the next match | which key finds the next one | what does cmd g do
            how do i go back to the match before | how do i step through what was found | find next | find previous
            how do i see the next search result | can i go through the results with the keyboard | next hit
            previous hit | it was found several times, how do i see the others | which key goes to the result before
            how do i walk through the hits | show me the next place
        """),
        doing=lines("""
            go to the next match | go to the previous match | find the next place | find the previous place
            step through the results | go through the search results with the keyboard | see the next hit
            go back to the hit before
        """),
        naming=lines("find next | find previous | the next match"),
        answers=(
            f"{keys('find_next')} goes to the next place and {keys('find_previous')} back, also through the results of "
            "a search.",
            f"Use {menu_path('find_next')} ({keys('find_next')}) and {menu_path('find_previous')} "
            f"({keys('find_previous')}).",
        ),
    ),
    Topic(
        "jump",
        commands=("jump",),
        asked=lines("""
            how do i jump to a conversation | what does cmd k do | is there a command palette | jump | quick open
            how do i get to another chat quickly | can i go to a branch by its name | how do i find a command
            where is a command that i cannot find | can i open a chat by typing its name
            how do i switch chats with the keyboard | is there a quick switcher | where do i type a command
            how do i get to my pins | go to a named branch | can i do everything from one field
            i know the title, how do i get there
        """),
        doing=lines("""
            jump to a conversation | jump to a branch | open the command palette | switch chats with the keyboard
            go to a chat by its name | find a command by its name | get to a named branch | go to a pin
            run a command by typing it | get to another conversation quickly
        """),
        naming=lines("jump to | the command palette | the quick switcher | the jump panel"),
        answers=(
            f"Press {keys('jump')} and type a few letters: it leads to a conversation, a named branch, a pin or a "
            "command.",
            f"{menu_path('jump')} ({keys('jump')}) goes anywhere by a few letters of a name.",
        ),
    ),
    Topic(
        "copy_markdown",
        commands=("copy_markdown",),
        asked=lines("""
            how do i copy as markdown | can i copy an answer with its formatting | copy as markdown
            how do i copy a table | can i copy a list with its marks | does copying keep the tables
            how do i keep the formatting when i copy | how do i copy with the markdown signs
            can i paste an answer into my markdown notes | the formatting is lost when i copy
            how do i copy the source of an answer | can i copy a table as a table
        """),
        doing=lines("""
            copy as markdown | copy an answer as markdown | copy with the formatting | copy a table as markdown
            keep lists and tables when copying | copy a message with its marks
        """),
        naming=lines("copy as markdown"),
        answers=(
            f"{menu_path('copy_markdown')} ({keys('copy_markdown')}) keeps tables, lists and code as they are written.",
            f"Select what you want and press {keys('copy_markdown')}: it is copied as Markdown, with all its marks.",
        ),
    ),
    Topic(
        "copy_branch",
        commands=("copy_branch", "copy_branch_markdown"),
        asked=lines("""
            how do i copy the whole branch | can i copy the whole chat | copy branch | copy this conversation
            how do i put the whole conversation on the clipboard | can i copy everything that was said
            copy all messages | how do i copy all questions and answers | how do i copy the branch as markdown
            can i paste the whole chat into a document | copy branch as markdown | copy the entire chat
            how do i get everything into an email
        """),
        doing=lines("""
            copy the whole branch | copy the whole chat | copy this conversation | copy all messages
            put the whole branch on the clipboard | copy everything that was said | copy a branch as markdown
            copy all questions and answers
        """),
        naming=lines("copy branch | copy branch as markdown"),
        answers=(
            f"{menu_path('copy_branch')} copies all that was said on the branch you see. "
            f"{menu_path('copy_branch_markdown')} keeps the marks.",
            f"Choose {menu_path('copy_branch')}, or {menu_path('copy_branch_markdown')} with tables, lists and code.",
        ),
    ),
    Topic(
        "export_all",
        commands=("export_all",),
        asked=lines("""
            can i export everything | how do i export all conversations | export everything | export all my chats
            is there an archive | how do i write all conversations to one file | can i export all chats at once
            how do i make an archive of everything | how do i take all conversations with me | back up all chats
            can i export with my folders | one file with all conversations | how do i save all my chats to a file
            what does export everything write
        """),
        doing=lines("""
            export everything | export all conversations | export all my chats | write everything to one file
            make an archive of my conversations | save all conversations to a file | take all my chats along
            back up every conversation
        """),
        naming=lines("export everything | the archive | an archive of all conversations"),
        answers=(
            f"{menu_path('export_all')} writes all conversations to one archive, with their folders.",
            f"Choose {menu_path('export_all')}: one file with every conversation, which {menu_path('import')} reads "
            "again.",
        ),
        more=("What is here already when an archive is read is recognised.",),
    ),
    Topic(
        "preferences",
        commands=("preferences",),
        asked=lines("""
            where are the settings | where are the preferences | open the settings | where are the options
            how do i configure espalier | settings | preferences | options | is there a place to change things
            how do i adjust espalier | can i change how it behaves | where is the menu for settings
            where do i set things up | is there a settings page | show me the settings | is there a settings window
            does cmd comma work | customise | what can be set in the settings | how do i change the settings
            can i choose what opens at the start | how do i change the font of code
            can i start with a new conversation | what does the gear do
        """),
        doing=lines("""
            open the settings | change the settings | find the preferences | configure espalier | show the settings
            change the preferences | get to the options | see the settings window | open the preferences
            choose what opens at the start | change the font of code
        """),
        naming=lines("the settings window | the preferences | the settings | the options"),
        answers=(
            f"{menu_path('preferences')} ({keys('preferences')}) has the start, appearance, models, cache, shortcuts, "
            "privacy and the local API. Each change holds at once.",
            f"Press {keys('preferences')} for the settings. Those of answers, like temperature, have a pane: "
            f"{keys('settings')}.",
        ),
    ),
    Topic(
        "change_keys",
        commands=("preferences",),
        asked=lines("""
            can i change a shortcut | how do i change the keys | can i give a command another key
            can i define my own shortcuts | how do i reset the shortcuts | two commands have the same key
            can keys be changed | where do i set shortcuts | i want another key for this
            how do i get the usual keys back | can i remap the keyboard | what if a shortcut is taken
            can i take a key away from a command
        """),
        doing=lines("""
            change a shortcut | change the keys | give a command another key | define my own shortcuts
            reset the shortcuts | get the usual keys back | remap the keyboard | set a shortcut
        """),
        naming=lines("the shortcuts page | a shortcut of my own"),
        answers=(
            f"Open Shortcuts in {menu_path('preferences')} ({keys('preferences')}), press a field and then the keys. "
            "Conflicts are told.",
            f"Press {keys('preferences')} and choose Shortcuts: every command is listed there with its keys.",
        ),
    ),
    Topic(
        "dark",
        commands=("preferences",),
        asked=lines("""
            is there a dark mode | how do i get dark mode | how do i turn on dark mode | can it be dark
            can i have a light window | how do i change the colours | why is the window dark
            why is it so bright | is there a theme | night mode
        """),
        doing=lines(
            "use dark mode | switch to dark mode | turn on the dark theme | change to light mode | change the theme"
        ),
        naming=lines("dark mode | light mode | the appearance"),
        answers=(
            f"It follows your Mac. Appearance in {menu_path('preferences')} ({keys('preferences')}) makes it always "
            "light or always dark.",
            f"Press {keys('preferences')} and choose Appearance: as the system, light or dark.",
        ),
    ),
    Topic(
        "full_screen",
        commands=("full_screen",),
        asked=lines("""
            is there a full screen | how do i go full screen | how do i leave full screen | full screen
            can the window fill the screen | how do i make the window as large as the screen
            which key is full screen | the menu bar is gone, how do i get back | can i use the whole screen
            how do i get out of full screen | can i read without distraction
        """),
        doing=lines("""
            go full screen | enter full screen | leave full screen | fill the screen | use the whole screen
            get out of full screen | make the window fill the screen
        """),
        naming=lines("full screen | enter full screen"),
        answers=(
            f"{menu_path('full_screen')} ({keys('full_screen')}) gives the window the whole screen, or takes it back.",
            f"Press {keys('full_screen')}. The same keys leave the full screen again.",
        ),
    ),
    Topic(
        "window_size",
        commands=("minimise", "zoom", "bring_all"),
        asked=lines("""
            how do i minimise the window | can i put the window away | what does cmd m do | where did my window go
            how do i make the window larger | how do i maximise the window | what does zoom in the window menu do
            how do i bring all windows to the front | the window is behind others | what is in the window menu
            how do i hide the window for a while | minimise | maximise | bring all to front
            how do i get the window back to its size
        """),
        doing=lines("""
            minimise the window | put the window away | maximise the window | make the window as large as possible
            bring all windows to the front | make the window larger | get the window into the dock
        """),
        naming=lines("the window menu | minimise | bring all to front"),
        answers=(
            f"{menu_path('minimise')} ({keys('minimise')}) puts the window away, {menu_path('zoom')} makes it as large "
            "as there is room.",
            f"In the Window menu: {menu_path('minimise')}, {menu_path('zoom')} and {menu_path('bring_all')}.",
        ),
    ),
    Topic(
        "formulas",
        asked=lines("""
            can you show formulas | are formulas shown | does it render latex | can it show mathematics
            how are equations shown | does tex work | can i see an equation properly | are there footnotes
            does markdown work | are tables shown | how is code shown | does it highlight code | can it show math
            why does a formula stand there as code
        """),
        naming=lines("a formula | a formula in an answer | formulas"),
        doing=lines("see formulas | see an equation as mathematics | have mathematics shown | read a table"),
        answers=(
            "Formulas in answers are set as mathematics, and tables, lists, code and footnotes as they are meant.",
            "An answer's Markdown is shown as it is meant: headings, tables, code, footnotes, and formulas in TeX.",
        ),
    ),
)
