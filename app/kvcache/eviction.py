"""Which stored state goes when room is needed: what is worth least for its bytes.

    worth = gap * sqrt(uses) / bytes / (requests since the last use + 1) ** fall

`gap` is what would have to be computed again: for a whole state the tokens back to the nearest one kept above it, for
rows their own tokens. A state with nothing held below it, where a branch ends, counts as used `LEAF_FACTOR` times as
often: it is where a person goes on. And a state that a request only passed counts as used halfway between its own last
use and then, since what belongs to a branch that is open is likelier to be wanted. `fall` is 2/3 for states and 1 for
rows, which do on average as well with 2/3, but worse at worst. The rule was found on generated traces of five kinds of
person; tests/bench/eviction.py holds it against others of them. Properties kept here:

1. Rows leave leaf first, at most `PIECE` tokens beyond what is needed; a whole state leaves alone.
2. Rows that no kept state lies at or below cannot be restored by a model with whole states: they go first, for nothing.
3. The last state of a branch is charged with the rows that would become useless without it.
4. While there is more than their share of it, what only guests used goes first, the first states of its branches too.
5. Rows of live paths and of open sessions stay; so does the first state of each branch, without which nothing could be
   restored. Other states of a live path go by their worth like any: the path itself does not need them.
6. What the person pinned stays: the rows down to the pinned place and the state there.
7. The clock counts requests, so that a night changes nothing and a run can be repeated.
8. Each victim is the one that comparing all of them now would give, of guests' alone or of all. What may be worth
   less than it was is looked at again when the trie tells of a change; what is worth more, as by a use or a state above
   that went, when its turn comes. So a making of room costs by what changed and what goes, and not by what there is.

A model without whole states has rows only, one without rows has states only; the same rule serves all.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Generic, NamedTuple, Protocol

from app.kvcache.event_log import EventLog
from app.kvcache.node import Node, R, S
from app.kvcache.tournament import Entry, Tournament
from app.kvcache.trie import Trie
from app.protocol.cache_events import CacheEventKind
from app.protocol.reports import Reason

PIECE = 512  # tokens; rows are let go in such pieces
LEAF_FACTOR = 3.0


class DiskSaver(Protocol[R, S]):
    """Writer of what leaves memory.

    save_rows, save_state: whether it is on disk, or on its way there. forget: what lies there of a node and below it
    cannot be reached any more.
    """

    def save_rows(self, node: Node[R, S]) -> bool: ...
    def save_state(self, node: Node[R, S], state: S) -> bool: ...
    def forget(self, node: Node[R, S]) -> None: ...


@dataclass(slots=True)
class Tally:
    """Count of what was let go of in all, and of the candidates that were looked at for it."""

    looks: int = 0
    rows: int = 0
    states: int = 0
    tokens: int = 0
    bytes: int = 0


class _Way(NamedTuple):
    """Way to an edge from the nearest state above it, or from the root, which `is_first` tells.

    gap: tokens on the way. alone: bytes of the rows at its end that lead nowhere else.
    """

    gap: int
    alone: int
    is_first: bool

    def past(self, node: Node[R, S]) -> _Way:
        """Return the way that goes on over an edge without a state."""
        stored = node.stored.rows
        rows = stored.nbytes if stored is not None else 0
        return _Way(self.gap + len(node.tokens), self.alone + rows if node.held_children == 1 else 0, self.is_first)


_FROM_STATE = _Way(0, 0, False)


class Eviction(Generic[R, S]):
    """Candidates of a trie, and making room by letting go of them. has_states: the model keeps whole states.

    event log: is told of what goes. disk: takes over what goes, if it can.
    """

    def __init__(
        self,
        trie: Trie[R, S],
        has_states: bool,
        event_log: EventLog | None = None,
        disk: DiskSaver[R, S] | None = None,
    ) -> None:
        self.tally = Tally()
        self.disk = disk
        self._trie, self._has_states, self._event_log = trie, has_states, event_log
        self._changed = trie.watch()
        # Keys are twice a node's number, one more for its state than for its rows.
        self._usual = Tournament()
        self._first = Tournament()  # the first states of branches
        self._guests = Tournament()  # whatever only guests used

    def run(
        self,
        clock: int,
        surplus: Callable[[], int],
        is_desperate: bool = False,
        guests_beyond: Callable[[], int] = lambda: 0,
    ) -> None:
        """Let go of the least worth until `surplus()` bytes are none, or nothing can go any more.

        clock: number of the current request. is_desperate: give up the first states of branches too. guests_beyond:
        bytes that guests hold beyond their share.
        """
        while (wanted := surplus()) > 0:
            self.update(clock)
            beyond = guests_beyond() if len(self._guests) else 0
            key = self._least(clock, is_desperate, of_guests=beyond > 0)
            wanted = min(wanted, beyond) if beyond > 0 else wanted
            if key < 0:
                return
            self.tally.looks += 1
            node = self._trie.nodes[key // 2]
            if self._enter(node):
                continue
            if key % 2:
                self._drop_state(node)
            else:
                self._drop_rows(node, wanted)

    def _least(self, clock: int, is_desperate: bool, of_guests: bool) -> int:
        """Return the key of what is worth least, -1 where nothing may go."""
        others = [] if of_guests else [self._usual.least(), self._first.least() if is_desperate else None]
        found = filter(None, [self._guests.least(), *others])
        return min(((entry.worth(clock), key) for key, entry in found), default=(0.0, -1))[1]

    def update(self, clock: int) -> None:
        """Take in what has changed, so that the next making of room need not."""
        self._usual.advance(clock)
        self._first.advance(clock)
        self._guests.advance(clock)
        changed = []
        for number in self._changed:
            node = self._trie.nodes.get(number)
            if node is None:
                self._discard(number)
            else:
                changed.append(node)
        self._changed.clear()
        depending = list(self._depending_on(changed)) if self._has_states else []
        for node in changed:
            self._enter(node)
        for node, way in depending:
            self._enter(node, way)

    def _enter(self, node: Node[R, S], way: _Way | None = None) -> bool:
        """Enter a node's state or rows for what they are worth. False when they stood so already.

        way: to the node, where it is known; else it is gone back over.
        """
        entry, tournament = self._rows_entry(node), self._usual
        if node.stored.state is not None:
            way = way or _way_to(node)
            entry = self._state_entry(node, way)
            tournament = self._first if way.is_first else self._usual
        if node.usage.is_guest:
            tournament = self._guests
        key = 2 * node.id + (node.stored.state is not None)
        if entry is not None and tournament.get(key) == entry:
            return False
        self._discard(node.id)
        if entry is not None:
            tournament.put(key, entry)
        return True

    def _discard(self, number: int) -> None:
        for key in (2 * number, 2 * number + 1):
            self._usual.discard(key)
            self._guests.discard(key)
        self._first.discard(2 * number + 1)

    def _depending_on(self, changed: list[Node[R, S]]) -> Iterator[tuple[Node[R, S], _Way | None]]:
        """Give the states that may be worth less because of these changes above them.

        They are all that are next below a new state, each with the way from there, and the one that may be charged with
        rows from here on, where there is but one way down.
        """
        seen: set[int] = set()
        for node in changed:
            if node.stored.state is not None and not self._has_entry(node):
                for below, way in _states_below(node):
                    seen.add(below.id)
                    yield below, way
        for node in changed:
            only = _only_state_below(node, seen) if node.stored.state is None else None
            if only is not None:
                yield only, None

    def _has_entry(self, node: Node[R, S]) -> bool:
        return any(2 * node.id + 1 in one for one in (self._usual, self._first, self._guests))

    def _state_entry(self, node: Node[R, S], way: _Way) -> Entry | None:
        """Return what a node's state, to which this way leads, is worth; None when it must stay."""
        stored, usage = node.stored, node.usage
        if stored.state is None or node.parent is None or (usage.pins and node.is_pinned_end):
            return None
        nbytes = stored.state.nbytes
        if not node.held_children:
            nbytes += way.alone + (stored.rows.nbytes if stored.rows is not None else 0)
        uses = usage.state_uses if node.held_children else LEAF_FACTOR * usage.state_uses
        used = (usage.state_used + max(usage.state_used, usage.last_use)) // 2
        worth = (way.gap + len(node.tokens)) * math.sqrt(uses) / (nbytes or 1)
        return Entry(worth**1.5, used)  # powers of both sides leave the order as it is

    def _rows_entry(self, node: Node[R, S]) -> Entry | None:
        """Return what a node's rows are worth; None when there are none or something stands on them."""
        rows, usage = node.stored.rows, node.usage
        if rows is None or usage.pins or node.locks or node.held_children or node.stored.state is not None:
            return None
        if self._has_states:
            return Entry(0.0, 0)
        return Entry(len(node.tokens) * math.sqrt(usage.uses) / (rows.nbytes or 1), usage.last_use)

    def _drop_state(self, node: Node[R, S]) -> None:
        assert node.stored.state is not None
        self.tally.states += 1
        self._tell(node.end, 0, node.stored.state.nbytes)
        is_saved = self.disk is not None and self.disk.save_state(node, node.stored.state)
        self._trie.set_state(node, None)
        node.stored.lost = Reason.NONE if is_saved else Reason.EVICTED
        # What comes next below is worth more now, even where it is charged with more rows: its gap grows in proportion
        # to them. So it can wait for its turn, and is not looked for, which takes long on a deep path.
        self._changed.discard(node.id)
        self._enter(node)

    def _drop_rows(self, node: Node[R, S], wanted: int) -> None:
        """Let go of the end of an edge, in pieces. What stays is an edge of its own."""
        assert node.stored.rows is not None
        pieces = math.ceil(wanted * len(node.tokens) / node.stored.rows.nbytes / PIECE)
        if pieces * PIECE < len(node.tokens):
            self._trie.split(node, node.end - pieces * PIECE)
        self.tally.rows += 1
        self.tally.tokens += len(node.tokens)
        self._tell(node.start, len(node.tokens), node.stored.rows.nbytes)
        is_saved = self.disk is not None and self.disk.save_rows(node)
        self._trie.set_rows(node, None)
        node.stored.lost = Reason.NONE if is_saved else Reason.EVICTED
        if self.disk is not None and not is_saved:
            self.disk.forget(node)
        if self._trie.can_merge(node):
            self._trie.merge(node)

    def _tell(self, offset: int, tokens: int, nbytes: int) -> None:
        self.tally.bytes += nbytes
        if self._event_log is not None:
            self._event_log.add(CacheEventKind.EVICTED, offset, tokens, nbytes, Reason.EVICTED)


