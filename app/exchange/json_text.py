"""JSON that is not trusted, with the place of every fault.

Stricter than Python's reader, which takes NaN for a number and keeps the last of two entries with one name: the words
of the first would be lost. https://www.rfc-editor.org/rfc/rfc8259
"""

from __future__ import annotations

import codecs
import json
import re
from typing import Any, NoReturn

from app.exchange.faults import MalformedError, shown

DEEPEST = 200  # levels of brackets that any file here may have a use for
LONGEST_NUMBER = 1000  # digits

_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)  # UTF-32 begins with one of them, or with a zero byte
_TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[\[\]{}]|-?Infinity|NaN|-?[0-9][0-9.eE+-]*', re.DOTALL)
_COLON = re.compile(r"[ \t\r\n]*:")


class _RefusedError(ValueError):
    """Something that Python's reader would have taken."""


def decoded(data: bytes) -> str:
    """The text of a file in UTF-8, with or without a byte order mark."""
    if data.startswith(_UTF_16) or b"\0" in data[:4]:
        raise MalformedError("", "it is not in UTF-8 but, it seems, in UTF-16", "Save it in UTF-8, then try again.")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        start = data.rfind(b"\n", 0, error.start) + 1
        line = data.count(b"\n", 0, start) + 1
        raise MalformedError(f"line {line}, byte {error.start - start + 1}", "this is not text in UTF-8") from error


def parsed(text: str) -> Any:
    """What the JSON holds, every number finite. MalformedError with line and column where it is broken."""
    try:
        return json.loads(text, object_pairs_hook=_object, parse_constant=_constant, parse_float=_float)
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise MalformedError(place, f"the JSON is broken here ({error.msg})") from error
    except (ValueError, RecursionError) as error:
        _look_for_fault(text)
        raise MalformedError("", f"the JSON cannot be read ({error})") from error


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


def _look_for_fault(text: str) -> None:
    """Raises MalformedError at the first thing in well-formed JSON that is refused all the same."""
    open_objects: list[set[str]] = []
    for token in _TOKEN.finditer(text):
        match token[0][0]:
            case "{" | "[":
                open_objects.append(set())
                if len(open_objects) > DEEPEST:
                    raise MalformedError(_place(text, token.start()), f"nested more than {DEEPEST} levels deep")
            case "}" | "]" if open_objects:
                open_objects.pop()
            case '"' if open_objects and _COLON.match(text, token.end()):
                name = json.loads(token[0])
                if name in open_objects[-1]:
                    raise MalformedError(_place(text, token.start()), f"{shown(name)} stands twice in one object")
                open_objects[-1].add(name)
            case _ if token[0] in ("NaN", "Infinity", "-Infinity"):
                raise MalformedError(_place(text, token.start()), f"{token[0]} is no number in JSON")
            case _ if _is_too_large(token[0]):
                raise MalformedError(_place(text, token.start()), f"{shown(token[0], 24)} is too large a number")


def _is_too_large(token: str) -> bool:
    is_number = token[0] in "-0123456789"
    return is_number and (len(token) > LONGEST_NUMBER or float(token) in (float("inf"), float("-inf")))


def _place(text: str, at: int) -> str:
    start = text.rfind("\n", 0, at) + 1
    return f"line {text.count(chr(10), 0, start) + 1}, column {at - start + 1}"
