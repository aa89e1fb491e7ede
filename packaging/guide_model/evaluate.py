"""Examines an exported guide through mlx_lm, greedily."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from random import Random

from guide_model import stories
from guide_model.commands import commands, names, unknown_commands
from guide_model.denials import denials
from guide_model.dialogue import BY_ID, TAUGHT, TOPICS, Message
from guide_model.held_out import HELD_OUT, LANGUAGES, SUMS, UNKNOWN
from guide_model.memory import FACTS
from guide_model.names import COMMON, UNSEEN
from guide_model.phrasing import HELD_OUT_FORMS, dress, normalised, plain_phrasings
from guide_model.player import Player
from guide_model.topic import Topic
from guide_model.unknown import is_refusal

SEED = 2026
NAME = FACTS["name"]
KNOWN = "Known questions"
OFFERED = "Questions that the window offers"
EACH_COMMAND = "Each command, asked for plainly: the answer names it"
NEW = "New phrasings, kept apart from training"
OUTSIDE = "Says that it does not know, new questions"
ON_SUMS = "Says that it does not know, sums and numbers"
IN_LANGUAGES = "Says that it does not know, other languages"
ONLY_EXISTING = "Answers that name only commands that exist"
NO_DENIAL = "Answers that deny nothing that exists"
LEAST = {
    KNOWN: 1.0,
    OFFERED: 1.0,
    EACH_COMMAND: 1.0,
    NEW: 0.86,
    OUTSIDE: 0.90,
    ON_SUMS: 1.0,
    IN_LANGUAGES: 0.90,
    ONLY_EXISTING: 1.0,
    NO_DENIAL: 1.0,
}
"""The share of right answers that a guide needs to be fit to ship: what the one reached that is shipped now."""
SUGGESTED = (
    ("What is a branch?", "fork_what"),
    ("How do I fork a message?", "fork_how"),
    ("What does “in memory” mean?", "in_memory"),
    ("Which keys should I learn first?", "first_keys"),
    ("How do I open a real model?", "open_model"),
)
"""The questions that stand below the guide's greeting, but for the one for a story, and the ids of their topics."""


@dataclass(frozen=True, slots=True)
class Score:
    """One line of the model card: `right` of `asked`, and what went wrong as (question, answer)."""

    name: str
    right: int
    asked: int
    wrong: tuple[tuple[str, str], ...] = ()

    def __str__(self) -> str:
        return f"{self.name}: {self.right} of {self.asked}"


Question = tuple[list[Message], Callable[[str], bool]]
"""A conversation that ends with a question, and whether an answer to it is right."""


def is_about(topic: Topic, answer: str) -> bool:
    """Whether `answer` begins with one of the topic's own, or is one of its further sentences."""
    return answer.startswith(topic.answers + topic.more)


def known_questions() -> list[tuple[str, str]]:
    """The plainest question on each topic, with the topic's id."""
    return [(_plainest(topic), topic.id) for topic in TOPICS]


def examine(player: Player) -> list[Score]:
    """Every score, in the order of the model card."""
    rng = Random(SEED)
    answers: list[str] = []
    scores = [_score(player, name, questions, answers) for name, questions in _examination(rng)]
    scores.append(_distinct_stories(player, answers))
    scores.append(_chunks(player))
    scores.append(_all_true(ONLY_EXISTING, answers, unknown_commands))
    scores.append(_all_true(NO_DENIAL, answers, denials))
    return scores


def faults(scores: list[Score]) -> list[str]:
    """Return why a guide with these scores is not fit to ship; nothing if it is."""
    wanted = [(score, LEAST[score.name]) for score in scores if score.name in LEAST]
    return [f"{score}, {least:.0%} wanted" for score, least in wanted if score.right < least * score.asked]


def names_a_command_of(topic: Topic, answer: str) -> bool:
    """Whether `answer` says how to give one of the commands that the topic is there to explain."""
    return any(named in answer for command in topic.commands for named in names(command))


def command_questions() -> list[tuple[str, str, str]]:
    """Return for each command taught a plain question on it, the id of a topic that explains it, and the command."""
    explained = ((command, _topic_of(command)) for command in commands() if command in TAUGHT)
    return [(_plainest(topic, command), topic.id, command) for command, topic in explained]


def untaught_questions() -> list[str]:
    """Return a question on each command that no topic explains: a guide cannot answer it, and must not deny it."""
    return [f"How do I use {name}?" for command in commands() if command not in TAUGHT for name in names(command)[:1]]


def _topic_of(command: str) -> Topic:
    return min((topic for topic in TOPICS if command in topic.commands), key=lambda topic: len(topic.commands))


def _plainest(topic: Topic, command: str = "") -> str:
    """The plainest question on a topic; where that explains several commands, one that has this command's word."""
    phrasings = plain_phrasings(topic)
    with_word = (text for text in phrasings if len(topic.commands) > 1 and command and command in text.split())
    return next(with_word, phrasings[0]).capitalize() + "?"


