"""What the guide says about models on servers, and about the local API for other programs."""

from __future__ import annotations

from guide_model.commands import keys, menu_path
from guide_model.topic import Topic, lines

SERVERS: tuple[Topic, ...] = (
    Topic(
        "server",
        commands=("add_server",),
        asked=lines("""
            can i connect to a server | can i use a model on another machine | can i use a model in the cloud
            can i reach a model over the network | can i use a cloud model | how do i add a server
            can i use a model on another computer | my model is too large for this mac
            can espalier use a server in my network | where do i type the address of a server
            can i use a model that runs on several macs | can i use my big computer for this
            how do i use a remote model | is there a way to use a bigger machine | add a server
            where are the models of my server | can i use a model that does not run here
        """),
        doing=lines("""
            connect to a server | add a server | use a model in the cloud | use a model on another computer
            use a remote model | use a model over the network | run the model on another machine
            open a model of a server
        """),
        naming=lines("a server | add server | a remote model"),
        answers=(
            f"{menu_path('add_server')} takes the address of a server that runs models. They then stand in "
            f"{menu_path('models')}.",
            f"Choose {menu_path('add_server')} and type its address. What it is and which models it has is found out.",
        ),
        more=("Several addresses, with spaces between them, are one server where the same models run at each.",),
    ),
    Topic(
        "which_servers",
        commands=("add_server",),
        asked=lines("""
            which servers can i add | can it connect to lm studio | can it connect to ollama
            does it work with vllm | does it work with llama cpp | can i use sglang | can i add mlx lm server
            can i use chatgpt in here | can i use a server with the openai interface | can it use the openai api
            which kinds of servers are there | can i use my ollama server | does it talk to llama server
            which servers does espalier know | can i use a gguf model over a server
        """),
        doing=lines("""
            connect to lm studio | connect to ollama | use vllm | use llama cpp | use an openai server
            connect to an mlx lm server
        """),
        naming=lines("the kinds of servers | a server of llama cpp"),
        answers=(
            f"With {menu_path('add_server')}: mlx_lm.server, llama.cpp, vLLM, SGLang, Ollama, LM Studio, or another "
            "one with OpenAI's interface.",
            f"{menu_path('add_server')} takes those of llama.cpp, mlx-lm, vLLM, SGLang, Ollama and LM Studio, and "
            "others with OpenAI's interface.",
        ),
    ),
    Topic(
        "server_key",
        commands=("add_server",),
        asked=lines("""
            can i enter an api key | where do i type the key of a server | where is my api key kept
            is the key of my server safe | my server wants a key | how do i change the name of a server
            can i use a certificate of my own | what does trust this certificate mean
            the server has a certificate that nobody knows | where do i put the password of the server
            can a server have a name
        """),
        doing=lines("""
            enter an api key | type the key of a server | give a server a name | trust a certificate
            change the key of a server
        """),
        naming=lines("an api key | the key of a server | the certificate of a server"),
        answers=(
            f"{menu_path('add_server')} has fields for its name and its key. The key is kept apart from the settings, "
            "in the keychain.",
            f"Under {menu_path('add_server')}, below the address. A certificate that you made yourself is trusted when "
            "you say so.",
        ),
    ),
    Topic(
        "server_private",
        asked=lines("""
            what does a server see of my chat | is a server private | will i be asked before something is sent
            does a server read my conversation | how do i know that my words go to a server
            what is sent to a server | why does it ask before sending | is my chat sent to the server at once
            can i see whether a model is on a server | does a server keep what i write
        """),
        doing=lines("""
            see whether a model runs on a server | keep a conversation away from a server
            know where my words go
        """),
        naming=lines("the question before something is sent to a server"),
        answers=(
            "What you ask a model of a server is sent there. You are asked before a conversation goes there for the "
            "first time, and its name stands at the top.",
            "Before a conversation goes to a server for the first time you are asked. The server's name stands beside "
            "its model's at the top.",
        ),
    ),
    Topic(
        "server_list",
        commands=("models",),
        asked=lines("""
            how do i remove a server | where are my servers | can i rename a server | my server is not reached
            the server is switched off | how do i look at a server again | a new model of my server is not listed
            where is the list of servers | how do i delete a server | my server has another model now
            can i change the key of a server later
        """),
        doing=lines("""
            remove a server | see my servers | rename a server | look at a server again | change a server
            forget a server
        """),
        naming=lines("the list of servers | the servers page"),
        answers=(
            f"{menu_path('models')} ({keys('models')}) has a page Servers: look at one again, change it or remove it "
            "there.",
            f"Press {keys('models')} and choose Servers. Look Again asks which models a server has now.",
        ),
    ),
    Topic(
        "server_cache",
        asked=lines("""
            what does the cache pane show for a server | why does it say about before a price
            what should the server still hold | does a server keep the cache | is a branch warm on a server
            why is there no size in the cache pane | does forking work on a server | is a fork fast on a server
            what can i do over a server | how does it know what a server keeps
        """),
        doing=lines("fork on a server | see what a server keeps | see the cache of a server"),
        naming=lines("what the server should still hold | a price over a server"),
        answers=(
            "Over a server, the Cache pane shows what it should still hold, from what was sent and reported. Prices "
            "say about.",
            "You fork, stop and ask as here. What the server keeps is known from what it reports, so its prices are "
            "about right.",
        ),
    ),
    Topic(
        "local_api",
        commands=("preferences",),
        asked=lines("""
            is there an api | can other programs use my model | can espalier be a server | does it have an openai api
            is there a local server | does it have an endpoint | can i serve the model to my editor
            can my editor use this model | can a script ask the model | how do i use espalier from python
            where is the address of the api | where is the token of the api | is the api on
            how do i switch the api on | can vs code use my model | can i call espalier from a script
            which port does the api have | does it have the api of ollama
        """),
        doing=lines("""
            start a server | let other programs use the model | use the api | switch the api on | switch the api off
            use the model from a script | use the model in my editor | get the token of the api
        """),
        naming=lines("an api | the local api | the server mode | the api token | the port of the api"),
        answers=(
            f"{menu_path('preferences')} ({keys('preferences')}) has a page Local API: switch it on, and programs of "
            "this Mac can ask the open model.",
            f"Press {keys('preferences')} and choose Local API. Address and token stand there, with a line to try it.",
        ),
        more=("It answers programs that have the token, and what you ask in the window comes first.",),
    ),
    Topic(
        "api_safe",
        asked=lines("""
            is the api safe | who can use the api | can a web page use the api | can others in my network use the api
            what happens to what other programs ask | are questions of other programs saved
            does the api make me wait | does another program slow me down | do i wait for other programs
            who comes first, i or my editor | do questions over the api become conversations
            can i see what other programs ask
        """),
        doing=lines("""
            keep other people out of the api | keep web pages out of the api | see what other programs ask
            stop the answer of another program
        """),
        naming=lines("the safety of the api"),
        answers=(
            "The local API is for programs of this Mac that have its token; web pages and other computers get nothing. "
            "What you ask comes first.",
            "Whoever lacks the token is refused. What other programs ask becomes no conversation, and they give way to "
            "you.",
        ),
    ),
)
