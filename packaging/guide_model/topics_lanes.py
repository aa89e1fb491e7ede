"""What the guide says about several answers to one question, and about the other words that could have stood."""

from __future__ import annotations

from guide_model.commands import keys, menu_path
from guide_model.topic import Topic, lines

LANES: tuple[Topic, ...] = (
    Topic(
        "several",
        asked=lines("""
            can i get several answers at once | can you answer three times at once
            how do i get three answers side by side | what are lanes
            can you write two answers at the same time
            two answers at once | three answers please, all at once | can it write several replies in parallel
            give me many answers | parallel answers | where do i choose how many answers i get
            can i ask three times with one key | can it write five answers in one go
            what does 1 answer in the message field mean | how many answers can a question get
            i want four answers to this question | can a question have more than one answer at once
            what is the number beside the paper clip | can i have eight answers | let me have several replies
            does it read the question several times for several answers
        """),
        doing=lines("""
            get several answers at once | get three answers at once | ask for four answers
            have five answers written in one go | get many answers in parallel | choose the number of answers
            have a question answered several times | change the number of answers
        """),
        naming=lines("the answers button | the number of answers | a lane"),
        answers=(
            "Press 1 answer in the message field and choose up to 8. They are written at once, by turns, and the "
            "question is read once.",
            "The button 1 answer in the message field sets how many you get, up to 8. They stand beside each other.",
        ),
        more=("In a narrow window one of them is shown, and the letters lead to the others.",),
    ),
    Topic(
        "answers_beside",
        commands=("answers",),
        asked=lines("""
            can i see three versions next to each other | how do i see all answers to a question
            can i see all answers beside each other | what does answers side by side do
            where are the columns | the columns are gone | how do i get the columns back
            can i see the answers in columns again | show all versions of this answer at once
            how do i close the columns | how do i leave the columns | i closed the columns, how do i open them again
            show the answers to this question in columns | all answers in columns please
            can old answers be put into columns
        """),
        doing=lines("""
            see all answers to a question at once | show the answers in columns | open the columns again
            see several versions next to each other | put the answers in columns | close the columns
            bring the columns back | see the answers beside each other
        """),
        naming=lines("answers side by side | the columns | the columns of answers"),
        answers=(
            f"{menu_path('answers')} ({keys('answers')}) shows the answers to a question in columns, each with what "
            "follows it. Esc closes them.",
            f"Press {keys('answers')}: all answers to the question stand in columns. Esc shows the chat again.",
        ),
    ),
    Topic(
        "lane_keep",
        asked=lines("""
            how do i keep one of the answers | what does keep do | what does continue here do
            what is the difference between keep and continue here | how do i choose one of several answers
            how do i go on with the second answer | which of the three answers is used
            i like answer b, what do i do | can i throw one of the answers away | how do i stop one of the answers
            what happens to the other answers when i keep one | are the other answers lost
            can i stop only one of them | what does discard do | i want to go on with one of them
        """),
        doing=lines("""
            keep one of several answers | choose one of the answers | go on with one answer
            discard one of the answers | throw away one of several answers | pick the best answer
            continue with one of the columns | get rid of a column
        """),
        naming=lines("the keep button | continue here | the discard button in a column"),
        answers=(
            "Keep goes on with that answer and stops the others; Continue Here lets them be written on. Both keep "
            "them all as versions.",
            "Press Keep in its column. The other answers stop and stay as versions; Discard puts one into the trash.",
        ),
    ),
    Topic(
        "lane_ask",
        asked=lines("""
            can i ask all answers the next question | how do i ask only one of the columns
            where does my question go when there are three answers | can i ask all columns at once
            how do i ask one of the answers something | who gets my next question
            can i go on with all answers at the same time | what do the digits do beside several answers
            what does ask all at once mean | how do i choose the column that i ask
            can i send a question to every answer | can each answer get a follow up question
        """),
        doing=lines("""
            ask all answers the next question | ask one of the columns | send a question to all columns
            choose which answer i ask | go on with all answers | ask only the second answer
        """),
        answers=(
            "With answers beside each other, your next question goes to all of them. A digit chooses one, while the "
            "message field is empty.",
            "To all of them. Press 1, 2 or 3 while the message field is empty, and it goes to that answer alone; the "
            "same digit again asks all.",
        ),
    ),
    Topic(
        "lane_settings",
        asked=lines("""
            can several answers have different temperatures | can each answer have another preset
            can i try one question with two temperatures | can the answers differ in temperature
            what does different temperatures do | can one answer be precise and the other creative
            how do i compare settings | can i compare two temperatures | are the answers made with the same settings
            can i try several presets at once | which temperature does each column have
        """),
        doing=lines("""
            give each answer another temperature | use different settings for several answers
            compare two temperatures | compare two presets | have the answers differ more
            try a question at several temperatures
        """),
        naming=lines("different temperatures | a temperature ladder"),
        answers=(
            "Press the number of answers in the message field and choose Different Temperatures, or a preset for each "
            "answer.",
            "The menu of 1 answer, in the message field, has Different Temperatures, from cold to warm, and a preset "
            "for each answer.",
        ),
    ),
    Topic(
        "two_at_once",
        asked=lines("""
            can two branches run together | can two conversations be answered at the same time
            do i have to wait for the other answer | can i ask something while another chat is answered
            can i ask in another conversation while one is being written | does it answer two chats at once
            what happens to an answer when i look at another conversation | does an answer go on when i leave
            can i ask in another branch meanwhile | does the answer stop when i switch the conversation
            can several questions be answered together
        """),
        doing=lines("""
            run two branches at once | ask in two conversations at once | have two chats answered together
            ask while another answer is written | leave a chat while it is answered
        """),
        answers=(
            "Ask where you like: answers in two conversations or branches are written at the same time, by turns.",
            "You need not wait. An answer goes on while you look at another conversation, and you can ask there too.",
        ),
    ),
    Topic(
        "alternatives",
        commands=("tokens",),
        asked=lines("""
            can i see other words the model might have said | can i see the probabilities | what are the alternatives
            how sure was the model of a word | show me the likely tokens | what is token mode
            can i see the logits | does it show token probabilities | what else would you have said
            how likely was this word | word alternatives | other words for this place
            why are some words underlined | what do the underlined words mean | how do i see how sure you are
            which words was the model unsure of | can i see an answer token by token | how do i leave token mode
            can i see the tokens of an answer | what does a strong underline mean | how uncertain was this answer
        """),
        doing=lines("""
            see other words the model might have said | see the probabilities of the words
            see how sure the model was | see the tokens of an answer | open token mode | leave token mode
            show the likely words | see what else could have stood here | find the words you were unsure of
        """),
        naming=lines("token mode | word alternatives | the probabilities of words | the underlined words"),
        answers=(
            f"{menu_path('tokens')} ({keys('tokens')}) underlines the words that the model was unsure of, and lists "
            "what else it would have said, and how likely.",
            f"Press {keys('tokens')}: the less sure the model was of a word, the stronger it is underlined. Left and "
            "Right go from one to the next.",
        ),
        more=("It is kept with the answer, so the list is there without the model too.",),
    ),
    Topic(
        "fork_at_word",
        commands=("tokens",),
        asked=lines("""
            can i choose another word in the answer | can i click a word and get another one | can i branch at a word
            can i pick the next word myself | how do i fork inside an answer | can i fork at a token
            can an answer go on with another word | i want another word at this place
            can i fork in the middle of an answer | can i write my own word into an answer
            how do i fork at the third sentence | what if it had said another word there
            can the answer take another turn here | change one word of the answer and go on
            can i put my own words at a token
        """),
        doing=lines("""
            choose another word in an answer | branch at a word | fork at a word | fork inside an answer
            have an answer go on with another word | fork at a token | pick the next word
            begin a branch in the middle of an answer | put my own words at a token
        """),
        naming=lines("a fork at a token | a fork at a word"),
        answers=(
            f"Press {keys('tokens')}, go to the word, choose another with Up and Down, and press Return: a new answer "
            "goes on from there.",
            f"{menu_path('tokens')} lets you take another word of its list, or type your own. The new answer stands "
            "beside the old one.",
        ),
    ),
    Topic(
        "branch_ways",
        commands=("tokens",),
        asked=lines("""
            can i branch several ways at a word | can i try the four best words at once
            how do i get four ways from one word | branch here three ways | can i try all alternatives of a word
            what do digits do in token mode | can i go on with several words at the same time
            can one word become several answers | can i split an answer into three at a word
            how do i explore several continuations | give me several continuations from this word
            can i fork many times at the same token
        """),
        doing=lines("""
            branch several ways at a word | go on with several words at once | try the best words at once
            get several continuations of a word | split an answer at a word | explore several ways from one word
        """),
        naming=lines("branching several ways | a digit in token mode"),
        answers=(
            f"In token mode ({keys('tokens')}) a digit goes on with so many of the likeliest words at once, as answers "
            "beside each other.",
            f"Open {menu_path('tokens')}, go to the word and press a digit from 2 to 8: so many answers begin there.",
        ),
    ),
    Topic(
        "keep_alternatives",
        commands=("preferences",),
        asked=lines("""
            why are there no alternatives for this answer | why does token mode show nothing
            how much room do the alternatives take | can i turn the alternatives off
            are the probabilities saved | where do i switch the alternatives on
            are the likely words stored with the answer | why is no word underlined
            was this answer written without alternatives | do alternatives cost disk space
            is it slower with alternatives
        """),
        doing=lines("""
            turn the alternatives off | turn the alternatives on | keep the alternatives
            save disk space on alternatives | stop keeping the likely words
        """),
        naming=lines("the setting for alternatives | what else the model would have said"),
        answers=(
            f"General in {menu_path('preferences')} ({keys('preferences')}) says whether what else could have stood is "
            "kept, and how much room that takes.",
            f"Press {keys('preferences')} and choose General. Answers written while it is off lack the list of other "
            "words.",
        ),
    ),
)