def _examination(rng: Random) -> Iterable[tuple[str, list[Question]]]:
    yield KNOWN, [_on_topic(text, name) for text, name in known_questions()]
    yield OFFERED, [_on_topic(text, name) for text, name in SUGGESTED]
    yield EACH_COMMAND, [_on_command(text, name) for text, name, _ in command_questions()]
    yield "Known phrasings with slips and careless punctuation", _dressed(rng)
    yield NEW, [_on_topic(text, name) for text, name in HELD_OUT]
    on_commands = [(text, name) for text, name in HELD_OUT if BY_ID[name].commands]
    yield "New phrasings that ask for a command: the answer names it", [_on_command(*asked) for asked in on_commands]
    yield "A known question after 1,500 tokens and more", [_late(rng, topic) for topic in rng.sample(TOPICS, 20)]
    yield "Stories about the subject asked for", [_story(subject) for subject in stories.MAIN_SUBJECTS]
    for name, texts in ((OUTSIDE, UNKNOWN), (ON_SUMS, SUMS), (IN_LANGUAGES, LANGUAGES)):
        yield name, [([("user", text)], is_refusal) for text in texts]
    yield "Says that it was not told a name", [([("user", text)], _not_told) for text in NAME.asked]
    names = list(rng.sample(COMMON, 10)) + list(UNSEEN)
    for when, between in (("in the next turn", 0), ("3 turns later", 3), ("6 turns later", 6)):
        yield f"A name recalled {when}", [_recall(rng, name, between) for name in names]


def _on_topic(text: str, topic_id: str) -> Question:
    return [("user", text)], lambda answer: is_about(BY_ID[topic_id], answer)


def _on_command(text: str, topic_id: str) -> Question:
    return [("user", text)], lambda answer: names_a_command_of(BY_ID[topic_id], answer)


def _all_true(name: str, answers: list[str], find: Callable[[str], list[str]]) -> Score:
    """How many of all answers hold nothing of what `find` finds."""
    wrong = tuple((answer, ", ".join(found)) for answer in answers if (found := find(answer)))
    for answer, why in wrong:
        print(f"    {answer[:100]} -> {why}", flush=True)
    return Score(name, len(answers) - len(wrong), len(answers), wrong)


def _dressed(rng: Random) -> list[Question]:
    """Two dressed phrasings of each topic, drawn apart from training."""
    questions: list[Question] = []
    for topic in TOPICS:
        plain = plain_phrasings(topic)
        while normalised(text := dress(rng, rng.choice(plain))) in HELD_OUT_FORMS:
            pass
        questions.append(_on_topic(text, topic.id))
        questions.append(_on_topic(dress(rng, plain[0], surround=0.0), topic.id))
    return questions


def _turns(rng: Random, count: int) -> list[Message]:
    messages: list[Message] = []
    for topic in rng.choices(TOPICS, k=count):
        messages += [("user", _plainest(topic)), ("assistant", rng.choice(topic.answers))]
    return messages


def _late(rng: Random, topic: Topic) -> Question:
    question, is_right = _on_topic(_plainest(topic), topic.id)
    return [*_turns(rng, 42), *question], is_right


def _story(subject: str) -> Question:
    asked = f"Tell me a story about {stories.with_article(subject)}"
    return [("user", asked)], lambda answer: subject in answer.lower() and answer.count(".") >= 3


def _not_told(answer: str) -> bool:
    return answer.strip() == NAME.missing


def _recall(rng: Random, name: str, between: int) -> Question:
    told = [("user", f"My name is {name}."), ("assistant", NAME.heard[0].format(v=name))]
    return [*told, *_turns(rng, between), ("user", "What is my name?")], lambda answer: name in answer


def _score(player: Player, name: str, questions: list[Question], answers: list[str]) -> Score:
    wrong: list[tuple[str, str]] = []
    for messages, is_right in questions:
        answer = player.answer(messages)
        answers.append(answer)
        if not is_right(answer):
            wrong.append((messages[-1][1], answer))
    score = Score(name, len(questions) - len(wrong), len(questions), tuple(wrong))
    print(score, flush=True)
    for question, answer in wrong:
        print(f"    {question} -> {answer[:100]}", flush=True)
    return score


def _distinct_stories(player: Player, answers: list[str]) -> Score:
    asked: list[Message] = [("user", "Tell me a story about a fox")]
    told = [player.answer(asked, temperature=0.8, seed=seed) for seed in range(8)]
    answers += told
    return Score("Distinct stories of one request, temperature 0.8", len(set(told)), len(told))


def _chunks(player: Player) -> Score:
    """Whether reading a prompt in pieces of 16 tokens gives the same answer as reading it at once."""
    rng = Random(SEED)
    asked: list[list[Message]] = [[*_turns(rng, 4), ("user", text)] for text, _ in HELD_OUT[::12]]
    same = sum(player.answer(messages) == player.answer(messages, chunk=16) for messages in asked)
    return Score("Same answer when the prompt is read in pieces", same, len(asked))


def figures(scores: list[Score]) -> list[tuple[str, str]]:
    """Return the scores as the model card has them."""
    return [(score.name, f"{score.right} of {score.asked}") for score in scores]


def main() -> None:
    """The command line: python -m guide_model.evaluate FOLDER."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    arguments = parser.parse_args()
    scores = examine(Player(arguments.folder))
    for score in scores[-4:]:
        print(score)
    for fault in faults(scores):
        print(f"Not fit to ship: {fault}")


if __name__ == "__main__":
    main()
