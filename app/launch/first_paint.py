"""The moment a window is seen for the first time."""

from __future__ import annotations

import logging

from PySide6.QtCore import QEvent, QObject, QTimer, Signal
from PySide6.QtWidgets import QWidget

logger = logging.getLogger(__name__)

PAINTED = "the window is painted"
# A window that is not painted (it starts minimised, say) is not waited for any longer.
AT_LATEST_MS = 2000


class FirstPaint(QObject):
    """A watch over a window until it has painted itself once.

    Signal: painted(), sent once, when the events of that first paint are done with. The log has the moment, too, so
    that the time a start takes can be read from it.
    """

    painted = Signal()

    def __init__(self, window: QWidget, parent: QObject | None = None, at_latest_ms: int = AT_LATEST_MS) -> None:
        super().__init__(parent)
        self._is_painted = self._is_told = False
        self._timer = QTimer(self, singleShot=True, interval=at_latest_ms)
        self._timer.timeout.connect(self._tell)
        self._timer.start()
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Note a paint event, and let every event pass."""
        if event.type() == QEvent.Type.Paint:
            watched.removeEventFilter(self)
            if not self._is_told:
                self._is_painted = True
                self._timer.start(0)
        return super().eventFilter(watched, event)

    def stop(self) -> None:
        """Stop watching; the window may be gone by now."""
        self._is_told = True
        self._timer.stop()

    def _tell(self) -> None:
        self._is_told = True
        if self._is_painted:
            logger.info(PAINTED)
        self.painted.emit()
