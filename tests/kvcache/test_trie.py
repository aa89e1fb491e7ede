"""The trie alone, with stored things that are only sizes."""

from __future__ import annotations

import random
from array import array
from dataclasses import dataclass
from itertools import pairwise

import pytest

from app.kvcache.call_log import Call, CallLog, Provenance, append_provenances, cut, last_prefill_end
from app.kvcache.node import FileRef, Node
from app.kvcache.trie import Trie
from app.protocol.sequences import count_common
from tests.seeds import chosen


@dataclass
class FakeRows:
    """Rows that are the tokens themselves, ten bytes each."""

    tokens: list[int]

    @property
    def nbytes(self) -> int:
        return 10 * len(self.tokens)

    def cut(self, at: int) -> tuple[FakeRows, FakeRows]:
        return FakeRows(self.tokens[:at]), FakeRows(self.tokens[at:])

    def join(self, below: FakeRows) -> FakeRows:
        return FakeRows(self.tokens + below.tokens)


@dataclass
class FakeState:
    nbytes: int = 100


FakeTrie = Trie[FakeRows, FakeState]
FakeNode = Node[FakeRows, FakeState]


def add(trie: FakeTrie, parent: FakeNode, tokens: list[int], stored: bool = True) -> FakeNode:
    call_log = CallLog(parent.end)
    call_log.add(tokens)
    node = trie.append(parent, tokens, [Provenance(call_log, parent.end, parent.end + len(tokens))])
    if stored:
        trie.set_rows(node, FakeRows(list(tokens)))
    return node


def rows(node: FakeNode) -> list[int]:
    assert node.stored.rows is not None
    return node.stored.rows.tokens


class TestMatch:
    def test_branches_are_told_apart_by_their_first_token(self) -> None:
        trie: FakeTrie = Trie()
        add(trie, trie.root, [1, 2, 3])
        add(trie, trie.root, [4, 5, 6])
        assert [trie.match(query).length for query in ([1, 2, 3, 9], [4, 5, 6], [7])] == [3, 3, 0]

    def test_it_stops_inside_an_edge(self) -> None:
        trie: FakeTrie = Trie()
        node = add(trie, trie.root, [1, 2, 3])
        path, length = trie.match([1, 2, 9])
        assert (path, length) == ([trie.root, node], 2)

    def test_common_prefix_of_long_runs(self) -> None:
        generator = random.Random(5)
        for _ in range(200):
            edge = [generator.randrange(3) for _ in range(generator.randrange(1, 60))]
            other = edge[: generator.randrange(len(edge) + 1)] + [generator.randrange(3) for _ in range(5)]
            plain = next((i for i, (a, b) in enumerate(zip(edge, other, strict=False)) if a != b), None)
            wanted = min(len(edge), len(other)) if plain is None else plain
            assert count_common(array("i", edge), array("i", other)) == wanted


