"""The tokenizer of a model on llama.cpp's server, which the server itself is asked for.

What each token reads is asked once, when the model is opened: tokens become text without a question then, except those
within characters whose bytes have not been met yet. Read in `tools/server/server-context.cpp`, and tried: `/tokenize`
takes control tokens for text where `parse_special` is false, `/detokenize` writes them out and puts the bytes of tokens
together as they are, and bytes that are no text read U+FFFD.

Property: it asks on the thread of its `ask`, and is never to be used on another one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from app.prompting.problems import EngineError
from app.protocol.dataclass import dataclass
from app.remote.faults import malformed
from app.remote.token_thread import TokenThread, UnansweredError

MOST_ROWS = 1 << 20  # tokens of a vocabulary
LARGEST_TEMPLATE = 1 << 20  # characters
_AT_ONCE = 1 << 13  # tokens whose texts are asked for together
_CHARACTERS = 1 << 16  # of texts that are tokenized together
_WITH_PIECES = 1 << 16  # characters of a text, at most, whose tokens' bytes are asked for
_LONGEST_CHARACTERS = 24  # bytes that are spelled in every way
_BYTES = 4.0  # of text to a token, before anything is counted
_TELLING, _WEIGHT = 8, 0.1  # tokens of a text by which that is corrected, and by how much
_BETWEEN = "\x1e\x1f\x1e"  # which no token but those of its own characters holds
NO_TEXT = "\ufffd"
# What a token looks like that a template may write, and that counts as such in any text.
_MARK = re.compile(r"(?=.*[A-Za-z])[<\[|].{2,60}[>\]|]")
# Characters of many scripts, whose tokens hold parts of them.
_SAMPLE = "".join(map(chr, (*range(0xA1, 0x180), *range(0x391, 0x3CA), *range(0x410, 0x450), *range(0x3041, 0x3097))))


class NotAskedError(EngineError):
    """Something would have to be asked of a server that it is not to be asked."""

    def __init__(self) -> None:
        super().__init__("The server is not asked", "Send the message to have its tokens counted.")


@dataclass(frozen=True, slots=True)
class AddedToken:
    """A token that is no word. special: it never comes of plain text."""

    content: str
    special: bool


class ServerTokenizer:
    """A tokenizer as prompts need it.

    Attributes: rows, how many tokens it has; texts, what each of them reads; may_ask, the server may be sent texts,
    else NotAskedError is raised; bytes_per_token, of texts, about.
    """

    has_chat_template = has_thinking = is_servers_own = True
    think_start = think_end = tool_call_start = tool_call_end = None

    def __init__(self, thread: TokenThread, rows: int, template: str, specials: Mapping[str, str]) -> None:
        """Read the vocabulary. specials: texts of `bos_token` and `eos_token`, as far as there are any.

        On the thread alone. Raises UnansweredError.
        """
        self._name, self._thread = thread.name, thread
        self.may_ask, self.bytes_per_token = True, _BYTES
        self.rows, self.chat_template = rows, template
        self.special_tokens_map = {name: text for name, text in specials.items() if text}
        self.init_kwargs: Mapping[str, Any] = {}
        self._bytes: dict[int, bytes] = {}
        self._by_bytes: dict[bytes, int] = {}
        self._expected: dict[str, Mapping[str, Any]] = {}
        self._decoded = lru_cache(maxsize=4096)(self._ask_text)
        self._between = self._within(_BETWEEN)
        self.texts = self._vocabulary()
        self._note({number: text.encode() for number, text in enumerate(self.texts) if NO_TEXT not in text})
        self.encode(_SAMPLE, add_special_tokens=False)
        self.added_tokens_decoder = self._added()
        end = self.special_tokens_map.get("eos_token")
        ends = [number for number, one in self.added_tokens_decoder.items() if end and one.content == end]
        self.eos_token_ids: Collection[int] = tuple(ends)

    @property
    def identity(self) -> str:
        """Name the tokenizer, whichever server it was found on."""
        return "\0".join(self.texts)

    @property
    def read(self) -> Callable[[int], str]:
        """Return what tells what a token reads."""
        return self.texts.__getitem__

    def get_vocab(self) -> Mapping[str, int]:
        """Return the ids of all tokens, by what they read; those that read no text have a name of their own."""
        found: dict[str, int] = {}
        for number, text in enumerate(self.texts):
            name = text if text and NO_TEXT not in text and text not in found else f"{NO_TEXT}{number}"
            found[name] = number
        return found

    def get_chat_template(self) -> str:
        """Return the source of the chat template."""
        return self.chat_template

    def encode(self, text: str, **options: Any) -> list[int]:
        """Return the ids of a text, asked of the server. Raises UnansweredError."""
        text = text.encode("utf-8", "replace").decode()  # no halves of characters
        is_plain, adds = options.get("split_special_tokens", False), options.get("add_special_tokens", True)
        expected = self._expected.pop(text, None) if is_plain and not adds else None
        body = _question(text, is_plain=is_plain, adds=adds)
        ids = self._ids(body, self._ask("/tokenize", **body) if expected is None else expected)
        if len(ids) >= _TELLING:
            self.bytes_per_token += _WEIGHT * (len(text.encode()) / len(ids) - self.bytes_per_token)
        return ids

    def agrees(self, texts: Sequence[str]) -> bool:
        """Ask now what some plain texts come to, which will be encoded next. Raises UnansweredError.

        Returns whether there are tokens that never come of plain text, of which the server knows that it is plain.
        """
        answers = self._thread.ask_all("/tokenize", [_question(text, is_plain=True, adds=False) for text in texts])
        self._expected = dict(zip(texts, answers, strict=True))
        return any(one.special for one in self.added_tokens_decoder.values())

    def is_conversation(self, messages: list[Mapping[str, str]], ids: Sequence[int]) -> bool:
        """Return whether the server makes these ids of a conversation. Raises UnansweredError."""
        return list(ids) == self.encode(self.apply_chat_template([dict(one) for one in messages]))

    def _ids(self, body: Mapping[str, Any], answer: Mapping[str, Any]) -> list[int]:
        """Read what a text comes to."""
        found = answer.get("tokens")
        if not isinstance(found, list):
            raise self._senseless("no list of tokens")
        if not body["with_pieces"]:
            return [self._checked(one) for one in found]
        self._learn_pieces(found)
        return [self._checked(one.get("id") if isinstance(one, dict) else None) for one in found]

    def decode(self, ids: list[int], **options: Any) -> str:
        """Return the text of ids: control tokens written out, bytes that are no text U+FFFD. Raises UnansweredError."""
        if self.knows(ids):
            return b"".join([self._bytes[one] for one in ids]).decode("utf-8", "replace")
        return self._decoded(tuple(ids))

    def apply_chat_template(self, messages: list[dict[str, str]], **options: Any) -> Any:
        """Render messages as the server does. Raises UnansweredError."""
        text = self._ask("/apply-template", messages=messages).get("prompt")
        if not isinstance(text, str):
            raise self._senseless("no prompt")
        return text

    def knows(self, ids: Sequence[int]) -> bool:
        """Return whether these ids are decoded without asking."""
        return all(one in self._bytes for one in ids)

    def learn(self, ids: Sequence[int]) -> None:
        """Have these ids be decoded without asking from now on. Raises UnansweredError."""
        if not self.knows(ids):
            self.encode(self._ask_text(tuple(ids)), add_special_tokens=False, split_special_tokens=True)
            self._note({one: NO_TEXT.encode() for one in ids if one not in self._bytes})

    def written_out(self, all_ids: Sequence[Sequence[int]]) -> list[str]:
        """Return what the server itself says that these ids read, and those. Raises UnansweredError."""
        texts = self._ask_text(tuple(one for ids in all_ids for one in (*ids, *self._between))).split(_BETWEEN)
        if len(texts) != len(all_ids) + 1:
            raise self._senseless("tokens that cannot be told apart")
        return texts[:-1]

    def spelled(self, text: str, last: int, count: int) -> tuple[int, ...]:
        """Return the ids that a text was written with that end with this one, as many as there were.

        Of characters in several tokens the server tells the last alone. Where several ways come to so many, and the
        usual one does not, or none does, as for bytes that are no text, it is the usual one. Raises UnansweredError.
        """
        if count == 1:
            self.learn((last,))
            return (last,)
        usual = tuple(self.encode(text, add_special_tokens=False, split_special_tokens=True))
        whole, end = text.encode("utf-8", "replace"), self._bytes.get(last)
        is_usual = len(usual) == count and usual[-1:] == (last,)
        is_short = max(len(whole), count) <= _LONGEST_CHARACTERS
        if not is_usual and is_short and end is not None and whole.endswith(end):
            usual = (*next(self._ways(whole[: len(whole) - len(end)], count - 1), usual[:-1]), last)
        self.learn(usual)
        return usual

    def _ways(self, left: bytes, count: int) -> Iterator[tuple[int, ...]]:
        """Give the ways in which so many tokens make up these bytes, which are few."""
        if not count or not left:
            yield from () if count or left else ((),)
            return
        for length in range(1, len(left) - count + 2):
            first = self._by_bytes.get(left[:length])
            if first is not None:
                for rest in self._ways(left[length:], count - 1):
                    yield (first, *rest)

    # What the server is asked

    def _vocabulary(self) -> tuple[str, ...]:
        """Ask what each token reads."""
        found: list[str] = []
        for start in range(0, self.rows, _AT_ONCE):
            found += self.written_out([(one,) for one in range(start, min(start + _AT_ONCE, self.rows))])
        return tuple(found)

    def _within(self, text: str) -> list[int]:
        """Return the ids of a text that stands within another one: at a beginning some tokenizers add a space."""
        head, whole = (
            self.encode(one, add_special_tokens=False, split_special_tokens=True) for one in ("\n", f"\n{text}")
        )
        ids = whole[len(head) :]
        if whole[: len(head)] != head or self._ask_text(tuple(ids)) != text:
            raise self._senseless("other text than was tokenized")
        return ids

    def _added(self) -> dict[int, AddedToken]:
        """Find the tokens that are no words: special ones, and those of the template's that count in any text."""
        whole, plain = self._met(is_plain=False), self._met(is_plain=True)
        special = {one for one in whole - plain if self.texts[one]}
        marks = {
            number
            for number, text in enumerate(self.texts)
            if number not in special and text in self.chat_template and _MARK.fullmatch(text) and self._is_added(number)
        }
        return {number: AddedToken(self.texts[number], number in special) for number in sorted(special | marks)}

    def _met(self, *, is_plain: bool) -> set[int]:
        """Return the tokens that the texts of all tokens come to."""
        met: set[int] = set()
        for part in _parts(self.texts):
            met |= set(self.encode(part, add_special_tokens=False, split_special_tokens=is_plain))
        return met

    def _is_added(self, number: int) -> bool:
        """Return whether a token is found within a word."""
        text = f"x{self.texts[number]}x"
        return number in self.encode(text, add_special_tokens=False, split_special_tokens=True)

    def _ask(self, path: str, **body: Any) -> Mapping[str, Any]:
        if not self.may_ask:
            raise NotAskedError
        return self._thread.ask(path, **body)

    def _ask_text(self, ids: tuple[int, ...]) -> str:
        text = self._ask("/detokenize", tokens=list(ids)).get("content")
        if not isinstance(text, str):
            raise self._senseless("no text of tokens")
        return text.encode("utf-8", "replace").decode()

    def _learn_pieces(self, found: Sequence[object]) -> None:
        """Take over the bytes of tokens that read no text by themselves."""
        for one in found:
            piece = one.get("piece") if isinstance(one, dict) else None
            if isinstance(one, dict) and isinstance(piece, list) and all(_is_byte(byte) for byte in piece):
                self._note({self._checked(one.get("id")): bytes(piece)})

    def _note(self, spelled: Mapping[int, bytes]) -> None:
        for number, content in spelled.items():
            self._bytes.setdefault(number, content)
            self._by_bytes.setdefault(content, number)

    def _checked(self, one: object) -> int:
        if not isinstance(one, int) or isinstance(one, bool) or not 0 <= one < self.rows:
            raise self._senseless("a token that the model does not have")
        return one

    def _senseless(self, what: str) -> UnansweredError:
        return UnansweredError(malformed(self._name, what))


def _question(text: str, *, is_plain: bool, adds: bool) -> dict[str, Any]:
    """Return what is asked about a text: the bytes of its tokens too, where they can be parts of characters."""
    asks_bytes = not text.isascii() and len(text) <= _WITH_PIECES
    return {"content": text, "add_special": adds, "parse_special": not is_plain, "with_pieces": asks_bytes}


def _parts(texts: Sequence[str]) -> Iterator[str]:
    """Give texts on lines, so many of them together as are tokenized at once."""
    lines: list[str] = []
    length = 0
    for text in texts:
        lines.append(text)
        length += len(text)
        if length > _CHARACTERS:
            yield "\n".join(lines)
            lines, length = [], 0
    yield "\n".join(lines)


def _is_byte(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 256
