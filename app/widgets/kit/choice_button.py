"""A button with the value that holds, from whose menu another one is chosen."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QSize, Signal
from PySide6.QtWidgets import QMenu, QWidget

from app.widgets.kit.menu_button import MenuButton
from app.widgets.kit.style import Style
from app.widgets.kit.typography import TextRole

_LEAST, _MOST, _AROUND = 120, 260, 14


class ChoiceButton(MenuButton):
    """The value that holds, of some that can be chosen. Signal: chosen(str), the value that was chosen."""

    chosen = Signal(str)

    def __init__(self, style: Style, name: str, parent: QWidget | None = None) -> None:
        super().__init__(style, name, parent)
        self._name = name
        self._choices: tuple[tuple[str, str], ...] = ()
        self._value = ""

    def show_choices(self, choices: Sequence[tuple[str, str]], value: str, shown: str) -> None:
        """Show which of the values holds. choices: each with its title. shown: the title of the one that holds."""
        self._choices, self._value = tuple(choices), value
        self.setText(shown)
        self.setAccessibleName(f"{self._name}: {shown}")
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        typography = self._style.typography
        width = self._style.text_style(TextRole.UI_MEDIUM).width(self.text()) + _AROUND + self.sign_width
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

    def _choose(self, value: str, _is_checked: bool = False) -> None:
        self.chosen.emit(value)
