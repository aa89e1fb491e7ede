"""Figures are written in one way, and never with more digits than they need."""

from __future__ import annotations

import pytest

from app.protocol.figures import number, plural, size


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (0, "0 KB"),
        (1, "1 KB"),
        (812_000, "812 KB"),
        (999_001, "1.0 MB"),
        (9_949_999, "9.9 MB"),
        (9_950_000, "10 MB"),
        (999_499_999, "999 MB"),
        (999_500_000, "1.0 GB"),
        (3_100_000_000, "3.1 GB"),
    ],
)
def test_sizes(value: int, words: str) -> None:
    assert size(value) == words.replace(" ", "\u00a0")


def test_thousands_are_parted() -> None:
    assert [number(value) for value in (0, 999, 1000, 1_234_567)] == ["0", "999", "1\u202f000", "1\u202f234\u202f567"]


def test_counts_have_their_noun() -> None:
    told = [plural(0, "token"), plural(1, "token"), plural(3412, "token"), plural(2, "branch", "branches")]
    assert told == ["0\u00a0tokens", "1\u00a0token", "3\u202f412\u00a0tokens", "2\u00a0branches"]
