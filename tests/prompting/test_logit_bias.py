"""Numbers added to tokens: by the text of one token, refused for what is none of the model's."""

from __future__ import annotations

import pytest

from app.prompting.logit_bias import biased_ids
from app.prompting.problems import RequestError
from app.protocol.chat import Sampling
from app.protocol.events import RunFailed
from tests.engine.bench import LONG, Bench, user


def test_a_token_is_found_by_its_text(tiny: Bench) -> None:
    """Words, words with their space, and control tokens."""
    codec = tiny.model.codec
    found = 0
    for token in range(codec.rows):
        text = codec.decode([token])
        if not text or "\ufffd" in text:
            continue
        ids = biased_ids(codec, ((text, 1.0),))
        assert codec.decode(list(ids)) == text
        found += 1
    assert found > 100


def test_what_is_said_twice_is_added_up(tiny: Bench) -> None:
    assert list(biased_ids(tiny.model.codec, (("a", 1.0), ("b", 5.0), ("a", 0.5))).values()) == [1.5, 5.0]


def test_a_text_of_several_tokens_ends_the_question_with_a_sentence(tiny: Bench) -> None:
    with pytest.raises(RequestError, match="one token only"):
        biased_ids(tiny.model.codec, (("several words here", 1.0),))
    events = tiny.do(tiny.command(LONG, logit_bias=(("several words here", 1.0),)))
    [failed] = [event for event in events if isinstance(event, RunFailed)]
    assert "several words here" in failed.problem.sentence
    assert tiny.ask(LONG).finished.ids


def test_a_banned_token_is_not_said_and_a_wanted_one_is(tiny: Bench) -> None:
    plain = tiny.ask(LONG, temperature=0.0, max_tokens=12).finished
    said = tiny.model.codec.decode([plain.ids[0]])
    banned = tiny.ask(LONG, temperature=0.0, max_tokens=12, logit_bias=((said, -100.0),)).finished
    assert plain.ids[0] not in banned.ids
    wanted = tiny.ask(LONG, temperature=0.0, max_tokens=12, logit_bias=(("q", 100.0),)).finished
    assert wanted.text == "q" * 12


@pytest.mark.parametrize(
    "wrong",
    [
        {"stop": 7},
        {"stop": ["a"]},
        {"seed": "one"},
        {"seed": -1},
        {"max_tokens": 2.5},
        {"logit_bias": {"a": 1}},
        {"temperature": "hot"},
        {"penalty_range": 0},
        {"xtc_threshold": float("nan")},
    ],
)
def test_a_stored_setting_may_be_anything(tiny: Bench, wrong: dict[str, object]) -> None:
    """It is refused with a sentence, and the engine goes on."""
    events = tiny.do(tiny.command(user("hi"), **wrong))
    [failed] = [event for event in events if isinstance(event, RunFailed)]
    assert failed.problem.title == "These sampling settings mean nothing"
    assert tiny.ask(user("hi")).finished.ids


def test_several_texts_end_an_answer(tiny: Bench) -> None:
    plain = tiny.ask(LONG, max_tokens=40, seed=3).finished.text
    first, second = plain[4:7], plain[8:10]
    stopped = tiny.ask(LONG, max_tokens=40, seed=3, stop=(second, first)).finished
    assert stopped.text == plain[: min(plain.find(first), plain.find(second))]


def test_warm_is_as_cold_with_all_penalties(tiny_folder: object, tiny: Bench, mixed: Bench) -> None:
    """What was restored counts as much as what was computed."""
    settings = {"repetition_penalty": 1.3, "presence_penalty": 0.5, "frequency_penalty": 0.2, "max_tokens": 30}
    settings |= {"xtc_probability": 0.5, "logit_bias": (("a", 1.0),), "penalty_range": 50, "seed": 4}
    for bench in (tiny, mixed):
        cold = bench.ask(LONG, **settings).finished.ids
        warm = bench.ask(LONG, **settings)
        assert warm.started.request.cached > 0
        assert warm.finished.ids == cold
    assert Sampling(**settings).problem() == ""  # type: ignore[arg-type]
