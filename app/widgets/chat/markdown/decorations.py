"""What a document leaves to be drawn beside its text: bullets, check boxes, lines of quotations, rules."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen, QTextBlock

from app.widgets.chat.markdown.document import Decoration, DecorationKind, QuietDocument
from app.widgets.kit.drawing import fill_rounded, stroke_rounded
from app.widgets.kit.icon_paths import Icon
from app.widgets.kit.style import Style

_BULLET_RADIUS, _BULLET_GAP, _BOX, _QUOTE_STEP = 2.0, 13, 12, 16


def paint_decorations(painter: QPainter, document: QuietDocument, style: Style) -> None:
    """Draw all decorations of a document whose top left corner is the painter's origin."""
    quoted = {
        decoration.block: decoration.level
        for decoration in document.decorations
        if decoration.kind is DecorationKind.QUOTE
    }
    for decoration in document.decorations:
        block = document.findBlockByNumber(decoration.block)
        rect = document.documentLayout().blockBoundingRect(block)
        if decoration.kind is DecorationKind.RULE:
            painter.fillRect(QRectF(0, round(rect.center().y()), document.textWidth(), 1), style.theme.line2)
        elif decoration.kind is DecorationKind.QUOTE:
            _paint_quote(painter, document, rect, decoration, quoted.get(decoration.block + 1, 0), style)
        else:
            _paint_bullet(painter, rect, decoration, block, style)


def _paint_quote(
    painter: QPainter, document: QuietDocument, rect: QRectF, decoration: Decoration, below: int, style: Style
) -> None:
    """Paint a line to each level, down to the next block where that is quoted too. below: how deep."""
    for level in range(decoration.level):
        bottom = rect.bottom()
        if level < below:
            following = document.findBlockByNumber(decoration.block + 1)
            bottom = document.documentLayout().blockBoundingRect(following).top()
        left = style.typography.scaled(_QUOTE_STEP) * level + 1
        painter.fillRect(QRectF(left, rect.top(), 2, bottom - rect.top()), style.theme.line2)


def _paint_bullet(painter: QPainter, rect: QRectF, decoration: Decoration, block: QTextBlock, style: Style) -> None:
    layout = block.layout()
    if not layout.lineCount():
        return
    line = layout.lineAt(0)
    middle = rect.top() + line.y() + line.height() / 2
    gap = style.typography.scaled(_BULLET_GAP)
    left = layout.position().x() + line.x()
    is_mirrored = block.textDirection() is Qt.LayoutDirection.RightToLeft
    center = QPointF(left + line.width() + gap if is_mirrored else left - gap, middle)
    if decoration.kind is DecorationKind.BULLET:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(style.theme.mute)
        painter.drawEllipse(center, _BULLET_RADIUS * style.typography.scale, _BULLET_RADIUS * style.typography.scale)
    else:
        _paint_box(painter, center, style, is_checked=decoration.kind is DecorationKind.CHECKED)


def _paint_box(painter: QPainter, center: QPointF, style: Style, *, is_checked: bool) -> None:
    side = style.typography.scaled(_BOX)
    box = QRectF(center.x() - side / 2, center.y() - side / 2, side, side)
    if is_checked:
        fill_rounded(painter, box, 3, style.theme.mute)
        style.icons.paint(painter, Icon.CHECK, center, style.theme.window, side - 2, 2.2)
    else:
        stroke_rounded(painter, box, 3, style.theme.mute, 1.4)
        painter.setPen(QPen())
