"""Conversations as files: out to one that the person chose, in from one that was chosen, dropped or opened."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from PySide6.QtCore import QObject, Qt, Signal

from app.conversation.edit import Edit, join_edits
from app.conversation.edit_result import EditResult
from app.conversation.exporting import Export
from app.conversation.faults import StoreError, unexpected
from app.conversation.matching import Match
from app.conversation.records import Document, Folder
from app.conversation.staging import Stage, StagedDocument
from app.conversation.store import Store
from app.exchange import ExchangeError, FileImport, file_name, path_in_pieces, save, save_all, tree_in_pieces, written
from app.protocol.dataclass import dataclass
from app.protocol.reports import Problem
from app.viewmodels.kit.notices import Notices
from app.viewmodels.kit.store_link import StoreLink
from app.viewmodels.library.changes import Changes
from app.viewmodels.library.form import Form
from app.viewmodels.library.library import Library
from app.viewmodels.text import formatting

T = TypeVar("T")
Opened = Callable[[str], object]
_NOT_WRITTEN = Problem(
    "A file was not written", "It took too long when Espalier quit. Export it again; the conversations are safe."
)
PATIENCE = 0.4  # seconds until it is told that a file is being read or written
TELL = 0.2  # seconds between two figures
PARTING, GIVING_UP = 10.0, 1.0  # seconds that the end of the program waits for a file, and for it to be given up
WORK, PAUSE = 0.008, 0.002  # seconds of work, and of rest for the window's thread: both need the interpreter


_WRITERS: dict[Form, Callable[[Document], Iterator[str]]] = {
    Form.ESPALIER: written,
    Form.BRANCH: path_in_pieces,
    Form.TREE: tree_in_pieces,
}


class CancelledError(Exception):
    """The person wanted no more of it, or the program ends."""


class Work:
    """A file that is being read or written on the thread for files.

    It rests a little every few milliseconds, and tells how far it is.
    """

    def __init__(self, sentence: str, tell: Callable[[str], None]) -> None:
        """sentence: what is being done; tell: hears it with a figure, on the thread for files."""
        self._sentence = sentence
        self._tell = tell
        self._is_cancelled = threading.Event()
        self._share = 0.0
        self._told = time.monotonic() + PATIENCE - TELL
        self._rested = time.monotonic()

    def cancel(self) -> None:
        """End it soon; from any thread."""
        self._is_cancelled.set()

    def go_on(self, share: float | None = None) -> None:
        """Called often. share: how much is done, from 0 to 1, None where that is unknown. Raises CancelledError."""
        if self._is_cancelled.is_set():
            raise CancelledError
        now = time.monotonic()
        if now - self._rested >= WORK:
            time.sleep(PAUSE)
            self._rested = time.monotonic()
        self._share = max(self._share, share or 0.0)
        if now - self._told >= TELL:
            self._told = now
            figure = f" {int(100 * self._share)}\u00a0%" if self._share else ""
            self._tell(f"{self._sentence}{figure}")


class ImportExport(QObject):
    """Reads and writes files on a thread of its own, so that neither the window nor an answer being saved waits.

    Properties: a file is imported whole or not at all, and that is one step of undo; what is wrong with a file changes
    nothing. The database is asked in small steps, between which others have their turn. A file is read when what came
    before it is in the database, and can be recognised.

    Attributes: is_stuck, a file was neither finished nor given up at the end of the program; lost, what to tell of one
    that was to be written.
    """

    _came = Signal(object)
    _told = Signal(str)

    def __init__(
        self,
        store: StoreLink,
        changes: Changes,
        notices: Notices,
        library: Library,
        when_saved: Callable[[Callable[[], None]], None],
        parent: QObject | None = None,
    ) -> None:
        """when_saved: do something once every answer that has ended is in the database."""
        super().__init__(parent)
        self._store = store
        self._changes = changes
        self._notices = notices
        self._library = library
        self._when_saved = when_saved
        self._patience = PARTING
        self.is_stuck = False
        self.lost: Problem | None = None
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="exchange")
        self._waiting: dict[Future[Any], tuple[Work, Callable[[Any], None]]] = {}
        self._imports: list[Work] = []
        self._is_importing = False
        self._later: deque[Callable[[], None]] = deque()  # imports that wait for the one under way
        self._came.connect(self._take, Qt.ConnectionType.QueuedConnection)
        self._told.connect(self._show, Qt.ConnectionType.QueuedConnection)

    def close(self) -> None:
        """Finish what is being written; what is being read comes in no more. Nothing is told any more.

        A file that is not whole in time is given up, and a disk that hangs is left to the system.
        """
        self._later.clear()
        for work in self._imports:
            work.cancel()
        waiting, self._waiting = self._waiting, {}
        if wait(waiting, 0.0 if self._store.is_stuck else self._patience).not_done:
            for work, _ in waiting.values():
                work.cancel()
                self.lost = self.lost if work in self._imports else _NOT_WRITTEN
            self.is_stuck = bool(wait(waiting, GIVING_UP).not_done)
        self._thread.shutdown(wait=not self.is_stuck)

    def cancel(self) -> None:
        """Give up the files that are being read and written, and those that wait to be read."""
        self._later.clear()
        for work, _ in self._waiting.values():
            work.cancel()

    def suggested_name(self, conversation_id: str, form: Form) -> str:
        """Return a name for the file, from the conversation's title."""
        found = self._library.conversation(conversation_id)
        return file_name(found.title if found else None, form.suffix)

    def export(self, conversation_id: str, form: Form, path: str) -> None:
        """Write a conversation to a file, in place of what is there."""
        target = Path(path)
        work = Work(f"Writing {target.name}…", self._told.emit)

        def put() -> None:
            self._do(
                work,
                lambda: _write(self._store, conversation_id, form, target, work),
                lambda _done: self._notices.info(f"Saved as {target.name}."),
            )

        self._when_saved(put)

    def export_all(self, path: str, conversation_ids: Sequence[str] | None = None) -> None:
        """Write conversations to one archive, in place of what is there; None for every one."""
        target = Path(path)
        work = Work(f"Writing {target.name}…", self._told.emit)

        def tell(count: int) -> None:
            self._notices.info(f"{formatting.plural(count, 'conversation')} saved as {target.name}.")

        self._when_saved(lambda: self._do(work, lambda: _write_all(self._store, conversation_ids, target, work), tell))

    def import_file(
        self,
        path: str,
        opener: Callable[[], Opened] = lambda: lambda _id: None,
        *,
        copies: bool = False,
        only: Collection[int] | None = None,
    ) -> None:
        """Keep every conversation of a file.

        opener: is called now; what it returns is called with the first of them, once they are here. copies: also of
        those that are here already, which are left out otherwise, and told. only: of these conversations, by their
        numbers in the file, from 0.
        """
        target, opened = Path(path), opener()

        def copy(left_out: Collection[int]) -> None:
            self.import_file(path, opener, copies=True, only=left_out)

        def begin() -> None:
            self._is_importing = True
            work = Work(f"Reading {target.name}…", self._told.emit)
            self._imports.append(work)
            wanted = _Wanted(target, copies, only)
            self._do(work, _Import(self._store, wanted, work).run, partial(self._publish, opened, copy), self._go_on)

        self._later.append(begin)
        if not self._is_importing:
            self._go_on()

    def _go_on(self) -> None:
        """Begin with the next file that waits to be read, once the database has what the last one brought."""
        self._is_importing = False
        if self._later:
            self._later.popleft()()

    def _publish(self, opened: Opened, copy: Callable[[Collection[int]], None], came: _Came) -> None:
        """Show what a file has brought, as one step of undo, and say so."""

        def take(result: EditResult) -> None:
            first = result.edit.conversation_id
            if first is not None and not result.is_gone:
                opened(first)
            self._tell_of(came, copy)

        def give_up(problem: Problem) -> None:
            self._store.do(lambda store: store.imports.unstage(came.stage))
            self._notices.error(problem)

        if not came.stage.is_empty:
            self._changes.make(lambda store: _published(store, came), take, give_up)
        elif came.known:
            self._tell_of(came, copy)
        else:
            self._notices.error(Problem("Nothing was imported", " ".join(came.problems)))

    def _tell_of(self, came: _Came, copy: Callable[[Collection[int]], None]) -> None:
        """Tell of what was imported, restored and here already, and offer to have twice what was left out."""
        sentence = " ".join([*came.sentences, *came.problems])
        if came.left_out:
            self._notices.warn(sentence, "Import Copies", lambda: copy(came.left_out))
        else:
            self._notices.info(sentence, undo_step=self._changes.step)

    def _do(
        self,
        work: Work,
        run: Callable[[], T],
        then: Callable[[T], None],
        ended: Callable[[], None] | None = None,
    ) -> None:
        """Run this on the thread for files, and come back with its result.

        ended: is called in any case, after what `then` has asked of the database is done.
        """

        def take(future: Future[T]) -> None:
            answer(future)
            if ended is not None:
                self._store.do(lambda _store: None, lambda _none: ended(), lambda _problem: ended())

        def answer(future: Future[T]) -> None:
            error = future.exception()
            if error is None:
                then(future.result())
            elif isinstance(error, CancelledError):
                self._notices.info("Cancelled. Nothing was changed.")
            elif isinstance(error, ExchangeError | StoreError):
                self._notices.error(error.problem)
            else:
                self._notices.error(unexpected(error))

        future = self._thread.submit(run)
        self._waiting[future] = work, take
        future.add_done_callback(self._came.emit)

    def _take(self, future: Future[Any]) -> None:
        if future not in self._waiting:
            return
        work, take = self._waiting.pop(future)
        if work in self._imports:
            self._imports.remove(work)
        self._notices.show_progress("", self.cancel)
        take(future)

    def _show(self, sentence: str) -> None:
        if self._waiting:
            self._notices.show_progress(sentence, self.cancel)


