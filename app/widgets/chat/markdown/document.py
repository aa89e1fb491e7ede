"""Text documents of the chat: Markdown, plain text and code, with fixed line heights, and never a resource loaded.

What a model writes must reach neither the disk nor the network. Qt would open the address of a Markdown image: it is
looked up with `loadResource`, and when that finds nothing the name is tried as a file. So every image is exchanged for
its description before the first layout, and `loadResource` answers with an empty picture, which ends the search.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum, auto
from itertools import islice

from PySide6.QtCore import QObject, QUrl
from PySide6.QtGui import (
    QImage,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextLayout,
    QTextOption,
)

from app.protocol.dataclass import dataclass
from app.widgets.chat.markdown.highlight import Ink, runs
from app.widgets.kit.style import Style
from app.widgets.kit.typography import TextRole, TextStyle

FIXED = QTextBlockFormat.LineHeightTypes.FixedHeight.value
INDENT = 20
_TAB = 4  # columns of code
# Colours stop after so many runs of a piece: beyond that they would cost a visible pause.
_MOST_RUNS = 3000
# Characters of a line of code that is not broken.
_LONGEST_LINE = 1000
# What Qt keeps for its own use within a text, and what no font can show: line ends aside, controls and noncharacters.
UNSHOWN = re.compile("[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff\ufdd0-\ufdef\ufffc\ufffe\uffff]")
# Words, one space between two, without a character that may mean more to Markdown than itself within a line.
_PROSE = re.compile(r"[^\s\x00-\x1f\x7f\\`*_{}\[\]<#~|&$@^]+(?: [^\s\x00-\x1f\x7f\\`*_{}\[\]<#~|&$@^]+)*")
_ENDS_TITLE = re.compile("""["')>]""")  # of a link, or its address
_LINE_END = re.compile("[\r\u2028\u2029]")


class DecorationKind(Enum):
    """Kinds of what is drawn beside a block by whoever draws the document."""

    BULLET = auto()
    UNCHECKED = auto()
    CHECKED = auto()
    QUOTE = auto()
    RULE = auto()


@dataclass(frozen=True, slots=True)
class Decoration:
    """A bullet, check box, line or rule beside a block of text. `level` of the list or quotation counts from 1."""

    kind: DecorationKind
    block: int
    level: int = 1


