"""Several servers that run the same model, and which of them answers next: the one that should end soonest.

Property: hashing the first tokens alone would send everybody who shares a system prompt to one server, and going round
would have each read what another one holds; what was sent where, and how much waits there, says it better.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager

from app.protocol.commands import EstimateCost, Generate
from app.protocol.events import CostEstimate
from app.protocol.trie_view import TrieView
from app.remote.belief import Belief
from app.remote.client import Client
from app.remote.kinds import Kind

_SPEED = 2000.0  # prompt tokens a second, where that was not measured
_WRITING = 256  # tokens that an answer under way keeps a server busy for, about


class Replica:
    """One of the servers that run a model.

    Attributes: client, the connection; kind; belief, what it should hold, None where nobody knows; queued, tokens that
    it is still to read and write for us.
    """

    def __init__(self, client: Client, kind: Kind, belief: Belief | None) -> None:
        self.client, self.kind, self.belief = client, kind, belief
        if belief is not None:
            client.on_ended = belief.lose
        self.queued = 0

    @property
    def address(self) -> str:
        """Return where it is."""
        return self.client.server.url

    def left(self, command: Generate) -> int:
        """Return how many tokens of a prompt it should have to read."""
        return 0 if self.belief is None else self.belief.expect(self.belief.prompt(command)).left

    def end(self, command: Generate) -> float:
        """Return in how many seconds it should have read a prompt that it is asked now."""
        speed = self.belief.speed if self.belief is not None else None
        return (self.queued + self.left(command)) / (speed or _SPEED)


class Replicas:
    """Chooses among servers that run the same model, of which there is often one."""

    def __init__(self, replicas: Sequence[Replica]) -> None:
        """replicas: at least one."""
        self._all = tuple(replicas)
        self._last: dict[str, Replica] = {}

    def __iter__(self) -> Iterator[Replica]:
        return iter(self._all)

    def choose(self, command: Generate, avoided: Collection[Replica] = ()) -> Replica:
        """Return the one that should end soonest; of several the conversation's last, or the same one every time.

        avoided: those that have failed; one of them where all have.
        """
        able = [one for one in self._all if one not in avoided] or list(self._all)
        if len(able) == 1:
            return able[0]
        ends = {one: one.end(command) for one in able}
        soonest = min(ends.values())
        tied = [one for one, end in ends.items() if end == soonest]
        last = self._last.get(command.owner)
        return last if last in tied and last is not None else max(tied, key=lambda one: _weight(command.owner, one))

    @contextmanager
    def asking(self, replica: Replica, command: Generate) -> Iterator[None]:
        """Count a request while it is under way."""
        self._last[command.owner] = replica
        work = replica.left(command) + _WRITING
        replica.queued += work
        try:
            yield
        finally:
            replica.queued -= work

    # What they should hold

    @property
    def view(self) -> TrieView:
        """A picture of what all of them should hold, one after the other."""
        views = [one.belief.view for one in self._all if one.belief is not None]
        nodes = tuple(node for view in views for node in view.nodes)
        return TrieView(sum(view.serial for view in views), nodes, place=views[0].place if views else "")

    def estimate(self, command: EstimateCost) -> CostEstimate | None:
        """Return what a branch should cost on the one that holds most of it; None where nobody knows."""
        found = [one.belief.estimate(command) for one in self._all if one.belief is not None]
        return min(found, key=lambda cost: cost.request.left, default=None)

    def seen(self, ids: Sequence[int]) -> int:
        """Return how many of the first tokens were sent to one of them before."""
        return max((one.belief.seen(ids) for one in self._all if one.belief is not None), default=0)

    async def close(self) -> None:
        """Let go of all connections."""
        for one in self._all:
            await one.client.close()


def _weight(owner: str, replica: Replica) -> bytes:
    """Return a number by which conversations fall to replicas evenly, and each to the same one every time."""
    return hashlib.blake2b(f"{owner}\0{replica.address}".encode(), digest_size=8).digest()
