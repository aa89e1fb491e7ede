"""Going somewhere by a few letters of its name: conversations, branches, pinned messages, and commands.

Properties: the best match comes first, of equal ones the one used last; only the newest letters are answered; titles
are listed and compared in slices, so that ten thousand of them keep no frame, and listed once for all letters. Branches
are those that have a name, and of the open conversation all, by their first words. Whatever is found, the last row
looks for the letters in what was said.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from enum import Enum
from itertools import chain, islice

from PySide6.QtCore import QObject, Qt, Signal

from app.conversation.records import MarkedMessage
from app.protocol.dataclass import dataclass
from app.protocol.excerpts import first_words
from app.viewmodels.jump.fuzzy import folded, score
from app.viewmodels.kit.lists import AnyIndex, ListModel
from app.viewmodels.kit.slices import SlicedWork
from app.viewmodels.kit.store_link import StoreLink
from app.viewmodels.library.library_region import LibraryRegion
from app.viewmodels.text import formatting
from app.viewmodels.text.branch_titles import branch_title_in, quoted

MOST = 100  # matches that are listed
_LATELY, _RECENT = 5, 12
_COMPARED = 64  # titles between two looks at the clock
_UNTITLED = "New conversation"
_SEARCH = "find_everywhere"
_SEARCHED = 48  # characters of what is looked for that its row says


class JumpKind(Enum):
    """Kinds of places, as they are said."""

    CONVERSATION = "conversation"
    BRANCH = "branch"
    PIN = "pin"
    COMMAND = "command"
    SEARCH = "words in every branch"


@dataclass(frozen=True, slots=True)
class JumpRow:
    """A place to go to.

    id: of the conversation, message or command; of a search, the words. detail: the conversation that it is in, or the
    keys of a command. is_enabled: whether the command would do something now.
    """

    kind: JumpKind
    id: str
    title: str
    detail: str = ""
    conversation_id: str = ""
    is_enabled: bool = True

    @property
    def spoken(self) -> str:
        """Say it: "Trip plan, conversation", "Send, command, Ctrl+Return, not available"."""
        parts = [self.title, self.kind.value, self.detail, "" if self.is_enabled else "not available"]
        return ", ".join(part for part in parts if part)


class JumpModel(ListModel[JumpRow]):
    """Shows what it was last given."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: Sequence[JumpRow] = ()

    @property
    def rows(self) -> Sequence[JumpRow]:
        """All rows, in order."""
        return self._rows

    def show(self, rows: Sequence[JumpRow]) -> None:
        """Show these in place of the others."""
        self.beginResetModel()
        self._rows = tuple(rows)
        self.endResetModel()

    def text(self, number: int, role: int) -> str | None:
        """Return the title, or the sentence that a screen reader says."""
        row = self._rows[number]
        if role == Qt.ItemDataRole.DisplayRole:
            return row.title
        return row.spoken if role in (Qt.ItemDataRole.AccessibleTextRole, Qt.ItemDataRole.ToolTipRole) else None

    def flags(self, index: AnyIndex) -> Qt.ItemFlag:
        """Keep a command that can do nothing now from being chosen."""
        flags, number = super().flags(index), index.row()
        is_off = 0 <= number < len(self._rows) and not self._rows[number].is_enabled
        return flags & ~Qt.ItemFlag.ItemIsEnabled if is_off else flags


