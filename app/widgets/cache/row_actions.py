"""The verbs of the chosen row of the trie: buttons under it, and a menu; and the line that folds others."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPoint, QPointF, QRect, QRectF, QSize, Signal
from PySide6.QtGui import QPainter, QResizeEvent
from PySide6.QtWidgets import QMenu, QWidget

from app.viewmodels.edges import edge_text
from app.viewmodels.edges.edge_region import EdgeState, Home
from app.viewmodels.text.branch_titles import quoted
from app.viewmodels.text.formatting import DOT
from app.widgets.kit.button_rows import GAP, arrange_buttons, button_rows
from app.widgets.kit.controls import Button, Control, State
from app.widgets.kit.drawing import draw_text, fill_rounded, whole_parts
from app.widgets.kit.icon_paths import Icon
from app.widgets.kit.refused import refuse
from app.widgets.kit.style import Style
from app.widgets.kit.typography import TextRole

_INSET, _ABOVE = 16, 8
_FREEING = {
    "stop": ("Stop", Icon.STOP),
    "evict": ("Evict", Icon.EVICTED),
    "warm_up": ("Warm Up", Icon.RESTORED),
}
_NO_ROW = "Choose a row of the tree first."


class RowActions(QWidget):
    """Three buttons: Show in Chat, Pin or Unpin, and Evict, Warm Up or Stop, whichever is of use.

    Signal: asked(str), the id of a command.
    """

    asked = Signal(str)

    def __init__(self, style: Style, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._style = style
        self._state = EdgeState()
        self.setAccessibleName("Chosen row")
        self.show_button = Button(style, "Show in Chat", icon=Icon.EYE, parent=self)
        self.pin_button = Button(style, "Pin", icon=Icon.PIN, parent=self, others=["Unpin"])
        self.free_button = Button(style, "Evict", icon=Icon.EVICTED, parent=self, others=["Warm Up", "Stop"])
        self._commands = ["show_row", "pin_row", "evict_row"]
        for place, button in enumerate(self.buttons):
            button.clicked.connect(lambda _on=False, place=place: self.asked.emit(self._commands[place]))
        style.changed.connect(self._arrange)
        self.show_state(self._state)

    @property
    def buttons(self) -> Sequence[Button]:
        """The buttons, from the left to the right."""
        return self.show_button, self.pin_button, self.free_button

    @property
    def _shown(self) -> Sequence[Button]:
        return [button for button in self.buttons if not button.isHidden()]

    @property
    def is_to_warm_up(self) -> bool:
        """Whether the last button warms the chosen row up, and can."""
        return self._commands[2] == "warm_up_row" and self.free_button.isEnabled()

    def sizeHint(self) -> QSize:
        return QSize(300, self.heightForWidth(300))

    def heightForWidth(self, width: int) -> int:
        rows = len(button_rows(self._shown, width - 2 * _INSET))
        return 2 * _ABOVE + rows * self._style.typography.row + (rows - 1) * GAP

    def show_state(self, now: EdgeState) -> None:
        """Name and enable the buttons by what can be done with the chosen row."""
        self._state = now
        frees = "stop" if now.warming else "evict" if now.can_evict or not now.can_warm_up else "warm_up"
        self._commands = [
            "show_row",
            "unpin_row" if now.can_unpin else "pin_row",
            {"stop": "warm_up", "evict": "evict_row", "warm_up": "warm_up_row"}[frees],
        ]
        self.pin_button.set_text("Unpin" if now.can_unpin else "Pin")
        words, icon = _FREEING[frees]
        self.free_button.set_text(words, icon)
        can = (now.can_show, now.can_pin or now.can_unpin, frees == "stop" or now.can_evict or now.can_warm_up)
        tips = (
            f"Goes to {quoted(now.title)}",
            "Lets it make room for others again" if now.can_unpin else "Keeps it, whatever else needs room",
            {
                "stop": now.warming,
                "evict": "Frees its state; no word is touched",
                "warm_up": f"Reads it in the background: {now.price or 'its price is not known yet'}",
            }[frees],
        )
        for button, is_enabled, tip in zip(self.buttons, can, tips, strict=True):
            button.setEnabled(is_enabled)
            button.setToolTip(tip if now.chosen or is_enabled else _NO_ROW)
            button.setAccessibleDescription(button.toolTip())
        refuse(self.pin_button, now.refusal)
        self.pin_button.setVisible("pins" in now.can_ever)
        self.free_button.setVisible(not now.can_ever.isdisjoint({"evictions", "warm_ups"}))
        self._arrange()

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._arrange()

    def _arrange(self) -> None:
        room = QRect(_INSET, _ABOVE, self.width() - 2 * _INSET, self._style.typography.row)
        arrange_buttons(self._shown, room)


class OthersLine(Control):
    """ "Other conversations · 12 edges · 240 MB": shows their rows, or folds them away."""

    ring_radius = 6.0

    def __init__(self, style: Style, parent: QWidget | None = None) -> None:
        super().__init__(style, "Other conversations", parent)
        self.setCheckable(True)

    def sizeHint(self) -> QSize:
        return QSize(200, self._style.typography.row)

    def show_state(self, now: EdgeState) -> None:
        """Say how much belongs to others, and whether that is shown."""
        self.setChecked(now.shows_others)
        self.setAccessibleName(edge_text.others(now.others))
        tip = "Hide the rows of other conversations" if now.shows_others else "Show the rows of other conversations"
        self.setToolTip(tip)
        self.setAccessibleDescription(tip)
        self.update()

    def _paint(self, painter: QPainter, rect: QRectF) -> None:
        theme, state = self._style.theme, self.state
        if state in (State.HOVER, State.PRESSED):
            fill_rounded(painter, rect, self.ring_radius, theme.fill if state is State.HOVER else theme.fill2)
        inner = rect.adjusted(_INSET - 8, 0, 8 - _INSET, 0)
        size = self._style.typography.icon(12)
        icon = Icon.FOLD if self.isChecked() else Icon.RIGHT
        self._style.icons.paint(painter, icon, QPointF(inner.left() + size / 2, inner.center().y()), theme.text3, size)
        words = inner.adjusted(size + 6, 0, 0, 0)
        small = self._style.text_style(TextRole.SMALL)
        draw_text(painter, small, words, whole_parts(small, self.accessibleName(), words.width(), DOT), theme.text2)


def row_menu(parent: QWidget, now: EdgeState, homes: Sequence[Home], asked: RowActions) -> QMenu:
    """Return the menu of the chosen row; `asked` tells which command was chosen."""
    menu = QMenu(parent)
    menu.setToolTipsVisible(True)
    pinning = ("unpin_row", "Unpin", True) if now.can_unpin else ("pin_row", "Pin", now.can_pin)
    entries = (
        ("", ("show_row", "Show in Chat" if len(homes) < 2 else "Show in Chat…", now.can_show)),
        ("pins", pinning),
        ("evictions", ("evict_row", "Evict", now.can_evict)),
        ("warm_ups", ("warm_up_row", f"Warm Up: {now.price}" if now.price else "Warm Up", now.can_warm_up)),
    )
    offered = [entry for ability, entry in entries if not ability or ability in now.can_ever]
    for command, title, is_enabled in offered:
        entry = menu.addAction(title)
        entry.setEnabled(is_enabled)
        refuse(entry, now.refusal if command in ("pin_row", "unpin_row") else "")
        entry.triggered.connect(lambda _on=False, command=command: asked.asked.emit(command))
    return menu


def choose_home(parent: QWidget, homes: Sequence[Home], at: QPoint) -> str:
    """Have a person choose among the conversations that share a row; "" where none was chosen."""
    menu = QMenu(parent)
    for home in homes:
        menu.addAction(home.title.replace("&", "&&")).setData(home.conversation_id)
    chosen = menu.exec(at)
    return str(chosen.data()) if chosen is not None else ""
