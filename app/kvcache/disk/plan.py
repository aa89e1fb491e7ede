"""What is worth writing and is not written yet. Model thread only.

Properties kept here:

1. Rows are written above complete rows, parents first; a whole state where the gap to the one above is worth it, and at
   the end of every branch. What was used last comes first. What only guests used is not written, as if it were not
   there.
2. What is wanted is kept up to date by what has changed, and not looked for in all that there is. Only where the files
   that are there leave no room for all of it, everything is looked at.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterator
from itertools import takewhile
from typing import NamedTuple

from app.kvcache.active_paths import ActivePaths
from app.kvcache.snapshot import CacheTrie, TrieNode, upwards

# Tokens: a whole state is written where one must go back at least so far to the nearest written one, or only so far as
# makes the rows in between take as much room as it does, but never where that is nearer than a few.
GAP, FEWEST = 300, 16


class Item(NamedTuple):
    """Rows of an edge, or the whole state at its end."""

    node: TrieNode
    is_state: bool


class Plan:
    """Queue of what is to be written, in order.

    size_of: bytes of the files that hold state of an edge. writes_all: every whole state is worth it, however near the
    next one is; `look_again` is to be called after a change of it. wanted: ids of the nodes of which something is to be
    written. looks: how many nodes were looked at in all.
    """

    def __init__(
        self, trie: CacheTrie, paths: ActivePaths, size_of: Callable[[TrieNode], int], writes_all: bool
    ) -> None:
        self.writes_all = writes_all
        self.wanted: set[int] = set()
        self.looks = 0
        self._trie, self._paths, self._size_of = trie, paths, size_of
        self._changed = trie.watch()
        self._counted: set[int] = set()  # ids of the nodes from whose states gaps are measured: on disk, or wanted
        self._items: deque[Item] = deque()

    def clear(self) -> None:
        """Let go of the order that was made last."""
        self._items.clear()

    def look_again(self) -> None:
        """Have all nodes looked at when the plan is made the next time: there may be more room, or other wishes."""
        self._changed.update(self._trie.nodes)

    def renew(self, used_bytes: int, allowed_bytes: int) -> None:
        """Make the order anew. used_bytes: of the model's own files, those on their way included."""
        self.update()
        items = list(self._ordered())
        if used_bytes + sum(map(self._cost, items)) > allowed_bytes:
            items = list(self._fitting(items, allowed_bytes))
        self._items = deque(items)

    def take(self) -> Item | None:
        """Return the next thing that still makes sense, None when there is none."""
        while self._items:
            item = self._items.popleft()
            if self._trie.nodes.get(item.node.id) is item.node and self._makes_sense(item):
                return item
            self._changed.add(item.node.id)  # to be looked at again
        return None

    def put_back(self, item: Item) -> None:
        """Have this be the next thing again."""
        self._items.appendleft(item)

    # What is wanted

    def update(self) -> None:
        """Take in what has changed."""
        ends = [path.end.id for path in self._paths]
        changed = {id: self._trie.nodes.get(id) for id in (*self._changed, *ends)}
        self._changed.clear()
        for id in [id for id, node in changed.items() if node is None]:
            self.wanted.discard(id)
            self._counted.discard(id)
        queue = deque(sorted((node for node in changed.values() if node is not None), key=_last_used_first))
        while queue:
            node = queue.popleft()
            was_counted = node.id in self._counted
            self._look_at(node)
            if was_counted and node.id not in self._counted:
                queue.extend(self._uncounted_below(node))

    def _look_at(self, node: TrieNode) -> None:
        self.looks += 1
        if node.usage.is_guest:
            return
        has_rows_to_write = self._paths.has_rows and not node.stored.disk_rows and node.has_rows_in_memory
        if self._paths.has_states:
            has_state = node.stored.disk_state is not None
            is_counted = has_state or (self._has_state_here(node) and self.is_worth_it(node, self._counted))
            _put(self._counted, node.id, is_counted)
            _put(self.wanted, node.id, is_counted and (not has_state or has_rows_to_write))
        else:
            _put(self.wanted, node.id, has_rows_to_write)

    def _uncounted_below(self, node: TrieNode) -> Iterator[TrieNode]:
        """Give the states that may be worth writing since this one above them is not on disk, nor will be."""
        stack = [node]
        while stack:
            for below in stack.pop().children.values():
                self.looks += 1
                if below.id in self._counted:
                    continue
                if below.stored.state is not None:
                    yield below
                if below.end - node.end < GAP:
                    stack.append(below)

    def is_worth_it(self, node: TrieNode, counted: Collection[int] = ()) -> bool:
        """Return whether a whole state is worth writing. counted: ids of nodes whose states are or will be written,
        too."""
        goes_on = node.held_children or node.disk_children
        is_end = not (goes_on and any(not child.usage.is_guest for child in node.children.values() if _is_kept(child)))
        return self.writes_all or is_end or self._gap(node, counted) >= self._least_gap(node)

    def _least_gap(self, node: TrieNode) -> int:
        """Return how many tokens one must go back for the whole state at a node's end to be worth writing."""
        state, each = node.stored.state, self._paths.row_bytes
        return GAP if state is None or not each else min(GAP, max(FEWEST, -(-state.nbytes // each)))

    def _gap(self, node: TrieNode, counted: Collection[int]) -> int:
        """Return the tokens back to the nearest whole state that is written, or will be; at most GAP are gone over."""
        above = node.parent
        while above is not None and above.parent is not None and node.end - above.end < GAP:
            self.looks += 1
            if above.stored.disk_state is not None or above.id in counted:
                return node.end - above.end
            above = above.parent
        return node.end - above.end if above is not None else node.end

    def _has_state_here(self, node: TrieNode) -> bool:
        """Return whether the whole state at a node's end is stored, or live where an active path stands."""
        return node.stored.state is not None or node in self._paths.state_ends

    # In which order

    def _ordered(self) -> Iterator[Item]:
        """Give what is wanted and the rows that lead to it, parents first, last used branches first."""
        leading: set[int] = set()
        for node in sorted(map(self._trie.nodes.__getitem__, self.wanted), key=_last_used_first):
            unsaved = takewhile(lambda above: not above.stored.disk_rows and above.id not in leading, upwards(node))
            for above in reversed(list(unsaved)) if self._paths.has_rows else ():
                self.looks += 1
                leading.add(above.id)
                if above.has_rows_in_memory:
                    yield Item(above, False)
            if self._paths.has_states and node.stored.disk_state is None:
                yield Item(node, True)

    def _fitting(self, items: Collection[Item], allowed_bytes: int) -> Iterator[Item]:
        """Leave out what would find no room beside what was used later."""
        room = allowed_bytes
        written = deque(sorted((node for node in self._trie.nodes.values() if node.stored.files), key=_last_used_first))
        for item in items:
            while written and _last_used_first(written[0]) <= _last_used_first(item.node):
                self.looks += 1
                room -= self._size_of(written.popleft())
            room -= self._cost(item)
            if room < 0:
                return
            yield item

    def _cost(self, item: Item) -> int:
        return self._paths.state_bytes if item.is_state else len(item.node.tokens) * self._paths.row_bytes

    def _makes_sense(self, item: Item) -> bool:
        node, above = item.node, item.node.parent
        if item.is_state:
            is_here = node.stored.disk_state is None and self._has_state_here(node)
            return is_here and self.is_worth_it(node, self._counted)
        is_led_to = above is not None and (above.parent is None or bool(above.stored.disk_rows))
        return node.has_rows_in_memory and not node.stored.disk_rows and is_led_to


def _is_kept(node: TrieNode) -> bool:
    return node.is_held or node.is_on_disk


def _last_used_first(node: TrieNode) -> tuple[int, int]:
    return -node.usage.last_use, node.start


def _put(ids: set[int], id: int, is_in: bool) -> None:
    if is_in:
        ids.add(id)
    else:
        ids.discard(id)
