"""The thought of an answer and its text, told apart while they come.

Models write what they think between marks: `<think>` and `</think>`, the channels of gpt-oss (the "harmony" format),
and others. Where a mark is one token of the tokenizer only that token counts, and the same characters spelled by other
tokens are words. So text goes through here with a sign in place of each such token: a lone surrogate, which no decoded
text can hold. Where no token is a mark, or only its beginning is, the characters count.

Properties: marks are in neither text, nor is the white space at both ends of a thought and that between it and the
answer; everything else is told once, in order. Only a thought at the beginning of an answer counts, what looks like one
later is text; channels may alternate.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any, NamedTuple

from app.prompting.stop import waiting_length
from app.prompting.tokenizer import Tokenizer
from app.protocol.events import TextKind

_PAIRS = (
    ("<think>", "</think>"),
    ("<thought>", "</thought>"),
    ("<seed:think>", "</seed:think>"),
    ("[THINK]", "[/THINK]"),
    ("<|inner_prefix|>", "<|inner_suffix|>"),
    ("<|START_THINKING|>", "<|END_THINKING|>"),
)
# Tokens that stand around the text of an answer, as marks stand around its thought.
_AROUND = (
    "<|START_RESPONSE|>",
    "<|END_RESPONSE|>",
    "<|START_TEXT|>",
    "<|END_TEXT|>",
    "<|open|>response<|sep|>",
    "<|close|>response<|sep|>",
    "<|close|>message<|sep|>",
)
_START, _CHANNEL, _MESSAGE, _END = _HARMONY = ("<|start|>", "<|channel|>", "<|message|>", "<|end|>")
_FINAL = "final"  # https://github.com/openai/harmony, "Channels": what other channels hold is not for the reader
_FIRST_SIGN = 0xDC00
_TAIL = 64  # tokens at the end of a prompt in which it may open a thought
_LONGEST_HEADER = 256  # characters between two signs of a channel's header; what is longer is text


class Piece(NamedTuple):
    """New text of an answer, of one kind."""

    kind: TextKind
    text: str


@dataclass(frozen=True, slots=True)
class ThinkingMarks:
    """The marks by which a model says what is thought, with a sign for each that is one token.

    opens, closes: around a thought. around: around the text. channels: the signs of the harmony format's four tokens,
    none for models of other formats. signs: by token id. spelled: what the token of a sign reads.
    """

    opens: tuple[str, ...]
    closes: tuple[str, ...]
    around: tuple[str, ...] = ()
    channels: tuple[str, ...] = ()
    signs: Mapping[int, str] = field(default_factory=dict)
    spelled: Mapping[str, str] = field(default_factory=dict)

    def signed(self, token: int, text: str) -> str:
        """Return the text that became complete with a token, with the token's sign if it is a mark."""
        sign = self.signs.get(token)
        return text if sign is None else text.removesuffix(self.spelled[sign]) + sign

    def unsigned(self, text: str) -> str:
        """Return a text with what the tokens read in place of their signs."""
        return _SIGN.sub(lambda found: self.spelled.get(found[0], found[0]), text)


_SIGN = re.compile("[\ud800-\udfff]")


def thinking_marks(tokenizer: Tokenizer, template_source: str) -> ThinkingMarks:
    """Find the marks that a model's tokenizer and chat template know; `<think>` for one that knows none."""
    vocabulary: Any = tokenizer.get_vocab()
    signs = _Signs(vocabulary)
    if set(_HARMONY) <= vocabulary.keys() and (_CHANNEL in template_source or not template_source):
        channels = tuple(signs.of(mark) for mark in _HARMONY)
        return ThinkingMarks((), (), (), channels, signs.by_token, signs.spelled)
    own = [(tokenizer.think_start, tokenizer.think_end)] if tokenizer.think_start and tokenizer.think_end else []
    known = [pair for pair in _PAIRS if all(mark in vocabulary or mark in template_source for mark in pair)]
    pairs = list(dict.fromkeys([*own, *known])) or [_PAIRS[0]]
    around = [mark for mark in _AROUND if (parts := _TOKEN.findall(mark)) and vocabulary.keys() >= set(parts)]
    return ThinkingMarks(
        tuple(signs.of(start) for start, _ in pairs),
        tuple(signs.of(end) for _, end in pairs),
        tuple(signs.of(mark) for mark in around),
        signs=signs.by_token,
        spelled=signs.spelled,
    )


