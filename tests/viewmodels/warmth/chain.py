"""A whole program without a window: view models, the engine's thread, its loop, and a cache with files.

Somebody does what can be done in it, in any order; then every mark of warmth is compared with what the engine says of
that branch when it is asked by somebody else.
"""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import count
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QEventLoop, QTimer

from app.conversation.branch import Branch
from app.conversation.message import Message, new_id
from app.conversation.store_thread import StoreThread
from app.conversation.tree import MessageTree
from app.protocol.commands import EstimateCost
from app.protocol.events import ContextLimited, CostEstimate, Event, ModelReady, TrieChanged
from app.protocol.reports import Reason
from app.viewmodels.app import App
from app.viewmodels.chat.branch_costs import SENDING
from app.viewmodels.chat.command_prices import PRICED
from app.viewmodels.kit.folders import Folders
from app.viewmodels.kit.settings import Settings
from app.viewmodels.warmth.warmth import Warmth, warmth_from
from app.viewmodels.windows import Windows
from app.viewmodels.workspace import Workspace
from app.worker.engine_host import EngineHost
from tests.conftest import close_app

PATIENCE = 120.0  # seconds for all marks to be known
MOST_MESSAGES, MOST_CONVERSATIONS = 24, 4
MOST_WORDS = 30
WORDS = ("the", "fox", "and", "a", "dog", "ran", "over", "hills", "by", "night")
SHORT_CONTEXT = "128"  # tokens: some branches do not fit, and some not by far
_FIRST_ID = 1 << 50  # apart from the ids under which the program asks
Mark = tuple[str, str]  # of a conversation and of the message that a branch ends with, "" for where it was left


