"""Which forward calls computed the rows that lead to a place, as a digest that files can name.

The same tokens computed by other calls give other bits. State that was stored fits only over the very rows it was
computed on, and those are known by the call logs that computed them: each call log has a key of its own, and computes
each offset once. A run is such a key and the offset from which on its rows are used.

Keys and checksums tell state that was damaged, or computed otherwise, from what belongs together. They keep nobody out:
whoever may write into the folder of the files can write rows, records and checksums that agree, and have the model
answer from them. So the folder is open to its owner alone, and files are read as numbers of known types, counts and
tokens: no code comes in with them. Checking a branch finds rows that are not those of the calls on record.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from app.kvcache.call_log import Provenance
from app.kvcache.disk.call_log_codec import CallLogCodec
from app.kvcache.node import Runs
from app.kvcache.snapshot import TrieNode

_DIGEST = 64  # characters


class Identity(NamedTuple):
    """Digest of the calls that computed the rows [0, n) of a path; where edges are cut makes no difference.

    digest: of the runs, each with the digest of those before it, so that one can go on from any; last: the last's key.
    """

    digest: str = ""
    last: str = ""

    def then(self, runs: Iterable[tuple[str, int]]) -> Identity:
        """Return the identity of more rows, which these runs follow with."""
        digest, last = self
        for key, start in runs:
            if key != last:
                digest, last = hashlib.sha256(f"{digest};{key};{start}".encode()).hexdigest(), key
        return Identity(digest, last)

    @property
    def text(self) -> str:
        return f"{self.digest}{self.last}"

    @staticmethod
    def of(text: str) -> Identity:
        """Return the identity that has this text."""
        return Identity(text[:_DIGEST], text[_DIGEST:])


def runs_of(provenances: Iterable[Provenance], codec: CallLogCodec) -> Runs:
    """Return the runs of rows that were computed as these provenances say."""
    return tuple((codec.key(provenance.call_log).hex(), provenance.start) for provenance in provenances)


def clipped(runs: Sequence[tuple[str, int]], start: int, end: int) -> Runs:
    """Return those runs that rows [start, end) are of."""
    if len(runs) == 1:  # as most edges have
        return tuple(runs) if runs[0][1] < end and end > start else ()
    ends = [*(begun for _, begun in runs[1:]), end]
    return tuple(run for run, until in zip(runs, ends, strict=True) if run[1] < end and until > start)


def identity_before(node: TrieNode, offset: int, codec: CallLogCodec) -> Identity:
    """Return the identity of rows [0, offset), where `offset` lies on the node's edge or at an end of it.

    It goes on from the nearest edge above that has files, since those hang only over what they were computed on.
    """
    edges = [node]
    above = node.parent
    while above is not None and above.parent is not None and not above.stored.disk_rows:
        edges.append(above)
        above = above.parent
    identity = Identity()
    if above is not None and above.stored.disk_rows:
        last = above.stored.disk_rows[-1]
        identity = Identity.of(last.above).then(clipped(last.runs, last.start, above.end))
    for edge in reversed(edges):
        identity = identity.then(clipped(runs_on(edge, codec), edge.start, min(edge.end, offset)))
    return identity


def runs_on(node: TrieNode, codec: CallLogCodec | None) -> Runs:
    """Return the runs of an edge's rows: those on record, or what its files say while they were not read."""
    if node.stored.provenances and codec is not None:
        return runs_of(node.stored.provenances, codec)
    return tuple(run for ref in node.stored.disk_rows for run in clipped(ref.runs, node.start, node.end))
