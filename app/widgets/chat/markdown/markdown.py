"""Markdown as the chat sets it: text roles for headings, code and links, formulas, and the measures between blocks."""

from __future__ import annotations

from dataclasses import replace

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

from app.protocol.dataclass import dataclass
from app.widgets.chat.markdown.document import FIXED, Decoration, DecorationKind, QuietDocument, line_format
from app.widgets.chat.markdown.footnotes import Footnotes, mark_of, marked, with_mark
from app.widgets.chat.markdown.formula_object import (
    FORMULA,
    LINE_END,
    OBJECT,
    FormulaObject,
    formula_format,
    units,
    with_place,
    with_source,
)
from app.widgets.chat.markdown.inlines import (
    STAND_IN,
    Exchange,
    Inline,
    InlineKind,
    exchanged,
    number_of,
    restored,
)
from app.widgets.kit.style import Style
from app.widgets.kit.typography import TextRole, TextStyle

# What Qt has beyond GitHub's dialect: underlines in the place of _emphasis_, and front matter, which it hides.
_UNDERLINE, _FRONT_MATTER = 0x4000, 0x100000
_GITHUB = QTextDocument.MarkdownFeature.MarkdownDialectGitHub.value & ~(_UNDERLINE | _FRONT_MATTER)
_MARKDOWN = QTextDocument.MarkdownFeature(_GITHUB) | QTextDocument.MarkdownFeature.MarkdownNoHTML
_HEADINGS = {1: TextRole.TITLE, 2: TextRole.SUBTITLE}
_DOTS = (QTextListFormat.Style.ListDisc, QTextListFormat.Style.ListCircle, QTextListFormat.Style.ListSquare)
_CHECK_BOXES = {
    QTextBlockFormat.MarkerType.Unchecked: DecorationKind.UNCHECKED,
    QTextBlockFormat.MarkerType.Checked: DecorationKind.CHECKED,
}
_RULE = 8
_STROKE = r"\|"
_MINIMUM = QTextBlockFormat.LineHeightTypes.MinimumHeight.value
_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_SEMIBOLD = QFont.Weight.DemiBold
# Quotations and lists within one another are moved in so often at most: deeper ones would leave the column.
_DEEPEST = 8
_PARAGRAPH, _BEFORE_LIST, _ITEM, _QUOTE, _CELL = 12, 8, 4, 16, 6


def markdown_document(
    source: str,
    style: Style,
    *,
    is_growing: bool = False,
    footnotes: Footnotes | None = None,
    exchange: Exchange = exchanged,
) -> QuietDocument:
    """Set Markdown in the text roles of the chat. HTML stays text, images become links that say what they are.

    is_growing: whether more of it is being written, so that a formula at its end is not shown as it is written.
    footnotes: of the message that it is a part of, None for a text by itself. exchange: what Qt reads, and the inlines
    that are exchanged in it.
    """
    footnotes = footnotes or Footnotes.of([marked(source, may_grow=is_growing)], may_grow=is_growing)
    document = QuietDocument(style, TextRole.BODY)
    text, inlines = exchange(source, is_growing=is_growing)
    document.has_formulas = bool(inlines)
    document.setMarkdown(text + footnotes.definitions(source), _MARKDOWN)
    cursor = QTextCursor(document)
    cursor.beginEditBlock()
    _format_text(document, cursor, style, inlines)
    if inlines:
        _put_inlines(document, cursor, style, inlines, footnotes)
    _format_blocks(document, cursor, style)
    cursor.endEditBlock()
    return document


# Runs of text


@dataclass(frozen=True, slots=True)
class _Span:
    start: int
    end: int
    heading: int
    char_format: QTextCharFormat


def _format_text(document: QuietDocument, cursor: QTextCursor, style: Style, inlines: list[Inline]) -> None:
    """Replace images, and give code, links and bold text their type. From the end, so that positions stay true."""
    for span in reversed(_spans(document)):
        cursor.setPosition(span.start)
        cursor.setPosition(span.end, QTextCursor.MoveMode.KeepAnchor)
        if span.char_format.isImageFormat():
            _replace_image(cursor, span.char_format, style, inlines)
        else:
            char_format = _styled(span, style, inlines)
            if char_format is not None:
                cursor.setCharFormat(char_format)
                _drop_backslashes(cursor, char_format)


