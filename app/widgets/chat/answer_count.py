"""The button in the composer that says how many answers a question gets, and from whose menu that is chosen."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QPoint, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QMenu, QWidget

from app.viewmodels.chat.chat_text import LETTERS
from app.viewmodels.text import formatting
from app.widgets.kit.controls import State
from app.widgets.kit.drawing import draw_text, fill_rounded
from app.widgets.kit.icon_paths import Icon
from app.widgets.kit.menu_button import MenuButton
from app.widgets.kit.style import Style
from app.widgets.kit.typography import TextRole

CHOSEN = "Chosen Settings"
_SIDE, _ICON, _GAP, _HEIGHT = 9, 14, 6, 28


class AnswerCountButton(MenuButton):
    """Says how many answers a question gets. Up opens the menu, too, which is above it.

    Signals: chosen(int), another number of answers; ladderChosen(bool), whether they differ in temperature;
    presetChosen(int, str), the answer with this number, from 0 on, gets this preset, "" for what is chosen.
    """

    chosen = Signal(int)
    ladderChosen = Signal(bool)
    presetChosen = Signal(int, str)

    keys = (Qt.Key.Key_Down, Qt.Key.Key_Up)

    def __init__(self, style: Style, parent: QWidget | None = None) -> None:
        super().__init__(style, "Answers", parent)
        self._count = self._most = 1
        self._is_short = self._has_ladder = False
        self._presets: tuple[str, ...] = ()
        self._offered: tuple[str, ...] = ()
        self.setToolTip("How many answers a question gets. They are written by turns, and read it once")
        self.show_count(1, 1)

    def show_count(
        self,
        count: int,
        most: int,
        *,
        has_ladder: bool = False,
        presets: Sequence[str] = (),
        offered: Sequence[str] = (),
    ) -> None:
        """Show how many answers are chosen, and offer up to `most`. presets: of each; offered: all there are."""
        self._count, self._most, self._has_ladder = count, most, has_ladder
        self._presets, self._offered = (*presets, *[""] * count)[:count], tuple(offered)
        self._name_number()
        self.setAccessibleName(f"Answers to a question: {count}{self._difference}")

    @property
    def _difference(self) -> str:
        """Return in what the answers differ, as the end of a sentence."""
        if self._count == 1:
            return ""
        if any(self._presets):
            return f", with {', '.join(name or CHOSEN for name in self._presets)}"
        return ", at different temperatures" if self._has_ladder else ""

    def shorten(self, is_short: bool) -> None:
        """Leave the word out, and a number that is 1, where there is little room."""
        self._is_short = is_short
        self._name_number()

    def _name_number(self) -> None:
        short = "" if self._count == 1 else str(self._count)
        self.setText(short if self._is_short else formatting.plural(self._count, "answer"))
        self.updateGeometry()
        self.update()

    @property
    def _icon(self) -> int:
        return self._style.typography.icon(_ICON)

    def sizeHint(self) -> QSize:
        if not self.text():
            return QSize(_HEIGHT, _HEIGHT)
        words = self._style.text_style(TextRole.SMALL_MEDIUM).width(self.text())
        return QSize(round(2 * _SIDE + self._icon + _GAP + words) + 1, _HEIGHT)

    def menu(self) -> QMenu:
        """Make the menu of all numbers."""
        menu = QMenu(self)
        for count in range(1, self._most + 1):
            entry = menu.addAction(formatting.plural(count, "answer"), partial(self.chosen.emit, count))
            entry.setCheckable(True)
            entry.setChecked(count == self._count)
        menu.addSeparator()
        ladder = menu.addAction("Different Temperatures")
        ladder.setCheckable(True)
        ladder.setChecked(self._has_ladder)
        ladder.toggled.connect(self.ladderChosen)
        if self._count > 1 and self._offered:
            menu.addSeparator()
            for number in range(self._count):
                self._add_presets(menu, number)
        return menu

    def _add_presets(self, menu: QMenu, number: int) -> None:
        """Add a menu of what an answer can be written with."""
        chosen = self._presets[number]
        with_chosen = f": {chosen.replace('&', '&&')}" if chosen else ""
        presets = menu.addMenu(f"Answer {LETTERS[number]}{with_chosen}")
        for name in ("", *self._offered):
            entry = presets.addAction((name or CHOSEN).replace("&", "&&"))
            entry.triggered.connect(partial(self._choose_preset, number, name))
            entry.setCheckable(True)
            entry.setChecked(name == chosen)
            if not name:
                presets.addSeparator()

    def _choose_preset(self, number: int, name: str, _is_checked: bool = False) -> None:
        self.presetChosen.emit(number, name)

    def _place(self, menu: QMenu) -> QPoint:
        return QPoint(0, -menu.sizeHint().height())

    def _paint(self, painter: QPainter, rect: QRectF) -> None:
        theme, state = self._style.theme, self.state
        is_plain = self._count == 1 and state not in (State.HOVER, State.PRESSED)
        fill_rounded(painter, rect, self.ring_radius, theme.fill if is_plain else theme.fill2)
        color = theme.text2 if self._count == 1 else theme.text
        middle = QPointF(rect.left() + _SIDE + self._icon / 2 if self.text() else rect.center().x(), rect.center().y())
        self._style.icons.paint(painter, Icon.ANSWERS, middle, color, self._icon)
        words = rect.adjusted(_SIDE + self._icon + _GAP, 0, -_SIDE, 0)
        draw_text(painter, self._style.text_style(TextRole.SMALL_MEDIUM), words, self.text(), color)
