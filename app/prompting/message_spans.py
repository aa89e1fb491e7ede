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

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from app.prompting.past_thoughts import NO_THOUGHTS, PastThoughts
from app.prompting.steps import Steps
from app.prompting.template import ChatTemplate
from app.prompting.transcript import BETWEEN, END, OPENINGS
from app.protocol.chat import Role

MOST_RENDERED = 1 << 25  # characters, to locate the messages of one conversation


@dataclass(frozen=True, slots=True)
class Span:
    """Characters [start, end) of the rendered text."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class RenderedChat:
    """A rendered conversation.

    spans: of each message's content, in order and disjoint; None where it was not found. thoughts: in the same way, of
    each message's thought; None also where it has none, or it is not printed.
    """

    text: str
    spans: tuple[Span | None, ...]
    thoughts: tuple[Span | None, ...]


class Said(NamedTuple):
    """A message as it is rendered. thought: what its model thought before, "" for none."""

    role: Role
    content: str
    thought: str = ""


def locate_messages(
    template: ChatTemplate, messages: Sequence[Said], thoughts: PastThoughts = NO_THOUGHTS
) -> Steps[RenderedChat]:
    """Render a conversation with the generation prompt, and locate each message in it, and each thought that it prints.

    thoughts: the place that the template has for them. Raises RequestError when the template does.
    """
    if template.is_plain:
        return _transcript(messages)
    asked = _Asked(template, messages, thoughts)
    texts = asked.texts
    mark = _unique_mark(texts)
    words = [f"{mark}{at}w" for at in range(len(texts))]
    text, other = yield from asked.render(texts, words)
    gaps = _gaps(other, words, mark)
    spans = _walk(text, gaps, [_forms(text, template.thinking_end) for text in texts]) if gaps else None
    if spans is None:
        spans = _in_order((yield from _Search(asked, texts, words, mark, text).spans()))
    return asked.chat(text, spans)


@dataclass(frozen=True, slots=True)
class _Asked:
    """The conversation that is rendered, with other texts in the place of its own where they are given."""

    template: ChatTemplate
    messages: Sequence[Said]
    thoughts: PastThoughts

    @property
    def texts(self) -> list[str]:
        """Return all texts in the order in which templates print them: each thought before its content."""
        return [text for said in self.messages for text in (*self._thought(said), said.content)]

    def render(self, *variants: Sequence[str]) -> Steps[list[str]]:
        """Render the conversation with one or more variants of its texts."""
        return (yield from self.template.render([self._with(iter(texts)) for texts in variants]))

    def chat(self, text: str, spans: Sequence[Span | None]) -> RenderedChat:
        """Return the rendered conversation, given the spans of its texts."""
        left = iter(spans)
        pairs = [(next(left) if self._thought(said) else None, next(left)) for said in self.messages]
        return RenderedChat(text, tuple(content for _, content in pairs), tuple(thought for thought, _ in pairs))

    def _with(self, texts: Iterator[str]) -> list[dict[str, str]]:
        said = ((one.role, next(texts) if self._thought(one) else "", next(texts)) for one in self.messages)
        return [self.thoughts.message(role, content, thought) for role, thought, content in said]

    def _thought(self, said: Said) -> tuple[str, ...]:
        return (said.thought,) if said.thought and self.thoughts.are_kept else ()


def _transcript(messages: Sequence[Said]) -> RenderedChat:
    """Return the plain transcript, in which nothing has to be looked for."""
    pieces, spans, end = [], [], 0
    for said in messages:
        start = end + len(OPENINGS[said.role])
        spans.append(Span(start, start + len(said.content)))
        pieces.append(OPENINGS[said.role] + said.content + BETWEEN)
        end += len(pieces[-1])
    return RenderedChat("".join(pieces) + END, tuple(spans), (None,) * len(spans))


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

    asked: _Asked
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
        [other] = yield from self.asked.render(replaced)
        gaps = _gaps(other, words, self.mark)
        if end - first == 1:
            return [_between(self.text, *gaps) if gaps else None]
        forms = [_forms(content, self.asked.template.thinking_end) for content in self.contents[first:end]]
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