class QuietDocument(QTextDocument):
    """A document that loads nothing. `decorations`: bullets, check boxes, quotation lines and rules to be drawn.

    waiting: formulas, and whether each is a display, of which it was not known how they are drawn. has_formulas:
    whether there may be any.
    """

    def __init__(self, style: Style, role: TextRole, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.decorations: list[Decoration] = []
        self.waiting: list[tuple[str, bool]] = []
        self.has_formulas = False
        self.setUndoRedoEnabled(False)
        self.setDocumentMargin(0)
        self.setDefaultFont(style.text_style(role).font)
        self.setIndentWidth(style.typography.scaled(INDENT))
        option = QTextOption()
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        option.setTabStopDistance(_TAB * style.text_style(TextRole.CODE).width(" "))
        self.setDefaultTextOption(option)

    def loadResource(self, kind: int, name: QUrl | str) -> object:
        """Load nothing, in a form that keeps Qt from looking further."""
        return QImage(1, 1, QImage.Format.Format_ARGB32_Premultiplied)


def adds_words(document: QTextDocument, old: str, new: str) -> bool:
    """Return whether a Markdown text, of which this is the document, has only gained words that mean nothing else.

    They belong to the last word and to its look, which is that of a plain paragraph. A formula or a break that is begun
    may take in anything.
    """
    if not new.startswith(old) or not old or old[-1].isspace() or "$" in old or "\\" in old:
        return False
    line, begun, come = old.splitlines()[-1], old.rsplit(None, 1)[-1], new[len(old) :]
    words = begun + come
    if _PROSE.fullmatch(words) is None or "//" in words or "www." in words.lower():
        return False
    if not (line[0].isalpha() or begun[0].isalpha()) or ("]" in old and _ENDS_TITLE.search(come)):
        return False  # it may begin a list, or end a link
    if not document.lastBlock().text().endswith(begun):
        return False
    cursor = QTextCursor(document)
    cursor.movePosition(QTextCursor.MoveOperation.End)
    return bool(cursor.charFormat().isEmpty())


def goes_on(before: QuietDocument, after: QuietDocument) -> bool:
    """Return whether a paragraph in one look goes on where another one ended: its lines stay, up to the last one."""
    if before.has_formulas or after.has_formulas or before.decorations != after.decorations:
        return False
    looks, texts = [], []
    for document in (before, after):
        block = document.begin()
        pieces = block.begin()
        if document.blockCount() > 1 or pieces.atEnd():
            return False
        piece = pieces.fragment()
        if piece.length() != block.length() - 1:
            return False
        looks.append((block.blockFormat(), piece.charFormat()))
        texts.append(block.text())
    return looks[0] == looks[1] and texts[1].startswith(texts[0])


def shown(text: str) -> str:
    """Return the text with U+FFFD for each character that cannot be shown, and one sort of line end."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").removesuffix("\r")
    return UNSHOWN.sub("\ufffd", _LINE_END.sub("\n", text))


def plain_document(text: str, style: Style) -> QuietDocument:
    """Return a document of text as it was typed."""
    document = QuietDocument(style, TextRole.BODY)
    document.setPlainText(text)
    _set_line_height(document, style.text_style(TextRole.BODY))
    return document


def thought_document(text: str, style: Style) -> QuietDocument:
    """Return a document of what a model thought, quieter than what it says."""
    document = QuietDocument(style, TextRole.SMALL)
    document.setPlainText(text)
    _set_line_height(document, style.text_style(TextRole.SMALL))
    quiet = QTextCharFormat()
    quiet.setForeground(style.theme.text2)
    cursor = QTextCursor(document)
    cursor.select(QTextCursor.SelectionType.Document)
    cursor.mergeCharFormat(quiet)
    cursor.mergeBlockCharFormat(quiet)
    return document


def code_document(code: str, language: str, style: Style, before: str = "") -> QuietDocument:
    """Return code in its colours, in the text's own without a known language. before: the same code up to here.

    Its lines are as long as they are: whoever shows it scrolls it sideways. Only very long ones are broken.
    """
    document = QuietDocument(style, TextRole.CODE)
    if is_scrolled(code):
        option = document.defaultTextOption()
        option.setWrapMode(QTextOption.WrapMode.NoWrap)
        document.setDefaultTextOption(option)
    document.setPlainText(code)
    _set_line_height(document, style.text_style(TextRole.CODE))
    _colour(document, code, language, style, before)
    return document


def is_scrolled(code: str) -> bool:
    """Return whether the lines of code stay whole, because none is longer than a person would scroll."""
    return all(len(line) <= _LONGEST_LINE for line in code.split("\n"))


def _set_line_height(document: QuietDocument, text_style: TextStyle) -> None:
    cursor = QTextCursor(document)
    cursor.select(QTextCursor.SelectionType.Document)
    cursor.mergeBlockFormat(line_format(text_style))


def line_format(text_style: TextStyle) -> QTextBlockFormat:
    """Return the format of a block whose lines are as high as the role's line box."""
    result = QTextBlockFormat()
    result.setLineHeight(text_style.line, FIXED)
    return result


def _colour(document: QuietDocument, code: str, language: str, style: Style, before: str) -> None:
    """Give each line its colours as layout formats, as a highlighter would: the text itself stays plain."""
    styles = {ink: _ink_style(ink, style) for ink in Ink}
    block = document.begin()
    pieces: list[QTextLayout.FormatRange] = []
    for start, end, ink in islice(_runs_after(before, code, language), _MOST_RUNS):
        while start < end:
            if start >= block.position() + block.length():
                block.layout().setFormats(pieces)
                pieces, block = [], document.findBlock(start)
            stop = min(end, block.position() + block.length())
            piece = QTextLayout.FormatRange()
            piece.start, piece.length, piece.format = start - block.position(), stop - start, styles[ink]
            pieces.append(piece)
            start = stop
    block.layout().setFormats(pieces)


def _runs_after(before: str, code: str, language: str) -> Iterator[tuple[int, int, Ink]]:
    """(from, to, ink) of the runs in `code`, as code that follows `before`."""
    skipped = len(before)
    for start, length, ink in runs(before + code, language):
        if start + length > skipped:
            yield max(0, start - skipped), start + length - skipped, ink


def _ink_style(ink: Ink, style: Style) -> QTextCharFormat:
    char_format = QTextCharFormat()
    char_format.setForeground(getattr(style.theme, ink.value))
    return char_format
