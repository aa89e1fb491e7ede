"""What the guide says about forks, versions and writing."""

from __future__ import annotations

from guide_model.commands import keys, menu_path
from guide_model.topic import Topic, lines

PROGRAM: tuple[Topic, ...] = (
    Topic(
        "fork_how",
        commands=("fork",),
        asked=lines("""
            how do i fork a message | how do i fork | how do i make a branch | where is fork
            where is the fork button | which button makes a fork | what is the shortcut for fork | fork how
            how are forks made | i want to ask this in another way | how do i try a different question
            how do i change a question i already sent | what does the pencil do | what is the pencil for
            how do i edit what i asked | can i rewrite my question | i made a mistake in my question
            i want to correct my message | how do i split a conversation | what is the pencil beside my question
            i want to go another way from here | let me reword my question | how do i put this question differently
        """),
        doing=lines("""
            fork | fork a conversation | fork this chat | fork a question | make a fork | start a new branch
            create a branch | branch off | branch a conversation | edit a question | edit my message
            change my question | change what i wrote | rewrite a question | ask the same thing differently
            edit an earlier message | change an old message | fix a typo in my question
            split this conversation in two | make another branch | take the conversation in another direction
            reword an earlier question | put my question in other words | go another way from here
            phrase my question anew
        """),
        answers=(
            f"Point at a question and press the pencil beside it, or press {keys('fork')}. What you send then "
            "starts a new "
            "branch, and the old branch stays.",
            f"Choose {menu_path('fork')} ({keys('fork')}), change the question and send it. That starts a new branch.",
        ),
        more=(
            "You can fork as often as you like.",
            "What stands above the question is reused, so only the new words are read.",
        ),
    ),
    Topic(
        "fork_what",
        asked=lines("""
            what is a branch | what is a fork | what does fork mean | what are branches | what are forks for
            why would i fork | what good is a fork | why should i use branches | what are branches good for
            what is the point of forking | when should i fork | branch meaning | what happens when i fork
            a branch is what | tell me about branches | what do you mean by branching | why would one branch
            why should anyone fork | what are branches in here
        """),
        naming=lines("a branch | a fork | forking | branching | a new branch | the idea of a fork | a chat branch"),
        answers=(
            "A branch is one way a conversation went. At a fork two branches part: they share all that stands "
            "above, and "
            "each goes on in its own way.",
            "A fork is the place where a conversation goes two ways. Each way is a branch, and none of them is lost.",
        ),
        more=(
            "Fork to try another question without losing the first answer.",
            f"To make one, edit a question with {keys('fork')}.",
        ),
    ),
    Topic(
        "fork_old",
        asked=lines("""
            what happens to the old branch | is the old branch lost | does a fork delete anything
            do i lose the old answer | will my old question be gone | is the first answer still there
            does editing overwrite my question | can i lose something by forking
            does editing remove the old version | is anything lost when i fork
            do i lose the rest of the chat when i edit | does the old answer disappear | is my old text kept
            where did my old answer go | my old answer is gone | what becomes of the old branch
        """),
        answers=(
            "The old branch stays as it was. Nothing you try is lost.",
            "Nothing is lost: the old branch stays, and you can go back to it at any time.",
        ),
        more=(f"Step to it with {keys('previous')} or the arrows at the fork.",),
    ),
    Topic(
        "fork_where",
        asked=lines("""
            can i fork an earlier question | can i fork any message | can i fork the first question
            where in the chat can i fork | can i fork more than once | how many branches can i have
            how many times can i fork | can i fork a branch again | can i fork in the middle of a conversation
            is there a limit to forks | can a branch have branches | can i edit the very first message
        """),
        answers=(
            "You can fork at any question, also an early one, and as often as you like. A branch can fork again.",
            "Any question can be forked, the first one too, and there is no limit to how often.",
        ),
        more=(f"{keys('branch_here')} begins a branch after an answer.",),
    ),
    Topic(
        "again",
        commands=("regenerate",),
        asked=lines("""
            how do i get another answer | can you answer again | i do not like this answer
            what does answer again do | give me a different answer | how do i regenerate | i want another answer
            that answer was bad, again please | is there a retry button | how do i ask for a second answer
            what is answer again | i want a better reply | try again | please try that again
            the answer is not good | another answer please | what is the retry shortcut
        """),
        doing=lines("""
            get another answer | regenerate | regenerate an answer | answer again | get a second answer | retry
            ask for a new answer | get a different reply | redo the answer | try the answer again | reroll the answer
            get one more reply | have the model try again | get a new reply to the same question
            let it answer once more | hear another answer | have this question answered differently
        """),
        answers=(
            f"Choose {menu_path('regenerate')} or press {keys('regenerate')}. You get another answer beside the "
            "old one.",
            f"Press {keys('regenerate')}. The new answer stands beside the old one, and both are kept.",
        ),
        more=("The arrows at the answer then switch between them.",),
    ),
    Topic(
        "again_or_fork",
        asked=lines("""
            what is the difference between fork and answer again | answer again or fork
            should i fork or answer again | is answer again a fork too
            when do i use answer again and when do i fork | how is a fork different from another answer
            fork versus regenerate | what is the difference between a fork and a retry
            does answer again make a branch
        """),
        answers=(
            f"A fork changes the question ({keys('fork')}); Answer Again keeps it and gives another answer "
            f"({keys('regenerate')}). Both start a new branch.",
            "Fork when you want to ask something else. Use Answer Again when the question is right and the "
            "answer is not.",
        ),
    ),
    Topic(
        "versions",
        commands=("previous", "next"),
        asked=lines("""
            what does 2 of 3 mean | what is 2 of 3 | what are the arrows beside the message | what does 1 of 2 mean
            what are the little arrows | how do i go back to the other branch | how do i switch branches
            how do i return to the old branch | where is my other branch | how do i see the other version
            what is the switcher | what is this 3 of 3 | how do i find the first answer again
            go back to the old branch | how do i move between versions | which keys switch versions
            what are versions | why is there 1 of 2 at my question
            what are these numbers at my message
        """),
        doing=lines("""
            switch branches | go back to the old branch | return to another branch | see the other version
            see the old answer | switch to another version | show the previous version | go to the next version
            move between branches | step through the versions | get back to my first question | change branch
        """),
        answers=(
            f'"2 of 3" means that there are three versions here and you see the second. The arrows, or '
            f"{keys('previous')} "
            f"and {keys('next')}, show the others.",
            f"Where there are versions, use the arrows beside the message, or {keys('previous')} and {keys('next')}.",
        ),
        more=("The rest of the chat follows the version you choose.",),
    ),
    Topic(
        "send",
        commands=("send",),
        asked=lines("""
            how do i send | how do i send a message | which key sends | does return send | what does return do
            what does the arrow button do | i typed something, now what | how do i ask a question
            how do i submit my message | where do i type | where do i write | what key is send
            which key do i press to send | what is the key that sends
        """),
        doing=lines("""
            send a message | send my question | send this | submit a question | post my message | send what i wrote
            get my question to the model | hand in my question | send off what i typed
        """),
        answers=(
            "Write in the field at the bottom and press Return to send.",
            "Return sends what you wrote. Shift-Return begins a new line.",
        ),
    ),
    Topic(
        "line",
        asked=lines("""
            how do i start a new line | how do i break the line | how do i write two lines | what does shift return do
            return sends but i want a new line | how do i make a paragraph | newline key
            how do i write several lines | can i write more than one line
            i hit return and it went off, but i was not done | i pressed enter too soon, i wanted a new line
        """),
        doing=lines("""
            start a new line | break a line | insert a line break | write a second line | add a new line
            type a newline | write a paragraph | go to the next line without sending
            put a line break into my question | have two lines in my message | get a second line
        """),
        answers=(
            "Press Shift-Return to begin a new line. Return alone sends.",
            "Shift-Return breaks the line in the message field.",
        ),
    ),
    Topic(
        "stop",
        commands=("stop",),
        asked=lines("""
            how do i stop an answer | how do i stop | stop it | how do i cancel the answer
            the answer is too long, how do i stop it | what does the stop button do | which key stops the answer
            how do i interrupt you | make it stop | it does not stop writing | how do i halt the model
            what does esc do | it keeps writing | stop the answer
        """),
        doing=lines("""
            stop the answer | stop an answer | stop writing | cancel a reply | interrupt the model
            halt the answer | stop it while it writes | abort the answer | stop the model | end the answer early
        """),
        answers=(
            f"Press {keys('stop')} or {keys('stop', 1)}, or the Stop button. What was written is kept.",
            f"Choose {menu_path('stop')} or press {keys('stop')}. The words written so far stay.",
        ),
    ),
    Topic(
        "stopped",
        asked=lines("""
            what happens to a stopped answer | is a stopped answer kept | if i stop do i lose the text
            can i go on after stopping | does stop delete the answer | what happens when i press stop
            do you keep half an answer | is the half answer saved when i stop | can i continue after i stop
            does stopping lose anything
        """),
        answers=(
            f"What was written before you stopped is kept, and {keys('continue')} has the answer go on.",
            f"A stopped answer keeps its words. Press {keys('continue')} to let it go on, or {keys('regenerate')} for "
            "another one.",
        ),
    ),
    Topic(
        "new",
        commands=("new",),
        asked=lines("""
            how do i start a new conversation | new conversation | how do i begin a new chat
            where is new conversation | i want to start over | can i start again with an empty chat
            how do i open an empty conversation | what is the shortcut for a new conversation | start fresh
            how do i clear the chat
        """),
        doing=lines("""
            start a new conversation | begin a new chat | make a new conversation | open a new chat | start over
            create a conversation | start an empty chat | begin from scratch | get a fresh conversation
        """),
        answers=(
            f"Choose {menu_path('new')} or press {keys('new')}.",
            f"Press {keys('new')} for an empty conversation. The old one stays in the list at the left.",
        ),
    ),
    Topic(
        "list",
        asked=lines("""
            where are my conversations | what is the list on the left | how do i open an old conversation
            where do i find yesterday's chat | where are my old chats | what is the left pane
            how do i get back to another conversation | what is in the sidebar | my conversations are gone
            where is my chat from yesterday | how do i switch to another conversation
        """),
        doing=lines("""
            open an old conversation | find my old chats | go to another conversation | see my conversations
            switch conversations | open yesterday's chat | get my earlier chat back | see my earlier conversations
            find an earlier chat in the list | go back to a chat from last week
        """),
        naming=lines("the sidebar | the list on the left | the left pane | the list of conversations"),
        answers=(
            "Your conversations are in the list at the left. Click one to open it.",
            f"The list at the left holds every conversation. If it is hidden, press {keys('sidebar')}.",
        ),
    ),
)
