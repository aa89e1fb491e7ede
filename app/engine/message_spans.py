"""The spans of a rendered conversation in which its messages lie.

A template may trim a message, drop its thinking part, or print it in a place of its own choosing; so the text is
rendered with the real contents, and what lies where is found by comparing, never by assuming:

1. Once with unique words in the place of the contents. If the texts between them, with the contents or their trimmed
   forms in between, make up the real rendering exactly, that settles it.
2. Otherwise each message alone is replaced by a unique word. What the two renderings do not share is the message.
3. A message that cannot be found either way is not located; its text stays part of the text around it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.engine.template import ChatTemplate
from app.protocol.chat import Role


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


def locate_messages(template: ChatTemplate, roles: Sequence[Role], contents: Sequence[str]) -> RenderedChat:
    """Render a conversation with the generation prompt and locate each message in it.

    Raises RequestError when the template does.
    """
    text = _render(template, roles, contents)
    mark = _unique_mark(contents)
    words = [f"{mark}{at}w" for at in range(len(contents))]
    gaps = _gaps(_render(template, roles, words), words, mark)
    spans = _walk(text, gaps, [_forms(content, template.thinking_end) for content in contents]) if gaps else None
    if spans is None:
        spans = _in_order([_locate(template, roles, contents, words, at, text) for at in range(len(contents))])
    return RenderedChat(text, tuple(spans))


def _render(template: ChatTemplate, roles: Sequence[Role], contents: Sequence[str]) -> str:
    return template.render([{"role": role, "content": text} for role, text in zip(roles, contents, strict=True)])


def _unique_mark(contents: Sequence[str]) -> str:
    """Letters and digits that occur in no message: words that begin with them stand for messages."""
    number = 0
    while any(f"Zq{number}w" in content for content in contents):
        number += 1
    return f"Zq{number}w"


def _gaps(text: str, words: Sequence[str], mark: str) -> list[str] | None:
    """The texts around the words, one more than words; None unless each word is there once and in order."""
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
    """What templates make of a content, the longest first."""
    answer = content.rpartition(thinking_end)[2]
    forms = {form for text in (content, answer) for form in (text, text.lstrip("\n"), text.lstrip(), text.rstrip())}
    return sorted(forms | {content.strip(), answer.strip()}, key=len, reverse=True)


def _locate(
    template: ChatTemplate, roles: Sequence[Role], contents: Sequence[str], words: Sequence[str], at: int, text: str
) -> Span | None:
    """The part of the text that changes when message `at` alone is another word."""
    other = _render(template, roles, [*contents[:at], words[at], *contents[at + 1 :]])
    before, found, after = other.partition(words[at])
    fits = text.startswith(before) and text.endswith(after) and len(before) + len(after) <= len(text)
    if not found or words[at] in after or not fits:
        return None
    return Span(len(before), len(text) - len(after))


def _in_order(spans: list[Span | None]) -> list[Span | None]:
    """Drop what overlaps or precedes an earlier span."""
    kept: list[Span | None] = []
    end = 0
    for span in spans:
        fits = span is not None and span.start >= end
        kept.append(span if fits else None)
        end = span.end if span is not None and fits else end
    return kept
