"""The passages of a message: what one reads one after the other, each a paragraph, a heading, a list, code or a table.

They are what the keyboard goes through within a message and what a screen reader tells of it, as are its links.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import Enum, auto
from itertools import groupby

from PySide6.QtGui import QTextBlock, QTextCursor, QTextFormat

from app.protocol.dataclass import dataclass
from app.protocol.figures import plural
from app.widgets.chat.markdown.blocks import Kind
from app.widgets.chat.markdown.document import QuietDocument
from app.widgets.chat.markdown.footnotes import Link, link_of
from app.widgets.chat.markdown.tables import table_rows
from app.widgets.chat.messages.block_layout import BlockLayout

END = 1 << 30


class PassageKind(Enum):
    """Kinds of passages, by what is said before their words."""

    TEXT = auto()
    HEADING = auto()
    LIST = auto()
    QUOTATION = auto()
    TABLE = auto()
    ROW = auto()
    CODE = auto()
    THOUGHT = auto()
    LINK = auto()


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage: from which character of which block of its message to which. says: what it is, "" for plain text.

    link: where a link leads.
    """

    kind: PassageKind
    says: str
    first: tuple[int, int]
    last: tuple[int, int]
    link: Link = ""


def find_passages(blocks: Sequence[BlockLayout]) -> Iterator[Passage]:
    """Yield the passages of a message in reading order."""
    number = 0
    while number < len(blocks):
        block, end = blocks[number].block, number + 1
        if block.kind is Kind.CODE:
            while end < len(blocks) and blocks[end].block.continues_code:
                end += 1
            lines = sum(one.block.text.count("\n") + 1 for one in blocks[number:end])
            says = ", ".join(filter(None, ["Code", block.language, plural(lines, "line")]))
            yield Passage(PassageKind.CODE, says, (number, 0), (end - 1, END))
        elif block.kind is Kind.THOUGHT:
            yield Passage(PassageKind.THOUGHT, "Thought", (number, 0), (number, END))
        elif block.kind is Kind.PLAIN:
            if block.text.strip():
                yield Passage(PassageKind.TEXT, "", (number, 0), (number, END))
        else:
            yield from _in_document(number, blocks[number].document)
        number = end


def rows_of(table: Passage, document: QuietDocument) -> list[Passage]:
    """Return the rows of a table as passages of their own, each of which says its cells."""
    number = table.first[0]
    found = table_rows(document, table.first[1])
    return [Passage(PassageKind.ROW, row.words, (number, row.first), (number, row.last)) for row in found]


def find_links(blocks: Sequence[BlockLayout], start: int = 0) -> Iterator[Passage]:
    """Yield the links of blocks in reading order. start: number of the first block in its message."""
    for number, laid in enumerate(blocks, start):
        if laid.block.kind is Kind.MARKDOWN:
            for first, last, link in _runs_of_links(laid.document, laid.text_start):
                yield Passage(PassageKind.LINK, "Link", (number, first), (number, last), link)


def _runs_of_links(document: QuietDocument, start: int) -> Iterator[tuple[int, int, Link]]:
    """Yield from where to where each link goes from a position on, and its end; bold words do not divide one."""
    block = document.findBlock(start)
    while block.isValid():
        runs, iterator = list[tuple[int, int, Link]](), block.begin()
        while not iterator.atEnd():
            piece = iterator.fragment()
            runs.append((piece.position(), piece.position() + piece.length(), link_of(piece.charFormat())))
            iterator += 1
        for link, group in groupby(runs, lambda run: run[2]):
            pieces = list(group)
            if link:
                yield pieces[0][0], pieces[-1][1], link
        block = block.next()


def _in_document(number: int, document: QuietDocument) -> Iterator[Passage]:
    """Yield the passages of a run of Markdown: blocks of one list, table or quotation together."""
    block = document.begin()
    while block.isValid():
        kind, says, first, following = _passage_at(block)
        last = following.previous() if following.isValid() else document.lastBlock()
        end = last.position() + last.length() - 1
        if kind is not PassageKind.TEXT or block.text().strip():
            yield Passage(kind, says, (number, first.position()), (number, end))
        block = following


def _passage_at(block: QTextBlock) -> tuple[PassageKind, str, QTextBlock, QTextBlock]:
    """Return the passage that begins with a block, and the block after it."""
    table = QTextCursor(block).currentTable()
    if table:
        following = block
        while following.isValid() and following.position() <= table.lastPosition():
            following = following.next()
        says = f"Table, {plural(table.columns(), 'column')}, {plural(table.rows(), 'row')}"
        return PassageKind.TABLE, says, block, following
    level = block.blockFormat().headingLevel()
    if level:
        return PassageKind.HEADING, f"Heading {level}", block, block.next()
    following = block.next()
    if block.textList():
        items = 1
        while following.isValid() and following.textList():
            items, following = items + 1, following.next()
        return PassageKind.LIST, f"List, {plural(items, 'item')}", block, following
    if _is_quoted(block):
        while following.isValid() and _is_quoted(following):
            following = following.next()
        return PassageKind.QUOTATION, "Quotation", block, following
    return PassageKind.TEXT, "", block, following


def _is_quoted(block: QTextBlock) -> bool:
    return bool(block.blockFormat().property(QTextFormat.Property.BlockQuoteLevel))
