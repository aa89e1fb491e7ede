"""Text and shapes as every painted part draws them."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QWidget

from app.protocol.excerpts import is_cut
from app.widgets.kit.typography import TextStyle

_CLOSING = "”"
_LEFT, _RIGHT, _CENTER = Qt.AlignmentFlag.AlignLeft, Qt.AlignmentFlag.AlignRight, Qt.AlignmentFlag.AlignHCenter


def smooth(painter: QPainter) -> QPainter:
    """Switch antialiasing on and return the painter."""
    painter.setRenderHints(
        QPainter.RenderHint.Antialiasing
        | QPainter.RenderHint.TextAntialiasing
        | QPainter.RenderHint.SmoothPixmapTransform
    )
    return painter


def fill_ground(painter: QPainter, widget: QWidget, color: QColor) -> None:
    """Fill a widget behind which nothing is painted, with the pixels of its edge that are not wholly its own."""
    painter.fillRect(widget.rect().adjusted(-1, -1, 1, 1), color)


def has_room(text_style: TextStyle, title: str, width: float) -> bool:
    """Return whether the title of a branch is seen whole on a line of this width."""
    return not is_cut(title) and text_style.width(title) <= width


def draw_text(
    painter: QPainter,
    text_style: TextStyle,
    rect: QRectF,
    text: str,
    color: QColor,
    align: Qt.AlignmentFlag = _LEFT,
    elide: Qt.TextElideMode = Qt.TextElideMode.ElideRight,
) -> float:
    """Draw one line in the vertical middle of `rect`, cut with an ellipsis where too long; return its width."""
    shown, width = text, text_style.width(text)
    if width > rect.width():
        shown = elided(text_style, text, rect.width(), elide)
        width = text_style.width(shown)
    x = rect.x()
    if align == _RIGHT:
        x = rect.right() - width
    elif align == _CENTER:
        x += (rect.width() - width) / 2
    ascent, descent = text_style.ascent, text_style.descent
    baseline = round((rect.y() + (rect.height() - ascent - descent) / 2 + ascent) * 2) / 2
    painter.setFont(text_style.font)
    painter.setPen(color)
    painter.drawText(QPointF(x, baseline), shown)
    return width


def elided(
    text_style: TextStyle, text: str, width: float, elide: Qt.TextElideMode = Qt.TextElideMode.ElideRight
) -> str:
    """Return a text cut with an ellipsis where it is wider than `width`; a quotation keeps its closing mark."""
    shown = text_style.metrics.elidedText(text, elide, width + 0.5)
    if shown == text or not text.endswith(_CLOSING):
        return shown
    inner = text.removesuffix(_CLOSING).removesuffix("…")
    cut = text_style.metrics.elidedText(f"{inner}…", elide, width + 0.5 - text_style.width(_CLOSING))
    return cut + _CLOSING if cut else shown


def fill_rounded(painter: QPainter, rect: QRectF, radius: float, color: QColor) -> None:
    """Fill a rounded shape without an outline."""
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(color)
    painter.drawRoundedRect(rect, radius, radius)


def stroke_rounded(painter: QPainter, rect: QRectF, radius: float, color: QColor, width: float = 1.0) -> None:
    """Draw a rounded outline that lies wholly inside `rect`."""
    inset = width / 2
    painter.setPen(QPen(color, width))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRoundedRect(rect.adjusted(inset, inset, -inset, -inset), radius - inset, radius - inset)


def whole_parts(text_style: TextStyle, text: str, width: float, *between: str) -> str:
    """Return as many parts of a text as `width` has room for, from the first on, which stands there in any case.

    between: what its parts are set apart by, such as ", "; the last one is left out first, whatever is before it.
    """
    while text_style.width(text) > width and (end := max(text.rfind(mark) for mark in between)) > 0:
        text = text[:end]
    return text


def wrapped(text_style: TextStyle, text: str, width: float) -> list[str]:
    """Break a text into lines of at most `width` points; a word that is longer has a line of its own."""
    lines: list[str] = []
    for word in text.split(" "):
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and text_style.width(longer) <= width:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines
