"""Broken JSON, and JSON that means more than one thing, by line and column."""

from __future__ import annotations

import json
import random

import pytest

from app.exchange import ExchangeError, json_text, limits, read_any
from app.exchange.faults import MalformedError
from app.exchange.json_text import JsonReader, decoded, parsed


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
        list(decoded(['{"a": 1}'.encode(encoding)]))
    assert caught.value.advice == "Save it in UTF-8, then try again."


def test_a_byte_order_mark_is_taken_and_other_bytes_are_named() -> None:
    assert "".join(decoded([b"\xef\xbb\xbf{}"])) == "{}"
    with pytest.raises(MalformedError, match="line 2, byte 3: this is not text in UTF-8"):
        list(decoded(['{\n "ä'.encode("latin-1") + b'"}']))


def test_the_name_stands_in_the_sentence_on_one_line() -> None:
    with pytest.raises(ExchangeError) as caught:
        read_any("/home/me/pe\nars\u202e.json", b"[")
    assert caught.value.problem.sentence.startswith("“pe ars.json” was not imported")


@pytest.mark.parametrize("size", [1, 2, 3, 7, 64])
def test_in_pieces_it_is_read_as_in_one(size: int) -> None:
    """Values, faults and places are the same wherever a piece ends."""
    rng = random.Random(size)
    whole = json.dumps(
        [{"a": [1, -2.5e3, True, None, 'ä\u20ac\ud83c\udf50 " \n'], "b": {"c": []}}, 12, "x" * 50], indent=1
    )
    for _ in range(300):
        data = bytearray(whole.encode())
        for _ in range(rng.choice([0, 1, 1, 2])):
            at = rng.randrange(len(data))
            data[at : at + rng.choice([0, 1, 9])] = rng.choice([b"", b"{", b"]", b'"', b"\\", b",", b"NaN", b"\n"])
        pieces = [bytes(data[at : at + size]) for at in range(0, len(data), size)]
        assert outcome(pieces) == outcome([bytes(data)]), bytes(data)

    whole = "ä€🍐\n" * 9
    for at in range(len(whole.encode())):
        data = bytearray(whole.encode())
        data[at] = 0xFF
        faults = []
        for step in (size, len(data)):
            with pytest.raises(MalformedError) as caught:
                list(decoded([bytes(data[start : start + step]) for start in range(0, len(data), step)]))
            faults.append(str(caught.value))
        assert faults[0] == faults[1]


def outcome(pieces: list[bytes]) -> object:
    try:
        reader = JsonReader(decoded(pieces))
        found = [reader.value() for _ in reader.items()] if reader.next_sign() == "[" else reader.value()
        reader.end()
    except MalformedError as error:
        return str(error)
    return found


def test_members_and_items_are_those_of_the_whole() -> None:
    text = '{"a": [1, {"b": 2}], "c": {}, "d": []} '
    for size in (1, 5, 100):
        reader = JsonReader([text[at : at + size] for at in range(0, len(text), size)])
        found = {
            name: [reader.value() for _ in reader.items()] if name != "c" else reader.value()
            for name in reader.members()
        }
        reader.end()
        assert found == json.loads(text)
    with pytest.raises(MalformedError, match="line 2, column 1: “a” stands twice"):
        list(map(lambda _: reader.value(), (reader := JsonReader(['{"a": 1,\n', '"a": 2}'])).members()))


def test_values_have_a_largest_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "LARGEST_VALUE", 1 << 20)
    monkeypatch.setattr(limits, "MOST_BRACKETS", 1000)
    pieces = ['[\n"', *["a" * 1000] * 2000, '"]']
    with pytest.raises(MalformedError, match="line 2, column 1: it has more than 1 million characters"):
        outcome_of(pieces)
    with pytest.raises(MalformedError, match="line 2, column 1: it holds more than 1000 lists and objects"):
        outcome_of(["[\n[", *["[],"] * 5000, "1]]"])
    assert len(str(outcome_of(["[", *["[],"] * 5000, "1]"]))) > 20_000


def outcome_of(pieces: list[str]) -> object:
    reader = JsonReader(pieces)
    return [reader.value() for _ in reader.items()]


@pytest.mark.timeout(20)
@pytest.mark.parametrize("piece", ['"', "[", '{"a":', "1", "-", "\\", '"\\', "1,", '"a",', " ", "\n", "nu", "[]", "1e"])
def test_no_text_takes_long(piece: str) -> None:
    """In pieces of 1,000 characters; reading each value anew with each piece would take minutes."""
    text = "[" + piece * 300_000
    with pytest.raises(MalformedError):
        outcome_of([text[at : at + 1000] for at in range(0, len(text), 1000)])


@pytest.mark.timeout(20)
@pytest.mark.parametrize("text", ['"' + '\\"' * 300_000, '"' * 300_001, '"' + "\\" * 300_001])
def test_a_string_without_an_end_is_passed_once(text: str) -> None:
    assert sum(len(found[0]) for found in json_text._TOKEN.finditer(text)) >= len(text) - 1
