"""The record of what one server was sent: a trie of it, and what of that the server should still hold.

    record = Record(Rule(block=16))
    record.predicted(prompt)                # tokens that it should find
    record.take(prompt + answer, spans, conversation_id, cached)

Properties: nothing here is known, all of it is believed; what the server reports corrects it. It never holds more than
`MOST` tokens, and of the sequences that a server keeps which keeps few, together, no more either; a longer one is not
noted at all.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from enum import Enum, auto
from itertools import count

from app.protocol.chat import Role
from app.protocol.dataclass import dataclass
from app.protocol.trie_view import TrieNodeView, TrieView
from app.remote.slots import Shares, Slots

MOST = 1 << 21  # tokens
_FADING = 0.8  # of what was missed earlier, at each request
_SURPRISE = 64  # tokens that are missing where all was found lately
_ids = count(1)


@dataclass(frozen=True, slots=True)
class Rule:
    """Describe what a server keeps of the prompts that it has read.

    block: tokens that it keeps together. sequences: how many it keeps, the newest of them; 0 for all that it has room
    for. puts_away: beside them it keeps in memory what would be lost, as `Slots` tells.
    """

    block: int = 1
    sequences: int = 0
    puts_away: bool = False


@dataclass(frozen=True, slots=True)
class Span:
    """A message in a prompt: its tokens [start, end), who said it, and its first words."""

    start: int
    end: int
    role: Role
    words: str


class Node:
    """An edge of the record: tokens from `start` on, under the ones of its parent."""

    __slots__ = (
        "below",
        "id",
        "is_believed",
        "is_end",
        "kept",
        "owners",
        "parent",
        "spans",
        "start",
        "tokens",
        "use",
        "used_at",
    )

    def __init__(self, tokens: tuple[int, ...], start: int, parent: Node | None, spans: tuple[Span, ...]) -> None:
        self.id = next(_ids)
        self.tokens, self.start, self.parent, self.spans = tokens, start, parent, spans
        self.below: dict[int, Node] = {}
        self.owners: set[str] = set()
        self.kept: set[int] = set()  # sequences with these tokens that slots hold or have put away
        self.is_believed = self.is_end = False
        self.use, self.used_at = 0, 0.0

    @property
    def end(self) -> int:
        """Return the place after its last token."""
        return self.start + len(self.tokens)

    def doubt(self) -> None:
        """Believe that its tokens are held no more."""
        self.is_believed = False
        self.kept.clear()

    @property
    def is_within(self) -> bool:
        """Whether its first token does not begin a message."""
        return bool(self.spans) and self.spans[0].start < self.start


class Way(Enum):
    """Name the way in which a server finds tokens of a prompt.

    ALL: in whatever it holds. PUT_AWAY: in the slot that it chooses, and in what slots have put away. SLOTS: in that
    slot alone. WHOLE: where a request has begun or ended, since the model's cache cannot be cut.
    """

    ALL = auto()
    PUT_AWAY = auto()
    SLOTS = auto()
    WHOLE = auto()


class Record:
    """Keep the token ids that one server was sent, as a trie, and predict what it still holds. Attribute: rule.

    In which way a server finds tokens is learned from what it reports.
    """

    def __init__(self, rule: Rule, most: int = MOST, clock: Callable[[], float] = time.time) -> None:
        """most: tokens that it holds. clock: seconds since the epoch."""
        self.rule = rule
        self._most, self._clock = most, clock
        self._root = Node((), 0, None, ())
        self._kept: list[tuple[int, ...]] = []  # sequences that a server keeps that keeps few, the oldest first
        self._slots = Slots(rule.sequences)  # where they put away
        self._tokens = self._uses = self._serial = self._sequences = 0
        ways = (Way.PUT_AWAY, Way.SLOTS, Way.WHOLE) if rule.puts_away else (Way.ALL, Way.WHOLE)
        self._missed = dict.fromkeys(ways, 0.0)  # tokens

    @property
    def is_right(self) -> bool:
        """Return whether what was predicted lately was found."""
        return min(self._missed.values()) < 1

    def seen(self, ids: Sequence[int]) -> int:
        """Return how many of the first tokens were sent before."""
        return sum(shared for _, shared in self._walk(ids))

    def believed(self, ids: Sequence[int]) -> int:
        """Return how many of the first tokens the server should hold."""
        return self._held(ids, self._way)

    @property
    def _way(self) -> Way:
        """The way in which least was missed lately."""
        return min(self._missed, key=self._missed.__getitem__)

    def _held(self, ids: Sequence[int], way: Way) -> int:
        """Return how many of the first tokens should be held and found in this way."""
        if self.rule.puts_away:
            shares = self._shares(ids)
            if way is Way.WHOLE:
                return self._slots.found_whole(shares, len(ids))
            return self._slots.found(shares, len(ids), takes_back=way is Way.PUT_AWAY)
        found = end = 0
        for node, shared in self._walk(ids):
            if not node.is_believed:
                break
            found += shared
            end = found if node.is_end and shared == len(node.tokens) else end
        return end if way is Way.WHOLE else found

    def predicted(self, ids: Sequence[int]) -> int:
        """Return how many of the first tokens of a prompt the server should find: whole blocks, and never the last."""
        return self._found(ids, self.believed(ids))

    def _found(self, ids: Sequence[int], held: int) -> int:
        return min(held, max(len(ids) - 1, 0)) // self.rule.block * self.rule.block

    def _learn(self, ids: Sequence[int], cached: int) -> None:
        """Compare each way of finding tokens with what a server has found."""
        for way, before in self._missed.items():
            self._missed[way] = _FADING * before + abs(cached - self._found(ids, self._held(ids, way)))

    def edge(self, ids: Sequence[int]) -> int:
        """Return the id of the last edge that a prompt goes along, 0 for none."""
        path = self._walk(ids)
        return path[-1][0].id if path else 0

    def take(
        self,
        ids: Sequence[int],
        spans: Sequence[Span],
        owner: str,
        cached: int | None = None,
        prompt: int | None = None,
    ) -> None:
        """Note what the server has read and written.

        cached: how many of the tokens it says that it found. prompt: how many of them it was sent, None for all.
        """
        if len(ids) > self._most:
            return
        tokens = tuple(ids)
        asked = tokens[:prompt]
        was_right = self.is_right
        if cached is not None:
            self._learn(asked, cached)
        before, shares = self.predicted(asked), self._shares(asked)
        self._uses += 1
        path = self._put(tokens, tuple(spans))
        for node in path:  # a sequence that goes on is no longer kept as it was, where few are kept
            node.is_end = node is path[-1] or (node.is_end and not self.rule.sequences)
        if cached is not None and cached + self.rule.block < before:
            self._doubt(path, cached)
            if was_right and cached + _SURPRISE <= before:
                self._doubt_older(path, cached)
        for node in path:
            node.is_believed, node.use, node.used_at = True, self._uses, self._clock()
            node.owners.add(owner)
        if self.rule.puts_away:
            self._take_slot(path, len(tokens), shares, len(asked), before if cached is None else cached)
        elif self.rule.sequences:
            self._keep(tokens)
        self._shrink({node.id for node in path})

    def lose(self) -> None:
        """Believe that the server holds nothing any more of what it was sent."""
        for node in self._all():
            node.doubt()
        self._slots.clear()

    def forget(self, owner: str) -> bool:
        """Forget what only this owner sent. Returns whether there was anything."""
        gone = [node for node in self._all() if node.owners == {owner}]
        for node in self._all():
            node.owners.discard(owner)
        for node in gone:
            if node.parent is not None and node.parent.below.get(node.tokens[0]) is node:
                self._remove(node)
        return bool(gone)

    def view(self, place: str) -> TrieView:
        """Return a picture of it, in which nothing has bytes. place: what the person calls the server."""
        self._serial += 1
        said: dict[int, str] = {}  # of the message that an edge ends in, by all edges down to it
        nodes = []
        for node in self._all():
            before = said[node.parent.id] if node.is_within and node.parent is not None else ""
            said[node.id] = _words(node)
            nodes.append(_shown(node, before, said[node.id]))
        return TrieView(self._serial, tuple(nodes), place=place)

    # The trie

    def _walk(self, ids: Sequence[int]) -> list[tuple[Node, int]]:
        """Return the edges that a prompt goes along, each with how many tokens of it."""
        node, at, path = self._root, 0, []
        while at < len(ids) and (below := node.below.get(ids[at])) is not None:
            shared = _shared(below.tokens, ids, at)
            path.append((below, shared))
            at += shared
            if shared < len(below.tokens):
                break
            node = below
        return path

    def _put(self, tokens: tuple[int, ...], spans: tuple[Span, ...]) -> list[Node]:
        """Return the edges of a sequence, of which there is one to its end now."""
        self._part(tokens, [span.start for span in spans])
        path = [node for node, _ in self._walk(tokens)]
        above = path[-1] if path else self._root
        if above.end < len(tokens):
            rest = Node(tokens[above.end :], above.end, above, _within(spans, above.end, len(tokens)))
            above.below[rest.tokens[0]] = rest
            self._tokens += len(rest.tokens)
            self._part(tokens, [span.start for span in spans])
            path = [node for node, _ in self._walk(tokens)]
        return path

    def _part(self, tokens: tuple[int, ...], places: Sequence[int]) -> None:
        """Have edges end where a sequence leaves them, and where its messages begin."""
        for node, shared in self._walk(tokens):
            within = {place - node.start for place in places if node.start < place < node.start + shared}
            within |= {shared} if shared < len(node.tokens) else set()
            for at in sorted(within, reverse=True):
                self._split(node, at)
                node = node.parent or node

    def _split(self, node: Node, at: int) -> Node:
        """Part an edge after so many tokens; returns the upper part, which is a new one."""
        above = node.parent or self._root
        place = node.start + at
        upper = Node(node.tokens[:at], node.start, above, _within(node.spans, node.start, place))
        upper.owners, upper.kept, upper.is_believed = set(node.owners), set(node.kept), node.is_believed
        upper.use, upper.used_at = node.use, node.used_at
        above.below[node.tokens[0]] = upper
        node.spans = _within(node.spans, place, node.end)
        node.tokens, node.start, node.parent = node.tokens[at:], place, upper
        upper.below[node.tokens[0]] = node
        return upper

    def _doubt(self, path: Sequence[Node], cached: int) -> None:
        """Believe nothing that hangs on a path behind what the server found of it."""
        on_path = {node.id for node in path}
        for node in path:
            if node.end > cached:
                for below in node.below.values():
                    if below.id not in on_path:
                        for one in _with_all_below(below):
                            one.doubt()

    def _doubt_older(self, path: Sequence[Node], cached: int) -> None:
        """Believe nothing that was used no later than what is gone: the server let go of it before, or has ended."""
        on_path = {node.id for node in path}
        gone = max((node.use for node in path if node.end > cached), default=0)
        for node in self._all():
            if node.use <= gone and node.id not in on_path:
                node.doubt()

    def _shares(self, ids: Sequence[int]) -> Shares:
        """Return what a prompt has in common with each sequence that is kept."""
        found: dict[int, int] = {}
        for node, shared in self._walk(ids):
            for number in node.kept:
                found[number] = found.get(number, 0) + shared
        return found

    def _shares_of(self, sequence: int) -> Shares:
        """Return what a sequence that is kept has in common with each of them."""
        found: dict[int, int] = {}
        for node in self._all():
            if sequence in node.kept:
                for number in node.kept:
                    found[number] = found.get(number, 0) + len(node.tokens)
        return found

    def _take_slot(self, path: Sequence[Node], length: int, shares: Shares, asked: int, cached: int) -> None:
        """Believe in what is kept once a slot holds a sequence."""
        self._sequences += 1
        self._slots.take(self._sequences, length, shares, asked, cached, self._shares_of)
        for node in path:
            node.kept.add(self._sequences)
        kept = self._slots.kept
        believed = self._slots.held if self._way is Way.SLOTS else kept
        for node in self._all():
            node.kept &= kept
            node.is_believed = node.is_believed and not believed.isdisjoint(node.kept)

    def _keep(self, tokens: tuple[int, ...]) -> None:
        """Believe in the newest sequences alone."""
        others = [one for one in self._kept if tokens[: len(one)] != one]
        self._kept = [*others, tokens][-self.rule.sequences :]
        while sum(map(len, self._kept)) > self._most:
            del self._kept[0]
        held = {node.id: (node, shared) for one in self._kept for node, shared in self._walk(one)}
        for node in list(self._all()):
            node.is_believed = node.is_believed and node.id in held

    def _shrink(self, held: set[int]) -> None:
        """Forget what was used least lately until there is room."""
        while self._tokens > self._most:
            leaves = [node for node in self._all() if not node.below and node.id not in held]
            if not leaves:
                return
            self._remove(min(leaves, key=lambda node: node.use))

    def _remove(self, node: Node) -> None:
        if node.parent is not None:
            del node.parent.below[node.tokens[0]]
        self._tokens -= sum(len(one.tokens) for one in _with_all_below(node))

    def _all(self) -> Iterator[Node]:
        """Give all edges, each before those below it."""
        for top in list(self._root.below.values()):
            yield from _with_all_below(top)


def _with_all_below(node: Node) -> Iterator[Node]:
    """Give an edge and those below it, depth first."""
    waiting = [node]
    while waiting:
        one = waiting.pop()
        yield one
        waiting.extend(reversed(one.below.values()))


def _shared(tokens: tuple[int, ...], ids: Sequence[int], at: int) -> int:
    """Return how many tokens of an edge follow in a prompt from a place on."""
    most = min(len(tokens), len(ids) - at)
    if tuple(ids[at : at + most]) == tokens[:most]:
        return most
    return next(number for number in range(most) if tokens[number] != ids[at + number])


def _within(spans: Sequence[Span], start: int, end: int) -> tuple[Span, ...]:
    """Return the messages that have tokens between two places."""
    return tuple(span for span in spans if span.start < end and span.end > start)


def _words(node: Node) -> str:
    """Return the first words of an edge's message: those that all have in common that go on below it."""
    if not node.spans:
        return ""
    span = node.spans[-1]
    below = [one.spans[0].words for one in node.below.values() if one.is_within]
    if len(below) < 2 or span.end <= node.end:
        return span.words
    differ = (number for number, letters in enumerate(zip(*below, strict=False)) if len(set(letters)) > 1)
    words = below[0][: next(differ, min(map(len, below)))]
    is_whole = all(one[len(words) :][:1] in ("", " ") for one in below)
    return words if is_whole else words.rpartition(" ")[0]


def _shown(node: Node, before: str, words: str) -> TrieNodeView:
    """Return an edge as it is shown. before, words: what is said of its message above it, and down to its end."""
    first = node.spans[0] if node.spans else None
    parent = node.parent
    goes_on = bool(before) and words.startswith(before) and words != before
    return TrieNodeView(
        id=node.id,
        parent_id=None if parent is None or parent.parent is None else parent.id,
        start=node.start,
        end=node.end,
        label=words[len(before) :] if goes_on else words,
        bytes=0,
        residency="believed" if node.is_believed else "none",
        lanes=(),
        has_state=node.is_believed,
        is_restore_point=False,
        last_use=node.use,
        used_at=node.used_at,
        role=None if first is None else first.role,
        is_continued=bool(before),
        owners=frozenset(node.owners),
    )
