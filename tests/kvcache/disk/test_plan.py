"""What is to be written is known by what has changed, and is what a look at everything would give."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from unittest.mock import patch

import pytest

from app.kvcache.disk import plan, tier
from app.kvcache.disk.plan import Plan
from app.kvcache.invariants import check
from app.kvcache.prefix_cache import PrefixCache
from tests.kvcache.disk.restarts import SteppedWriter, close_all, opened, tier_of, writer_of
from tests.kvcache.ledger import MIXES, ask
from tests.kvcache.test_deep import lines_run
from tests.seeds import chosen

FEW = 8  # tokens of a gap that is worth a state, in small


@pytest.fixture(autouse=True)
def _stepped(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(tier, "Writer", SteppedWriter)
    yield
    close_all()


def write(cache: PrefixCache) -> None:
    while tier_of(cache).tend() or tier_of(cache).is_saving:
        writer_of(cache).work(1 << 30)
        check(cache)


def looked_for(cache: PrefixCache) -> Plan:
    """A plan that has looked at everything there is."""
    made = Plan(cache.trie, cache.paths, tier_of(cache).size_of, tier_of(cache).writes_all)
    made.update()
    return made


@pytest.mark.parametrize("writes_all", [True, False])
@pytest.mark.parametrize("mix", list(MIXES))
def test_what_is_known_is_what_would_be_found(mix: str, writes_all: bool, tmp_path: Path) -> None:
    """With the files of any moment: evicted, erased, lost or lagging behind."""
    with patch.object(plan, "GAP", FEW):
        for seed in chosen(range(3)):
            play(mix, writes_all, seed, tmp_path / str(seed))
            close_all()


def play(mix: str, writes_all: bool, seed: int, root: Path) -> None:
    generator = random.Random(seed)
    cache, _ = opened(mix, root, writes_all)
    known: list[list[int]] = [[]]
    for step in range(25):
        base = generator.choice(known)
        prompt = [*base[: generator.randrange(len(base) + 1)], *generator.sample(range(1, 60), 4)]
        points = sorted(generator.sample(range(1, len(prompt)), min(3, len(prompt) - 1)))
        ask(cache, prompt, points=points, owner=generator.choice("ab"))
        known.append(prompt)
        match generator.randrange(8):
            case 0:
                cache.set_budget(generator.choice([0, 500, 3000]))
                cache.set_budget(1 << 30)
            case 1:
                tier_of(cache).set_budget(generator.choice([0, 5000]))
                tier_of(cache).set_budget(1 << 30)
            case 2:
                cache.erase(generator.choice("ab"))
            case 3:
                write(cache)
            case _:
                for _ in range(generator.randrange(8)):
                    tier_of(cache).tend()
                    writer_of(cache).work(generator.randrange(2))
        check(cache)
        ours = tier_of(cache)._plan
        ours.update()
        assert ours.wanted == looked_for(cache).wanted, f"{mix}, seed {seed}, step {step}"


def test_a_state_is_wanted_when_the_one_above_it_is_lost(tmp_path: Path) -> None:
    with patch.object(plan, "GAP", FEW):
        cache, _ = opened("R", tmp_path, writes_all=False)
        ask(cache, range(20), points=[8, 10, 12])
        ours = tier_of(cache)._plan

        def wanted() -> list[int]:
            ours.update()
            return [cache.trie.nodes[id].end for id in sorted(ours.wanted)]

        assert wanted() == [8, 20]
        for end, others in ((8, [10, 20]), (10, [12, 20])):
            cache.trie.set_state(next(node for node in cache.trie if node.end == end), None)
            assert wanted() == others


@pytest.mark.parametrize("mix", ["S", "R"])
def test_a_rest_costs_by_what_has_changed(mix: str, tmp_path: Path) -> None:
    """After a hundred turns of many conversations no more is looked at than after twenty."""
    cache, _ = opened(mix, tmp_path)
    looks, lines, path = [0], [0], list[int]()
    for turn in range(100):
        path = [*(path if turn % 4 else (1, 2, 3)), *random.Random(turn).sample(range(4, 60), 5)]
        ask(cache, path, points=[3, len(path) - 2])
        write(cache)
        looks.append(tier_of(cache)._plan.looks)
        tier_of(cache).touch()
        lines.append(lines_run(tier_of(cache).tend))
    assert looks[100] - looks[80] <= 1.5 * (looks[40] - looks[20])
    assert max(lines[80:]) <= max(lines[20:40])


def test_the_index_is_not_written_anew_for_each_file(tmp_path: Path) -> None:
    """So many of the files as `UNLISTED` says may be missing in it until the program ends."""
    cache, _ = opened("T", tmp_path)
    rows = 0
    with patch.object(tier_of(cache)._catalog, "entry", wraps=tier_of(cache)._catalog.entry) as entry:
        for turn in range(60):
            ask(cache, [turn, 60, 61, 62])
            write(cache)
            rows = entry.call_count
    assert rows <= 60 * 12
    cache.close_disk(1)
    again, _ = opened("T", tmp_path)
    assert again.price([59, 60, 61, 62]).cached == 3


@pytest.mark.parametrize("mix", [mix for mix in MIXES if len(MIXES[mix]) > 1])
def test_where_rows_take_more_room_than_a_state_it_is_written_nearer(mix: str, tmp_path: Path) -> None:
    """So that little is computed again after a restart, and states take no more room than rows do."""
    for fewest in (2, 5):
        with patch.object(plan, "GAP", 30), patch.object(plan, "FEWEST", fewest):
            cache, _ = opened(mix, tmp_path / str(fewest), writes_all=False)
            ask(cache, range(61), points=list(range(2, 60)))
            states = [node for node in cache.trie if node.stored.state is not None]
            sizes = [node.stored.state.nbytes for node in states if node.stored.state is not None]
            each = cache.paths.row_bytes
            if not each or not states:
                continue
            least = min(30, max(fewest, -(-sizes[0] // each)))
            write(cache)
            written = [0, *(node.end for node in states if node.stored.disk_state is not None)]
            assert all(after - before >= least for before, after in pairwise(written[:-1]))
            assert all(min(node.end - end for end in written if end <= node.end) < least for node in states)
            close_all()
