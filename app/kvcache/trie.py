"""A compressed prefix trie of token runs, with stored state hanging on its nodes.

Properties it keeps:

1. A child's edge starts where its parent's ends; only the root's edge is empty. Siblings never share a first token.
2. Rows on a node span exactly its edge; a whole state is the state at its node's end.
3. `paged_bytes` is the sum of what hangs on all nodes, `pinned_bytes` that of what pins keep; every stored object hangs
   on one node and is released once.
4. Node ids are never reused; when an edge is split, the new upper node gets the new id.
5. A node is held while it, or anything below it, has state in memory; it is on disk while a file holds state of it or
   of anything below it. One that is neither is a ghost: its tokens were seen, no more.
6. Whoever `watch`es is told of each edge that came, went, or is held, stored, live or pinned in another way.
7. `paths` has the nodes of each active path, a chain from the root, however edges are split and merged; `copied_tokens`
   counts the tokens of edges that several of them run through, once for each path but the first.
8. What only guests used is below nothing but that and what others used; `guest_bytes` is the sum of what hangs there.
9. `files` tells of every file that hangs how many of its tokens the edges cover that it hangs on; those of which that
   became less are in `loosened` until somebody takes them.

It knows neither arrays nor layers: what is stored has a size, and rows can be cut and joined.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from itertools import count
from typing import Generic, NamedTuple

from app.kvcache.call_log import Provenance, append_provenances
from app.kvcache.node import FileRef, Node, R, S
from app.protocol.reports import Reason
from app.protocol.sequences import count_common


class Match(NamedTuple, Generic[R, S]):
    """Longest known prefix of some tokens: nodes from the root on, the last of them perhaps only begun."""

    path: list[Node[R, S]]
    length: int


class Trie(Generic[R, S]):
    """Tree of edges, and the total of what is stored on it. Every change of a node's state goes through it."""

    def __init__(self) -> None:
        self.root: Node[R, S] = Node(0, None, 0, array("i"))
        self.paged_bytes = 0
        self.pinned_bytes = 0
        self.guest_bytes = 0
        self.tokens = 0  # of all edges
        self.nodes: dict[int, Node[R, S]] = {}  # by id, in the order they came, without the root
        self.paths: dict[int, list[Node[R, S]]] = {}  # by number
        self.copied_tokens = 0
        self.files: dict[FileRef, int] = {}
        self.loosened: set[FileRef] = set()
        self._last_id = 0
        self._watches: list[set[int]] = []
        self._use_watches: list[set[int]] = []

    def watch(self, with_uses: bool = False) -> set[int]:
        """Return a set to which the ids of all changed nodes are added from now on, for its owner to empty.

        with_uses: also of those that only were used, anchored or lengthened.
        """
        changed = set(self.nodes)
        (self._use_watches if with_uses else self._watches).append(changed)
        return changed

    def changed(self, node: Node[R, S]) -> None:
        """Tell whoever watches that an edge came, went, or is held, stored, live or pinned in another way."""
        for changed in self._watches:
            changed.add(node.id)
        self.used(node)

    def used(self, node: Node[R, S]) -> None:
        """Tell whoever watches that a node was used, anchored or lengthened."""
        for changed in self._use_watches:
            changed.add(node.id)

    def __iter__(self) -> Iterator[Node[R, S]]:
        """Give all nodes but the root, parents before children, siblings in the order they came."""
        for child in self.root.children.values():
            yield from self.below(child)

    def below(self, node: Node[R, S], enters: Callable[[Node[R, S]], bool] | None = None) -> Iterator[Node[R, S]]:
        """Give a node and all below it, parents before children, siblings in the order they came.

        enters: whether to go on to a child and what lies below it; by default to all.
        """
        stack = [node]
        while stack:
            node = stack.pop()
            yield node
            stack.extend(child for child in reversed(node.children.values()) if enters is None or enters(child))

    def match(self, tokens: Sequence[int], above: Node[R, S] | None = None) -> Match[R, S]:
        """Follow `tokens` down from the root, or from the end of `above`, as far as they are known, ghosts included."""
        wanted = array("i", tokens)
        node = self.root if above is None else above
        path, at = [node], 0
        while at < len(wanted):
            child = node.children.get(wanted[at])
            if child is None:
                break
            path.append(child)
            same = count_common(child.tokens, wanted[at : at + len(child.tokens)])
            at += same
            if same < len(child.tokens):
                break
            node = child
        return Match(path, at)

    def append(
        self, parent: Node[R, S], tokens: Sequence[int], provenances: Sequence[Provenance], *, is_guest: bool = False
    ) -> Node[R, S]:
        """Hang a new leaf below `parent`. The caller has matched: no child may begin with the same token.

        is_guest: it is another program's.
        """
        if not tokens:
            raise ValueError(f"an empty edge below node {parent.id}")
        if tokens[0] in parent.children:
            raise ValueError(f"node {parent.id} already has a child that begins with token {tokens[0]}")
        node = self._new_node(parent, parent.end, array("i", tokens))
        node.stored.provenances, node.usage.is_guest = list(provenances), is_guest
        parent.children[tokens[0]] = node
        self.tokens += len(node.tokens)
        self.changed(node)
        return node

    def extend(self, leaf: Node[R, S], tokens: Sequence[int], provenances: Sequence[Provenance]) -> None:
        """Lengthen the edge of a live leaf. A state at its end, an anchor, a pin, a lock or another path forbids it."""
        stored, usage = leaf.stored, leaf.usage
        must_end = leaf.children or stored.rows or stored.state or usage.anchors or usage.pins or leaf.locks
        if must_end or len(leaf.active_paths) > 1 or leaf.parent is None:
            raise ValueError(f"node {leaf.id} [{leaf.start}, {leaf.end}) cannot be extended")
        leaf.tokens.extend(tokens)
        self.tokens += len(tokens)
        self.used(leaf)
        append_provenances(leaf.stored.provenances, provenances)

    def split(self, node: Node[R, S], offset: int) -> Node[R, S]:
        """Divide an edge at a token offset inside it. Returns the new upper node; a state stays with the lower."""
        parent = node.parent
        if parent is None or not node.start < offset < node.end:
            raise ValueError(f"cannot split node {node.id} [{node.start}, {node.end}) at {offset}")
        at = offset - node.start
        halves = node.stored.rows.cut(at) if node.stored.rows is not None else None
        self._take_rows(node)
        upper = self._new_node(parent, node.start, node.tokens[:at])
        parent.children[upper.tokens[0]] = upper
        node.parent, node.start, node.tokens = upper, offset, node.tokens[at:]
        upper.children = {node.tokens[0]: node}
        upper.stored, upper.usage = node.stored.cut_above(offset), node.usage.of_upper_half()
        upper.active_paths, upper.locks = set(node.active_paths), node.locks
        for number in node.active_paths:
            path = self.paths[number]
            path.insert(_index_of(node, path), upper)
        if halves is not None:
            self._put_rows(upper, halves[0])
            self._put_rows(node, halves[1])
        upper.held_children, upper.disk_children = int(node.is_held), int(node.is_on_disk)
        self.changed(upper)
        self.changed(node)
        return upper

    def top_of(self, node: Node[R, S]) -> Node[R, S]:
        """Return the first edge of the branch that a node is on, which may have been split since it was found."""
        while node.parent is not None and node.parent.parent is not None:
            node = node.parent
        return self.root.children[node.tokens[0]]

    def node_ending_at(self, path: list[Node[R, S]], offset: int) -> Node[R, S]:
        """Return the node of a path that ends at a token offset, after splitting the edge that spans it.

        path: nodes, each the child of the one before it; a new upper node is put into it. Raises ValueError when it
        does not lead to that offset.
        """
        index = bisect_left(path, offset, key=lambda node: node.end)  # the first that ends there or beyond
        if index == len(path):
            raise ValueError(f"a path to {path[-1].end if path else 0} does not lead to {offset}")
        if path[index].end > offset:
            upper = self.split(path[index], offset)
            if path[index] is not upper:  # as it is where the path is an active one
                path.insert(index, upper)
        return path[index]

    def merge(self, node: Node[R, S]) -> Node[R, S]:
        """Join an edge with its only child's. The child survives, with its id and its state; returns it."""
        parent = node.parent
        if parent is None or len(node.children) != 1:
            raise ValueError(f"cannot merge node {node.id} with {len(node.children)} children")
        (child,) = node.children.values()
        if not self.can_merge(node):
            raise ValueError(f"nodes {node.id} and {child.id} are not held alike, or one must stay an end")
        for number in node.active_paths:
            del self.paths[number][_index_of(node, self.paths[number])]
        above, below = self._take_rows(node), self._take_rows(child)
        # In place, so that a long run of edges is joined from above in linear time.
        node.tokens.extend(child.tokens)
        node.stored.join_below(child.stored)
        child.parent, child.start, child.tokens = parent, node.start, node.tokens
        parent.children[child.tokens[0]] = child
        del self.nodes[node.id]
        if above is not None and below is not None:
            self._put_rows(child, above.join(below))
        child.usage.add(node.usage)
        self.changed(node)
        self.changed(child)
        return child

    def can_merge(self, node: Node[R, S]) -> bool:
        """Return whether nothing ends here that anybody may come back to, and both edges are held and used alike."""
        stored, usage = node.stored, node.usage
        if node.parent is None or len(node.children) != 1 or stored.state or stored.disk_state or usage.anchors:
            return False
        (child,) = node.children.values()
        below = child.stored
        return (
            (stored.rows is None) == (below.rows is None)
            and node.active_paths == child.active_paths
            and node.locks == child.locks
            and node.is_held == child.is_held
            and usage.pins == child.usage.pins
            and usage.owners == child.usage.owners
            and usage.is_guest == child.usage.is_guest
            and bool(stored.disk_rows) == bool(below.disk_rows)
            and bool(stored.provenances) == bool(below.provenances)
            and (usage.uses == child.usage.uses or not node.is_held)
        )

    def remove(self, leaf: Node[R, S]) -> None:
        """Forget a leaf and its tokens."""
        parent = leaf.parent
        if parent is None or leaf.children:
            raise ValueError(f"cannot remove node {leaf.id}: it is the root or has {len(leaf.children)} children")
        if leaf.active_paths or leaf.usage.pins or leaf.locks:
            raise ValueError(f"cannot remove node {leaf.id}: it is in use")
        self.set_rows(leaf, None)
        self.set_state(leaf, None)
        self.set_disk(leaf, (), None)
        del parent.children[leaf.tokens[0]], self.nodes[leaf.id]
        leaf.parent = None
        self.tokens -= len(leaf.tokens)
        self.changed(leaf)
        self.changed(parent)

    def claim(self, node: Node[R, S]) -> None:
        """Note that somebody else than guests uses an edge; whatever leads there must be claimed already."""
        if node.usage.is_guest:
            self.guest_bytes -= node.stored.nbytes
            node.usage.is_guest = False
            self.changed(node)
            if node.parent is not None:
                self.changed(node.parent)

    def set_rows(self, node: Node[R, S], rows: R | None) -> None:
        """Hang rows over the node's edge, or let the ones that hang there go."""
        was = node.is_held
        self._take_rows(node)
        if rows is not None:
            self._put_rows(node, rows)
        self._spread(node, was)

    def set_state(self, node: Node[R, S], state: S | None, is_answer_end: bool = False) -> None:
        """Hang the whole state at the node's end, or let the one that hangs there go."""
        was = node.is_held
        stored, before = node.stored, node.stored.state.nbytes if node.stored.state is not None else 0
        stored.state, stored.is_answer_end = state, is_answer_end and state is not None
        self._add_bytes(node, (state.nbytes if state is not None else 0) - before, node.is_pinned_end)
        if state is not None:
            stored.lost = Reason.NONE
        self._spread(node, was)

    def set_disk(self, node: Node[R, S], rows: Sequence[FileRef], state: FileRef | None) -> None:
        """Hang files that hold the edge's rows, or the state at its end, or take them down."""
        was = node.is_on_disk
        stored = node.stored
        if rows is not stored.disk_rows:
            for ref in stored.disk_rows:
                self._cover(ref, -_covered(ref, node))
            stored.disk_rows = list(rows)
            for ref in stored.disk_rows:
                self._cover(ref, _covered(ref, node))
        if state is not stored.disk_state:
            if stored.disk_state is not None:
                self._cover(stored.disk_state, -stored.disk_state.tokens)
            stored.disk_state = state
            if state is not None:
                self._cover(state, state.tokens)
        self.changed(node)
        while node.parent is not None and node.is_on_disk != was:
            parent, change = node.parent, 1 if node.is_on_disk else -1
            was = parent.is_on_disk
            parent.disk_children += change
            node = parent
            self.changed(node)

    def take_loosened(self) -> set[FileRef]:
        """Return the files that lost an edge since the last call."""
        loosened, self.loosened = self.loosened, set()
        return loosened

    def _cover(self, ref: FileRef, tokens: int) -> None:
        covered = self.files.get(ref, 0) + tokens
        if tokens < 0:
            self.loosened.add(ref)
        if covered:
            self.files[ref] = covered
        else:
            self.files.pop(ref, None)

    def open_path(self) -> int:
        """Begin an active path at the root. Returns its number, by which `paths` has its nodes."""
        number = next(number for number in count() if number not in self.paths)
        self.paths[number] = [self.root]
        return number

    def enter(self, node: Node[R, S], number: int) -> None:
        """Have an active path, whose live arrays hold the edge's rows, go on over it; rows that are stored are let go.

        Raises ValueError unless the edge begins where the path ends.
        """
        path = self.paths[number]
        if node.parent is not path[-1]:
            raise ValueError(f"node {node.id} at {node.start} does not follow on path {number}, at {path[-1].end}")
        was = node.is_held
        self.copied_tokens += len(node.tokens) if node.active_paths else 0
        node.active_paths.add(number)
        path.append(node)
        self._take_rows(node)
        self._spread(node, was)

    def leave(self, number: int) -> None:
        """Have an active path go back over its last edge, whose rows its live arrays do not hold any more."""
        node = self.paths[number].pop()
        was = node.is_held
        node.active_paths.discard(number)
        self.copied_tokens -= len(node.tokens) if node.active_paths else 0
        self._spread(node, was)

    def forget(self, node: Node[R, S], reason: Reason) -> None:
        """Let go of what is stored on a node and below it, deepest first, and say why."""
        for one in reversed(list(self.below(node))):
            self.set_rows(one, None)
            self.set_state(one, None)
            self.set_disk(one, (), None)
            if not one.active_paths:
                one.stored.lost = reason

    def forget_files(self, node: Node[R, S]) -> None:
        """Take down what lies on disk of a node and below it, since its rows are gone."""
        for one in reversed(list(self.below(node, lambda child: child.is_on_disk))):
            self.set_disk(one, (), None)

    def pin(self, node: Node[R, S], change: int) -> None:
        """Count pins, `change` 1 or -1, on a node and its ancestors: what leads to its end is kept."""
        path = [node]
        while path[-1].parent is not None:
            path.append(path[-1].parent)
        self.pinned_bytes -= sum(above.pinned_bytes for above in path)
        for above in path:
            above.usage.pins += change
            if above.usage.pins <= 1:
                self.changed(above)
        self.pinned_bytes += sum(above.pinned_bytes for above in path)
        self.changed(node)

    def lock(self, node: Node[R, S], change: int) -> None:
        """Count locks, `change` 1 or -1, on a node and its ancestors: what leads to its end stays as it is."""
        at: Node[R, S] | None = node
        while at is not None:
            was = at.is_held
            at.locks += change
            if at.locks <= 1:
                self._spread(at, was)
            at = at.parent

    def _spread(self, node: Node[R, S], was: bool) -> None:
        """Tell the ancestors when a node became held or a ghost."""
        self.changed(node)
        while node.parent is not None and node.is_held != was:
            parent, change = node.parent, 1 if node.is_held else -1
            was = parent.is_held
            parent.held_children += change
            node = parent
            self.changed(node)

    def _take_rows(self, node: Node[R, S]) -> R | None:
        rows, node.stored.rows = node.stored.rows, None
        self._add_bytes(node, -rows.nbytes if rows else 0, node.usage.pins > 0)
        return rows

    def _put_rows(self, node: Node[R, S], rows: R) -> None:
        node.stored.rows = rows
        self._add_bytes(node, rows.nbytes, node.usage.pins > 0)

    def _add_bytes(self, node: Node[R, S], nbytes: int, is_pinned: bool) -> None:
        """Change the totals, in an order in which no more than what is pinned is ever stored beyond a budget."""
        self.pinned_bytes += max(0, nbytes) if is_pinned else 0
        self.paged_bytes += nbytes
        self.guest_bytes += nbytes if node.usage.is_guest else 0
        self.pinned_bytes += min(0, nbytes) if is_pinned else 0

    def _new_node(self, parent: Node[R, S], start: int, tokens: array[int]) -> Node[R, S]:
        self._last_id += 1
        node = self.nodes[self._last_id] = Node(self._last_id, parent, start, tokens)
        return node


def _index_of(node: Node[R, S], path: list[Node[R, S]]) -> int:
    """Return where a node stands in a path that runs through it."""
    return bisect_left(path, node.end, key=lambda one: one.end)


def _covered(ref: FileRef, node: Node[R, S]) -> int:
    """Return how many tokens of a file's rows are on an edge."""
    return min(ref.end, node.end) - max(ref.start, node.start)
