"""The words of an edge's row: first words and state, then range, tokens, bytes and age."""

from __future__ import annotations

import time
from collections.abc import Callable

from PySide6.QtCore import QEvent, QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QHelpEvent, QPainter
from PySide6.QtWidgets import QAbstractItemView, QStyle, QStyleOptionViewItem

from app.protocol.trie_view import TrieNodeView
from app.viewmodels.cache.rows import RESIDENCY_NAMES, title_of
from app.viewmodels.kit.lists import AnyIndex, RowRole
from app.viewmodels.text import formatting
from app.widgets.kit.drawing import draw_text
from app.widgets.kit.icon_paths import Icon
from app.widgets.kit.item_views import RowDelegate
from app.widgets.kit.marks import paint_pill, pill_width
from app.widgets.kit.style import Style
from app.widgets.kit.tips import show_tip
from app.widgets.kit.typography import TextRole, TextStyle

Clock = Callable[[], float]
PaintLines = Callable[[QPainter, QRectF, TrieNodeView], None]
RIGHT_INSET = 16
_BETWEEN = 10
_WIDEST_PILL = 0.45  # of a row
_PIN, _TO_PIN = 12, 5


class TrieDelegate(RowDelegate):
    """Paints the words of an edge right of its disc, over the lines that lead there."""

    def __init__(
        self,
        style: Style,
        view: QAbstractItemView,
        text_left: Callable[[int], float],
        paint_lines: PaintLines,
        clock: Clock = time.time,
    ) -> None:
        """text_left: abscissa of an edge's words. clock: seconds since the epoch, for ages."""
        super().__init__(style, view)
        self._text_left = text_left
        self._paint_lines = paint_lines
        self._clock = clock

    @property
    def hover(self) -> QColor:
        return self._style.theme.fill

    def sizeHint(self, option: QStyleOptionViewItem, index: AnyIndex) -> QSize:
        return QSize(0, self._style.typography.two_line_row)

    def helpEvent(
        self, event: QHelpEvent, view: QAbstractItemView, option: QStyleOptionViewItem, index: AnyIndex
    ) -> bool:
        """Show all words of a row in a tooltip, where the row shows only part of them."""
        node: TrieNodeView | None = index.data(RowRole.ROW)
        if node is None or event.type() != QEvent.Type.ToolTip:
            return False
        show_tip(event.globalPos(), self.whole(node) if self._is_cut(option.rect, node) else "", view)
        return True

    def whole(self, node: TrieNodeView) -> str:
        """Return all words of a row, on three lines."""
        age = formatting.age(node.used_at, self._clock())
        where = [RESIDENCY_NAMES[node.residency]]
        if node.disk_bytes and node.residency != "disk":
            where.append(f"On disk too, {formatting.size(node.disk_bytes)}")
        where += ["Pinned"] * node.is_pinned
        return "\n".join((title_of(node), formatting.DOT.join(figures(node)), formatting.DOT.join((*where, age))))

    def _is_cut(self, row: QRect, node: TrieNodeView) -> bool:
        left, right = self._text_left(node.id), row.right() + 1 - RIGHT_INSET
        cap = self._style.text_style(TextRole.CAP)
        name = self._name_style(node).width(title_of(node)) + self._pin_room(node)
        name += self._pill_room(node)
        line = cap.width(formatting.DOT.join(figures(node))) + cap.width(formatting.age(node.used_at, self._clock()))
        return max(name, line) + _BETWEEN > right - left or not self._has_pill(node, right - left)

    def _has_pill(self, node: TrieNodeView, room: float) -> bool:
        """Return whether the state is said in words: not where they leave the row none, as the disc says it too."""
        return self._pill_room(node) <= _WIDEST_PILL * room

    def _pill_room(self, node: TrieNodeView) -> float:
        """Return the points that the state takes in words."""
        return pill_width(self._style, RESIDENCY_NAMES[node.residency], node.residency)

    def _pin_room(self, node: TrieNodeView) -> int:
        """Return the points that the mark of a pin takes after the name."""
        return self._style.typography.icon(_PIN) + _TO_PIN if node.is_pinned else 0

    def _name_style(self, node: TrieNodeView) -> TextStyle:
        return self._style.text_style(TextRole.UI_MEDIUM if node.residency == "live" else TextRole.UI)

    def paint_content(self, painter: QPainter, rect: QRectF, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        node: TrieNodeView = index.data(RowRole.ROW)
        is_selected = bool(option.state & QStyle.StateFlag.State_Selected)
        words = QRectF(option.rect)
        self._paint_lines(painter, words, node)
        words.setLeft(self._text_left(node.id))
        words.setRight(words.right() + 1 - RIGHT_INSET)
        self._paint_name(painter, words, node, is_selected)
        self._paint_figures(painter, words, node, is_selected)

    def _paint_name(self, painter: QPainter, rect: QRectF, node: TrieNodeView, is_selected: bool) -> None:
        theme, text_style = self._style.theme, self._name_style(node)
        height = text_style.line - 1
        line = QRectF(rect.left(), rect.top() + 3, rect.width(), height)
        surface = theme.panel if is_selected else None
        middle = line.center().y()
        if self._has_pill(node, rect.width()):
            name = RESIDENCY_NAMES[node.residency]
            left = paint_pill(painter, self._style, rect.right(), middle, name, node.residency, surface)
            line.setRight(left - _BETWEEN)
        line.setRight(line.right() - self._pin_room(node))
        color = theme.text2 if node.residency == "none" else theme.text
        width = draw_text(painter, text_style, line, title_of(node), color)
        if node.is_pinned:
            size = self._style.typography.icon(_PIN)
            center = QPointF(line.left() + width + _TO_PIN + size / 2, middle)
            self._style.icons.paint(painter, Icon.PIN, center, theme.text2, size)

    def _paint_figures(self, painter: QPainter, rect: QRectF, node: TrieNodeView, is_selected: bool) -> None:
        text_style, color = (
            self._style.text_style(TextRole.CAP),
            self._style.theme.text2 if is_selected else self._style.theme.text3,
        )
        height = text_style.line + 1
        line = QRectF(rect.left(), rect.bottom() - 4 - height, rect.width(), height)
        age = formatting.age(node.used_at, self._clock())
        line.setRight(
            line.right() - draw_text(painter, text_style, line, age, color, Qt.AlignmentFlag.AlignRight) - _BETWEEN
        )
        draw_text(painter, text_style, line, self._fitting(figures(node), text_style, line.width()), color)

    def _fitting(self, parts: list[str], text_style: TextStyle, width: float) -> str:
        """Return as many of the parts as fit whole: the last figures go first."""
        while len(parts) > 1 and text_style.width(formatting.DOT.join(parts)) > width:
            parts.pop()
        return formatting.DOT.join(parts)


def figures(node: TrieNodeView) -> list[str]:
    """Return an edge's figures, for example "412-3 412", "3 000 tok", "240 MB"; no bytes where nothing is held."""
    parts = [formatting.token_range(node.start, node.end), f"{formatting.number(node.tokens)} tok"]
    if node.held_bytes:
        parts.append(formatting.size(node.held_bytes))
    return parts
