"""What the guide says about opening models, about saving, and about what leaves the Mac."""

from __future__ import annotations

from guide_model.commands import keys, menu_path
from guide_model.topic import Topic, lines

MODELS: tuple[Topic, ...] = (
    Topic(
        "open_model",
        commands=("open_model",),
        asked=lines("""
            how do i open a real model | how do i open a model | how do i load another model
            can i use a bigger model | how do i use my own model | how do i change the model
            can i use qwen here | where do i choose the model | how do i get better answers
            can i run llama here | i want a smarter model | i have a model, how do i use it
            how do i use another model | can i switch models | how do i replace you with a better model
            where is open model | i want to talk to a real model | you are too small, what now | load a model
        """),
        doing=lines("""
            open a model | open a real model | load a model | load another model | use a bigger model
            use my own model | change the model | switch models | choose a model | pick a model | use a better model
            run a different model | open a model folder | connect a model | load a larger model | get a smarter model
            bring up the dialog for a model folder | put a proper model in here | get a stronger model
        """),
        answers=(
            f"Choose {menu_path('open_model')} ({keys('open_model')}) and pick a folder that mlx-lm can load.",
            f"Press {keys('open_model')} and choose the model's folder, or drop the folder on the window.",
        ),
        more=("Your conversations stay.",),
    ),
    Topic(
        "which_models",
        asked=lines("""
            which models can i open | what kind of model works | which models work
            what format must a model have | does it open gguf files | can i open a gguf | what is an mlx model
            which folder do i choose | what must be in the model folder | what models are supported
            do you support mistral | does gemma work | why can it not open my model | my model does not open
            which model formats do you read
        """),
        naming=lines("a model folder | the right model format | a folder mlx-lm can load"),
        answers=(
            "Any folder that mlx-lm can load: it holds config.json, the weights in safetensors files and a tokenizer.",
            "Models in MLX form, each a folder with config.json, safetensors files and a tokenizer. A GGUF file "
            "does not open.",
        ),
    ),
    Topic(
        "drop",
        asked=lines("""
            can i drop a model folder | can i drag a model into the window | does drag and drop work
            can i drag a folder here | what happens if i drop a folder | drag and drop a model
        """),
        doing=lines("drop a model | drag a folder in | drag a model into the window | drop a folder on the window"),
        answers=(
            "Yes. Drop a model's folder on the window and it opens.",
            "Drag the folder of a model onto the window: that opens it.",
        ),
    ),
    Topic(
        "drop_file",
        asked=lines("""
            can i drop a file on the window | can i drag a conversation file here | can i drop an espalier file
            can i drop a chatgpt export | what happens if i drop a file | can i drag a zip file here
            which files can i drop | does dropping a conversation import it | can i drag an export into the window
            drop a file | i have a file, can i just drag it in
        """),
        doing=lines("""
            drop a file | drag a conversation file into the window | drop an export on the window
            import by drag and drop
        """),
        answers=(
            "Yes. A file of conversations, an .espalier file for example, is imported when you drop it on the window.",
            f"Drop it on the window: exported conversations are read as with {menu_path('import')}.",
        ),
    ),
    Topic(
        "recent",
        commands=("recent",),
        asked=lines("""
            do you remember my models | do i have to find the folder every time | are recent models remembered
            how do i open the model i used before | how do i go back to my last model | where are my recent models
            is my last model remembered | do i have to choose the folder every time | must i pick the folder again
        """),
        doing=lines("""
            open a recent model | find the model i used last | reopen my last model
            get back to a model i opened before | open the model i had before | choose among the models i used
            skip choosing the folder again
        """),
        answers=(
            f"{menu_path('recent')} lists the models you opened before, so you do not have to look for the folder "
            "again.",
            f"The models you opened before are remembered: choose one under {menu_path('recent')}.",
        ),
    ),
    Topic(
        "use_guide",
        commands=("use_guide",),
        asked=lines("""
            how do i get the guide back | how do i return to the guide | how do i use the guide again
            can i come back to you | how do i go back to the built in model | where did the guide go
            what does use the guide do | how do i talk to you again
        """),
        doing=lines("""
            get the guide back | go back to the guide | use the guide | return to the built in model
            talk to you again | close my model and use the guide | bring the guide back | have the guide answer again
            leave my model for the guide
        """),
        answers=(
            f"Choose {menu_path('use_guide')} ({keys('use_guide')}).",
            f"Press {keys('use_guide')}: the guide is back at once.",
        ),
    ),
    Topic(
        "loading",
        asked=lines("""
            can i type while the model loads | can i write while you answer
            what happens if i send before the model is ready | why can i not send yet
            the model is still loading | how long does loading take | do i have to wait
            can i ask before the model is loaded
        """),
        answers=(
            "You can write while a model loads. What you send early is answered when the model is ready.",
            "Go on writing: the field works while the model loads, and an early question is answered when it is ready.",
        ),
    ),
    Topic(
        "save",
        asked=lines("""
            how do i save | how do i save a conversation | are my conversations saved | is this saved
            do i have to save | where is save | is there a save button
            are branches saved | will this be here tomorrow
            are my words saved | does it save by itself | what happens to my conversations when i quit
            is everything kept
        """),
        doing=lines(
            "save | save a conversation | save my chat | keep this conversation | save everything | save a branch"
        ),
        answers=(
            "There is nothing to save: every word and every branch is written to disk as it happens.",
            "Everything is saved as it happens, in a database on this Mac. You do not have to do anything.",
        ),
    ),
    Topic(
        "crash",
        asked=lines("""
            what if it crashes | what if the power fails | do i lose my text in a crash
            what if my mac shuts down | is my question safe if it crashes | what happens when the program dies
            can i lose a message | what if the battery runs out | is my text safe | how safe are my words
        """),
        answers=(
            "Your words are on disk before the model is asked, and an answer is saved while it grows.",
            "Your question is saved before the model sees it, so a crash does not lose it.",
        ),
    ),
    Topic(
        "reopen",
        asked=lines("""
            what do i see when i open espalier again | does it remember where i was
            will i see the same branch again | what happens when i reopen the window
            is the open conversation remembered | does it come back to the same place
            what is restored when i start again | do i find everything as i left it
        """),
        answers=(
            "You see what was there: the same conversation, on the same branch, with your unsent words.",
            "Open it again and it shows what was there, on the branch where you left it.",
        ),
    ),
    Topic(
        "private",
        asked=lines("""
            is this private | does anything leave my mac | do you need the internet | does this work offline
            is my data sent anywhere | do you send my text to a server | who can read my conversations
            is my data used for training | are you in the cloud | where does the model run | do i need an account
            does it phone home | can i use it on a plane | is it safe to type secrets | do you spy on me
            does espalier collect data | do i need wifi | is there any telemetry | do i have to be online
            does it need a connection | is my text sent to somebody | are my words sent away
        """),
        naming=lines("your privacy policy | the privacy here"),
        answers=(
            "Everything runs on this Mac, and no internet is needed. If you add a server, you are asked before "
            "anything goes there.",
            "Your words stay on this Mac unless you add a server. A model that you download comes from the internet, "
            "when you ask for it.",
        ),
    ),
)
