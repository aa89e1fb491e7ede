"""More ways to ask about several answers, the tokens of an answer, servers and the local API."""

from __future__ import annotations

MORE_LANES: dict[str, str] = {
    "several": """
        i want to compare a few replies, can it write them together | ask once and get three replies
        can i roll the dice several times at once | how do i generate multiple responses
        is there a batch mode for answers | multiple answers | more than one reply please
        can you give me a few different answers to pick from | where is the number of answers
        i would like to have three tries at this | two replies instead of one | can it try the question eight times
        what does 3 answers mean below my message | how do i go back to one answer only
        why do i get three answers now | i only want one answer again | how many replies can i get at once
        generate four completions | does a question with four answers cost four times as much""",
    "answers_beside": """
        show me all replies next to each other | where can i read all versions together
        open the answers in columns | i see only one answer, where are the other columns
        is there a view with all answers of a question | view answers in columns
        what happened to the columns i had before | how do i return from the columns to the chat
        which command brings back the answers of an old question | look at old answers in columns
        put the versions of this answer beside each other | is there a key for the columns""",
    "lane_keep": """
        which button picks the answer | i have decided for the first one, what now
        what happens if i press keep | should i press keep or continue here | the first column is the best, keep it
        do the others stop when i keep one | can i change my mind after keep | how do i pick a winner
        how do i close one column | remove the bad one of three answers | are discarded answers in the trash
        how do i continue in column c | can the other answers be written to their end
        let the others finish but go on with this one""",
    "lane_ask": """
        do all of them get my next message | can i talk to one column only
        how do i reply to all three answers | can i ask the second one something else
        what does press 2 to ask one mean | which column gets the question | ask everyone
        how do i go back to asking all | can i keep talking with several branches at once
        i pressed a digit and a column was chosen | what is the digit above a column
        can all branches go on with the same question""",
    "lane_settings": """
        a cold and a warm answer to the same question | can each column have its own settings
        i want to see what temperature does, side by side | can two presets answer the same question
        what is the ladder of temperatures | how do i make several answers less alike
        all my answers look the same, can they differ more | give one answer the creative preset
        what is the temperature above the column | can i test settings against each other
        try precise and creative at once""",
    "two_at_once": """
        can i use another chat in the meantime | is the answer lost when i open another conversation
        do i have to wait until it has finished | can two chats write together
        i asked in two chats, what happens | will both questions be answered | does switching chats stop the answer
        can it answer several chats | how do i stop the answer in the other chat
        is the other answer still being written | multitasking | can i work in two branches together""",
    "alternatives": """
        show the confidence of each word | where can i see the token probabilities
        i want to see what the model hesitated about | logprobs | is there a view of the logits
        which other tokens were likely | show uncertainty | highlight the words you were not sure of
        how probable was this token | what were the other choices for this word | token view
        what does the percentage beside a word mean | how do i get out of token mode | what are the shares in the list
        show me the tokens | does it keep logprobs | what is the key for the tokens
        how do i see what you nearly said | can i look inside an answer""",
    "fork_at_word": """
        replace this word and continue | i do not like this word, take another
        can i steer the answer at a word | let it go on from another word
        can i make a fork in the middle of a sentence
        how do i take the second likeliest word | choose the other token | start a new answer from this token
        what happens when i click a word of the list | can i type a word of my own there
        is the old answer kept when i take another word | regenerate from here
        i want to branch from this exact word | continue with a different token
        what if the first word had been no""",
    "branch_ways": """
        fan out from this word | try the top three tokens | branch on every alternative
        what does pressing 4 in token mode do | can it explore all the likely words
        make several branches at this token | how do i grow a tree from one word
        i want four branches from the same word | expand this token in several ways
        can i see where each alternative leads | loom style branching at a token
        several continuations please | branch n ways""",
    "keep_alternatives": """
        token mode says it was written without alternatives | where is the switch for the likely words
        how many bytes do the alternatives need | do the probabilities slow it down
        why can i not see the tokens of this answer | must i switch something on for token mode
        i do not need the probabilities, turn them off | how big are the stored alternatives
        why has an imported answer no underlines | what is kept with each answer""",
    "server": """
        i have a machine with a big gpu, can i use it | can i run the model elsewhere and chat here
        how do i hook up a server | is there support for remote models | remote server
        can i use this with a server at home | does it work with a model on my linux box
        connect to http | i want to use my server | use a bigger model over the network
        is espalier a client too | point it at my server | where are remote models set up
        how do i type in a url | can one server be several machines | how do i use two servers as one""",
    "which_servers": """
        is ollama supported | is llama cpp supported | is vllm supported | is lm studio supported as a server
        what kinds of endpoints work | will my sglang server work | what about openai compatible servers
        can it talk to a server of lm studio on my network | can i use gguf through llama cpp
        openai compatible | which backends are there | does it speak the openai protocol
        list the servers that work | can i use mlx distributed""",
    "server_key": """
        my endpoint needs a token | where is the field for the key | authentication for a server
        the server says unauthorized | does it keep my key in the keychain | self signed certificate
        it says nobody speaks for the certificate | can i name my server | bearer token for a server
        i typed the wrong key for my server | is my key written to a file""",
    "server_private": """
        does my chat leave this mac when i use a server | which conversations went to a server
        am i told when words are sent away | it asks whether to send this conversation, why
        who sees my words when i use a server | is every chat sent to the server
        how can i see where the model runs | does a price send something to the server
        is anything sent before i ask | how do i keep a chat on this mac""",
    "server_list": """
        delete a server | the server is offline, what can i do | where do i see which servers i have
        the address of my server has changed | refresh the models of a server | edit a server
        my server was restarted with another model | change the name of a server
        how many servers are there | i want to get rid of a server""",
    "server_cache": """
        is reuse possible on a server | does the server remember my branches | why are prices only about right
        can i pin on a server | are the rows of a server real | what does believed mean in the cache pane
        how warm is my branch on the server | does switching branches cost more on a server
        why does the pane show an age and no bytes""",
    "local_api": """
        i want to call the model from code | can i use the openai sdk with this | serve my model
        is there a rest api | can i curl it | endpoint for scripts | expose the model to other apps
        can another app use what is loaded here | use it from the command line | how do i connect my editor
        where is the try it line | how do i get an api address | turn on the server
        can i use it as a backend | which url do i give my editor | how do i renew the token
        let my notes app use the model | can zed use this model | is there a completion endpoint""",
    "api_safe": """
        can someone on my network use my model | can a website talk to the api | what if the token leaks
        do other programs see my chats | are api questions stored | is the api open to the internet
        will my editor make my chat slow | who has priority | can i stop what a script asks
        does the api need a password | can malware use the api""",
    "grey": """
        why is it greyed out | some menu items are dimmed | why is cmd r grey | the command is not available
        why does answer again not work now | this key does not do anything | why can i not click it
        the menu entry cannot be chosen | what makes a command available again
        why is compare branches grey | nothing happens when i press the shortcut""",
}
