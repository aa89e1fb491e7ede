"""Markdown as the chat sets it: the roles of the look for headings, code and links, and its measures between blocks."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtGui import (
    QFont,
    QTextBlock,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
    QTextFrameFormat,
    QTextLength,
    QTextListFormat,
    QTextTable,
)

from app.widgets.chat.document import FIXED, Mark, QuietDocument, Sign, line_format
from app.widgets.kit.look import Look
from app.widgets.kit.typography import Face, Type

_MARKDOWN = QTextDocument.MarkdownFeature.MarkdownDialectGitHub | QTextDocument.MarkdownFeature.MarkdownNoHTML
_HEADINGS = {1: Type.TITLE, 2: Type.SUBTITLE}
_DOTS = (QTextListFormat.Style.ListDisc, QTextListFormat.Style.ListCircle, QTextListFormat.Style.ListSquare)
_SIGNS = {
    QTextBlockFormat.MarkerType.Unchecked: Sign.UNCHECKED,
    QTextBlockFormat.MarkerType.Checked: Sign.CHECKED,
}
_RULE = 8
_SEMIBOLD = QFont.Weight.DemiBold
# Quotations and lists within one another are moved in so often at most: deeper ones would leave the column.
_DEEPEST = 8
_PARAGRAPH, _BEFORE_LIST, _ITEM, _QUOTE, _CELL = 12, 8, 4, 16, 6


def markdown_document(source: str, look: Look) -> QuietDocument:
    """Markdown set in the type of the chat. HTML stays text, images become links that say what they are."""
    document = QuietDocument(look, Type.BODY)
    document.setMarkdown(source, _MARKDOWN)
    cursor = QTextCursor(document)
    cursor.beginEditBlock()
    _dress_text(document, cursor, look)
    _dress_blocks(document, cursor, look)
    cursor.endEditBlock()
    return document


# Runs of text


@dataclass(frozen=True, slots=True)
class _Span:
    start: int
    end: int
    heading: int
    style: QTextCharFormat


def _dress_text(document: QuietDocument, cursor: QTextCursor, look: Look) -> None:
    """Replace images, and give code, links and bold text their type. From the end, so that positions stay true."""
    for span in reversed(_spans(document)):
        cursor.setPosition(span.start)
        cursor.setPosition(span.end, QTextCursor.MoveMode.KeepAnchor)
        if span.style.isImageFormat():
            _replace_image(cursor, span.style, look)
        else:
            style = _styled(span, look)
            if style is not None:
                cursor.setCharFormat(style)


def _spans(document: QuietDocument) -> list[_Span]:
    found = []
    block = document.begin()
    while block.isValid():
        heading = block.blockFormat().headingLevel()
        iterator = block.begin()
        while not iterator.atEnd():
            piece = iterator.fragment()
            found.append(_Span(piece.position(), piece.position() + piece.length(), heading, piece.charFormat()))
            iterator += 1
        block = block.next()
    return found


def _replace_image(cursor: QTextCursor, style: QTextCharFormat, look: Look) -> None:
    image = style.toImageFormat()
    described = image.property(QTextFormat.Property.ImageAltText) or image.property(QTextFormat.Property.ImageTitle)
    link = QTextCharFormat()
    link.setAnchor(True)
    link.setAnchorHref(image.name())
    _as_link(link, look)
    cursor.insertText(f"Image: {described or image.name()}", link)


def _styled(span: _Span, look: Look) -> QTextCharFormat | None:
    """The format as the chat sets it, or None where it already is."""
    style = span.style
    if style.fontFixedPitch() or "monospace" in (style.fontFamilies() or ()):
        result = _inline_code(style, look)
    elif span.heading:
        result = _heading(style, _heading_face(span.heading, look))
    elif style.fontWeight() > _SEMIBOLD:
        result = QTextCharFormat(style)
        result.setFontWeight(_SEMIBOLD)
    elif style.isAnchor():
        result = QTextCharFormat(style)
    else:
        return None
    if style.isAnchor():
        _as_link(result, look)
    return result


def _heading_face(level: int, look: Look) -> Face:
    return look.face(_HEADINGS.get(level, Type.BODY_STRONG))


def _heading(style: QTextCharFormat, face: Face) -> QTextCharFormat:
    result = QTextCharFormat(style)
    result.clearProperty(QTextFormat.Property.FontSizeAdjustment)
    result.setFont(face.font)
    result.setFontItalic(style.fontItalic())
    return result


def _inline_code(style: QTextCharFormat, look: Look) -> QTextCharFormat:
    result = QTextCharFormat()
    result.setFont(look.face(Type.CODE).font)
    result.setBackground(look.theme.fill2)
    result.setAnchor(style.isAnchor())
    result.setAnchorHref(style.anchorHref())
    return result


def _as_link(style: QTextCharFormat, look: Look) -> None:
    style.setForeground(look.theme.accent)
    style.setFontUnderline(True)


# Blocks


def _dress_blocks(document: QuietDocument, cursor: QTextCursor, look: Look) -> None:
    tables: set[QTextTable] = set()
    block = document.begin()
    while block.isValid():
        cursor.setPosition(block.position())
        table = cursor.currentTable()
        if table:
            tables.add(table)
            cursor.setBlockFormat(_cell_format(block, look))
        else:
            _dress_block(document, cursor, block, look)
        block = block.next()
    for table in tables:
        _dress_table(table, look)


def _dress_block(document: QuietDocument, cursor: QTextCursor, block: QTextBlock, look: Look) -> None:
    style = block.blockFormat()
    level = style.headingLevel()
    line = (_heading_face(level, look) if level else look.face(Type.BODY)).line
    is_rule = _is_rule(style)
    is_gap = not block.text() and not block.textList() and not is_rule
    _take_quote(document, block, style, look)
    _take_bullet(document, block)
    if is_rule:
        document.marks.append(Mark(Sign.RULE, block.blockNumber()))
        style.clearProperty(QTextFormat.Property.BlockTrailingHorizontalRulerWidth)
    style.setLineHeight(1 if is_gap else _RULE if is_rule else line, FIXED)
    style.setTopMargin(0)
    style.setBottomMargin(0 if is_gap else look.type.scaled(_space_below(block)))
    cursor.setBlockFormat(style)


def _is_rule(style: QTextBlockFormat) -> bool:
    return bool(style.hasProperty(QTextFormat.Property.BlockTrailingHorizontalRulerWidth))


def _space_below(block: QTextBlock) -> int:
    following = block.next()
    if not following.isValid():
        return 0
    if block.textList() and following.textList():
        return _ITEM
    return _BEFORE_LIST if following.textList() or block.blockFormat().headingLevel() else _PARAGRAPH


def _take_quote(document: QuietDocument, block: QTextBlock, style: QTextBlockFormat, look: Look) -> None:
    level = min(_DEEPEST, int(style.property(QTextFormat.Property.BlockQuoteLevel) or 0))
    if level:
        document.marks.append(Mark(Sign.QUOTE, block.blockNumber(), level))
        style.setLeftMargin(look.type.scaled(_QUOTE) * level)


def _take_bullet(document: QuietDocument, block: QTextBlock) -> None:
    """Bullets and check boxes are drawn small and grey, not as Qt draws them. Numbers stay Qt's."""
    found = block.textList()
    if not found:
        return
    style = found.format()
    is_dotted, is_too_deep = style.style() in _DOTS, style.indent() > _DEEPEST
    if is_dotted:
        style.setStyle(QTextListFormat.Style.ListStyleUndefined)
    if is_too_deep:
        style.setIndent(_DEEPEST)
    if is_dotted or is_too_deep:
        found.setFormat(style)
    if style.style() is QTextListFormat.Style.ListStyleUndefined:
        sign = _SIGNS.get(block.blockFormat().marker(), Sign.BULLET)
        document.marks.append(Mark(sign, block.blockNumber(), style.indent()))


