"""An answer's way to the database: each character once, refusals tried again, nothing stored that has no word."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partialmethod

import pytest
from pytestqt.qtbot import QtBot

from app.conversation.faults import Fault, store_error
from app.conversation.message import Conversation, Message
from app.conversation.message_store import MessageStore
from app.conversation.store_thread import StoreThread
from app.protocol.reports import Problem
from app.viewmodels.chat.answer_saver import AnswerSaver
from app.viewmodels.kit.store_link import StoreLink

HOME = Conversation.new("Home")
QUESTION = Message.new(HOME.id, None, "user", "Why?")


@pytest.fixture
def link() -> Iterator[StoreLink]:
    link = StoreLink(StoreThread(None))
    link.do(lambda store: store.conversations.create(HOME))
    link.do(lambda store: store.messages.add(QUESTION))
    yield link
    link.close()


@pytest.fixture
def answer() -> Message:
    return Message.new(HOME.id, QUESTION.id, "assistant")


def stored(link: StoreLink) -> list[Message]:
    """The answers in the database."""
    found: list[tuple[Message, ...]] = []
    link.do(lambda store: store.messages.of(HOME.id), found.append)
    link.drain()
    return [message for message in found[0] if message.role == "assistant"]


def finished(answer: Message, text: str) -> Message:
    return replace(answer, text=text, ids=(1, 2, 3), stats={"tokens": 3}, stop="finished")


def test_text_is_appended_piece_by_piece_and_finished(
    qtbot: QtBot, link: StoreLink, answer: Message, monkeypatch: pytest.MonkeyPatch
) -> None:
    appended: list[str] = []
    append = MessageStore.append_text

    def watched(store: MessageStore, message_id: str, text: str) -> None:
        appended.append(text)
        append(store, message_id, text)

    monkeypatch.setattr(MessageStore, "append_text", watched)
    saver = AnswerSaver(link, answer)
    saver.save()
    assert stored(link) == []
    for piece in ("one ", "two ", "three "):
        saver.grow(piece)
        saver.save()
        link.drain()
    assert stored(link)[0].text == "one two three "
    assert stored(link)[0].is_unfinished
    saver.grow("four")
    with qtbot.waitSignal(saver.done) as done:
        saver.finish(finished(answer, "one two three four"))
    assert done.args == [answer.id]
    assert appended == ["two ", "three "]  # the rest comes with the end, in one commit
    assert stored(link) == [finished(answer, "one two three four")]


def test_text_that_comes_while_a_request_is_under_way_follows_it(link: StoreLink, answer: Message) -> None:
    saver = AnswerSaver(link, answer)
    saver.grow("one ")
    saver.save()
    saver.grow("two ")
    saver.save()
    saver.finish(finished(answer, "one two "))
    link.drain()
    assert stored(link) == [finished(answer, "one two ")]


def test_wherever_a_request_breaks_off_every_character_is_stored_once(
    qtbot: QtBot, link: StoreLink, monkeypatch: pytest.MonkeyPatch
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
    for seed in range(40):
        rng, text = random.Random(seed), ""
        answer = Message.new(HOME.id, QUESTION.id, "assistant")
        saver, done = AnswerSaver(link, answer), []
        saver.done.connect(done.append)
        for number in range(rng.randint(1, 8)):
            text += f"{number} "
            saver.grow(f"{number} ")
            rng.choice([saver.save, saver.save_now, link.drain])()
        whole = replace(finished(answer, text), ids=tuple(range(rng.choice([3, 9000]))))
        saver.finish(whole)
        while not done:
            saver.save()
            link.drain()
        assert done == [answer.id], f"seed {seed}"
        assert stored(link)[-1] == whole, f"seed {seed}"
        saver.deleteLater()


@pytest.mark.parametrize("name", ["add", "append_text", "finish"])
def test_what_was_refused_is_offered_again(
    qtbot: QtBot, link: StoreLink, answer: Message, monkeypatch: pytest.MonkeyPatch, name: str
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
    saver = AnswerSaver(link, answer)
    saver._timer.setInterval(5)
    problems: list[Problem] = []
    saver.failed.connect(problems.append)
    for piece in ("one ", "two ", "three ", "four "):
        saver.grow(piece)
        saver.save()
        link.drain()
    with qtbot.waitSignal(saver.done):
        saver.finish(finished(answer, "one two three four "))
    assert [problem.title for problem in problems] == ["The disk is full"] * 2
    assert saver.problem is None
    assert stored(link) == [finished(answer, "one two three four ")]
    saver.deleteLater()


def test_it_saves_by_itself_once_a_second(qtbot: QtBot, link: StoreLink, answer: Message) -> None:
    saver = AnswerSaver(link, answer)
    saver.grow("by itself")
    with qtbot.waitSignal(saver.added, timeout=3000):
        pass
    assert stored(link)[0].text == "by itself"
    saver.finish(finished(answer, "by itself"))
    link.drain()


def test_an_empty_answer_that_ended_by_itself_is_kept(link: StoreLink, answer: Message) -> None:
    saver = AnswerSaver(link, answer)
    saver.finish(replace(answer, stop="finished"))
    link.drain()
    assert stored(link) == [replace(answer, stop="finished")]
