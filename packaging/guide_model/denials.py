"""Finds sentences that deny what the program can do: the fault that the guide must not have."""

from __future__ import annotations

import re

from guide_model.commands import commands, menu_path, title, without_commands

SPOKEN_OF: dict[str, str] = {
    "about": "about|licence",
    "actual_size": "size",
    "add_server": "servers?\\b|remote|other machine",
    "answer": "unanswered|has no answer|is answered",
    "answer_settings": "settings of|seed",
    "answers": "several answers|answers at once|answer at a time|columns|side by side",
    "ask_again": "ask again|system prompt",
    "attach": "attach|document|pdf|paper clip",
    "bigger": "bigger|larger|size|zoom",
    "branch_here": "new branch|begin a branch|fork",
    "branches": "outline|overview|all branches|branches pane",
    "bring_all": "to the front",
    "budget": "budget|limit",
    "cache": "cache pane|cache at its top|trie",
    "child": "message below",
    "close": "close",
    "compare": "compar|side by side|words that differ",
    "compose": "message field|cursor",
    "continue": "continue",
    "copy": "copy|copied|copying",
    "copy_branch": "copy|copied|copying",
    "copy_branch_markdown": "copy|copied|copying",
    "copy_cache": "copy|copied|copying",
    "copy_markdown": "copy|copied|copying",
    "cut": "cut|cutting",
    "delete_conversation": "delet|remov|eras",
    "delete_files": "delet|remov|clear",
    "delete_message": "delet|remov|eras",
    "disk_budget": "budget|limit|disk|restart",
    "edit_answer": "edit|text of an answer",
    "evict_row": "evict",
    "export": "export|shared|backup",
    "export_all": "archive|export",
    "export_branch": "markdown|export",
    "export_tree": "markdown|export",
    "favourite": "favou?rite",
    "favourite_branch": "favou?rite|with a star|stars? on|bookmark",
    "find": "find|search",
    "find_everywhere": "search|find",
    "find_next": "next place|next match",
    "find_previous": "place before|previous match",
    "folders": "folder",
    "forget_cache": "forget",
    "full_screen": "full screen",
    "fork": "fork|edit",
    "import": "import",
    "inspector": "cache pane|trie|inspector",
    "jump": "jump|palette",
    "keep_every_fork": "disk",
    "kv_4": "kv cache|4 bits",
    "kv_8": "kv cache|8 bits",
    "kv_full": "kv cache|in full",
    "map": "map|picture of",
    "minimise": "minimi[sz]",
    "models": "models window|list of models|download",
    "name_branch": "branches have|names and|names for|names of branches|labels?",
    "new": "new conversation|new chat",
    "new_folder": "folder",
    "new_window": "windows|another window|second window|tabs",
    "next": "versions?",
    "open_in_new_window": "own window|window of its own|side by side",
    "open_model": "larger model|real model|open a model",
    "parent": "message above",
    "paste": "paste",
    "paste_text": "paste",
    "pin": "pin|pins|pinned|pinning",
    "pin_row": "pin|pins|pinned|pinning",
    "preferences": "settings|preferences|options",
    "previous": "versions?",
    "prune": "delet|remov|prun",
    "quit": r"quit\b|quits|quitting",
    "recent": "recent|remember",
    "redo": "redo|redone",
    "regenerate": "answer again|another answer|second answer|retry",
    "rename": "renam|titles?",
    "repeat_answer": "same seed|same words",
    "select_all": "select",
    "send": "send",
    "settings": "settings|system prompt|temperature|sampling|preset",
    "show_files": "cache files|folder",
    "show_row": "show in chat|show row",
    "sidebar": "sidebar|list at the left",
    "smaller": "smaller|size|zoom",
    "stop": "stop|stopped|stopping|cancel",
    "tokens": "alternatives|other words|another word|likely|probabilit|token mode",
    "trash": "trash|restor|bin",
    "undo": "undo|undone|undoing",
    "unpin": "unpin",
    "unpin_row": "unpin",
    "use_guide": "guide",
    "use_settings": "settings",
    "verify": "verif|check",
    "warm_up": "warm up|warming|read ahead|beforehand",
    "warm_up_row": "warm up|warming",
    "zoom": "zoom",
}
"""For each command the words, or beginnings of words, that people use for what it does; where none are given, its
title."""