@dataclass(frozen=True, slots=True)
class _Wanted:
    """An import that was asked for; everything as of `import_file`."""

    target: Path
    copies: bool
    only: Collection[int] | None


@dataclass(frozen=True, slots=True)
class _Came:
    """Content that a file has brought into the database, not to be seen yet; problems: sentences about it.

    known: how many conversations are here already, and were not in the trash. left_out: the numbers in the file of
    those of which a copy would bring something. missing: how many messages of the file are not here all the same.
    folders: that the file tells of; homes: the folder of each conversation that lies in one, by their ids.
    """

    stage: Stage
    problems: tuple[str, ...]
    known: int
    left_out: frozenset[int]
    missing: int
    folders: tuple[Folder, ...]
    homes: Mapping[str, str]

    @property
    def sentences(self) -> Iterator[str]:
        """Say what became of the conversations of the file."""
        begun, stage = len(self.stage.begun), self.stage
        if begun:
            yield f"{formatting.plural(begun, 'conversation')} {'was' if begun == 1 else 'were'} imported."
        elif stage.is_empty:
            yield "Nothing was imported."
        restored = ((len(stage.hidden_conversations), "conversation"), (len(stage.hidden_messages), "message"))
        if counts := [formatting.plural(count, what) for count, what in restored if count]:
            yield f"Restored from the trash: {', '.join(counts)}."
        if self.known:
            yield f"Already here: {formatting.plural(self.known, 'conversation')}."
        if self.missing:
            yield f"In the file and not here: {formatting.plural(self.missing, 'message')}."


