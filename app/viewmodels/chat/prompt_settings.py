"""What holds for a question beside the words before it: instructions, and whether the model thinks."""

from __future__ import annotations

from typing import NamedTuple

from app.conversation.branch import Branch
from app.conversation.message import Message
from app.conversation.tree import MessageTree
from app.protocol.chat import PromptOptions
from app.viewmodels.chat.chat_settings import ChatSettings
from app.viewmodels.chat.versions import parent_for


class Told(NamedTuple):
    """Instructions and thinking that a question brings with it; None for what holds before it."""

    instructions: str | None = None
    thinks: bool | None = None


def replaced(tree: MessageTree, editing: str | None) -> Message | None:
    """Return the question that the next one is another version of, or None."""
    at = editing if editing is not None and editing in tree else tree.leaf_id
    message = None if at is None else tree.message(at)
    return message if message is not None and message.role == "user" else None


def held(tree: MessageTree, editing: str | None) -> PromptOptions:
    """Return what holds for the next question if nothing else is chosen. A system message counts as instructions."""
    parent, version = parent_for(tree, editing), replaced(tree, editing)
    path = () if parent is None else tree.path_to(parent)
    options = Branch(path, None, None, *(() if version is None else (version,))).options
    if options.instructions is None:
        is_told = bool(path) and path[0].role == "system"
        return PromptOptions(path[0].text if is_told else "", options.thinking)
    return options


def told(tree: MessageTree, editing: str | None, chosen: ChatSettings) -> Told:
    """Return what the next question is to say: what was chosen, else what the question says that it replaces."""
    version = replaced(tree, editing)
    own = Told() if version is None else Told(version.instructions, version.thinks)
    if chosen.instructions is None and chosen.thinks is None:
        return own
    now = held(tree, editing)
    is_other = chosen.instructions is not None and chosen.instructions != now.instructions
    thinks_otherwise = chosen.thinks is not None and chosen.thinks != now.thinking
    return Told(
        chosen.instructions if is_other else own.instructions, chosen.thinks if thinks_otherwise else own.thinks
    )
