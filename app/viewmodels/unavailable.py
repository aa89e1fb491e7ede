"""What is told of a command in its menu entry: what it does and costs, or why it would do nothing now.

The reason is told to whoever presses its keys too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from app.viewmodels.action_row import Regions
from app.viewmodels.actions import ACTIONS, BY_ID, is_possible
from app.viewmodels.app_state import AppState
from app.viewmodels.chat import chat_text
from app.viewmodels.chat.versions import Ending
from app.viewmodels.kit.action import Action
from app.viewmodels.library import library_state
from app.viewmodels.tokens import token_mode


class Case(NamedTuple):
    """A state in which a command does nothing, and what is said then."""

    holds: Callable[[AppState], bool]
    sentence: str


def _otherwise(_state: AppState) -> bool:
    return True


COMPARING = Case(lambda state: state.is_comparing, "Close the comparison first: Esc does it.")
READ_ONLY = Case(lambda state: state.library.is_read_only, library_state.READ_ONLY)
EMPTY = Case(lambda state: state.chat.is_empty, "Nothing has been said in this conversation yet.")
BUSY = Case(lambda state: state.chat.can_stop and not state.model.is_loading, f"{chat_text.STILL_WRITING}.")
ANSWERING = Case(lambda state: state.chat.is_answering, "Possible as soon as no answer is being written.")
LOADING = Case(lambda state: state.model.is_loading, "Possible as soon as the model is open.")
NO_MODEL = Case(lambda state: not state.model.is_open, "No model is open: choose one first.")
NO_ROW = Case(lambda state: not state.edges.chosen, "Choose a row of the Cache pane first.")
NOT_HELD = Case(lambda state: not state.edges.can_evict and not state.edges.can_unpin, "Nothing of this row is held.")


def _always(sentence: str) -> Case:
    return Case(_otherwise, sentence)


_MODEL = (LOADING, NO_MODEL)
_NO_FILES = (_always("The cache keeps no files on the disk."),)
_SAID = (EMPTY, _always("There is nothing that it could be about."))
_COVERED = (COMPARING, *_SAID)
_NO_QUESTION = (EMPTY, _always("There is no question on this branch."))
_NO_ANSWER = (EMPTY, _always("There is no answer on this branch yet."))
_AGAIN = (COMPARING, EMPTY, BUSY, _always("There is no question on this branch."))
_ONE_BRANCH = (EMPTY, _always("This conversation has one branch only."))
_BRANCH = (EMPTY, *_MODEL)
_ROW = (*_MODEL, NO_ROW, ANSWERING)
_NOT_KNOWN = _always("No conversation is known to which this row belongs.")

_OF_CONVERSATION = (
    *("open_in_new_window", "rename", "favourite", "delete_conversation"),
    *("export", "export_branch", "export_tree"),
)

CASES: Mapping[str, tuple[Case, ...]] = {
    "use_guide": (_always("The guide is the model in use."),),
    **dict.fromkeys(_OF_CONVERSATION, _SAID),
    "export_all": (_always("No conversation is stored yet."),),
    "undo": (_always("There is nothing to undo."),),
    "redo": (_always("There is nothing to redo."),),
    **dict.fromkeys(("copy_markdown", "copy_branch", "copy_branch_markdown", "name_branch", "favourite_branch"), _SAID),
    "find": _COVERED,
    **dict.fromkeys(("find_next", "find_previous"), (_always("Nothing was found that one could go to."),)),
    "send": (
        COMPARING,
        Case(lambda state: bool(state.chat.attaching), f"{chat_text.STILL_READING}."),
        Case(lambda state: state.chat.is_waiting, "It is sent when this answer ends."),
        Case(lambda state: bool(state.chat.attachments), f"{chat_text.WORDS_NEEDED}."),
        Case(lambda state: state.chat.is_too_long, "It does not fit into the context."),
        _always(f"{chat_text.NOTHING_TO_SEND}."),
    ),
    "attach": (_always(f"{chat_text.NOT_WITH_ANSWERS}."),),
    "fork": _NO_QUESTION,
    "regenerate": _AGAIN,
    "repeat_answer": (COMPARING, EMPTY, BUSY, _always("There is no answer on this branch yet.")),
    **dict.fromkeys(("answer_settings", "use_settings"), (COMPARING, *_NO_ANSWER)),
    "branch_here": _NO_ANSWER,
    "edit_answer": _NO_ANSWER,
    "answer": (COMPARING, EMPTY, _always("The question that ends this branch has its answer, or will have it.")),
    "continue": (
        *(COMPARING, EMPTY, *_MODEL, BUSY),
        Case(lambda state: state.chat.is_editing, "Send what is being edited first, or put it back."),
        Case(
            lambda state: state.chat.ending is Ending.QUESTION, "The question that ends this branch has no answer yet."
        ),
        Case(lambda state: state.chat.ending is Ending.FINISHED, "The last answer of this branch has come to its end."),
        Case(lambda state: state.chat.ending is Ending.WORDLESS, "The last answer ended before its first word."),
        Case(lambda state: state.chat.ending is Ending.OTHER_MODEL, "Another model wrote the last answer."),
        Case(lambda state: state.chat.is_full, "The context is full: the last answer has no room to go on."),
        _always("The last answer follows no question that it could go on answering."),
    ),
    "ask_again": (COMPARING, EMPTY, _always("Nothing was changed that would hold from the next question on.")),
    **dict.fromkeys(("parent", "child", "delete_message"), _COVERED),
    "previous": (EMPTY, _always("There is no version to the left.")),
    "next": (EMPTY, _always("There is no version to the right.")),
    "compare": _ONE_BRANCH,
    "answers": (COMPARING, EMPTY, _always("No question on this branch has several answers.")),
    "tokens": (
        COMPARING,
        EMPTY,
        Case(lambda state: not state.has_answer, token_mode.NO_ANSWER),
        Case(lambda state: state.is_answer_written, token_mode.GROWING),
        _always(token_mode.UNKNOWN),
    ),
    "prune": _ONE_BRANCH,
    "stop": (_always("Nothing is being written or opened."),),
    "keep_every_fork": _NO_FILES,
    **dict.fromkeys(("kv_full", "kv_8", "kv_4"), _MODEL),
    "pin": (*_BRANCH, ANSWERING, _always("All that is held of this branch is pinned.")),
    "unpin": (*_BRANCH, ANSWERING, _always("Nothing of this branch is pinned.")),
    "warm_up": (*_BRANCH, ANSWERING),
    "show_row": (*_MODEL, NO_ROW, _NOT_KNOWN),
    "pin_row": (*_ROW, NOT_HELD, _always("This row is pinned, or no conversation is known to which it belongs.")),
    "unpin_row": (*_ROW, _always("This row is not pinned.")),
    "evict_row": (*_MODEL, NO_ROW, Case(lambda state: state.edges.can_unpin, "Unpin this row first."), NOT_HELD),
    "warm_up_row": (*_ROW, _always("This row is live already, or no conversation is known to which it belongs.")),
    "verify": (*_BRANCH, ANSWERING, _always("A branch is being checked already.")),
    "copy_cache": (_always("The cache is empty."),),
    "show_files": _NO_FILES,
    "forget_cache": _BRANCH,
    "delete_files": _NO_FILES,
}
"""Of each command that can be disabled: the states in which it is, the one to be told first at the beginning."""

_WRITING = frozenset(one.id for one in ACTIONS if one.writes)


def tips(state: AppState) -> dict[str, str]:
    """Say of each command what it does, with its price where that is known, or why it would do nothing now."""
    reasons = unavailable(state)
    return {one.id: reasons.get(one.id) or _tip(one, state) for one in ACTIONS}


def _tip(one: Action[Regions, AppState], state: AppState) -> str:
    return with_price(one.tip, "" if one.price is None else one.price(state))


def with_price(tip: str, price: str) -> str:
    """Say what a command costs before what it does. price: "" where that is not known."""
    return f"{price[:1].upper()}{price[1:]}. {tip}".rstrip() if price else tip


def unavailable(state: AppState) -> dict[str, str]:
    """Say of each command that would do nothing now why, by its id."""
    found = ((one, why_unavailable(one, state)) for one in CASES.keys() | _WRITING)
    return {one: why for one, why in found if why}


def why_unavailable(action_id: str, state: AppState) -> str:
    """Say in a sentence why a command would do nothing now; "" where it would, or needs what this engine has not."""
    action = BY_ID[action_id]
    if not state.model.has(action.needs) or is_possible(action, state):
        return ""
    cases = (*((READ_ONLY,) if action.writes else ()), *CASES.get(action_id, ()))
    return next((case.sentence for case in cases if case.holds(state)), "")
