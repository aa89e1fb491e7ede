"""The Markdown of a document, or of a piece of one: what is copied of an answer reads again as what was seen."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby

from PySide6.QtCore import Qt
from PySide6.QtGui import QTextBlock, QTextBlockFormat, QTextCharFormat, QTextCursor, QTextFormat, QTextTable

from app.widgets.chat.markdown.copied import clean
from app.widgets.chat.markdown.document import DecorationKind, QuietDocument
from app.widgets.chat.markdown.formula_object import source_of

_SPECIAL = re.compile(r"([\\`*_\[\]<>~|&$!])")
_BEGINNING, _NUMBER = re.compile(r"^(\s*)([#+=-])"), re.compile(r"^(\s*\d{1,9})([.)])")
_CLOSING, _ESCAPED = re.compile(r"#(?=\s*$)"), r"\\#"  # of a heading, which would not be shown
_TICKS = re.compile(r"`+")
_BOLD = 600
_BOXES = {QTextBlockFormat.MarkerType.Checked: "[x] ", QTextBlockFormat.MarkerType.Unchecked: "[ ] "}


def fenced(code: str, language: str = "") -> str:
    """Return code between fences that are longer than any in it."""
    ticks = "`" * max(3, 1 + max((len(run) for run in _TICKS.findall(code)), default=0))
    return f"{ticks}{language}\n{code}\n{ticks}"


def written_markdown(document: QuietDocument, start: int, end: int) -> str:
    """Return the Markdown of what stands between two positions; of a table, whole rows and always its head."""
    return _Writer(document, start, min(end, document.characterCount() - 1)).text()


class _Writer:
    """Goes through the blocks once. `_widths`: columns that each level of lists is moved in by."""

    def __init__(self, document: QuietDocument, start: int, end: int) -> None:
        self._document, self._start, self._end = document, start, end
        self._quotes = {one.block: one.level for one in document.decorations if one.kind is DecorationKind.QUOTE}
        self._rules = {one.block for one in document.decorations if one.kind is DecorationKind.RULE}
        self._widths: list[int] = []
        self._lists: dict[int, tuple[int, str]] = {}  # by level: the list that was there last, and its mark

    def text(self) -> str:
        pieces: list[str] = []
        before: QTextBlock | None = None
        for (kind, _place), group in groupby(self._blocks(), self._kind_of):
            blocks = list(group)
            piece = self._piece(kind, blocks)
            if piece is None:
                continue
            if before is not None:
                pieces.append("\n" if before.textList() and blocks[0].textList() else self._gap(before, blocks[0]))
            pieces.append(piece)
            before = blocks[-1]
        return "".join(pieces)

    def _blocks(self) -> Iterator[QTextBlock]:
        block = self._document.findBlock(self._start)
        is_to_end = self._end >= self._document.characterCount() - 1
        while block.isValid() and (is_to_end or block.position() < self._end or block.position() == self._start):
            yield block
            block = block.next()

    def _kind_of(self, block: QTextBlock) -> tuple[str, int]:
        """Return what a block belongs to: a table or a run of code as a whole, everything else by itself."""
        table = QTextCursor(block).currentTable()
        if table:
            return "table", table.firstPosition()
        if _is_code(block):
            code = block
            while code.previous().isValid() and _is_code(code.previous()):
                code = code.previous()
            return "code", code.position()
        return "text", block.position()

    def _gap(self, before: QTextBlock, block: QTextBlock) -> str:
        """Return what divides two blocks; within a quotation the line between is quoted too."""
        level = min(self._quotes.get(before.blockNumber(), 0), self._quotes.get(block.blockNumber(), 0))
        return f"\n{('> ' * level).rstrip()}\n"

    def _piece(self, kind: str, blocks: list[QTextBlock]) -> str | None:
        first = blocks[0]
        if kind == "table":
            return self._table(QTextCursor(first).currentTable(), blocks)
        lead = "> " * self._quotes.get(first.blockNumber(), 0)
        if kind == "code":
            code = "\n".join(self._plain(block) for block in blocks)
            language = first.blockFormat().property(QTextFormat.Property.BlockCodeLanguage) or ""
            inner = lead + " " * sum(self._widths[: first.blockFormat().indent()])
            return "\n".join(f"{inner}{line}".rstrip() for line in fenced(code, language).split("\n"))
        if first.blockNumber() in self._rules:
            return f"{lead}---"
        words = self._inline(first)
        if not words and not first.textList():
            return None
        heading = first.blockFormat().headingLevel()
        if heading:
            return f"{lead}{'#' * heading} {_CLOSING.sub(_ESCAPED, words)}"
        return lead + self._item(first) + _as_words(words)

    def _item(self, block: QTextBlock) -> str:
        """Return what stands before the words of a list's item, or of a paragraph that goes on in it."""
        found = block.textList()
        if not found:
            depth = block.blockFormat().indent()
            del self._widths[depth:]
            return " " * sum(self._widths)
        depth = found.format().indent() - 1
        self._widths += [2] * (depth - len(self._widths))
        del self._widths[depth:]
        mark = self._mark(block, depth)
        indent = " " * sum(self._widths)
        self._widths.append(len(mark))
        box = _BOXES.get(block.blockFormat().marker(), "")
        return indent + mark + box

    def _mark(self, block: QTextBlock, depth: int) -> str:
        """Return a number with its own sign, or a dash; beside another list of the same level a star."""
        found = block.textList()
        text = found.itemText(block)
        if text[:1].isalnum():
            return f"{found.format().start() + found.itemNumber(block)}{text[-1]} "
        known, sign = self._lists.get(depth, (-2, "*"))
        if known != found.objectIndex():
            sign = "*" if sign == "-" else "-"
            self._lists[depth] = (found.objectIndex(), sign)
        return f"{sign} "

    def _table(self, table: QTextTable, blocks: list[QTextBlock]) -> str:
        rows = sorted({0, *(table.cellAt(block.position()).row() for block in blocks)})
        lines = [self._cells(table, row) for row in rows]
        rule = "|" + "|".join(_aligned(table, column) for column in range(table.columns())) + "|"
        return "\n".join([lines[0], rule, *lines[1:]])

    def _cells(self, table: QTextTable, row: int) -> str:
        """Return a row of a table, whole: half of one has no form."""
        cells = []
        for column in range(table.columns()):
            cell = table.cellAt(row, column)
            block = cell.firstCursorPosition().block()
            cells.append(self._runs(block, is_strong=row == 0, is_cell=True).strip())
        return "| " + " | ".join(cells) + " |"

    # Runs of text

    def _plain(self, block: QTextBlock) -> str:
        first, last = max(self._start - block.position(), 0), self._end - block.position()
        return clean(block.text()[first:last])

    def _inline(self, block: QTextBlock) -> str:
        return self._runs(block, is_strong=bool(block.blockFormat().headingLevel()), is_cell=False)

    def _runs(self, block: QTextBlock, *, is_strong: bool, is_cell: bool) -> str:
        """Return the runs of a block. is_strong: what is bold there is so by its place. is_cell: all of it."""
        written: list[str] = []
        iterator = block.begin()
        while not iterator.atEnd():
            fragment = iterator.fragment()
            first, last = 0, fragment.length()
            if not is_cell:
                first = max(self._start - fragment.position(), 0)
                last = min(last, self._end - fragment.position())
            source = source_of(fragment.charFormat())
            if first < last and source:
                written.append(source)
            elif first < last:
                text = _utf16(fragment.text(), first, last)
                written.append(_run(clean(text), fragment.charFormat(), is_strong=is_strong, is_cell=is_cell))
            iterator += 1
        return "".join(written)


