"""Broken JSON, and JSON that means more than one thing, by line and column."""

from __future__ import annotations

import json

import pytest

from app.exchange import ExchangeError, read_any
from app.exchange.faults import MalformedError
from app.exchange.json_text import decoded, parsed


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"a": 1,\n "b" 2}', "line 2, column 6: the JSON is broken here"),
        ('{"a": [1, 2', "line 1, column 12: the JSON is broken here"),
        ('{"a": "x\ny"}', "line 1, column 9: the JSON is broken here"),
        ('{"a": {"b": 1,\n "b": 2}}', "line 2, column 2: “b” stands twice in one object"),
        ('{"a": 1, "\\u0061": 2}', "line 1, column 10: “a” stands twice in one object"),
        ('["NaN", {"a": NaN}]', "line 1, column 15: NaN is no number in JSON"),
        ("[1,\n-Infinity]", "line 2, column 1: -Infinity is no number in JSON"),
        ('["1e999",\n 1e999]', "line 2, column 2: “1e999” is too large a number"),
        ('{"a":\n-' + "9" * 5000 + "}", "line 2, column 1: “-9999"),
        ("[" * 100_000 + "]" * 100_000, "line 1, column 201: nested more than 200 levels deep"),
        ('{"a":' * 100_000, "line 1, column 1001: nested more than 200 levels deep"),
    ],
)
def test_every_fault_has_its_place(text: str, words: str) -> None:
    with pytest.raises(MalformedError) as caught:
        parsed(text)
    assert words in str(caught.value)


def test_the_same_name_in_two_objects_is_no_fault() -> None:
    text = '{"a": {"b": [{"b": 1}, {"b": "\\" NaN ["}]}, "b": 1e5}'
    assert parsed(text) == json.loads(text)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_utf_16_is_named(encoding: str) -> None:
    with pytest.raises(MalformedError, match="UTF-16") as caught:
        decoded('{"a": 1}'.encode(encoding))
    assert caught.value.advice == "Save it in UTF-8, then try again."


def test_a_byte_order_mark_is_taken_and_other_bytes_are_named() -> None:
    assert decoded(b"\xef\xbb\xbf{}") == "{}"
    with pytest.raises(MalformedError, match="line 2, byte 3: this is not text in UTF-8"):
        decoded('{\n "ä'.encode("latin-1") + b'"}')


def test_the_name_stands_in_the_sentence_on_one_line() -> None:
    with pytest.raises(ExchangeError) as caught:
        read_any("/home/me/pe\nars\u202e.json", b"[")
    assert caught.value.problem.sentence.startswith("“pe ars .json” was not imported")
