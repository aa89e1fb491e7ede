"""Questions through their stages: in order, none twice, each to its end, and every word kept, whatever happens."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from PySide6.QtCore import QObject, Signal
from pytestqt.qtbot import QtBot

from app.conversation.database import Database
from app.conversation.faults import Fault, StoreError, store_error
from app.conversation.message import Conversation, Message, new_id
from app.conversation.message_store import Progress
from app.conversation.store import Store
from app.protocol.chat import Sampling
from app.protocol.commands import Cancel, Command, Generate
from app.protocol.events import Event, PrefillProgress, RunFailed, RunFinished, RunStarted, TextDelta, Token
from app.protocol.reports import ModelInfo, RequestReport, RunStats, StopReason
from app.viewmodels.chat.answer_plan import AnswerPlan
from app.viewmodels.chat.answer_saver import AnswerSaver
from app.viewmodels.chat.generations import Generations
from app.viewmodels.chat.last_save import LastSave
from app.viewmodels.chat.question import Outcome, Question, Stage
from app.viewmodels.chat.question_queue import QuestionQueue
from app.viewmodels.chat.questions import Questions
from app.viewmodels.chat.versions import parent_for
from app.viewmodels.chat.view_states import ViewStates
from app.viewmodels.kit.store_link import StoreLink
from app.viewmodels.library.library import Library
from app.viewmodels.model.current_model import CurrentModel
from app.worker.engine_host import EngineHost
from tests.seeds import each_seed

HOME = new_id()
REQUEST = RequestReport(10, 0, 0, 0)
MODEL = ModelInfo("/m", "m", "fake", "print", 400, 1, (("KVCache", 2),), True)
FULL = store_error(Fault.FULL, None)
# Which stages may follow one another, said once more.
FOLLOWING = {
    "committing": {"waiting", "done"},
    "waiting": {"reading", "done"},
    "reading": {"writing", "saving", "done"},
    "writing": {"saving", "done"},
    "saving": {"done"},
    "done": set[str](),
}


def at(stage: Stage) -> Question:
    """Bring a question to a stage, the shortest way."""
    question = Question(Message.new(HOME, None, "user", "Why?"))
    answer = Message.new(HOME, question.message.id, "assistant")
    ways: dict[Stage, list[Callable[[], object]]] = {
        Stage.COMMITTING: [],
        Stage.WAITING: [question.commit],
        Stage.READING: [lambda: question.ask(1, answer)],
        Stage.WRITING: [lambda: question.grow("Because")],
        Stage.SAVING: [lambda: question.end(replace(answer, stop="finished"))],
        Stage.DONE: [question.let_go],
    }
    for step, way in ways.items():
        for act in way:
            act()
        if step is stage:
            return question
    raise AssertionError(stage)


@pytest.mark.parametrize("stage", Stage)
def test_what_is_not_next_raises_and_changes_nothing(stage: Stage) -> None:
    answer = replace(Message.new(HOME, new_id(), "assistant"), stop="finished")
    acts: dict[str, tuple[set[str], Callable[[Question], None]]] = {
        "commit": ({"committing"}, lambda one: one.commit()),
        "refuse": ({"committing"}, lambda one: one.refuse(FULL.problem)),
        "withdraw": ({"waiting"}, lambda one: one.withdraw()),
        "ask": ({"waiting"}, lambda one: one.ask(1, answer)),
        "grow": ({"reading", "writing"}, lambda one: one.grow("more", 1)),
        "end": ({"reading", "writing"}, lambda one: one.end(answer)),
        "save": ({"saving"}, lambda one: one.confirm(Progress(True, 7, True))),
        "let go": ({"saving"}, lambda one: one.let_go()),
    }
    for name, (legal, act) in acts.items():
        question = at(stage)
        before = vars(question).copy()
        if stage.value in legal:
            act(question)
            assert question.stage is stage or question.stage.value in FOLLOWING[stage.value], name
        elif (stage, name) != (Stage.DONE, "save"):  # a request that was made twice
            with pytest.raises(RuntimeError):
                act(question)
            assert vars(question) == before, name


def test_an_answer_ends_for_a_reason() -> None:
    question = at(Stage.WRITING)
    with pytest.raises(ValueError, match="no reason"):
        question.end(question.answer_so_far)


def test_nothing_follows_what_is_not_complete() -> None:
    questions = Questions()
    first = Question(Message.new(HOME, None, "user", "Why?"))
    questions.add(first)
    questions.add(Question(Message.new(HOME, None, "user", "And how?")))
    for wrong in (
        Question(Message.new(HOME, first.message.id, "user", "And why?")),
        Question(first.message, is_again=True),
    ):
        with pytest.raises(RuntimeError, match="busy"):
            questions.add(wrong)
    first.refuse(FULL.problem)
    questions.add(Question(first.message, is_again=True))
    assert first not in list(questions)


def words(message: Message | None) -> object:
    """What must not be lost of an answer."""
    return message and (message.text, message.ids, message.stats, message.stop)


class Link(QObject):
    """A `StoreLink` without a thread: a request is done when the test says so.

    is_full: every commit is refused, or (is_late) refused after it was made. is_stuck: every request is given up.
    """

    failed = Signal(object)
    is_read_only = False

    def __init__(self, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        super().__init__()
        self.store = Store(path)
        self.is_full = self.is_late = self.is_stuck = False
        self.asked: list[tuple[Callable[[Store], Any], Any, Any]] = []
        self.kept: tuple[Message, ...] = ()
        monkeypatch.setattr(Store, "keep_for_next_start", lambda _store, answers: self.keep_for_next_start(answers))
        writing = Database.writing

        @contextmanager
        def write(database: Database) -> Iterator[None]:
            if self.is_full and not self.is_late:
                raise FULL
            with writing(database):
                yield
            if self.is_full:
                raise FULL

        monkeypatch.setattr(Database, "writing", write)

    def do(self, request: Any, then: Any = None, refused: Any = None, characters: int = 0) -> None:
        assert characters >= 0
        self.asked.append((request, then, refused or self.failed.emit))

    def deliver(self) -> None:
        """Do the request that has waited longest, if there is one, and answer it."""
        if not self.asked:
            return
        request, then, refused = self.asked.pop(0)
        try:
            found = request(self.store)
        except StoreError as error:
            refused(error.problem)
        else:
            if then is not None:
                then(found)

    def drain(self) -> None:
        while self.asked:
            if self.is_stuck:
                self.asked.pop(0)[2](FULL.problem)
            else:
                self.deliver()

    def keep_for_next_start(self, records: tuple[Message, ...]) -> bool:
        self.kept += tuple(records)
        return True


class Models(QObject):
    """A `CurrentModel` that is there or not."""

    ready = Signal()
    kept = Signal(object)
    to_ask: ModelInfo | None = None
    sampling = Sampling()


class Machine:
    """Questions with all that takes them on; the engine and the disk are the test's."""

    def __init__(self, path: Path, rng: random.Random, monkeypatch: pytest.MonkeyPatch) -> None:
        self.rng = rng
        self.stages: dict[Question, list[str]] = {}
        self.said: dict[Question, str] = {}
        self.thought: dict[Question, str] = {}
        self.expected: dict[Question, Outcome] = {}
        self.refused: list[Question] = []
        self.ended: list[Question] = []
        self.waiting_acts = self.acted = 0
        self.link = Link(path, monkeypatch)
        self.models = Models()
        self.commands: list[Command] = []
        self.questions = Questions()
        store = cast(StoreLink, self.link)
        self.library = Library(store)
        host = cast(EngineHost, SimpleNamespace(submit=self.commands.append))
        self.saver = AnswerSaver(store, self.questions, self.library.is_on_path)
        self.generations = Generations(host, self.questions, self.saver, lambda: True)
        models = cast(CurrentModel, self.models)
        self.queue = QuestionQueue(
            *(self.questions, self.library, self.generations, self.saver, models),
            *(lambda _: Sampling(), lambda _: None, lambda *_: True),
        )
        self.queue.refused.connect(self.refused.append)
        self.queue.ended.connect(self.ended.append)
        self.heard: dict[tuple[str, str], str] = {}
        self.generations.moved.connect(self._read)
        self.queue.moved.connect(self._read)
        self.generations.grew.connect(self._hear)
        self.saver.failed.connect(lambda _problem: setattr(self, "waiting_acts", self.acted))
        self.homes = [Conversation.new(str(number)) for number in range(4)]
        for home in self.homes:
            self.link.store.conversations.create(home)
        self.library.read_list()
        for home in self.homes:
            self.library.open(home.id, lambda: None)
        self.link.drain()
        self._watch(monkeypatch)

    def _watch(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Follow every question through its stages."""
        beginning, going = Question.__init__, Question._go

        def begin(question: Question, message: Message, is_again: bool = False) -> None:
            beginning(question, message, is_again)
            self.stages[question] = [question.stage.value]
            self.said[question] = self.thought[question] = ""

        def go(question: Question, stage: Stage, before: Stage | None = None) -> None:
            going(question, stage, before)
            self.stages[question].append(stage.value)

        monkeypatch.setattr(Question, "__init__", begin)
        monkeypatch.setattr(Question, "_go", go)

    def _read(self) -> None:
        """Read the answers as they are, as a view does that is told to; it adds what it is told later."""
        self.heard = {
            (question.held_id, kind): text
            for question in self.questions.at_engine
            for kind, text in (("text", question.text), ("thinking", question.thinking))
        }

    def _hear(self, answer: str, text: str, kind: str) -> None:
        self.heard[answer, kind] += text

    # What may happen

    def send(self) -> None:
        home = self.rng.choice(self.homes).id
        tree = self.library.tree(home)
        if not self.questions.is_busy_on(tree):
            self.queue.send(home, parent_for(tree, None), f"question {len(self.stages)}", plan=self._plan())

    def ask_again(self) -> None:
        tree = self.library.tree(self.rng.choice(self.homes).id)
        asked = [message for message in tree.path if message.role == "user"]
        free = [one for one in asked if one.id not in self.questions.held]
        if free and not self.questions.is_closed:
            self.queue.ask_again(self.rng.choice(free), plan=self._plan())

    def _plan(self) -> AnswerPlan:
        return AnswerPlan(self.rng.choice([1, 1, 2, 3]), self.rng.random() < 0.5)

    def go_elsewhere(self) -> None:
        tree = self.library.tree(self.rng.choice(self.homes).id)
        if tree.forks:
            tree.select(tree.leaf_below(self.rng.choice(tree.siblings(self.rng.choice(tree.forks).id)).id))

    def change_model(self) -> None:
        self.models.to_ask = None if self.rng.random() < 0.4 else MODEL
        self.models.ready.emit()

    def change_disk(self) -> None:
        self.link.is_full, self.link.is_late = self.rng.random() < 0.5, self.rng.random() < 0.3

    def stop(self) -> None:
        held = self.questions.held_on(self.library.tree(self.rng.choice(self.homes).id))
        if held is not None and held.is_at_engine:
            self.generations.stop(held)
        elif held is not None:
            self.expected[held] = Outcome.WITHDRAWN
            self.queue.withdraw(held)

    def engine_dies(self) -> None:
        self.models.to_ask = None
        self.expected |= dict.fromkeys(self.questions.at_engine, Outcome.FAILED)
        self.generations.abandon()

    def act_when_saved(self) -> None:
        def act() -> None:
            assert not self.questions.saving
            self.acted += 1

        self.waiting_acts += 1
        self.saver.when_saved(act)

    def engine(self) -> None:
        """Let the engine say something about one of the questions it has, or about one it had."""
        runs = [command.run_id for command in self.commands if isinstance(command, Generate)]
        at_engine = self.questions.at_engine
        if at_engine and self.rng.random() < 0.9:
            self._tell(self.rng.choice(at_engine))
        elif runs:
            gone = self.rng.choice(runs)
            if not self.questions.of_run(gone):
                self.generations.take(TextDelta(gone, 0, "Nobody hears this", ()))

    def _tell(self, question: Question) -> None:
        run_id, lane, text = question.run_id or 0, question.lane, self.said[question]
        word = self.rng.choice(["", "word ", "and "])
        token = (Token(1, len(text), len(text + word)),)
        stopped = Cancel(run_id, lane) in self.commands
        stop = StopReason.CANCELLED if stopped else self.rng.choice([StopReason.FINISHED, StopReason.LENGTH])
        stats = RunStats(REQUEST, stop, question.tokens, 0.1, 1.0, 1.0, 1)
        begun: tuple[Event, ...] = (RunStarted(run_id, REQUEST, ()), PrefillProgress(run_id, 1, 2, 0, 1.0))
        events: list[Event] = [
            self.rng.choice(begun),
            *[TextDelta(run_id, lane, word, token)] * 3,
            *[TextDelta(run_id, lane, word, token, "thinking")] * 2,
            RunFinished(run_id, lane, text + word, (1,), stats, self.thought[question]),
            *([RunFailed(run_id, FULL.problem, self.rng.choice([lane, None]))] if self.rng.random() < 0.5 else []),
        ]
        event = self.rng.choice(events)
        if isinstance(event, TextDelta) and event.kind == "thinking":
            self.thought[question] += word
        elif isinstance(event, TextDelta | RunFinished):
            self.said[question] += word
        if isinstance(event, RunFinished):
            is_whole = stop is StopReason.FINISHED
            self.expected[question] = Outcome.ANSWERED if is_whole else Outcome.STOPPED
        elif isinstance(event, RunFailed):
            failed = self.questions.of_run(run_id, event.lane)
            self.expected |= dict.fromkeys(failed, Outcome.FAILED)
        self.generations.take(event)

    def act(self) -> None:
        """Let one thing happen, by chance."""
        often = [self.link.deliver] * 8 + [self.engine] * 8 + [self.send] * 3
        seldom = [
            self.ask_again,
            self.change_model,
            self.change_disk,
            self.stop,
            self.go_elsewhere,
            self.act_when_saved,
        ]
        self.rng.choice([*often, *seldom, *([self.engine_dies] if self.rng.random() < 0.2 else [])])()

    def finish(self) -> None:
        """Let everything come to its end: the disk takes what it is given, and the engine writes to the end."""
        self.link.is_full, self.models.to_ask = False, MODEL
        self.models.ready.emit()
        while list(self.questions) or self.saver._timer.isActive():
            self.link.drain()
            self.saver._save_all()
            if self.questions.at_engine:
                self._tell(self.rng.choice(self.questions.at_engine))
        self.link.drain()

    def close(self) -> None:
        """End the program as the app does."""
        self.expected |= dict.fromkeys(self.questions.waiting, Outcome.WITHDRAWN)
        self.questions.close()
        self.expected |= dict.fromkeys(self.questions.at_engine, Outcome.FAILED)
        self.generations.abandon()
        no_drafts = cast(ViewStates, SimpleNamespace(unsaved=(), save=lambda: None, close=lambda: None))
        last = LastSave(cast(StoreLink, self.link), self.questions, self.saver, no_drafts)
        last.close()
        self.link.drain()
        if self.link.is_stuck:
            last.keep_for_next_start()
        assert self.link.is_full or self.link.is_stuck or not self.link.kept
        self.link.is_full = False

    # What must be true

    def check(self) -> None:
        """Compare everything with what is legal, after any event."""
        for question, stages in self.stages.items():
            assert all(after in FOLLOWING[before] for before, after in pairwise(stages))
            assert question.stage.value == stages[-1]
            assert (question.text, question.thinking) == (self.said[question], self.thought[question])
        assert list(self.questions) == [one for one, stages in self.stages.items() if stages[-1] != "done"]
        held = [question.held_id for question in self.questions if question.is_held]
        assert len(held) == len(set(held))
        assert not [one for one in self.questions if one.is_held and one.message.parent_id in held]
        most, busy, waiting = self.queue.most_at_once, len(self.questions.at_engine), self.questions.waiting
        assert busy <= most
        is_full = bool(waiting) and busy + min(waiting[0].plan.count, most) > most
        assert not waiting or self.models.to_ask is None or is_full, "a question sticks"
        asked = [
            (one.run_id, lane) for one in self.commands if isinstance(one, Generate) for lane in range(len(one.lanes))
        ]
        assert asked == sorted((one.run_id, one.lane) for one in self.stages if one.run_id is not None)
        for question in self.questions.at_engine:
            assert self.heard[question.held_id, "text"] == question.text
            assert self.heard[question.held_id, "thinking"] == question.thinking
        assert self.ended == [one for one in self.ended if not one.is_held]
        for question in self.questions:
            tree = self.library.tree(question.conversation_id)
            assert question.message.id in tree
            assert question.held_id in tree

    def check_end(self, is_closed: bool) -> None:
        """Compare what is kept with what was said, once nothing is on its way."""
        stored = {one.id: one for home in self.homes for one in self.link.store.messages.of(home.id)}
        kept = {one.id: one for one in self.link.kept}
        for question, stages in self.stages.items():
            assert stages.count("done") == 1
            assert stages[-1] == "done"
            if question.outcome is Outcome.REFUSED:
                assert self.refused.count(question) == 1
                assert question.problem is not None
                continue
            assert stored[question.message.id] == question.message
            if is_closed and question.answer is None:
                assert question.outcome is Outcome.WITHDRAWN
            else:
                assert question.outcome is self.expected[question]
            if question.answer is not None and question.is_kept:
                assert words(question.answer) in (
                    words(stored.get(question.answer.id)),
                    words(kept.get(question.answer.id)),
                )
                assert self.library.tree(question.conversation_id).message(question.answer.id) == question.answer
                assert question.answer.text == self.said[question]
                assert question.answer.thinking == self.thought[question]
            elif question.answer is not None and not (is_closed and len(question.siblings) > 1):
                assert question.answer.id not in stored
        order = {message_id: number for number, message_id in enumerate(stored)}
        for question in self.stages:
            answers = [one.answer.id for one in question.siblings if one.answer is not None]
            found = [order[one] for one in answers if one in order]
            assert found == sorted(found), "they stand in their order"
        assert is_closed or self.acted == self.waiting_acts


@pytest.mark.parametrize("most_at_once", [1, 3])
@each_seed(range(60))
def test_whatever_happens_every_question_is_done_once_and_no_word_is_lost(
    qtbot: QtBot, tmp_path: Path, most_at_once: int, seed: int
) -> None:
    rng = random.Random(seed)
    with pytest.MonkeyPatch.context() as monkeypatch:
        machine = Machine(tmp_path / "conversations.db", rng, monkeypatch)
        machine.queue.most_at_once = most_at_once
        machine.change_model()
        for _ in range(rng.randint(20, 160)):
            machine.act()
            machine.check()
        is_closed = rng.random() < 0.5
        if is_closed:
            machine.link.is_stuck = rng.random() < 0.3
            machine.close()
        else:
            machine.finish()
        assert not machine.link.asked
        machine.check()
        machine.check_end(is_closed)
        machine.saver._timer.stop()
        machine.library.close()
        machine.link.store.close()


def test_a_speed_is_told_once_there_is_enough_to_tell_it_from() -> None:
    """Words that come all at once, as from a server that held them back, have none."""
    question = at(Stage.WRITING)
    question.grow(" it is so", 20)
    assert question.rate is None
    question.first_at = time.monotonic() - 2.0
    assert question.rate == pytest.approx(9.5, rel=0.1)
    question.tokens = 2
    assert question.rate is None
