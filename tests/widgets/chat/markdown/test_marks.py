"""The ground of the token that is looked at covers no letter of the words beside it."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QRect
from PySide6.QtGui import QImage, QPainter, QTextDocument

from app.widgets.chat.markdown.marks import Mark, Underline, mark_rects, paint_marks
from app.widgets.kit.style import Style
from app.widgets.kit.theme import LIGHT

EDGE = 3  # points beside a token


def painted(document: QTextDocument, marks: list[Mark]) -> QImage:
    """The document with what is painted over it."""
    image = QImage(300, 40, QImage.Format.Format_RGB32)
    image.fill(LIGHT.window)
    painter = QPainter(image)
    document.drawContents(painter)
    paint_marks(painter, document, marks, LIGHT)
    painter.end()
    return image


@pytest.mark.parametrize(("text", "token"), [("Stay in Arroios now", "Arro"), ("Stay in Arroios now", "ios")])
def test_a_letter_beside_a_token_is_seen_whole(style: Style, text: str, token: str) -> None:
    document = QTextDocument(text)
    first = text.index(token)
    mark = Mark(first, first + len(token), is_current=True, underline=Underline.THIN)
    plain, marked = painted(document, []), painted(document, [mark])
    (rect,) = mark_rects(document, mark.start, mark.end)
    left = QRect(round(rect.left()) - EDGE, round(rect.top()), EDGE, round(rect.height()))
    right = QRect(round(rect.right()) + 1, round(rect.top()), EDGE, round(rect.height()))
    for side, beside in ((left, text[first - 1]), (right, text[mark.end])):
        is_same = plain.copy(side) == marked.copy(side)
        assert is_same is beside.isalpha()
