"""A following turn extends what was generated: nothing is computed again but what the template really changed."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from app.protocol.chat import Turn
from app.protocol.reports import StopReason
from tests.engine.bench import Asked, Bench, opened, user
from tests.fakes.model_folder import write_model_folder
from tests.fakes.tiny_tokenizer import TEMPLATES, THINKING, byte_level, sentence_piece

# Texts whose tokens by themselves are not those of the whole: merges across the boundary, characters of several
# bytes, control tokens spelled out, white space at both ends, thinking.
PIECES = [
    "H", "ow do I", " fo", "rk", "?", "\n", "\n\n", " ", "   ", "the", " the", "42", "1 + 2", "😀", "👩‍🚀", "こ", "é",
    "ß", "<|end|>", "<|us", "er|>", "[A]", "<thi", "nk>", "x" * 9, "\t", "'s", "...", "Zq0w0w",
]  # fmt: skip


def noisy_ids(text: str, dice: random.Random, tokenizer: object) -> tuple[int, ...]:
    """The text in tokens that a sampler could have chosen: cut at random places, characters in single bytes too."""
    vocabulary = tokenizer.get_vocab()  # type: ignore[attr-defined]
    ids: list[int] = []
    while text:
        mark = next((mark for mark in THINKING if text.startswith(mark)), "")
        cut = len(mark) or dice.randrange(1, 5)
        part, text = text[:cut], text[cut:]
        pieces = tokenizer.encode(part, add_special_tokens=False).tokens  # type: ignore[attr-defined]
        for piece in pieces:
            single = dice.random() < 0.3 and piece not in ("<|end|>", *THINKING) and all(c in vocabulary for c in piece)
            ids += [vocabulary[character] for character in piece] if single else [vocabulary[piece]]
    return tuple(token for token in ids if token != vocabulary["<|end|>"])


KEEPS: dict[str, Callable[[str], bool]] = {
    "bare": lambda text: True,
    "thinking dropped": lambda text: not text.startswith("\n") and "</think>" not in text,
    "thinking opened": lambda text: False,
    "trimmed and dated": lambda text: text == " " + text.strip(),
    # The first space of a text is not shown.
    "sentence piece": lambda text: text == text.strip(),
}


class Talk:
    """Asks and answers with noisy tokens, each time on top of what was said.

    excess: of each request. extended: how many requests held every token of an answer that the template kept as it was;
    lost: the texts of such answers that did not come back whole.
    """

    def __init__(self, bench: Bench, shape: str, tokenizer: object) -> None:
        self.excess: list[int] = []
        self.extended = 0
        self.lost: list[str] = []
        self._bench, self._shape, self._tokenizer = bench, shape, tokenizer

    def hold(self, dice: random.Random, answers: int, form: str = "{}") -> None:
        turns: list[Turn] = []
        known: tuple[int, str] | None = None
        for _ in range(answers):
            turns.append(user("".join(dice.choices(PIECES, k=dice.randrange(1, 6))) + "?"))
            answer = form.format("".join(dice.choices(PIECES, k=dice.randrange(1, 8))))
            forced = noisy_ids(answer, dice, self._tokenizer)
            asked = self._bench.ask(*turns, forced=forced, max_tokens=4, temperature=1.3, seed=dice.randrange(1000))
            self._note(asked, known)
            turns.append(asked.turn)
            fed = len(asked.finished.ids) - (asked.finished.stats.stop is not StopReason.FINISHED)
            known = asked.started.request.total - len(forced) + fed, asked.finished.text

    def _note(self, asked: Asked, known: tuple[int, str] | None) -> None:
        request = asked.started.request
        self.excess.append(request.excess)
        if known is None or not KEEPS[self._shape](known[1]):
            return
        if request.cached >= known[0]:
            self.extended += 1
        else:
            self.lost.append(known[1])


def talk(folder: Path, shape: str, conversations: int, form: str = "{}", tokenizer: object = None) -> Talk:
    talk = Talk(opened(folder), shape, tokenizer or byte_level())
    dice = random.Random(shape)
    for _ in range(conversations):
        talk.hold(dice, 8, form)
    return talk


@pytest.mark.parametrize(("shape", "extended"), [("bare", 28), ("thinking dropped", 20), ("thinking opened", 0)])
def test_adversarial_answers_are_extended_and_not_computed_again(tmp_path: Path, shape: str, extended: int) -> None:
    held = talk(write_model_folder(tmp_path / "m", template=TEMPLATES[shape]), shape, 4)
    assert held.excess == [0] * 32
    assert held.lost == []
    assert held.extended >= extended


@pytest.mark.parametrize(
    ("shape", "begin", "extended"),
    [("bare", "", 21), ("thinking dropped", "ok", 21), ("thinking opened", "ok", 0), ("trimmed and dated", " ok", 8)],
)
def test_so_they_are_with_whole_states(tmp_path: Path, shape: str, begin: str, extended: int) -> None:
    """The answers begin such that the template leaves their beginning as it is."""
    held = talk(write_model_folder(tmp_path / "m", kind="lfm2", template=TEMPLATES[shape]), shape, 3, begin + "{}")
    assert held.excess == [0] * 24
    assert held.lost == []
    assert held.extended >= extended


def test_so_they_are_with_sentence_piece(tmp_path: Path) -> None:
    template = TEMPLATES["trimmed and dated"]
    folder = write_model_folder(tmp_path / "m", tokenizer=sentence_piece(), template=template)
    held = talk(folder, "sentence piece", 3, "ok{}", sentence_piece())
    assert held.excess == [0] * 24
    assert held.lost == []
    assert held.extended >= 8


THOUGHTS = [
    ("thinking dropped", "<think>\nthe user asks this 😀\n</think>\n\n{}"),
    ("thinking opened", "the user asks this 😀\n</think>\n\n{}"),
]


@pytest.mark.parametrize(("shape", "form"), THOUGHTS)
@pytest.mark.parametrize(("kind", "most"), [("llama", 0), ("lfm2", 1)])
def test_dropped_thinking_costs_the_shortened_answer(
    tmp_path: Path, shape: str, form: str, kind: str, most: int
) -> None:
    """With whole states, one token more: the state before an answer is kept less the seed token."""
    held = talk(write_model_folder(tmp_path / "m", kind=kind, template=TEMPLATES[shape]), shape, 1, form)
    assert max(held.excess) <= most
