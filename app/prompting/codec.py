"""The encoding of text as token ids and back, piece by piece, as the tokenizer would do it in one go.

Two manners of reading text: as markup, where `<|end|>` is a control token, and as plain text, where it is seven
characters that someone typed. Pieces in the middle of a prompt get no second beginning: tokenizers in the manner of
SentencePiece put a "▁" before the first word of a text, which here would appear before every piece.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from functools import lru_cache, partial
from itertools import groupby, pairwise
from typing import Any

import tokenizers

from app.prompting.border import foreign_code
from app.prompting.problems import RequestError
from app.prompting.thinking import thinking_marks
from app.prompting.tokenizer import Tokenizer
from app.protocol.excerpts import unmarked
from app.protocol.trie_view import LABEL_LENGTH

# What a piece is appended to while it is tokenized, so that it does not count as a beginning. The second and third are
# for pieces whose first characters would merge with the first.
_ANCHORS = ("\n", "x", ";")
# Characters of messages whose ids are remembered: a branch is read again at each estimate, and differs at its end.
_REMEMBERED = 1 << 22
_MANY = 16


class Codec:
    """A tokenizer that knows where in a prompt a piece stands.

    stop_ids: tokens that end an answer, those alone that the model knows. special_ids: control tokens, which plain text
    never becomes. rows: how many ids the model knows, from 0 on. thinking: the marks around what an answer's model
    thinks.
    """

    def __init__(self, tokenizer: Tokenizer, template_source: str = "", rows: int | None = None) -> None:
        """Find the tokenizer's control tokens.

        `template_source`: added tokens that occur in it are control tokens too, special or not. `rows`: how many ids
        the model knows, None where all of the tokenizer's fit. Plain text becomes no token beyond.
        """
        self._tokenizer: Any = tokenizer
        self._decode = _decoder(tokenizer)
        largest = max((int(number) for number in self._tokenizer.get_vocab().values()), default=-1)
        self.rows = largest + 1 if rows is None else rows
        self.stop_ids = frozenset(int(token) for token in tokenizer.eos_token_ids if self.knows(token))
        controls = _control_tokens(tokenizer, template_source, self.rows)
        self.special_ids = frozenset(controls.values())
        self.thinking = thinking_marks(tokenizer, template_source)
        self._sayable = _sayable(tokenizer, controls, self.rows)
        self._controls = re.compile("|".join(re.escape(text) for text in sorted(controls, key=len, reverse=True)))
        self._has_controls = bool(controls)
        self._markup = lru_cache(maxsize=256)(self._encode_markup)
        self._plain = _RecentTexts(self._encode_plain, _REMEMBERED)
        self._label = lru_cache(maxsize=8192)(self._decode_label)
        self.length_alone = lru_cache(maxsize=8192)(self._length_alone)
        self.text_within = lru_cache(maxsize=8192)(self._text_within)
        self._marks_beginnings = self._after_anchor("a", self._markup) != list(self._markup("a"))
        self._marks_sections = self._marks_beginnings and self._begins_after_control(next(iter(controls), ""))

    def markup(self, text: str, after: int | None = None) -> list[int]:
        """Encode template text, with its control tokens. `after`: the id before it, None at the very beginning."""
        return self._continue(text, after, self._markup)

    def whole(self, text: str) -> tuple[int, ...]:
        """Encode a whole prompt, control tokens in it and what the tokenizer itself puts before a text included."""
        beginning, ids = tuple(self.beginning()), self._encode_markup(text)
        return ids if ids[: len(beginning)] == beginning else beginning + ids

    def plain(self, text: str, after: int | None = None) -> list[int]:
        """Encode text in which nothing is a control token."""
        ids: list[int] = []
        for part in self._cut_controls(text):
            ids += self._continue(part, ids[-1] if ids else after, self._plain)
        return ids

    def decode(self, ids: Sequence[int]) -> str:
        """Decode ids, control tokens written out; a character that is not complete reads U+FFFD."""
        return self._decode(list(ids))

    def _length_alone(self, token: int) -> int:
        """Characters of a token that is decoded by itself."""
        return len(self._decode([token]))

    def _text_within(self, token: int) -> str:
        """Decode a token that stands within a text, after a whole character."""
        anchor = self.plain(_ANCHORS[1])
        return self.decode([*anchor, token])[len(self.decode(anchor)) :]

    def sayable(self, ids: Sequence[int], trusted: int = 0) -> Sequence[int]:
        """Return the ids up to the first that may not stand in an answer. The first `trusted` may be control tokens.

        Ids come with messages from files, and can be anything: another model's, or control tokens that would begin a
        turn of the template's own. Marks of thinking and of tool calls may stand in an answer.
        """
        unfit = (at for at, token in enumerate(ids) if not self._may_say(token, is_trusted=at < trusted))
        return ids[: next(unfit, len(ids))]

    def _may_say(self, token: int, is_trusted: bool) -> bool:
        return self.knows(token) and (is_trusted or bool(self._sayable[token]))

    def knows(self, token: int) -> bool:
        """Return whether the model has this token. MLX is given no other: it would read or write past its arrays."""
        return 0 <= token < self.rows

    def unknown(self, ids: Sequence[int]) -> int | None:
        """Return the first id that the model does not know, None where it knows all."""
        return next((token for token in ids if not self.knows(token)), None)

    def label(self, ids: Sequence[int]) -> str:
        """Return the first words of some tokens on one line, control tokens and marks of thinking left out, or ""."""
        return self._label(tuple(ids))

    def beginning(self) -> list[int]:
        """Return what the tokenizer itself puts before a text, usually the beginning-of-text token or nothing."""
        with _tokenizing():
            return [int(token) for token in self._tokenizer.encode("") if token not in self._tokenizer.eos_token_ids]

    def has_controls(self, text: str) -> bool:
        """Return whether the text spells a control token."""
        return self._has_controls and self._controls.search(text) is not None

    def disguise(self, text: str) -> str:
        """Put a word joiner into each control token that the text spells: none is recognized, and it looks the same."""
        return self._controls.sub(lambda found: f"{found[0][0]}\u2060{found[0][1:]}", text) if text else text

    def _cut_controls(self, text: str) -> list[str]:
        """Cut the text inside each control token it spells: neither half is one."""
        if not self.has_controls(text):
            return [text] if text else []
        cuts = [0, *(found.start() + 1 for found in self._controls.finditer(text)), len(text)]
        return [text[start:end] for start, end in pairwise(cuts) if start < end]

    def _continue(self, text: str, after: int | None, encode: Callable[[str], Sequence[int]]) -> list[int]:
        if after is None or not text or not self._marks_beginnings:
            return list(encode(text))
        if self._marks_sections and after in self.special_ids:
            return list(encode(text))
        return self._after_anchor(text, encode)

    @staticmethod
    def _after_anchor(text: str, encode: Callable[[str], Sequence[int]]) -> list[int]:
        for anchor in _ANCHORS:
            head, ids = list(encode(anchor)), list(encode(anchor + text))
            if ids[: len(head)] == head:
                return ids[len(head) :]
        return list(encode(text))

    def _begins_after_control(self, control: str) -> bool:
        """Return whether text right after a control token is read as a beginning (older SentencePiece conversions)."""
        if not control:
            return False
        head, ids = self._markup(control), self._markup(control + "a")
        return ids[len(head) :] == self._markup("a")

    def _encode_markup(self, text: str) -> tuple[int, ...]:
        if not text:
            return ()
        with _tokenizing():
            return tuple(self._tokenizer.encode(text, add_special_tokens=False))

    def _decode_label(self, ids: tuple[int, ...]) -> str:
        try:
            # A control token, or a mark of thinking, divides words.
            runs = groupby(ids, key=lambda token: token in self.special_ids or token in self.thinking.signs)
            text = " ".join(self.decode(list(run)) for is_mark, run in runs if not is_mark)
            return " ".join(unmarked(text).split() or text.split())[:LABEL_LENGTH]
        except RequestError:
            return ""

    def _encode_plain(self, text: str) -> tuple[int, ...]:
        if not text:
            return ()
        with _tokenizing():
            return tuple(self._tokenizer.encode(text, add_special_tokens=False, split_special_tokens=True))


class _RecentTexts:
    """The ids of the texts that were read last, up to so many characters together.

    Those read longest ago are forgotten first. A text that would drive out many others is read anew each time.
    """

    def __init__(self, encode: Callable[[str], tuple[int, ...]], most: int) -> None:
        self._encode, self._most = encode, most
        self._ids: dict[str, tuple[int, ...]] = {}
        self._length = 0

    def __call__(self, text: str) -> tuple[int, ...]:
        """Encode a text. Raises what the encoder does."""
        if _MANY * len(text) > self._most:
            return self._encode(text)
        ids = self._ids.pop(text, None)
        if ids is None:
            ids = self._encode(text)
            self._length += len(text)
        self._ids[text] = ids
        while self._length > self._most:
            oldest = next(iter(self._ids))
            del self._ids[oldest]
            self._length -= len(oldest)
        return ids


def _decoder(tokenizer: Any) -> Callable[[list[int]], str]:
    """Ids to text, nothing left out or tidied: by the tokenizers library itself where it can, which takes a fifth."""
    backend = getattr(tokenizer, "backend_tokenizer", None)
    decode = partial(tokenizer.decode, skip_special_tokens=False, clean_up_tokenization_spaces=False)
    if isinstance(backend, tokenizers.Tokenizer):
        decode = partial(backend.decode, skip_special_tokens=False)

    def guarded(ids: list[int]) -> str:
        with _tokenizing():
            return str(decode(ids))

    return guarded


def _tokenizing() -> AbstractContextManager[None]:
    """Around every call of the tokenizer: whatever it raises about a text is a refusal of that text."""
    return foreign_code(
        lambda words: RequestError(
            "The model's tokenizer failed",
            f"It cannot read this text: {words} Write the message another way, or open another model.",
        )
    )


def _control_tokens(tokenizer: Tokenizer, template_source: str, rows: int) -> dict[str, int]:
    """Special tokens, and added ones that the template writes (as `<think>`), whitespace left out; and those that the
    model does not know."""
    added: Any = tokenizer.added_tokens_decoder
    return {
        token.content: int(number)
        for number, token in added.items()
        if token.special or number >= rows or (token.content in template_source and not token.content.isspace())
    }


def _sayable(tokenizer: Tokenizer, controls: dict[str, int], rows: int) -> bytearray:
    """Mark each id with 1 where it may stand in an answer that comes with a message: none without a token may."""
    sayable = bytearray(rows)
    vocabulary: Any = tokenizer.get_vocab()
    marks = (tokenizer.think_start, tokenizer.think_end, tokenizer.tool_call_start, tokenizer.tool_call_end)
    for content, number in vocabulary.items():
        if 0 <= number < rows:
            sayable[number] = content not in controls or content in marks
    return sayable
