"""Which widgets are painted again when something happens."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QObject
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QApplication, QWidget

_TURNS = 5  # of the event loop, in which what is put off comes, too


class _Watch(QObject):
    """Counts the paint events of widgets, and those that show all of one."""

    def __init__(self) -> None:
        super().__init__()
        self.painted, self.whole = Counter[QObject](), Counter[QObject]()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QPaintEvent):
            self.painted[watched] += 1
            self.whole[watched] += isinstance(watched, QWidget) and event.rect() == watched.rect()
        return False


def painted_by(act: Callable[[], object], widgets: Sequence[QWidget]) -> list[QWidget]:
    """Return which of these widgets, all of them shown, an act has painted again."""
    painted = _watched(act, widgets).painted
    return [widget for widget in widgets if widget in painted]


def times_painted(act: Callable[[], object], widget: QWidget) -> int:
    """Return how often an act has all of a widget painted that is shown."""
    return _watched(act, [widget]).whole[widget]


def _watched(act: Callable[[], object], widgets: Sequence[QWidget]) -> _Watch:
    QApplication.processEvents()
    watch = _Watch()
    for widget in widgets:
        widget.installEventFilter(watch)
    act()
    for _ in range(_TURNS):
        QApplication.processEvents()
    for widget in widgets:
        widget.removeEventFilter(watch)
    return watch
