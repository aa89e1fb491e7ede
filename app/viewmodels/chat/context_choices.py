"""The ways on where a conversation does not fit the model's context: an earlier question, the oldest turns left out, or
a higher limit where a person has set one.

Nothing is ever left out by itself: what the person chooses becomes a branch that can be seen, beside the whole one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from app.conversation.branch import Branch
from app.conversation.message import Message, new_id
from app.protocol.dataclass import dataclass
from app.protocol.events import CostEstimate
from app.protocol.reports import ModelInfo
from app.viewmodels.text import formatting

_ROOM = 0.75  # share of the context that may be full, so that there is room for an answer
_BY_FAR = 2  # contexts that a branch must fill whose tokens are counted about
_STEP = 1024  # tokens: a limit that is proposed is a multiple


@dataclass(frozen=True, slots=True)
class ContextChoices:
    """The ways on from a branch that is too long. earlier_id: a question to fork at, or None.

    kept_from: the place on the path of the first question that is kept where the turns before it are left out, None
    where that is of no use. left_out: how many turns those are.
    """

    earlier_id: str | None
    kept_from: int | None
    left_out: int = 0

    @property
    def branch_name(self) -> str:
        """Return the name of the branch without the oldest turns."""
        return f"Without the first {formatting.plural(self.left_out, 'turn')}".replace(formatting.HARD, " ")


def is_too_long(priced: CostEstimate, context_length: int) -> bool:
    """Return whether a branch surely does not fit: whose tokens are counted about, only where it is too long by far."""
    total = priced.request.total
    return total >= (_BY_FAR * context_length if priced.request.is_about else context_length)


def context_choices(
    path: Sequence[Message], priced: CostEstimate, context_length: int, said: int = 0
) -> ContextChoices:
    """Find what can be done about a branch. path: its messages, to the end or to before the question under way.

    said: characters of that question, with what is attached to it.
    """
    questions = [at for at, message in enumerate(path) if message.role == "user"]
    ends, total = _ends(path, priced, context_length, said)
    fitting = [at for at in questions if ends[at] <= _ROOM * context_length]
    earlier = fitting[-1] if fitting else questions[0] if questions else None
    first = next((at for at, message in enumerate(path) if message.role != "system"), 0)
    if not ends or total - ends[-1] >= context_length:
        return ContextChoices(None, None)  # what is about to be said does not fit by itself
    left = {at: total - ends[at - 1] for at in questions if at > first}
    roomy = [at for at, tokens in left.items() if tokens <= _ROOM * context_length]
    tight = [at for at, tokens in left.items() if tokens < context_length]
    kept_from = roomy[0] if roomy else tight[-1] if tight else None
    return ContextChoices(
        None if earlier is None else path[earlier].id, kept_from, 0 if kept_from is None else kept_from - first
    )


def raised_limit(priced: CostEstimate, info: ModelInfo) -> int:
    """Return a context limit with which a branch leaves room for an answer; 0 where the model does not allow one."""
    own = info.own_context
    if priced.is_far_too_long:
        return own if own > 2 * info.context_length else 0  # it comes to more than twice what is allowed
    if not info.context_length <= priced.request.total < own:
        return 0
    return min(own, math.ceil(priced.request.total / _ROOM / _STEP) * _STEP)


def kept_branch(path: Sequence[Message], choices: ContextChoices) -> tuple[Message, ...]:
    """Return copies of the messages that are kept, as a branch of its own with a name. Instructions hold on."""
    if choices.kept_from is None:
        return ()
    at = choices.kept_from
    options = Branch(tuple(path[: at + 1]), None).options
    first = replace(path[at], instructions=options.instructions, thinks=options.thinking)
    copies: list[Message] = []
    for message in (*(one for one in path[:1] if one.role == "system"), first, *path[at + 1 :]):
        above = copies[-1].id if copies else None
        copies.append(replace(message, id=new_id(), parent_id=above, name=None, is_pinned=False, is_favourite=False))
    copies[0] = replace(copies[0], name=choices.branch_name)
    return tuple(copies)


def _ends(path: Sequence[Message], priced: CostEstimate, context_length: int, said: int) -> tuple[list[int], int]:
    """Return where each message of a path ends, and the whole with what is said after it, in tokens.

    About, where it is so long that nothing was counted.
    """
    if not priced.is_far_too_long and len(priced.turns) >= len(path):
        ends = [turn.end for turn in priced.turns[: len(path)]]
        return ends, max(priced.request.total, ends[-1] if ends else 0)
    ends, at = [], 0
    for message in path:
        at += len(message.text) + sum(len(one.text) for one in message.attachments)
        ends.append(at)
    whole = max(at + said, 1)
    total = 2 * context_length if priced.is_far_too_long else priced.request.total  # twice as long, at least
    return [round(end * total / whole) for end in ends], total
