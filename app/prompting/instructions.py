"""The instructions of a conversation, put into its turns in the way that the model's template has for them.

They are the first turn, of the role "system", in place of one that is there. Where the template refuses that role, or
prints nothing of it, they stand before the words of the first question.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from app.prompting.problems import RequestError
from app.prompting.steps import Steps
from app.prompting.template import ChatTemplate, TemplateEndedError
from app.protocol.chat import PromptOptions, Turn

_PROBE = "Qxinstructionsqx"


@dataclass(frozen=True, slots=True)
class Composed:
    """The turns that a template is given. added: how many more than the branch has, from -1 to 1."""

    turns: Sequence[Turn]
    added: int = 0


def takes_instructions(template: ChatTemplate) -> Steps[bool]:
    """Find out whether a template prints a first turn of the role "system"."""
    messages = [{"role": "system", "content": _PROBE}, {"role": "user", "content": "Abc"}]
    try:
        [text] = yield from template.render([messages])
    except TemplateEndedError:
        raise
    except RequestError:
        return False
    return _PROBE in text


def compose(turns: Sequence[Turn], options: PromptOptions, has_role: bool) -> Composed:
    """Return the turns with what holds as instructions. `has_role`: the template takes a "system" turn.

    Without anything to change, the turns are returned as they are, unread.
    """
    own = turns[0] if turns and turns[0].role == "system" else None
    said = own.text if own is not None else ""
    text = said if options.instructions is None else options.instructions
    rest = turns if own is None else turns[1:]
    if not rest or (text == said and (has_role or own is None)):
        return Composed(turns)
    added = 0 if own is None else -1
    if not text.strip():
        return Composed(rest, added)
    if has_role:
        return Composed((Turn("system", text, at=turns[0].at), *rest), added + 1)
    return Composed((replace(rest[0], text=f"{text}\n\n{rest[0].text}"), *rest[1:]), added)
