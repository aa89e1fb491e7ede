"""The pane with the map: the picture, and at its foot the zoom and what the discs mean."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QHideEvent, QPainter, QPaintEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QWidget

from app.protocol.trie_view import Residency
from app.viewmodels.map.map_region import MapRegion
from app.viewmodels.text import formatting
from app.widgets.kit.controls import ToolButton
from app.widgets.kit.drawing import draw_text, fill_rounded, smooth, stroke_rounded
from app.widgets.kit.icon_paths import Icon
from app.widgets.kit.marks import SIBLING_DISC, paint_disc
from app.widgets.kit.pane import Pane
from app.widgets.kit.style import Style
from app.widgets.kit.typography import TextRole

if TYPE_CHECKING:
    from app.widgets.map.map_view import MapView

_INSET, _FIGURE, _APART, _BESIDE = 16, 52, 14, 4
_WORDS: dict[Residency, str] = {
    "live": "Live",
    "memory": "In memory",
    "disk": "On disk",
    "believed": "Should be there",
    "none": "No snapshot",
}


class MapPane(Pane):
    """Shows the map. The picture is made when the pane is first shown, so that no start has to wait for it.

    Attributes: view, None before that; smaller, larger, the buttons of the zoom; here, shows the open branch.
    """

    id = "map"
    title = "Map"
    icon = Icon.MAP
    least_width = 560

    def __init__(self, style: Style, region: MapRegion, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._style, self._region = style, region
        self.view: MapView | None = None
        self.setAccessibleName(self.title)
        self.smaller = ToolButton(style, Icon.MINUS, "Zoom Out", "Shows more of the map (−)", parent=self)
        self.larger = ToolButton(style, Icon.PLUS, "Zoom In", "Shows the map larger (+)", parent=self)
        self.smaller.clicked.connect(lambda: self._zoom(-1))
        self.larger.clicked.connect(lambda: self._zoom(1))
        self.here = ToolButton(
            style, Icon.HERE, "Where You Are", "Shows the end of the open branch (Home)", parent=self
        )
        self.here.clicked.connect(self._show_open_run)
        style.changed.connect(self._arrange)
        style.changed.connect(self.update)

    @property
    def tab_order(self) -> Sequence[QWidget]:
        return (self.smaller, self.larger, self.here)

    def showEvent(self, event: QShowEvent) -> None:
        if self.view is None:
            self._make_view()
        self._region.wake()

    def hideEvent(self, event: QHideEvent) -> None:
        self._region.rest()

    def _make_view(self) -> None:
        from app.widgets.map.map_view import MapView

        self.view = MapView(self._style, self._region, self)
        self.view.zoomed.connect(self._show_zoom)
        QWidget.setTabOrder(self.view, self.smaller)
        QWidget.setTabOrder(self.smaller, self.larger)
        QWidget.setTabOrder(self.larger, self.here)
        self.view.begin()
        self.view.show()
        self._arrange()

    def _zoom(self, steps: int) -> None:
        if self.view is not None:
            self.view.zoom_by(steps)

    def _show_open_run(self) -> None:
        if self.view is not None:
            self.view.go_to_open_run()

    def _show_zoom(self) -> None:
        self.update()

    @property
    def _foot(self) -> int:
        return self._style.typography.row + 2 * _INSET - 4

    def _field(self) -> QRectF:
        """Return the frame around the buttons of the zoom."""
        height = self._style.typography.row + 2
        width = 2 * self.smaller.sizeHint().width() + self._style.typography.scaled(_FIGURE)
        return QRectF(_INSET, self.height() - self._foot + (self._foot - height) / 2, width, height)

    def _arrange(self) -> None:
        field, size = self._field(), self.smaller.sizeHint()
        top = round(field.center().y() - size.height() / 2)
        self.smaller.setGeometry(round(field.left()), top, size.width(), size.height())
        self.larger.setGeometry(round(field.right()) - size.width(), top, size.width(), size.height())
        self.here.setGeometry(round(field.right()) + _BESIDE, top, size.width(), size.height())
        if self.view is not None:
            self.view.setGeometry(1, 0, self.width() - 1, max(0, self.height() - self._foot))

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._arrange()

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, field = self._style.theme, self._field()
        painter = smooth(QPainter(self))
        fill_rounded(painter, field, 8, theme.raised)
        stroke_rounded(painter, field, 8, theme.line2)
        cap = self._style.text_style(TextRole.SMALL)
        zoom = formatting.percent(self.view.zoom if self.view is not None else 1.0)
        width = cap.width(zoom)
        figure = QRectF(field.center().x() - width / 2, field.top(), width + 1, field.height())
        draw_text(painter, cap, figure, zoom, theme.text)
        self._paint_legend(painter, field.center().y())
        painter.end()

    def _legend(self) -> list[tuple[float, float, Residency]]:
        """Return the abscissa and the line of each word of the legend, in as many lines as they need."""
        text_style, first = self._style.text_style(TextRole.CAP), float(self.here.geometry().right() + 1 + _BESIDE + 4)
        found: list[tuple[float, float, Residency]] = []
        left, line = first, 0
        for where in self._region.places:
            width = SIBLING_DISC + 6 + text_style.width(_WORDS[where])
            if left > first and left + width > self.width() - _INSET / 2:
                left, line = first, line + 1
            found.append((left, line, where))
            left += width + _APART
        return found

    def _paint_legend(self, painter: QPainter, middle: float) -> None:
        """Paint what the discs mean."""
        theme, text_style, entries = self._style.theme, self._style.text_style(TextRole.CAP), self._legend()
        top = middle - (entries[-1][1] + 1) * text_style.line / 2
        for left, line, where in entries:
            center = QPointF(left + SIBLING_DISC / 2, top + (line + 0.5) * text_style.line)
            paint_disc(painter, theme, center, where, SIBLING_DISC)
            words = QRectF(left + SIBLING_DISC + 6, top + line * text_style.line, self.width(), text_style.line)
            draw_text(painter, text_style, words, _WORDS[where], theme.text2)
