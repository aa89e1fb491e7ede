"""One process of the measuring in `window`. Run as `python -m tests.bench.window_child ROLE FOLDER TOLD`.

TOLD is a JSON file for what was found. The roles: `session` lets a person work while the guide writes; `idle` is an
event loop with nothing to do, for as long; `large` opens what is large; `decode` writes answers that the window shows,
and others that it never hears of; `lanes` has three answers to one question written in columns.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections import defaultdict, deque
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from queue import Queue
from random import Random
from typing import cast

from PySide6.QtCore import QCoreApplication, QEvent, QEventLoop, QMimeData, QObject, QPoint, QPointF, Qt, QTimer
from PySide6.QtGui import QKeyEvent, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

import tests.plain_imports
import tests.sealed  # noqa: F401 - offline, before the engine is imported
from app.conversation.message import Conversation, Message
from app.conversation.store import Store
from app.launch.garbage import GarbageCollector
from app.launch.paths import guide_model, paths_in
from app.main import Program, application
from app.protocol.chat import Turn
from app.protocol.commands import Generate
from app.protocol.engine import Engine, EventSink
from app.protocol.events import Event, ModelReady, RunFinished, TextDelta, TrieChanged
from app.protocol.trie_view import Residency, TrieNodeView, TrieView
from app.rendering.resident import resident_bytes
from app.widgets.chat.lanes.lanes_view import LanesView
from app.worker.engine_thread import local_engine
from tests.bench.report import percentile
from tests.bench.window_probe import PATIENCE, Heartbeat, Paints, Stopwatch, wait

SESSION_S, STEP_MS = 60.0, 100
ANSWER, DECODED = 600, 300  # tokens
PAIRS = 64  # of answers that are shown and unheard of
QUESTION = "Tell me a story about a fox and the other fox."
LONG, NODES, MEGABYTE = 5_000, 5_000, 1_000_000
TIMES = 5
PICTURES, DIFFERENT = 40, 100  # of the trie; edges that differ from those of the picture before
COLUMNS = 3


def run_for(seconds: float) -> None:
    """Run the event loop for so long."""
    loop = QEventLoop()
    QTimer.singleShot(round(seconds * 1000), loop.quit)
    loop.exec()


class Bench:
    """The program on a data folder of its own, with the guide, which never ends an answer by itself."""

    def __init__(self, folder: Path) -> None:
        self.app = application()
        collector = GarbageCollector(self.app)
        self.written: defaultdict[int, deque[float]] = defaultdict(deque)
        self._events: dict[type[Event], Event] = {}
        self._unheard: Queue[RunFinished] | None = None
        self.engine: Engine | None = None
        self.program = Program(paths_in(folder), self._make_engine)
        self.program.host.happened.connect(collector.follow)
        self.program.host.happened.connect(self._note)
        self.program.window.resize(1440, 900)
        self.program.start(guide_model())
        self._sampling = cast(ModelReady, self.wait_for(ModelReady)).info.sampling
        _never_end(self.engine)

    def _make_engine(self, sink: EventSink) -> Engine:
        def stamped(event: Event) -> None:
            if self._unheard is not None:
                if isinstance(event, RunFinished):
                    self._unheard.put(event)
                return
            if isinstance(event, TextDelta) and event.text:
                self.written[event.lane].append(time.perf_counter())
            sink(event)

        self.engine = local_engine(stamped)
        return self.engine

    def _note(self, event: Event) -> None:
        self._events[type(event)] = event

    def wait_for(self, kind: type[Event]) -> Event:
        """Run the event loop until an event of this kind has come, and return it."""
        wait(lambda: kind in self._events)
        found = self._events[kind]
        self._events.clear()
        return found

    def unheard(self, seed: int, tokens: int) -> RunFinished:
        """Have an answer written that the window hears nothing of, while it sleeps, and return its end."""
        assert self.engine is not None
        sampling = replace(self._sampling, max_tokens=tokens, seed=seed)
        self._unheard = Queue()
        self.engine.submit(Generate(-1, (Turn("user", QUESTION),), sampling, alternatives=True))
        finished = self._unheard.get(timeout=PATIENCE)
        self._unheard = None
        return finished

    def settle(self) -> None:
        """Run the event loop for as long as what was begun may take to end."""
        run_for(0.3)

    def ms_until_painted(
        self, act: Callable[[], object], holds: Callable[[], bool], viewport: QWidget | None = None
    ) -> float:
        """Milliseconds from an act to the end of the paint that shows it: of the chat, where no other one is named."""
        painted: list[bool] = []
        viewport = viewport or self.program.window.chat.view.viewport()
        watch = Paints(viewport, lambda: painted.append(holds()))
        begun = time.perf_counter()
        act()
        wait(lambda: any(painted))
        took = (time.perf_counter() - begun) * 1000
        viewport.removeEventFilter(watch)
        self.settle()
        return took

    def ask(self, text: str) -> None:
        """Send a question."""
        self.program.app.chat.requests.send(text)
        self.program.app.catch_up()

    def close(self) -> None:
        self.program.close()


def _never_end(engine: Engine | None) -> None:
    """Have answers end at their limit only."""
    open_model = getattr(engine, "open_model", None)
    assert open_model is not None
    open_model.model.codec.stop_ids = frozenset()


# A person at work


class Person(QObject):
    """Types, scrolls and goes about in the window, a little every tenth of a second, while answers are written."""

    def __init__(self, bench: Bench, conversations: Sequence[str]) -> None:
        super().__init__()
        self._bench, self._window = bench, bench.program.window
        self._conversations = conversations
        self._dice = Random(1)
        self._asked = 0
        self.keys, self.tokens = Stopwatch(), Stopwatch()
        view, edit = self._window.chat.view, self._window.chat.composer.edit
        edit.textChanged.connect(self._on_letter)
        self._paints = [Paints(edit.viewport(), self.keys.paint), Paints(view.viewport(), self.tokens.paint)]
        view._growing.grew.connect(self._on_text_taken)
        bench.program.app.chat.generations.grew.connect(self._on_grown)
        self._timer = QTimer(self, interval=STEP_MS)
        self._timer.timeout.connect(self._act)
        self._timer.start()

    def stop(self) -> None:
        self._timer.stop()

    @property
    def _home(self) -> str:
        """The conversation of the next question: one after the other, since each has room for some answers only."""
        return self._conversations[self._asked % len(self._conversations)]

    def _on_letter(self) -> None:
        self.keys.ready = len(self.keys.begun)

    def _on_grown(self) -> None:
        """Note what has come, while its end is in sight."""
        if self._is_writing_here and self._window.chat.view.follows_end:
            self.tokens.begun.extend(self._bench.written[0])
        else:
            self.tokens.begun.clear()
        self._bench.written.clear()

    def _on_text_taken(self) -> None:
        self.tokens.ready = len(self.tokens.begun)

    @property
    def _is_writing_here(self) -> bool:
        return self._bench.program.app.chat.questions.at_engine_on(self._bench.program.app.library.tree) is not None

    def _act(self) -> None:
        app = self._bench.program.app
        if not app.chat.questions.at_engine:
            if app.library.open_id == self._home:
                app.chat.requests.send(QUESTION)
                self._asked += 1
            else:
                app.library.open(self._home)
            return
        deed = self._dice.choices(
            (self._type, self._scroll, self._come_back, self._switch, self._open, self._toggle), (60, 12, 12, 6, 5, 1)
        )[0]
        deed()

    def _type(self) -> None:
        edit = self._window.chat.composer.edit
        if len(edit.toPlainText()) > 300:
            edit.clear()
        self.keys.begun.clear()
        self.keys.begun.append(time.perf_counter())
        for kind in (QEvent.Type.KeyPress, QEvent.Type.KeyRelease):
            letter = QKeyEvent(kind, Qt.Key.Key_A, Qt.KeyboardModifier.NoModifier, "a")
            QCoreApplication.postEvent(edit, letter)

    def _scroll(self) -> None:
        viewport = self._window.chat.view.viewport()
        at = QPointF(viewport.rect().center())
        turned = QPoint(0, 240 if self._dice.random() < 0.5 else -240)
        event = QWheelEvent(
            *(at, QPointF(viewport.mapToGlobal(at.toPoint())), turned, turned),
            *(Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False),
        )
        QCoreApplication.postEvent(viewport, event)

    def _come_back(self) -> None:
        self._bench.program.app.library.open(self._conversations[(self._asked - 1) % len(self._conversations)])
        self._window.chat.view.go_to_end()

    def _switch(self) -> None:
        self._window.do("previous" if self._dice.random() < 0.5 else "next")

    def _open(self) -> None:
        self._bench.program.app.library.open(self._dice.choice(self._conversations))

    def _toggle(self) -> None:
        self._window.do("inspector")


def session(folder: Path) -> dict[str, object]:
    """What the event loop, keys and words need while the guide writes and somebody works."""
    ids = [furnish(folder, 12, f"Plan {number}") for number in range(4)]
    bench = Bench(folder)
    bench.settle()
    person = Person(bench, ids)
    wait(lambda: len(person.tokens.found) > 20)
    beat = Heartbeat()
    run_for(SESSION_S)
    person.stop()
    found: dict[str, object] = {
        **beat.figures(),
        "key_to_glyph_p95_ms": person.keys.p95,
        "token_to_pixels_p95_ms": person.tokens.p95,
        "keys": len(person.keys.found),
        "tokens": len(person.tokens.found),
    }
    bench.close()
    return found


def idle(_folder: Path) -> dict[str, object]:
    """The same event loop with nothing to do: what the machine itself makes late."""
    app = QCoreApplication([])
    beat = Heartbeat()
    QTimer.singleShot(round(SESSION_S * 1000), app.quit)
    app.exec()
    return dict(beat.figures())


# What is large


def furnish(folder: Path, messages: int, title: str) -> str:
    """Store a conversation of so many messages with two versions at its last question; returns its id."""
    paths = paths_in(folder)
    paths.database.parent.mkdir(parents=True, exist_ok=True)
    store = Store(paths.database)
    conversation = Conversation.new(title)
    parent: str | None = None
    branch: list[Message] = []
    for number in range(messages):
        answer = number % 2 == 1
        text = f"{title}, message {number}. **Bold** words and a list:\n\n* one\n* two `code`\n\n" + "Some prose. " * 12
        role = cast("tuple", ("user", "assistant"))[answer]
        message = Message.new(conversation.id, parent, role, text if answer else f"Question {number} of {title}")
        branch.append(replace(message, stop="finished") if answer else message)
        parent = message.id
    store.messages.begin(conversation, branch[0])
    store.messages.add_branch(branch[1:])
    for number in range(2):
        store.messages.add(Message.new(conversation.id, branch[-3].id, "user", f"Another way, {number}"))
    store.close()
    return conversation.id


def fork(folder: Path, runs: int) -> str:
    """Store a conversation in which each message is followed by two others or none; returns its id.

    runs: of messages, which are one each; an odd number.
    """
    store = Store(paths_in(folder).database)
    conversation = Conversation.new("Forks")
    made: list[Message] = []
    for number in range(runs):
        parent = made[(number - 1) // 2] if number else None
        role = cast("tuple", ("user", "assistant"))[parent is not None and parent.role == "user"]
        made.append(Message.new(conversation.id, parent and parent.id, role, f"Run {number}"))
    store.messages.begin(conversation, made[0])
    store.messages.add_branch(made[1:])
    store.close()
    return conversation.id


def large(folder: Path) -> dict[str, object]:
    """What opening and changing large things takes, in ms, and the memory that a long path adds, in MB."""
    sizes = {furnish(folder, size, f"Of {size}"): size for size in (10, LONG, LONG + 2)}
    forked = fork(folder, NODES + 1)
    short, long, other = sizes
    bench = Bench(folder)
    app = bench.program.app

    def opened(conversation_id: str) -> float:
        rows = sizes[conversation_id] - 1  # the last two have versions of one message beside them
        return bench.ms_until_painted(
            lambda: app.library.open(conversation_id),
            lambda: app.library.open_id == conversation_id and len(app.chat.chat_model.rows) == rows,
        )

    bench.settle()
    opened(short)
    before = resident_bytes(os.getpid())
    paint = opened(long)
    added = resident_bytes(os.getpid()) - before
    switches = [
        bench.ms_until_painted(lambda step=step: app.chat.open_branch.select_version(None, step), lambda: True)
        for step in (-1, 1) * TIMES
    ]
    again = [opened(one) for one in (other, long) * 2]
    cache = _cache(bench)
    outline = _outline(bench, forked)
    pasted, letter = _paste(bench)
    bench.close()
    return {
        "path_5000_paint_ms": round(paint, 1),
        "path_5000_again_ms": round(percentile(again, 0.5), 1),
        "switch_ms": round(percentile(switches, 0.95), 1),
        **cache,
        **outline,
        "paste_1mb_ms": round(pasted, 1),
        "key_after_1mb_ms": round(letter, 1),
        "memory_added_mb": round(added / 1e6, 1),
    }


def _cache(bench: Bench) -> dict[str, object]:
    """What another picture of a large trie costs: until all that follows it is told, and until its rows are painted."""
    app, window, told, shown = bench.program.app, bench.program.window, list[float](), list[float]()

    def take(view: TrieView) -> None:
        told.append(_ms(lambda: (bench.program.host.happened.emit(TrieChanged(view)), app.catch_up())))

    window.inspector.show_pane(window.cache.id)
    for number in range(PICTURES + 1):
        view = trie(number)
        shown.append(
            bench.ms_until_painted(
                lambda view=view: take(view),
                lambda view=view: app.cache.view is view,
                window.cache.tree.viewport(),
            )
        )
    return {
        "trie_5000_update_ms": round(percentile(told[1:], 0.95), 2),
        "trie_5000_shown_ms": round(percentile(shown[1:], 0.5), 1),
    }


def _outline(bench: Bench, conversation_id: str) -> dict[str, object]:
    """What one more branch costs an outline of many: the longest that nothing else is done, and until it is painted."""
    app, outline = bench.program.app, bench.program.window.branches
    app.library.open(conversation_id)
    bench.program.window.inspector.show_pane(outline.id)
    wait(lambda: app.library.open_id == conversation_id and len(app.branches.model.rows) > NODES)
    bench.settle()
    tree, held, shown = app.library.tree, list[float](), list[float]()
    for number, above in enumerate(tree.path[:TIMES]):
        role = cast("tuple", ("user", "assistant"))[above.role == "user"]
        message = Message.new(conversation_id, above.id, role, f"Beside, {number}")
        stalls = Heartbeat()
        shown.append(
            bench.ms_until_painted(
                lambda message=message: (tree.add(message, select=False), app.library.state.refreshed.emit()),
                lambda message=message: app.branches.model.index_of(message.id).isValid(),
                outline.tree.viewport(),
            )
        )
        held.append(stalls.worst)
        stalls.stop()
    return {
        "outline_5000_ms": round(percentile(held, 0.5), 1),
        "outline_5000_shown_ms": round(percentile(shown, 0.5), 1),
    }


def _paste(bench: Bench) -> tuple[float, float]:
    """Milliseconds for a megabyte that is pasted, and for the slowest letter after it, until they are painted."""
    edit = bench.program.window.chat.composer.edit
    data = QMimeData()
    data.setText("A line of what somebody pastes into the field.\n" * (MEGABYTE // 47))
    pasted = _ms(lambda: (edit.insertFromMimeData(data), bench.app.processEvents()))
    bench.settle()
    letters = [_ms(lambda: (QTest.keyClick(edit, Qt.Key.Key_A), bench.app.processEvents())) for _ in range(TIMES)]
    return pasted, max(letters)


def trie(number: int) -> TrieView:
    """A picture of NODES edges: a path with a leaf at each; another number differs in its end, as after an answer.

    Half of what differs goes to another place each time. What does not differ are the same objects, as in the engine's
    own pictures.
    """
    nodes = _edges()
    first = NODES - DIFFERENT
    places: tuple[Residency, Residency] = ("live", "memory")
    changed = (
        replace(node, residency=places[(node.id // 2 + number) % 2], last_use=NODES + number) for node in nodes[first:]
    )
    return TrieView(number + 1, (*nodes[:first], *changed), paged_bytes=NODES << 16, budget_bytes=1 << 30)


@cache
def _edges() -> tuple[TrieNodeView, ...]:
    return tuple(
        TrieNodeView(
            id=at,
            parent_id=None if at == 1 else at - 1 - at % 2,
            start=64 * at,
            end=64 * at + 64,
            label=f"Edge {at}",
            bytes=65536,
            residency="memory",
            lanes=(),
            has_state=True,
            is_restore_point=False,
            last_use=at,
            used_at=0.0,
        )
        for at in range(1, NODES + 1)
    )


def _ms(act: Callable[[], object]) -> float:
    begun = time.perf_counter()
    act()
    return (time.perf_counter() - begun) * 1000


# Decoding


def decode(folder: Path) -> dict[str, object]:
    """How fast the guide writes where the window shows it, as a share of how fast it writes where nobody hears of it.

    The answers are the same, in pairs, by turns. All are of one process: two processes that do the same differ by more
    than is looked for here.
    """
    bench = Bench(folder)
    app = bench.program.app

    def shown(seed: int) -> float:
        app.library.new_conversation()
        bench.settle()
        app.chat.settings.type("max_tokens", str(DECODED))
        app.chat.settings.type("seed", str(seed))
        bench.ask(QUESTION)
        return _rate(bench.wait_for(RunFinished))

    def unheard(seed: int) -> float:
        bench.settle()
        return _rate(bench.unheard(seed, DECODED))

    ratios = []
    for pair in range(PAIRS + 1):
        rates = {write: write(pair) for write in ((shown, unheard) if pair % 2 else (unheard, shown))}
        ratios.append(rates[shown] / rates[unheard])
    bench.close()
    return {"decode_ratio": round(percentile(ratios[1:], 0.5), 3)}


def _rate(finished: Event) -> float:
    stats = cast(RunFinished, finished).stats
    assert stats.tokens == DECODED, finished
    return stats.rate


# Several answers


class Columns(QObject):
    """Times how long the words of each of several answers take to be seen. tokens: a stopwatch to each column."""

    def __init__(self, bench: Bench, view: LanesView) -> None:
        super().__init__()
        self._bench = bench
        self.tokens = [Stopwatch() for _ in view.columns]
        for tokens, column in zip(self.tokens, view.columns, strict=True):
            column.view._growing.grew.connect(lambda tokens=tokens: setattr(tokens, "ready", len(tokens.begun)))
            Paints(column.view.viewport(), tokens.paint)
        bench.program.app.chat.generations.grew.connect(self._on_grown)

    def _on_grown(self, answer_id: str) -> None:
        """Note when the words were written that have come."""
        question = next(one for one in self._bench.program.app.chat.questions.at_engine if one.held_id == answer_id)
        written = self._bench.written[question.lane]
        self.tokens[question.lane].begun.extend(written)
        written.clear()

    @property
    def found(self) -> list[float]:
        """Milliseconds that each piece took, in all columns."""
        return [ms for one in self.tokens for ms in one.found]


def lanes(folder: Path) -> dict[str, object]:
    """What the event loop and words need while the guide writes three answers in columns."""
    bench = Bench(folder)
    bench.settle()
    app, window = bench.program.app, bench.program.window
    window.do("inspector")
    app.chat.requests.choose_count(COLUMNS)
    app.chat.settings.type("max_tokens", str(ANSWER))
    bench.ask(QUESTION)
    wait(lambda: window.chat.lanes is not None and len(window.chat.lanes.columns) == COLUMNS)
    assert window.chat.lanes is not None
    bench.written.clear()
    columns = Columns(bench, window.chat.lanes)
    wait(lambda: len(columns.found) > 20 * COLUMNS)
    beat = Heartbeat()
    bench.wait_for(RunFinished)
    late = beat.figures()
    assert all(column.isVisible() for column in window.chat.lanes.columns)
    bench.close()
    return {
        **late,
        "token_to_pixels_p50_ms": round(percentile(columns.found, 0.5), 1),
        "token_to_pixels_p95_ms": round(percentile(columns.found, 0.95), 1),
        "tokens": len(columns.found),
    }


ROLES = {role.__name__: role for role in (session, idle, large, decode, lanes)}

if __name__ == "__main__":
    data = Path(sys.argv[2])
    data.mkdir()
    found = ROLES[sys.argv[1]](data)
    Path(sys.argv[3]).write_text(json.dumps(found), encoding="utf-8")
