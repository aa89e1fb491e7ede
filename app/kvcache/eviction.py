"""Which stored state goes when room is needed: what is worth least for its bytes.

    worth = gap * sqrt(uses) / (requests since the last use + 1) / bytes

`gap` is what would have to be computed again: for a whole state the tokens back to the nearest one kept above it, for
rows their own tokens. The rule was found on generated traces of five kinds of person; tests/bench/eviction.py holds it
against them. Properties kept here:

1. Rows leave leaf first, at most `PIECE` tokens beyond what is needed; a whole state leaves alone.
2. Rows that no kept state lies at or below cannot be restored by a model with whole states: they go first, for nothing.
3. The last state of a branch is charged with the rows that would become useless without it.
4. Rows of locked paths stay; so does the first state of each branch, without which nothing could be restored. Other
   states of a live path go by their worth like any: the path itself does not need them.
5. What the person pinned stays: the rows down to the pinned place and the state there.
6. The clock counts requests, so that a night changes nothing and a run can be repeated.
7. One pass builds a heap. Evicting a state makes those below it worth more: an entry that grew is pushed back.

A model without whole states has rows only, one without rows has states only; the same rule serves all.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, Protocol

from app.kvcache.journal import Journal
from app.kvcache.trie import Node, R, S, Trie
from app.protocol.cache_events import CacheEventKind
from app.protocol.reports import Reason

PIECE = 512  # tokens; rows are let go in such pieces
GROWN = 1.0001  # an entry's worth has grown when it is more than this times what it was


class DiskSaver(Protocol[R, S]):
    """Writes what leaves memory. `save_rows`, `save_state`: whether it is on disk, or on its way there. `forget`: what
    lies there of a node and below it cannot be reached any more."""

    def save_rows(self, node: Node[R, S]) -> bool: ...
    def save_state(self, node: Node[R, S], state: S) -> bool: ...
    def forget(self, node: Node[R, S]) -> None: ...


@dataclass(slots=True)
class Tally:
    """What one eviction cost in heap operations, and what it let go."""

    pops: int = 0
    pushes: int = 0
    states: int = 0
    tokens: int = 0
    bytes: int = 0


class Eviction(Generic[R, S]):
    """One making of room. `clock`: number of the current request. `has_states`: the model keeps whole states.

    journal: is told of what goes. disk: takes over what goes, if it can. is_desperate: give up the first states of
    branches too.
    """

    def __init__(
        self,
        trie: Trie[R, S],
        clock: int,
        has_states: bool,
        is_desperate: bool = False,
        journal: Journal | None = None,
        disk: DiskSaver[R, S] | None = None,
    ) -> None:
        self.tally = Tally()
        self._journal, self._disk = journal, disk
        self._trie, self._clock = trie, clock
        self._has_states, self._is_desperate = has_states, is_desperate
        self._heap = [
            (worth, 2 * node.id + is_state, node, is_state)
            for node in trie.nodes.values()
            if ((is_state := node.state is not None) or not node.held_children)
            and (worth := self._state_worth(node) if is_state else self._rows_worth(node)) is not None
        ]
        heapq.heapify(self._heap)

    def run(self, surplus: Callable[[], int]) -> None:
        """Let go of the least worth until `surplus()` bytes are none, or nothing can go any more."""
        while self._heap and (wanted := surplus()) > 0:
            worth, _, node, is_state = heapq.heappop(self._heap)
            self.tally.pops += 1
            now = self._state_worth(node) if is_state else self._rows_worth(node)
            if now is None:
                continue
            if now > worth * GROWN:
                self._push(node, is_state, now)
            elif is_state:
                self._drop_state(node)
            else:
                self._drop_rows(node, wanted)

    def _push(self, node: Node[R, S], is_state: bool, worth: float) -> None:
        self.tally.pushes += 1
        heapq.heappush(self._heap, (worth, 2 * node.id + is_state, node, is_state))

    def _state_worth(self, node: Node[R, S]) -> float | None:
        """None when there is no state or it must stay."""
        above, state = node.parent, node.state
        if state is None or above is None or (node.pins and node.is_pinned_end):
            return None
        gap, nbytes, is_alone = len(node.tokens), state.nbytes, not node.held_children
        if is_alone and node.rows:
            nbytes += node.rows.nbytes
        while above.state is None:
            if above.parent is None:
                if not self._is_desperate:
                    return None
                break
            is_alone = is_alone and above.held_children == 1
            if is_alone and above.rows:
                nbytes += above.rows.nbytes
            gap += len(above.tokens)
            above = above.parent
        return gap * math.sqrt(node.state_uses) / (self._clock - node.state_used + 1) / (nbytes or 1)

    def _rows_worth(self, node: Node[R, S]) -> float | None:
        """None when there are no rows or they must stay: something below stands on them, or a state at their end."""
        if node.rows is None or node.locks or node.pins or node.held_children or node.state is not None:
            return None
        if self._has_states:
            return 0.0
        return len(node.tokens) * math.sqrt(node.uses) / (self._clock - node.last_use + 1) / (node.rows.nbytes or 1)

    def _drop_state(self, node: Node[R, S]) -> None:
        assert node.state is not None
        self.tally.states += 1
        self._tell(node.end, 0, node.state.nbytes)
        is_saved = self._disk is not None and self._disk.save_state(node, node.state)
        self._trie.set_state(node, None)
        node.lost = Reason.NONE if is_saved else Reason.EVICTED
        self._reconsider(node)

    def _drop_rows(self, node: Node[R, S], wanted: int) -> None:
        """The end of an edge goes, in pieces. What stays is an edge of its own."""
        assert node.rows is not None
        pieces = math.ceil(wanted * len(node.tokens) / node.rows.nbytes / PIECE)
        upper = self._trie.split(node, node.end - pieces * PIECE) if pieces * PIECE < len(node.tokens) else None
        self.tally.tokens += len(node.tokens)
        self._tell(node.start, len(node.tokens), node.rows.nbytes)
        is_saved = self._disk is not None and self._disk.save_rows(node)
        self._trie.set_rows(node, None)
        node.lost = Reason.NONE if is_saved else Reason.EVICTED
        if self._disk is not None and not is_saved:
            self._disk.forget(node)
        above = upper or node.parent
        if self._trie.can_merge(node):
            self._trie.merge(node)
        if above is not None:
            self._reconsider(above)

    def _tell(self, offset: int, tokens: int, nbytes: int) -> None:
        self.tally.bytes += nbytes
        if self._journal is not None:
            self._journal.add(CacheEventKind.EVICTED, offset, tokens, nbytes, Reason.EVICTED)

    def _reconsider(self, node: Node[R, S]) -> None:
        """What lies at and above a change may go now, or is worth less than before."""
        while node.parent is not None and not (node.holds or node.held_children):
            node = node.parent
        if node.parent is None or node.held_children:
            return
        worth = self._rows_worth(node)
        if worth is not None:
            self._push(node, False, worth)
        elif node.state is not None and (worth := self._state_worth(node)) is not None:
            self._push(node, True, worth)