def _drop_backslashes(cursor: QTextCursor, char_format: QTextCharFormat) -> None:
    """Show a stroke in the code of a table as what it is: with a backslash it was written only to divide no cells.

    https://github.github.com/gfm/#example-200
    """
    words = cursor.selectedText()
    if _STROKE in words and char_format.fontFixedPitch() and cursor.currentTable():
        cursor.insertText(words.replace(_STROKE, "|"), char_format)


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


def _replace_image(cursor: QTextCursor, char_format: QTextCharFormat, style: Style, inlines: list[Inline]) -> None:
    image = char_format.toImageFormat()
    name = restored(image.name(), inlines)
    described = image.property(QTextFormat.Property.ImageAltText) or image.property(QTextFormat.Property.ImageTitle)
    link = QTextCharFormat()
    link.setAnchor(True)
    link.setAnchorHref(name)
    _as_link(link, style)
    cursor.insertText(f"Image: {described or name}", link)


def _styled(span: _Span, style: Style, inlines: list[Inline]) -> QTextCharFormat | None:
    """Return the format as the chat sets it, or None where it already is."""
    char_format = span.char_format
    if char_format.fontFixedPitch() or "monospace" in (char_format.fontFamilies() or ()):
        result = _inline_code(char_format, style)
    elif span.heading:
        result = _heading(char_format, _heading_style(span.heading, style))
    elif char_format.fontWeight() > _SEMIBOLD:
        result = QTextCharFormat(char_format)
        result.setFontWeight(_SEMIBOLD)
    elif char_format.isAnchor():
        result = QTextCharFormat(char_format)
    else:
        return None
    if char_format.isAnchor():
        result.setAnchorHref(restored(char_format.anchorHref(), inlines))
        _as_link(result, style)
    return result


def _heading_style(level: int, style: Style) -> TextStyle:
    return style.text_style(_HEADINGS.get(level, TextRole.BODY_STRONG))


def _heading(char_format: QTextCharFormat, text_style: TextStyle) -> QTextCharFormat:
    result = QTextCharFormat(char_format)
    result.clearProperty(QTextFormat.Property.FontSizeAdjustment)
    result.setFont(text_style.font)
    result.setFontItalic(char_format.fontItalic())
    return result


def _inline_code(char_format: QTextCharFormat, style: Style) -> QTextCharFormat:
    result = QTextCharFormat()
    result.setFont(style.text_style(TextRole.CODE).font)
    result.setBackground(style.theme.fill2)
    result.setAnchor(char_format.isAnchor())
    result.setAnchorHref(char_format.anchorHref())
    return result


def _as_link(char_format: QTextCharFormat, style: Style) -> None:
    char_format.setForeground(style.theme.accent)
    char_format.setFontUnderline(True)


# Formulas and footnotes


def _put_inlines(
    document: QuietDocument, cursor: QTextCursor, style: Style, inlines: list[Inline], footnotes: Footnotes
) -> None:
    """Exchange stand-ins for what they stand for. From the end, so that positions stay true."""
    document.documentLayout().registerHandler(FORMULA, FormulaObject(style, document))
    for found in reversed(list(STAND_IN.finditer(units(document.toPlainText())))):
        inline = inlines[number_of(found)]
        cursor.setPosition(found.start() + 1)
        char_format = cursor.charFormat()
        cursor.setPosition(found.start())
        cursor.setPosition(found.end(), QTextCursor.MoveMode.KeepAnchor)
        if char_format.fontFixedPitch() or inline.kind is InlineKind.BRACKET:
            cursor.insertText(inline.source, char_format)
        elif inline.kind is InlineKind.UNFINISHED and not inline.text:
            cursor.removeSelectedText()
        elif inline.kind is InlineKind.FOOTNOTE:
            _put_footnote(cursor, inline, char_format, style, footnotes)
        elif inline.kind is InlineKind.BREAK:
            _put_break(document, cursor, inline, char_format)
        else:
            _put_formula(document, cursor, inline, char_format, style)


