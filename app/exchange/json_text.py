"""The reading of JSON that is not trusted, piece by piece, with the place of every fault.

Stricter than Python's reader, which takes NaN for a number and keeps the last of two entries with one name: the words
of the first would be lost. https://www.rfc-editor.org/rfc/rfc8259

Properties: of a file no more is held than the value that is being read, which is as large
as `limits` allows at most; reading takes time in proportion to the file.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterable, Iterator
from itertools import chain, repeat
from typing import Any, NoReturn

from app.exchange import limits
from app.exchange.faults import MalformedError, shown

DEEPEST = 200  # levels of brackets that any file here may have a use for
LONGEST_NUMBER = 1000  # digits
PIECE = 1 << 20  # bytes

_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)  # UTF-32 begins with one of them, or with a zero byte
# A string without an end is taken to the end of the text: to look for one from each quote within it never ends.
_TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?\Z)|[\[\]{}]|-?Infinity|NaN|-?[0-9][0-9.eE+-]*', re.DOTALL)
_COLON = re.compile(r"[ \t\r\n]*:")
_BLANKS = re.compile(r"[ \t\r\n]*")
_LONGEST_END = 16  # characters at the end of a text that may be half of a word, a number or an escape


class _RefusedError(ValueError):
    """Something that Python's reader would have taken."""


def decoded(pieces: Iterable[bytes]) -> Iterator[str]:
    """Decode the text of a file in UTF-8, with or without a byte order mark, in pieces."""
    lines, column, rest, is_first = 0, 0, b"", True  # lines, and bytes of the last one, before what is in hand
    for piece, is_last in chain(zip(pieces, repeat(False), strict=False), [(b"", True)]):
        data = rest + piece
        if is_first and len(data) < 4 and not is_last:
            rest = data
            continue
        if is_first and (data.startswith(_UTF_16) or b"\0" in data[:4]):
            raise MalformedError("", "it is not in UTF-8 but, it seems, in UTF-16", "Save it in UTF-8, then try again.")
        data = data.removeprefix(codecs.BOM_UTF8) if is_first else data
        is_first = False
        try:
            text, taken = data.decode("utf-8"), len(data)
        except UnicodeDecodeError as error:
            taken = error.start
            if is_last or taken < len(data) - 3:  # else it may be half of a character
                start = data.rfind(b"\n", 0, taken) + 1
                line, byte = lines + data.count(b"\n", 0, start) + 1, taken - start + 1 + (0 if start else column)
                raise MalformedError(f"line {line}, byte {byte}", "this is not text in UTF-8") from error
            text = data[:taken].decode("utf-8")
        start = data.rfind(b"\n", 0, taken) + 1
        lines, column = lines + data.count(b"\n", 0, taken), taken - start + (0 if start else column)
        rest = data[taken:]
        yield text


def parsed(text: str) -> Any:
    """Parse a JSON text, every number finite. Raises MalformedError with line and column where it is broken."""
    reader = JsonReader([text])
    value = reader.value()
    reader.end()
    return value


