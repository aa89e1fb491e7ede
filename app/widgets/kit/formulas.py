"""Formulas as they are drawn: asked of a process of their own once each, and kept."""

from __future__ import annotations

import json
import logging
import math
from collections import OrderedDict, deque

from PySide6.QtCore import QByteArray, QObject, QRectF, QTimer, Signal
from PySide6.QtGui import QColor, QPainter
from PySide6.QtSvg import QSvgRenderer

from app.formulas import EM, FLAG, LONGEST
from app.processes.line_process import LineProcess
from app.protocol.dataclass import dataclass

logger = logging.getLogger(__name__)

_KEPT, _MOST_WAITING, _MOST_DEATHS = 1000, 2000, 3
_LONGEST_ANSWER = 1 << 20  # bytes
_PATIENCE_MS = 15_000  # for an answer, the start of the process included
_TOLD_EVERY_MS, _IDLE_MS = 40, 30_000
_LARGEST_SIDE = 200.0  # of a drawing, in em
_INK = b'"black"'

Key = tuple[str, bool]


@dataclass(frozen=True, slots=True)
class Drawing:
    """A formula as SVG. width; ascent, descent: above and below the baseline. All in em."""

    svg: bytes
    width: float
    ascent: float
    descent: float

    def paint(self, painter: QPainter, rect: QRectF, color: QColor) -> None:
        """Draw it so that it fills a rectangle."""
        QSvgRenderer(QByteArray(self.svg.replace(_INK, f'"{color.name()}"'.encode()))).render(painter, rect)


class Formulas(QObject):
    """The drawings of formulas. `drawn`: some that were asked for are there now, or cannot be drawn.

    One formula at a time is with the process, which is started when the first one is asked for and ends when none was
    for a while. One that takes too long is given up with its process.
    """

    drawn = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._known: OrderedDict[Key, Drawing | None] = OrderedDict()
        self._waiting: deque[Key] = deque()
        self._asked: set[Key] = set()
        self._current: Key | None = None
        self._process = LineProcess(FLAG, _LONGEST_ANSWER, self)
        self._process.answered.connect(self._take)
        self._process.ended.connect(self._on_end)
        self._deaths = 0
        self._deadline = QTimer(self, singleShot=True, interval=_PATIENCE_MS)
        self._deadline.timeout.connect(self._give_up)
        self._idle = QTimer(self, singleShot=True, interval=_IDLE_MS)
        self._idle.timeout.connect(self._stop)
        self._telling = QTimer(self, singleShot=True, interval=_TOLD_EVERY_MS)
        self._telling.timeout.connect(self.drawn)

    @property
    def is_busy(self) -> bool:
        """Whether a formula is being drawn."""
        return self._current is not None

    def is_known(self, tex: str, *, is_display: bool) -> bool:
        """Return whether it is known how a formula is drawn, or that it cannot be. One that is not is asked for."""
        key = (tex, is_display)
        if key in self._known:
            self._known.move_to_end(key)
            return True
        if len(tex) > LONGEST or len(self._waiting) >= _MOST_WAITING or self._deaths >= _MOST_DEATHS:
            self._keep(key, None)
            return True
        if key not in self._asked:
            self._asked.add(key)
            self._waiting.append(key)
            self._ask_next()
        return False

    def drawing(self, tex: str, *, is_display: bool) -> Drawing | None:
        """Return how a formula is drawn; None where it cannot be, or is not known yet."""
        return self._known.get((tex, is_display))

    def close(self) -> None:
        """End the process and wait until it has gone."""
        self._waiting.clear()
        self._asked.clear()
        self._stop()
        self._process.close()

    def _ask_next(self) -> None:
        if self._current is not None or not self._waiting:
            return
        self._idle.stop()
        self._current = self._waiting.popleft()
        self._deadline.start()
        tex, is_display = self._current
        self._process.ask(json.dumps({"tex": tex, "is_display": is_display}).encode() + b"\n")

    def _take(self, line: bytes) -> None:
        if self._current is not None:
            self._deaths = 0
            self._answer(_drawing_of(line))

    def _give_up(self) -> None:
        """End the process that has had a formula for too long."""
        self._process.stop()
        self._on_end("no answer in time")

    def _on_end(self, why: str) -> None:
        """Give up the formula that the process had, and try the next one with another process."""
        logger.warning("the process for formulas ended: %s", why)
        self._deaths += 1
        if self._deaths >= _MOST_DEATHS:
            for key in self._waiting:
                self._keep(key, None)
            self._waiting.clear()
            self._asked.clear()
        if self._current is not None:
            self._answer(None)

    def _answer(self, drawing: Drawing | None) -> None:
        """Take what became of the formula that is with the process."""
        assert self._current is not None
        self._deadline.stop()
        self._keep(self._current, drawing)
        self._current = None
        if not self._telling.isActive():
            self._telling.start()
        if self._waiting:
            self._ask_next()
        elif self._process.is_running:
            self._idle.start()

    def _keep(self, key: Key, drawing: Drawing | None) -> None:
        self._asked.discard(key)
        self._known[key] = drawing
        while len(self._known) > _KEPT:
            self._known.popitem(last=False)

    def _stop(self) -> None:
        self._deadline.stop()
        self._idle.stop()
        self._current = None
        self._process.stop()


def _drawing_of(line: bytes) -> Drawing | None:
    """Read an answer; whatever is wrong with it, the formula cannot be drawn."""
    try:
        svg = json.loads(line)["svg"].encode()
    except (ValueError, KeyError, TypeError, AttributeError):
        return None
    box = QSvgRenderer(QByteArray(svg)).viewBoxF() if svg else QRectF()
    width, ascent, descent = box.width() / EM, -box.top() / EM, box.bottom() / EM
    if not all(math.isfinite(side) and abs(side) < _LARGEST_SIDE for side in (width, ascent, descent)):
        return None
    return Drawing(svg, width, ascent, descent) if width > 0 and ascent + descent > 0 else None
