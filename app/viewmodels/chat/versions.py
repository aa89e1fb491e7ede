"""Finding one's way at a fork."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

from app.conversation.message import Message
from app.conversation.tree import MessageTree
from app.protocol.reports import StopReason
from app.viewmodels.chat.drafts import Draft


class Ending(Enum):
    """The kinds of messages that a branch can end with, by whether a model can go on inside them.

    Only one that was cut can: a question, an answer that came to its end, one without a word and one of another model
    cannot, nor one that follows no question or is followed itself.
    """

    CUT = "cut"
    QUESTION = "question"
    FINISHED = "finished"
    WORDLESS = "wordless"
    OTHER_MODEL = "other model"
    APART = "apart"


def question_of(tree: MessageTree, message_id: str) -> Message | None:
    """Return the message itself when a person wrote it, else the question it answers; None when there is none.

    A row that is still painted may be of a message that is gone.
    """
    if message_id not in tree:
        return None
    message = tree.message(message_id)
    while message.role != "user" and message.parent_id is not None:
        message = tree.message(message.parent_id)
    return message if message.role == "user" else None


def last_question(tree: MessageTree) -> Message | None:
    """Return the last question of the open path."""
    return next((message for message in reversed(tree.path) if message.role == "user"), None)


def last_answer(tree: MessageTree) -> Message | None:
    """Return the last answer of the open path."""
    return next((message for message in reversed(tree.path) if message.role == "assistant"), None)


def can_go_on(tree: MessageTree, message: Message, model: str) -> bool:
    """Return whether a message is an answer that was cut, and that the model with this fingerprint can go on with."""
    return ending_of(tree, message, model) is Ending.CUT


def ending_of(tree: MessageTree, message: Message, model: str) -> Ending:
    """Return the kind of a message for the model with this fingerprint.

    What follows an answer has read it as it is.
    """
    if message.role != "assistant":
        return Ending.QUESTION
    if message.stop in (StopReason.FINISHED, StopReason.STOP_TEXT):
        return Ending.FINISHED
    if not message.text and not message.thinking:
        return Ending.WORDLESS
    if message.model not in (None, model):
        return Ending.OTHER_MODEL
    return Ending.APART if message.parent_id is None or tree.children(message.id) else Ending.CUT


def last_fork(tree: MessageTree) -> Message | None:
    """Return the message of the open path, nearest to its end, that has versions beside it."""
    return tree.forks[-1] if tree.forks else None


def branch_start(tree: MessageTree, message_id: str | None = None) -> Message | None:
    """Return the message that a branch begins with, after its fork; None for the branch that is open.

    None where there is none: a row that is still painted may be of a message that is gone.
    """
    at = tree.leaf_id if message_id is None else message_id
    return tree.message(tree.run_of(at).first_id) if at is not None and at in tree else None


def branch_name(tree: MessageTree) -> str:
    """Return the name of the open branch, or else of the nearest above it that has one; "" without any."""
    runs = tree.runs()
    at = None if tree.leaf_id is None else tree.run_of(tree.leaf_id).first_id
    while at is not None and tree.message(at).name is None:
        at = runs[at].parent_id
    return "" if at is None else tree.message(at).name or ""


def version_of(versions: Sequence[Message], message_id: str) -> int:
    """Return which of the versions a message is, counted from 0. Ids are compared, and not whole messages."""
    return [one.id for one in versions].index(message_id)


def version_beside(tree: MessageTree, message: Message, step: int) -> Message | None:
    """Return the version `step` to the right of a message; None past the ends."""
    versions = tree.siblings(message.id)
    wanted = version_of(versions, message.id) + step
    return versions[wanted] if step and 0 <= wanted < len(versions) else None


def answer_at(tree: MessageTree, message_id: str | None) -> Message | None:
    """Return the message with this id where it is an answer that is there."""
    message = tree.message(message_id) if message_id is not None and message_id in tree else None
    return message if message is not None and message.role == "assistant" else None


def edited_answer(tree: MessageTree, draft: Draft) -> Message | None:
    """Return the answer that a draft is another version of; None where it is none, or one of a question."""
    return None if draft.is_after else answer_at(tree, draft.editing)


def answer_above(tree: MessageTree, draft: Draft) -> Message | None:
    """Return the answer that a draft begins a new branch after, or None."""
    return answer_at(tree, draft.editing) if draft.is_after else None


def is_edit_gone(tree: MessageTree, draft: Draft) -> bool:
    """Return whether the message was deleted that a draft is another version of, or begins a new branch after."""
    return draft.editing is not None and draft.editing not in tree


def is_end_open(tree: MessageTree, draft: Draft) -> bool:
    """Return whether the open path is the one on which a draft was put in line; also where that is gone."""
    return draft.end is None or draft.end not in tree or tree.is_on_path(draft.end)


def parent_for(tree: MessageTree, editing: str | None) -> str | None:
    """Return what a question is said below: beside the one it replaces, else below the last answer of the path.

    A path that ends with a question nobody answered takes another version of that question. editing: also the end of
    another path.
    """
    at = editing if editing is not None and editing in tree else tree.leaf_id
    if at is None:
        return None
    message = tree.message(at)
    return message.parent_id if message.role == "user" else message.id
