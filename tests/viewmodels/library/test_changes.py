"""Undo as the window sees it: every answer comes with the step that it belongs to."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import pytest
from pytestqt.qtbot import QtBot

from app.conversation.edit import Edit
from app.conversation.edit_result import EditResult
from app.conversation.faults import Fault, store_error
from app.conversation.message import Conversation
from app.conversation.message_store import MessageStore
from app.conversation.records import ListedBranch
from app.conversation.store import Store
from app.conversation.store_thread import StoreThread
from app.protocol.reports import Problem
from app.viewmodels.kit.store_link import StoreLink
from app.viewmodels.library.changes import GONE, Changes


@pytest.fixture
def link(qtbot: QtBot) -> Iterator[StoreLink]:
    link = StoreLink(StoreThread(None))
    yield link
    link.close()


def test_an_answer_tells_its_own_step_though_others_were_made_before_it_was_heard(link: StoreLink) -> None:
    changes = Changes(link)
    heard: list[tuple[int, str, str]] = []
    first = Conversation.new("Pears")

    def hear(_result: EditResult) -> None:
        heard.append((changes.step, changes.undo_words, changes.redo_words))

    changes.make(lambda store: store.conversations.create(first), hear)
    changes.make(lambda store: store.conversations.rename(first.id, "Apples"), hear)
    changes.undo(then=hear)
    link.drain()
    assert heard == [(1, "New Conversation", ""), (2, "Rename", ""), (3, "New Conversation", "Rename")]


def test_the_undo_of_a_banner_takes_back_only_what_the_banner_speaks_of(link: StoreLink) -> None:
    """A step that another request made before the banner was shown is not what its Undo is about."""
    changes, steps = Changes(link), list[int]()
    first, second = Conversation.new("Pears"), Conversation.new("Apples")
    changes.make(lambda store: store.conversations.create(first), lambda _result: steps.append(changes.step))
    link.do(lambda store: store.record(store.conversations.create(second)))
    link.drain()
    changes.undo(step=steps[0])
    link.drain()
    assert {one.id for one in link.call(lambda store: store.conversations.all())} == {first.id, second.id}


def test_what_can_be_undone_is_told_whoever_recorded_it_and_also_by_what_failed(link: StoreLink) -> None:
    changes, told = Changes(link), list[str]()
    link.historyChanged.connect(lambda: told.append(changes.undo_words))

    def fail(store: Store) -> None:
        store.record(store.conversations.create(Conversation.new("Pears")))
        raise store_error(Fault.FULL, None)

    problems: list[Problem] = []
    link.do(fail, None, problems.append)
    link.drain()
    assert told == ["New Conversation"]
    assert len(problems) == 1
    link.do(lambda store: store.conversations.all())
    link.drain()
    assert told == ["New Conversation"], "nothing else can be undone now"


def test_what_is_gone_is_told_and_the_path_that_waits_is_not_kept_waiting(link: StoreLink) -> None:
    changes, problems, ends = Changes(link), list[Problem](), list[bool]()
    changes.recorded.connect(lambda: ends.append(changes.is_pending))
    lost = Conversation.new("Pears")
    for _ in range(2):
        changes.make(partial(_delete, lost.id), refused=problems.append)
    assert changes.is_pending
    link.drain()
    assert problems == [GONE, GONE]
    assert ends == [True, False]


def test_an_edit_whose_result_cannot_be_read_is_told_as_soon_as_it_can_be(
    qtbot: QtBot, link: StoreLink, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was made, and is shown with what is undone next, or by itself."""
    monkeypatch.setattr("app.viewmodels.library.changes.AGAIN_MS", 10)
    changes, told, problems = Changes(link), list[EditResult](), list[Problem]()
    changes.made.connect(told.append)
    changes.failed.connect(problems.append)
    pears = Conversation.new("Pears")
    changes.make(lambda store: store.conversations.create(pears))
    link.drain()
    told.clear()
    steps = (lambda: changes.make(lambda store: store.conversations.rename(pears.id, "Apples")), changes.undo)
    for step, title in zip(steps, ("Apples", "Pears"), strict=True):
        with monkeypatch.context() as refusing:
            refusing.setattr(MessageStore, "listed_branches", _refuse)
            step()
            qtbot.waitUntil(lambda: bool(problems))
            link.drain()
        assert not told
        assert not changes.is_told
        qtbot.waitUntil(lambda: bool(told))
        assert [one.title for one in told.pop().conversations] == [title]
        assert told == []
        assert changes.is_told
        problems.clear()


def _refuse(_messages: MessageStore) -> tuple[ListedBranch, ...]:
    raise store_error(Fault.IO, None)


def _delete(conversation_id: str, store: Store) -> Edit:
    return store.trash.delete_conversation(conversation_id)
