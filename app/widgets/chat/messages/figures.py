"""The figures of an answer: below it when it is written, in a card while its prompt is read."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter

from app.viewmodels.chat.rows import Footer, PrefillRow
from app.viewmodels.text import formatting
from app.widgets.kit.drawing import draw_text, fill_rounded, stroke_rounded, whole_parts
from app.widgets.kit.marks import paint_cost
from app.widgets.kit.style import Style
from app.widgets.kit.theme import Theme
from app.widgets.kit.typography import TextRole

_BAR, _GAP = 48, 8
_SWATCH, _SHARES_APART = 14, 18
_DOT = "  ·  "
_RIGHT = Qt.AlignmentFlag.AlignRight


def figure_words(footer: Footer, *, is_done: bool) -> list[str]:
    """Return the figures of an answer, the most telling first: tokens, rate, time to the first token, why it ended."""
    found = []
    if footer.tokens is not None:
        found.append(formatting.tokens(footer.tokens))
    if footer.rate is not None:
        found.append(formatting.rate(footer.rate, is_done=is_done))
    if footer.first_token is not None:
        found.append(formatting.first_token(footer.first_token))
    if footer.stop:
        found.append(footer.stop)
    return found


def paint_footer(painter: QPainter, style: Style, rect: QRectF, footer: Footer, *, is_done: bool) -> None:
    """Paint an answer's figures in one line; where `rect` is too narrow the last ones are left out."""
    theme, text_style = style.theme, style.text_style(TextRole.CAP)
    line = QRectF(rect)
    if footer.reused is not None and footer.computed is not None:
        bar = QRectF(line.left(), line.center().y() - 2, _BAR, 4)
        paint_cost(painter, theme, bar, footer.reused, footer.computed)
        line.setLeft(bar.right() + _GAP)
        reused = f"{'about ' if footer.is_about else ''}{formatting.number(footer.reused)} reused"
        line.setLeft(line.left() + draw_text(painter, text_style, line, reused, theme.accent))
        computed = f"  +  {formatting.number(footer.computed)} computed"
        line.setLeft(line.left() + draw_text(painter, text_style, line, computed, theme.text2) + 12)
    figures = fitting(figure_words(footer, is_done=is_done), style, line.width() - 12)
    if not figures:
        return
    if line.left() > rect.left():
        painter.fillRect(QRectF(round(line.left()), line.center().y() - 6, 1, 12), theme.line2)
        line.setLeft(line.left() + 12)
    draw_text(painter, text_style, line, figures, theme.text3)


def fitting(figures: list[str], style: Style, width: float) -> str:
    """Return as many figures as fit into `width` points, from the first on."""
    text_style = style.text_style(TextRole.CAP)
    while figures and text_style.width(_DOT.join(figures)) > width:
        figures = figures[:-1]
    return _DOT.join(figures)


def prefill_height(style: Style, prefill: PrefillRow) -> int:
    """Return the card's height in points; without a reason it ends above the line."""
    small = style.text_style(TextRole.SMALL).line
    bare = style.text_style(TextRole.TITLE).line + small + 51
    return bare + (small + 21 if prefill.why else 0)


def paint_prefill(painter: QPainter, style: Style, rect: QRectF, prefill: PrefillRow) -> None:
    """Paint how far a prompt is read: percent, time left, bar, three figures, rate, and why it must be read at all."""
    theme, title, small = style.theme, style.text_style(TextRole.TITLE), style.text_style(TextRole.SMALL)
    stroke_rounded(painter, rect, 10, theme.line)
    inner = rect.adjusted(16, 14, -16, -12)
    head = QRectF(inner.left(), inner.top(), inner.width(), title.line)
    done, total = prefill.done, max(1, prefill.total)
    draw_text(painter, title, head, formatting.percent(done / total), theme.text)
    draw_text(painter, style.text_style(TextRole.UI), head, _time_left(prefill), theme.text2, _RIGHT)
    bar = QRectF(inner.left(), head.bottom() + 10, inner.width(), 8)
    paint_cost(painter, theme, bar, prefill.cached, done - prefill.cached, total - done)
    line = QRectF(inner.left(), bar.bottom() + 9, inner.width(), small.line)
    rate = formatting.rate(prefill.rate, is_done=False) if prefill.rate > 0 else ""
    shares = list(_shares(theme, prefill))
    if _shares_width(style, shares) + 12 + small.width(rate) <= line.width():
        draw_text(painter, small, line, rate, theme.text2, _RIGHT)
    while _shares_width(style, shares) > line.width() and len(shares) > 1:
        shares.pop()
    _paint_shares(painter, style, line, shares)
    if prefill.why:
        painter.fillRect(QRectF(inner.left(), round(line.bottom() + 10), inner.width(), 1), theme.line)
        why = QRectF(inner.left(), line.bottom() + 19, inner.width(), small.line)
        draw_text(painter, small, why, whole_parts(small, prefill.why, why.width(), ", "), theme.text2)


def _time_left(prefill: PrefillRow) -> str:
    if prefill.rate <= 0:
        return ""
    return f"{formatting.about((prefill.total - prefill.done) / prefill.rate)} left"


def _shares(theme: Theme, prefill: PrefillRow) -> Iterator[tuple[QColor, str]]:
    """Return the parts of a prompt, each with the colour that it has in the bar."""
    yield theme.accentgfx, f"{formatting.number(prefill.cached)} from the cache"
    yield theme.mute, f"{formatting.number(prefill.done - prefill.cached)} computed"
    yield theme.track, f"{formatting.number(prefill.total - prefill.done)} to go"


def _shares_width(style: Style, shares: list[tuple[QColor, str]]) -> float:
    small = style.text_style(TextRole.SMALL)
    return sum(_SWATCH + small.width(words) for _color, words in shares) + _SHARES_APART * (len(shares) - 1)


def _paint_shares(painter: QPainter, style: Style, line: QRectF, shares: list[tuple[QColor, str]]) -> None:
    for color, words in shares:
        fill_rounded(painter, QRectF(line.left(), line.center().y() - 4, 8, 8), 2.5, color)
        line = line.adjusted(_SWATCH, 0, 0, 0)
        width = draw_text(painter, style.text_style(TextRole.SMALL), line, words, style.theme.text2)
        line = line.adjusted(width + _SHARES_APART, 0, 0, 0)
