"""Which edges of the trie hold which messages of a branch, by the price that the engine told of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice

from app.conversation.message import Message
from app.protocol.dataclass import dataclass
from app.protocol.events import CostEstimate
from app.protocol.trie_view import TrieNodeView


@dataclass(frozen=True, slots=True)
class PathEdges:
    """A branch, its price, and the edges that it goes along in a picture of the trie, from the first to the last."""

    messages: Sequence[Message]
    priced: CostEstimate
    edges: tuple[TrieNodeView, ...]

    @classmethod
    def of(cls, messages: Sequence[Message], priced: CostEstimate, nodes: Mapping[int, TrieNodeView]) -> PathEdges:
        """Follow a branch up from its last edge; no edges where that is gone, until the branch is priced anew."""
        found: list[TrieNodeView] = []
        node = nodes.get(priced.edge)
        while node is not None:
            found.append(node)
            node = nodes.get(node.parent_id) if node.parent_id is not None else None
        return cls(messages, priced, tuple(reversed(found)))

    @property
    def ids(self) -> frozenset[int]:
        """Return the ids of its edges."""
        return frozenset(edge.id for edge in self.edges)

    def holding(self, message_id: str) -> list[int]:
        """Return the ids of the edges that hold tokens of a message, from the first to the last."""
        found = self._places().get(message_id)
        if found is None:
            return []
        start, end = found[0], min(found[1], self.priced.known)
        return [edge.id for edge in self.edges if max(edge.start, start) < min(edge.end, end)]

    def on(self, edge_ids: frozenset[int]) -> list[Message]:
        """Return the messages of which these edges hold tokens, from the first to the last.

        Where they hold none, but instructions or a template's own tokens, the message that these come before.
        """
        places = self._places()
        edges = [edge for edge in self.edges if edge.id in edge_ids]
        known = self.priced.known
        found = [
            message
            for message in self.messages
            if message.id in places
            and any(
                max(edge.start, places[message.id][0]) < min(edge.end, places[message.id][1], known) for edge in edges
            )
        ]
        if edges and not found:
            later = (one for one in self.messages if one.id in places and places[one.id][1] > edges[0].start)
            found = list(islice(later, 1))
        return found

    def named_by(self, edge_ids: frozenset[int]) -> Message | None:
        """Return the first message that begins on these edges; None where none does."""
        starts = {message_id: start for message_id, (start, _) in self._places().items()}
        edges = [edge for edge in self.edges if edge.id in edge_ids]
        begun = (
            message
            for message in self.on(edge_ids)
            if any(edge.start <= starts[message.id] < edge.end for edge in edges)
        )
        return next(begun, None)

    def _places(self) -> dict[str, tuple[int, int]]:
        turns = zip(self.messages, self.priced.turns, strict=False)
        return {message.id: (turn.start, turn.end) for message, turn in turns}
