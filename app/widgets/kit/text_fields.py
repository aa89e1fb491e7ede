"""Fields for text on a panel: of one line, and of several. A text that is refused has the colour of an error around."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QMimeData, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFocusEvent, QKeyEvent, QPainter, QPaintEvent, QResizeEvent, QTextCursor
from PySide6.QtWidgets import QFrame, QLineEdit, QPlainTextEdit, QSizePolicy, QWidget

from app.widgets.kit.drawing import fill_rounded, smooth, stroke_rounded
from app.widgets.kit.own_keys import claim_key
from app.widgets.kit.slim_bar import use_slim_bar
from app.widgets.kit.style import Style
from app.widgets.kit.theme import Theme, field_palette
from app.widgets.kit.typography import TextRole

_RADIUS, _INSET, _ABOVE = 6, 8, 6
_LONGEST_LINE = 200  # characters, about, that one line in a panel can hold
_WRAPPED = Qt.TextFlag.TextWordWrap | Qt.TextFlag.TextWrapAnywhere
_FORBIDDEN = "\0\u2028\u2029"


class LineField(QLineEdit):
    """A field of one line. Signals: left(), the keyboard is elsewhere now, or Return was pressed."""

    left = Signal()

    def __init__(self, style: Style, name: str, parent: QWidget | None = None) -> None:
        """name: for screen readers."""
        super().__init__(parent)
        self._style = style
        self._is_refused = False
        self.setFrame(False)
        self.setAccessibleName(name)
        self.setTextMargins(_INSET - 2, 0, _INSET - 2, 0)
        self.setAttribute(Qt.WidgetAttribute.WA_MacShowFocusRect, False)
        style.changed.connect(self._restyle)
        self._restyle()

    def sizeHint(self) -> QSize:
        return QSize(self._style.typography.scaled(84), self._style.typography.row - 2)

    def refuse(self, is_refused: bool) -> None:
        """Show that what stands here cannot be used, or that it can."""
        if is_refused != self._is_refused:
            self._is_refused = is_refused
            self.update()

    def event(self, event: QEvent) -> bool:
        """Keep Escape from the menus while the keyboard is here: it is about the field and stops no answer."""
        return claim_key(event, Qt.Key.Key_Escape) or super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        super().keyPressEvent(event)
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.left.emit()
            event.accept()

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.update()
        self.left.emit()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        self.update()

    def _restyle(self) -> None:
        self.setPalette(field_palette(self._style.theme))
        self.setFont(self._style.text_style(TextRole.UI).font)
        self.updateGeometry()
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = smooth(QPainter(self))
        _paint_frame(painter, self._style.theme, QRectF(self.rect()), self.hasFocus(), self._is_refused)
        painter.end()
        super().paintEvent(event)


class _Text(QPlainTextEdit):
    """Text of several lines in the frame of its parent."""

    focusChanged = Signal()

    def event(self, event: QEvent) -> bool:
        """Keep Escape from the menus while the keyboard is here, as a field of one line does."""
        return claim_key(event, Qt.Key.Key_Escape) or super().event(event)

    def insertFromMimeData(self, source: QMimeData) -> None:
        """Take plain text only."""
        self.insertPlainText("".join(letter for letter in source.text() if letter not in _FORBIDDEN))

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.focusChanged.emit()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.focusChanged.emit()


class TextArea(QWidget):
    """A field of several lines, as high as its text within limits. Tab leaves it.

    Attribute: edit, which takes the keyboard itself: a focus proxy would lead Tab in a ring.
    Signals: edited(str), a person has changed the text; left(), the keyboard is elsewhere now.
    """

    edited = Signal(str)
    left = Signal()

    def __init__(self, style: Style, name: str, least: int, most: int, parent: QWidget | None = None) -> None:
        """name: for screen readers. least, most: lines that it is high."""
        super().__init__(parent)
        self._style, self._least, self._most = style, least, most
        self._is_refused = self._is_told = False
        self.edit = _Text(self)
        self.edit.setFrameShape(QFrame.Shape.NoFrame)
        self.edit.setAccessibleName(name)
        self.edit.setTabChangesFocus(True)
        self.edit.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.edit.viewport().setAutoFillBackground(False)
        self.edit.document().setDocumentMargin(0)
        use_slim_bar(self.edit, style)
        self.edit.textChanged.connect(self._on_text)
        self.edit.focusChanged.connect(self._on_focus)
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        style.changed.connect(self._restyle)
        self._restyle()

    @property
    def text(self) -> str:
        """Return the text in the field."""
        return self.edit.toPlainText()

    def show_text(self, text: str) -> None:
        """Put this text in place of the other. What was there cannot be undone into another one."""
        if text != self.text:
            self._is_told = True
            self.edit.setPlainText(text)
            self._is_told = False
            self.edit.moveCursor(QTextCursor.MoveOperation.End)

    def refuse(self, is_refused: bool) -> None:
        """Show that what stands here cannot be used, or that it can."""
        if is_refused != self._is_refused:
            self._is_refused = is_refused
            self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        self.edit.setGeometry(self.rect().adjusted(_INSET, _ABOVE, -2, -_ABOVE))

    def sizeHint(self) -> QSize:
        return QSize(200, self.heightForWidth(200))

    def minimumSizeHint(self) -> QSize:
        return QSize(80, self._least * self.edit.fontMetrics().lineSpacing() + 2 * _ABOVE + 2)

    def heightForWidth(self, width: int) -> int:
        """Return the height of the text in lines of this width, within the limits."""
        metrics, room = self.edit.fontMetrics(), QRect(0, 0, max(1, width - _INSET - 2), 1 << 20)
        beginning = self.text[: self._most * _LONGEST_LINE]
        lines = round(metrics.boundingRect(room, _WRAPPED, f"{beginning}x").height() / metrics.lineSpacing())
        return min(max(lines, self._least), self._most) * metrics.lineSpacing() + 2 * _ABOVE + 2

    def _on_focus(self) -> None:
        self.update()
        if not self.edit.hasFocus():
            self.left.emit()

    def _on_text(self) -> None:
        self.updateGeometry()
        if not self._is_told:
            self.edited.emit(self.text)

    def _restyle(self) -> None:
        self.edit.setPalette(field_palette(self._style.theme))
        self.edit.setFont(self._style.text_style(TextRole.UI).font)
        self.updateGeometry()
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = smooth(QPainter(self))
        _paint_frame(painter, self._style.theme, QRectF(self.rect()), self.edit.hasFocus(), self._is_refused)
        painter.end()


def _paint_frame(painter: QPainter, theme: Theme, rect: QRectF, has_focus: bool, is_refused: bool) -> None:
    fill_rounded(painter, rect, _RADIUS, theme.raised)
    color: QColor = theme.err if is_refused else theme.accentgfx if has_focus else theme.line2
    stroke_rounded(painter, rect, _RADIUS, color, 1.5 if has_focus or is_refused else 1.0)
