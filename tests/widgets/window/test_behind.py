"""Nothing is drawn that cannot be seen: behind a part of the window that fills its own ground."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QApplication, QWidget

from app.widgets.window.main_window import MainWindow


class Painted(QObject):
    """Hears whether a widget is painted."""

    def __init__(self, widget: QWidget) -> None:
        super().__init__(widget)
        self.is_painted = False
        widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        self.is_painted = self.is_painted or event.type() == QEvent.Type.Paint
        return False


@pytest.mark.parametrize("part", ["sidebar", "inspector", "toolbar", "status_line", "composer_area", "find_bar"])
def test_the_window_is_not_painted_behind_a_part_of_it(window: MainWindow, part: str) -> None:
    window.do("find")
    QApplication.processEvents()
    widget: QWidget = getattr(window if part in ("sidebar", "inspector") else window.chat, part)
    inside, behind = Painted(widget), Painted(window)
    widget.update()
    QApplication.processEvents()
    assert inside.is_painted
    assert not behind.is_painted
