"""A store against an oracle that knows neither SQL nor edits, over random histories with restarts and crashes."""

from __future__ import annotations

import copy
import random
import shutil
from pathlib import Path

from app.conversation.edit import Edit
from app.conversation.message import Conversation, Message, new_id
from app.conversation.records import Folder
from app.conversation.store import Store
from tests.conversation.builders import words
from tests.conversation.oracle import Entry, State, compare
from tests.seeds import each_seed

STEPS = 250


class History:
    """The same things done to a store and to its oracle."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.rng = random.Random(seed)
        self.place = folder
        self.count = 0
        self.store = self.opened()
        self.state = State()
        self.done: list[tuple[Edit, State]] = []
        self.undone: list[tuple[Edit, State]] = []

    def step(self) -> str:
        seen = self.state.seen_conversations()
        usual = [
            *(["ask"] * 8 + ["answer"] * 6 + ["select"] * 2 + ["delete"] * 3 + ["undo"] * 6 + ["redo"] * 3),
            *(["prune", "delete_conversation", "rename", "mark", "marks", "marks", "move", "restore", "restore"]),
            *(["folder", "rename_folder", "delete_folder", "reopen", "crash"]),
            *(["empty"] if self.rng.random() < 0.2 else []),
        ]
        name = self.rng.choice(usual) if seen else "create"
        if self.rng.random() < 0.04:
            name = "create"
        getattr(self, name)(*([self.rng.choice(seen)] if seen and name in NEED else []))
        return name

    def record(self, edit: Edit, before: State) -> None:
        if not edit.is_empty:
            self.done.append((edit, before))
            self.undone.clear()

    def any_message(self, conversation: str) -> str | None:
        shown = self.state.shown(conversation)
        return self.rng.choice([None, *shown]) if self.rng.random() < 0.3 else (shown[-1] if shown else None)

    def create(self) -> None:
        before, one = copy.deepcopy(self.state), Conversation.new()
        self.state.conversations[one.id] = {"title": None, "folder": None, "favourite": False}
        self.state.leaves[one.id] = None
        self.state.use(one.id)
        self.record(self.store.conversations.create(one), before)

    def ask(self, conversation: str) -> None:
        before, select = copy.deepcopy(self.state), self.rng.random() < 0.8
        message = Message.new(conversation, self.any_message(conversation), "user", words(self.rng, 3))
        self.state.add(message, select)
        self.record(self.store.messages.add(message, select), before)

    def answer(self, conversation: str) -> None:
        before, pieces = copy.deepcopy(self.state), [words(self.rng, 4) for _ in range(self.rng.randint(0, 3))]
        message = Message.new(conversation, self.any_message(conversation), "assistant")
        edit = self.store.messages.add(message, False)
        for piece in pieces[:-1]:
            self.store.messages.append_text(message.id, piece)
        self.store.messages.finish(message.id, stop="finished", text="".join(pieces[-1:]), ids=range(5))
        whole = Message(*(message.id, conversation, message.parent_id, "assistant", "".join(pieces), 0.0), stop="x")
        self.state.add(whole, False)
        self.record(edit, before)
        self.forget()  # its end is no step, but has used the conversation

    def select(self, conversation: str) -> None:
        leaf = self.rng.choice([None, *self.state.shown(conversation)])
        self.state.select(conversation, leaf)
        self.store.messages.select_path(conversation, leaf)
        self.forget()

    def delete(self, conversation: str) -> None:
        shown = self.state.shown(conversation)
        if shown:
            before, message = copy.deepcopy(self.state), self.rng.choice(shown)
            self.state.hide_messages(conversation, [message], "delete")
            self.record(self.store.trash.delete_message(message), before)

    def prune(self, conversation: str) -> None:
        before = copy.deepcopy(self.state)
        end = self.rng.choice([None, *self.state.shown(conversation)])
        self.state.prune(conversation, end)
        ends = () if end is None else (new_id(), end)
        self.record(self.store.trash.prune(conversation, *ends), before)

    def delete_conversation(self, conversation: str) -> None:
        before = copy.deepcopy(self.state)
        self.state.trash.append(Entry("delete", conversations={conversation}))
        self.record(self.store.trash.delete_conversation(conversation), before)

    def rename(self, conversation: str) -> None:
        before, title = copy.deepcopy(self.state), words(self.rng, 2)
        self.state.conversations[conversation]["title"] = title
        self.record(self.store.conversations.rename(conversation, title), before)

    def mark(self, conversation: str) -> None:
        before, is_on = copy.deepcopy(self.state), self.rng.random() < 0.6
        self.state.conversations[conversation]["favourite"] = is_on
        self.record(self.store.conversations.mark_favourite(conversation, is_on), before)

    def marks(self, conversation: str) -> None:
        shown = self.state.shown(conversation)
        if not shown:
            return
        before, message, is_on = copy.deepcopy(self.state), self.rng.choice(shown), self.rng.random() < 0.6
        which, name = self.rng.choice(["pinned", "favourite", "name"]), words(self.rng, 2) if is_on else None
        self.state.marks[message][which] = name if which == "name" else is_on
        if which == "name":
            edit = self.store.messages.name_branch(message, name)
        else:
            edit = (self.store.messages.pin if which == "pinned" else self.store.messages.mark_favourite)(
                message, is_on
            )
        self.record(edit, before)

    def folder(self) -> None:
        before, one = copy.deepcopy(self.state), Folder.new(words(self.rng, 2))
        seen = self.state.seen_folders()
        self.state.positions[one.id] = max((self.state.positions[it] for it in seen), default=-1) + 1
        self.state.folders[one.id] = one.name
        self.record(self.store.folders.create(one), before)

    def rename_folder(self) -> None:
        for one in self.some_folder():
            before, name = copy.deepcopy(self.state), words(self.rng, 2)
            self.state.folders[one] = name
            self.record(self.store.folders.rename(one, name), before)

    def delete_folder(self) -> None:
        for one in self.some_folder():
            before = copy.deepcopy(self.state)
            self.state.delete_folder(one)
            self.record(self.store.trash.delete_folder(one), before)

    def some_folder(self) -> list[str]:
        seen = self.state.seen_folders()
        return [self.rng.choice(seen)] if seen else []

    def move(self, conversation: str) -> None:
        before, folder = copy.deepcopy(self.state), self.rng.choice([None, *self.state.seen_folders()])
        self.state.conversations[conversation]["folder"] = folder
        self.record(self.store.conversations.move(conversation, folder), before)

    def restore(self) -> None:
        if self.state.trash:
            before, place = copy.deepcopy(self.state), self.rng.randrange(len(self.state.trash))
            number = tuple(reversed(self.store.trash.entries()))[place].number
            self.state.restore(place)
            self.record(self.store.trash.restore(number), before)

    def undo(self) -> None:
        self.turn(self.done, self.undone)

    def redo(self) -> None:
        self.turn(self.undone, self.done)

    def turn(self, steps: list[tuple[Edit, State]], others: list[tuple[Edit, State]]) -> None:
        if steps:
            (edit, then), now = steps.pop(), self.state
            others.append((self.store.trash.revert(edit), now))
            self.state = now.undone_to(then, str(edit.operation))

    def forget(self) -> None:
        self.done.clear()
        self.undone.clear()

    def empty(self) -> None:
        before = len(self.state.messages)
        self.state.empty()
        assert self.store.empty_trash() == before - len(self.state.messages)
        self.forget()

    def reopen(self) -> None:
        self.store.close()
        self.store = self.opened()

    def crash(self) -> None:
        """What a killed process leaves: the files as they are, with the journal."""
        old, left = self.store, self.path
        self.count += 1
        for suffix in ("", "-wal"):
            if Path(f"{left}{suffix}").exists():
                shutil.copyfile(f"{left}{suffix}", f"{self.path}{suffix}")
        old.close()
        self.store = self.opened()
        assert self.store.notice is None

    def opened(self) -> Store:
        store = Store(self.path)
        store.database.connection.execute("PRAGMA synchronous = OFF")  # the process is killed here, and not the machine
        return store

    @property
    def path(self) -> Path:
        return self.place / f"{self.count}.sqlite"


NEED = {"ask", "answer", "select", "delete", "prune", "delete_conversation", "rename", "mark", "marks", "move"}


@each_seed(range(4))
def test_a_store_holds_what_plain_dictionaries_hold(tmp_path: Path, seed: int) -> None:
    history, course = History(tmp_path, seed), []
    for step in range(STEPS):
        course.append(history.step())
        compare(history.store, history.state, f"seed {seed}, step {step}: {' '.join(course[-12:])}")
    history.store.close()
    assert {"undo", "redo", "restore", "prune", "crash", "reopen"} <= set(course)
