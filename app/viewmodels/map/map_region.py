"""The map of the open conversation: its runs as they are to be drawn, and what is told of each."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from PySide6.QtCore import QObject, Signal

from app.conversation.tree import MessageTree
from app.protocol.reports import Source
from app.protocol.trie_view import Residency
from app.viewmodels.branches.branch_rows import branch_row
from app.viewmodels.branches.outline_nodes import count_ends
from app.viewmodels.library.library_region import LibraryRegion
from app.viewmodels.map.map_runs import MOST_ASKED, MapItem, map_items
from app.viewmodels.text import formatting
from app.viewmodels.warmth.price_text import price_sentence
from app.viewmodels.warmth.warmth import Warmth
from app.viewmodels.warmth.warmth_index import WarmthIndex

NOTHING_SAID = "Nothing is said yet. Each branch is drawn here, as long as it has tokens."


class _Count(NamedTuple):
    """Tokens up to the end of a run, None where nobody has counted them; is_exact: and they are not about so many."""

    tokens: int | None
    is_exact: bool


class MapRegion(QObject):
    """Tells what a map of the open conversation shows. Nothing is followed before `wake`.

    Attribute: is_counted, the engine has counted every length that was told last; else some of them are about so long.

    Signals: grew(), there are other runs, or longer ones: read `items`; changed(), one of them is drawn otherwise;
    moved(), another branch is open.
    """

    grew = Signal()
    changed = Signal()
    moved = Signal()

    def __init__(
        self,
        library: LibraryRegion,
        warmth: WarmthIndex,
        residency_of: Callable[[str], Residency | None],
        open_branch: Callable[[str], object],
        parent: QObject | None = None,
    ) -> None:
        """residency_of: where the state at a message's end is. open_branch: shows the branch through a message."""
        super().__init__(parent)
        self._library, self._warmth = library, warmth
        self._residency_of, self._open_branch = residency_of, open_branch
        self._is_awake = False
        self._shown: tuple[object, ...] = ()
        self._opened: frozenset[str] = frozenset()
        self._has_groups = False
        self.is_counted = False
        self._counts: dict[str, _Count] = {}  # of tokens up to the ends of runs, as they were told last
        self._leaf_id: str | None = None
        library.state.refreshed.connect(self._follow)
        warmth.changed.connect(self._take_warmth)

    @property
    def tree(self) -> MessageTree:
        """The messages of the open conversation."""
        return self._library.tree

    def wake(self) -> None:
        """Follow the open conversation from now on."""
        if not self._is_awake:
            self._is_awake = True
            self._follow()

    def rest(self) -> None:
        """Follow nothing while nobody looks."""
        self._is_awake = False

    def items(self) -> Iterator[list[MapItem]]:
        """Yield all runs in slices, each after the one above it; the tree must not have changed between two of them."""
        self._has_groups, has_groups = True, False
        counts: dict[str, _Count] = {}

        def count(message_id: str) -> int | None:
            counts[message_id] = _count(self._warmth_of(message_id))
            return counts[message_id].tokens

        for some in map_items(self.tree, count, self._opened):
            has_groups = has_groups or any(item.versions for item in some)
            yield some
        self._has_groups, self._counts = has_groups, counts
        self.is_counted = self.is_asked and all(one.is_exact for one in counts.values())

    def open_groups(self, ids: Iterable[str], *, is_open: bool) -> None:
        """Tell the versions of groups one by one, or as one again."""
        opened = self._opened | set(ids) if is_open else self._opened - set(ids)
        if opened != self._opened:
            self._opened = opened
            self.grew.emit()

    def is_on_path(self, item: MapItem) -> bool:
        """Return whether the open path goes through a run."""
        return self.tree.is_on_path(item.id)

    @property
    def open_run_id(self) -> str:
        """The first message of the run in which the open path ends, "" where nothing was said."""
        leaf_id = self.tree.leaf_id
        return "" if leaf_id is None else self.tree.run_of(leaf_id).first_id

    @property
    def is_asked(self) -> bool:
        """Return whether there are so few runs that the engine may be asked about all of them at once."""
        return len(self.tree.runs()) <= MOST_ASKED

    def residency(self, item: MapItem) -> Residency | None:
        """Return where the state at the end of a run is, None while that is not known; it is asked for then.

        None for a group, whose versions differ in it.
        """
        if item.versions:
            return None
        known = self._residency_of(item.last_id)
        if known is not None or item.last_id not in self.tree:
            return known
        warmth = self._warmth_of(item.last_id)
        if warmth is None:
            return None
        if not warmth.tokens or warmth.held < warmth.tokens:
            return "none"
        if warmth.source.is_believed:
            return "believed"
        return "disk" if warmth.is_on_disk else "memory"

    @property
    def places(self) -> Sequence[Residency]:
        """The places where the state of a run can be."""
        return ("believed", "none") if self._warmth.is_believed else ("live", "memory", "disk", "none")

    def open(self, item: MapItem) -> None:
        """Show a branch in the chat, where one last was below it."""
        if item.id in self.tree:
            self._open_branch(item.id)

    def told(self, item: MapItem) -> tuple[str, str, str]:
        """Return what is told of a run: its name or first words, how much it is and its age, and its price."""
        if item.versions:
            return (item.label, "expanded" if item.is_open else "collapsed", "")
        run = self.tree.runs().get(item.id)
        if run is None:
            return (item.label, "", "")
        row = branch_row(self.tree, run)
        return row.title, row.detail(time.time()), price_sentence(self._warmth_of(item.last_id))

    def _warmth_of(self, message_id: str) -> Warmth | None:
        return self._warmth.warmth_of(message_id, self._library.open_id)

    @property
    def summary(self) -> str:
        """The map in words: "38 messages, 8 branches; open: cheaper, 2 messages, now"."""
        runs = self.tree.runs()
        if not runs:
            return NOTHING_SAID
        ends = count_ends(runs)
        told = f"{formatting.plural(len(self.tree), 'message')}, {formatting.plural(ends, 'branch', 'branches')}"
        run = runs.get(self.open_run_id)
        if run is None:
            return told
        row = branch_row(self.tree, run)
        return f"{told}; open: {row.title}, {row.detail(time.time())}"

    def _follow(self) -> None:
        if not self._is_awake:
            return
        tree = self.tree
        leaf = None if tree.leaf_id is None else tree.message(tree.leaf_id)
        now = (tree, tree.runs(), len(tree), leaf is not None and leaf.stop)
        if [id(one) for one in self._shown[:2]] != [id(one) for one in now[:2]] or self._shown[2:] != now[2:]:
            self._shown = now
            self.grew.emit()
        if tree.leaf_id != self._leaf_id:
            self._leaf_id = tree.leaf_id
            if self._has_groups:  # of which the open version stands by itself
                self.grew.emit()
            self.moved.emit()
        self.renew()

    def _take_warmth(self) -> None:
        if self._is_awake and self._are_counted_otherwise():
            self._counts = {}
            self.grew.emit()
        self.renew()

    def _are_counted_otherwise(self) -> bool:
        """Return whether the engine has counted the tokens of all runs, and those of some are not what was told."""
        is_otherwise = False
        for message_id, told in self._counts.items():
            warmth = self._warmth_of(message_id) if message_id in self.tree else None
            if warmth is None:
                return False
            is_otherwise = is_otherwise or _count(warmth) != told
        return is_otherwise

    def renew(self) -> None:
        """Tell that something may be drawn otherwise, if anybody looks."""
        if self._is_awake:
            self.changed.emit()


def _count(warmth: Warmth | None) -> _Count:
    if warmth is None or warmth.is_far_too_long or not warmth.total:
        return _Count(None, is_exact=False)
    return _Count(warmth.total, is_exact=warmth.source is not Source.PREDICTED)
