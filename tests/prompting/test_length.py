"""Branches that are far too long: found without rendering them, and never said of one that fits."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from app.prompting.codec import Codec
from app.prompting.length import AT_ONCE, MARGIN
from app.prompting.problems import TooLongError
from app.prompting.prompt import PromptBuilder
from app.protocol.chat import Turn
from tests.prompting.codecs import builder_of
from tests.seeds import chosen

BRIEF = "{% for m in messages %}<|{{ m.role }}|>{{ m.content }}{% endfor %}"
WORDY = (
    "{% for m in messages %}<|start|>{{ m.role }}\nsays: {{ m.content.split('</think>')[-1]|trim }}<|end|>\n"
    "{% endfor %}<|start|>assistant\n"
)
LAST_FEW = "{% for m in messages[-4:] %}<|{{ m.role }}|>{{ m.content }}{% endfor %}"


def is_too_long(builder: PromptBuilder, turns: Iterable[Turn], context: int) -> bool:
    try:
        builder.lengths.require_near(turns, context)
    except TooLongError:
        return True
    return False


def conversation(rng: random.Random, codec: Codec) -> list[Turn]:
    """Questions and answers of any length; some answers with ids, and some with a thinking part."""
    turns = []
    for number in range(rng.choice((1, 3, 21, 101))):
        text = "fox and 🌳 " * rng.choice((1, 1, 2, 40)) + str(number)
        if number % 2 == 0:
            turns.append(Turn("user", text))
        elif rng.random() < 0.3:
            turns.append(Turn("assistant", f"<think>{text * 9}</think>{text}"))
        else:
            turns.append(Turn("assistant", text, tuple(codec.plain(text)) if rng.random() < 0.5 else None))
    return turns


@pytest.mark.parametrize("template", [BRIEF, WORDY, LAST_FEW, None])
def test_no_branch_that_fits_is_said_to_be_too_long(tmp_path: Path, template: str | None) -> None:
    builder = builder_of(tmp_path, template)
    outcomes = set()
    for seed in chosen(range(40)):
        rng = random.Random(seed)
        turns = conversation(rng, builder.codec)
        tokens = len(builder.build(turns).ids)
        context = rng.choice((tokens // 5 + 1, tokens - 1, tokens, tokens + 1, 3 * tokens))
        outcomes.add(is_too_long(builder, turns, context))
        assert tokens > context or not is_too_long(builder, turns, context), seed
    assert outcomes == ({False} if template == LAST_FEW else {False, True})


class Counted(list[Turn]):
    """Notes how many turns were read at most in one go."""

    read = 0

    def __iter__(self) -> Iterator[Turn]:
        for number, turn in enumerate(super().__iter__(), 1):
            self.read = max(self.read, number)
            yield turn


def test_what_is_done_for_a_branch_depends_on_the_context_and_not_on_its_length(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    builder, context = builder_of(tmp_path, WORDY), 1000
    characters = [0]
    plain = Codec.plain

    def counted(codec: Codec, text: str, after: int | None = None) -> list[int]:
        characters[0] += len(text)
        return plain(codec, text, after)

    monkeypatch.setattr(Codec, "plain", counted)
    many = Counted([Turn("user", f"question {number}") for number in range(20 * context)])
    assert is_too_long(builder, many, context)
    assert many.read <= MARGIN * context
    assert characters[0] <= MARGIN * context * len("question 12345")
    characters[0] = 0
    assert is_too_long(builder, [Turn("user", "fox " * 500_000)], context)
    assert characters[0] == AT_ONCE


def test_what_was_counted_once_is_remembered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    builder = builder_of(tmp_path, WORDY)
    turns = [Turn("user", f"question {number}") for number in range(200)]
    assert is_too_long(builder, turns, 300)
    monkeypatch.setattr(Codec, "plain", None)
    assert is_too_long(builder, turns, 300)
