"""What the guide says about talking with a model: its instructions, how it picks words, files, answers that go on."""

from __future__ import annotations

from guide_model.commands import keys, menu_path
from guide_model.topic import Topic, lines

TALK: tuple[Topic, ...] = (
    Topic(
        "settings",
        commands=("settings",),
        asked=lines("""
            where are the answer settings | how do i change the answer settings | where is the answers pane
            where can i change how the model answers | show me the answer settings | where is the settings pane
            what is the answers pane | where do i set how the model writes | which settings has this conversation
            where are the settings of this conversation | where are the sampling settings | answer settings
            can each conversation have settings of its own | how do i hide the answers pane
            where are the penalties | what is xtc | can i set a penalty for repeating
        """),
        doing=lines("""
            open the answer settings | change the answer settings | show the answers pane | hide the answers pane
            change how the model answers | see the settings of this conversation | set a penalty
            change the sampling settings
        """),
        naming=lines("the settings pane | the answers pane | the answer settings"),
        answers=(
            f"{menu_path('settings')} ({keys('settings')}) shows the pane with the system prompt and the sampling of "
            "this conversation.",
            f"Press {keys('settings')}: the settings of the conversation's answers stand at the right. Those of the "
            f"program: {keys('preferences')}.",
        ),
    ),
    Topic(
        "system_prompt",
        commands=("settings",),
        asked=lines("""
            can i set a system prompt | can i change the system prompt | where is the system prompt
            can i give the model instructions | is there a system prompt | how do i give standing instructions
            can i set a role for the model | can i make the model act as a teacher | are there personas
            custom instructions | can i tell it how to answer every time | what is the system prompt
            are there prompt templates | where do i write what the model should keep to
            can every conversation have its own instructions
        """),
        doing=lines("""
            set a system prompt | change the system prompt | give the model instructions | set custom instructions
            give the model a role | use a prompt template | set general instructions
            tell the model how to behave every time
        """),
        naming=lines("the system prompt | a system prompt | custom instructions"),
        answers=(
            f"Write it into the field at the top of the answer settings: {menu_path('settings')} "
            f"({keys('settings')}). It holds from your next question on.",
            f"Press {keys('settings')} and write your instructions under System Prompt. The pane says what reading "
            "them will cost.",
        ),
    ),
    Topic(
        "ask_again",
        commands=("ask_again",),
        asked=lines("""
            can i ask the last question again with the new system prompt
            i changed the system prompt, how do i try it on the last question
            does a new system prompt change the old answers | how do i compare two system prompts
            can i use new instructions on a question i asked already | ask again with the new system prompt
            what does ask question again do | try the last question with other instructions
            what happens to my answers when i change the instructions | can i ask the same with other instructions
        """),
        doing=lines("""
            ask the last question again with a new system prompt | try another system prompt on the same question
            compare two system prompts | use the new instructions on my last question
            ask again after changing the instructions
        """),
        answers=(
            f"Choose {menu_path('ask_again')}: your last question is asked once more beside itself, and the old answer "
            "stays.",
            f"Old answers stay as they are. {menu_path('ask_again')} asks the last question beside itself.",
        ),
    ),
    Topic(
        "temperature",
        commands=("settings",),
        asked=lines("""
            what is temperature | what does temperature do | what is a good temperature | what is sampling
            what is top p | how do i change the temperature | can i set the temperature
            where is the temperature | what is a seed | what does a high temperature do | where do i set top p
            can i set a seed | can i limit the length of an answer | where are the stop words
            how do i set the longest answer
        """),
        naming=lines("temperature | the temperature | sampling | sampling temperature | a low temperature | top-p"),
        doing=lines("""
            change the temperature | set the temperature | make the answers more random | set top p | set a seed
            change the sampling | make the answers steadier | limit the length of answers | set a stop text
        """),
        answers=(
            "Temperature says how freely a model picks its next word: low is steady, high is varied. It is set in the "
            f"answer settings ({keys('settings')}).",
            f"{menu_path('settings')} ({keys('settings')}) has temperature, top-p, the seed and the other numbers. A "
            "low temperature takes the likeliest word, a high one takes chances.",
        ),
    ),
    Topic(
        "presets",
        commands=("settings",),
        asked=lines("""
            are there presets | can i save my settings | how do i save a preset | what is a preset
            how do i use a preset | can i keep these settings for later | where are the presets
            how do i get the default settings back | can i reset the settings | is there a creative mode
            is there a precise mode | how do i go back to the model's defaults | can i name my settings
            how do i delete a preset | can i use the same settings in every conversation
        """),
        doing=lines("""
            save a preset | use a preset | save my settings | reset the settings | delete a preset
            get the default settings back | keep settings under a name | choose a preset
        """),
        naming=lines("a preset | the presets"),
        answers=(
            f"In the answer settings ({keys('settings')}), Preset offers the model's defaults, Precise, Creative and "
            "those that you save under a name.",
            f"Open {menu_path('settings')} and the list under Preset: it saves what you have set, and gives the "
            "model's defaults back.",
        ),
    ),
    Topic(
        "answer_settings",
        commands=("answer_settings",),
        asked=lines("""
            which settings were used for this answer | how was this answer made | can i see the settings of an answer
            which temperature did this answer have | what seed did this answer have | where is the seed of an answer
            settings of this answer | does an answer remember its settings | show me how this answer was sampled
            with which model was this written | can i look up the temperature of an old answer
        """),
        doing=lines("""
            see the settings of an answer | find the seed of an answer | see how an answer was made
            look up the settings of an answer | find out which temperature an answer had
        """),
        answers=(
            f"{menu_path('answer_settings')} shows how an answer was made, with its seed.",
            f"Each answer keeps its settings: choose {menu_path('answer_settings')}.",
        ),
    ),
    Topic(
        "use_settings",
        commands=("use_settings",),
        asked=lines("""
            can i use the settings of an old answer again | how do i take over the settings of an answer
            i liked the settings of that answer | use these settings | what does use these settings do
            can i go back to the settings that i had then | how do i get the settings of that answer back
            can the next answer have the settings of this one | copy the settings of an answer
        """),
        doing=lines("""
            use the settings of an answer again | take over an answer's settings | copy the settings of an answer
            get the settings of an old answer back
        """),
        answers=(
            f"{menu_path('use_settings')} takes over how the answer was made, for the next one.",
            f"Choose {menu_path('use_settings')}: the next answer is made as that one was.",
        ),
    ),
    Topic(
        "repeat_answer",
        commands=("repeat_answer",),
        asked=lines("""
            can i get exactly the same answer again | how do i reproduce an answer | can an answer be repeated
            is an answer repeatable | same seed again | answer again with the same seed
            how do i get the same words again | can i make it say exactly the same | does the same seed give the same
            can i check that the answer comes out the same | repeat this answer word for word
        """),
        doing=lines("""
            get exactly the same answer again | reproduce an answer | repeat an answer word for word
            answer again with the same seed | use the same seed again
        """),
        answers=(
            f"{menu_path('repeat_answer')} gives the same words once more, beside the old answer.",
            f"Choose {menu_path('repeat_answer')}: same model, same settings, same seed, same words.",
        ),
    ),
    Topic(
        "continue",
        commands=("continue",),
        asked=lines("""
            the answer stopped in the middle | how do i continue an answer | can an answer go on
            the answer was cut off | continue | go on with the answer | how do i make it go on
            i stopped you, can you go on | the answer ended too early | can you finish the answer
            what does continue answer do | the answer is not finished | it stopped at the limit
            can i continue where you stopped
        """),
        doing=lines("""
            continue an answer | make an answer go on | finish an answer that was cut off
            get the rest of the answer | continue where the model stopped | resume an answer
        """),
        naming=lines("continue answer"),
        answers=(
            f"Press {keys('continue')}: the answer goes on from its last word.",
            f"{menu_path('continue')} ({keys('continue')}) has an answer go on that was stopped or cut off.",
        ),
    ),
    Topic(
        "attach",
        commands=("attach",),
        asked=lines("""
            can i attach a file | how do i attach a file | can i add a pdf | can i drop a document
            can i upload something | can i give you a document | read this file | can you read pdf files
            can i add an attachment | can i ask about a document | can i drop a text file on the message field
            where is the paper clip | what does the paper clip do | can the model read my code
            which files can i attach | can i attach two files | how do i ask about a long text
        """),
        doing=lines("""
            attach a file | upload a document | give you a pdf | add an attachment | ask about a document
            send a file | attach a pdf | have the model read a file | add source code to my question
        """),
        naming=lines("an attachment | the paper clip"),
        answers=(
            f"{menu_path('attach')} ({keys('attach')}) adds text, code or a PDF to your question. You can also drop "
            "the file on the message field.",
            f"Press {keys('attach')} or the paper clip and choose text, code or a PDF. It is read once, and every "
            "branch that asks about it shares that.",
        ),
    ),
    Topic(
        "pictures",
        asked=lines("""
            can you read a picture | can i send an image | can you see images | here is a picture
            look at this image | can i paste an image | do you take photos | can i show you a screenshot
            can you look at a photo | can a model see pictures here | does vision work | can i attach a photo
            can i drop a screenshot here | can you describe a picture
        """),
        doing=lines("send a picture | add an image | show you a photo | attach a photo | paste an image"),
        answers=(
            "Models read text here, no pictures. Describe in words what it shows.",
            "Pictures are not read: a model that could see them opens for text here.",
        ),
    ),
    Topic(
        "paste_text",
        commands=("paste_text",),
        asked=lines("""
            why did my pasted text become an attachment | my pasted text is folded | where did the text go i pasted
            can i paste a long text among my words | paste as text | what does paste as text do
            i pasted an article and it is a block now | why is a long paste attached
            how do i keep a long paste in the message | can a long paste stay in the field
            i do not want my paste to be attached
        """),
        doing=lines("""
            paste a long text among my words | keep pasted text in the message | paste as text
            paste without attaching | keep a long paste from being attached
        """),
        answers=(
            f"A long text that you paste is attached. {menu_path('paste_text')} ({keys('paste_text')}) puts it among "
            "your words.",
            f"Paste it with {keys('paste_text')}: then a long text stands in the message field itself.",
        ),
    ),
    Topic(
        "thinking",
        asked=lines("""
            what is thinking | can i see what the model thinks | where are the thoughts of the model
            why does it say thinking | what does thought for mean | how do i open a thought | what is reasoning
            why does the model think so long | can i read the reasoning | is the thought part of the answer
            what is the line above the answer | what is a thinking model | does it think before it answers
        """),
        doing=lines("see what the model thinks | open a thought | read the reasoning | fold a thought"),
        naming=lines("thinking | a thought | a thinking model | reasoning"),
        answers=(
            "Some models think before they answer. The thought is a folded line above the answer: click it to read.",
            "What a model thinks stands above its answer, folded into one line with its time. A click opens it.",
        ),
    ),
    Topic(
        "models",
        commands=("models",),
        asked=lines("""
            which models do i have | where is the list of models | can you find my models | where are my models
            does espalier find models from lm studio | can i use my ollama models | models
            does it see the hugging face cache | list my models | is there a model list | which models are on this mac
            can i see how large my models are | does this model fit my mac | what models are there
            can i add a folder of models | how do i see all models
        """),
        doing=lines("""
            see my models | list the models | find the models on this mac | see all models | add a folder of models
            use a model from lm studio | use a model from ollama | see whether a model fits
        """),
        naming=lines("the models window | the list of models"),
        answers=(
            f"{menu_path('models')} ({keys('models')}) lists the models on this Mac, also those of LM Studio, Ollama "
            "and the Hugging Face cache.",
            f"Press {keys('models')}: every model on this Mac is listed, with its size and whether it fits.",
        ),
    ),
    Topic(
        "get_models",
        commands=("models",),
        asked=lines("""
            where do i get a model | can you download a model | where can i find models | do you download models
            how do i download a model | is there a model store | i have no model | which model should i get
            can espalier fetch a model for me | where do models come from | can i download qwen
            can i pause a download | which models are good to start with
        """),
        doing=lines("""
            download a model | get a model | find a model | fetch a model from the internet | pause a download
            search for models | download qwen
        """),
        answers=(
            f"Open {menu_path('models')} ({keys('models')}) and choose Get Models: it offers good ones for your Mac, "
            "and searches for others.",
            f"Press {keys('models')}, then Get Models. A download can be paused, and goes on where it was.",
        ),
        more=("It goes online only when you ask it to.",),
    ),
    Topic(
        "kv_bits",
        commands=("kv_8", "kv_4", "kv_full"),
        asked=lines("""
            can the kv cache be smaller | can i quantize the kv cache | what is the kv cache in 8 bits
            what does kv cache in 4 bits do | how do i make the cache of a model smaller
            can a token take less memory | is there a smaller kv cache | how do i get full precision back
            kv cache in 8 bits | kv cache in 4 bits | what does approximate mean in the cache menu
            how do i fit a longer conversation into memory
        """),
        doing=lines("""
            make the kv cache smaller | quantize the kv cache | use 8 bits for the kv cache
            use 4 bits for the kv cache | get the full kv cache back
        """),
        naming=lines("the kv cache in 8 bits | the kv cache in 4 bits | a quantized kv cache"),
        answers=(
            f"{menu_path('kv_8')} halves what a token takes, and answers differ a little. {menu_path('kv_full')} goes "
            "back.",
            f"Choose {menu_path('kv_8')} or {menu_path('kv_4')}: less memory for each token, and answers that differ a "
            "little.",
        ),
    ),
)
