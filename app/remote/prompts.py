"""Prompts as this side knows them where a server makes them of messages itself: in tokens that stand for its own.

Properties: equal beginnings of two conversations are equal here. How many tokens a message has is about right before
the server has counted it, and comes to what it counted afterwards; what no message can have is not believed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from app.protocol.chat import PromptOptions, Role, Turn
from app.protocol.dataclass import dataclass
from app.protocol.excerpts import plain_words
from app.protocol.trie_view import LABEL_LENGTH
from app.remote.messages import messages_of
from app.remote.record import Span

_BYTES = 4.0  # of text to a token, before anything is counted
_AROUND = 4  # tokens of the template around a message
_MOST_COUNTED = 100_000  # messages
_ROOM = 1 << 24  # tokens of a message
_MOST_REFUSED = 100  # prompts
_SLACK = 1024  # tokens that a template may put around a message which has no more of its own than bytes


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt: its tokens, the messages in it, and where each turn that it was made of lies.

    most: how many tokens each message can have. is_counted: its tokens are those that the server has, or at least as
    many.
    """

    ids: tuple[int, ...]
    spans: tuple[Span, ...]
    turns: tuple[tuple[int, int], ...]
    keys: tuple[int, ...]
    most: tuple[int, ...]
    is_counted: bool = False


class MessagePrompts:
    """Makes prompts of messages, and learns how many tokens those have."""

    def __init__(self) -> None:
        self._counts: dict[int, int] = {}
        self._bytes = _BYTES
        self._refused: dict[tuple[int, ...], int] = {}

    def build(self, turns: Sequence[Turn], options: PromptOptions, begun: Turn | None = None) -> Prompt:
        """Return the prompt of a branch. begun: the beginning of the answer to it."""
        messages = messages_of(turns, options, begun)
        keys = tuple(_key(one["role"], one["content"]) for one in messages)
        ids: list[int] = []
        spans = []
        for key, one in zip(keys, messages, strict=True):
            length = self._counts.get(key) or self._guess(one["content"])
            role: Role = _ROLES.get(one["role"], "user")
            spans.append(Span(len(ids), len(ids) + length, role, excerpt(one["content"])))
            ids.extend(range(key * _ROOM, key * _ROOM + length))
        most = tuple(_most(one["content"]) for one in messages)
        refused = self._refused.get(keys, 0)
        if len(ids) < refused:
            last = spans[-1]
            ids[last.start :] = range(keys[-1] * _ROOM, keys[-1] * _ROOM + refused - last.start)
            spans[-1] = replace(last, end=refused)
        return Prompt(tuple(ids), tuple(spans), _places(turns, options, spans), keys, most, is_counted=refused > 0)

    def note_too_long(self, prompt: Prompt, tokens: int) -> None:
        """Take over that a server refused a prompt that has at least so many tokens, if it can have so many."""
        if prompt.keys and tokens <= sum(prompt.most):
            self._refused.pop(prompt.keys, None)
            self._refused[prompt.keys] = tokens
            if len(self._refused) > _MOST_REFUSED:
                del self._refused[next(iter(self._refused))]

    def with_answer(self, prompt: Prompt, text: str) -> Prompt:
        """Return a prompt with the answer to it, which goes on with the last message where that is its beginning."""
        last = prompt.spans[-1] if prompt.spans else None
        if last is not None and last.role == "assistant":
            kept = prompt.spans[:-1]
            prompt = Prompt(prompt.ids[: last.start], kept, prompt.turns, prompt.keys[:-1], prompt.most[:-1])
        key, start = _key("assistant", text), len(prompt.ids)
        length = self._counts.get(key) or self._guess(text)
        span = Span(start, start + length, "assistant", excerpt(text))
        ids = (*prompt.ids, *range(key * _ROOM, key * _ROOM + length))
        return Prompt(ids, (*prompt.spans, span), prompt.turns, (*prompt.keys, key), (*prompt.most, _most(text)))

    def learn(self, prompt: Prompt, total: int | None) -> None:
        """Take over how many tokens a server counted in a prompt: they belong to what it had not counted before.

        total: None where it read the prompt and does not say. More than the messages can have is not taken over.
        """
        self._refused.pop(prompt.keys, None)
        if total is None or total > sum(prompt.most):
            return
        new = [number for number, key in enumerate(prompt.keys) if key not in self._counts]
        known = sum(self._counts.get(key, 0) for key in prompt.keys)
        guessed = {number: prompt.spans[number].end - prompt.spans[number].start for number in new}
        rest, whole = total - known, sum(guessed.values())
        for number in new:
            length = max(1, round(rest * guessed[number] / whole))
            self._note(prompt.keys[number], length, prompt.most[number])
            rest, whole = rest - length, whole - guessed[number]
        if new and total > known:
            self._bytes = min(max(self._bytes * sum(guessed.values()) / (total - known), 0.5), 12.0)

    def learn_answer(self, text: str, tokens: int) -> None:
        """Take over how many tokens a server counted in an answer, if it can have so many."""
        self._note(_key("assistant", text), max(1, tokens), _most(text))

    def _guess(self, text: str) -> int:
        return min(_AROUND + round(len(text.encode("utf-8", "replace")) / self._bytes), _most(text))

    def _note(self, key: int, length: int, most: int) -> None:
        if length > most:
            return
        if len(self._counts) >= _MOST_COUNTED:
            del self._counts[next(iter(self._counts))]
        self._counts[key] = length


_ROLES: dict[str, Role] = {"system": "system", "user": "user", "assistant": "assistant"}


@lru_cache(maxsize=4096)
def excerpt(text: str) -> str:
    """Return the first words of a message."""
    return plain_words(text, LABEL_LENGTH)


def _most(text: str) -> int:
    """Return how many tokens a message can have at most: no tokenizer makes more of a text than its bytes."""
    return min(len(text.encode("utf-8", "replace")) + _SLACK, _ROOM - 1)


def _key(role: str, text: str) -> int:
    digest = hashlib.blake2b(f"{role}\0{text}".encode("utf-8", "replace"), digest_size=8).digest()
    return int.from_bytes(digest, "big")


def _places(turns: Sequence[Turn], options: PromptOptions, spans: Sequence[Span]) -> tuple[tuple[int, int], ...]:
    """Return where each turn lies; one that the instructions stand in place of lies where they do."""
    told = options.instructions
    found, at = [], 1 if told else 0
    for turn in turns:
        if turn.role == "system" and told is not None:
            found.append((spans[0].start, spans[0].end) if told else (0, 0))
        else:
            found.append((spans[at].start, spans[at].end))
            at += 1
    return tuple(found)
