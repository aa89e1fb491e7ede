"""A model that raises in the midst of an answer, at any call: that answer ends with a sentence, and that is all."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import mlx.core as mx
import pytest

from app.prompting.output import OutputText
from app.prompting.thinking import Piece
from app.protocol.events import RunFailed, RunFinished, TextDelta
from tests.engine.bench import Asked, Bench, opened, user
from tests.fakes.model_folder import write_model_folder
from tests.seeds import chosen

CALLS = 16  # of prompt and answer together
QUESTION = "How do I fork a conversation? Choose a message and press Fork."


class Panic(BaseException):
    """An error of a library that derives from no Exception."""


ERRORS = (
    RuntimeError("[matmul] shapes do not fit"),
    MemoryError(),
    SystemExit(2),
    Panic("unwrap on None"),
    KeyError(3),
)


class Failing:
    """A forward call that raises once, before or after it has moved the caches."""

    def __init__(self, forward: Any, at: int, error: BaseException, is_after: bool) -> None:
        self._forward, self._left, self._error, self._is_after = forward, at, error, is_after

    def __call__(self, tokens: mx.array, caches: list[Any]) -> mx.array:
        self._left -= 1
        if self._left == 0 and not self._is_after:
            raise self._error
        logits: mx.array = self._forward(tokens, caches)
        if self._left == 0:
            raise self._error
        return logits


def answered(bench: Bench, *turns: Any) -> Asked:
    return Asked(bench.do(bench.command(*turns, max_tokens=12)))


@pytest.mark.parametrize(("kind", "first"), [("llama", 0), ("gemma3", 1), ("lfm2", 0), ("mamba2", 1)])
def test_a_call_that_raises_ends_its_answer_with_a_sentence_and_the_next_question_is_answered(
    kind: str, first: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = write_model_folder(tmp_path / "m", kind=kind)
    cold = opened(folder, chunk=8)
    right = answered(cold, user(QUESTION))
    following = answered(cold, user(QUESTION), right.turn, user("on"))
    failures = 0
    for seed in chosen(range(first, CALLS, 2)):
        dice, bench = random.Random(seed), opened(folder, chunk=8)
        if seed % 3 == 0:
            answered(bench, user(QUESTION[:20]))
        layers = bench.cache.active.layers
        forward = layers._forward
        failing = Failing(forward, 1 + seed, dice.choice(ERRORS), dice.random() < 0.5)
        monkeypatch.setattr(layers, "_forward", failing)
        asked = answered(bench, user(QUESTION))
        monkeypatch.setattr(layers, "_forward", forward)
        ended = [event for event in asked.events if isinstance(event, RunFailed | RunFinished)]
        assert len(ended) == 1, f"seed {seed}"
        if isinstance(ended[0], RunFailed):
            failures += 1
            assert ended[0].problem.title == "The model failed"
            assert right.finished.text.startswith(asked.streamed), f"seed {seed}"
        again = answered(bench, user(QUESTION))
        assert again.finished.ids == right.finished.ids, f"seed {seed}"
        on = answered(bench, user(QUESTION), again.turn, user("on"))
        assert on.finished.ids == following.finished.ids, f"seed {seed}"
    assert failures
    assert any(isinstance(event, TextDelta) for event in right.events)


@pytest.mark.parametrize("is_after", [False, True])
def test_every_word_is_told_that_was_written_before_a_call_that_raises(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_after: bool
) -> None:
    folder, written, longest = write_model_folder(tmp_path / "m"), list[str](), 0
    add = OutputText.add

    def noting(self: OutputText, token: int) -> list[Piece]:
        pieces = add(self, token)
        written.extend(text for _, text in pieces)
        return pieces

    monkeypatch.setattr(OutputText, "add", noting)
    for call in range(3, 12):
        bench = opened(folder)
        layers = bench.cache.active.layers
        monkeypatch.setattr(layers, "_forward", Failing(layers._forward, call, ERRORS[0], is_after))
        written.clear()
        asked = answered(bench, user(QUESTION))
        assert asked.failed.problem.title == "The model failed"
        assert asked.streamed == "".join(written), f"call {call}"
        longest = max(longest, len(asked.streamed))
    assert longest > 5
