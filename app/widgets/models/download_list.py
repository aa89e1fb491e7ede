"""The downloads: how far each is, and what can be done with it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from PySide6.QtCore import QRectF, QSize, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QSizePolicy, QVBoxLayout, QWidget

from app.viewmodels.hub.hub_state import DownloadRow
from app.viewmodels.text.formatting import DOT
from app.widgets.kit.controls import Button, ToolButton
from app.widgets.kit.drawing import draw_text, fill_rounded, smooth, whole_parts, wrapped
from app.widgets.kit.icon_paths import Icon
from app.widgets.kit.slim_bar import use_slim_bar
from app.widgets.kit.style import Style
from app.widgets.kit.typography import TextRole

_EDGE, _APART, _BAR, _MOST_LINES = 16, 10, 4, 3
_MOST_SHOWN = 3
_ACTIONS = ("Pause", "Resume", "Open")  # of which each line keeps room for the longest


class DownloadLine(QWidget):
    """One download. Attributes: action, cancel. Signals: acted(str), cancelled(str), with its key."""

    acted = Signal(str)
    cancelled = Signal(str)

    def __init__(self, style: Style, row: DownloadRow, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._style = style
        self.row = row
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.action = Button(style, row.action, parent=self)
        self.cancel = ToolButton(style, Icon.DISCARD, "Cancel Download", icon_size=12, parent=self)
        self.action.clicked.connect(lambda: self.acted.emit(self.row.key))
        self.cancel.clicked.connect(lambda: self.cancelled.emit(self.row.key))
        style.changed.connect(self._arrange)
        self.show_row(row)

    def show_row(self, row: DownloadRow) -> None:
        """Show how far it is now."""
        self.row = row
        self.action.set_text(row.action)
        self.action.setAccessibleName(f"{row.action} {row.name}")
        name = "Remove from the List" if row.action == "Open" else "Cancel Download"
        self.cancel.setAccessibleName(f"{name}: {row.name}")
        self.cancel.setToolTip(name)
        self.setAccessibleName(row.name)
        self.setAccessibleDescription(row.line.replace(DOT, ", "))
        self._arrange()
        self.update()

    def sizeHint(self) -> QSize:
        name, small = self._style.text_style(TextRole.UI_MEDIUM), self._style.text_style(TextRole.SMALL)
        return QSize(200, name.line + 2 * _BAR + len(self._lines()) * small.line + 14)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    @property
    def _words(self) -> int:
        """The width that is left for words and bar."""
        return self.action.x() - _EDGE - _APART

    def _lines(self) -> list[str]:
        if not self.row.is_bad:
            return [self.row.line]
        return wrapped(self._style.text_style(TextRole.SMALL), self.row.line, max(100, self._words))[:_MOST_LINES]

    def _arrange(self) -> None:
        cancel, action = self.cancel.sizeHint(), self.action.sizeHint()
        words = self._style.text_style(TextRole.UI_MEDIUM)
        action.setWidth(action.width() + round(max(map(words.width, _ACTIONS)) - words.width(self.row.action)))
        middle = self.height() // 2
        left = self.width() - _EDGE - cancel.width()
        self.cancel.setGeometry(left, middle - cancel.height() // 2, cancel.width(), cancel.height())
        left -= _APART + action.width()
        self.action.setGeometry(left, middle - action.height() // 2, action.width(), action.height())
        self.updateGeometry()

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, row = self._style.theme, self.row
        name, small = self._style.text_style(TextRole.UI_MEDIUM), self._style.text_style(TextRole.SMALL)
        painter = smooth(QPainter(self))
        rect = QRectF(_EDGE, 5, self._words, name.line)
        draw_text(painter, name, rect, row.name, theme.text)
        bar = QRectF(rect.left(), rect.bottom() + _BAR / 2, rect.width(), _BAR)
        fill_rounded(painter, bar, _BAR / 2, theme.track)
        if row.done:
            color = theme.mute if row.is_bad or row.action == "Resume" else theme.accentgfx
            fill_rounded(painter, QRectF(bar.left(), bar.top(), max(_BAR, bar.width() * row.done), _BAR), 2, color)
        top = bar.bottom() + _BAR / 2
        for number, line in enumerate(self._lines()):
            place = QRectF(rect.left(), top + number * small.line, rect.width(), small.line)
            words = whole_parts(small, line, place.width(), DOT)
            draw_text(painter, small, place, words, theme.warn if row.is_bad else theme.text2)
        painter.end()


class DownloadList(QScrollArea):
    """All downloads, of which some are in sight; none takes no room. Signals: acted(str), cancelled(str)."""

    acted = Signal(str)
    cancelled = Signal(str)

    def __init__(self, style: Style, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._style = style
        self.lines: list[DownloadLine] = []
        self._content = QWidget()
        self._column = QVBoxLayout(self._content)
        self._column.setContentsMargins(0, 4, 0, 4)
        self._column.setSpacing(2)
        self.setAccessibleName("Downloads")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(self.focusPolicy().NoFocus)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(self.horizontalScrollBarPolicy().ScrollBarAlwaysOff)
        self.viewport().setAutoFillBackground(False)
        use_slim_bar(self, style)
        self.setWidget(self._content)
        self._content.setAutoFillBackground(False)  # which `setWidget` turns on
        style.changed.connect(self._fit)
        self.hide()

    @property
    def tab_order(self) -> Sequence[QWidget]:
        """The buttons of each download."""
        return tuple(chain.from_iterable((line.action, line.cancel) for line in self.lines))

    def show_rows(self, rows: Sequence[DownloadRow]) -> None:
        """Show these downloads; a line that stays keeps the keyboard."""
        known = {line.row.key: line for line in self.lines}
        for key in known.keys() - {row.key for row in rows}:
            known[key].hide()
            known[key].deleteLater()
        self.lines = [known.get(row.key) or self._new(row) for row in rows]
        for number, (line, row) in enumerate(zip(self.lines, rows, strict=True)):
            line.show_row(row)
            self._column.insertWidget(number, line)
        self.setVisible(bool(rows))
        self._fit()

    def _new(self, row: DownloadRow) -> DownloadLine:
        line = DownloadLine(self._style, row, self._content)
        line.acted.connect(self.acted)
        line.cancelled.connect(self.cancelled)
        return line

    def _fit(self) -> None:
        """Be as high as the first few."""
        shown = self.lines[:_MOST_SHOWN]
        self.setFixedHeight(8 + sum(line.sizeHint().height() + 2 for line in shown))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()
