"""Settings of conversations: kept apart, kept whole, and what is typed stays until it is a value."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from app.protocol.commands import MOST_LANES
from app.viewmodels.chat.answer_plan import AnswerPlan
from app.viewmodels.chat.chat_settings import AllSettings, ChatSettings, read_settings
from app.viewmodels.chat.sampling_fields import BY_NAME
from tests.seeds import chosen

TEXTS = ["", "0.5", "7", "hot", "-1", "a: 1", "a\nb", "🌳", "\ud83c"]
PLANS = [AnswerPlan(), AnswerPlan(3), AnswerPlan(2, has_ladder=True), AnswerPlan(4, presets=("", "Precise 🌳"))]


def test_what_is_written_is_read_back_whatever_was_done() -> None:
    """Conversations do not mix, and a restart in between changes nothing."""
    for seed in chosen(range(120)):
        rng = random.Random(seed)
        settings, expected = AllSettings(), {one: ChatSettings() for one in "abc"}
        told: list[str] = []
        settings.changed = told.append
        for _ in range(30):
            one = rng.choice("abc")
            action = rng.choice(["type", "type", "choose", "instruct", "think", "plan", "take", "give back", "restart"])
            if action == "type":
                settings.type(one, rng.choice(list(BY_NAME)), rng.choice(TEXTS))
            elif action == "choose":
                settings.choose(one, rng.choice([{}, {"top_k": 3}, {"top_k": "x", "seed": 4}]))
            elif action == "instruct":
                settings.instruct(one, rng.choice([None, *TEXTS]))
            elif action == "think":
                settings.think(one, rng.choice([None, True, False]))
            elif action == "plan":
                settings.choose_plan(one, rng.choice(PLANS))
            elif action == "take":
                settings.take(one)
            elif action == "give back":
                settings.give_back(one, rng.choice([None, "Be brief."]), rng.choice([None, True]))
            else:
                stored = {other: settings.of(other).written() for other in "abc"}
                json.dumps(stored).encode()
                settings = AllSettings()
                settings.changed = told.append
                for other, text in stored.items():
                    settings.restore(other, text)
            for other in "abc":
                if other != one or action == "restart":
                    assert settings.of(other) == expected[other], (seed, action)
            if settings.of(one) != expected[one]:
                assert told[-1] == one
            expected[one] = settings.of(one)


def test_a_text_that_is_no_value_stays_and_the_models_own_is_used() -> None:
    settings = AllSettings()
    settings.type("a", "temperature", "0.2")
    settings.type("a", "temperature", "0.2x")
    assert settings.of("a") == ChatSettings({}, {"temperature": "0.2x"})
    settings.type("a", "temperature", "0.3")
    assert settings.of("a") == ChatSettings({"temperature": 0.3})
    settings.type("a", "temperature", "")
    assert settings.of("a") == ChatSettings({})


@pytest.mark.parametrize("name", BY_NAME)
def test_the_beginning_of_a_text_that_is_no_value_is_not_used(name: str) -> None:
    """Each letter is taken over as it is typed, and what stood there before it may have been a value."""
    for text in ("1e99x", "12.5.1", "-3", "0,5,", "7 fox", "a: 1: x"):
        settings = AllSettings()
        settings.type("a", "seed" if name != "seed" else "top_k", "5")
        for length in range(1, len(text) + 1):
            settings.type("a", name, text[:length])
        if name in settings.of("a").typed:
            assert name not in (settings.of("a").sampling or {}), text


def test_what_holds_from_a_question_on_is_chosen_no_more() -> None:
    settings = AllSettings()
    settings.instruct("a", "Be brief.")
    settings.think("a", False)
    assert settings.take("a") == ChatSettings(None, {}, "Be brief.", False)
    assert settings.of("a") == ChatSettings()
    settings.instruct("a", "Be kind.")
    settings.give_back("a", "Be brief.", False)
    assert settings.of("a") == ChatSettings(None, {}, "Be kind.", False)


@pytest.mark.parametrize(
    "stored",
    ["", "{", "[]", "7", '{"sampling": 7, "typed": [1], "instructions": 3, "thinks": "x"}', "[" * 100_000],
)
def test_what_is_damaged_is_left_out(stored: str) -> None:
    assert read_settings(stored) == ChatSettings()


def test_of_what_is_partly_damaged_the_rest_is_taken() -> None:
    stored: dict[str, Any] = {"sampling": {"top_k": -1, "seed": 3, "mood": 1}, "typed": {"seed": "x", "mood": "y"}}
    assert read_settings(json.dumps(stored)) == ChatSettings({"seed": 3}, {"seed": "x"})


@pytest.mark.parametrize(
    "stored",
    [
        "many",
        [2, False, []],
        {"count": 0, "has_ladder": False, "presets": []},
        {"count": MOST_LANES + 1, "has_ladder": False, "presets": []},
        {"count": True, "has_ladder": False, "presets": []},
        {"count": 2, "has_ladder": "yes", "presets": []},
        {"count": 2, "has_ladder": False, "presets": [1]},
        {"count": 2, "has_ladder": False, "presets": [""] * (MOST_LANES + 1)},
        {"count": 2},
    ],
)
def test_a_damaged_number_of_answers_is_one(stored: Any) -> None:
    assert read_settings(json.dumps({"answers": stored})) == ChatSettings()
