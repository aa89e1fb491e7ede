"""The guide that is shipped loads through mlx_lm and answers what it was taught.

The examination asks everything, and only what passes it is shipped; here each command is asked for, and of the rest
some.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path

import mlx.core as mx
import pytest
from guide_model.commands import unknown_commands
from guide_model.denials import denials
from guide_model.dialogue import BY_ID
from guide_model.evaluate import (
    SUGGESTED,
    command_questions,
    is_about,
    known_questions,
    names_a_command_of,
    untaught_questions,
)
from guide_model.held_out import HELD_OUT, LANGUAGES, SUMS, UNKNOWN
from guide_model.player import Player
from guide_model.topics_missing import MISSING
from guide_model.unknown import is_refusal

from app.viewmodels.chat.chat_text import SUGGESTIONS

FOLDER = Path(__file__).parents[3] / "resources" / "models" / "guide"

Ask = Callable[[str], str]


@pytest.fixture(scope="module")
def player() -> Player:
    return Player(FOLDER)


@pytest.fixture(scope="module")
def ask() -> Ask:
    """The greedy answer to a first question, worked out once for each question, in the type that a CPU is quick in."""
    player = Player(FOLDER)
    player.model.set_dtype(mx.float32)
    return cache(player.ask)


def test_the_folder_is_whole_and_small() -> None:
    names = {path.name for path in FOLDER.iterdir()}
    assert names >= {"config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json", "README.md"}
    assert sum(path.stat().st_size for path in FOLDER.iterdir()) < 5_000_000


def test_the_context_is_long_enough_for_branching() -> None:
    settings = json.loads((FOLDER / "config.json").read_text(encoding="utf-8"))
    assert settings["max_position_embeddings"] >= 4096
    assert settings["layer_types"].count("conv") == 2


def test_known_questions_are_answered(ask: Ask) -> None:
    asked = known_questions()[::6]
    assert len(asked) >= 25
    answers = [(text, topic, ask(text)) for text, topic in asked]
    wrong = [(text, answer) for text, topic, answer in answers if not is_about(BY_ID[topic], answer)]
    assert len(wrong) <= 0.05 * len(asked), wrong
    assert [answer for _, _, answer in answers if unknown_commands(answer)] == []


@pytest.mark.parametrize(("question", "topic", "command"), command_questions())
def test_each_command_is_explained(ask: Ask, question: str, topic: str, command: str) -> None:
    answer = ask(question)
    assert names_a_command_of(BY_ID[topic], answer), command
    assert unknown_commands(answer) == []
    assert denials(answer) == []


def test_what_it_was_not_taught_it_does_not_deny(ask: Ask) -> None:
    answers = [(text, ask(text)) for text in untaught_questions()]
    assert [(text, answer) for text, answer in answers if denials(answer) or unknown_commands(answer)] == []


def test_new_phrasings_that_ask_for_a_command_find_no_denial(ask: Ask) -> None:
    first = {topic: text for text, topic in reversed(HELD_OUT) if BY_ID[topic].commands}
    answers = [(text, topic, ask(text)) for topic, text in list(first.items())[::3]]
    assert len(answers) >= 20
    assert [(text, answer) for text, _, answer in answers if denials(answer) or unknown_commands(answer)] == []
    denied = [(text, answer) for text, _, answer in answers if any(is_about(missing, answer) for missing in MISSING)]
    assert denied == []
    wrong = [(text, answer) for text, topic, answer in answers if not names_a_command_of(BY_ID[topic], answer)]
    assert len(wrong) <= 0.15 * len(answers), wrong


@pytest.mark.parametrize("questions", [UNKNOWN, SUMS, LANGUAGES], ids=["outside", "sums", "languages"])
def test_what_it_cannot_know_it_says_it_does_not(ask: Ask, questions: tuple[str, ...]) -> None:
    wrong = [(text, ask(text)) for text in questions[::2] if not is_refusal(ask(text))]
    assert len(wrong) <= 0.25 * len(questions[::2]), wrong


def test_the_window_offers_the_questions_that_are_examined() -> None:
    assert [text for text in SUGGESTIONS if "story" not in text] == [text for text, _ in SUGGESTED]


@pytest.mark.parametrize(("question", "topic"), SUGGESTED)
def test_suggested_questions_are_answered(player: Player, ask: Ask, question: str, topic: str) -> None:
    answer = player.ask(question)
    assert is_about(BY_ID[topic], answer)
    assert ask(question) == answer


def test_a_story_is_about_a_fox(player: Player) -> None:
    assert "fox" in player.ask("Tell me a story about a fox")


def test_a_generation_prompt_is_a_prefix_of_the_later_history(player: Player) -> None:
    asked = player.ids([("user", "Hello")])
    later = player.ids([("user", "Hello"), ("assistant", "Hello."), ("user", "How do I fork?")])
    assert later[: len(asked)] == asked


def test_a_folder_that_does_not_exist_is_named() -> None:
    with pytest.raises(FileNotFoundError, match="nowhere"):
        Player(Path("nowhere"))
