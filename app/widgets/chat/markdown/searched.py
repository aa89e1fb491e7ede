"""The text of a document in which words are looked for: what it shows, and the TeX of each formula."""

from __future__ import annotations

from collections.abc import Iterator

from app.widgets.chat.markdown.document import QuietDocument
from app.widgets.chat.markdown.formula_object import Written, formulas_of

_CODEC, _ERRORS = "utf-16-le", "surrogatepass"  # two bytes for each position


def searched_text(document: QuietDocument) -> str:
    """Return the text in which words are looked for."""
    text = document.toPlainText()
    if not document.has_formulas:
        return text
    data, pieces, done = text.encode(_CODEC, _ERRORS), list[bytes](), 0
    for formula in _formulas(document):
        pieces += [data[2 * done : 2 * formula.start], formula.source.encode(_CODEC, _ERRORS)]
        done = formula.end
    return b"".join([*pieces, data[2 * done :]]).decode(_CODEC, _ERRORS)


def shown_place(document: QuietDocument, start: int, end: int) -> tuple[int, int]:
    """Return where in the document a place of the searched text is shown: a formula as a whole."""
    if not document.has_formulas:
        return start, end
    formulas = list(_formulas(document))
    return _shown(formulas, start, is_end=False), _shown(formulas, end, is_end=True)


def _shown(formulas: list[Written], at: int, *, is_end: bool) -> int:
    longer = 0  # than the document, the searched text up to here
    for formula in formulas:
        first = formula.start + longer
        last = first + len(formula.source.encode(_CODEC, _ERRORS)) // 2
        if at < first + is_end:
            break
        if at < last + is_end:
            return formula.end if is_end else formula.start
        longer = last - formula.end
    return at - longer


def _formulas(document: QuietDocument) -> Iterator[Written]:
    block = document.begin()
    while block.isValid():
        yield from formulas_of(block)
        block = block.next()