class JsonReader:
    """A reader of JSON in pieces: whole values, or the members of an object and the items of a list one by one.

    Whoever asks for members or items reads each value before the next. MalformedError with line and column where the
    text is broken, and where a value is larger than `limits` allows.
    """

    def __init__(self, pieces: Iterable[str]) -> None:
        self._pieces = iter(pieces)
        self._text = ""
        self._at = 0
        self._passed, self._lines, self._columns = 0, 0, 0  # before what is here
        self._decoder = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_constant, parse_float=_float)

    def next_sign(self) -> str:
        """Return the character that comes next, blanks left out; nothing at the end."""
        while True:
            blanks = _BLANKS.match(self._text, self._at)
            self._at = blanks.end() if blanks else self._at
            if self._at < len(self._text):
                return self._text[self._at]
            if not self._fetch():
                return ""

    def value(self) -> Any:
        """Read the value that comes next."""
        self.next_sign()
        while True:
            try:
                value, end = self._decoder.raw_decode(self._text, self._at)
            except json.JSONDecodeError as error:
                is_cut = error.msg.startswith("Unterminated") or error.pos >= len(self._text) - _LONGEST_END
                behind = error.pos - self._at
                if not (is_cut and self._fetch_more()):
                    raise self._broken(error.msg, self._at + behind) from error
            except (ValueError, RecursionError) as error:
                self._look_for_fault()
                raise MalformedError(self._place(self._at), f"the JSON cannot be read ({error})") from error
            else:
                if end < len(self._text) or not self._fetch_more():
                    self._check_size(end - self._at)
                    self._at = end
                    return value

    def members(self) -> Iterator[str]:
        """Yield the names in the object that comes next; the value of each is to be read before the next name."""
        names: set[str] = set()
        for _ in self._parts("{", "}"):
            if self.next_sign() != '"':
                raise self._broken("Expecting property name enclosed in double quotes")
            start = self._passed + self._at
            name = self.value()
            if name in names:
                raise MalformedError(self._place(start - self._passed), f"{shown(name)} stands twice in one object")
            names.add(name)
            self._pass(":")
            yield name

    def items(self) -> Iterator[int]:
        """Yield a number, from 1 on, for each item of the list that comes next; it is to be read before the next."""
        yield from self._parts("[", "]")

    def end(self) -> None:
        """Check that nothing else comes: MalformedError where something does."""
        if self.next_sign():
            raise self._broken("Extra data")

    def _parts(self, begin: str, end: str) -> Iterator[int]:
        self._pass(begin)
        if self.next_sign() == end:
            self._at += 1
            return
        number = 1
        yield number
        while self.next_sign() != end:
            self._pass(",")
            number += 1
            yield number
        self._at += 1

    def _pass(self, sign: str) -> None:
        if self.next_sign() != sign:
            raise self._broken(f"Expecting '{sign}' delimiter")
        self._at += 1

    def _fetch(self, least: int = 1) -> bool:
        """Go on by so many characters or more; False at the end. What was read is let go."""
        found: list[str] = []
        while least > 0 and (piece := next(self._pieces, None)) is not None:
            found.append(piece)
            least -= len(piece)
        gone = self._text.rfind("\n", 0, self._at) + 1
        self._lines += self._text.count("\n", 0, gone)
        self._columns = self._at - gone + (0 if gone else self._columns)
        self._passed += self._at
        self._text, self._at = "".join((self._text[self._at :], *found)), 0
        return any(found)

    def _fetch_more(self) -> bool:
        """Fetch as much again as is here of the value that is being read, so that it is not begun anew too often."""
        size = len(self._text) - self._at
        self._check_size(size)
        return self._fetch(size)

    def _check_size(self, size: int) -> None:
        """MalformedError where a value that has so many characters, or more that are not here yet, is too large."""
        reason = limits.fault_of_value(self._text, self._at, self._at + size)
        if reason:
            raise MalformedError(self._place(self._at), reason, "Leave it out there, then try again.")

    def _broken(self, reason: str, at: int | None = None) -> MalformedError:
        return MalformedError(self._place(self._at if at is None else at), f"the JSON is broken here ({reason})")

    def _place(self, at: int) -> str:
        start = self._text.rfind("\n", 0, at) + 1
        line = self._lines + self._text.count("\n", 0, start) + 1
        return f"line {line}, column {at - start + 1 + (0 if start else self._columns)}"

    def _look_for_fault(self) -> None:
        """Raises MalformedError at the first thing in well-formed JSON that is refused all the same."""
        open_objects: list[set[str]] = []
        for token in _TOKEN.finditer(self._text, self._at):
            match token[0][0]:
                case "{" | "[":
                    open_objects.append(set())
                    if len(open_objects) > DEEPEST:
                        raise MalformedError(self._place(token.start()), f"nested more than {DEEPEST} levels deep")
                case "}" | "]" if open_objects:
                    open_objects.pop()
                case '"' if open_objects and _COLON.match(self._text, token.end()):
                    name = json.loads(token[0])
                    if name in open_objects[-1]:
                        raise MalformedError(self._place(token.start()), f"{shown(name)} stands twice in one object")
                    open_objects[-1].add(name)
                case _ if token[0] in ("NaN", "Infinity", "-Infinity"):
                    raise MalformedError(self._place(token.start()), f"{token[0]} is no number in JSON")
                case _ if _is_too_large(token[0]):
                    raise MalformedError(self._place(token.start()), f"{shown(token[0], 24)} is too large a number")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise _RefusedError("a name stands twice in one object")
    return found


def _constant(name: str) -> NoReturn:
    raise _RefusedError(f"{name} is no number")


def _float(digits: str) -> float:
    value = float(digits)
    if value in (float("inf"), float("-inf")):
        raise _RefusedError("a number is too large")
    return value


def _is_too_large(token: str) -> bool:
    is_number = token[0] in "-0123456789"
    if not is_number:
        return False
    try:
        return len(token) > LONGEST_NUMBER or float(token) in (float("inf"), float("-inf"))
    except ValueError:  # a row of signs like "1-2", which is broken and not large
        return False
