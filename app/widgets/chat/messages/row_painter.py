"""Draws one message: the rail beside it, name, text, note and figures. Its controls are widgets above it."""

from __future__ import annotations

from dataclasses import field, replace

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QPainter, QPalette

from app.protocol.dataclass import dataclass
from app.protocol.trie_view import Residency
from app.viewmodels.text.formatting import DOT
from app.widgets.chat.column import Column
from app.widgets.chat.markdown.marks import NO_MARKS, BlockMarks
from app.widgets.chat.messages.figures import paint_footer, paint_prefill
from app.widgets.chat.messages.message_body import Selection
from app.widgets.chat.messages.row_item import RowItem
from app.widgets.chat.rail import CLEAR, paint_fork, paint_line, paint_residency
from app.widgets.kit.drawing import draw_text, fill_rounded, stroke_rounded, whole_parts
from app.widgets.kit.icon_paths import Icon
from app.widgets.kit.style import Style
from app.widgets.kit.typography import TextRole

_BUBBLE_RADIUS, _CARET_WIDTH, _CARET_HEIGHT, _CARET_GAP = 10, 8, 16, 4
_RING_REACH = 8
_MARK = 12


@dataclass(frozen=True, slots=True)
class RowContext:
    """The surroundings of a row, which it cannot know by itself.

    above: residency of the message before, None for the first or where it is unknown. selection: of its text.
    is_ringed: whether the keyboard is on it. actions: points that its controls take at the right end of its footer.
    marks: marked places of its text. label: what stands beside its name.
    """

    above: Residency | None
    selection: Selection | None = None
    is_ringed: bool = False
    actions: int = 0
    marks: BlockMarks = field(default_factory=lambda: NO_MARKS)
    label: str = ""


class RowPainter:
    """Draws rows in one style. Made anew when the style changes."""

    def __init__(self, style: Style) -> None:
        self._style = style
        self._palette = QPalette()
        for role in (QPalette.ColorRole.Text, QPalette.ColorRole.WindowText):
            self._palette.setColor(role, style.theme.text)

    def paint(
        self, painter: QPainter, item: RowItem, top: float, column: Column, clip: QRectF, context: RowContext
    ) -> None:
        """Draw the row whose top is at `top`; clip: what of the viewport is asked for."""
        painter.save()
        painter.translate(0, top)
        inner = clip.translated(0, -top)
        self._paint_rail(painter, item, column, context, inner.top())
        if inner.top() < item.name.bottom():
            self._paint_name(painter, item, context.label)
        if item.is_question:
            self._paint_bubble(painter, item)
        if item.row.prefill is not None:
            paint_prefill(painter, self._style, item.prefill, item.row.prefill)
        else:
            item.body.paint(painter, item.text.topLeft(), self._palette, inner, context.selection, context.marks)
            self._paint_end(painter, item, context, inner.bottom())
        if context.is_ringed:
            ring = QRectF(column.left - _RING_REACH, item.above - 4, column.width + 2 * _RING_REACH, 0)
            ring.setBottom(item.height + 6)
            stroke_rounded(painter, ring, _BUBBLE_RADIUS, self._style.theme.accentgfx, 2)
        painter.restore()

    def _paint_rail(self, painter: QPainter, item: RowItem, column: Column, context: RowContext, top: float) -> None:
        """Draw the line and the disc beside a row, as far as they lie below `top`."""
        theme, disc, row = self._style.theme, item.disc, item.row
        if row.residency is None:
            return
        if top >= item.name.bottom():
            paint_line(painter, theme, column.rail, disc.y() + CLEAR, item.height, row.residency)
            return
        if context.above is not None:
            paint_line(painter, theme, column.rail, 0, disc.y() - CLEAR, context.above)
        paint_line(painter, theme, column.rail, disc.y() + CLEAR, item.height, row.residency)
        if row.versions > 1:
            paint_fork(painter, self._style, disc, row.version, row.sibling_residencies)
        paint_residency(painter, theme, disc, row.residency)

    def _paint_name(self, painter: QPainter, item: RowItem, label: str) -> None:
        theme, text_style, row = self._style.theme, self._style.text_style(TextRole.SMALL_MEDIUM), item.row
        left = draw_text(painter, text_style, item.name, row.name, theme.text2)
        if row.is_edited:
            left += self._paint_mark(painter, item.name, left, Icon.EDIT, "being edited", theme.accent)
        if row.is_pinned:
            left += self._paint_mark(painter, item.name, left, Icon.PIN, "pinned", theme.text2)
        state = row.doing or label
        if state:
            beside = item.name.adjusted(left + 8, 0, 0, 0)
            draw_text(painter, self._style.text_style(TextRole.SMALL), beside, state, theme.text3)

    def _paint_mark(self, painter: QPainter, line: QRectF, left: float, icon: Icon, word: str, color: QColor) -> float:
        """Draw what is said of a message beside its name; returns how wide that is."""
        center = QPointF(line.left() + left + 8 + _MARK / 2, line.center().y())
        self._style.icons.paint(painter, icon, center, color, _MARK)
        beside = line.adjusted(left + 12 + _MARK, 0, 0, 0)
        return 12 + _MARK + draw_text(painter, self._style.text_style(TextRole.SMALL), beside, word, color)

    def _paint_bubble(self, painter: QPainter, item: RowItem) -> None:
        theme = self._style.theme
        fill_rounded(painter, item.bubble, _BUBBLE_RADIUS, theme.fill)
        if item.row.is_edited:
            stroke_rounded(painter, item.bubble, _BUBBLE_RADIUS, theme.accentgfx, 1.5)
        elif theme.outline.alpha():
            stroke_rounded(painter, item.bubble, _BUBBLE_RADIUS, theme.outline)

    def _paint_end(self, painter: QPainter, item: RowItem, context: RowContext, bottom: float) -> None:
        """Draw what follows the text, as far as it lies above `bottom`."""
        row, theme = item.row, self._style.theme
        if item.has_caret:
            self._paint_caret(painter, item)
        if row.note and item.note.top() < bottom:
            small = self._style.text_style(TextRole.SMALL)
            note = whole_parts(small, row.note, item.note.width(), DOT, ": ")
            draw_text(painter, small, item.note, note, theme.text2)
        if row.footer is not None and not item.is_question and item.footer.top() < bottom:
            line = item.footer.adjusted(0, 0, -context.actions, 0)
            # A note has said already why the answer ended.
            footer = replace(row.footer, stop="") if row.note else row.footer
            paint_footer(painter, self._style, line, footer, is_done=not row.is_streaming)

    def _paint_caret(self, painter: QPainter, item: RowItem) -> None:
        scale = self._style.typography.scale
        end = item.body.end().translated(item.text.topLeft())
        size = QPointF(_CARET_WIDTH, _CARET_HEIGHT) * scale
        left = end.left() + (0 if item.body.is_empty else _CARET_GAP)
        caret = QRectF(left, end.center().y() - size.y() / 2, size.x(), size.y())
        fill_rounded(painter, caret, 2, self._style.theme.accentgfx)
