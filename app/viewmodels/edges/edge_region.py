"""The link between chat and cache: the rows of messages, the messages of rows, and what a person does with rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from functools import partial
from typing import NamedTuple

from PySide6.QtCore import QObject, Signal

from app.conversation.message import Message
from app.protocol.dataclass import dataclass
from app.protocol.events import CostEstimate
from app.protocol.trie_view import TrieNodeView
from app.viewmodels.cache.cache_rows import CacheRows
from app.viewmodels.cache.rows import title_of
from app.viewmodels.cache.shown_trie import Others
from app.viewmodels.edges import edge_text
from app.viewmodels.edges.cached_branches import CachedBranches
from app.viewmodels.edges.chosen_price import ChosenPrice
from app.viewmodels.edges.cold_text import why_cold
from app.viewmodels.edges.message_finder import Found, MessageFinder, Then
from app.viewmodels.edges.path_edges import PathEdges
from app.viewmodels.kit.live_state import LiveState
from app.viewmodels.kit.notices import Notices
from app.viewmodels.kit.store_link import StoreLink
from app.viewmodels.library.library_region import LibraryRegion
from app.viewmodels.model.model_region import ModelRegion
from app.viewmodels.text import formatting
from app.viewmodels.warmth.cost_queries import CostQueries
from app.viewmodels.warmth.price_card import PricedBranch
from app.viewmodels.warmth.price_text import unreadable


class Home(NamedTuple):
    """A conversation that a row belongs to."""

    conversation_id: str
    title: str


VERBS = frozenset({"pins", "evictions", "warm_ups"})
"""The abilities of an engine that act on a row."""


@dataclass(frozen=True, slots=True)
class EdgeState:
    """The chosen row of the cache pane, and what can be done.

    chosen: the id of the row, 0 for none; title: what it is called. can_show, can_pin, can_unpin, can_evict,
    can_warm_up: each verb would do something with it. price: of warming it up, "" while not known. warming: how far a
    warm up is, "" without one; done: its share. cold: why nothing of the open path can be reused although there are
    files on disk, "" where that is not so. marked: ids of the rows that hold the current message; lit: of those that a
    price speaks of. others: what belongs to other conversations; shows_others: it has rows. refusal: why no pin can be
    stored, "" where it can. can_ever: names of the verbs that the engine has a use for at all.
    """

    chosen: int = 0
    title: str = ""
    can_show: bool = False
    can_pin: bool = False
    can_unpin: bool = False
    can_evict: bool = False
    can_warm_up: bool = False
    price: str = ""
    warming: str = ""
    done: float | None = None
    cold: str = ""
    marked: frozenset[int] = frozenset()
    lit: frozenset[int] = frozenset()
    others: Others = field(default_factory=Others)
    shows_others: bool = False
    refusal: str = ""
    can_ever: frozenset[str] = VERBS


class EdgeRegion(QObject):
    """Finds rows for messages and messages for rows, and pins, evicts and warms up what a row holds.

    Before `wake` there are no rows, and none is the one that commands are about.
    Attributes: state; warm_ups, of all windows; chosen_price. Signals: rowWanted(int), bring this row into sight;
    chosenByMessage(int), and make it the current one.
    """

    rowWanted = Signal(int)
    chosenByMessage = Signal(int)

    state: LiveState[EdgeState]

    def __init__(
        self,
        store: StoreLink,
        library: LibraryRegion,
        model: ModelRegion,
        branches: CachedBranches,
        rows: CacheRows,
        cost_queries: CostQueries,
        is_writing: Callable[[], bool],
        notices: Notices,
        parent: QObject | None = None,
    ) -> None:
        """is_writing: whether the engine has an answer under way."""
        super().__init__(parent)
        self._library, self._model, self._branches, self._cache_rows = library, model, branches, rows
        self._cost_queries, self._is_writing, self._notices = cost_queries, is_writing, notices
        self._path: tuple[Sequence[Message], CostEstimate] | None = None
        self._message = self._sought = ""  # the last message whose rows were asked into sight
        self._chosen = 0
        self._lit = 0
        self._shown_path: tuple[str, str] = "", ""
        of_all = store, library.library, model.current_model, cost_queries, self._edges
        self._finder = MessageFinder(*of_all, "edge", self)
        self._price_finder = MessageFinder(*of_all, "price of edge", self)
        self.chosen_price = ChosenPrice(self._find_to_price, cost_queries, model.current_model, is_writing, self)
        self.warm_ups = branches.warm_ups
        self.state = LiveState(self._state, self)
        self.state.follow(rows.trie_model.viewChanged, self.warm_ups.changed, self.chosen_price.changed)
        self.state.follow_states(model.state)
        rows.trie_model.viewChanged.connect(self._price_chosen)
        library.opened.connect(self._on_opened)
        model.current_model.changed.connect(self._on_model_changed)

    def wake(self) -> None:
        """Follow the cache from now on: its rows are looked at."""
        self._cache_rows.wake()
        self._follow_path()
        self._seek_message()

    def rest(self) -> None:
        """Follow nothing while nobody looks."""
        self._cache_rows.rest()
        self._price_chosen()
        self.state.refresh()

    # The open path

    def take_path(self, messages: Sequence[Message], priced: CostEstimate) -> None:
        """Follow the open path, as the engine priced it last."""
        self._path = messages, priced
        if self._cache_rows.is_awake:
            self._follow_path()

    def _follow_path(self) -> None:
        messages, path = self._path[0] if self._path is not None else (), self._along()
        if path.ids != self._cache_rows.shown.path:
            self._cache_rows.shown.path = path.ids
            self._cache_rows.show()
        end = messages[-1] if messages else None
        shown = (self._library.open_id, end.id if end is not None else "")
        if path.edges and shown != self._shown_path:
            self._shown_path = shown
            self.rowWanted.emit(self._row_of(path.edges[-1].id))
        self.state.refresh()

    def select_message(self, message_id: str) -> None:
        """Mark the rows that hold a message of the open path; none for an empty id."""
        if message_id == self._message:
            return
        self._message = message_id
        self.state.refresh()
        self._seek_message()

    def _seek_message(self) -> None:
        """Have the rows of the current message chosen, once for each message."""
        if self._message == self._sought or not self._cache_rows.is_awake:
            return
        self._sought = self._message
        rows = self._rows_of_message()
        if rows:
            self.chosenByMessage.emit(rows[-1])

    def _along(self) -> PathEdges:
        messages, priced = self._path or ((), CostEstimate(0, edge_text.NO_REPORT, (), None))
        return PathEdges.of(messages, priced, self._edges())

    def _edges(self) -> Mapping[int, TrieNodeView]:
        return self._cache_rows.shown.edges

    def _row_of(self, edge_id: int) -> int:
        return self._cache_rows.shown.row_of.get(edge_id, 0)

    def _rows_of_message(self) -> list[int]:
        rows = (self._row_of(edge) for edge in self._along().holding(self._message)) if self._message else ()
        return list(dict.fromkeys(row for row in rows if row))

    # The rows

    def choose(self, row: int) -> None:
        """Have commands be about a row, 0 for none."""
        if row != self._chosen:
            self._chosen = row
            self._price_chosen()
            self.state.refresh()

    def _price_chosen(self) -> None:
        self.chosen_price.follow(self._row(self._chosen) if self._model.current_model.info is not None else None)

    def light(self, edge: int) -> None:
        """Light the rows of a branch, whose price is told. edge: the last that it goes along, 0 for none."""
        if edge != self._lit:
            self._lit = edge
            self.state.refresh()

    def _lit_rows(self) -> frozenset[int]:
        edges, rows = self._edges(), set()
        node = edges.get(self._lit)
        while node is not None:
            rows.add(self._row_of(node.id))
            node = edges.get(node.parent_id) if node.parent_id is not None else None
        return frozenset(rows - {0})

    def show_others(self, shows: bool) -> None:
        """Give the edges of other conversations rows too, or take them away."""
        self._cache_rows.shown.shows_others = shows
        self._cache_rows.show()
        self.state.refresh()

    def homes(self, row: int) -> list[Home]:
        """Return the conversations that share what a row holds, the open one first."""
        node = self._row(row)
        if node is None:
            return []
        ids = set(node.owners)
        if self._along().on(self._edges_of_row(row)):
            ids.add(self._library.open_id)
        known = [one for one in self._library.library.conversations if one.id in ids]
        known.sort(key=lambda one: one.id != self._library.open_id)
        return [Home(one.id, one.title or "New conversation") for one in known]

    def show_in_chat(self, conversation_id: str = "") -> None:
        """Show the message of the chosen row in one of its conversations, the first by default.

        Of an answer that is read without its thought from then on, and so on no branch any more, the one before.
        """
        self._show(self._chosen, conversation_id)

    def pin_row(self, is_pinned: bool = True) -> None:
        """Keep the branch that the chosen row is on down to there, or let it go again."""
        self._find(partial(self._pin_found, is_pinned), pinned_only=not is_pinned)

    def evict_row(self) -> None:
        """Free what the chosen row and those below it hold. No word is touched."""
        if self._chosen:
            self._branches.evict(self._chosen)

    def warm_up_row(self) -> None:
        """Read the branch of the chosen row in the background."""
        self._find(lambda found: self._branches.warm_up(found.path))

    def _row(self, row: int) -> TrieNodeView | None:
        if not self._cache_rows.is_awake:
            return None
        return self._cache_rows.trie_model.node(self._cache_rows.trie_model.index_of(row))

    def _edges_of_row(self, row: int) -> frozenset[int]:
        return frozenset(edge for edge, shown in self._cache_rows.shown.row_of.items() if shown == row)

    def _show(self, row: int, conversation_id: str) -> None:
        def take(found: Found | None) -> None:
            node = self._row(row)
            if found is not None:
                message = found.message if row == self._chosen else found.path[-1]
                self._library.go_to(found.conversation_id, message.id)
            elif node is not None and node.parent_id is not None:
                self._show(node.parent_id, conversation_id)
            else:
                self._notices.error(edge_text.NOT_FOUND)

        self._search(self._finder, take, row, conversation_id)

    def _find(self, then: Callable[[Found], object], pinned_only: bool = False) -> None:
        """Do something with the messages of the chosen row, or say that none were found; that may take a moment."""

        def take(found: Found | None) -> None:
            if found is None:
                self._notices.error(edge_text.NOT_PINNED if pinned_only else edge_text.NOT_FOUND)
            else:
                then(found)

        self._search(self._finder, take, self._chosen, pinned_only=pinned_only)

    @property
    def chosen_branch(self) -> PricedBranch | None:
        """Return the branch down to the chosen row, for its price; None while it is not found."""
        row, found = self._row(self._chosen), self.chosen_price.found
        if row is None or found is None:
            return None
        place = f"after {formatting.plural(len(found.path), 'message')}"
        return PricedBranch(title_of(row), place, found.conversation_id, found.path[-1].id)

    def _find_to_price(self, then: Then) -> None:
        self._search(self._price_finder, then, self._chosen)

    def _search(
        self, finder: MessageFinder, then: Then, row: int, conversation_id: str = "", pinned_only: bool = False
    ) -> None:
        """Find the messages of a row, in its first conversation that has them if none is named."""
        homes = [one.conversation_id for one in self.homes(row)]
        home, *others = [conversation_id] if conversation_id else homes or [""]
        edges = self._edges_of_row(row)
        along = self._along()
        held = along.on(edges) if home == self._library.open_id and not pinned_only else []
        if held:
            tree = self._library.tree
            if held[-1].id in tree:
                first = along.named_by(edges) or held[0]
                then(Found(home, first, tree.path_to(held[-1].id)))
                return

        def take(found: Found | None) -> None:
            if found is None and others:
                finder.find(others.pop(0), edges, take, pinned_only)
            else:
                then(found)

        finder.find(home, edges, take, pinned_only)

    # Branches

    def pin(self, path: Sequence[Message], is_pinned: bool) -> None:
        """Keep a branch whatever else needs room, also after a restart, or let it go again."""
        self._branches.pin(path, is_pinned)

    def warm_up(self, path: Sequence[Message]) -> None:
        """Read a branch in the background, so that going on with it begins at once; or stop that."""
        if self.warm_ups.now is not None:
            self.warm_ups.stop()
        else:
            self._branches.warm_up(path)

    def _pin_found(self, is_pinned: bool, found: Found) -> None:
        self.pin(found.path, is_pinned)

    # What becomes of it

    def _on_opened(self, conversation_id: str) -> None:
        self._path, self._message, self._sought = None, "", ""
        self._cache_rows.shown.open_id, self._cache_rows.shown.path = conversation_id, frozenset()
        self._cache_rows.show()
        self.state.refresh()

    def _on_model_changed(self) -> None:
        if self._model.current_model.info is None:
            self._path = None

    # State

    def _price(self, context: int) -> str:
        priced, refusal = self.chosen_price.priced, self.chosen_price.refusal
        if priced is not None:
            return edge_text.price(priced, context)
        return "" if refusal is None else unreadable(refusal)

    def _state(self) -> EdgeState:
        shown, row = self._cache_rows.shown, self._row(self._chosen)
        has = self._model.state.now.has
        warming = self.warm_ups.now
        is_free = not self._is_writing()
        base = EdgeState(
            marked=frozenset(self._rows_of_message()),
            lit=self._lit_rows(),
            others=shown.others,
            shows_others=shown.shows_others,
            refusal=self._library.state.now.refusal,
            can_ever=frozenset(filter(has, VERBS)),
            warming=edge_text.warming_up(warming) if warming is not None else "",
            done=warming.done / warming.total if warming is not None and warming.total else None,
            cold=why_cold(self._path[1], self._cache_rows.view, self._library.open_id) if self._path else "",
        )
        if row is None:
            return base
        info = self._model.current_model.info
        is_open = info is not None
        is_known = is_open and bool(self.homes(row.id))
        is_held = is_open and row.residency != "none"
        return replace(
            base,
            chosen=row.id,
            title=title_of(row),
            can_show=is_known,
            can_pin=has("pins") and is_known and is_held and not row.is_pinned and is_free,
            can_unpin=has("pins") and is_known and row.is_pinned and is_free,
            can_evict=has("evictions") and is_held and not row.is_pinned,
            can_warm_up=has("warm_ups") and is_known and is_free and row.residency != "live",
            price=self._price(info.context_length) if info is not None else "",
        )