_TOKEN = re.compile(r"<\|?\w+\|?>")


class _Signs:
    """Signs for the tokens that marks are made of."""

    def __init__(self, vocabulary: Mapping[str, int]) -> None:
        self._vocabulary = vocabulary
        self.by_token: dict[int, str] = {}
        self.spelled: dict[str, str] = {}

    def of(self, mark: str) -> str:
        """Return a mark with signs for its tokens: the whole mark if that is one, else those within it."""
        return self._sign(mark) if mark in self._vocabulary else _TOKEN.sub(self._part, mark)

    def _part(self, found: re.Match[str]) -> str:
        return self._sign(found[0]) if found[0] in self._vocabulary else found[0]

    def _sign(self, text: str) -> str:
        number = int(self._vocabulary[text])
        if number not in self.by_token:
            sign = chr(_FIRST_SIGN + len(self.by_token))
            self.by_token[number] = sign
            self.spelled[sign] = text
        return self.by_token[number]


class _State(Enum):
    """States of an answer: before its first word; in the thought, after it, and in the text; in a channel's header."""

    LEADING = auto()
    THOUGHT = auto()
    BETWEEN = auto()
    TEXT = auto()
    HEADER = auto()


class Splitter:
    """A splitter of one answer's text, which comes with signs. is_thinking: what comes next belongs to a thought."""

    def __init__(self, marks: ThinkingMarks, before: str = "") -> None:
        """Begin after the signed text of a prompt, whose end may open the thought."""
        self._marks = marks
        self._held = ""
        self._state = _State.LEADING
        self._told: dict[TextKind, bool] = {"text": False, "thinking": False}
        self._joint: TextKind | None = None
        self._space = ""
        self._header = ""
        if marks.channels:
            self.is_thinking = self._is_in_channel(before)
            self._state = _State.TEXT
        else:
            self.is_thinking = before.rstrip().endswith(marks.opens)

    @property
    def held(self) -> int:
        """Characters that wait for what follows."""
        return len(self._held)

    @property
    def held_text(self) -> str:
        """Return what waits for what follows: white space at the end of a thought, and what may begin a mark."""
        return self._space + self._marks.unsigned(self._held)

    @property
    def waiting(self) -> str | None:
        """White space that belongs to the thought if more of it follows; None where a mark or a header has begun."""
        is_space = self._state is _State.BETWEEN and self._held.isspace()
        if self._state is _State.HEADER or (self._held and not is_space):
            return None
        return self._space if self.is_thinking else ""

    def push(self, text: str) -> list[Piece]:
        """Add new text and return what can be told of it."""
        self._held += text
        found: list[Piece] = []
        while self._step(found):
            pass
        return found

    def rest(self) -> list[Piece]:
        """Return what was held back when the answer ended: all of it but a mark that was cut off."""
        held, self._held = self._held, ""
        found: list[Piece] = []
        if self._state is _State.HEADER:
            return found
        if self._state in (_State.LEADING, _State.BETWEEN):
            lead = held.lstrip()
            if lead[:1] in self._marks.spelled and self._begins_mark(lead):
                return found
            held = lead if self.is_thinking or self._state is _State.BETWEEN else held
        self._tell(found, held)
        return found

    def _is_in_channel(self, before: str) -> bool:
        _, channel, message, _ = self._marks.channels
        name, sign, rest = before.rpartition(channel)[2].partition(message)
        return bool(sign) and channel in before and not rest.strip() and not name.startswith(_FINAL)

    def _step(self, found: list[Piece]) -> bool:
        """Tell or drop what comes first; returns whether more may follow."""
        if self._marks.channels:
            return self._read_header(found) if self._state is _State.HEADER else self._read_channel(found)
        if self._state in (_State.LEADING, _State.BETWEEN):
            return self._lead()
        return self._until(found, self._marks.closes if self.is_thinking else self._signs_around)

    @property
    def _signs_around(self) -> tuple[str, ...]:
        """Marks around a text that no words can spell."""
        return tuple(mark for mark in self._marks.around if mark[0] in self._marks.spelled)

    def _lead(self) -> bool:
        """Look for a mark where a thought or a text begins."""
        lead = self._held.lstrip()
        may_open = self._state is _State.LEADING
        opened = next((mark for mark in self._marks.opens if lead.startswith(mark)), "") if may_open else ""
        around = next((mark for mark in self._marks.around if lead.startswith(mark)), "")
        if opened or around:
            self._held = lead[len(opened or around) :]
            self.is_thinking = bool(opened)
            self._state = _State.THOUGHT if opened else _State.BETWEEN
            return True
        if not lead or self._begins_mark(lead):
            return False
        self._held = self._held if may_open and not self.is_thinking else lead
        self._state = _State.THOUGHT if self.is_thinking else _State.TEXT
        return True

    def _begins_mark(self, lead: str) -> bool:
        marks = self._marks.around + (self._marks.opens if self._state is _State.LEADING else ())
        return any(mark.startswith(lead) for mark in marks)

    def _until(self, found: list[Piece], marks: tuple[str, ...]) -> bool:
        """Tell what comes before one of these marks."""
        places = [(at, mark) for mark in marks if (at := self._held.find(mark)) >= 0]
        if not places:
            self._release(found, len(self._held) - waiting_length(self._held, marks))
            return False
        at, mark = min(places)
        self._release(found, at)
        self._held = self._held[len(mark) :]
        if self.is_thinking:
            self._close()
            self._state = _State.BETWEEN
        return True

    def _read_channel(self, found: list[Piece]) -> bool:
        """Tell what comes before the next header of a channel."""
        at = next((at for at, sign in enumerate(self._held) if sign in self._marks.channels), -1)
        self._release(found, len(self._held) if at < 0 else at)
        if at >= 0:
            self._state = _State.HEADER
        return at >= 0

    def _read_header(self, found: list[Piece]) -> bool:
        """Drop a header, `<|end|><|start|>assistant<|channel|>name<|message|>` or a part of it."""
        _, channel, message, _ = self._marks.channels
        header, sign, rest = self._held.partition(message)
        if sign:
            name = header.rpartition(channel)[2].strip() if channel in header else _FINAL
            self._close()
            self.is_thinking = not name.startswith(_FINAL)
            kind: TextKind = "thinking" if self.is_thinking else "text"
            self._joint = kind if self._told[kind] else None
            self._held, self._state = rest, _State.TEXT
            return True
        words = re.split(f"[{''.join(self._marks.channels)}]", header)[-1]
        if len(words) > _LONGEST_HEADER:
            self.is_thinking, self._state = False, _State.TEXT
            self._held = words
            return True
        return False

    def _close(self) -> None:
        """End a thought: the white space at its end belongs to nothing."""
        self._space = ""
        self.is_thinking = False

    def _release(self, found: list[Piece], length: int) -> None:
        text, self._held = self._held[:length], self._held[length:]
        self._tell(found, text)

    def _tell(self, found: list[Piece], signed: str) -> None:
        kind: TextKind = "thinking" if self.is_thinking else "text"
        text = self._marks.unsigned(signed)
        if self.is_thinking:
            text = self._space + text
            text = text if self._told[kind] and self._joint is None else text.lstrip()
            told = text.rstrip()
            self._space = text[len(told) :]
            text = told
        if text:
            joint = "\n\n" if self._joint == kind else ""
            self._joint = None
            self._told[kind] = True
            found.append(Piece(kind, joint + text))


def opening(marks: ThinkingMarks, ids: Sequence[int], decode: Callable[[Sequence[int]], str]) -> str:
    """Return the signed text of the last tokens of a prompt. decode: ids to text."""
    pieces: list[str] = []
    words: list[int] = []
    for token in ids[-_TAIL:]:
        if token in marks.signs:
            pieces += [decode(words) if words else "", marks.signs[token]]
            words = []
        else:
            words.append(token)
    return "".join([*pieces, decode(words) if words else ""])
