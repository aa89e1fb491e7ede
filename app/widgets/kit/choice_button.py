"""A button with the value that holds, from whose menu another one is chosen."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QPoint, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter
from PySide6.QtWidgets import QMenu, QWidget

from app.widgets.kit.controls import Control, State
from app.widgets.kit.drawing import draw_text, fill_rounded, stroke_rounded
from app.widgets.kit.icon_paths import Icon
from app.widgets.kit.style import Style
from app.widgets.kit.typography import TextRole

_LEAST, _MOST, _AROUND = 120, 260, 42


class ChoiceButton(Control):
    """Space, Return, Down and a click open the menu. Signal: chosen(str), the value that was chosen."""

    chosen = Signal(str)

    def __init__(self, style: Style, name: str, parent: QWidget | None = None) -> None:
        super().__init__(style, name, parent)
        self._name = name
        self._choices: tuple[tuple[str, str], ...] = ()
        self._value = ""
        self.clicked.connect(self.open)

    def show_choices(self, choices: Sequence[tuple[str, str]], value: str, shown: str) -> None:
        """Show which of the values holds. choices: each with its title. shown: the title of the one that holds."""
        self._choices, self._value = tuple(choices), value
        self.setText(shown)
        self.setAccessibleName(f"{self._name}: {shown}")
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        typography = self._style.typography
        width = self._style.text_style(TextRole.UI_MEDIUM).width(self.text()) + _AROUND
        return QSize(round(min(max(width, _LEAST), typography.scaled(_MOST))), typography.row)

    def menu(self) -> QMenu:
        """Make the menu of all values."""
        menu = QMenu(self)
        for value, title in self._choices:
            entry = menu.addAction(title.replace("&", "&&"))
            entry.setCheckable(True)
            entry.setChecked(value == self._value)
            entry.triggered.connect(partial(self._choose, value))
        return menu

    def open(self) -> None:
        """Open the menu below the button."""
        menu = self.menu()
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(self.mapToGlobal(QPoint(0, self.height() + 2)))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Down:
            self.open()
        else:
            super().keyPressEvent(event)

    def _choose(self, value: str, _is_checked: bool = False) -> None:
        self.chosen.emit(value)

    def _paint(self, painter: QPainter, rect: QRectF) -> None:
        theme, state = self._style.theme, self.state
        fills = {State.HOVER: theme.fill, State.PRESSED: theme.fill2}
        fill_rounded(painter, rect, self.ring_radius, fills.get(state, theme.raised))
        stroke_rounded(painter, rect, self.ring_radius, theme.line2)
        words = rect.adjusted(10, 0, -28, 0)
        draw_text(painter, self._style.text_style(TextRole.UI_MEDIUM), words, self.text(), theme.text)
        self._style.icons.paint(painter, Icon.CHOOSE, QPointF(rect.right() - 14, rect.center().y()), theme.text2, 14)
