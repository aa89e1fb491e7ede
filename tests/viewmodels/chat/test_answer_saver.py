"""An answer's way to the database: each character once, refusals tried again, nothing stored that has no word."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial, partialmethod
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from app.conversation.faults import Fault, store_error
from app.conversation.message import Conversation, Message
from app.conversation.message_store import MessageStore
from app.conversation.store_thread import StoreThread
from app.protocol.reports import Problem
from app.viewmodels.chat.answer_saver import AnswerSaver
from app.viewmodels.chat.question import Question, Stage
from app.viewmodels.chat.questions import Questions
from app.viewmodels.kit.store_link import StoreLink
from tests.seeds import chosen

HOME = Conversation.new("Home")
QUESTION = Message.new(HOME.id, None, "user", "Why?")


@pytest.fixture
def link(qtbot: QtBot) -> Iterator[StoreLink]:
    link = StoreLink(StoreThread(None))
    link.do(lambda store: store.conversations.create(HOME))
    link.do(lambda store: store.messages.add(QUESTION))
    yield link
    link.close()


@pytest.fixture
def questions() -> Questions:
    return Questions()


@pytest.fixture
def saver(link: StoreLink, questions: Questions) -> Iterator[AnswerSaver]:
    saver = AnswerSaver(link, questions, lambda _answer: True)
    yield saver
    saver.deleteLater()


@pytest.fixture
def question(questions: Questions) -> Question:
    return asked(questions)


def asked(questions: Questions) -> Question:
    """Have a question on its way whose answer is about to be written."""
    question = Question(QUESTION)
    questions.add(question)
    question.commit()
    question.ask(1, Message.new(HOME.id, QUESTION.id, "assistant"))
    return question


def finish(saver: AnswerSaver, question: Question, **figures: Any) -> Message:
    """End an answer by itself; returns it."""
    ended = replace(question.answer_so_far, **{"ids": (1, 2, 3), "stats": {"tokens": 3}, "stop": "finished"} | figures)
    question.end(ended)
    saver.save(question)
    return ended


def stored(link: StoreLink) -> list[Message]:
    """The answers in the database."""
    found: list[tuple[Message, ...]] = []
    link.do(lambda store: store.messages.of(HOME.id), found.append)
    link.drain()
    return [message for message in found[0] if message.role == "assistant"]


def test_text_is_appended_piece_by_piece_and_finished(
    link: StoreLink, saver: AnswerSaver, question: Question, monkeypatch: pytest.MonkeyPatch
) -> None:
    appended: list[str] = []
    append = MessageStore.append_text

    def watched(store: MessageStore, message_id: str, text: str, thinking: str) -> None:
        appended.append(text)
        append(store, message_id, text)

    monkeypatch.setattr(MessageStore, "append_text", watched)
    saver.save(question)
    assert stored(link) == []
    for piece in ("one ", "two ", "three "):
        question.grow(piece)
        saver.save(question)
        link.drain()
    assert stored(link)[0].text == "one two three "
    assert stored(link)[0].is_unfinished
    question.grow("four")
    ended = finish(saver, question)
    assert question.stage is Stage.SAVING
    link.drain()
    assert question.stage is Stage.DONE
    assert appended == ["two ", "three "]  # the rest comes with the end, in one commit
    assert stored(link) == [ended]
    assert ended.text == "one two three four"


def test_text_that_comes_while_a_request_is_under_way_follows_it(
    link: StoreLink, saver: AnswerSaver, question: Question
) -> None:
    question.grow("one ")
    saver.save(question)
    question.grow("two ")
    saver.save(question)
    ended = finish(saver, question)
    link.drain()
    assert stored(link) == [ended]
    assert ended.text == "one two "


def test_wherever_a_request_breaks_off_every_character_is_stored_once(
    link: StoreLink, saver: AnswerSaver, questions: Questions, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may fail before its commit, after it, or between two: what is stored is asked for, and not remembered."""
    link.drain()
    unlucky = random.Random(5)
    for name in ("add", "append_text", "finish", "progress_of"):

        def break_off(
            store: MessageStore, *arguments: object, working: Callable[..., object], **named: object
        ) -> object:
            if unlucky.random() < 0.3:
                raise MemoryError
            result = working(store, *arguments, **named)
            if unlucky.random() < 0.3:
                raise LookupError
            return result

        monkeypatch.setattr(MessageStore, name, partialmethod(break_off, working=getattr(MessageStore, name)))
    for seed in chosen(range(40)):
        rng, question = random.Random(seed), asked(questions)
        numbers = range(rng.randint(1, 8))
        for number in numbers:
            question.grow(f"{number} ")
            question.grow(f"so {number} ", kind="thinking")
            rng.choice([partial(saver.save, question), partial(saver.save_now, question), link.drain])()
        whole = finish(saver, question, ids=tuple(range(rng.choice([3, 9000]))))
        while question.stage is not Stage.DONE:
            saver.save(question)
            link.drain()
        assert whole.text == "".join(f"{number} " for number in numbers), f"seed {seed}"
        assert whole.thinking == "".join(f"so {number} " for number in numbers), f"seed {seed}"
        assert stored(link)[-1] == whole, f"seed {seed}"


@pytest.mark.parametrize("name", ["add", "append_text", "finish"])
def test_what_was_refused_is_offered_again(
    qtbot: QtBot,
    link: StoreLink,
    saver: AnswerSaver,
    question: Question,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
) -> None:
    link.drain()
    working: Callable[..., None] = getattr(MessageStore, name)
    refusals = 2

    def full(store: MessageStore, *arguments: object, **named: object) -> None:
        nonlocal refusals
        if refusals:
            refusals -= 1
            raise store_error(Fault.FULL, None)
        working(store, *arguments, **named)

    monkeypatch.setattr(MessageStore, name, full)
    saver._timer.setInterval(5)
    saver.start()
    problems: list[Problem] = []
    mended: list[Problem] = []
    saver.failed.connect(problems.append)
    saver.mended.connect(mended.append)
    for piece in ("one ", "two ", "three ", "four "):
        question.grow(piece)
        saver.save(question)
        link.drain()
    ended = finish(saver, question)
    qtbot.waitUntil(lambda: question.stage is Stage.DONE)
    assert [problem.title for problem in problems] == ["The disk is full"] * 2
    assert question.refusal is None
    assert mended
    assert stored(link) == [ended]
    assert ended.text == "one two three four "
    qtbot.waitUntil(lambda: not saver._timer.isActive())


def test_it_saves_by_itself_once_a_second(
    qtbot: QtBot, link: StoreLink, saver: AnswerSaver, question: Question
) -> None:
    question.grow("by itself")
    saver.start()
    qtbot.waitUntil(lambda: question.progress.is_stored)
    assert stored(link)[0].text == "by itself"
    finish(saver, question)
    link.drain()


def test_an_empty_answer_that_ended_by_itself_is_kept(link: StoreLink, saver: AnswerSaver, question: Question) -> None:
    ended = finish(saver, question)
    link.drain()
    assert stored(link) == [ended]