_NOT_THERE = re.compile(
    r"\b(?:there (?:is|are) no|not there|cannot|can't|yet|so far|not possible|not available|(?:has|have) no|unable)\b"
    r"|^(?:no|not)\b",
    re.IGNORECASE,
)
_NEGATION = re.compile(
    r"\b(?:no|not|none|never|nothing|nobody|without|neither|nor|don't|doesn't|isn't|only)\b", re.IGNORECASE
)
_TITLES = {re.escape(title(command).lower()) for command in commands() if command not in SPOKEN_OF}
_WORDS = sorted({word for words in SPOKEN_OF.values() for word in words.split("|")} | _TITLES)
_SPOKEN_OF = re.compile(rf"\b(?:{'|'.join(_WORDS)})", re.IGNORECASE)
_SENTENCE_END = re.compile(r"(?<=[.?]) +")

TRUE = frozenset(
    {
        "Fork to try another question without losing the first answer.",
        "Any question can be forked, the first one too, and there is no limit to how often.",
        "Use Answer Again when the question is right and the answer is not.",
        "Text is pasted, pictures are not.",
        "What you have not sent stays in the message field of its conversation while you look at another one.",
        f"{menu_path('answer')} has a question answered that has no answer yet.",
        f"Choose {menu_path('folders')} and the folder; No Folder takes the conversation out again.",
        "Delete Folder, under a right-click on it, takes only the folder away; its conversations are still there.",
        f"{menu_path('recent')} lists the models you opened before, so you do not have to look for the folder again.",
        "There is nothing to save: every word and every branch is written to disk as it happens.",
        "There are four: Live is in use, In memory comes back at once, On disk is read from a file, and No snapshot is "
        "computed again.",
        "In memory comes back at once, On disk in a moment; No snapshot must be computed again.",
        f"{menu_path('disk_budget')} sets how much of the disk the cache may take; Off deletes its files and writes "
        "none.",
        "On disk means that the state lies only in a file.",
        "A row on disk is kept in a file and not in memory; going back to its branch reads it in a moment.",
        "Cached state is written to files, so after a restart only what you type is computed.",
        "The cache is kept on disk too: after quitting and starting again you go on without reading all again.",
        f"{menu_path('unpin')} takes the pin away; nothing is deleted by it.",
        f"Choose {menu_path('copy_cache')} and paste it where you like: tree and events, but none of your words.",
        f"{menu_path('forget_cache')} deletes the cached state that only this conversation uses; its words stay.",
        "That is the price of sending: the tokens that the cache does not hold, and the time they will take.",
        "No tools, plugins or web search: text goes in, text comes out.",
        "The KV cache keeps what the model worked out for each token, its keys and values, so that it need not read "
        "them again.",
    }
)
"""Sentences of the guide that speak of an action in a negation and are true: each was read by a person."""


def sentences(text: str) -> list[str]:
    """Return the sentences of `text`."""
    return _SENTENCE_END.split(text.strip())


def denials(text: str) -> list[str]:
    """Return the sentences of `text` that seem to deny what a command of the program does, less those in `TRUE`."""
    return [sentence for sentence in sentences(text) if sentence not in TRUE and _denies(sentence)]


def _denies(sentence: str) -> bool:
    bare = without_commands(sentence)
    speaks_of_one = _SPOKEN_OF.search(bare) is not None
    if _NOT_THERE.search(bare):
        return speaks_of_one or bare != sentence
    return speaks_of_one and _NEGATION.search(bare) is not None
