"""The process that talks to hubs, as the window sees it: started with a request, killed whenever it is to stop."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from app.hub import FLAG
from app.processes.line_process import LineProcess

if TYPE_CHECKING:
    from app.hub.messages import Request

logger = logging.getLogger(__name__)

_LONGEST = 1 << 26  # bytes of one reply
_TITLE = "The process for hubs ended"
_SENTENCE = "What talks to the hub ended by itself. Try again; what has arrived is kept."


class HubProcess(QObject):
    """One process of our own that requests are written to. It costs nothing before the first one.

    Nor do the messages, which a start would have to wait for: all that deals in them imports them when it does.

    Signal: replied(object), a `Reply`; also `Failed` where the process ends by itself while it is asked something.
    """

    replied = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._process = LineProcess(FLAG, _LONGEST, self)
        self._process.answered.connect(self._take)
        self._process.ended.connect(self._on_end)
        self._open = 0

    @property
    def is_busy(self) -> bool:
        """Return whether a request has not been answered yet."""
        return self._open > 0

    def ask(self, request: Request) -> None:
        """Have a request carried out after those before it. Returns at once."""
        from app.hub.messages import line_of

        self._open += 1
        self._process.ask(line_of(request))

    def stop(self) -> None:
        """End the process, whatever it does; nothing of it is told any more. Returns at once."""
        self._open = 0
        self._process.stop()

    def close(self) -> None:
        """End the process and wait until it has gone, which a disk that hangs may delay."""
        self._open = 0
        self._process.close()

    def _take(self, line: bytes) -> None:
        from app.hub.messages import Arrived, reply_of

        reply = reply_of(line)
        self._open -= not isinstance(reply, Arrived)
        self.replied.emit(reply)

    def _on_end(self, why: str) -> None:
        """Tell whoever waits that there will be no answer."""
        from app.hub.messages import Failed

        logger.warning("the process for hubs ended: %s", why)
        was_busy, self._open = self.is_busy, 0
        if was_busy:
            self.replied.emit(Failed(_TITLE, _SENTENCE, is_passing=True))
