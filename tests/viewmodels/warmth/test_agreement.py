"""Marks of warmth agree with the engine's own answer after every event, and little is asked for that."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from PySide6.QtCore import QObject, Signal

from app.conversation.branch import Branch
from app.conversation.message import Message, new_id
from app.conversation.tree import MessageTree
from app.protocol.chat import Sampling
from app.protocol.commands import Command, EraseOwner, EstimateCost, Generate, Pin, SetBudget
from app.protocol.events import CostEstimate, RunFinished
from app.protocol.reports import Reason
from app.viewmodels.warmth.cost_queries import CostQueries
from app.viewmodels.warmth.warmth import Warmth, warmth_from
from app.viewmodels.warmth.warmth_index import WarmthIndex
from tests.engine.bench import opened
from tests.fakes.model_folder import write_model_folder
from tests.seeds import each_seed

EVENTS = 40
MOST_MESSAGES = 40
WORDS = ("the", "fox", "and", "a", "dog", "ran", "over", "hills", "by", "night")


class ClosedTrees(QObject):
    """No conversation is closed here."""

    read = Signal()

    def tree_of(self, _conversation_id: str) -> None:
        return None

    def is_reading(self, _conversation_id: str) -> bool:
        return False

    def close(self) -> None:
        """Nothing is read."""


class Program:
    """An engine, two conversations of which one is open, and the index over them, without an event loop."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.bench, self.random = opened(folder), random.Random(seed)
        self.trees = {tree.conversation_id: tree for tree in (MessageTree(new_id()), MessageTree(new_id()))}
        self.open_id = next(iter(self.trees))
        self.sent = 0
        model = self.bench.model
        self.queries = CostQueries(self._submit)
        info = SimpleNamespace(fingerprint=model.fingerprint, context_length=model.context_length)
        self.model = SimpleNamespace(info=info, fingerprint=model.fingerprint)
        self.index = WarmthIndex(
            self.queries,
            cast(Any, self.model),
            cast(Any, self),
            cast(Any, ClosedTrees()),
            lambda path: path,
            lambda: False,
        )
        self.index.follow_model()
        self._read = len(self.bench.events)
        self._ids = 1_000_000

    # What the index asks of the library

    @property
    def tree(self) -> MessageTree:
        return self.trees[self.open_id]

    @property
    def open_ids(self) -> tuple[str, ...]:
        return (self.open_id,)

    @property
    def library(self) -> Program:
        return self

    def tree_of(self, conversation_id: str) -> MessageTree | None:
        return self.trees.get(conversation_id)

    def conversation(self, conversation_id: str) -> object:
        return self.trees.get(conversation_id)

    # What happens

    def _submit(self, command: Command) -> None:
        self.sent += 1
        self.bench.loop.submit(command)

    def do(self, command: Command) -> None:
        self.bench.do(command)
        self.hear()

    def hear(self) -> None:
        """Hand the index what the engine has told since."""
        new, self._read = self.bench.events[self._read :], len(self.bench.events)
        for event in new:
            self.index.take(event)

    def settle(self) -> None:
        """Have the index ask until it knows all again; the open path is asked for besides, after every event."""
        path = self.tree.path
        if path:
            self.queries.ask("path", self._branch(path), partial(self.index.note_path, path))
            self.sent -= 1
        while True:
            self.index._asking.stop()
            self.index._ask_next()
            self.bench.idle()
            self.hear()
            if self.index._asked is None and not self.index._asking.isActive():
                return

    def act(self) -> None:
        """Do something that may change what is held."""
        tree = self.trees[self.random.choice(list(self.trees))]
        actions = [self._ask, self._ask, self._fork, self._fork, self._shrink, self._pin, self._erase, self._turn]
        self.random.choice(actions)(tree)

    def _ask(self, tree: MessageTree, above: str | None = None) -> None:
        """Say something after a message, by default the end of the path, and have it answered."""
        if len(tree) > MOST_MESSAGES:
            return
        words = " ".join(self.random.choices(WORDS, k=self.random.randrange(1, 12)))
        home = tree.conversation_id
        question = Message.new(home, tree.leaf_id if above is None else above or None, "user", words)
        tree.add(question)
        begin = len(self.bench.events)
        self._ids += 1
        sampling = Sampling(seed=self._ids, max_tokens=self.random.randrange(1, 6))
        self.do(Generate(self._ids, self._branch(tree.path), sampling, owner=home))
        ended = [event for event in self.bench.events[begin:] if isinstance(event, RunFinished)]
        if ended and ended[0].text.strip():
            said = Message.new(home, question.id, "assistant", ended[0].text, model=self.bench.model.fingerprint)
            tree.add(replace(said, stop="finished", ids=ended[0].ids))
        self.index.follow()

    def _fork(self, tree: MessageTree) -> None:
        """Leave a branch after some answer, or before everything."""
        ends = [message.id for message in tree.path if message.role == "assistant"]
        self._ask(tree, self.random.choice(["", *ends]))

    def _turn(self, tree: MessageTree) -> None:
        """Go to another branch, or to the other conversation."""
        if self.random.random() < 0.5:
            self.open_id = tree.conversation_id
        elif len(tree):
            tree.select(self.random.choice([run.last_id for run in tree.runs().values()]))
        self.index.follow()

    def _shrink(self, _tree: MessageTree) -> None:
        cache = self.bench.cache
        held = cache.live_bytes + cache.paged_bytes
        self.do(SetBudget(int(held * self.random.choice([0.3, 0.6, 0.9]))))
        self.do(SetBudget(None))

    def _pin(self, tree: MessageTree) -> None:
        if tree.path:
            self._ids += 1
            self.do(Pin(self._ids, self._branch(tree.path), self.random.random() < 0.5))

    def _erase(self, tree: MessageTree) -> None:
        if self.random.random() < 0.3:
            self.do(EraseOwner(tree.conversation_id))

    # What is true

    def _branch(self, path: Sequence[Message]) -> Branch:
        return Branch(tuple(path), self.bench.model.fingerprint)

    def told(self) -> dict[str, Warmth]:
        """What the index says of each branch of the open conversation."""
        ends = [run.last_id for run in self.tree.runs().values()]
        told = {one: self.index.warmth_of(one, self.open_id) for one in ends}
        return {one: replace(warmth, seconds=None) for one, warmth in told.items() if warmth is not None}

    def true(self) -> dict[str, Warmth]:
        """What the engine says of each of them now."""
        found: dict[str, Warmth] = {}
        for run in self.tree.runs().values():
            self._ids += 1
            begin = len(self.bench.events)
            branch = self._branch(self.tree.path_to(run.last_id))
            self.bench.do(EstimateCost(self._ids, branch))
            (priced,) = [event for event in self.bench.events[begin:] if isinstance(event, CostEstimate)]
            first = self.tree.depth(run.first_id)
            warmth = warmth_from(priced, first, self.bench.model.context_length)
            found[run.last_id] = replace(warmth, seconds=None)
        self._read = len(self.bench.events)
        return found


def test_all_marks_are_the_engines_own_answers_after_every_event(
    qapp: object, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folders = [write_model_folder(tmp_path_factory.mktemp("models") / kind, kind=kind) for kind in ("llama", "lfm2")]
    counts: list[tuple[int, int]] = []
    check_agreement(folders=folders, counts=counts)
    sent, known = map(sum, zip(*counts, strict=True))
    assert sent < known, "nearly all is asked again after every event"


@each_seed(range(8))
def check_agreement(folders: list[Path], counts: list[tuple[int, int]], seed: int) -> None:
    """Compare all branches of one history. counts: gets how many queries were sent, and marks compared."""
    program = Program(folders[seed % len(folders)], seed)
    known = 0
    for _ in range(EVENTS):
        program.act()
        program.settle()
        sent, told = program.sent, program.told()
        assert _plain(told) == _plain(program.true())
        assert program.sent == sent
        known += len(told)
    counts.append((program.sent, known))
    program.index.close()


def _plain(told: dict[str, Warmth]) -> dict[str, Warmth]:
    """Leave out why nothing is computed twice, which nobody is told."""
    return {
        one: warmth if warmth.is_recomputed else replace(warmth, reason=Reason.NONE) for one, warmth in told.items()
    }
