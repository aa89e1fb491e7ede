"""An expression is only let through unseen where no text can make it slow."""

from __future__ import annotations

import random

import pytest

from app.tokenizing.expressions import is_risky

_CONTRACTIONS = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)"
_UPPER, _LOWER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
# In the manner of the families of tokenizers that models come with.
USUAL = [
    r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
    rf"{_CONTRACTIONS}|[^\r\n\p{{L}}\p{{N}}]?\p{{L}}+|\p{{N}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    rf"{_CONTRACTIONS}|[^\r\n\p{{L}}\p{{N}}]?\p{{L}}+|\p{{N}}{{1,3}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n]*|\s*[\r\n]+|\s",
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s",
    rf"[^\r\n\p{{L}}\p{{N}}]?{_UPPER}*{_LOWER}+{_CONTRACTIONS}?|[^\r\n\p{{L}}\p{{N}}]?{_UPPER}+{_LOWER}*|\p{{N}}{{1,3}}",
    r"[^\r\n\p{L}\p{N}]?((?=[\p{L}])([^a-z]))*((?=[\p{L}])([^A-Z]))+(?:'[sS]|'[tT])?| ?[^\s\p{L}\p{N}]+[\r\n/]*",
    r"[!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*",
    r"\p{N}{1,3}(?=(?:\p{N}{3})*(?:\P{N}|$))",
    r"(?<=\d)(?=(?:\d{3})+(?!\d))",
    r" ?[^(\s|[.,!?…。，、।۔،])]+",
    r"[一-龥぀-ゟ゠-ヿ]+",
    r"[\p{Han}]+|[^\r\n\p{L}\p{N}]?[\p{L}&&[^\p{Han}]]+",
    r"<\|startoftext\|>|<\|endoftext\|>|'s|'t|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+",
    r" {2,}",
    r"(?=▁)",
    r"\s",
    r"",
]


@pytest.mark.parametrize("expression", USUAL)
def test_those_of_usual_tokenizers_are_no_risk(expression: str) -> None:
    assert not is_risky(expression)


@pytest.mark.parametrize(
    "expression",
    [
        "(q+)+$",
        "(?:q|qq)*x",
        "(?:ab|a|b)*c",
        "q*q*x",
        "(?:q*)(?:q*)x",
        "(?=(q+)+x)q",
        "(?:q?){30}x",
        "((q{1,900}){1,900}){1,900}",
        "q{1,99999}",
        "q{2}{2}",
        r"(q)\1",
        r"(?<a>q\g<a>?x)",
        r"(?~q)",
        r"(?(q)x|y)",
        r"\X+",
        "(q",
        "q)",
        "[q",
        "(?#",
        "\\",
        "(" * 1000 + ")" * 1000,
        "[" * 1000 + "]" * 1000,
    ],
)
def test_those_that_may_take_long_or_cannot_be_read_are(expression: str) -> None:
    assert is_risky(expression)


def repeated(dice: random.Random, depth: int) -> str:
    """An expression that repeats, without bound, what repeats itself."""
    inner = repeated(dice, depth - 1) if depth else f"{dice.choice('ab')}{dice.choice(['+', '*', '{2,}'])}"
    opening = dice.choice(["(", "(?:", "(?i:", "(?>"])
    around = dice.choice(["{}", "{}|c", "x?{}", "[ab]?{}", r"\p{L}?{}"]).replace("{}", inner)
    return f"{opening}{around}){dice.choice(['+', '*', '{2,}', '{30}', '+?'])}"


def test_what_repeats_a_repetition_is_a_risk_wherever_it_stands() -> None:
    dice = random.Random(5)
    for _ in range(500):
        hidden = repeated(dice, dice.randrange(3))
        around = dice.choice(["{}", "a|{}", "{}x", "(?:{})?", "(?=.{})", "(?<!{})", "[^(]{}", r"\({}"])
        assert is_risky(around.replace("{}", hidden)), hidden
