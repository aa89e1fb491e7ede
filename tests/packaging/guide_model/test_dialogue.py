"""What the guide learns from: repeatable, true to the program, and apart from what it is examined on."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest
from guide_model.commands import commands, names, unknown_commands
from guide_model.dialogue import BY_ID, FIRST, SECOND, TAUGHT, TOPICS, Mix, conversation
from guide_model.evaluate import names_a_command_of
from guide_model.held_out import HELD_OUT, UNKNOWN
from guide_model.more_asked import MORE_ASKED
from guide_model.names import UNSEEN, strange_name
from guide_model.outside import ASKED_OUTSIDE
from guide_model.phrasing import normalised, plain_phrasings
from guide_model.topic import Topic
from guide_model.unknown import is_refusal, unknown


def drawn(seed: int, count: int, mix: Mix = FIRST) -> list[list[tuple[str, str]]]:
    rng = Random(seed)
    return [conversation(rng, mix) for _ in range(count)]


def test_the_same_seed_gives_the_same_conversations() -> None:
    assert drawn(3, 200) == drawn(3, 200)
    assert drawn(3, 200) != drawn(4, 200)


def test_roles_alternate_and_end_with_an_answer() -> None:
    for messages in drawn(5, 300):
        roles = [role for role, _ in messages if role != "system"]
        assert roles == ["user", "assistant"] * (len(roles) // 2)
        assert all(text for _, text in messages)


def test_some_conversations_are_long() -> None:
    lengths = [len(messages) for messages in drawn(6, 600)]
    assert max(lengths) > 60
    assert sum(length <= 4 for length in lengths) > 200


@pytest.mark.parametrize("topic", TOPICS, ids=lambda topic: topic.id)
def test_answers_name_only_commands_that_exist(topic: Topic) -> None:
    for text in topic.answers + topic.more:
        assert unknown_commands(text) == []


def test_every_command_taught_has_a_topic_that_says_how_to_give_it() -> None:
    said = {command for topic in TOPICS for command in topic.commands if _is_named(topic, command)}
    assert said == TAUGHT
    assert set(commands()) >= TAUGHT


def _is_named(topic: Topic, command: str) -> bool:
    return any(named in answer for answer in topic.answers for named in names(command))


def test_every_answer_to_a_question_on_a_command_says_how_to_give_it() -> None:
    lacking = [
        (topic.id, answer)
        for topic in TOPICS
        for answer in topic.answers
        if topic.commands and not names_a_command_of(topic, answer)
    ]
    assert lacking == []


def test_every_command_taught_is_asked_for_in_a_held_out_phrasing() -> None:
    assert {command for _, topic in HELD_OUT for command in BY_ID[topic].commands} == TAUGHT


def test_drawn_answers_name_only_commands_that_exist() -> None:
    said = [text for messages in drawn(7, 1000) for role, text in messages if role == "assistant"]
    assert [text for text in said if unknown_commands(text)] == []


@pytest.mark.parametrize("topic", TOPICS, ids=lambda topic: topic.id)
def test_answers_are_short_and_plain(topic: Topic) -> None:
    for text in topic.answers + topic.more:
        assert len(text) <= 220
        assert text[-1] in ".?"
        assert "!" not in text
        assert "sorry" not in text.lower()


def test_no_answer_belongs_to_two_topics() -> None:
    answers = Counter(text for topic in TOPICS for text in topic.answers)
    assert [text for text, count in answers.items() if count > 1] == []


def test_no_question_belongs_to_two_topics() -> None:
    owners: dict[str, set[str]] = {}
    for topic in TOPICS:
        for text in plain_phrasings(topic):
            owners.setdefault(normalised(text), set()).add(topic.id)
    assert {text: ids for text, ids in owners.items() if len(ids) > 1} == {}


def test_every_topic_can_be_asked_in_many_ways() -> None:
    assert {topic.id for topic in TOPICS if len(plain_phrasings(topic)) < 15} == set()
    assert MORE_ASKED.keys() <= BY_ID.keys()


@pytest.mark.parametrize("mix", [FIRST, SECOND], ids=["first", "second"])
def test_held_out_phrasings_are_never_trained_on(mix: Mix) -> None:
    kept_apart = {normalised(text) for text, _ in HELD_OUT} | {normalised(text) for text in UNKNOWN}
    plain = {normalised(text) for topic in TOPICS for text in plain_phrasings(topic)}
    plain |= {normalised(text) for text in ASKED_OUTSIDE}
    asked = {normalised(text) for messages in drawn(8, 3000, mix) for role, text in messages if role == "user"}
    assert kept_apart & (plain | asked) == set()


def test_held_out_phrasings_speak_of_topics_that_exist() -> None:
    assert {topic for _, topic in HELD_OUT} <= BY_ID.keys()
    assert len(HELD_OUT) >= 100


@pytest.mark.parametrize("mix", [FIRST, SECOND], ids=["first", "second"])
def test_unseen_names_are_never_told(mix: Mix) -> None:
    text = " ".join(text for messages in drawn(9, 2000, mix) for _, text in messages)
    assert [name for name in UNSEEN if name in text.split()] == []


def test_whole_questions_from_outside_are_no_topics() -> None:
    owned = {normalised(text) for topic in TOPICS for text in plain_phrasings(topic)}
    assert [text for text in ASKED_OUTSIDE if normalised(text) in owned] == []


def test_strange_names_are_hardly_ever_repeated() -> None:
    rng = Random(2)
    assert len({strange_name(rng) for _ in range(1000)}) > 900


def test_questions_from_outside_are_refused() -> None:
    rng = Random(1)
    assert all(is_refusal(unknown(rng)[1]) for _ in range(200))


def test_a_name_told_is_given_back() -> None:
    told: str | None = None
    asked_back = 0
    for messages in drawn(10, 2000):
        told = None
        for role, text in messages:
            if role == "assistant" and text.startswith(("Hello, ", "Good to meet you, ")):
                told = text.split(", ")[1].split(". ")[0].rstrip(".")
            elif role == "assistant" and text.startswith("Your name is "):
                assert text == f"Your name is {told}."
                asked_back += 1
    assert asked_back > 30
