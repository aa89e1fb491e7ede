"""When branches are priced: at once while nothing is written, seldom while something is, one after another."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest
from pytestqt.qtbot import QtBot

from app.conversation.message import Message, new_id
from app.conversation.tree import MessageTree
from app.protocol.commands import Command, EstimateCost
from app.protocol.events import CostEstimate, TurnResidency
from app.protocol.reports import RequestReport
from app.viewmodels.warmth import cost_queries, warmth_index
from app.viewmodels.warmth.cost_queries import BegunAnswer, CostQueries
from app.viewmodels.warmth.warmth_index import WarmthIndex
from tests.viewmodels.warmth.test_agreement import ClosedTrees


class Bench:
    """A tree of one question in some versions, and queries that wait to be answered."""

    def __init__(self, versions: int = 4) -> None:
        self.tree = MessageTree(new_id())
        for number in range(versions):
            self.tree.add(Message.new(self.open_id, None, "user", f"Version {number}"))
        self.sent: list[EstimateCost] = []
        self.is_writing = False
        self.queries = CostQueries(self._submit)
        info = SimpleNamespace(fingerprint="one", context_length=4096)
        self.model = SimpleNamespace(info=info, fingerprint="one")
        self.index = WarmthIndex(
            *(self.queries, cast(Any, self.model), cast(Any, self), cast(Any, ClosedTrees())),
            *(lambda path: path, lambda: self.is_writing),
        )

    @property
    def open_id(self) -> str:
        return self.tree.conversation_id

    @property
    def open_ids(self) -> tuple[str, ...]:
        return (self.open_id,)

    @property
    def library(self) -> Bench:
        return self

    def tree_of(self, conversation_id: str) -> MessageTree | None:
        return self.tree if conversation_id == self.open_id else None

    def conversation(self, conversation_id: str) -> object:
        return self.tree_of(conversation_id)

    def _submit(self, command: Command) -> None:
        assert isinstance(command, EstimateCost)
        self.sent.append(command)

    def answer(self) -> None:
        turns = (TurnResidency(0, 5, "memory"),)
        self.queries.take(CostEstimate(self.sent[-1].query_id, RequestReport(6, 5, 5, 5), turns, 0.1, edge=1))

    def words(self) -> list[str]:
        return [command.turns[0].text for command in self.sent]


def test_one_query_is_under_way_at_a_time(qtbot: QtBot) -> None:
    bench = Bench()
    bench.index.follow_model()
    for number in range(1, 4):
        qtbot.waitUntil(lambda number=number: len(bench.sent) == number)
        bench.answer()
    qtbot.wait(30)
    assert bench.words() == ["Version 0", "Version 1", "Version 2"]  # the open path is asked for besides
    bench.index.close()


def test_while_an_answer_is_written_little_is_asked(qtbot: QtBot) -> None:
    bench = Bench()
    bench.is_writing = True
    bench.index.follow_model()
    qtbot.wait(60)
    assert not bench.sent
    assert bench.index._asking.interval() == warmth_index.WRITING_MS
    bench.is_writing = False
    bench.index.follow()
    qtbot.waitUntil(lambda: len(bench.sent) == 1)
    bench.is_writing = True
    bench.answer()
    assert bench.index._asking.interval() >= warmth_index.WRITING_MS
    bench.index.close()


def test_what_a_person_looks_at_is_asked_first_and_at_once(qtbot: QtBot) -> None:
    bench = Bench()
    bench.is_writing = True
    bench.index.follow_model()
    first, _, wanted, _ = bench.tree.children(None)
    bench.index.warmth_of(first.id, bench.open_id)
    bench.index.hurry(wanted.id, bench.open_id)
    qtbot.waitUntil(lambda: len(bench.sent) == 1)
    assert bench.words() == [wanted.text]
    bench.index.close()


def test_a_branch_that_is_far_too_long_is_counted_when_a_person_looks_at_it(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where that takes too long, what was known of it stays."""
    bench = Bench(versions=2)
    first = bench.tree.children(None)[0]
    bench.index.follow_model()
    qtbot.waitUntil(lambda: len(bench.sent) == 1)
    far = CostEstimate(bench.sent[0].query_id, RequestReport(4096, 0, 0, 0), (), None, is_far_too_long=True)
    bench.queries.take(far)
    assert not bench.sent[0].is_exact
    told = bench.index.warmth_of(first.id, bench.open_id)
    assert told is not None
    assert told.is_far_too_long
    monkeypatch.setattr(warmth_index, "PATIENCE", 0.02)
    monkeypatch.setattr(cost_queries, "PATIENCE", 0.01)
    bench.queries.took = 0.0
    for _ in range(2):
        begun = len(bench.sent)
        bench.index.hurry(first.id, bench.open_id)
        qtbot.waitUntil(lambda begun=begun: len(bench.sent) > begun)
        assert bench.sent[begun].is_exact
        qtbot.waitUntil(lambda: bench.index._asked is None)
        assert bench.index.warmth_of(first.id, bench.open_id) == told
    bench.index.close()


def test_a_branch_that_gets_no_answer_keeps_no_other_from_being_asked(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(warmth_index, "PATIENCE", 0.02)
    bench = Bench()
    bench.index.follow_model()
    qtbot.waitUntil(lambda: len(bench.sent) == 1)
    monkeypatch.setattr(warmth_index, "PATIENCE", 60.0)
    unanswered = bench.tree.children(None)[0]
    qtbot.waitUntil(lambda: len(bench.sent) == 2)
    assert bench.words() == ["Version 0", "Version 1"]
    assert bench.index.warmth_of(unanswered.id, bench.open_id) is None
    bench.answer()
    assert bench.index.warmth_of(bench.tree.children(None)[1].id, bench.open_id) is not None
    bench.index.close()


def test_a_short_branch_is_asked_before_a_long_one(qtbot: QtBot) -> None:
    bench = Bench(versions=1)
    answer = Message.new(bench.open_id, bench.tree.leaf_id, "assistant", "Yes")
    for message in (answer, Message.new(bench.open_id, answer.id, "user", "Long")):
        bench.tree.add(message)
    bench.tree.add(Message.new(bench.open_id, None, "user", "Short"), select=False)
    bench.tree.add(Message.new(bench.open_id, None, "user", "Open"))
    bench.index.follow_model()
    qtbot.waitUntil(lambda: len(bench.sent) == 1)
    bench.answer()
    qtbot.waitUntil(lambda: len(bench.sent) == 2)
    assert [len(command.turns) for command in bench.sent] == [1, 3]
    bench.index.close()


def test_nothing_is_asked_without_a_model_or_after_the_end(qtbot: QtBot) -> None:
    bench = Bench()
    bench.model.info = None
    bench.index.follow_model()
    bench.index.warmth_of(bench.tree.leaf_id or "", bench.open_id)
    qtbot.wait(20)
    bench.model.info = SimpleNamespace(fingerprint="one", context_length=4096)
    bench.index.follow_model()
    bench.index.close()
    qtbot.wait(20)
    assert not bench.sent


def test_the_tokens_that_an_answer_would_begin_with_are_asked_for() -> None:
    bench = Bench()
    bench.queries.ask("fork", (), lambda _priced: None, begun=BegunAnswer(forced=(1, 2)))
    (asked,) = bench.sent
    assert (asked.forced, asked.begun, asked.edited) == ((1, 2), None, ())