def _published(store: Store, came: _Came) -> Edit:
    """Show what was imported, filed as it was: in the folders of the same id or name, or in new ones."""
    edits = [store.imports.publish(came.stage)]
    here = store.folders.all()
    by_id, by_name = {one.id: one.id for one in here}, {one.name: one.id for one in reversed(here)}
    homes: dict[str, str] = {}
    for folder in came.folders:
        home = by_id.get(folder.id) or by_name.get(folder.name)
        if home is None:
            new = Folder.new(folder.name)
            home = by_name[folder.name] = new.id
            edits.append(store.folders.create(new))
        homes[folder.id] = home
    for one, home in came.homes.items():
        if home in homes and store.conversations.get(one).folder_id is None:
            edits.append(store.conversations.move(one, homes[home]))
    return join_edits(*edits)


class _Import:
    """A file on its way into the database, by small steps, on the thread for files."""

    def __init__(self, store: StoreLink, wanted: _Wanted, work: Work) -> None:
        self._store, self._wanted, self._work = store, wanted, work
        self._stage = Stage()
        self._problems: list[str] = []
        self._homes: dict[str, str] = {}
        self._left_out: set[int] = set()
        self._known = self._missing = 0
        self._read = 0.0

    def run(self) -> _Came:
        """Bring all conversations that are wanted; what was brought is given up where that fails."""
        source, only = FileImport(self._wanted.target, self._watch), self._wanted.only
        try:
            for number, document in enumerate(source):
                if only is None or number in only:
                    self._bring(number, document)
        except BaseException:
            with suppress(RuntimeError):  # the database was closed: the next start takes it out
                self._store.call(lambda store: store.imports.unstage(self._stage))
            raise
        return _Came(
            self._stage,
            problems=(*source.notes.sentences, *self._problems),
            known=self._known,
            left_out=frozenset(self._left_out),
            missing=self._missing,
            folders=source.folders,
            homes=self._homes,
        )

    def _watch(self, share: float) -> None:
        self._read = share
        self._work.go_on(share / 2)

    def _bring(self, number: int, document: Document) -> None:
        """Bring a conversation, or find what of it is here already."""
        match = None if self._wanted.copies else self._matched(document)
        if match is not None:
            self._known += not match.is_hidden
            self._missing += match.missing
            if match.missing or not match.is_hidden:
                self._left_out.add(number)
            if match.is_hidden:
                self._file(match.id, document)
            return
        try:
            coming = StagedDocument(document)
        except ValueError as error:
            self._problems.append(f"A conversation that contradicts itself was left out: {error}.")
            return
        while self._store.call(lambda store: store.imports.stage(self._stage, coming)):
            self._work.go_on(self._read / 2 * (1 + coming.share))
        if coming.begun is not None:
            self._file(coming.begun.id, document)

    def _matched(self, document: Document) -> Match | None:
        """Compare a document with what is here of it already; None where nothing is."""
        match = self._store.call(lambda store: store.imports.match(self._stage, document))
        while match is not None and self._store.call(partial(_compared, self._stage, match)):
            self._work.go_on()
        return match

    def _file(self, conversation_id: str, document: Document) -> None:
        """Note the folder that the file tells for a conversation."""
        if document.conversation.folder_id is not None:
            self._homes[conversation_id] = document.conversation.folder_id