class TestNodeEndingAt:
    def test_any_offset_of_a_path_can_be_an_end(self) -> None:
        for seed in chosen(range(200)):
            generator = random.Random(seed)
            trie: FakeTrie = Trie()
            node, tokens = trie.root, []
            for _ in range(generator.randrange(1, 6)):
                edge = [generator.randrange(9) for _ in range(generator.randrange(1, 7))]
                node = add(trie, node, edge)
                tokens += edge
            path = trie.match(tokens).path[generator.randrange(2) :]
            offset = generator.randrange(path[0].start + len(path[0].tokens) // 2, len(tokens) + 1) or path[0].end
            found = trie.node_ending_at(path, offset)
            assert found.end == offset, seed
            assert found in path, seed
            assert all(below.parent is above for above, below in pairwise(path)), seed
            assert [token for node in path for token in node.tokens] == tokens, seed
            assert [token for node in trie for token in rows(node)] == tokens, seed
            with pytest.raises(ValueError, match=f"does not lead to {len(tokens) + 1}"):
                trie.node_ending_at(path, len(tokens) + 1)


class TestSplitAndMerge:
    @pytest.mark.parametrize("at", [1, 2, 3, 4])
    def test_split_and_merge_again_change_nothing(self, at: int) -> None:
        trie: FakeTrie = Trie()
        node = add(trie, trie.root, [1, 2, 3, 4, 5])
        upper = trie.split(node, at)
        assert rows(upper) + rows(node) == [1, 2, 3, 4, 5]
        assert (upper.start, upper.end, node.start, node.end) == (0, at, at, 5)
        assert trie.paged_bytes == 50
        assert trie.merge(upper) is node
        assert rows(node) == node.tokens.tolist() == [1, 2, 3, 4, 5]
        assert trie.paged_bytes == 50
        assert [(provenance.start, provenance.end) for provenance in node.stored.provenances] == [(0, 5)]

    def test_the_upper_node_gets_the_new_id_and_the_lower_keeps_the_state(self) -> None:
        trie: FakeTrie = Trie()
        node = add(trie, trie.root, [1, 2, 3])
        trie.set_state(node, FakeState())
        old = node.id
        upper = trie.split(node, 1)
        assert node.id == old != upper.id
        assert node.stored.state is not None
        assert upper.stored.state is None

    @pytest.mark.parametrize("at", [0, 3, 7])
    def test_there_is_nothing_to_split_at_the_ends(self, at: int) -> None:
        trie: FakeTrie = Trie()
        node = add(trie, trie.root, [1, 2, 3])
        with pytest.raises(ValueError, match="cannot split"):
            trie.split(node, at)

    def test_what_cannot_be_merged_or_removed_says_so(self) -> None:
        trie: FakeTrie = Trie()
        node = add(trie, trie.root, [1, 2])
        with pytest.raises(ValueError, match="0 children"):
            trie.merge(node)
        add(trie, node, [3])
        add(trie, node, [4])
        with pytest.raises(ValueError, match="2 children"):
            trie.merge(node)
        with pytest.raises(ValueError, match="2 children"):
            trie.remove(node)
        with pytest.raises(ValueError, match="root"):
            trie.remove(trie.root)
        with pytest.raises(ValueError, match="already has a child"):
            add(trie, node, [4, 5])

    def test_an_end_that_somebody_will_come_back_to_stays(self) -> None:
        trie: FakeTrie = Trie()
        node = add(trie, trie.root, [1, 2])
        add(trie, node, [3])
        node.usage.anchors.add("a conversation")
        assert not trie.can_merge(node)
        node.usage.anchors.clear()
        assert trie.can_merge(node)
        trie.set_state(node, FakeState())
        assert not trie.can_merge(node)

    def test_ids_are_never_used_again(self) -> None:
        trie: FakeTrie = Trie()
        seen = set()
        for _ in range(5):
            node = add(trie, trie.root, [1])
            assert node.id not in seen
            seen.add(node.id)
            trie.remove(node)


class TestHeld:
    def test_a_node_is_held_through_what_lies_below_it(self) -> None:
        trie: FakeTrie = Trie()
        upper = add(trie, trie.root, [1], stored=False)
        lower = add(trie, upper, [2], stored=False)
        assert not upper.is_held
        trie.set_state(lower, FakeState())
        assert upper.is_held
        assert trie.root.held_children == 1
        trie.set_state(lower, None)
        assert not upper.is_held
        assert trie.root.held_children == 0

    def test_entering_a_path_lets_stored_rows_go(self) -> None:
        trie: FakeTrie = Trie()
        node = add(trie, trie.root, [1, 2])
        path = trie.open_path()
        trie.enter(node, path)
        assert trie.paged_bytes == 0
        assert node.has_rows
        trie.leave(path)
        assert not node.is_held


class TestPaths:
    def test_whatever_is_split_and_merged_each_path_is_a_chain_and_what_it_shares_is_counted(self) -> None:
        for seed in chosen(range(100)):
            generator = random.Random(seed)
            trie: FakeTrie = Trie()
            numbers = [trie.open_path() for _ in range(3)]
            for _ in range(60):
                self._do_something(trie, generator.choice(numbers), generator)
                for number, path in trie.paths.items():
                    assert path[0] is trie.root, seed
                    assert all(below.parent is above for above, below in pairwise(path)), seed
                    on_it = {node.id for node in trie if number in node.active_paths}
                    assert [node.id for node in path[1:]] == sorted(on_it, key=lambda id: trie.nodes[id].start), seed
                copies = sum(len(node.tokens) * max(0, len(node.active_paths) - 1) for node in trie)
                assert trie.copied_tokens == copies, seed

    def _do_something(self, trie: FakeTrie, number: int, generator: random.Random) -> None:
        path = trie.paths[number]
        children = list(path[-1].children.values())
        nodes = list(trie)
        operation = generator.randrange(5)
        if operation == 0 and len(path) > 1:
            trie.leave(number)
        elif operation == 1 and children:
            trie.enter(generator.choice(children), number)
        elif operation == 2:
            free = [token for token in range(3) if token not in path[-1].children]
            if free:
                words = [free[0], *generator.choices(range(3), k=generator.randrange(5))]
                trie.enter(add(trie, path[-1], words, stored=False), number)
        elif operation == 3 and path[-1].end:
            trie.node_ending_at(path, generator.randrange(1, path[-1].end + 1))
        elif operation == 4:
            for node in nodes:
                if node.id in trie.nodes and trie.can_merge(node):
                    trie.merge(node)

    def test_a_path_goes_on_only_where_it_ends(self) -> None:
        trie: FakeTrie = Trie()
        above = add(trie, trie.root, [1, 2])
        below = add(trie, above, [3])
        path = trie.open_path()
        with pytest.raises(ValueError, match="does not follow"):
            trie.enter(below, path)

    def test_an_edge_where_another_path_stands_does_not_grow(self) -> None:
        trie: FakeTrie = Trie()
        node = add(trie, trie.root, [1, 2], stored=False)
        for path in (trie.open_path(), trie.open_path()):
            trie.enter(node, path)
        with pytest.raises(ValueError, match="cannot be extended"):
            trie.extend(node, [3], [])


class TestFiles:
    def test_what_hangs_and_what_was_taken_down_is_known(self) -> None:
        """However edges are cut and joined, a file counts until its last token is taken down."""
        trie: FakeTrie = Trie()
        node = add(trie, trie.root, [1, 2, 3, 4, 5, 6])
        rows, more, state = FileRef("", 0, 4), FileRef("", 4, 6), FileRef("", 2, 6)
        trie.set_disk(node, (rows, more), state)
        assert trie.files == {rows: 4, more: 2, state: 4}
        upper = trie.split(node, 3)
        assert trie.files == {rows: 4, more: 2, state: 4}
        assert not trie.take_loosened()
        trie.set_disk(node, (), None)
        assert trie.files == {rows: 3}
        assert trie.take_loosened() == {rows, more, state}
        trie.remove(node)
        trie.remove(upper)
        assert not trie.files
        assert trie.take_loosened() == {rows}


class TestCallLog:
    def test_calls_follow_each_other(self) -> None:
        call_log = CallLog(5)
        call_log.add([1, 2, 3])
        call_log.add([4])
        call_log.add([5, 6])
        assert call_log.end == 11
        assert list(call_log.calls(5, 11)) == [Call(5, 3), Call(8, 1), Call(9, 2)]
        assert list(call_log.calls(6, 9)) == [Call(5, 3), Call(8, 1)]
        assert list(call_log.calls(8, 8)) == []
        assert call_log.tokens(Call(8, 1)).tolist() == [4]
        with pytest.raises(ValueError, match="no tokens"):
            call_log.add([])

    def test_pieces_are_cut_and_joined(self) -> None:
        call_log, other = CallLog(), CallLog(4)
        provenances = [Provenance(call_log, 0, 4), Provenance(other, 4, 9)]
        above, below = cut(provenances, 6)
        assert above == [Provenance(call_log, 0, 4), Provenance(other, 4, 6)]
        assert below == [Provenance(other, 6, 9)]
        append_provenances(above, below)
        assert above == provenances

    def test_the_last_call_of_several_tokens_is_found_whatever_lies_between(self) -> None:
        generator = random.Random(8)
        for seed in chosen(range(300)):
            call_log = CallLog(generator.randrange(5))
            for _ in range(generator.randrange(1, 12)):
                call_log.add([1] * generator.choice([1, 1, 2, 5]))
            calls = list(call_log.calls(call_log.start, call_log.end))
            start = generator.randrange(call_log.start, call_log.end)
            end = generator.randrange(start + 1, call_log.end + 1)
            wanted = [min(call.end, end) for call in calls if call.length > 1 and call.start < end and call.end > start]
            assert call_log.last_prefill_end(start, end) == max(wanted, default=0), seed
            provenances = cut([Provenance(call_log, call_log.start, call_log.end)], start)
            assert last_prefill_end([*reversed(provenances[1]), *reversed(provenances[0])], end) == max(
                (min(call.end, end) for call in calls if call.length > 1 and call.start < end), default=0
            ), seed


class TestLocks:
    def test_what_is_locked_is_neither_joined_nor_lengthened_nor_removed(self) -> None:
        trie: FakeTrie = Trie()
        upper = add(trie, trie.root, [1, 2])
        lower = add(trie, upper, [3, 4])
        leaf = add(trie, lower, [5], stored=False)
        trie.lock(upper, 1)
        assert not trie.can_merge(upper)
        trie.lock(lower, 1)
        assert (upper.locks, lower.locks, leaf.locks) == (2, 1, 0)
        trie.lock(leaf, 1)
        with pytest.raises(ValueError, match="in use"):
            trie.remove(leaf)
        with pytest.raises(ValueError, match="cannot be extended"):
            trie.extend(leaf, [6], [])
        for node in (leaf, lower, upper):
            trie.lock(node, -1)
        trie.remove(leaf)
        assert trie.can_merge(upper)

    def test_both_halves_of_a_split_edge_are_locked(self) -> None:
        trie: FakeTrie = Trie()
        node = add(trie, trie.root, [1, 2, 3])
        trie.lock(node, 1)
        assert (trie.split(node, 1).locks, node.locks) == (1, 1)

    def test_an_edge_that_only_a_lock_holds_is_no_ghost(self) -> None:
        trie: FakeTrie = Trie()
        upper = add(trie, trie.root, [1, 2], stored=False)
        lower = add(trie, upper, [3], stored=False)
        trie.lock(lower, 1)
        assert upper.is_held
        assert trie.root.held_children == upper.held_children == 1
        trie.lock(lower, -1)
        assert not upper.is_held
        assert trie.root.held_children == upper.held_children == 0
