"""Conversations from blank to stored, and back from the database."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.conversation.conversation_store import ConversationStore
from app.conversation.edit import Edit, Operation
from app.conversation.edit_result import EditResult
from app.conversation.faults import Fault, store_error
from app.conversation.message import Conversation, Message
from app.conversation.message_store import MessageStore
from app.conversation.store_thread import StoreThread
from app.conversation.tree import MessageTree
from app.protocol.reports import Problem
from app.viewmodels.kit.store_link import StoreLink
from app.viewmodels.library.library import Library


@pytest.fixture
def link(data_folder: Path) -> Iterator[StoreLink]:
    link = StoreLink(StoreThread(data_folder / "conversations.db"))
    yield link
    link.close()


@pytest.fixture
def library(link: StoreLink) -> Iterator[Library]:
    library = Library(link, link)
    yield library
    library.close()


def say(library: Library, conversation_id: str, text: str, parent: str | None = None) -> list[str]:
    """Add a question; a list that tells, once the store is asked, what became of it."""
    told: list[str] = []

    def refused(problem: Problem) -> None:
        told.append(problem.title)

    message = Message.new(conversation_id, parent, "user", text)
    library.add(message, lambda: told.append("stored"), refused)
    return told


def test_a_conversation_is_stored_with_its_first_message(qtbot: QtBot, library: Library, link: StoreLink) -> None:
    blank = library.begin()
    assert library.begin() == blank
    told = say(library, blank, "What is a branch?")
    assert [one.title for one in library.conversations] == ["What is a branch?"]
    assert library.begin() != blank
    link.drain()
    assert told == ["stored"]
    assert [one.title for one in library.conversations] == [None, "What is a branch?"]


def test_a_blank_conversation_begins_when_it_is_asked_for(
    library: Library, link: StoreLink, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where it is the one that the program began with, hours ago."""
    blank = library.begin()
    monkeypatch.setattr(time, "time", lambda: 5e9)
    assert library.begin() == blank
    assert [(one.created_at, one.updated_at) for one in library.conversations] == [(5e9, 5e9)]


def test_a_conversation_is_blank_again_when_its_first_message_is_refused(
    qtbot: QtBot, library: Library, link: StoreLink, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(store: MessageStore, beginning: Conversation, message: Message) -> None:
        raise store_error(Fault.FULL, None)

    blank = library.begin()
    monkeypatch.setattr(MessageStore, "begin", full)
    told = say(library, blank, "What is a branch?")
    link.drain()
    assert told == ["The disk is full"]
    assert len(library.tree(blank)) == 0
    monkeypatch.undo()
    told = say(library, blank, "Once more")
    link.drain()
    assert told == ["stored"]
    assert [one.title for one in library.conversations] == ["Once more"]


def test_what_was_said_is_there_the_next_time(qtbot: QtBot, data_folder: Path) -> None:
    first = StoreLink(StoreThread(data_folder / "conversations.db"))
    library = Library(first)
    home = library.begin()
    say(library, home, "One")
    say(library, home, "Two")
    (one, _two) = library.tree(home).children(None)
    library.tree(home).select(one.id)
    first.drain()
    library.save_path(home, one.id)
    first.close()
    second = StoreLink(StoreThread(data_folder / "conversations.db"))
    again = Library(second)
    again.read_list()
    second.drain()
    opened: list[str] = []
    again.open(home, lambda: opened.append(home))
    second.drain()
    assert opened == [home]
    assert [message.text for message in again.tree(home).path] == ["One"]
    assert [message.text for message in again.tree(home).children(None)] == ["One", "Two"]
    second.close()


def test_a_database_that_cannot_be_read_is_told(
    qtbot: QtBot, library: Library, link: StoreLink, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone(store: ConversationStore) -> None:
        raise store_error(Fault.IO, None)

    monkeypatch.setattr(ConversationStore, "all", gone)
    problems: list[Problem] = []
    library.failed.connect(problems.append)
    library.read_list()
    link.drain()
    assert [problem.title for problem in problems] == ["The conversations cannot be reached"]


def test_a_path_taken_over_goes_on_to_an_answer_that_is_not_stored_yet(
    qtbot: QtBot, library: Library, link: StoreLink
) -> None:
    """An edit was made while an answer was saved that somebody had looked away from: the stored path lacks it."""
    blank = library.begin()
    say(library, blank, "One")
    link.drain()
    (question,) = library.tree(blank).path
    answer = Message.new(blank, question.id, "assistant", "Of one thing.")
    results: list[EditResult] = []
    link.do(lambda store: store.change(lambda store: store.conversations.mark_favourite(blank, True)), results.append)
    link.drain()
    result = replace(results[0], trees=(MessageTree(blank, [question]),))
    assert library.take(result, [answer]) == (blank,)
    assert library.tree(blank).path == (question, answer)


def test_a_conversation_that_went_before_the_list_was_read_is_not_taken_for_a_blank_one(
    qtbot: QtBot, library: Library, link: StoreLink
) -> None:
    begun = library.begin()
    told = say(library, begun, "One")
    link.drain()
    assert told == ["stored"]
    stored = library.conversation(begun)
    assert stored is not None
    library._unstored[begun] = stored  # as where the list could not be read since
    library.take(EditResult(Edit(Operation.CREATE, (), (begun,)), (), (), ()))
    assert library.begin() != begun
