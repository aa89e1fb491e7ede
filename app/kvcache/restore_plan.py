"""What is known of a request, how much of it can be restored now, and why it is not more. Changes nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from app.kvcache.snapshot import CacheTrie, TrieNode
from app.protocol.reports import Reason, RequestReport


class LivePaths(Protocol):
    """Active paths, as far as it matters what they hold and what the model keeps.

    unsupported: the name of a cache kind that cannot be stored, or empty. state_ends: the nodes at whose end a whole
    state is live.
    """

    @property
    def has_rows(self) -> bool: ...
    @property
    def has_states(self) -> bool: ...
    @property
    def unsupported(self) -> str: ...
    @property
    def state_ends(self) -> list[TrieNode]: ...


class RestorePlan(NamedTuple):
    """Prefix of a request that can be restored, and how much of it is known. The policy:

    * Rows are restored as far as they reach without a gap from the first token on, be they live, stored in memory, or
      on a disk that answers.
    * A model with whole states goes back from there to the deepest one at or before that offset; one without any may
      stop at every token.
    * At least the last token of the request is left to compute.

    path, seen: the longest known prefix, ghosts included. matched: what of it is held, in memory or on disk. target:
    the offset that is restored. reads_disk: files count for that.
    """

    path: list[TrieNode]
    seen: int
    matched: int
    target: int
    reads_disk: bool = True

    @property
    def nodes(self) -> list[TrieNode]:
        """Nodes that lead from the root to `target`, the root left out."""
        return [node for node in self.path[1:] if node.start < self.target]

    @property
    def end(self) -> TrieNode:
        """Node whose state is restored: the last of `nodes`, or the root."""
        return next((node for node in reversed(self.path) if node.start < self.target), self.path[0])


def plan_restore(trie: CacheTrie, live: LivePaths, tokens: Sequence[int], reads_disk: bool = True) -> RestorePlan:
    """Match a request against the trie and the active paths. reads_disk: what lies only on disk can be restored."""
    path, seen = trie.match(tokens)
    has_rows, state_ends = live.has_rows, live.state_ends
    matched = rows = 0
    for node in path[1:]:
        if not (node.is_held or node.is_on_disk):
            break
        matched = min(node.end, seen)
        if rows == node.start and (_has_rows(node, reads_disk) or not has_rows):
            rows = matched
    target = min(rows, len(tokens) - 1)
    if live.has_states:
        ends = (node.end for node in path if node.end <= target and _has_state(node, state_ends, reads_disk))
        target = max(ends, default=0)
    return RestorePlan(path, seen, matched, target, reads_disk)


def report_of(live: LivePaths, tokens: Sequence[int], plan: RestorePlan) -> RequestReport:
    """Return the figures of a request that would begin by this plan."""
    last = plan.path[-1]
    left_known = plan.seen < len(tokens) and (plan.seen < last.end or bool(last.children))
    return RequestReport(
        total=len(tokens),
        seen=plan.seen,
        matched=plan.matched,
        cached=plan.target,
        reason=_reason(live, plan, min(plan.seen, len(tokens) - 1), left_known),
        diverged_at=plan.seen if left_known else None,
    )


def captures_for(plan: RestorePlan, report: RequestReport, points: Sequence[int], grid: int) -> dict[int, bool]:
    """Return the offsets at which whole states will be wanted, each with whether only for the grid.

    They are the restore points, the place where the request leaves what is known, and what lies further than the grid
    from any of these.
    """
    wanted = {offset for offset in (*points, plan.matched) if report.cached < offset < report.total}
    captures = dict.fromkeys(wanted, False)
    at = report.cached
    for point in (*sorted(wanted), report.total):
        if grid:
            captures |= dict.fromkeys(range(at + grid, point, grid), True)
        at = point
    return captures


def _has_rows(node: TrieNode, reads_disk: bool) -> bool:
    return node.has_rows and (reads_disk or node.has_rows_in_memory)


def _has_state(node: TrieNode, state_ends: Sequence[TrieNode], reads_disk: bool) -> bool:
    """Return whether the whole state at the node's end is stored, in memory or on disk, or live at this moment."""
    return node.stored.state is not None or (reads_disk and bool(node.stored.disk_state)) or node in state_ends


def _reason(live: LivePaths, plan: RestorePlan, wanted: int, left_known: bool) -> Reason:
    if plan.target < wanted:
        if live.unsupported:
            return Reason.UNSUPPORTED
        if not plan.reads_disk and any(node.stored.files for node in plan.path if node.end > plan.target):
            return Reason.DISK
        lost = [node.stored.lost for node in plan.path if node.end > plan.target and node.stored.lost]
        return lost[0] if lost else Reason.NOT_CAPTURED
    if plan.seen == 0:
        return Reason.NEW
    return Reason.DIVERGED if left_known else Reason.NONE