def _compared(stage: Stage, match: Match, store: Store) -> bool:
    return store.imports.compare(stage, match)


def _write(store: StoreLink, conversation_id: str, form: Form, target: Path, work: Work) -> None:
    """Read a conversation by small steps and write it, on the thread for files."""
    document = _read(store, conversation_id, work)
    count = max(1, len(document.messages))

    def pieces() -> Iterator[str]:
        for number, piece in enumerate(_WRITERS[form](document)):
            work.go_on(min(1.0, number / count))
            yield piece

    save(target, pieces())


def _write_all(store: StoreLink, chosen: Sequence[str] | None, target: Path, work: Work) -> int:
    """Read conversations by small steps and write each as it is read, on the thread for files; returns how many."""
    conversations, folders = store.call(lambda known: (known.conversations.all(), known.folders.all()))
    wanted = None if chosen is None else frozenset(chosen)
    written = [one for one in conversations if wanted is None or one.id in wanted]
    ids, homes = [one.id for one in written], {one.folder_id for one in written}

    def documents() -> Iterator[Document]:
        for number, one in enumerate(ids):
            work.go_on(number / len(ids))
            try:
                document = _read(store, one, work)
            except LookupError:  # deleted for ever meanwhile
                continue
            yield document

    return save_all(target, [one for one in folders if wanted is None or one.id in homes], documents())


def _read(store: StoreLink, conversation_id: str, work: Work) -> Document:
    """Read a conversation by small steps."""
    export = Export(conversation_id)
    while store.call(lambda known: known.exports.read_some(export)):
        work.go_on()
    return store.call(lambda known: known.exports.document(export))
