"""Nothing is drawn that cannot be seen: behind a part of the window that fills its own ground."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QObject, QPoint, QSize, Qt
from PySide6.QtGui import QImage, QRegion
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


PARTS = ["sidebar", "inspector", "toolbar", "status_line", "composer_area", "find_bar"]


def part_of(window: MainWindow, name: str) -> QWidget:
    window.do("find")
    QApplication.processEvents()
    widget: QWidget = getattr(window if name in ("sidebar", "inspector") else window.chat, name)
    return widget


@pytest.mark.parametrize("part", PARTS)
def test_the_window_is_not_painted_behind_a_part_of_it(window: MainWindow, part: str) -> None:
    widget = part_of(window, part)
    inside, behind = Painted(widget), Painted(window)
    widget.update()
    QApplication.processEvents()
    assert inside.is_painted
    assert not behind.is_painted


@pytest.mark.parametrize("part", PARTS)
def test_a_part_fills_its_edge_where_a_point_is_no_whole_number_of_pixels(window: MainWindow, part: str) -> None:
    widget = part_of(window, part)
    image = QImage(widget.size() * 1.25 + QSize(4, 4), QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(1.25)
    image.fill(Qt.GlobalColor.magenta)
    widget.render(image, QPoint(1, 1), QRegion(), QWidget.RenderFlag(0))
    for line in (
        [image.pixelColor(x, image.height() // 2) for x in range(image.width())],
        [image.pixelColor(image.width() // 2, y) for y in range(image.height())],
    ):
        drawn = [color for color in line if color.name() != "#ff00ff"]
        assert max(drawn[0].saturation(), drawn[-1].saturation()) < 20, "something behind it is seen"
