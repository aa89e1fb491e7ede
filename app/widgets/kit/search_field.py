"""A field above a list in which one searches it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QApplication, QLineEdit, QWidget

from app.widgets.kit.controls import ToolButton
from app.widgets.kit.drawing import draw_text, fill_rounded, smooth, stroke_rounded
from app.widgets.kit.icon_paths import Icon
from app.widgets.kit.letters import is_letter
from app.widgets.kit.own_keys import claim_key
from app.widgets.kit.style import Style
from app.widgets.kit.theme import field_palette
from app.widgets.kit.typography import TextRole

_RADIUS, _SIDE, _ICON, _RIGHT, _APART = 7, 8, 14, 28, 8


class SearchField(QLineEdit):
    """Signals: wentDown, Down: on to what was found; entered, Return; escaped, Escape in the empty field.

    Escape clears it.
    """

    wentDown = Signal()
    entered = Signal()
    escaped = Signal()

    def __init__(
        self, style: Style, name: str, words: str = "Search", keys: str = "", parent: QWidget | None = None
    ) -> None:
        """name: for screen readers. words: shown while it is empty. keys: that lead here, shown beside them
        where both have room."""
        super().__init__(parent)
        self._style = style
        self._words, self._keys = words, keys
        self.setFrame(False)
        self.setAccessibleName(name)
        self.setAttribute(Qt.WidgetAttribute.WA_MacShowFocusRect, False)
        self.clear_button = ToolButton(
            style, Icon.DISCARD, "Clear Search", "Clear (Esc)", 24, 12, is_on_fill=True, parent=self
        )
        self.clear_button.setCursor(Qt.CursorShape.ArrowCursor)
        self.clear_button.clicked.connect(self.clear)
        self.clear_button.hide()
        self.textChanged.connect(self._refresh)
        style.changed.connect(self._restyle)
        self._restyle()

    def sizeHint(self) -> QSize:
        return QSize(200, self._style.typography.row)

    def show_keys(self, keys: str) -> None:
        """Name the keys that lead here."""
        self._keys = keys
        self.update()

    def take_focus(self) -> None:
        """Come here by the keyboard; what was looked for before is replaced by typing."""
        self.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.selectAll()

    def take_letter(self, event: QKeyEvent) -> bool:
        """Type a letter here, wherever the keyboard is. Return False for a key that writes none."""
        if not is_letter(event):
            return False
        self.setFocus(Qt.FocusReason.ShortcutFocusReason)
        QApplication.sendEvent(self, event)
        return True

    def event(self, event: QEvent) -> bool:
        """Keep Escape from the menus while the keyboard is here: it clears or leaves the field and stops no answer."""
        return claim_key(event, Qt.Key.Key_Escape) or super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.entered.emit()
        elif event.key() == Qt.Key.Key_Down:
            self.wentDown.emit()
        elif event.key() == Qt.Key.Key_Escape and self.text():
            self.clear()
        elif event.key() == Qt.Key.Key_Escape:
            self.escaped.emit()
        else:
            super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.clear_button.setGeometry(self.width() - 26, (self.height() - 24) // 2, 24, 24)

    def _refresh(self) -> None:
        self.clear_button.setVisible(bool(self.text()))
        self.update()

    @property
    def _lead(self) -> int:
        """Points before the words."""
        return 2 * _SIDE + self._style.typography.icon(_ICON) - 2

    def _restyle(self) -> None:
        self.setTextMargins(self._lead, 0, _RIGHT, 0)
        self.setPalette(field_palette(self._style.theme))
        self.setFont(self._style.text_style(TextRole.UI).font)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, rect = self._style.theme, QRectF(self.rect())
        painter = smooth(QPainter(self))
        fill_rounded(painter, rect, _RADIUS, theme.raised)
        if self.hasFocus():
            stroke_rounded(painter, rect, _RADIUS, theme.accentgfx, 1.5)
        else:
            stroke_rounded(painter, rect, _RADIUS, theme.line2)
        size = self._style.typography.icon(_ICON)
        self._style.icons.paint(painter, Icon.FIND, QPointF(_SIDE + size / 2, rect.center().y()), theme.text2, size)
        if not self.text():
            words = rect.adjusted(self._lead + 2, 0, -10, 0)
            ui, cap = self._style.text_style(TextRole.UI), self._style.text_style(TextRole.CAP)
            draw_text(painter, ui, words, self._words, theme.text3)
            if ui.width(self._words) + _APART + cap.width(self._keys) <= words.width():
                draw_text(painter, cap, words, self._keys, theme.text3, Qt.AlignmentFlag.AlignRight)
        painter.end()
        super().paintEvent(event)
