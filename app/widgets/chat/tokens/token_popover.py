"""The card of a token: what stands there, what else could have, and what it costs to go on with that."""

from __future__ import annotations

from PySide6.QtCore import QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from app.protocol.choices import WHOLE
from app.viewmodels.tokens.token_state import TokenRow, TokenState
from app.widgets.kit.drawing import draw_text, elided, fill_rounded, smooth, stroke_rounded, wrapped
from app.widgets.kit.icon_paths import Icon
from app.widgets.kit.marks import paint_bar
from app.widgets.kit.popover import Popover
from app.widgets.kit.style import Style
from app.widgets.kit.typography import TextRole

_WIDTH, _PAD, _ROW, _SIDE = 304, 16, 28, 6
_BAR, _BAR_HEIGHT, _SHARE = 120, 6, 62
_TICK, _TO_TEXT = 14, 24
_LINE_GAP, _GAP = 12, 8
_ROW_RADIUS = 7
_RIGHT = Qt.AlignmentFlag.AlignRight


class TokenPopover(Popover):
    """Shows a `TokenState`. Signals: pointed(int), the mouse is on this row; pressed(int), it was pressed."""

    pointed = Signal(int)
    pressed = Signal(int)

    def __init__(self, style: Style, window: QWidget) -> None:
        super().__init__(style, window)
        self.state = TokenState()
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents, False)
        self.setMouseTracking(True)
        self.setAccessibleName("Token")

    def show_token(self, state: TokenState, rect: QRect, pane: QRect) -> None:
        """Show what could stand at a rectangle of the window. pane: as of `point_at`."""
        self.state = state
        self.setAccessibleDescription(state.spoken)
        self.point_at(QSize(self._style.typography.scaled(_WIDTH), self._height()), rect, pane)

    @property
    def words_rect(self) -> QRect:
        """The line at the foot in which own words are typed; below it stands what they cost."""
        foot = self.foot
        return QRect(foot.left(), foot.top(), foot.width(), round(self._small) + 6)

    @property
    def foot(self) -> QRect:
        """The lines at the foot, without the sentence about them."""
        box = self.box
        height = self._foot_height - len(self._note_lines) * self._small
        top = box.bottom() - _LINE_GAP - self._foot_height
        return QRectF(box.left() + _PAD, top, box.width() - 2 * _PAD, height).toRect()

    def _height(self) -> int:
        head = self._style.text_style(TextRole.HEADLINE).line
        return round(
            2 * _LINE_GAP + head + len(self.state.rows) * self._row + _SIDE + 1 + _LINE_GAP + self._foot_height
        )

    @property
    def _row(self) -> int:
        return max(_ROW, round(self._style.text_style(TextRole.CODE).line) + 8)

    @property
    def _small(self) -> float:
        return self._style.text_style(TextRole.SMALL).line

    @property
    def _foot_height(self) -> float:
        """Points of what Return does and costs, and of the sentence about it."""
        lines = 1 if self._has_price_beside else 2
        return lines * (self._small + 6) + len(self._note_lines) * self._small

    @property
    def _note_lines(self) -> list[str]:
        small, width = self._style.text_style(TextRole.SMALL), self._style.typography.scaled(_WIDTH) - 2 * _PAD
        return wrapped(small, self.state.note, width) if self.state.note else []

    @property
    def _has_price_beside(self) -> bool:
        small, width = self._style.text_style(TextRole.SMALL), self._style.typography.scaled(_WIDTH) - 2 * _PAD
        if self.state.is_written:
            return False
        return small.width(f"⏎{self.state.deed}{self.state.price}") + 3 * _GAP + _GAP <= width

    def _row_rect(self, number: int) -> QRectF:
        box = self.box
        top = box.top() + _LINE_GAP + self._style.text_style(TextRole.HEADLINE).line + _GAP / 2
        return QRectF(box.left() + _SIDE, top + number * self._row, box.width() - 2 * _SIDE, self._row)

    def _row_at(self, event: QMouseEvent) -> int:
        rows = range(len(self.state.rows))
        return next((number for number in rows if self._row_rect(number).contains(event.position())), -1)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        number = self._row_at(event)
        self.setCursor(Qt.CursorShape.PointingHandCursor if number >= 0 else Qt.CursorShape.ArrowCursor)
        if number >= 0:
            self.pointed.emit(number)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Take no focus from the chat, and nothing to what lies behind."""

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        number = self._row_at(event)
        if number >= 0 and event.button() is Qt.MouseButton.LeftButton:
            self.pressed.emit(number)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = smooth(QPainter(self))
        self.paint_ground(painter)
        self._paint_head(painter)
        for number, row in enumerate(self.state.rows):
            self._paint_row(painter, self._row_rect(number), row, is_chosen=number == self.state.chosen)
        self._paint_foot(painter)
        painter.end()

    def _paint_head(self, painter: QPainter) -> None:
        style, theme, box = self._style, self._style.theme, self.box
        head, small = style.text_style(TextRole.HEADLINE), style.text_style(TextRole.SMALL)
        line = QRectF(box.left() + _PAD, box.top() + _LINE_GAP - 2, box.width() - 2 * _PAD, head.line)
        place = draw_text(painter, small, line, self.state.place, theme.text2, _RIGHT)
        title = line.adjusted(0, 0, -place - _GAP, 0)
        draw_text(painter, head, title, elided(head, self.state.title, title.width()), theme.text)

    def _paint_row(self, painter: QPainter, rect: QRectF, row: TokenRow, *, is_chosen: bool) -> None:
        style, theme = self._style, self._style.theme
        scale = style.typography.scale
        code, words, small = (style.text_style(one) for one in (TextRole.CODE, TextRole.UI, TextRole.SMALL))
        ink = theme.onaccent if is_chosen else theme.text
        if is_chosen:
            fill_rounded(painter, rect, _ROW_RADIUS, theme.accentfill)
        inner = rect.adjusted(_PAD - _SIDE, 0, -(_PAD - _SIDE), 0)
        if row.is_there:
            center = inner.topLeft() + QRectF(0, 0, _TICK, rect.height()).center()
            style.icons.paint(painter, Icon.CHECK, center, theme.onaccent if is_chosen else theme.accent, _TICK)
        share = draw_text(painter, small, inner, row.percent, ink if is_chosen else theme.text2, _RIGHT)
        right = inner.right() - max(share, _SHARE * scale)
        left = inner.left() + _TO_TEXT
        bar_width = min(_BAR * scale, (right - left) * 0.62)
        bar = QRectF(right - bar_width, rect.center().y() - _BAR_HEIGHT / 2, bar_width, _BAR_HEIGHT)
        text = QRectF(left, rect.top(), bar.left() - left - _GAP, rect.height())
        kind = words if row.is_end or not row.text else code
        self._paint_text(painter, text, row, kind is code, ink)
        self._paint_bar(painter, bar, row, is_chosen=is_chosen)

    def _paint_text(self, painter: QPainter, rect: QRectF, row: TokenRow, is_code: bool, ink: QColor) -> None:
        """Draw a token; the dot that stands for its blank is fainter."""
        kind = self._style.text_style(TextRole.CODE if is_code else TextRole.UI)
        faint = QColor(ink)
        faint.setAlphaF(0.55)
        blank = kind.width("·") if row.text.startswith(" ") and is_code else 0.0
        if blank:
            draw_text(painter, kind, rect, "·", faint)
        rest = rect.adjusted(blank, 0, 0, 0)
        words = row.shown[1:] if blank else row.shown
        draw_text(painter, kind, rest, elided(kind, words, rest.width()), ink)

    def _paint_bar(self, painter: QPainter, bar: QRectF, row: TokenRow, *, is_chosen: bool) -> None:
        theme = self._style.theme
        most = max((one.share or 0 for one in self.state.rows), default=0) or WHOLE
        part = (row.share or 0) / most
        if is_chosen:
            ground = QColor(theme.onaccent)
            ground.setAlphaF(0.35)
            fill_rounded(painter, bar, _BAR_HEIGHT / 2, ground)
            filled = QRectF(bar.left(), bar.top(), max(_BAR_HEIGHT, bar.width() * part), bar.height())
            if part:
                fill_rounded(painter, filled, _BAR_HEIGHT / 2, theme.onaccent)
        elif row.is_below:  # told apart from those of the list by more than its place
            stroke_rounded(painter, bar, _BAR_HEIGHT / 2, theme.mute)
        else:
            paint_bar(painter, theme, bar, ((part, theme.accentgfx if row.is_there else theme.mute),))

    def _paint_foot(self, painter: QPainter) -> None:
        style, theme, box, state = self._style, self._style.theme, self.box, self.state
        small, foot = style.text_style(TextRole.SMALL), QRectF(self.foot)
        painter.fillRect(QRectF(box.left() + 1, foot.top() - _LINE_GAP, box.width() - 2, 1), theme.line)
        line = QRectF(foot.left(), foot.top(), foot.width(), self._small + 6)
        cap = QRectF(line.left(), line.top(), small.width("⏎") + 12, line.height())
        fill_rounded(painter, cap, 5, theme.fill)
        stroke_rounded(painter, cap, 5, theme.line2)
        draw_text(painter, small, cap, "⏎", theme.text2, Qt.AlignmentFlag.AlignHCenter)
        said = line.adjusted(cap.width() + _GAP, 0, 0, 0)
        draw_text(painter, small, said, elided(small, state.deed, said.width()), theme.text)
        price = line if self._has_price_beside else line.translated(0, line.height())
        draw_text(
            painter,
            small,
            price,
            state.price,
            theme.text2,
            _RIGHT if self._has_price_beside else Qt.AlignmentFlag.AlignLeft,
        )
        y = foot.bottom()
        for words in self._note_lines:
            draw_text(painter, small, QRectF(foot.left(), y, foot.width(), self._small), words, theme.text2)
            y += self._small
