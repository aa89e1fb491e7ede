"""The conversations and their message trees, as the window holds them, and their way to the database."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace

from PySide6.QtCore import QObject, QTimer, Signal

from app.conversation.edit_result import EditResult
from app.conversation.faults import Fault, store_error
from app.conversation.message import Conversation, Message, new_id, title_from
from app.conversation.records import Folder, ListedBranch
from app.conversation.store import Store
from app.conversation.tree import MessageTree
from app.protocol.reports import Problem
from app.viewmodels.kit.store_link import StoreLink
from app.viewmodels.library.changes import GONE

LET_GO_MS = 2000


class Library(QObject):
    """The conversations there are, and the trees of those that are open.

    The trees are ahead of the database by the requests under way. A conversation begins blank and is stored together
    with its first message.

    Attributes: folders, all of them in their order; branches, those that have a name or are favourites, in theirs.

    Signals: changed() the list differs; failed(object), a `Problem`.
    """

    changed = Signal()
    failed = Signal(object)

    def __init__(self, store: StoreLink, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._store = store
        self.folders: tuple[Folder, ...] = ()
        self.branches: tuple[ListedBranch, ...] = ()
        self._conversations: tuple[Conversation, ...] = ()
        self._unstored: dict[str, Conversation] = {}
        self._trees: dict[str, MessageTree] = {}
        self._left: list[MessageTree] = []
        self._letting_go = QTimer(self, singleShot=True, interval=LET_GO_MS)
        self._letting_go.timeout.connect(self._take_apart)

    @property
    def conversations(self) -> tuple[Conversation, ...]:
        """All conversations, last used first; what is not in the database yet comes before the others."""
        return (*reversed(self._unstored.values()), *self._conversations)

    def conversation(self, conversation_id: str) -> Conversation | None:
        """One of them, or None."""
        return next((found for found in self.conversations if found.id == conversation_id), None)

    def tree(self, conversation_id: str) -> MessageTree:
        """Return the messages of a conversation that has been opened; LookupError for others."""
        return self._trees[conversation_id]

    def tree_of(self, conversation_id: str) -> MessageTree | None:
        """Return the messages of a conversation that has been opened; None for others."""
        return self._trees.get(conversation_id)

    def is_on_path(self, message: Message) -> bool:
        """Return whether the selected path of its conversation goes through a message."""
        tree = self._trees.get(message.conversation_id)
        return tree is not None and tree.is_on_path(message.id)

    def read_list(self, then: Callable[[], None] | None = None) -> None:
        """Ask the database what there is."""

        def take(found: tuple[tuple[Conversation, ...], tuple[Folder, ...], tuple[ListedBranch, ...]]) -> None:
            conversations, folders, self.branches = found
            self._show(conversations, folders)
            if then is not None:
                then()

        def read(store: Store) -> tuple[tuple[Conversation, ...], tuple[Folder, ...], tuple[ListedBranch, ...]]:
            return store.conversations.all(), store.folders.all(), store.messages.listed_branches()

        self._store.do(read, take, self.failed.emit)

    def take(self, result: EditResult, unsaved: Iterable[Message] = (), moved: Collection[str] = ()) -> tuple[str, ...]:
        """Hold what the database holds after an edit; returns the conversations whose path is not the stored one.

        unsaved: answers that the database does not know, or not all of. moved: conversations in which the person has
        gone to another path since.
        """
        ids, differing = result.ids, list[str]()
        for gone in (one for one in result.edit.conversation_ids if one not in ids):
            if gone in self._trees:
                self._let_go(self._trees.pop(gone))
            self._unstored.pop(gone, None)  # stored and gone before a list that said so could be read
        for tree in result.trees:
            known = self._trees.get(tree.conversation_id)
            if known is not None:
                leaf = known.leaf_id
                known.exchange(tree)
                self._let_go(tree)
                stored_leaf = known.leaf_id
                _keep(known, leaf, (one for one in unsaved if one.conversation_id == known.conversation_id))
                if known.conversation_id in moved and leaf in known:
                    known.select(known.leaf_below(leaf))
                if known.leaf_id != stored_leaf:
                    differing.append(known.conversation_id)
        self.branches = result.branches
        self._show(result.conversations, result.folders)
        return tuple(differing)

    def close(self) -> None:
        """Ask nothing of the store by itself any more."""
        self._letting_go.stop()

    def _let_go(self, tree: MessageTree) -> None:
        """Have the store's thread let go of the messages of a tree: a long one would stop the window's.

        Whoever holds them last lets go of them, so this waits until the rows and the engine have gone on to others. The
        tree itself is emptied at once: some may still look at it.
        """
        kept = MessageTree(tree.conversation_id)
        kept.exchange(tree)
        self._left.append(kept)
        self._letting_go.start()

    def _take_apart(self) -> None:
        left, self._left = self._left, []

        def let_go(_store: Store) -> None:
            for tree in left:
                tree.take_apart()

        self._store.do(let_go)

    def is_stored(self, conversation_id: str) -> bool:
        """Return whether the database is known to have this conversation."""
        return any(one.id == conversation_id for one in self._conversations)

    def _show(self, conversations: tuple[Conversation, ...], folders: tuple[Folder, ...]) -> None:
        self._conversations, self.folders = conversations, folders
        for one in conversations:
            self._unstored.pop(one.id, None)
        self.changed.emit()

    def begin(self, besides: Collection[str] = (), first: Sequence[str] = ()) -> str:
        """Return the id of a blank conversation, in memory until something is said in it.

        It begins now, also where it was there before. Of several that are there, the oldest is taken.
        besides: ids of conversations that are not to be had: those of other windows, and those that are going, as the
        database may have had one that is blank here. first: those that are taken before others.
        """
        blanks = (one for one in (*first, *self._unstored) if one in self._unstored and one not in besides)
        blank = next((one for one in blanks if not len(self._trees[one])), "") or new_id()
        self.add_blank(blank)
        self.changed.emit()
        return blank

    def add_blank(self, conversation_id: str) -> None:
        """Have a blank conversation with this id, which begins now."""
        self._trees.setdefault(conversation_id, MessageTree(conversation_id))
        self._unstored[conversation_id] = replace(Conversation.new(), id=conversation_id)

    def is_unstored(self, conversation_id: str) -> bool:
        """Return whether a conversation is blank, or the database has not confirmed what was said in it first."""
        return conversation_id in self._unstored

    def open(
        self, conversation_id: str, then: Callable[[], None], refused: Callable[[Problem], None] | None = None
    ) -> None:
        """Fetch a conversation's messages; then call `then`, at once when they are here already."""
        if conversation_id in self._trees:
            then()
            return

        refuse = refused or self.failed.emit

        def load(store: Store) -> MessageTree | None:
            is_there = any(one.id == conversation_id for one in store.conversations.all())
            return store.messages.load(conversation_id) if is_there else None

        def take(tree: MessageTree | None) -> None:
            if tree is None:
                refuse(GONE)
            else:
                self._trees.setdefault(conversation_id, tree)
                then()

        self._store.do(load, take, refuse)

    def add(
        self,
        message: Message,
        then: Callable[[], None],
        refused: Callable[[Problem], None],
        *,
        select: bool = True,
    ) -> None:
        """Put a message into its tree at once and into the database; `then` when it is committed.

        When it cannot be stored it is taken out of the tree again before `refused` is called. select: have the path end
        with it.
        """
        tree = self._trees[message.conversation_id]
        tree.add(message, select)
        self._name(message.conversation_id)
        beginning = self._unstored.get(message.conversation_id)

        def commit(store: Store) -> Conversation:
            try:
                if beginning is None:
                    edit = store.messages.add(message, select)
                else:
                    edit = store.messages.begin(replace(beginning, title=None), message)
            except LookupError as error:
                raise store_error(Fault.ORPHAN, None) from error
            store.record(edit)
            return store.conversations.get(message.conversation_id)

        def take(used: Conversation) -> None:
            self._use(used)
            then()

        def give_back(problem: Problem) -> None:
            self._trees[message.conversation_id].remove(message.id)
            self._name(message.conversation_id)
            refused(problem)

        self._store.do(commit, take, give_back, len(message.text))

    def use(self, conversation_id: str, at: float) -> None:
        """Show a conversation as the one used last, as the database will. at: seconds since the epoch."""
        found = next((one for one in self._conversations if one.id == conversation_id), None)
        if found is not None:
            self._use(replace(found, updated_at=at))

    def _use(self, used: Conversation) -> None:
        """Put one conversation in its place in the list: before all others."""
        self._show((used, *(one for one in self._conversations if one.id != used.id)), self.folders)

    def save_path(self, conversation_id: str, leaf_id: str | None) -> None:
        """Remember where a conversation was left."""

        def select(store: Store) -> None:
            with suppress(LookupError, ValueError):  # deleted since, for ever or into the trash
                store.messages.select_path(conversation_id, leaf_id)

        if conversation_id not in self._unstored and not self._store.is_read_only:
            self._store.do(select, None, self.failed.emit)

    def _name(self, conversation_id: str) -> None:
        """Show a conversation that is not stored yet under its first words, as the database will."""
        new = self._unstored.get(conversation_id)
        if new is not None:
            first = next(iter(self._trees[conversation_id].children(None)), None)
            title = title_from(first.text) if first else None
            self._unstored[new.id] = replace(new, title=title, updated_at=time.time())
            self.changed.emit()


def _keep(tree: MessageTree, leaf_id: str | None, answers: Iterable[Message]) -> None:
    """Put answers into a tree of the database's, as far as they have come. Where one ended the path, it still does.

    They are marked as they are in the database. The path goes on to where nothing follows, as it does when it is
    loaded: also to one of these answers.
    """
    for answer in answers:
        if answer.id in tree:
            tree.replace(answer.marked_as(tree.message(answer.id)))
        elif answer.parent_id in tree:
            tree.add(answer, select=False)
        if answer.id == leaf_id and answer.id in tree:
            tree.select(answer.id)
    tree.select(tree.leaf_below(tree.leaf_id))
