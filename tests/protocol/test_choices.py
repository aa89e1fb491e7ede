"""Packed choices: what goes in comes out, within its bytes; and whatever else comes in is an error."""

from __future__ import annotations

import random

import pytest

from app.protocol.choices import MOST_BYTES, WHOLE, Candidate, Choice, ChoicesError, cut, pack, unpack
from tests import seeds

TEXTS = ("", " the", "e", "\n\n", "é", "語", "🦊", "\ufffd", "\0", "e\u0301")


def some_choice(rng: random.Random) -> Choice:
    """A choice that needs nothing left out of it."""
    place = (rng.choice([0, 1, 5, 70, 9_000]), rng.random() < 0.3)
    shares = sorted((rng.randrange(50, 5_000) for _ in range(rng.randrange(5))), reverse=True)
    others = tuple(
        Candidate(rng.randrange(250_000), one, rng.choice(TEXTS), is_end=rng.random() < 0.1) for one in shares
    )
    if rng.random() < 0.1:
        return Choice(None, rng.choice([(), others]), False, *place)
    share = rng.choice([rng.randrange(9_950), rng.randrange(9_950, WHOLE + 1)])
    return Choice(share, others if share < 9_950 else (), rng.random() < 0.3, *place)


@seeds.each_seed(range(30))
def test_what_is_packed_is_unpacked(seed: int) -> None:
    rng = random.Random(seed)
    choices = tuple(some_choice(rng) for _ in range(rng.randrange(50)))
    assert unpack(pack(choices)) == choices


@seeds.each_seed(range(30))
def test_the_choices_of_the_first_tokens_are_cut_from_all(seed: int) -> None:
    rng = random.Random(seed)
    choices = tuple(some_choice(rng) for _ in range(rng.randrange(1, 20)))
    for tokens in range(len(choices) + 2):
        assert cut(pack(choices), tokens) == (pack(choices[:tokens]) if tokens else b"")
    with pytest.raises(ChoicesError):
        cut(pack(choices)[:-1], len(choices))


def test_a_token_that_was_given_is_told_from_one_below_the_likeliest() -> None:
    choices = (Choice(None), Choice(0, (), is_below=True), Choice(0), Choice(WHOLE, (), is_below=True), Choice(WHOLE))
    assert unpack(pack(choices)) == choices


@pytest.mark.parametrize(
    ("share", "kept"), [(0, (50, 51)), (9_949, (50, 51)), (9_950, ()), (WHOLE, ())], ids=["no", "unsure", "sure", "one"]
)
def test_nothing_else_is_kept_where_the_token_is_sure(share: int, kept: tuple[int, ...]) -> None:
    shares = (51, 50, 49, 0)
    (found,) = unpack(pack([Choice(share, tuple(Candidate(7, one, "a") for one in shares))]))
    assert tuple(sorted(one.share for one in found.candidates)) == kept


def test_a_sure_token_takes_two_bytes() -> None:
    assert len(pack([Choice(WHOLE, length=63)] * 100)) == 201
    assert len(pack([Choice(None, length=63)] * 100)) == 301


@pytest.mark.parametrize("text", ["", "x", "long " * 100, "語" * 40, "🦊" * 40, "\ud800" * 40])
@pytest.mark.parametrize("count", [8, 200])
def test_a_token_never_takes_more_than_its_bytes(text: str, count: int) -> None:
    choice = Choice(0, tuple(Candidate(2**31 - 1, WHOLE // 8, text) for _ in range(count)), is_below=True)
    packed = pack([choice])
    (found,) = unpack(packed)
    assert len(packed) <= 1 + MOST_BYTES
    assert 1 <= len(found.candidates) <= 8
    shown = {one.text.removesuffix("…") for one in found.candidates}
    assert all(text.encode(errors="replace").decode().startswith(one) for one in shown)


def test_a_number_that_no_token_has_is_refused() -> None:
    for number in (-1, 2**31):
        with pytest.raises(ValueError, match="cannot be packed"):
            pack([Choice(0, (Candidate(number, 100, ""),))])


@pytest.mark.parametrize(
    ("hostile", "said"),
    [
        (b"", "the end is missing"),
        (b"\x02", "format"),
        (b"\x01\x81", "the end is missing"),
        (b"\x01" + b"\xff" * 9, "no end"),
        (b"\x01\xff\xff\xff\xff\x7f", "is the most"),
        (b"\x01\x80\x00", "is the most"),
        (b"\x01\x00\xff\xff\x03", "less than nothing"),
        (pack([Choice(0)])[:-1] + b"\x09", "8 is the most"),
        (pack([Choice(0)])[:-1] + b"\x01\x07\xff\x7f\x00", "10000 is the most"),
        (pack([Choice(0)])[:-1] + b"\x01\x07\x07\x19" + b"a" * 25, "24 is the most"),
        (pack([Choice(0)])[:-1] + b"\x01\x07\x07\x02\xc3\x28", "UTF-8"),
        (pack([Choice(0)])[:-1] + b"\x01\x07\x07\x02a", "the end is missing"),
    ],
)
def test_hostile_bytes_are_an_error(hostile: bytes, said: str) -> None:
    with pytest.raises(ChoicesError, match=said):
        unpack(hostile)


@seeds.each_seed(range(30))
def test_any_bytes_are_choices_or_an_error(seed: int) -> None:
    """What is read is never larger than what was written."""
    rng = random.Random(seed)
    for _ in range(200):
        hostile = bytearray(pack([some_choice(rng) for _ in range(5)]))
        for _ in range(rng.randrange(1, 4)):
            hostile[rng.randrange(len(hostile))] = rng.randrange(256)
        del hostile[rng.randrange(1, len(hostile) + 1) :]
        try:
            found = unpack(bytes(hostile))
        except ChoicesError:
            continue
        assert len(found) < len(hostile)
