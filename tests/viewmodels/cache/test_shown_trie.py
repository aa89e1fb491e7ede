"""Which edges have rows: those of the open conversation, and none for a template's own text."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from app.protocol.trie_view import LABEL_LENGTH, LABEL_TOKENS, TrieNodeView, TrieView
from app.viewmodels.cache.shown_trie import Others, ShownTrie
from tests.seeds import chosen, each_seed
from tests.viewmodels.cache.growing import Growing, flat
from tests.widgets.samples import node

OURS, THEIRS = frozenset({"ours"}), frozenset({"theirs"})


def edge(number: int, parent: int | None, start: int, end: int, label: str, owners: frozenset[str]) -> TrieNodeView:
    return replace(node(number, parent, start, end, label), owners=owners)


def shown(*nodes: TrieNodeView, shows_others: bool = False, path: frozenset[int] = frozenset()) -> ShownTrie:
    trie = ShownTrie()
    trie.open_id, trie.shows_others, trie.path = "ours", shows_others, path
    trie.of(TrieView(1, nodes))
    return trie


NODES = (
    edge(1, None, 0, 10, "You are kind", OURS | THEIRS),
    edge(2, 1, 10, 50, "Three days", OURS),
    edge(3, 1, 10, 90, "Explain", THEIRS),
    edge(4, 3, 90, 99, "Shorter", THEIRS),
    edge(5, 2, 50, 60, "Cheaper", frozenset()),
)


def test_what_belongs_to_other_conversations_is_counted_and_left_out() -> None:
    trie = shown(*NODES)
    view = trie.of(TrieView(2, NODES))
    assert [one.id for one in view.nodes] == [1, 2, 5]
    assert trie.others == Others(2, NODES[2].bytes + NODES[3].bytes)
    trie.shows_others = True
    assert trie.of(TrieView(3, NODES)).nodes == NODES
    assert trie.others.edges == 2


def test_the_open_path_is_shown_whoever_asked_for_it() -> None:
    trie = shown(*NODES, path=frozenset({1, 3}))
    assert [one.id for one in trie.of(TrieView(2, NODES)).nodes] == [1, 2, 3, 5]


def test_template_text_belongs_to_the_message_beside_it() -> None:
    nodes = (
        edge(1, None, 0, 10, "You are kind", OURS),
        edge(2, 1, 10, 13, "", OURS),  # a role's mark, before one message
        edge(3, 2, 13, 50, "Three days", OURS),
        edge(4, 3, 50, 53, "", OURS),  # one before two of them
        edge(5, 4, 53, 60, "Cheaper", OURS),
        edge(6, 4, 53, 70, "By train", OURS),
        edge(7, 6, 70, 72, "", OURS),  # the end of what is known
    )
    trie = shown(*nodes)
    view = trie.of(TrieView(2, nodes))
    places = [(one.id, one.parent_id, one.start, one.end) for one in view.nodes]
    assert places == [(1, None, 0, 10), (3, 1, 10, 53), (5, 3, 53, 60), (6, 3, 53, 72)]
    assert sum(one.bytes for one in view.nodes) == sum(one.bytes for one in nodes)
    assert trie.row_of == {1: 1, 2: 3, 3: 3, 4: 3, 5: 5, 6: 6, 7: 6}
    again = trie.of(TrieView(3, nodes))
    assert all(one is other for one, other in zip(view.nodes, again.nodes, strict=True))


def test_whatever_the_trie_every_byte_is_told_once_and_parents_come_first() -> None:
    """At random."""
    for seed in chosen(range(200)):
        rng = random.Random(seed)
        nodes: list[TrieNodeView] = []
        stack: list[TrieNodeView | None] = [None]
        for number in range(1, rng.randint(2, 30)):
            while len(stack) > 1 and rng.random() < 0.3:
                stack.pop()
            above = stack[-1]
            start = above.end if above else 0
            label = rng.choice(["words", "words", ""])
            owners = rng.choice([OURS, THEIRS, OURS | THEIRS, frozenset()])
            made = edge(number, above.id if above else None, start, start + rng.randint(1, 9), label, owners)
            nodes.append(made)
            stack.append(made)
        trie = shown(*nodes, shows_others=seed % 2 == 0)
        view = trie.of(TrieView(1, tuple(nodes)))
        known: set[int | None] = {None}
        for one in view.nodes:
            assert one.parent_id in known, seed
            known.add(one.id)
        rows = {one.id: one for one in view.nodes}
        for one in view.nodes:
            parts = [part for part in nodes if trie.row_of.get(part.id) == one.id]
            assert one.bytes == sum(part.bytes for part in parts), seed
            assert one.label or one.parent_id is None, seed
        assert set(trie.row_of.values()) == rows.keys(), seed
        left_out = sum(part.bytes for part in nodes if part.id not in trie.row_of)
        assert left_out == (0 if trie.shows_others else trie.others.bytes), seed


class Named(Growing):
    """A trie of which some edges hold template text alone, and that several conversations asked for."""

    def view(self) -> TrieView:
        view = flat(self)
        for one in view.nodes:
            if one.label.startswith("node"):
                self.nodes[one.id] = self.named(one, ["words", "", ""])
        for one in self.rng.sample(view.nodes, min(2, len(view.nodes))):
            self.nodes[one.id] = self.named(self.nodes[one.id], ["words", ""])
        return flat(self)

    def named(self, one: TrieNodeView, labels: list[str]) -> TrieNodeView:
        label = self.rng.choice(labels)
        residency = self.rng.choice(["memory", "memory", "disk"])
        is_continued = bool(label) and self.rng.random() < 0.6
        return replace(one, label=label, is_continued=is_continued, residency=residency, owners=self.owners())

    def owners(self) -> frozenset[str]:
        return self.rng.choice([OURS, THEIRS, OURS | THEIRS, frozenset()])


def test_what_goes_on_with_a_message_is_in_its_row() -> None:
    """Until something else follows at that place, or it is kept elsewhere."""
    nodes = (
        edge(1, None, 0, 10, "You are kind", OURS),
        going_on(2, 1, 10, 20),
        going_on(3, 2, 20, 30),
        edge(4, 3, 30, 33, "", OURS),  # the template's own text before a question
        edge(5, 4, 33, 40, "Three days", OURS),
    )
    trie = shown(*nodes)
    assert places(trie.of(TrieView(2, nodes))) == [(1, None, 0, 30), (5, 1, 30, 40)]
    assert trie.row_of == {1: 1, 2: 1, 3: 1, 4: 5, 5: 5}
    forked = (*nodes, edge(6, 2, 20, 25, "Cheaper", OURS))
    assert places(trie.of(TrieView(3, forked))) == [(1, None, 0, 20), (3, 1, 20, 30), (5, 3, 30, 40), (6, 1, 20, 25)]
    on_disk = (*nodes[:2], replace(nodes[2], residency="disk"), *nodes[3:])
    assert places(trie.of(TrieView(4, on_disk))) == [(1, None, 0, 20), (3, 1, 20, 30), (5, 3, 30, 40)]
    assert places(trie.of(TrieView(5, nodes))) == [(1, None, 0, 30), (5, 1, 30, 40)]


def going_on(number: int, parent: int, start: int, end: int) -> TrieNodeView:
    return replace(edge(number, parent, start, end, "and more", OURS), is_continued=True)


def places(view: TrieView) -> list[tuple[int, int | None, int, int]]:
    return [(one.id, one.parent_id, one.start, one.end) for one in view.nodes]


@each_seed(range(40))
def test_a_picture_after_others_has_the_rows_that_it_has_alone(seed: int) -> None:
    rng = random.Random(seed)
    trie, chosen = Named(rng), ShownTrie()
    chosen.open_id = "ours"
    for _ in range(40):
        for _ in range(rng.randint(0, 4)):
            trie.change()
        view = trie.view()
        if rng.random() < 0.3:
            chosen.path = frozenset(rng.sample(sorted(trie.nodes), min(3, len(trie.nodes))))
        if rng.random() < 0.1:
            chosen.open_id = rng.choice(["ours", "theirs", ""])
        if rng.random() < 0.1:
            chosen.shows_others = not chosen.shows_others
        alone = ShownTrie()
        alone.open_id, alone.path, alone.shows_others = chosen.open_id, chosen.path, chosen.shows_others
        assert chosen.of(view).nodes == alone.of(view).nodes
        assert (chosen.row_of, chosen.others) == (alone.row_of, alone.others)
        own = own_edges(view, chosen)
        left_out = [one for one in view.nodes if one.id not in own]
        assert chosen.others == Others(len(left_out), sum(one.held_bytes for one in left_out))
        assert chosen.row_of.keys() == ({one.id for one in view.nodes} if chosen.shows_others else own)


def own_edges(view: TrieView, chosen: ShownTrie) -> set[int]:
    """The edges that the open conversation asked for, or nobody is known to have, and all above them."""
    own: set[int] = set()
    for one in view.nodes:
        is_nobodys = not one.owners and (one.parent_id is None or one.parent_id in own)
        if is_nobodys or chosen.open_id in one.owners or one.id in chosen.path:
            own.add(one.id)
    for one in reversed(view.nodes):
        if one.id in own and one.parent_id is not None:
            own.add(one.parent_id)
    return own


def test_a_picture_of_a_large_trie_costs_what_differs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 2,000 edges three were used, and one has another one below it."""
    trie = Named(random.Random(3))
    while len(trie.nodes) < 2_000:
        trie.grow()
    chosen = ShownTrie()
    chosen.open_id = "ours"
    chosen.of(trie.view())
    made: list[int] = []
    make = ShownTrie._make
    monkeypatch.setattr(ShownTrie, "_make", lambda self, edge: (made.append(edge.id), make(self, edge)))
    for number in trie.rng.sample(sorted(trie.nodes), 3):
        trie.nodes[number] = replace(trie.nodes[number], last_use=7)
    trie.grow()
    chosen.of(flat(trie))
    assert 0 < len(made) < 100


@each_seed(range(30))
def test_a_message_on_several_edges_is_named_as_on_one(seed: int) -> None:
    """Of each edge the first words are known; together they say no more than one could, and skip none."""
    rng = random.Random(seed)
    words = [f"{rng.choice(['', ' ', ' '])}{rng.choice(['in', 'the', 'end', 'a', 'lantern'])}" for _ in range(60)]
    text, at, nodes = "".join(words).strip(), 0, []
    while at < len(words):
        size = rng.choice([1, 2, 5, 30])
        said = "".join(words[at : at + min(size, LABEL_TOKENS)])
        label = (said if at else said.strip())[:LABEL_LENGTH]
        one = edge(len(nodes) + 1, len(nodes) or None, at, min(at + size, len(words)), label, OURS)
        nodes.append(replace(one, is_continued=at > 0))
        at += size
    (row,) = shown(*nodes).of(TrieView(2, tuple(nodes))).nodes
    assert text.startswith(row.label)
    assert len(row.label) >= min(LABEL_LENGTH, len("".join(words[:LABEL_TOKENS]).strip()))
