"""Which widgets are painted again when something happens."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QApplication, QWidget


class _Watch(QObject):
    """Remembers the widgets that got a paint event."""

    def __init__(self) -> None:
        super().__init__()
        self.painted: set[QObject] = set()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Paint:
            self.painted.add(watched)
        return False


def painted_by(act: Callable[[], object], widgets: Sequence[QWidget]) -> list[QWidget]:
    """Return which of these widgets, all of them shown, an act has painted again."""
    QApplication.processEvents()
    watch = _Watch()
    for widget in widgets:
        widget.installEventFilter(watch)
    act()
    QApplication.processEvents()
    for widget in widgets:
        widget.removeEventFilter(watch)
    return [widget for widget in widgets if widget in watch.painted]
