"""Several active paths over one trie: each goes its own way, and what they share counts once."""

from __future__ import annotations

import random

import mlx.core as mx
import pytest

from app.kvcache.active_path import ActivePath
from app.kvcache.invariants import check
from app.kvcache.prefix_cache import PrefixCache
from app.kvcache.restore_plan import plan_restore
from app.kvcache.view import EdgeLabel, view
from tests.kvcache.comparison import cache_of
from tests.kvcache.ledger import MIXES, VOCABULARY, ask, ledger_cache
from tests.seeds import each_seed

PROMPT = list(range(1, 40))
KINDS = ["llama", "gemma3", "lfm2", "falcon_h1", "mamba2", "llama4"]


def go_to(cache: PrefixCache, path: ActivePath, tokens: list[int]) -> None:
    """Bring a path to the end of these tokens, as a request would, and to rest there."""
    assert path.switch_to(plan_restore(cache.trie, cache.paths, tokens))
    feed(path, tokens[path.offset :])


def feed(path: ActivePath, tokens: list[int], chunk: int = 8) -> None:
    for start in range(0, len(tokens), chunk):
        path.compute(tokens[start : start + chunk])
    path.rest()


def tokens_of(path: ActivePath) -> list[int]:
    return [token for node in path.path for token in node.tokens]


def bits(path: ActivePath) -> list[bytes]:
    """Everything that is live on a path, as it is now."""
    arrays = [x for layers in (path.layers.rows, path.layers.states) for layer in layers for x in layer.arrays()]
    return [bytes(memoryview(mx.contiguous(x).reshape(-1).view(mx.uint8))) for x in arrays]


@pytest.mark.parametrize("kind", KINDS)
def test_a_second_path_begins_with_what_the_first_has_live_and_changes_none_of_it(kind: str) -> None:
    cache = cache_of(kind)
    one, other = cache.active, cache.open_path()
    go_to(cache, one, PROMPT)
    before = bits(one)
    go_to(cache, other, [*PROMPT, 50])
    assert other.offset == len(PROMPT) + 1
    assert cache.faults == 0
    feed(other, [51, 52, 53])
    check(cache)
    assert bits(one) == before
    go_to(cache, other, [60, 61])
    assert bits(one) == before
    assert tokens_of(one) == PROMPT
    check(cache)


@pytest.mark.parametrize("kind", KINDS)
def test_by_turns_each_computes_what_it_does_alone(kind: str) -> None:
    """Both go on after one prompt, a few tokens a turn; logits and live arrays are those of a path alone."""
    suffixes = [[50, 51, 52, 53, 54, 55], [50, 41, 42, 43, 44, 45]]
    together = cache_of(kind)
    paths = [together.active, together.open_path()]
    logits: list[list[mx.array]] = [[], []]
    for path in paths:
        go_to(together, path, PROMPT)
    for turn in range(0, 6, 2):
        for path, suffix, shown in zip(paths, suffixes, logits, strict=True):
            for token in suffix[turn : turn + 2]:
                shown.append(path.compute((token,)))
            path.rest()
            check(together)
    for path, suffix, shown in zip(paths, suffixes, logits, strict=True):
        alone = cache_of(kind)
        go_to(alone, alone.active, PROMPT)
        wanted = [alone.active.compute((token,)) for token in suffix]
        alone.active.rest()
        assert all(bool(mx.array_equal(x, y)) for x, y in zip(shown, wanted, strict=True))
        assert tokens_of(path) == [*PROMPT, *suffix]
        assert path.layers.copy_rows(0, path.offset).nbytes == alone.active.layers.copy_rows(0, path.offset).nbytes


@pytest.mark.parametrize("kind", KINDS)
def test_what_they_share_counts_once_and_each_suffix_for_itself(kind: str) -> None:
    cache = cache_of(kind)
    go_to(cache, cache.active, PROMPT)
    alone = cache.live_bytes + cache.paged_bytes
    row, state = cache.paths.row_bytes, cache.paths.state_bytes
    window = cache.active.layers.window_bytes(len(PROMPT))
    for count in range(1, 4):
        go_to(cache, cache.open_path(), [*PROMPT, 40 + count, 50, 51])
        windows = count * window
        assert cache.live_bytes + cache.paged_bytes == alone + count * (3 * row + state) + windows
        assert cache.paths.copied_bytes == count * len(PROMPT) * row
        assert cache.paths.tokens == len(PROMPT) + 3 * count
    shown = view(cache, 1, lambda node: EdgeLabel(""))
    assert shown.live_tokens == cache.paths.tokens
    assert {lane for node in shown.nodes for lane in node.lanes} == {0, 1, 2, 3}
    check(cache)


def test_copies_count_against_the_budget_since_they_are_there() -> None:
    cache = cache_of("llama")
    go_to(cache, cache.active, [9, 8, 7, *PROMPT])
    go_to(cache, cache.active, PROMPT)
    cache.set_budget(cache.live_bytes + cache.paged_bytes)
    assert cache.paged_bytes
    go_to(cache, cache.open_path(), [*PROMPT, 50])
    check(cache)
    assert cache.paged_bytes == 0


