"""What the guide says about seeing, naming and comparing branches, and about beginning them from answers."""

from __future__ import annotations

from guide_model.commands import keys, menu_path
from guide_model.topic import Topic, lines

BRANCHES: tuple[Topic, ...] = (
    Topic(
        "branch_name",
        commands=("name_branch",),
        asked=lines("""
            can i name a branch | how do i rename a branch | how do i give a branch a name | are there labels
            how do i label a branch | are there tags | can branches have names | name this branch
            can i write a note on a branch | can a version have a name | is there a way to label versions
            how do i tell my branches apart | where do i see the name of a branch | how do i take a name away again
            can i call this branch something | do branches have names | the branch needs a better name
        """),
        doing=lines("""
            name a branch | rename a branch | give a branch a title | label a branch | name this branch
            put a label on a version | put a name on a branch | write a name on a version
            change the name of a branch | take the name of a branch away | tell my branches apart
        """),
        naming=lines("a branch name | a branch label | name this branch"),
        answers=(
            f"Choose {menu_path('name_branch')} ({keys('name_branch')}), type a name and press Return. An empty one "
            "takes it away.",
            f"Press {keys('name_branch')} and type. The name then stands in the chat, in the title and in the list at "
            "the left.",
        ),
        more=("In the outline at the right, F2 names the branch that is chosen.",),
    ),
    Topic(
        "branch_favourite",
        commands=("favourite_branch",),
        asked=lines("""
            can i star a branch | can i mark a branch | can a branch be a favourite | favourite branch
            how do i mark this branch | can i put a star on a branch | how do i take the star of a branch away
            can i bookmark a branch | how do i make a branch easy to find | what does the star at a branch mean
            is there a favourite for branches | mark this branch as important | which branches have a star
            can i have a favourite version
        """),
        doing=lines("""
            star a branch | mark a branch as a favourite | bookmark a branch | put a star on this branch
            make this branch a favourite | remove the star from a branch | mark the branch i see
            make a branch easy to find again
        """),
        naming=lines("a favourite branch | the star at a branch"),
        answers=(
            f"{menu_path('favourite_branch')} marks the branch you see with a star. Choose it again to take it back.",
            f"Choose {menu_path('favourite_branch')}: it gets a star, and stands under its conversation at the left.",
        ),
    ),
    Topic(
        "outline",
        commands=("branches",),
        asked=lines("""
            is there an outline | where can i see all branches | show all branches | i want to see every branch at once
            how do i see my branches | where is the list of branches | list my branches | what are my branches
            which branches does this conversation have | what is the branches pane | what is the outline
            what do the rows in the outline mean | how do i open a branch from the outline | can i filter branches
            how do i fold a branch | do i see all branches somewhere | i have lost a branch, where is it
            is there an overview of the branches | i have many branches, how do i find one
        """),
        doing=lines("""
            see all branches | list the branches | show the outline | open the outline | hide the outline
            see every branch of this conversation | filter the branches | find a branch in the outline
            get an overview of my branches | show the branches pane | open a branch from the list
        """),
        naming=lines("the outline | the branches pane | the list of branches | the overview of branches"),
        answers=(
            f"{menu_path('branches')} ({keys('branches')}) lists every branch at the right. Return opens one, F2 names "
            "it, Left and Right fold.",
            f"Press {keys('branches')}: the outline has one row to each branch, with its tokens and how warm it is.",
        ),
        more=("The field above the outline filters it by a few letters.",),
    ),
    Topic(
        "map",
        commands=("map",),
        asked=lines("""
            is there a map | can i see the whole tree | is there a picture of all branches | where is the map
            can i see all branches in one picture | show me the map | map | draw the tree
            can i see the tree of my conversation as a picture | is there a drawing of the branches
            a picture of the conversation | can i zoom out to see the tree | how do i zoom the map
            what do the lines in the map mean | can i open a branch from the map | can the tree be drawn
            how does my conversation look as a tree | what is the thick line in the map
        """),
        doing=lines("""
            see the map | open the map | show the map | hide the map | see my conversation as a picture
            draw the tree of my conversation | see the whole tree at once | zoom the map | get a picture of the branches
        """),
        naming=lines("the map | the branch map | the map pane | the picture of the branches"),
        answers=(
            f"{menu_path('map')} ({keys('map')}) draws all branches. A click opens one, and the open path is thick.",
            f"Press {keys('map')}: the map shows the whole tree, each branch as long as its tokens.",
        ),
    ),
    Topic(
        "compare",
        commands=("compare",),
        asked=lines("""
            how do i compare two branches | can i compare branches | how do i compare the answers
            how do i compare answers side by side | can i see two answers next to each other
            can i see two branches next to each other | what differs between two answers | is there a diff
            show me the difference between two branches | where do the two versions differ | compare
            what is different in the other branch | can i see what changed between two versions
            which words are different | compare these two answers | what does compare branches do
            how do i leave the comparison | i want to read both answers side by side
        """),
        doing=lines("""
            compare two branches | compare branches | compare two answers | compare two versions
            see two answers side by side | see two branches side by side | see what differs between two branches
            see the difference between two answers | have two answers next to each other | put two branches side by side
            see which words differ
        """),
        naming=lines("the comparison | compare branches | a comparison of branches"),
        answers=(
            f"{menu_path('compare')} ({keys('compare')}) shows two branches side by side, with the words that differ "
            "marked.",
            f"Press {keys('compare')}: this branch and another stand side by side, and differing words are marked.",
        ),
        more=("What both branches share is shown once, above the two columns.",),
    ),
    Topic(
        "branch_here",
        commands=("branch_here",),
        asked=lines("""
            can i begin a branch after an answer | can i branch from here | new branch from here | branch from here
            can i ask something else after this answer | how do i ask another follow up question
            how do i go on from an earlier answer | can i fork after an answer | can i fork at an answer
            i want two different next questions | can i continue an old answer with another question
            what does new branch from here do | how do i ask on from the middle of the chat
            can i keep the answer and ask something different next | how do i return to an earlier answer and ask on
        """),
        doing=lines("""
            begin a branch after an answer | ask something else after an answer | fork after an answer
            branch from here | start a new branch from an answer | ask on from an earlier answer
            go on from the middle of the chat | ask another follow up question | branch off below an answer
        """),
        naming=lines("new branch from here | a branch after an answer"),
        answers=(
            f"Select the answer and press {keys('branch_here')}: what you send next begins a new branch there.",
            f"{menu_path('branch_here')} ({keys('branch_here')}) asks something else after an answer; what follows it "
            "now stays.",
        ),
    ),
    Topic(
        "edit_answer",
        commands=("edit_answer",),
        asked=lines("""
            can i edit an answer | how do i change your answer | can i rewrite what the model said
            can i correct your answer | how do i edit the model's text | can i put words in your mouth
            can i fix an error in the answer | can the model go on from my text | can i begin the answer for the model
            what does edit answer do | is the old answer kept when i edit it | how do i prefill an answer
        """),
        doing=lines("""
            edit an answer | change an answer | rewrite the model's answer | correct the answer's text
            edit your reply | change what you answered | change what the model wrote | fix a reply
            edit the text of a reply | have the model go on from my own words | write the beginning of an answer
        """),
        naming=lines("edit answer | an edited answer"),
        answers=(
            f"Press {keys('edit_answer')} and change its text. {keys('send')} has the model go on from it, Return "
            "keeps it as it is.",
            f"{menu_path('edit_answer')} ({keys('edit_answer')}) puts its text into the message field. What you make "
            "of it stands beside the old one.",
        ),
    ),
    Topic(
        "unanswered",
        commands=("answer",),
        asked=lines("""
            my question was not answered | there is no answer to my question | why is there no answer below my question
            how do i get an answer to an old question | the question has no answer | it never answered
            how do i answer an unanswered question | i stopped before it answered, how do i get the answer now
            my question stands there without an answer | ask this question again without changing it
            can i have an unanswered question answered later | the last question was left open
            i never got an answer to my question, what now | nothing came after my question, what can i do
            i asked and got nothing | the answer is missing below my question | my question is still open, what now
            there was no answer to the last thing i asked | what does answer this question do | answer this question
        """),
        doing=lines("""
            get an answer to an unanswered question | have an old question answered
            answer a question that has no answer | have my question answered | get the missing answer
            make it answer a question it left open
        """),
        naming=lines("an unanswered question | a question without an answer | answer this question"),
        answers=(
            f"{menu_path('answer')} has a question answered that has no answer yet. The button beside it does the "
            "same.",
            f"Choose {menu_path('answer')}: the question is put to the model as it stands.",
        ),
    ),
    Topic(
        "step_messages",
        commands=("parent", "child"),
        asked=lines("""
            how do i go from message to message | how do i go to the message above | how do i go to the message below
            which key goes one message up | which key goes one message down | can i walk through the messages
            how do i select a message with the keyboard | how do i move up in the chat without the mouse
            how do i get to the parent of a message | how do i get to the child of a message
            can i step through a chat with the keys | how do i choose an earlier message with the keyboard
            where does this message come from | take me one message up
        """),
        doing=lines("""
            go to the message above | go to the message below | go one message up | go one message down
            walk through the messages | step from message to message | select a message with the keyboard
            move between messages | get to the parent message
        """),
        naming=lines("the parent of a message | the message above | the message below"),
        answers=(
            f"{keys('parent')} goes to the message above, {keys('child')} to the one below.",
            f"Use {menu_path('parent')} ({keys('parent')}) and {menu_path('child')} ({keys('child')}).",
        ),
    ),
    Topic(
        "branch_price",
        asked=lines("""
            what does it cost to go to another branch | is it expensive to switch branches
            what do the bars beside the branches mean | what are the little bars in the list
            how do i see whether a branch is warm before i go there | what does opens at once mean
            what appears when i point at an arrow | why is there a price at the arrows
            what does the box at the arrows say | will switching to this branch take long
            what is the bar at a conversation | which of my branches are quick
            can i know the price of a branch before i open it | what does does not fit mean at a branch
        """),
        doing=lines("""
            see what a branch will cost | see whether a branch is warm before opening it
            know the price of going to a branch | find out which branch is quick
        """),
        naming=lines("the price of a branch | the warmth bar | the bar beside a branch | the bar at a conversation"),
        answers=(
            "Point at an arrow, a branch or a conversation: it tells how many tokens going there must compute, and how "
            "long that takes.",
            "The small bar shows how much of a branch the cache holds. A full one opens at once.",
        ),
    ),
    Topic(
        "sample",
        asked=lines("""
            what is the sample conversation | where does the first conversation come from | i did not write this chat
            who wrote the sample | can i delete the sample | what is under samples | why is there a chat already
            is there an example conversation | show me an example | what is the chat in the list that i never had
            may i ask on in the sample | how do i get rid of the sample | is there a demo | can i see a demo
            what is the example for
        """),
        naming=lines("the sample conversation | the sample | the samples section | the example conversation"),
        doing=lines("see an example | look at a sample conversation | get rid of the sample | try the sample"),
        answers=(
            "A new installation begins with a sample conversation of three branches. Look around in it, and delete it "
            "when you like.",
            "The sample shows what a conversation with branches looks like. Once deleted, it stays away.",
        ),
    ),
)