def _put_footnote(
    cursor: QTextCursor, inline: Inline, char_format: QTextCharFormat, style: Style, footnotes: Footnotes
) -> None:
    """Put the mark of a footnote, which leads to its other end; within a link it is that link's."""
    mark = mark_of(inline.text, inline.source)
    if not footnotes.is_raised(mark):
        cursor.insertText(inline.source, char_format)
        return
    raised = with_place(inline, char_format)
    if footnotes.is_link(mark) and not char_format.isAnchor():
        raised = with_mark(raised, mark)
        raised.setForeground(style.theme.accent)
    if not inline.text.isdecimal():
        raised.setVerticalAlignment(QTextCharFormat.VerticalAlignment.AlignSuperScript)
    cursor.insertText(inline.text.translate(_RAISED), raised)


def _put_formula(
    document: QuietDocument, cursor: QTextCursor, inline: Inline, char_format: QTextCharFormat, style: Style
) -> None:
    """Put a formula, on a line of its own if it is a display; what cannot be drawn stands as code."""
    is_display = inline.kind is not InlineKind.FORMULA
    if inline.kind is not InlineKind.UNFINISHED:
        is_known = style.formulas.is_known(inline.text, is_display=is_display)
        if not is_known:
            document.waiting.append((inline.text, is_display))
        elif style.formulas.drawing(inline.text, is_display=is_display) is None:
            code = with_source(inline, _inline_code(char_format, style))
            cursor.insertText(" ".join(inline.text.split()), code)
            return
    has_before = is_display and not cursor.atBlockStart() and cursor.selectionStart() > cursor.block().position()
    has_after = is_display and cursor.selectionEnd() < cursor.block().position() + cursor.block().length() - 1
    if has_after:
        _take_blank(document, cursor)
    cursor.insertText(LINE_END * has_before, char_format)
    cursor.insertText(OBJECT, formula_format(inline, char_format))
    cursor.insertText(LINE_END * has_after, char_format)


def _put_break(document: QuietDocument, cursor: QTextCursor, inline: Inline, char_format: QTextCharFormat) -> None:
    """Put the end of a line in the place of a stand-in and the brackets around it."""
    first, last = cursor.selectionStart() - 1, cursor.selectionEnd() + 1
    cursor.setPosition(first)
    cursor.setPosition(last, QTextCursor.MoveMode.KeepAnchor)
    _take_blank(document, cursor)
    cursor.insertText(LINE_END, with_source(replace(inline, source=f"<{inline.source}>"), char_format))


def _take_blank(document: QuietDocument, cursor: QTextCursor) -> None:
    """Select the blank after what is selected, too, which would begin a line."""
    if document.characterAt(cursor.selectionEnd()) == " ":
        cursor.movePosition(QTextCursor.MoveOperation.NextCharacter, QTextCursor.MoveMode.KeepAnchor)


# Blocks


def _format_blocks(document: QuietDocument, cursor: QTextCursor, style: Style) -> None:
    tables: set[QTextTable] = set()
    _drop_stray_blocks(document)  # before decorations are noted by the numbers of their blocks
    block = document.begin()
    while block.isValid():
        cursor.setPosition(block.position())
        table = cursor.currentTable()
        if table:
            tables.add(table)
            cursor.setBlockFormat(_cell_format(block, style))
        else:
            _format_block(document, cursor, block, style)
        block = block.next()
    for table in tables:
        _format_table(table, style)


