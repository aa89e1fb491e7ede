"""What the guide says about tokens, the cache and the tree that holds it."""

from __future__ import annotations

from guide_model.commands import keys, menu_path
from guide_model.topic import Topic, lines

IDEAS: tuple[Topic, ...] = (
    Topic(
        "token",
        asked=lines("""
            what is a token | what are tokens | how long is a token | why tokens and not words
            is a token a word | what does tok mean | how many letters has a token | what are tokens made of
            why do you count tokens | what does 382 tok mean
        """),
        naming=lines("a token | tokens | the word token | tok | a text token"),
        answers=(
            "A token is a short piece of text, often a word or part of one. A model reads and writes tokens.",
            "Tokens are the pieces a model reads: a word, part of a word, or a sign.",
        ),
        more=("A common word is one token; a rare one is several.",),
    ),
    Topic(
        "prefix",
        asked=lines("""
            what is a prefix | what is a shared prefix | what do branches share | what does prefix mean here
            which part do two branches share | what is shared between conversations
            why is the prefix important | what does it mean to share a prefix
        """),
        naming=lines("""
            a prefix | the prefix | a shared prefix | the common prefix | prefix sharing | the shared start
        """),
        answers=(
            "A prefix is how a text begins. Two branches share every token up to the place where they part.",
            "The prefix is the beginning that two branches have in common. It is read once and used by both.",
        ),
    ),
    Topic(
        "trie",
        asked=lines("""
            what is the trie | what is a trie | what does trie mean | what is the tree on the right
            what is a prefix tree | why is the cache a tree | how is the cache organised
            what does the tree at the right show | why is it called a trie | how does the trie work
            what is that tree
        """),
        naming=lines("the trie | a trie | the tree on the right | the prefix tree | the cache tree | trie"),
        answers=(
            "The trie is a tree of tokens. Conversations that begin alike share its trunk, and each fork is a new arm.",
            "A trie is a tree in which texts that begin alike share one path. Espalier keeps its cache as one.",
        ),
        more=("You see it in the cache pane at the right.",),
    ),
    Topic(
        "pane",
        asked=lines("""
            what does the cache pane show | what is the cache pane | what is the pane on the right
            what do the rows in the cache pane mean | how do i read the cache pane
            what does a row in the trie mean | what are the numbers in the cache pane
            what does 412 to 3412 mean | what is in a row of the cache | what is an edge
            what is a node in the tree | what does each row show | what is a token range
            what are the totals at the top
        """),
        naming=lines(
            "the cache pane | the right pane | a row of the cache pane | a row in the trie | the token range"
            " | an edge of the trie | a node of the trie"
        ),
        answers=(
            "The cache pane shows the trie, one row to an edge: who said what in it, token range, tokens, bytes and "
            "state.",
            "Each row is a run of tokens: who said what, where it begins and ends, how many tokens and bytes, "
            "and its state.",
        ),
        more=("The budget stands at the top, the totals at the bottom.",),
    ),
    Topic(
        "kv_cache",
        asked=lines("""
            what is the kv cache | what is the cache | what is a kv cache | what does the cache do
            why is there a cache | what does kv mean | what is kept in the cache | why do you need a cache
            what is the cache for | what do keys and values mean | how does the cache work | what is cached
        """),
        naming=lines("the kv cache | the cache | a kv cache | caching | the key value cache | kv"),
        answers=(
            "The KV cache keeps what the model worked out for each token, its keys and values, so that it need "
            "not read them "
            "again.",
            "The cache holds the model's work on tokens it has read. Without it, every answer would begin by "
            "reading everything.",
        ),
    ),
    Topic(
        "fast",
        asked=lines("""
            why is a fork fast | why are forks so fast | why does a fork answer quickly
            why was the second answer faster | why was that so quick | why does it not read everything again
            what makes a fork cheap | why is the second branch faster | why did it start at once
            how can a fork be so fast | why is going back to a branch instant | is a fork slow | does a fork cost much
            why did the second answer come at once | how can the next answer be so fast | what made that so fast
        """),
        answers=(
            "A fork shares its beginning with the old branch, and that is in the cache. Only the new tokens are read.",
            "Because the start is already in the cache. The model reads only what is new.",
        ),
        more=("The figures under the answer show how much was reused.",),
    ),
    Topic(
        "slow",
        asked=lines("""
            why is the first answer slow | why is it slow | why does it take so long to start
            why do i have to wait | what is it doing before it answers | why does it say reading
            what does reading mean | what is prefill | what does reading the prompt mean
            what is the percentage before the answer | why does a long question take longer
            why is a long chat slow to begin
        """),
        naming=lines("""
            prefill | the reading bar | reading the prompt | the progress before an answer | prompt reading
        """),
        answers=(
            "Before it answers, a model reads every token that is not in the cache. That takes time the first time.",
            "Reading means that the model works through the tokens that the cache does not hold. After that it writes.",
        ),
    ),
    Topic(
        "snapshot",
        asked=lines("""
            what is a snapshot | what are snapshots | what does snapshot mean | when is a snapshot taken
            why are there snapshots | what is in a snapshot | how is a snapshot made | what are snapshots for
            who makes snapshots
        """),
        naming=lines("a snapshot | snapshots | the word snapshot | a cache snapshot | a saved state"),
        answers=(
            "A snapshot is the model's state at one place in the text, kept so that a branch can go on from there.",
            "A snapshot holds what the model knew at one token. From it an answer starts without reading all again.",
        ),
        more=("Espalier keeps one where a fork is likely: at each message.",),
    ),
    Topic(
        "live",
        asked=lines("""
            what does live mean | what is live | why does a row say live | what does the full green disc mean
            what is the live branch | which rows are live | what does it mean when a row is live
            what does the green dot mean
        """),
        naming=lines("live | the live state | the word live | the full disc | a live row | the green disc"),
        answers=(
            "Live means in use now: the model stands on this branch and goes on at once.",
            "Live rows are those the model is using at this moment, on the path you see.",
        ),
    ),
    Topic(
        "in_memory",
        asked=lines("""
            what does in memory mean | what does “in memory” mean | what is in memory
            why does a row say in memory | what does the half filled disc mean | is an in memory branch fast
            what does it mean when a row is in memory | what is kept in memory | what does the half disc mean
        """),
        naming=lines(
            "in memory | “in memory” | the state in memory | the half disc | an in memory row | the half filled circle"
        ),
        answers=(
            "In memory means kept but not in use: the branch comes back at once when you return to it.",
            "A row in memory is held beside the live ones. Go back to its branch and it is used again at once.",
        ),
    ),
    Topic(
        "no_snapshot",
        asked=lines("""
            what does no snapshot mean | what is no snapshot | why does it say no snapshot
            what does the dashed circle mean | what does the dotted circle mean | why is there no snapshot
            what does it mean when a row has no snapshot | is a row without a snapshot lost
            what happens at a row with no snapshot
        """),
        naming=lines("no snapshot | “no snapshot” | the dashed disc | a row without a snapshot | the dotted circle"),
        answers=(
            "No snapshot means that the tokens are known but their state is not held. They must be read again.",
            "The text is there, only the model's state is not. Going back means reading those tokens again.",
        ),
    ),
    Topic(
        "states",
        asked=lines("""
            what are the states | which states are there | what do the discs mean | what do the circles mean
            what are the four states | what do the marks in the cache pane mean
            what does state mean in the cache pane | explain the circles in the tree | what do the dots mean
            what is the legend
        """),
        naming=lines("the states | the discs | the circles in the tree | the marks in the tree | the legend"),
        answers=(
            "There are four: Live is in use, In memory comes back at once, On disk is read from a file, and No "
            "snapshot is computed again.",
            "Live is in use now. In memory comes back at once, On disk in a moment; No snapshot must be computed "
            "again.",
        ),
    ),
    Topic(
        "paged",
        asked=lines("""
            what does paged out mean | what is paging | what does paged in mean | what is paged out
            what is paged in | when is a branch paged out | what happens when a branch is paged out
            what does paging do | why is a branch paged out | is paged out the same as lost
            when is it paged in again
        """),
        naming=lines("paged out | paged in | paging | page out | page in | a paged out branch | the word paged"),
        answers=(
            "Paged out: the branch was put aside in memory when you left it. Paged in: it is back in use.",
            "When you leave a branch its state is paged out, that is, put aside. It is paged in when you return.",
        ),
    ),
    Topic(
        "evicted",
        asked=lines("""
            what does evicted mean | what is eviction | why was a branch evicted | what is evicted first
            is an evicted branch lost | what happens to an evicted branch | does eviction delete my text
            why did a row lose its snapshot | what is dropped when memory is full
            do i lose text when it is evicted
        """),
        naming=lines("eviction | evicted | an evicted branch | evicting | the word evicted"),
        answers=(
            "Evicted means that a branch's state was dropped to make room. The text stays; it is read again if "
            "you go back.",
            "Eviction frees memory: the state goes, your words stay. Going back then takes a moment of reading.",
        ),
        more=(f"{menu_path('evict_row')} does it by hand.",),
    ),
    Topic(
        "budget",
        asked=lines("""
            what is the budget | what happens when the cache is full | how much memory does the cache use
            how big can the cache get | what is the memory limit | what does 3.1 of 8.0 gb mean
            what is the cache limit | does it use all my memory | how much memory is used
            why does it use so much memory | is the cache full | where do i see the memory use
            what is the bar at the top of the cache pane | how much ram may the cache take
            how much memory does it need
        """),
        naming=lines("the budget | the cache budget | the memory limit | a byte budget | the size of the cache"),
        answers=(
            "The budget is the memory that the cache may use; it stands at the top of the cache pane. When it is full, "
            f"what is worth least is dropped. {menu_path('budget')} changes it.",
            "The top of the cache pane shows the bytes in use and the budget. When room is short, the cache "
            "drops state, "
            "never your text.",
        ),
    ),
    Topic(
        "reuse_gain",
        asked=lines("""
            what is the difference between reused and computed | why is reuse good
            reused or computed, which is better | why is computed zero | why was everything computed again
            why was nothing reused | why is reused so low | when are tokens computed again
            why is so much computed
        """),
        answers=(
            "Reused tokens cost almost nothing; computed ones take the model's time. Much is computed when the "
            "beginning is new "
            "or was evicted.",
            "Reuse saves reading. If nothing is reused, the text differs from its first words or its state is gone.",
        ),
    ),
    Topic(
        "context",
        asked=lines("""
            what is the context length | what is the context | how long can a conversation be
            what is a context window | what happens when the context is full | what does 3.8k of 32k mean
            how much can you remember | is there a limit to a conversation | how long can my prompt be
            what if my prompt is too long | why is the conversation too long | what is the gauge at the top
        """),
        naming=lines("the context length | the context | a context window | the context limit | the gauge at the top"),
        answers=(
            "The context length is how many tokens a model can look at, question and answers together. A longer "
            "prompt is not "
            "sent.",
            "A model sees only so many tokens at a time: that is its context length. When it is full, start a new "
            f"conversation with {keys('new')} or fork higher up.",
        ),
    ),
    Topic(
        "why_differ",
        asked=lines("""
            why is every answer different | why do i get another answer each time | why does the answer change
            why are two answers not the same | why does the same question give different answers | is it random
            do you roll dice | why did you answer differently this time
        """),
        answers=(
            "A model draws each word by chance from the likely ones, so each answer goes its own way.",
            "Each word is drawn from several likely ones. Ask again and another may come.",
        ),
    ),
    Topic(
        "model",
        asked=lines("""
            what is a language model | what is a model | what is an llm | how does a language model work
            how do you work | what is a model made of | what are weights | how do you make an answer
            what is a local model | how do you choose your words | what does llm mean | what actually is a model
            so what is a language model really
        """),
        naming=lines(
            "a language model | a model | an llm | a large language model | a local model | the model | an ai model"
        ),
        answers=(
            "A language model reads tokens and guesses the next one, again and again. That is how an answer grows.",
            "It is a program that learned from text which token is likely to come next.",
        ),
    ),
    Topic(
        "mlx",
        asked=lines("""
            what is mlx | what is mlx-lm | what runs the model | does it use the gpu | why mlx
            what does mlx mean | what is the engine | which library do you use | what is espalier made of
        """),
        naming=lines("mlx | mlx-lm | mlx lm | the engine | the library under it"),
        answers=(
            "MLX is a library that runs models on a Mac's own chip. mlx-lm loads language models with it.",
            "Espalier runs models with MLX and mlx-lm, on the chip of this Mac.",
        ),
    ),
    Topic(
        "path",
        asked=lines("""
            what is the active path | which branch do i see | what does the chat show
            which messages are shown in the chat | why do i see only one branch
            what is highlighted in the tree | what is the marked row in the cache pane
            do i see all branches at once
        """),
        naming=lines(
            "the active path | the current path | the open branch | the path in the chat | the highlighted row"
        ),
        answers=(
            "The chat shows one path through the tree, from the first message to the last: the active path.",
            "The active path is the branch you are on. The chat shows it, and the cache pane marks it.",
        ),
    ),
)
