"""What the prefix cache promises, checked on its real structures. For tests, and for the self-test's last look."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

from app.kvcache.active_path import ActivePath
from app.kvcache.disk.call_log_codec import CallLogCodec
from app.kvcache.disk.identity import Identity, clipped, runs_on
from app.kvcache.live_layers import LiveLayers
from app.kvcache.node import FileRef
from app.kvcache.prefix_cache import PrefixCache
from app.kvcache.snapshot import TrieNode, upwards


class BrokenInvariantError(AssertionError):
    """Error of a promise of the cache that does not hold; the text says which, with the numbers."""


def check(cache: PrefixCache) -> None:
    """Raise BrokenInvariantError unless every promise of trie.py, active_path.py and prefix_cache.py holds."""
    nodes = list(cache.trie)
    _require(len({node.id for node in nodes}) == len(nodes), "two nodes share an id")
    _require({node.id: node for node in nodes} == cache.trie.nodes, "the trie's list of its nodes is not the nodes")
    _check_root(cache.trie.root)
    for node in nodes:
        _check_edge(node)
        _check_stored(node, cache.active.layers)
        _check_provenances(node)
        _check_files(node, cache.paths.has_rows)
    for node in (cache.trie.root, *nodes):
        held = sum(child.is_held for child in node.children.values())
        _require(node.held_children == held, f"node {node.id} counts {node.held_children} held children of {held}")
        on_disk = sum(child.is_on_disk for child in node.children.values())
        _require(node.disk_children == on_disk, f"node {node.id} counts {node.disk_children} of {on_disk} on disk")
        below = sum(child.usage.pins for child in node.children.values())
        _require(node.usage.pins >= below, f"node {node.id} counts {node.usage.pins} pins, {below} below it")
    _check_hanging(cache, nodes)
    if cache.disk is not None:
        _check_identities(cache, nodes, cache.disk.codec)
    tokens = sum(len(node.tokens) for node in nodes)
    _require(cache.trie.tokens == tokens, f"{cache.trie.tokens} tokens counted, {tokens} in the trie")
    _check_account(cache, nodes)
    _check_seats(cache, nodes)
    for path in cache.paths:
        _check_active_path(cache, path)
    numbers = {path.number for path in cache.paths}
    for node in nodes:
        _require(node.active_paths <= numbers, f"node {node.id} is on paths {node.active_paths} of {numbers}")


def _require(holds: bool, text: str) -> None:
    if not holds:
        raise BrokenInvariantError(text)


def _check_root(root: TrieNode) -> None:
    _require(root.end == 0 and root.stored.rows is None and root.stored.state is None, "the root holds something")


def _check_edge(node: TrieNode) -> None:
    parent = node.parent
    name = f"node {node.id} [{node.start}, {node.end})"
    _require(parent is not None and len(node.tokens) > 0, f"{name} hangs nowhere or is empty")
    assert parent is not None
    _require(parent.end == node.start, f"{name} does not start where its parent ends, at {parent.end}")
    _require(parent.children.get(node.tokens[0]) is node, f"{name} is not its parent's child by its first token")
    foreign = node.usage.owners - parent.usage.owners if parent.parent is not None else frozenset()
    _require(not foreign, f"{name} was used by {len(foreign)} who did not pass the edge above")
    is_below_guests = parent.usage.is_guest and not node.usage.is_guest
    _require(not is_below_guests, f"{name} was used by more than guests, and not the edge above")
    is_guests_alone = not (node.usage.owners or node.usage.pins or node.stored.files)
    _require(not node.usage.is_guest or is_guests_alone, f"{name} is guests' alone, and is owned, pinned or written")
    _require(
        not node.stored.is_answer_end or node.stored.state is not None, f"{name} is an answer's end without a state"
    )


def _check_stored(node: TrieNode, layers: LiveLayers) -> None:
    name = f"node {node.id} [{node.start}, {node.end})"
    if node.stored.rows is not None:
        _require(not node.active_paths, f"{name} has rows both stored and live")
        _require(node.stored.rows.tokens == len(node.tokens), f"{name} stores {node.stored.rows.tokens} rows")
        _require(
            len(node.stored.rows.layers) == len(layers.rows),
            f"{name} stores rows of {len(node.stored.rows.layers)} layers",
        )
        above = node.parent
        _require(above is not None and (not above.parent or above.has_rows), f"{name} stores rows above a hole")
    if node.stored.state is not None:
        _require(
            len(node.stored.state.layers) == len(layers.states), f"{name} stores {len(node.stored.state.layers)} states"
        )
        call_log = node.stored.state.call_log
        ended = any(call.end == node.end for call in call_log.calls(node.end - 1, node.end))
        _require(node.end == call_log.start or ended, f"{name} stores a state that no call ended at")


def _check_files(node: TrieNode, has_rows: bool) -> None:
    name = f"node {node.id} [{node.start}, {node.end})"
    above = node.parent
    begins = [ref.start for ref in node.stored.disk_rows]
    _require(begins == sorted(set(begins)), f"{name}: files in disorder, {node.stored.disk_rows}")
    if node.stored.disk_rows:
        is_led_to = above is not None and (not above.parent or bool(above.stored.disk_rows))
        _require(is_led_to, f"{name} has rows on disk above a hole")
        at = node.start
        for ref in node.stored.disk_rows:
            is_next = ref.start == at or (at == node.start and ref.start < at)
            _require(is_next and ref.end > at, f"{name}: a gap or two files at {at} in {node.stored.disk_rows}")
            at = ref.end
        _require(at >= node.end, f"{name}: files to {at} only")
    if node.stored.disk_state is not None and has_rows:
        _require(node.has_rows, f"{name} has a state on disk, and no rows that lead to it")


def _check_hanging(cache: PrefixCache, nodes: list[TrieNode]) -> None:
    covered: Counter[FileRef] = Counter()
    for node in nodes:
        for ref in node.stored.disk_rows:
            covered[ref] += min(ref.end, node.end) - max(ref.start, node.start)
        if node.stored.disk_state is not None:
            covered[node.stored.disk_state] += node.stored.disk_state.tokens
    _require(cache.trie.files == covered, f"{len(cache.trie.files)} files are known to hang, {len(covered)} do")
    for ref, tokens in covered.items():
        is_whole = tokens == ref.tokens or ref in cache.trie.loosened
        _require(is_whole, f"{ref} hangs on {tokens} tokens and was not loosened")


def _check_identities(cache: PrefixCache, nodes: list[TrieNode], codec: CallLogCodec) -> None:
    """Each file hangs over the very rows that it was computed on, and speaks of the calls that are on record."""
    identities = {cache.trie.root.id: Identity()}
    for node in nodes:
        assert node.parent is not None
        above = identities[node.parent.id]
        name = f"node {node.id} [{node.start}, {node.end})"
        runs = runs_on(node, codec)
        for ref in node.stored.disk_rows:
            if ref.start >= node.start:
                before = above.then(clipped(runs, node.start, ref.start))
                _require(ref.above == before.text, f"{name}: {ref} was computed on other rows than those above it")
        by_files = above.then(runs_on(node, None))
        identities[node.id] = here = above.then(runs)
        _require(not node.stored.disk_rows or by_files.text == here.text, f"{name}: its files are of other calls")
        if node.stored.disk_state is not None and cache.paths.has_rows:
            _require(node.stored.disk_state.above == here.text, f"{name}: the state on disk was computed on other rows")


def _check_provenances(node: TrieNode) -> None:
    at = node.start
    if not node.stored.provenances and node.stored.rows is None and not node.active_paths:
        return
    for provenance in node.stored.provenances:
        _require(provenance.start == at < provenance.end, f"node {node.id}: a gap in the record at {at}")
        _require(
            provenance.call_log.start <= at and provenance.end <= provenance.call_log.end,
            f"node {node.id}: {provenance} beyond its call log",
        )
        at = provenance.end
    _require(at == node.end, f"node {node.id}: recorded to {at} of {node.end}")


def _check_account(cache: PrefixCache, nodes: list[TrieNode]) -> None:
    paged = sum(node.stored.nbytes for node in nodes)
    _require(cache.paged_bytes == paged, f"{cache.paged_bytes} bytes accounted, {paged} stored")
    guests = sum(node.stored.nbytes for node in nodes if node.usage.is_guest)
    _require(cache.trie.guest_bytes == guests, f"{cache.trie.guest_bytes} bytes counted as guests', {guests} are")
    pinned = sum(node.pinned_bytes for node in nodes)
    _require(cache.trie.pinned_bytes == pinned, f"{cache.trie.pinned_bytes} bytes counted as pinned, {pinned} are")
    copied = sum(len(node.tokens) * max(0, len(node.active_paths) - 1) for node in nodes)
    _require(cache.trie.copied_tokens == copied, f"{cache.trie.copied_tokens} copied tokens counted, {copied} are")
    used = cache.live_bytes + cache.paths.copied_bytes
    allowed = max(0, cache.budget.allowed - used, cache.trie.pinned_bytes)
    _require(paged <= allowed, f"{paged} bytes stored, {allowed} allowed beside {used} live")
    owners = [id(x) for node in nodes for x in (node.stored.rows, node.stored.state) if x is not None]
    _require(len(set(owners)) == len(owners), "a snapshot hangs on two nodes")


def _check_seats(cache: PrefixCache, nodes: list[TrieNode]) -> None:
    waiting = [session for session in cache.sessions if session is not cache.session]
    _require(cache.session is None or cache.session in cache.sessions, "the mounted session is not open")
    seats = [cache.paths.seats[session.number] for session in waiting]
    _require(len(list(cache.paths.seats)) == len(seats), f"{len(seats)} sessions wait at {list(cache.paths.seats)}")
    locks: Counter[int] = Counter()
    for session, seat in zip(waiting, seats, strict=True):
        name = f"session {session.number}, at {session.reached}"
        if seat.node is None:
            _require(seat.state is None, f"{name}, holds a state and no place")
            continue
        _require(seat.node.end <= session.reached, f"{name}, waits at {seat.node.end}")
        _require(seat.call_log.end == seat.node.end, f"{name}, is on record to {seat.call_log.end}")
        needs_state = cache.paths.has_states and seat.node is not cache.trie.root
        _require((seat.state is not None) == needs_state, f"{name}, holds {'no' if needs_state else 'a'} state")
        for node in upwards(seat.node):
            locks[node.id] += 1
            _require(cache.trie.nodes.get(node.id) is node, f"{name}, stands on node {node.id}, which is gone")
            _require(node.has_rows_in_memory or not cache.paths.has_rows, f"{name}, has lost the rows of {node.id}")
    for node in nodes:
        _require(node.locks == locks[node.id], f"node {node.id} counts {node.locks} locks of {locks[node.id]}")
    states = {id(seat.state): seat for seat in seats if seat.node and seat.node.stored.state is not seat.state}
    held = sum(seat.state.nbytes for seat in states.values() if seat.state is not None)
    _require(cache.paths.seats.nbytes == held, f"{cache.paths.seats.nbytes} bytes counted at seats, {held} are")


def _check_active_path(cache: PrefixCache, active: ActivePath) -> None:
    name, layers = f"path {active.number}", active.layers
    _require(active.path[0] is cache.trie.root, f"{name} does not begin at the root")
    for above, below in pairwise(active.path):
        _require(below.parent is above, f"{name} breaks between nodes {above.id} and {below.id}")
    _require(layers.arrays_agree(), f"{name}: layers at {[layer.offset for layer in layers.rows]} of {active.offset}")
    if not cache.unsupported:
        end = active.end.end + len(active.tail)
        _require(active.offset == end, f"{name} at {active.offset}, with its tail at {end}")
        _require(cache.session is not None or not active.tail, f"{name} has a tail at rest")
    on_path = {node.id for node in active.path[1:]}
    live = {node.id for node in cache.trie if active.number in node.active_paths}
    _require(live == on_path, f"nodes {live} are marked live, {name} is {on_path}")