def _format_block(document: QuietDocument, cursor: QTextCursor, block: QTextBlock, style: Style) -> None:
    block_format = block.blockFormat()
    level = block_format.headingLevel()
    line = (_heading_style(level, style) if level else style.text_style(TextRole.BODY)).line
    is_rule = _is_rule(block_format)
    is_gap = not block.text() and not block.textList() and not is_rule
    _add_quote(document, block, block_format, style)
    _add_bullet(document, block)
    if is_rule:
        document.decorations.append(Decoration(DecorationKind.RULE, block.blockNumber()))
        block_format.clearProperty(QTextFormat.Property.BlockTrailingHorizontalRulerWidth)
    # A formula may be higher than a line of text.
    height_type = _MINIMUM if OBJECT in block.text() else FIXED
    block_format.setLineHeight(1 if is_gap else _RULE if is_rule else line, height_type)
    block_format.setTopMargin(0)
    block_format.setBottomMargin(0 if is_gap else style.typography.scaled(_space_below(block)))
    cursor.setBlockFormat(block_format)


def _is_rule(block_format: QTextBlockFormat) -> bool:
    return bool(block_format.hasProperty(QTextFormat.Property.BlockTrailingHorizontalRulerWidth))


def _space_below(block: QTextBlock) -> int:
    following = block.next()
    if not following.isValid():
        return 0
    if block.textList() and following.textList():
        return _ITEM
    return _BEFORE_LIST if following.textList() or block.blockFormat().headingLevel() else _PARAGRAPH


def _add_quote(document: QuietDocument, block: QTextBlock, block_format: QTextBlockFormat, style: Style) -> None:
    level = min(_DEEPEST, int(block_format.property(QTextFormat.Property.BlockQuoteLevel) or 0))
    if level:
        document.decorations.append(Decoration(DecorationKind.QUOTE, block.blockNumber(), level))
        block_format.setLeftMargin(style.typography.scaled(_QUOTE) * level)


def _add_bullet(document: QuietDocument, block: QTextBlock) -> None:
    """Bullets and check boxes are drawn small and grey, not as Qt draws them. Numbers stay Qt's."""
    found = block.textList()
    if not found:
        return
    list_format = found.format()
    is_dotted, is_too_deep = list_format.style() in _DOTS, list_format.indent() > _DEEPEST
    if is_dotted:
        list_format.setStyle(QTextListFormat.Style.ListStyleUndefined)
    if is_too_deep:
        list_format.setIndent(_DEEPEST)
    if is_dotted or is_too_deep:
        found.setFormat(list_format)
    if list_format.style() is QTextListFormat.Style.ListStyleUndefined:
        kind = _CHECK_BOXES.get(block.blockFormat().marker(), DecorationKind.BULLET)
        document.decorations.append(Decoration(kind, block.blockNumber(), list_format.indent()))


def _cell_format(block: QTextBlock, style: Style) -> QTextBlockFormat:
    text_style = style.text_style(TextRole.BODY)
    block_format = line_format(text_style)
    if OBJECT in block.text():
        block_format.setLineHeight(text_style.line, _MINIMUM)
    block_format.setAlignment(block.blockFormat().alignment())
    return block_format


def _format_table(table: QTextTable, style: Style) -> None:
    table_format = table.format()
    table_format.setBorder(1)
    table_format.setBorderStyle(QTextFrameFormat.BorderStyle.BorderStyle_Solid)
    table_format.setBorderBrush(style.theme.line2)
    table_format.setBorderCollapse(True)
    table_format.setCellSpacing(0)
    table_format.setCellPadding(style.typography.scaled(_CELL))
    table_format.setMargin(0)
    table_format.setHeaderRowCount(1)
    table_format.setWidth(QTextLength())
    table.setFormat(table_format)
    bold = QTextCharFormat()
    bold.setFontWeight(_SEMIBOLD)
    for column in range(table.columns()):
        cell = table.cellAt(0, column)
        cursor = cell.firstCursorPosition()
        cursor.setPosition(cell.lastCursorPosition().position(), QTextCursor.MoveMode.KeepAnchor)
        cursor.mergeCharFormat(bold)


def _drop_stray_blocks(document: QuietDocument) -> None:
    """Qt's importer leaves an empty block at the head of a table that follows a paragraph without a blank line."""
    for table in document.rootFrame().childFrames():
        if isinstance(table, QTextTable):
            cell = table.cellAt(0, 0)
            cursor = cell.firstCursorPosition()
            if not cursor.block().text() and cell.lastCursorPosition().block() != cursor.block():
                cursor.deleteChar()
