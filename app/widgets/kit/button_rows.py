"""Buttons beside each other, in as many rows as their words need."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRect

from app.widgets.kit.controls import Button

GAP = 8


def button_rows(buttons: Sequence[Button], room: int) -> list[list[Button]]:
    """Return buttons in rows, as many in each as have room for all their words."""
    rows: list[list[Button]] = []
    for button in buttons:
        taken = sum(one.sizeHint().width() - one.spare + GAP for one in rows[-1]) if rows else 0
        if rows and taken + button.sizeHint().width() - button.spare <= room:
            rows[-1].append(button)
        else:
            rows.append([button])
    return rows


def arrange_buttons(buttons: Sequence[Button], room: QRect) -> None:
    """Give each button the room its words need, and share what is left in its row. room: of the first row."""
    top = room.top()
    for row in button_rows(buttons, room.width()):
        hints = [button.sizeHint().width() for button in row]
        spare = (room.width() - GAP * (len(row) - 1) - sum(hints)) / len(row)
        left = float(room.left())
        for button, hint in zip(row, hints, strict=True):
            button.setGeometry(round(left), top, round(hint + spare), room.height())
            left += hint + spare + GAP
        top += room.height() + GAP