def _cell_format(block: QTextBlock, look: Look) -> QTextBlockFormat:
    style = line_format(look.face(Type.BODY))
    style.setAlignment(block.blockFormat().alignment())
    return style


def _dress_table(table: QTextTable, look: Look) -> None:
    style = table.format()
    style.setBorder(1)
    style.setBorderStyle(QTextFrameFormat.BorderStyle.BorderStyle_Solid)
    style.setBorderBrush(look.theme.line2)
    style.setBorderCollapse(True)
    style.setCellSpacing(0)
    style.setCellPadding(look.type.scaled(_CELL))
    style.setMargin(0)
    style.setHeaderRowCount(1)
    style.setWidth(QTextLength())
    table.setFormat(style)
    _drop_stray_block(table)
    bold = QTextCharFormat()
    bold.setFontWeight(_SEMIBOLD)
    for column in range(table.columns()):
        cell = table.cellAt(0, column)
        cursor = cell.firstCursorPosition()
        cursor.setPosition(cell.lastCursorPosition().position(), QTextCursor.MoveMode.KeepAnchor)
        cursor.mergeCharFormat(bold)


def _drop_stray_block(table: QTextTable) -> None:
    """Qt's importer leaves an empty block at the head of a table that follows a paragraph without a blank line."""
    cell = table.cellAt(0, 0)
    cursor = cell.firstCursorPosition()
    if not cursor.block().text() and cell.lastCursorPosition().block() != cursor.block():
        cursor.deleteChar()