class Chain:
    """The program, and somebody who does everything in it by chance.

    Attributes: windows, all that are open; app, the one that something is done in or looked at in.
    """

    def __init__(self, folder: Path, models: Sequence[Path], seed: int, windows: int = 1) -> None:
        self.folder, self.models, self.random = folder, models, random.Random(seed)
        self.snapshots = folder / "snapshots"
        self._ids = count(_FIRST_ID)
        self.pictures = 0
        self.done: list[str] = []
        self._answers: dict[int, CostEstimate] = {}
        self.windows = self._start(windows)
        self.app = self.windows[0]

    def _start(self, windows: int) -> list[App]:
        host = EngineHost()
        self.host = host
        store, settings = StoreThread(self.folder / "conversations.db"), Settings(self.folder / "settings.json")
        workspace = Workspace(host, store, settings, Folders(str(self.models[0]), str(self.snapshots)))
        host.setParent(workspace)
        opened = Windows(workspace)
        apps = [opened.open() for _ in range(windows)]
        host.happened.connect(self._take)
        workspace.start(settings.values.model or str(self.models[0]))
        host.start()
        return apps

    def close(self) -> None:
        close_app(self.app)

    def _take(self, event: Event) -> None:
        if isinstance(event, TrieChanged | ModelReady | ContextLimited):
            self.pictures += 1
        elif isinstance(event, CostEstimate) and event.query_id >= _FIRST_ID:
            self._answers[event.query_id] = event

    # Waiting

    def until(self, holds: Callable[[], bool]) -> None:
        """Let the program work until something holds."""
        end = time.monotonic() + PATIENCE
        waker = QTimer(interval=20)
        waker.start()
        while not holds():
            QCoreApplication.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents)
            if time.monotonic() > end:
                raise AssertionError(f"after {self.done[-12:]} the program is busy with {self.busy}")
        waker.stop()

    @property
    def busy(self) -> list[str]:
        """Name what is asked, answered, stored or opened, in all windows."""
        return [name for app in self.windows for name in self._busy_in(app)]

    def _busy_in(self, app: App) -> list[str]:
        chat = app.chat
        model, queries = app.model.current_model, chat.cost_queries
        busy = {
            "model": model.info is None or model.loading is not None,
            "store": bool(app._store._pending),
            "engine": bool(chat.questions.at_engine),
            "saving": bool(chat.questions.unsaved),
            "waiting": bool(chat.questions.waiting),
            "warming": app.edges.warm_ups.now is not None,
            "pinning": app.workspace.cached_branches.pin_keeper._asked is not None,
            "path": chat.branch_costs._path_timer.isActive(),
            "marks": chat.warmth._asked is not None or chat.warmth._asking.isActive(),
            "queries": bool(queries._asked.keys() - {SENDING}),  # which waits for somebody who types
        }
        return [name for name, is_so in busy.items() if is_so]

    def settle(self) -> None:
        """Let the program come to rest, with the marks known that somebody looks at."""

        def is_known() -> bool:
            if self.busy:
                return False
            for app in self.windows:
                self.app = app
                self.told()
            return not self.busy

        self.until(is_known)

    # Marks

    def marks(self) -> Iterator[tuple[Mark, MessageTree]]:
        """Yield the branches that have a mark: of the open conversation, and where each other one was left.

        Among them are those that commands go on from, whose price their menu entries tell.
        """
        tree = self.app.library.tree
        for run in tree.runs().values():
            yield (tree.conversation_id, run.last_id), tree
        for branch in map(self.app.chat.prices.branch, PRICED):
            if branch is not None:
                yield (branch.conversation_id, branch.message_id), tree
        for one in self.app.library.library.conversations:
            found = self.app.chat.warmth._tree_of(one.id)
            if found is not None and len(found):
                yield (one.id, ""), found

    def told(self) -> dict[Mark, Warmth]:
        """Return what the program says of each branch."""
        warmth = self.app.chat.warmth
        told = {mark: warmth.warmth_of(mark[1], mark[0]) for mark, _ in self.marks()}
        return {mark: replace(found, seconds=None) for mark, found in told.items() if found is not None}

    def true(self) -> dict[Mark, Warmth]:
        """Return what the engine says of each of them, asked by the way."""
        asked: dict[Mark, tuple[int, int]] = {}
        model = self.app.model.current_model
        for mark, tree in self.marks():
            last_id = mark[1] or tree.leaf_id
            path = list(tree.path_to(last_id)) if last_id else []
            while path and not path[-1].text.strip():
                path.pop()
            if path:
                asked[mark] = next(self._ids), tree.depth(tree.run_of(last_id).first_id) if mark[1] else 0
                branch = Branch(tuple(path), model.fingerprint)
                self.host.submit(EstimateCost(asked[mark][0], branch, branch.options))
        self.until(lambda: all(number in self._answers for number, _ in asked.values()))
        assert model.info is not None
        context = model.info.context_length
        found = {mark: warmth_from(self._answers[number], first, context) for mark, (number, first) in asked.items()}
        self._answers.clear()
        return {mark: replace(warmth, seconds=None) for mark, warmth in found.items()}

    def compare(self) -> int:
        """Compare all marks with the engine's answers, again where a file was written meanwhile. Return how many."""
        return sum(self._compare_in(app) for app in self.windows)

    def _compare_in(self, app: App) -> int:
        while True:
            self.settle()
            self.app = app
            before, told = self.pictures, _plain(self.told())
            true = _plain(self.true())
            if told == true:
                return len(true)
            self.settle()
            self.app = app
            if self.pictures == before:
                wrong = {mark: (told.get(mark), true.get(mark)) for mark in told | true}
                wrong = {mark: pair for mark, pair in wrong.items() if pair[0] != pair[1]}
                raise AssertionError(f"after {self.done[-6:]}: told, true: {wrong}")

    def compare_pins(self) -> None:
        """Compare what the engine has pinned with the messages that are pinned in the database: no other is kept."""
        stored: list[tuple[tuple[Message, ...], ...]] = []
        self.app._store.do(lambda store: store.messages.pinned_paths(), stored.append)
        self.until(lambda: bool(stored))
        engine = self.host._threads[self.host._in_use]._engine
        kept = set(getattr(engine, "open_model").pinned)  # noqa: B009 - of any engine, which others have not
        left = kept - {path[-1].id for path in stored[0]}
        assert not left, f"after {self.done[-6:]}: nobody can let go of {left}"
        assert kept or not any(node.is_pinned for node in self.app.cache.view.nodes), self.done[-6:]

    # Events

    def act(self) -> None:
        """Do something by chance."""
        usual = [self.ask, self.ask, self.fork, self.fork, self.edit_answer, self.stop, self.turn, self.turn]
        seldom = [self.delete, self.undo, self.redo, self.switch, self.warm_up, self.evict, self.pin, self.unpin]
        rare = [
            self.squeeze,
            self.budget,
            self.instruct,
            self.begin,
            self.trash,
            self.restore,
            self.bring_in,
            self.limit,
            self.forget,
        ]
        rarest = [self.damage, self.other_model, self.restart]
        action = self.random.choice(usual * 3 + seldom * 2 + rare + (rarest if self.random.random() < 0.4 else []))
        self.app = self.random.choice(self.windows)
        self.done.append(action.__name__)
        action()

    def _words(self) -> str:
        return " ".join(self.random.choices(WORDS, k=self.random.choice([2, 5, 11, MOST_WORDS])))

    def _some(self, role: str = "") -> Message | None:
        tree = self.app.library.tree
        messages = [message for message in tree.path if role in ("", message.role)]
        return self.random.choice(messages) if messages else None

    def _say(self, words: str, tokens: int) -> None:
        if len(self.app.library.tree) > MOST_MESSAGES:
            self.app.library.new_conversation()
        self.app.chat.settings.type("max_tokens", str(tokens))
        self.app.chat.open_draft.write(words)
        self.app.chat.requests.send(words)

    def ask(self) -> None:
        self._say(self._words(), self.random.randrange(1, 6))

    def fork(self) -> None:
        """Edit a question, have an answer written again, or begin a branch after one."""
        message = self._some()
        if message is None or len(self.app.library.tree) > MOST_MESSAGES:
            return
        self.app.chat.settings.type("max_tokens", str(self.random.randrange(1, 6)))
        if message.role == "user":
            self.app.chat.open_draft.begin_edit(message.id)
            self._say(self._words(), 4)
        elif self.random.random() < 0.5:
            self.app.chat.requests.regenerate(message.id)
        else:
            self.app.chat.open_draft.begin_after(message.id)
            self._say(self._words(), 4)

    def edit_answer(self) -> None:
        answer = self._some("assistant")
        if answer is not None and answer.text.strip() and len(self.app.library.tree) <= MOST_MESSAGES:
            self.app.chat.settings.type("max_tokens", "3")
            self.app.chat.open_draft.edit_answer(answer.id)
            self.app.chat.requests.go_on_from(answer.text[: self.random.randrange(1, 9)] + self._words())

    def stop(self) -> None:
        """Stop an answer at once, or when some of it was written."""
        self._say(self._words(), 60)
        for _ in range(self.random.randrange(0, 40)):
            QCoreApplication.processEvents()
        self.app.chat.requests.stop()

    def turn(self) -> None:
        """Show another branch."""
        tree = self.app.library.tree
        if len(tree):
            self.app.chat.open_branch.show(self.random.choice([run.last_id for run in tree.runs().values()]))

    def delete(self) -> None:
        message = self._some()
        if message is not None and not self.app.chat.open_branch.is_busy:
            self.app.library.edits.delete_message(self.app.library.open_id, message.id)

    def undo(self) -> None:
        self.app.act("undo")

    def redo(self) -> None:
        self.app.act("redo")

    def switch(self) -> None:
        listed = self.app.library.library.conversations
        if listed:
            self.app.library.open(self.random.choice(listed).id)

    def begin(self) -> None:
        listed = self.app.library.library.conversations
        if len(listed) < MOST_CONVERSATIONS:
            self.app.library.new_conversation()
        else:
            self.app.library.edits.delete_conversation(listed[-1].id)

    def _branch(self) -> tuple[Message, ...]:
        tree = self.app.library.tree
        ends = [run.last_id for run in tree.runs().values()]
        return tree.path_to(self.random.choice(ends)) if ends else ()

    def warm_up(self) -> None:
        self.app.edges.warm_up(self._branch())
        if self.random.random() < 0.3:
            self.app.edges.warm_ups.stop()

    def evict(self) -> None:
        nodes = self.app.cache.view.nodes
        if nodes:
            self.app.edges.wake()
            self.app.edges.choose(self.random.choice(nodes).id)
            self.app.edges.evict_row()

    def pin(self) -> None:
        self.app.edges.pin(self._branch(), True)

    def unpin(self) -> None:
        self.app.edges.pin(self._branch(), False)

    def squeeze(self) -> None:
        """Have the system short of memory, and no longer."""
        self.app.cache.take_memory_pressure(self.random.choice([2, 4]))
        self.app.cache.take_memory_pressure(1)

    def forget(self) -> None:
        """Have the cache forget what only this conversation used: its words stay, and so does what is pinned of it."""
        self.app.act("forget_cache")

    def budget(self) -> None:
        self.app.settings.update(budget=self.random.choice(["none", "default", "default"]))

    def instruct(self) -> None:
        self.app.chat.settings.instruct(self.random.choice(["", "Be brief.", "Say it to a dog."]))
        self.ask()

    def trash(self) -> None:
        listed = self.app.library.library.conversations
        if len(listed) > 1:
            self.app.library.edits.delete_conversation(self.random.choice(listed).id)
        if self.random.random() < 0.2:
            self.app.library.trash_list.empty()

    def restore(self) -> None:
        trash = self.app.library.trash_list
        trash.read()
        self.until(lambda: not self.app._store._pending)
        if trash.rows.rows:
            trash.restore(self.random.choice(trash.rows.rows).id)

    def bring_in(self) -> None:
        """Import a conversation, some of which this model may have read."""
        path = self.folder / "talk.espalier"
        path.write_text(json.dumps(self._document()), encoding="utf-8")
        self.app.library.import_file(str(path))
        self.until(lambda: not self.app._store._pending)

    def _document(self) -> dict[str, object]:
        said: list[dict[str, object]] = []
        for number in range(self.random.randrange(1, 6)):
            parent = said[-1]["id"] if said else None
            role = "assistant" if number % 2 else "user"
            words = "the fox" if self.random.random() < 0.5 else self._words()
            said.append({"id": new_id(), "parent": parent, "role": role, "text": words, "created": 1_790_000_000})
        document = {"format": "espalier conversation", "version": 1, "id": new_id(), "title": "Talk"}
        times = {"created": 1_790_000_000, "updated": 1_790_000_000, "favourite": False, "folder": None}
        return {**document, **times, "selected": said[-1]["id"], "messages": said}

    def damage(self) -> None:
        """Have a disk spoil a file."""
        files = sorted(self.snapshots.rglob("*.safetensors"))
        if files:
            with suppress(OSError):  # the engine deletes files too
                self.random.choice(files).write_bytes(b"spoilt")

    def other_model(self) -> None:
        self.app.model.open(str(self.random.choice(self.models)))

    def limit(self) -> None:
        path = self.app.model.current_model.path
        self.app.model.limit_context(path, self.random.choice(["", "", SHORT_CONTEXT]))

    def restart(self) -> None:
        self.settle()
        self.close()
        self.windows = self._start(len(self.windows))
        self.app = self.windows[0]


def _plain(told: dict[Mark, Warmth]) -> dict[Mark, Warmth]:
    """Leave out why nothing is computed twice, which nobody is told."""
    return {
        one: warmth if warmth.is_recomputed else replace(warmth, reason=Reason.NONE) for one, warmth in told.items()
    }
