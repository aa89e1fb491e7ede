"""The wait for servers that are busy or load a model, or were reached before and are being started again.

Properties: a server is asked whether it is well only while a question, or the opening of a model, waits for it, which
is about a minute at most; one that is well and has no room is sent the question a few times, and not more.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable

from app.remote.faults import ServerError
from app.remote.routing import Replica

_PAUSES = (1.0, 2.0, 5.0, 15.0, 15.0, 15.0)  # seconds before a server is asked whether it is well
_LONGEST = 60.0  # seconds of all of them, whatever a server says of how long it takes
_TIMES = 3  # that a question is sent again which a server refused that was well


class Patience:
    """The patience of one question, or of one opening of a model. It is used up by all that it waits for."""

    def __init__(self) -> None:
        self._pauses, self._left, self._times = list(_PAUSES), _LONGEST, _TIMES

    async def wait(
        self, replicas: Iterable[Replica], error: ServerError, tell: Callable[[ServerError], object]
    ) -> Replica:
        """Wait until one of some servers is well, and return that one. Raises ServerError where none is in time.

        error: why the question was not answered. tell: called with that, and with what a server lacks each time it was
        asked.
        """
        tell(error)
        self._times -= error.is_busy
        loop, least = asyncio.get_running_loop(), error.wait
        while self._times >= 0 and await self.pause(least):
            least, begun = 0.0, loop.time()
            for one in dict.fromkeys(replicas):
                fault = await fault_of(one)
                if fault is None:
                    return one
                error = fault
            tell(error)
            self._left -= loop.time() - begun
        raise error

    async def pause(self, least: float = 0.0) -> bool:
        """Wait a while, a longer one each time. Return False at once where there is no patience left.

        least: seconds that a server asks for.
        """
        if not self._pauses or self._left <= 0:
            return False
        pause = min(max(self._pauses.pop(0), least), self._left)
        self._left -= pause
        await asyncio.sleep(pause)
        return True


async def fault_of(replica: Replica) -> ServerError | None:
    """Return why a server should not be asked yet, None where it is well, or answers that it has no such path.

    Raises ServerError where it is to be asked nothing.
    """
    try:
        await replica.client.check(replica.kind.health)
    except ServerError as error:
        if error.is_untrusted:
            raise
        return error if error.may_retry else None
    return None
