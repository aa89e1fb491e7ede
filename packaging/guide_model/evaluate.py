"""Examines an exported guide through mlx_lm, greedily, and writes its figures into its model card."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from random import Random

from guide_model import stories
from guide_model.card import write_card
from guide_model.commands import unknown_commands
from guide_model.dialogue import BY_ID, TOPICS, Message
from guide_model.held_out import HELD_OUT, UNKNOWN
from guide_model.memory import FACTS
from guide_model.names import COMMON, UNSEEN
from guide_model.phrasing import HELD_OUT_FORMS, dress, normalised, plain_phrasings
from guide_model.player import Player
from guide_model.topic import Topic
from guide_model.unknown import is_refusal

SEED = 2026
NAME = FACTS["name"]


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
    return [(plain_phrasings(topic)[0].capitalize() + "?", topic.id) for topic in TOPICS]


def examine(player: Player) -> list[Score]:
    """Every score, in the order of the model card."""
    rng = Random(SEED)
    answers: list[str] = []
    scores = [_score(player, name, questions, answers) for name, questions in _examination(rng)]
    scores.append(_distinct_stories(player, answers))
    scores.append(_chunks(player))
    named = [answer for answer in answers if unknown_commands(answer)]
    scores.append(Score("Answers that name only commands that exist", len(answers) - len(named), len(answers)))
    return scores


def _examination(rng: Random) -> Iterable[tuple[str, list[Question]]]:
    yield "Known questions", [_on_topic(text, name) for text, name in known_questions()]
    yield "Known phrasings with slips and careless punctuation", _dressed(rng)
    yield "New phrasings, kept apart from training", [_on_topic(text, name) for text, name in HELD_OUT]
    yield "A known question after 1,500 tokens and more", [_late(rng, topic) for topic in rng.sample(TOPICS, 20)]
    yield "Stories about the subject asked for", [_story(subject) for subject in stories.MAIN_SUBJECTS]
    yield "Says that it does not know, new questions", [([("user", text)], is_refusal) for text in UNKNOWN]
    yield "Says that it was not told a name", [([("user", text)], _not_told) for text in NAME.asked]
    names = list(rng.sample(COMMON, 10)) + list(UNSEEN)
    for when, between in (("in the next turn", 0), ("3 turns later", 3), ("6 turns later", 6)):
        yield f"A name recalled {when}", [_recall(rng, name, between) for name in names]


def _on_topic(text: str, topic_id: str) -> Question:
    return [("user", text)], lambda answer: is_about(BY_ID[topic_id], answer)


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
        messages += [("user", plain_phrasings(topic)[0].capitalize() + "?"), ("assistant", rng.choice(topic.answers))]
    return messages


def _late(rng: Random, topic: Topic) -> Question:
    question, is_right = _on_topic(plain_phrasings(topic)[0].capitalize() + "?", topic.id)
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


def main() -> None:
    """The command line: python -m guide_model.evaluate FOLDER [--card]."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--card", action="store_true", help="write README.md into the folder")
    arguments = parser.parse_args()
    scores = examine(Player(arguments.folder))
    for score in scores[-3:]:
        print(score)
    if arguments.card:
        lines = [(score.name, f"{score.right} of {score.asked}") for score in scores]
        write_card(arguments.folder, lines)


if __name__ == "__main__":
    main()
