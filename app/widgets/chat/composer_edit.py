"""The field in which a message is written. Return sends, Shift-Return breaks the line."""

from __future__ import annotations

from PySide6.QtCore import QMimeData, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import (
    QInputMethodEvent,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPaintEvent,
    QTextBlockFormat,
    QTextCursor,
    QTextOption,
)
from PySide6.QtWidgets import QApplication, QFrame, QTextEdit, QWidget

from app.viewmodels.chat import draft_limits
from app.viewmodels.chat.draft_attachments import LONG_PASTE
from app.widgets.kit.drawing import draw_text
from app.widgets.kit.slim_bar import use_slim_bar
from app.widgets.kit.style import Style
from app.widgets.kit.theme import field_palette
from app.widgets.kit.typography import TextRole

_FIXED = QTextBlockFormat.LineHeightTypes.FixedHeight.value
_RETURNS = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
_BREAKS = Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.AltModifier
_COMMANDS = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.MetaModifier


class ComposerEdit(QTextEdit):
    """Plain text only, in the lines of the chat; whatever is pasted or dropped comes in as plain text.

    A Return that belongs to an input method, which is composing a character, never sends.

    Signals: submitted, escaped; pasteRefused(str), why a text was left out that would make every letter wait;
    longPasted(str), a text came that is better attached than put in: call `note_folded` where it was, or else `put_in`;
    unfolded(str), it was put in after all, since the person has taken that back.
    """

    submitted = Signal()
    escaped = Signal()
    pasteRefused = Signal(str)
    longPasted = Signal(str)
    unfolded = Signal(str)

    def __init__(self, style: Style, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._style = style
        self._hint = ""
        self._is_composing = False
        self._folded: list[tuple[str, str]] = []  # what stood here then, and what was attached in place of being put in
        self.setAcceptRichText(False)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setTabChangesFocus(True)
        use_slim_bar(self, style)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.setAccessibleName("Message")
        self.viewport().setAutoFillBackground(False)
        self.document().setDocumentMargin(0)
        style.changed.connect(self._restyle)
        self._restyle()
        self.document().clearUndoRedoStacks()

    @property
    def line(self) -> int:
        """Height of one line in points."""
        return self._style.text_style(TextRole.BODY).line

    @property
    def text_height(self) -> int:
        """The height of all lines in points; one line when there is no text."""
        return max(self.line, round(self.document().size().height()))

    def show_hint(self, text: str) -> None:
        """Show these words while the field is empty."""
        self._hint = text
        self.setAccessibleDescription(text)
        self.viewport().update()

    def show_text(self, text: str) -> None:
        """Replace everything, with the cursor at the end. What was there cannot be undone into another draft."""
        self._folded.clear()
        cursor = QTextCursor(self.document())  # as one change, in lines as high as those before
        cursor.select(QTextCursor.SelectionType.Document)
        cursor.insertText(text)
        self.moveCursor(QTextCursor.MoveOperation.End)
        self.document().clearUndoRedoStacks()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in _RETURNS and not event.modifiers() & _COMMANDS:
            if event.modifiers() & _BREAKS:
                self.textCursor().insertBlock()
                self.ensureCursorVisible()
            elif not self._is_composing:
                self.submitted.emit()
        elif event.key() == Qt.Key.Key_Escape:
            self.escaped.emit()
        elif event.matches(QKeySequence.StandardKey.Undo):
            self.undo()
        elif _deletes_line(event) and not event.matches(QKeySequence.StandardKey.DeleteStartOfWord):
            self._delete_line()
        else:
            super().keyPressEvent(event)

    def _delete_line(self) -> None:
        """Delete as on a Mac: what was selected, else everything from the beginning of the line."""
        cursor = self.textCursor()
        if not cursor.hasSelection():
            cursor.movePosition(QTextCursor.MoveOperation.StartOfLine, QTextCursor.MoveMode.KeepAnchor)
        cursor.removeSelectedText()

    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        self._is_composing = bool(event.preeditString())
        super().inputMethodEvent(event)
        self.viewport().update()

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        """Leave files to the window: a model's folder dropped here is opened, not typed."""
        return source.hasText() and not any(url.isLocalFile() for url in source.urls())

    def insertFromMimeData(self, source: QMimeData) -> None:
        if len(source.text()) > LONG_PASTE:
            self.longPasted.emit(source.text())
        else:
            self.put_in(source.text())

    def paste_plain(self) -> None:
        """Paste text among the words, however long it is."""
        self.put_in(QApplication.clipboard().text())

    def put_in(self, text: str) -> bool:
        """Put a text in where one writes; False, and told, where it is too long for that."""
        cursor = self.textCursor()
        beside = self.document().characterCount() - 1 - (cursor.selectionEnd() - cursor.selectionStart())
        excess = draft_limits.excess(text, beside, cursor.block().length() - 1)
        if excess:
            self.pasteRefused.emit(f"The text was not put in: {excess}. Put in a part of it.")
            return False
        cursor.beginEditBlock()  # a step of undo by itself
        cursor.insertText(text)
        cursor.endEditBlock()
        self.ensureCursorVisible()
        return True

    def note_folded(self, text: str) -> None:
        """Take note that a text was attached and not put in: the next undo puts it in."""
        self._folded.append((self.toPlainText(), text))
        self.undoAvailable.emit(True)

    @property
    def can_undo(self) -> bool:
        """Whether there is something to take back here."""
        return self._is_fold_next or self.document().isUndoAvailable()

    def undo(self) -> None:
        """Take back the last change: a text that was attached in place of being put in is put in."""
        if not self._is_fold_next:
            super().undo()
        elif self.put_in(self._folded[-1][1]):
            self.unfolded.emit(self._folded.pop()[1])

    @property
    def _is_fold_next(self) -> bool:
        return bool(self._folded) and self._folded[-1][0] == self.toPlainText()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self.document().isEmpty() and not self._is_composing and self._hint:
            painter = QPainter(self.viewport())
            rect = QRectF(QPointF(1, 0), self.viewport().size().toSizeF())
            rect.setHeight(self.line)
            draw_text(painter, self._style.text_style(TextRole.BODY), rect, self._hint, self._style.theme.text3)
            painter.end()

    def _restyle(self) -> None:
        self.setPalette(field_palette(self._style.theme))
        self.setFont(self._style.text_style(TextRole.BODY).font)
        self.document().setDefaultFont(self._style.text_style(TextRole.BODY).font)
        has_history = self.document().isUndoAvailable() or self.document().isRedoAvailable()
        self._set_line_height()
        if not has_history:
            self.document().clearUndoRedoStacks()

    def _set_line_height(self) -> None:
        """Typed lines are as high as those of a message; new lines inherit it from the one they break."""
        block_format = QTextBlockFormat()
        block_format.setLineHeight(self.line, _FIXED)
        cursor = QTextCursor(self.document())
        cursor.select(QTextCursor.SelectionType.Document)
        cursor.mergeBlockFormat(block_format)


def _deletes_line(event: QKeyEvent) -> bool:
    return event.key() == Qt.Key.Key_Backspace and event.modifiers() == Qt.KeyboardModifier.ControlModifier
