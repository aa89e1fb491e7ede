"""The spans of a rendered conversation in which its messages lie.

A template may trim a message, drop its thinking part, or print it in a place of its own choosing; so the text is
rendered with the real contents, and what lies where is found by comparing, never by assuming:

1. Once with unique words in the place of the contents. If the texts between them, with the contents or their trimmed
   forms in between, make up the real rendering exactly, that settles it.
2. Otherwise the same is tried with half of the messages replaced, and half of those where it fails, down to a message
   alone: what the two renderings do not share is that message.
3. A message that cannot be found either way is not located; its text stays part of the text around it. Neither are
   those of a long conversation for which too much would have to be rendered: that costs time later, and no more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from app.engine.steps import Steps
from app.engine.template import ChatTemplate
from app.engine.transcript import BETWEEN, END, OPENINGS
from app.protocol.chat import Role

MOST_RENDERED = 1 << 25  # characters, to locate the messages of one conversation


@dataclass(frozen=True, slots=True)
class Span:
    """Characters [start, end) of the rendered text."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class RenderedChat:
    """A rendered conversation. spans: of each message's content, in order and disjoint; None where it was not found."""

    text: str
    spans: tuple[Span | None, ...]


def locate_messages(template: ChatTemplate, roles: Sequence[Role], contents: Sequence[str]) -> Steps[RenderedChat]:
    """Render a conversation with the generation prompt and locate each message in it.

    Raises RequestError when the template does.
    """
    if template.is_plain:
        return _transcript(roles, contents)
    mark = _unique_mark(contents)
    words = [f"{mark}{at}w" for at in range(len(contents))]
    text, other = yield from _render(template, roles, contents, words)
    gaps = _gaps(other, words, mark)
    spans = _walk(text, gaps, [_forms(content, template.thinking_end) for content in contents]) if gaps else None
    if spans is None:
        spans = _in_order((yield from _Search(template, roles, contents, words, mark, text).spans()))
    return RenderedChat(text, tuple(spans))


def _transcript(roles: Sequence[Role], contents: Sequence[str]) -> RenderedChat:
    """Return the plain transcript, in which nothing has to be looked for."""
    pieces, spans, end = [], [], 0
    for role, content in zip(roles, contents, strict=True):
        start = end + len(OPENINGS[role])
        spans.append(Span(start, start + len(content)))
        pieces.append(OPENINGS[role] + content + BETWEEN)
        end += len(pieces[-1])
    return RenderedChat("".join(pieces) + END, tuple(spans))


def _render(template: ChatTemplate, roles: Sequence[Role], *variants: Sequence[str]) -> Steps[list[str]]:
    """Render a conversation with one or more variants of its contents."""
    messages = [
        [{"role": role, "content": text} for role, text in zip(roles, contents, strict=True)] for contents in variants
    ]
    return (yield from template.render(messages))


def _unique_mark(contents: Sequence[str]) -> str:
    """Letters and digits that occur in no message: words that begin with them stand for messages."""
    number = 0
    while any(f"Zq{number}w" in content for content in contents):
        number += 1
    return f"Zq{number}w"


def _gaps(text: str, words: Sequence[str], mark: str) -> list[str] | None:
    """Return the texts around the words, one more than words; None unless each word is there once and in order."""
    gaps, at = [], 0
    for word in words:
        found = text.find(word, at)
        if found < 0:
            return None
        gaps.append(text[at:found])
        at = found + len(word)
    gaps.append(text[at:])
    return None if any(mark in gap for gap in gaps) else gaps


def _walk(text: str, gaps: Sequence[str], contents: Sequence[list[str]]) -> list[Span | None] | None:
    """Spans such that gaps, and one form of each content, make up the whole text; None when they do not."""
    if not text.startswith(gaps[0]):
        return None
    spans: list[Span | None] = []
    at = len(gaps[0])
    for forms, gap in zip(contents, gaps[1:], strict=True):
        form = next((form for form in forms if text.startswith(form + gap, at)), None)
        if form is None:
            return None
        spans.append(Span(at, at + len(form)))
        at += len(form) + len(gap)
    return spans if at == len(text) else None


def _forms(content: str, thinking_end: str) -> list[str]:
    """Return what templates make of a content, the longest first."""
    answer = content.rpartition(thinking_end)[2]
    forms = {form for text in (content, answer) for form in (text, text.lstrip("\n"), text.lstrip(), text.rstrip())}
    return sorted(forms | {content.strip(), answer.strip()}, key=len, reverse=True)


@dataclass
class _Search:
    """A search for messages by rendering the conversation with unique words in the place of some of them.

    left: how many times it may still be rendered.
    """

    template: ChatTemplate
    roles: Sequence[Role]
    contents: Sequence[str]
    words: Sequence[str]
    mark: str
    text: str
    left: int = field(init=False)

    def __post_init__(self) -> None:
        self.left = MOST_RENDERED // max(len(self.text), 1)

    def spans(self) -> Steps[list[Span | None]]:
        """Locate all messages, which cannot be located together."""
        return self._halves(0, len(self.contents)) if len(self.contents) > 1 else self._among(0, 1)

    def _halves(self, first: int, end: int) -> Steps[list[Span | None]]:
        middle = (first + end) // 2
        return (yield from self._among(first, middle)) + (yield from self._among(middle, end))

    def _among(self, first: int, end: int) -> Steps[list[Span | None]]:
        """Locate the messages from one to before another, by what differs where they are words."""
        if self.left <= 0:
            return [None] * (end - first)
        self.left -= 1
        words = self.words[first:end]
        replaced = [*self.contents[:first], *words, *self.contents[end:]]
        [other] = yield from _render(self.template, self.roles, replaced)
        gaps = _gaps(other, words, self.mark)
        if end - first == 1:
            return [_between(self.text, *gaps) if gaps else None]
        forms = [_forms(content, self.template.thinking_end) for content in self.contents[first:end]]
        return (_walk(self.text, gaps, forms) if gaps else None) or (yield from self._halves(first, end))


def _between(text: str, before: str, after: str) -> Span | None:
    """Return the part of the text between its beginning and its end, if it has these."""
    start, end = len(before), len(text) - len(after)
    return Span(start, end) if start <= end and text.startswith(before) and text.endswith(after) else None


def _in_order(spans: list[Span | None]) -> list[Span | None]:
    """Drop what overlaps or precedes an earlier span."""
    kept: list[Span | None] = []
    end = 0
    for span in spans:
        fits = span is not None and span.start >= end
        kept.append(span if fits else None)
        end = span.end if span is not None and fits else end
    return kept
