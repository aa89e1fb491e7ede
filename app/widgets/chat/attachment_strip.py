"""What comes with the words in the composer: a chip to each attachment, above the words, in order."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QResizeEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget

from app.viewmodels.chat.draft_attachments import AttachmentChip
from app.widgets.kit.controls import Control, State, ToolButton
from app.widgets.kit.drawing import draw_text, fill_rounded, stroke_rounded, whole_parts
from app.widgets.kit.icon_paths import Icon
from app.widgets.kit.slim_bar import use_slim_bar
from app.widgets.kit.style import Style
from app.widgets.kit.typography import TextRole

_RADIUS, _GAP, _SIDE, _ICON, _CLOSE = 8, 6, 9, 14, 20
_BETWEEN = " · "
_WIDEST, _MOST_ROWS = 340, 3


class AttachmentChipView(Control):
    """One attachment: Return, Space and a click open it; Backspace and Delete, and its small button, remove it."""

    ring_radius = _RADIUS
    removeAsked = Signal()

    def __init__(self, style: Style, parent: QWidget | None = None) -> None:
        super().__init__(style, "", parent)
        self._chip = AttachmentChip("", "", "")
        self.remove = ToolButton(style, Icon.DISCARD, "Remove", "Remove", _CLOSE, 12, is_on_fill=True, parent=self)
        self.remove.clicked.connect(self.removeAsked)

    def show_chip(self, chip: AttachmentChip) -> None:
        """Show another attachment, or other figures of the same one."""
        self._chip = chip
        self.setAccessibleName(chip.spoken)
        self.setToolTip(f"{chip.name}\n{self._detail}")
        self.remove.setAccessibleName(f"Remove {chip.name}")
        self.updateGeometry()
        self.update()

    @property
    def _detail(self) -> str:
        return _BETWEEN.join(word for word in (self._chip.size, self._chip.tokens) if word)

    def sizeHint(self) -> QSize:
        small = self._style.text_style(TextRole.SMALL)
        words = small.width(self._chip.name) + _GAP + small.width(self._detail)
        return QSize(round(words) + self._lead + _GAP + _CLOSE + 5, self._style.typography.row)

    @property
    def _icon(self) -> int:
        return self._style.typography.icon(_ICON)

    @property
    def _lead(self) -> int:
        """Points before the words."""
        return _SIDE + self._icon + _GAP

    def resizeEvent(self, event: QResizeEvent) -> None:
        self.remove.setGeometry(self.width() - _CLOSE - 4, (self.height() - _CLOSE) // 2, _CLOSE, _CLOSE)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Backspace, Qt.Key.Key_Delete):
            self.removeAsked.emit()
        else:
            super().keyPressEvent(event)

    def _paint(self, painter: QPainter, rect: QRectF) -> None:
        theme, small = self._style.theme, self._style.text_style(TextRole.SMALL)
        fill_rounded(painter, rect, _RADIUS, theme.fill if self.state is State.REST else theme.fill2)
        stroke_rounded(painter, rect, _RADIUS, theme.line)
        center = QPointF(_SIDE + self._icon / 2, rect.center().y())
        self._style.icons.paint(painter, Icon.DOCUMENT, center, theme.text2, self._icon)
        left, right = self._lead, rect.right() - _CLOSE - 4 - _GAP
        beside_name = right - left - _GAP - small.width(self._chip.name)
        detail = min(small.width(self._detail), max(beside_name, (right - left) * 0.6))
        name = QRectF(left, rect.top(), right - left - detail - _GAP, rect.height())
        draw_text(painter, small, name, self._chip.name, theme.text)
        used = min(small.width(self._chip.name), name.width())
        figures = QRectF(left + used + _GAP, rect.top(), detail + 1, rect.height())
        draw_text(painter, small, figures, whole_parts(small, self._detail, figures.width(), _BETWEEN), theme.text2)


class AttachmentStrip(QScrollArea):
    """Chips in rows, of which a few are in sight. Signals: opened(int), removed(int), by their numbers from 0 on."""

    opened = Signal(int)
    removed = Signal(int)

    def __init__(self, style: Style, words: QWidget, parent: QWidget | None = None) -> None:
        """words: the field that they come with, after which Tab comes to them."""
        super().__init__(parent)
        self._style, self._words = style, words
        self._page = QWidget()
        self.chips: list[AttachmentChipView] = []
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        use_slim_bar(self, style)
        self.setAccessibleName("Attachments")
        self.viewport().setAutoFillBackground(False)
        self.setWidget(self._page)
        self._page.setAutoFillBackground(False)
        self.hide()

    def show_chips(self, chips: tuple[AttachmentChip, ...]) -> None:
        """Show these attachments. Where the keyboard is on one that goes, it goes to the one before it."""
        focused = next((at for at, one in enumerate(self.chips) if one.hasFocus()), None)
        while len(self.chips) > len(chips):
            gone = self.chips.pop()
            gone.hide()
            gone.deleteLater()
        while len(self.chips) < len(chips):
            self._add()
        for view, chip in zip(self.chips, chips, strict=True):
            view.show_chip(chip)
        if focused is not None and self.chips:
            self.chips[min(focused, len(self.chips) - 1)].setFocus(Qt.FocusReason.OtherFocusReason)
        self.setVisible(bool(chips))
        self._arrange()

    def height_for(self, width: int) -> int:
        """Return the height in points at this width, of at most a few rows."""
        rows = len({place.y() for place in self._places(width)})
        return min(rows, _MOST_ROWS) * (self._style.typography.row + _GAP)

    def _add(self) -> None:
        view = AttachmentChipView(self._style, self._page)
        number = len(self.chips)
        view.clicked.connect(lambda: self.opened.emit(number))
        view.removeAsked.connect(lambda: self.removed.emit(number))
        view.show()
        QWidget.setTabOrder(self.chips[-1].remove if self.chips else self._words, view)
        QWidget.setTabOrder(view, view.remove)
        self.chips.append(view)

    def _places(self, width: int) -> list[QPoint]:
        places, left, top = [], 0, 0
        for chip in self.chips:
            needed = min(chip.sizeHint().width(), _WIDEST, width)
            if left and left + needed > width:
                left, top = 0, top + self._style.typography.row + _GAP
            places.append(QPoint(left, top))
            left += needed + _GAP
        return places

    def _arrange(self) -> None:
        width, row = self.viewport().width(), self._style.typography.row
        places = self._places(width)
        self._page.resize(width, (places[-1].y() if places else 0) + row + _GAP)
        for chip, place in zip(self.chips, places, strict=True):
            chip.setGeometry(place.x(), place.y(), min(chip.sizeHint().width(), _WIDEST, width), row)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()
