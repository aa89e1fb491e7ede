"""Which message a command edits: the one that the person looks at."""

from __future__ import annotations

from app.protocol.chat import Role
from app.viewmodels.chat.path_rows import PathRows
from app.widgets.chat.messages.row_view import RowView


def message_to_edit(view: RowView, rows: PathRows, keyboard_row: int, role: Role) -> str | None:
    """Return the id of the message of a role that is looked at, or None where nobody in this role said anything.

    With the keyboard on a row: that one, or the question or answer that belongs to it. Else the last one whose head is
    in sight whole; where none is, the one that is read: it fills the view, or what belongs to it does.
    """
    if keyboard_row >= 0:
        return _belonging_to(rows, keyboard_row, role)
    seen = view.rows_in_sight()
    if not seen:
        return None
    heads = [number for number in seen if _role_of(rows, number) == role and is_head_in_sight(view, number)]
    return rows.ids[heads[-1]] if heads else _belonging_to(rows, seen[0], role)


def is_head_in_sight(view: RowView, number: int) -> bool:
    """Return whether the line over a message, where its marks stand, is seen whole."""
    head = view.layout_of_rows.item(number).name.translated(0, view.row_rect(number).top())
    return head.top() >= 0 and head.bottom() <= view.viewport().height()


def _belonging_to(rows: PathRows, number: int, role: Role) -> str | None:
    """Return the message of a role that a row is, answers or is answered by; else the nearest one above it."""
    if role == "assistant" and _role_of(rows, number) == "user" and number + 1 < len(rows):
        number += 1
    return next(rows.questions_above(number) if role == "user" else rows.answers_above(number), None)


def _role_of(rows: PathRows, number: int) -> Role:
    return rows.said(number, number + 1)[0][0]
