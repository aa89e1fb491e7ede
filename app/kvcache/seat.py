"""Where open sessions stand while calls are made on another one, over one active path.

Properties it keeps:

1. A seat that is held keeps what its session goes on from: the node where its path ends, which with all above it is
   locked in the trie, so that nothing there is evicted, merged or grown, and the whole state of the session, which may
   be another than the trie's at that place.
2. A whole state counts once: as stored where it also hangs in the trie at that node, else with the seats.
3. A seat that was released holds nothing. Its session has its tokens, and reads again what is gone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from app.kvcache.call_log import CallLog
from app.kvcache.snapshot import CacheTrie, StateSnapshot, TrieNode, upwards
from app.protocol.reports import Reason


@dataclass(slots=True)
class Seat:
    """Place of one session. node: where its path ends, None when it is not held. state: the whole one there, if any.

    call_log: its record, to be continued. reason: why it is not held.
    """

    node: TrieNode | None
    call_log: CallLog
    state: StateSnapshot | None
    reason: Reason = Reason.NONE


class Seats:
    """Seats of all open sessions but the one that calls are made on, by the sessions' numbers.

    entering: number of the session that is being gone back to, whose seat stays held meanwhile.
    """

    def __init__(self, trie: CacheTrie) -> None:
        self.entering: int | None = None
        self._trie = trie
        self._seats: dict[int, Seat] = {}

    def __iter__(self) -> Iterator[Seat]:
        return iter(self._seats.values())

    def __getitem__(self, number: int) -> Seat:
        return self._seats[number]

    def add(self, number: int, seat: Seat) -> None:
        """Take in one more, and lock what it holds."""
        self._seats[number] = seat
        if seat.node is not None:
            self._trie.lock(seat.node, 1)

    def remove(self, number: int) -> None:
        """Forget a seat, and let go of what it holds."""
        self.release(self._seats.pop(number), Reason.NONE)

    def clear(self) -> None:
        """Forget all seats."""
        for number in list(self._seats):
            self.remove(number)

    @property
    def nbytes(self) -> int:
        """Bytes of the whole states that are held, without those that are also stored where their seat is."""
        own = {
            id(seat.state): seat.state.nbytes
            for seat in self
            if seat.node is not None and seat.state is not None and seat.node.stored.state is not seat.state
        }
        return sum(own.values())

    @property
    def are_held(self) -> bool:
        """Whether every session can go on from where it stands."""
        return all(seat.node is not None for seat in self)

    def has_state(self, state: StateSnapshot) -> bool:
        """Return whether this very snapshot is held."""
        return any(seat.state is state for seat in self)

    @property
    def state_ends(self) -> list[TrieNode]:
        """Nodes at whose end a whole state is held."""
        return [seat.node for seat in self if seat.node is not None and seat.state is not None]

    def state_at(self, node: TrieNode) -> StateSnapshot | None:
        """Return a whole state that is held at a node's end; None where there is none."""
        return next((seat.state for seat in self if seat.node is node and seat.state is not None), None)

    def release(self, seat: Seat, reason: Reason) -> None:
        """Let go of what a seat holds."""
        node, seat.node, seat.state, seat.reason = seat.node, None, None, reason
        if node is not None:
            self._trie.lock(node, -1)

    def release_youngest(self) -> Seat | None:
        """Release the seat of the session that began last of those that are held, and return it; None: there is
        none."""
        held = [number for number, seat in self._seats.items() if seat.node is not None and number != self.entering]
        if not held:
            return None
        youngest = self._seats[max(held)]
        self.release(youngest, Reason.EVICTED)
        return youngest

    def release_broken(self, reason: Reason) -> None:
        """Release those whose path has lost rows, and say why."""
        for seat in self:
            if seat.node is not None and not all(node.has_rows_in_memory for node in upwards(seat.node)):
                self.release(seat, reason)
