"""An identity is the same however the path is cut, and can be gone on from where a file has its text."""

from __future__ import annotations

from random import Random

from app.kvcache.disk.identity import Identity, clipped
from tests.seeds import chosen


def test_it_does_not_depend_on_where_edges_are_cut() -> None:
    for seed in chosen(range(200)):
        random = Random(seed)
        end = random.randint(1, 40)
        starts = sorted({0, *(random.randrange(end) for _ in range(random.randrange(6)))})
        runs = tuple((random.randbytes(16).hex(), start) for start in starts)
        whole = Identity().then(runs)
        identity, at = Identity(), 0
        while at < end:
            cut = random.randint(at + 1, end)
            edge = tuple((key, max(start, at)) for key, start in clipped(runs, at, cut))
            identity, at = Identity.of(identity.text).then(edge), cut
        assert identity == whole, f"seed {seed}"
        assert Identity.of(whole.text) == whole, f"seed {seed}"


def test_other_calls_make_another_one() -> None:
    one, two = (Random(seed).randbytes(16).hex() for seed in (1, 2))
    found = [((one, 0),), ((two, 0),), ((one, 0), (two, 3)), ((one, 0), (two, 4)), ((two, 0), (one, 3))]
    assert len({Identity().then(runs).text for runs in found} | {Identity().text}) == 6
