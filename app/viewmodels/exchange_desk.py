"""Conversations as files: out to one that the person chose, in from one that was chosen, dropped or opened."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from PySide6.QtCore import QObject, Qt, QTimer, Signal

from app.conversation.edit import Edit, Operation, condensed
from app.conversation.records import Document
from app.conversation.store import Store
from app.exchange import (
    ExchangeError,
    Imported,
    file_name,
    markdown_of_path,
    markdown_of_tree,
    read_file,
    save,
    write,
)
from app.protocol.reports import Problem
from app.viewmodels import words
from app.viewmodels.changes import Changes, Picture
from app.viewmodels.library import Library
from app.viewmodels.runs import Runs
from app.viewmodels.store_link import StoreLink

T = TypeVar("T")
PATIENCE_MS = 400


class Form(StrEnum):
    """What a conversation can be written as."""

    ESPALIER = "espalier"
    BRANCH = "branch"
    TREE = "tree"

    @property
    def suffix(self) -> str:
        """The end of such a file's name."""
        return ".espalier" if self is Form.ESPALIER else ".md"


_WRITERS: dict[Form, Callable[[Document], str]] = {
    Form.ESPALIER: write,
    Form.BRANCH: markdown_of_path,
    Form.TREE: markdown_of_tree,
}


class ExchangeDesk(QObject):
    """Reads and writes files on a thread of its own, so that neither the window nor an answer being saved waits.

    Properties: a file is imported whole or, where the database refuses in the middle, up to there, and that is one
    step of undo; what is wrong with a file changes nothing.

    Signals: opened(str) this conversation came first in an imported file; said(str, int) a sentence for the banner, and
    the step that its Undo takes back or 0; refused(object), a `Problem`.
    """

    opened = Signal(str)
    said = Signal(str, int)
    refused = Signal(object)
    _came = Signal(object)

    def __init__(
        self, store: StoreLink, changes: Changes, library: Library, runs: Runs, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._store = store
        self._changes = changes
        self._library = library
        self._runs = runs
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="exchange")
        self._waiting: dict[Future[Any], Callable[[Any], None]] = {}
        self._came.connect(self._take, Qt.ConnectionType.QueuedConnection)

    def close(self) -> None:
        """Finish the files in hand. Nothing is told any more."""
        self._waiting.clear()
        self._thread.shutdown(wait=True)

    def suggested_name(self, conversation_id: str, form: Form) -> str:
        """A name for the file, from the conversation's title."""
        found = self._library.conversation(conversation_id)
        return file_name(found.title if found else None, form.suffix)

    def export(self, conversation_id: str, form: Form, path: str) -> None:
        """Write a conversation to a file, in place of what is there."""
        target = Path(path)

        def put(document: Document) -> None:
            self._do(partial(_written, document, form, target), lambda _done: self._tell_saved(target))

        self._runs.when_saved(lambda: self._store.do(lambda store: store.export(conversation_id), put, self._refuse))

    def import_file(self, path: str) -> None:
        """Keep every conversation of a file, and open the first."""
        target = Path(path)
        patience = QTimer(self, singleShot=True)
        patience.timeout.connect(lambda: self.said.emit(f"Reading {target.name}…", 0))
        patience.start(PATIENCE_MS)

        def take(imported: Imported) -> None:
            patience.deleteLater()
            _Import(self, imported).go_on()

        def give_up(problem: Problem) -> None:
            patience.deleteLater()
            self._refuse(problem)

        self._do(lambda: read_file(target), take, give_up)

    def _tell_saved(self, target: Path) -> None:
        self.said.emit(f"Saved as {target.name}.", 0)

    def _refuse(self, problem: Problem) -> None:
        self.refused.emit(problem)

    def _do(
        self, work: Callable[[], T], then: Callable[[T], None], refused: Callable[[Problem], None] | None = None
    ) -> None:
        """Run this on the thread for files, and come back with its result."""

        def take(future: Future[T]) -> None:
            try:
                result = future.result()
            except ExchangeError as error:
                (refused or self._refuse)(error.problem)
            else:
                then(result)

        future = self._thread.submit(work)
        self._waiting[future] = take
        future.add_done_callback(self._came.emit)

    def _take(self, future: Future[Any]) -> None:
        take = self._waiting.pop(future, None)
        if take is not None:
            take(future)

    def keep(self, document: Document, then: Callable[[Edit | str], None], refused: Callable[[Problem], None]) -> None:
        """Hand one conversation to the database, between whatever else it has to do. `then` gets a sentence where the
        conversation contradicts itself."""

        def add(store: Store) -> Edit | str:
            try:
                return store.add_conversation(document)
            except ValueError as error:
                return f"A conversation that contradicts itself was left out: {error}."

        self._store.do(add, then, refused)

    def finish(self, edits: list[Edit], problems: list[str]) -> None:
        """Everything that could be kept is kept: make it one step of undo, and say so."""
        changes = condensed(tuple(change for edit in edits for change in edit.changes))
        ids = tuple(one for edit in edits for one in edit.conversation_ids)

        def take(picture: Picture) -> None:
            first = picture.edit.conversation_id
            if first is not None and not picture.is_gone:
                self.opened.emit(first)
            kept = words.plural(len(edits), "conversation")
            sentence = f"{kept} {'was' if len(edits) == 1 else 'were'} imported."
            self.said.emit(" ".join([sentence, *problems]), self._changes.steps)

        if edits:
            self._changes.make(lambda _store: Edit(Operation.IMPORT, changes, ids), take, self._refuse)
        else:
            self._refuse(Problem("Nothing was imported", " ".join(problems) or "There is no conversation in the file."))


class _Import:
    """The conversations of one file on their way to the database, one after the other."""

    def __init__(self, desk: ExchangeDesk, imported: Imported) -> None:
        self._desk = desk
        self._left = list(imported.documents)
        self._edits: list[Edit] = []
        self._problems = list(imported.notes)

    def go_on(self) -> None:
        """The next one; or the end."""
        if self._left:
            self._desk.keep(self._left.pop(0), self._take, self._stop)
        else:
            self._desk.finish(self._edits, self._problems)

    def _take(self, done: Edit | str) -> None:
        if isinstance(done, Edit):
            self._edits.append(done)
        else:
            self._problems.append(done)
        self.go_on()

    def _stop(self, problem: Problem) -> None:
        """The database takes no more: what it has is kept."""
        self._problems.append(f"{problem.title}. {problem.sentence}")
        self._left.clear()
        self.go_on()


def _written(document: Document, form: Form, target: Path) -> None:
    save(target, _WRITERS[form](document))