class Jump(QObject):
    """The places that fit what was typed; without anything typed those one was at last.

    Attributes: rows; text. Signals: changed(), other rows are shown; commandAsked(str), carry out this command;
    searchAsked(str), look for these words in all conversations; windowWanted(str), this conversation wants a window of
    its own.
    """

    changed = Signal()
    commandAsked = Signal(str)
    searchAsked = Signal(str)
    windowWanted = Signal(str)

    def __init__(
        self,
        store: StoreLink,
        library: LibraryRegion,
        commands: Callable[[], Sequence[JumpRow]],
        parent: QObject | None = None,
    ) -> None:
        """commands: returns all commands that the engine has a use for."""
        super().__init__(parent)
        self._store, self._library, self._commands = store, library, commands
        self.rows = JumpModel(self)
        self.text = ""
        self._marked: tuple[MarkedMessage, ...] = ()
        self._places: list[tuple[str, JumpRow]] = []  # that are listed so far, each with its folded title
        self._unlisted: Iterator[JumpRow] = iter(())
        self._command_rows: Sequence[JumpRow] = ()
        self._found: list[tuple[int, int, JumpRow]] = []
        self._lately: list[JumpRow] = []
        self._work = SlicedWork(self)
        self._work.done.connect(self._show_found)

    def begin(self) -> None:
        """List anew what there is, and show where one was last."""
        self.text = ""
        self._command_rows = self._commands()
        self._begin_list()
        self._show_recent()
        self._store.do(lambda store: store.messages.marked(), self._take_marked)

    def close(self) -> None:
        """Look for nothing any more."""
        self._work.stop()

    def look_for(self, text: str) -> None:
        """Show what fits these letters."""
        self.text = text.strip()
        if self.text:
            self._work.start(self._steps(folded(self.text)))
        else:
            self._work.stop()
            self._show_recent()

    def settle(self) -> None:
        """Show at once what fits the letters that were typed last, for a key that is about the rows."""
        self._work.finish()

    def go(self, row: JumpRow, *, in_new_window: bool = False) -> None:
        """Go to a place, in a window of its own if wanted, or carry out a command."""
        if not row.is_enabled:
            return
        if row.kind is JumpKind.SEARCH:
            self.searchAsked.emit(row.id)
            return
        self._lately = [row, *(one for one in self._lately if (one.kind, one.id) != (row.kind, row.id))][:_LATELY]
        if row.kind is JumpKind.COMMAND:
            self.commandAsked.emit(row.id)
            return
        is_whole = row.kind is JumpKind.CONVERSATION
        conversation_id, message_id = (row.id, "") if is_whole else (row.conversation_id, row.id)
        if in_new_window:
            self.windowWanted.emit(conversation_id)
        if message_id or not in_new_window:
            self._library.go_to(conversation_id, message_id)

    def _take_marked(self, marked: tuple[MarkedMessage, ...]) -> None:
        self._marked = marked
        self._begin_list()
        if self.text:
            self.look_for(self.text)

    def _begin_list(self) -> None:
        """Have all places listed anew, when they are compared first."""
        self._places = []
        self._unlisted = chain(self._conversations(), self._marks(), self._branches(), self._command_rows)

    def _conversations(self) -> Iterator[JumpRow]:
        for one in self._library.library.conversations:
            if one.title:
                yield JumpRow(JumpKind.CONVERSATION, one.id, one.title)

    def _marks(self) -> Iterator[JumpRow]:
        for marked in self._marked:
            where = marked.title or _UNTITLED
            if marked.name:
                yield JumpRow(JumpKind.BRANCH, marked.message_id, marked.name, where, marked.conversation_id)
            if marked.is_pinned:
                words = formatting.plain_words(marked.words) or where
                yield JumpRow(JumpKind.PIN, marked.message_id, quoted(words), where, marked.conversation_id)

    def _branches(self) -> Iterator[JumpRow]:
        """Yield the branches of the open conversation that have no name but their first words."""
        tree, library = self._library.tree, self._library.library
        runs, home = tree.runs(), library.conversation(tree.conversation_id)
        beginnings = tuple(one for one, run in runs.items() if run.parent_id is None)
        forks = [one for one in (beginnings, *(run.children for run in runs.values())) if len(one) > 1]
        where = home.title if home is not None and home.title else _UNTITLED
        for first in [tree.message(one) for fork in forks for one in fork]:
            if first.text and not first.name:
                title = branch_title_in(tree, first.id)
                yield JumpRow(JumpKind.BRANCH, first.id, title, where, first.conversation_id)

    def _search(self) -> JumpRow:
        keys = next((row.detail for row in self._command_rows if row.id == _SEARCH), "")
        words = quoted(first_words(self.text, _SEARCHED))
        return JumpRow(JumpKind.SEARCH, self.text, f"Search conversations for {words}", keys)

    def _all(self) -> Iterator[tuple[str, JumpRow]]:
        """Yield each place with its folded title: those that are listed, then the others, which are listed with it."""
        yield from self._places
        for row in self._unlisted:
            self._places.append((folded(row.title), row))
            yield self._places[-1]

    def _steps(self, typed: str) -> Iterator[None]:
        """Compare all titles; those that fit are kept with how well they do."""
        self._found = found = []
        for place, (title, row) in enumerate(self._all()):
            fit = score(typed, title)
            if fit is not None:
                found.append((fit if row.is_enabled else fit - len(typed), -place, row))
            if place % _COMPARED == _COMPARED - 1:
                yield

    def _show_found(self) -> None:
        best = sorted(self._found, key=lambda one: one[:2], reverse=True)[:MOST]
        self.rows.show([*(row for _fit, _place, row in best), self._search()])
        self.changed.emit()

    def _show_recent(self) -> None:
        """Show where one went last, then the conversations used last, but for the one that is open."""
        wanted = {(one.kind, one.id) for one in self._lately}
        marks = (row for row in (*self._marks(), *self._command_rows) if (row.kind, row.id) in wanted)
        titles = {one.id: one.title for one in self._library.library.conversations if one.title}
        known = {(row.kind, row.id): row for row in marks}
        for kind, one in wanted:
            if kind is JumpKind.CONVERSATION and one in titles:
                known[kind, one] = JumpRow(kind, one, titles[one])
        lately = [known[key] for one in self._lately if (key := (one.kind, one.id)) in known]
        others = islice((row for row in self._conversations() if row not in lately), _RECENT)
        recent = [row for row in (*lately, *others) if row.id != self._library.open_id]
        self.rows.show(recent[:_RECENT])
        self.changed.emit()
