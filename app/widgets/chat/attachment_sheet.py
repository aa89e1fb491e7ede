"""The text of an attachment, to be read before it is sent."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QFrame, QLabel, QPlainTextEdit, QVBoxLayout, QWidget

from app.protocol.chat import Attachment
from app.protocol.excerpts import one_line
from app.viewmodels.text import formatting
from app.widgets.kit.dialogs import close_on_command
from app.widgets.kit.slim_bar import use_slim_bar
from app.widgets.kit.style import Style
from app.widgets.kit.typography import TextRole

MOST_SHOWN = 200_000
"""Characters: a field of many more would make the window wait."""
_LONGEST_LINE = 2000
"""Characters of a line, which is laid out as a whole; a longer one is cut."""
_SIZE = (720, 560)


def show_attachment(style: Style, attachment: Attachment, parent: QWidget) -> QDialog:
    """Open a sheet with the text of an attachment over a window. Escape and the keys that close windows close it."""
    sheet = QDialog(parent)
    sheet.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    sheet.setWindowModality(Qt.WindowModality.WindowModal)
    sheet.setWindowTitle(one_line(attachment.name))
    sheet.resize(*_SIZE)
    text = QPlainTextEdit(sheet)
    text.setReadOnly(True)
    text.setFrameShape(QFrame.Shape.NoFrame)
    text.setFont(style.text_style(TextRole.CODE).font)
    text.setAccessibleName(one_line(attachment.name))
    text.setTabChangesFocus(True)
    use_slim_bar(text, style)
    text.setPlainText("\n".join(_lines(attachment.text[:MOST_SHOWN])))
    column = QVBoxLayout(sheet)
    column.addWidget(text)
    if len(attachment.text) > MOST_SHOWN:
        most, whole = formatting.number(MOST_SHOWN), formatting.plural(len(attachment.text), "character")
        column.addWidget(QLabel(f"The first {most} of {whole}. All of it is sent.", sheet))
    close_on_command(sheet)
    sheet.open()
    return sheet


def _lines(text: str) -> Iterator[str]:
    """Yield the lines of a text, long ones in pieces that end with a word where there is one."""
    for line in text.split("\n"):
        rest = line
        while len(rest) > _LONGEST_LINE:
            end = rest.rfind(" ", 0, _LONGEST_LINE) + 1 or _LONGEST_LINE
            yield rest[:end]
            rest = rest[end:]
        yield rest
