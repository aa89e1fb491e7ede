"""Which controls stand beside which message now: on hover, under the keyboard, and on the last answer."""

from __future__ import annotations

from collections.abc import Container, Iterator

from app.widgets.chat.messages.disclosure_line import OVERHANG
from app.widgets.chat.messages.row_controls import ACTION, OF_ANSWER, ControlKind, ControlSpec
from app.widgets.chat.messages.row_item import RowItem
from app.widgets.chat.messages.row_view import RowView

STRIP = (1 + len(OF_ANSWER)) * ACTION + 8
# Icons are narrower than their buttons: this much brings an icon's edge to that of the text.
_OVERHANG = 5
_APART = 8


def visible_controls(view: RowView, active: Container[int], enabled: frozenset[str]) -> list[ControlSpec]:
    """Return all controls of the messages in sight.

    active: the rows that have them all. enabled: ids of the commands that can act now.
    """
    rows, offset = view.layout_of_rows, view.verticalOffset()
    bottom = offset + view.viewport().height()
    found: list[ControlSpec] = []
    for number in rows.in_sight(offset, bottom):
        item, top = rows.item(number), rows.top(number) - offset
        found += _of_row(item, number, top, enabled, is_active=number in active)
        found += _of_code(item, number, top, view.viewport().height())
    return found


def _of_row(
    item: RowItem, number: int, top: float, enabled: frozenset[str], *, is_active: bool
) -> Iterator[ControlSpec]:
    row, right = item.row, round(item.name.right())
    middle = round(top + item.name.center().y())
    if row.versions > 1:
        yield ControlSpec(
            ControlKind.SWITCHER, number, row.id, right, middle, version=row.version, versions=row.versions
        )
    if row.branch:
        yield ControlSpec(ControlKind.NAME, number, row.id, right, middle, text=row.branch)
    if row.thought is not None and row.prefill is None:
        place = item.thought
        left, height = round(place.left()) - OVERHANG, round(top + place.center().y())
        yield ControlSpec(ControlKind.THOUGHT, number, row.id, right, height, left, part=row.thought)
    for at, attachment in enumerate(row.attachments):
        place = item.attachment(at)
        left, height = round(place.left()) - OVERHANG, round(top + place.center().y())
        yield ControlSpec(ControlKind.ATTACHMENT, number, row.id, right, height, left, block=at, part=attachment)
    if row.is_unanswered:
        height = round(top + item.note.center().y())
        yield ControlSpec(ControlKind.UNANSWERED, number, row.id, right, height, round(item.note_end) + _APART)
    if not is_active or row.is_streaming or row.prefill is not None:
        return
    if item.is_question:
        yield ControlSpec(
            ControlKind.QUESTION, number, row.id, right + _OVERHANG, middle, text=row.text, enabled=enabled
        )
    else:
        middle = round(top + item.footer.center().y())
        yield ControlSpec(ControlKind.ANSWER, number, row.id, right + _OVERHANG, middle, text=row.text, enabled=enabled)


def _of_code(item: RowItem, number: int, top: float, height: int) -> Iterator[ControlSpec]:
    if item.row.prefill is not None:
        return
    start = top + item.text.top()
    for card in item.body.cards(-start, height - start):
        right = round(item.text.left() + card.head.right()) - _APART
        middle = round(start + card.head.center().y())
        yield ControlSpec(ControlKind.CODE, number, item.row.id, right, middle, block=card.block, code=card.code)
