"""A following turn extends what was generated: nothing is computed again but what the template really changed.

Five hundred adversarial answers: half of them on a model with rows only, half on one with whole states.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from app.prompting.token_reuse import shared_length
from app.protocol.chat import Turn
from app.protocol.reports import StopReason
from tests.engine.adversary import Talk
from tests.engine.bench import opened, user
from tests.fakes.model_folder import write_model_folder
from tests.fakes.tiny_tokenizer import TEMPLATES, sentence_piece

FOLLOW_UPS = 63
LAYERS = [pytest.param(True, id="rows"), pytest.param(False, id="states")]
# Template shape -> at least how many follow-ups take over every token of the answer before. On a busy machine others
# are cut short than on an idle one, and other conversations follow: idle, these are 48 and 39 of the first two.
EXTENDED = {"bare": 30, "thinking dropped": 25, "thinking opened": 0, "trimmed and dated": 1}


def assert_nothing_is_computed_again(talk: Talk, seed: str, follow_ups: int, allowed: int = 0) -> None:
    """allowed: tokens of excess, where a text may begin as the mark that was dropped before it is spelled."""
    dice = random.Random(seed)
    while len(talk.follow_ups) < follow_ups:
        talk.hold(dice, answers=8)
    assert [report.excess for report in talk.follow_ups if report.excess > allowed] == []
    assert talk.broken == []


@pytest.mark.parametrize("has_rows_only", LAYERS)
@pytest.mark.parametrize("shape", TEMPLATES)
def test_adversarial_answers_are_never_computed_again(tmp_path: Path, shape: str, has_rows_only: bool) -> None:
    talk = Talk(tmp_path / "m", TEMPLATES[shape], has_rows_only)
    assert_nothing_is_computed_again(talk, shape, FOLLOW_UPS)
    assert talk.extended >= EXTENDED[shape]


@pytest.mark.parametrize("has_rows_only", LAYERS)
def test_nor_with_sentence_piece(tmp_path: Path, has_rows_only: bool) -> None:
    talk = Talk(tmp_path / "m", TEMPLATES["trimmed and dated"], has_rows_only, sentence_piece())
    assert_nothing_is_computed_again(talk, "sentence piece", 40, allowed=3)


@pytest.mark.parametrize("stop", ["\nUser:", "END", " and so on"])
@pytest.mark.parametrize("shape", ["bare", "trimmed and dated"])
def test_an_answer_that_a_stop_text_cuts_is_not_computed_again(tmp_path: Path, shape: str, stop: str) -> None:
    """The text that was cut off is forgotten; what lies before it is held as if nothing had followed."""
    talk = Talk(tmp_path / "m", TEMPLATES[shape], has_rows_only=False)
    turns = [user("Count, please")]
    dice = random.Random(stop)
    for words in ("ok 1 2 3", "ok E EN \nUse \nUser", "ok the fox  \n", "ok 😀"):
        asked = talk.ask(turns, f"{words}{stop} more", dice, is_cut=False, stop=(stop,))
        assert asked.stats.stop is StopReason.STOP_TEXT
        assert asked.text == words
        turns += [Turn("assistant", asked.text, asked.ids), user(f"{dice.random()}?")]
        assert talk.cache.price(talk.loaded.prompts.build(turns).ids).excess == 0


THOUGHTS = [
    ("thinking dropped", "<think>\nthe user asks this 😀\n</think>\n\nIt is {}"),
    ("thinking opened", "the user asks this 😀\n</think>\n\nIt is {}"),
]


@pytest.mark.parametrize(("shape", "form"), THOUGHTS)
def test_dropped_thinking_costs_the_shortened_answer(tmp_path: Path, shape: str, form: str) -> None:
    talk = Talk(tmp_path / "m", TEMPLATES[shape], has_rows_only=False)
    turns = [user("What is it?")]
    for number in range(4):
        asked = talk.ask(turns, form.format(number), random.Random(number), is_cut=False)
        fed = talk.fed()
        turns += [Turn("assistant", asked.text, asked.ids, thinking=asked.thinking), user(f"{number} more?")]
        following = talk.loaded.prompts.build(turns).ids
        report = talk.cache.price(following)
        assert report.excess == 0
        assert report.cached == shared_length(fed, following) < len(fed)
        # Regenerating it is still free, and so is going on with another answer to the same question.
        assert talk.cache.price(talk.loaded.prompts.build(turns[:-2]).ids).left == 1


def test_a_state_is_kept_only_where_the_next_turn_needs_it(tmp_path: Path) -> None:
    """A template that leaves answers as they are needs none but the one at the end."""
    talk = Talk(tmp_path / "m", TEMPLATES["bare"], has_rows_only=False)
    turns = [user("What is it?")]
    asked = talk.ask(turns, "It is  this.  \n", random.Random(0), is_cut=False)
    prompt = talk.loaded.prompts.build(turns)
    begin = len(prompt.ids)
    stored = [node.end for node in talk.cache.trie if node.stored.state is not None]
    assert not [end for end in stored if begin <= end < begin + len(asked.ids)]


def test_a_real_model_goes_on_the_same_after_an_answer_was_changed(tmp_path: Path) -> None:
    """From the state that was held, the next answer is token for token that of a cold start."""
    folder = write_model_folder(tmp_path / "m", kind="lfm2", template=TEMPLATES["trimmed and dated"])
    bench = opened(folder)
    first = bench.ask(user("hi"), temperature=1.5, max_tokens=12, seed=3)
    turns = (user("hi"), Turn("assistant", first.finished.text, first.finished.ids), user("And then?"))
    warm = bench.ask(*turns, temperature=0.0, max_tokens=12)
    assert warm.started.request.excess == 0
    assert warm.finished.ids == opened(folder).ask(*turns, temperature=0.0, max_tokens=12).finished.ids
