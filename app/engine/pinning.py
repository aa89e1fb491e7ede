"""The pinning of a branch: what is cached of it stays, whatever else needs room."""

from __future__ import annotations

from app.engine.open_model import OpenModel
from app.prompting.problems import RequestError
from app.prompting.steps import finish
from app.protocol.commands import Pin
from app.protocol.events import Pinned
from app.protocol.reports import Problem

_NOTHING = Problem(
    "There is nothing to pin",
    "Nothing that leads up to here is cached now. Pin the branch further down, or go on from here once, then pin it.",
)
_SHORT = "There is not enough memory to pin it"
_NO_ROOM = Problem(
    "There is no room to pin it",
    "All pinned branches together would need more than the memory budget. Raise the budget in the Cache menu, or let "
    "another branch go.",
)


def pin(command: Pin, open_model: OpenModel) -> Pinned:
    """Pin what is held of a branch, or let go of what is pinned with its message. No session may be open.

    What lies on disk is brought in only where there is memory for it. What was pinned with the message before stays
    where nothing can be pinned now.
    """

    def answer(tokens: int, problem: Problem | None = None) -> Pinned:
        return Pinned(command.query_id, command.is_pinned, tokens, problem)

    cache, pinned = open_model.cache, open_model.pinned
    if not command.is_pinned:
        return answer(cache.unpin(pinned.pop(command.message_id, ())))
    try:
        prompt = finish(open_model.read(command.turns, command.options)).ids
        if cache.price(prompt).cached == 0:
            return answer(0, _NOTHING)
        open_model.step_memory.require(cache.bytes_to_pin(prompt), _SHORT)
    except RequestError as error:
        return answer(0, error.problem)
    tokens = cache.pin(prompt)
    if not tokens:  # its files were found to be of no use, or there is no room
        return answer(0, _NO_ROOM if cache.price(prompt).cached else _NOTHING)
    cache.unpin(pinned.pop(command.message_id, ()))
    pinned[command.message_id] = prompt[:tokens]
    return answer(tokens)