@pytest.mark.parametrize("mix", list(MIXES))
def test_what_an_owner_alone_used_is_erased_from_under_every_path(mix: str) -> None:
    cache, _ = ledger_cache(mix)
    ask(cache, [1, 2, 3, 4, 5, 6], [7, 8], owner="gone")
    other = cache.open_path()
    go_to(cache, other, [1, 2, 3, 4, 9])
    ask(cache, [50, 51, 52], owner="here")
    go_to(cache, other, [1, 2, 3, 4, 5, 6, 7])
    cache.erase("gone")
    check(cache)
    assert other.offset == 0
    assert cache.price([1, 2, 3, 4, 5, 6, 7]).seen == 0
    assert cache.price([50, 51, 52, 53]).cached == 3


def test_closing_lets_go_of_every_path() -> None:
    cache, _ = ledger_cache("M")
    go_to(cache, cache.active, PROMPT)
    go_to(cache, cache.open_path(), [*PROMPT, 50])
    cache.close()
    check(cache)
    assert (cache.live_bytes, cache.paged_bytes, cache.paths.copied_bytes) == (0, 0, 0)


@pytest.mark.parametrize("mix", list(MIXES))
@each_seed(range(3))
def test_whatever_two_paths_do_the_promises_hold(mix: str, seed: int) -> None:
    """The ledger model itself fails when a path is given anything that was not computed from the tokens before."""
    course = Course(mix, seed)
    for _ in range(300):
        course.step()


class Course:
    """Random operations on two paths over one trie, one at a time, each checked; the other path never changes."""

    def __init__(self, mix: str, seed: int) -> None:
        self.random = random.Random(seed)
        self.cache, _ = ledger_cache(mix)
        self.paths = [self.cache.active, self.cache.open_path()]
        self.known: list[list[int]] = [[1]]

    def step(self) -> None:
        path, other = self.random.sample(self.paths, 2)
        stood, was = tokens_of(other), bits(other)
        operations = [self.switch, self.switch, self.compute, self.compute, self.decode, self.capture, self.page_out]
        self.random.choice([*operations, self.set_budget, self.pin_and_unpin, self.fail, self.request])(path)
        check(self.cache)
        assert tokens_of(other) == stood
        assert bits(other) == was
        self.known = [*self.known, tokens_of(path) or [1]][-8:]

    def switch(self, path: ActivePath) -> None:
        """To any known place, or one that begins like it."""
        known = self.random.choice(self.known)
        tokens = known[: self.random.randrange(len(known) + 1)] + self.words()
        plan = plan_restore(self.cache.trie, self.cache.paths, tokens)
        assert path.switch_to(plan), "what is stored did not fit, though nothing was broken"
        assert tokens_of(path) == tokens[: plan.target]

    def compute(self, path: ActivePath) -> None:
        feed(path, self.words(), self.random.choice([1, 3, 8]))

    def decode(self, path: ActivePath) -> None:
        """A token that was launched, and is taken back or confirmed."""
        [token] = self.words()[:1]
        path.launch(mx.array([token]))
        if self.random.random() < 0.5:
            path.retract()
        else:
            path.confirm(token)
        path.rest()

    def capture(self, path: ActivePath) -> None:
        if path.layers.states and path.has_state:
            path.capture("somebody")

    def page_out(self, path: ActivePath) -> None:
        """Let go of an end, and go on from somewhere."""
        path.page_out(self.random.choice([0, path.offset // 2]), stores=self.random.random() < 0.8)
        check(self.cache)
        self.switch(path)

    def set_budget(self, _path: ActivePath) -> None:
        whole = self.cache.live_bytes + self.cache.paged_bytes
        self.cache.set_budget(self.random.choice([1 << 30, 1 << 30, whole, whole // 2]))

    def pin_and_unpin(self, path: ActivePath) -> None:
        node = self.random.choice(path.path)
        if node is not self.cache.trie.root:
            self.cache.trie.pin(node, 1)
            self.cache.budget.make_room(0)
            check(self.cache)
            self.cache.trie.pin(node, -1)
            self.cache.budget.make_room(0)

    def fail(self, path: ActivePath) -> None:
        """A call broke off: what the path computed before it stays, and it is empty."""
        path.salvage()
        assert path.offset == 0
        check(self.cache)
        self.switch(path)

    def request(self, path: ActivePath) -> None:
        """A whole one, on the path that requests are answered on."""
        if path is not self.cache.active:
            return
        known = self.random.choice(self.known)
        prompt = known[: self.random.randrange(len(known) + 1)] + self.words()
        with self.cache.begin(prompt, [self.random.randrange(1, len(prompt) + 1)], "somebody") as session:
            while session.prefill(8):
                check(self.cache)
            session.decode(prompt[-1])

    def words(self) -> list[int]:
        return self.random.choices(range(1, self.random.choice([3, VOCABULARY])), k=self.random.randrange(1, 12))
