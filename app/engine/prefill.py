"""The reading of a prompt, in chunks for which there is time and memory."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

from app.engine.open_model import OpenModel
from app.kvcache.session import Session


def prefill(session: Session, open_model: OpenModel, goes_on: Callable[[], bool]) -> Iterator[None]:
    """Read what a session has to read before its next token, a chunk for each step. Raises ShortOfMemoryError.

    goes_on: asked before each chunk; nothing more is read where it says no.
    """
    rate, room, cache = open_model.prefill_rate, open_model.step_memory, open_model.cache
    while session.unread and goes_on():
        start = time.perf_counter()
        context = session.offset
        fitting = room.fitting(rate.chunk, context, cache)
        held = room.begin()
        number = session.prefill(fitting)
        room.measured(held, number, context + number, cache)
        rate.measured(number, time.perf_counter() - start)
        open_model.feed.reading()
        yield