def _run(text: str, char_format: QTextCharFormat, *, is_strong: bool, is_cell: bool) -> str:
    """Return a run of one format, its blanks outside of the marks."""
    bare = text.strip()
    if not bare:
        return text
    lead, trail = text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]
    if char_format.fontFixedPitch():
        words = _code(bare).replace("|", r"\|") if is_cell else _code(bare)
    else:
        words = _SPECIAL.sub(r"\\\1", bare).replace("\n", "\\\n")
        if char_format.fontWeight() >= _BOLD and not is_strong:
            words = f"**{words}**"
        if char_format.fontItalic():
            words = f"*{words}*"
        if char_format.fontStrikeOut():
            words = f"~~{words}~~"
    if char_format.isAnchor() and char_format.anchorHref():
        words = f"[{words}](<{char_format.anchorHref()}>)"
    return f"{lead}{words}{trail}"


def _code(text: str) -> str:
    ticks = "`" * (1 + max((len(run) for run in _TICKS.findall(text)), default=0))
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{ticks}{pad}{text}{pad}{ticks}"


def _is_code(block: QTextBlock) -> bool:
    """Return whether a block is a line of code: fenced, or moved in."""
    wanted = QTextFormat.Property
    block_format = block.blockFormat()
    return bool(block_format.hasProperty(wanted.BlockCodeFence) or block_format.hasProperty(wanted.BlockCodeLanguage))


def _aligned(table: QTextTable, column: int) -> str:
    """Return how a column is aligned, as the line below the head says it; the head itself does not know."""
    alignment = table.cellAt(min(1, table.rows() - 1), column).firstCursorPosition().blockFormat().alignment()
    if alignment & Qt.AlignmentFlag.AlignHCenter:
        return ":-:"
    return "--:" if alignment & Qt.AlignmentFlag.AlignRight else "---"


def _as_words(words: str) -> str:
    """Keep a line that begins like a heading or the item of a list from becoming one."""
    return _NUMBER.sub(r"\1\\\2", _BEGINNING.sub(r"\1\\\2", words))


def _utf16(text: str, first: int, last: int) -> str:
    """Return a part of a text by positions that Qt counts."""
    if text.isascii() or max(text) <= "\uffff":
        return text[first:last]
    return text.encode("utf-16-le")[2 * first : 2 * last].decode("utf-16-le", "ignore")