def _way_to(node: Node[R, S]) -> _Way:
    """Return the way to an edge, by going back over it."""
    gap = alone = 0
    is_alone, above = True, node.parent
    while above is not None and above.stored.state is None and above.parent is not None:
        is_alone = is_alone and above.held_children == 1
        if is_alone and above.stored.rows is not None:
            alone += above.stored.rows.nbytes
        gap += len(above.tokens)
        above = above.parent
    return _Way(gap, alone, above is None or above.stored.state is None)


def _states_below(node: Node[R, S]) -> Iterator[tuple[Node[R, S], _Way]]:
    """Give the states next below one, each with the way from it, which is gone over once for all."""
    stack = [(child, _FROM_STATE) for child in _held(node)]
    while stack:
        below, way = stack.pop()
        if below.stored.state is not None:
            yield below, way
        else:
            stack += [(child, way.past(below)) for child in _held(below)]


def _only_state_below(node: Node[R, S], seen: set[int]) -> Node[R, S] | None:
    """Return the state next below where there is but one way down; None where there are more, or it was met before."""
    while node.held_children == 1:
        (node,) = _held(node)
        if node.id in seen:
            return None
        seen.add(node.id)
        if node.stored.state is not None:
            return node
    return None


def _held(node: Node[R, S]) -> list[Node[R, S]]:
    """Return the children that are held."""
    return [child for child in node.children.values() if child.is_held]
