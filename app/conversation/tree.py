"""The messages of one conversation as a tree, in memory, on the thread of the window.

Properties: the selected path runs from a first message to `leaf_id`. At every fork, and among the first messages, at
most one child is marked as the last visited one; on the selected path every message is marked. Messages that follow one
another without a fork lie in one chain, so that going to another branch costs steps for its forks and not for its
messages: runs of messages are copied whole.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Collection, Iterable
from itertools import islice, repeat
from operator import attrgetter

from app.conversation.chain import Chain, between
from app.conversation.message import Message
from app.conversation.runs import Run, Runs


class MessageTree:
    """Messages by id, and their children in the order they were added.

    Attribute: version, which grows with every change of messages or path.
    """

    def __init__(
        self,
        conversation_id: str,
        messages: Iterable[Message] = (),
        visited: Collection[str] = (),
        leaf_id: str | None = None,
    ) -> None:
        """Parents come before children. `visited`: ids of last visited children. ValueError where they do not fit."""
        self.conversation_id = conversation_id
        self._messages: dict[str, Message] = {}
        self._depths: dict[str, int] = {}  # of each message: what its place on the path is while it lies there
        self._chains: dict[str, Chain] = {}
        self._root = Chain(None, 0, [])
        self._path: list[Message] = []
        self._whole_path: tuple[Message, ...] | None = ()
        self._forks: tuple[Message, ...] | None = ()
        self._fork_places: list[int] = []  # of the messages on the selected path that have versions, in order
        self._named: set[str] = set()
        self._runs: Runs | None = None
        self.version = 0
        marked = frozenset(visited)
        for message in messages:
            self._add(message, message.id in marked)
        for child_id in marked:
            self.message(child_id)
        self.select(leaf_id)

    def __len__(self) -> int:
        return len(self._messages)

    def __contains__(self, message_id: object) -> bool:
        return message_id in self._messages

    @property
    def leaf_id(self) -> str | None:
        """The end of the selected path, None when the path is empty."""
        return self._path[-1].id if self._path else None

    @property
    def path(self) -> tuple[Message, ...]:
        """The selected path, from its first message to its last."""
        if self._whole_path is None:
            self._whole_path = tuple(self._path)
        return self._whole_path

    @property
    def forks(self) -> tuple[Message, ...]:
        """The messages of the selected path that have versions beside them, from the first on."""
        if self._forks is None:
            self._forks = tuple(self._path[place] for place in self._fork_places)
        return self._forks

    @property
    def pinned(self) -> tuple[Message, ...]:
        """The messages that a person has pinned."""
        return tuple(message for message in self._messages.values() if message.is_pinned)

    def is_on_path(self, message_id: str) -> bool:
        """Return whether the selected path goes through a message."""
        depth = self._depths.get(message_id, len(self._path))
        return depth < len(self._path) and self._path[depth].id == message_id

    def is_below(self, message_id: str, above_id: str) -> bool:
        """Return whether a message is another one, or was said after it. LookupError where one is not in this tree."""
        if self.depth(message_id) < self.depth(above_id):
            return False
        chain, above = self._chains[message_id], self._chains[above_id]
        while chain.start > above.start:
            chain = chain.above
        return chain is above

    def message(self, message_id: str) -> Message:
        """Return the message with this id; LookupError when it is not in this tree."""
        if message_id not in self._messages:
            raise LookupError(f"no message {message_id!r} in conversation {self.conversation_id}")
        return self._messages[message_id]

    def runs(self) -> Runs:
        """Return the runs of all branches. Found again only after messages came, went or were named."""
        if self._runs is None:
            starts: dict[Chain, list[int]] = {}
            for message_id in self._named:
                chain = self._chains[message_id]
                insort(starts.setdefault(chain, []), self._depths[message_id] - chain.start)
            self._runs = Runs(self._root, starts)
        return self._runs

    def run_of(self, message_id: str) -> Run:
        """Return the run that a message lies in; LookupError when it is not in this tree."""
        depth, chain = self.depth(message_id), self._chains[message_id]
        return self.runs().at(chain, depth - chain.start)

    def add(self, message: Message, select: bool = True) -> None:
        """Append a message below its parent, beside what is there; `select` makes it the end of the selected path."""
        self._add(message)
        self.version += 1
        if select:
            self.select(message.id)

    def replace(self, message: Message) -> None:
        """Put a later state of a message in its place: an answer that has grown or ended."""
        old = self.message(message.id)
        if (old.conversation_id, old.parent_id, old.role) != (message.conversation_id, message.parent_id, message.role):
            raise ValueError(f"message {message.id} cannot change its conversation, parent or role")
        is_on_path, depth, chain = self.is_on_path(message.id), self._depths[message.id], self._chains[message.id]
        self._messages[message.id] = chain.messages[depth - chain.start] = message
        if message.name != old.name:
            self._note_name(message)
        self.version += 1
        if is_on_path:
            self._path[depth] = message
            self._whole_path = self._forks = None

    def remove(self, message_id: str) -> None:
        """Take back a message that nothing was said after; a path that ended with it goes to what else follows there.

        Where nothing else does, it ends with the message above.
        """
        message, children = self.message(message_id), self.children(message_id)
        if children:
            raise ValueError(f"message {message_id} has {len(children)} children")
        chain = self._chains.pop(message_id)
        chain.messages.pop()
        if chain.messages:
            chain.reach = min(chain.reach, len(chain.messages) - 1)
        else:
            self._drop(chain)
        self._named.discard(message_id)
        self._runs = None
        self.version += 1
        if self.leaf_id == message_id:
            self.select(self.leaf_below(message.parent_id))
        del self._messages[message_id], self._depths[message_id]

    def children(self, message_id: str | None, most: int | None = None) -> tuple[Message, ...]:
        """Return what was said after a message, oldest first; the first messages for None. most: of them, at most."""
        chain, place = self._root, 0
        if message_id is not None:
            place = self.depth(message_id) + 1
            chain = self._chains[message_id]
        if place < chain.end:
            return (chain.messages[place - chain.start],)
        return tuple(one.messages[0] for one in islice(chain.below, most))

    def siblings(self, message_id: str, most: int | None = None) -> tuple[Message, ...]:
        """Return the versions of a message, itself included, oldest first. most: of them, at most."""
        return self.children(self.message(message_id).parent_id, most)

    def path_to(self, message_id: str) -> tuple[Message, ...]:
        """Return the branch that ends with this message, from its first message on."""
        end = self.depth(message_id) + 1
        shared, chains = self._from_path(message_id)
        if shared == len(self._path) == end:
            return self.path
        return (*self._path[:shared], *between(chains, shared, end))

    def depth(self, message_id: str) -> int:
        """Count the messages before a message on its branch. LookupError when it is not in this tree."""
        return self._depths[self.message(message_id).id]

    def leaf_below(self, message_id: str | None) -> str | None:
        """Return where one arrives from a message by the child last visited, or else the newest, at every fork."""
        chain = self._root if message_id is None else self._chains[self.message(message_id).id]
        while chain.below:
            chain = chain.visited or chain.below[-1]
        return chain.messages[-1].id if chain.messages else None

    def select(self, message_id: str | None) -> None:
        """Make the selected path end with this message, and remember it at every fork on the way; None empties it."""
        shared, chains = (0, []) if message_id is None else self._from_path(message_id)
        end = 0 if message_id is None else self._depths[message_id] + 1
        del self._path[shared:]
        del self._fork_places[bisect_left(self._fork_places, shared) :]
        for chain in chains:
            if chain.start >= shared:
                chain.above.visited = chain
                self._fork_places += [chain.start] if len(chain.above.below) > 1 else []
            chain.reach = max(chain.reach, min(end, chain.end) - chain.start - 1)
        self._path += between(chains, shared, end)
        self._whole_path = self._forks = None
        self.version += 1

    def exchange(self, other: MessageTree) -> None:
        """Give everything to another tree of the same conversation, and take what it holds. `version` grows."""
        if other.conversation_id != self.conversation_id:
            raise ValueError(f"a tree of conversation {other.conversation_id} is not one of {self.conversation_id}")
        mine, its = vars(self).copy(), vars(other).copy()
        vars(self).update(its)
        vars(other).update(mine)
        self.version = other.version = max(self.version, other.version) + 1

    def take_apart(self) -> None:
        """Let go of all messages, one by one: where a thread lets go of 200,000 at once, the others stand still.

        The tree is of no use any more.
        """
        self._whole_path, self._forks, self._runs = None, None, None
        self._path.clear()
        for chain in set(self._chains.values()):  # which hold one another
            del chain.above, chain.visited
            chain.below.clear()
            chain.messages.clear()
        self._root = Chain(None, 0, [])
        for part in (self._chains, self._depths, self._messages):
            while part:
                part.popitem()

    def _add(self, message: Message, is_visited: bool = False) -> None:
        if message.conversation_id != self.conversation_id:
            raise ValueError(f"message {message.id} belongs to conversation {message.conversation_id}")
        if message.id in self._messages:
            raise ValueError(f"message {message.id} is in the tree already")
        above = self._root if message.parent_id is None else self._ending_with(message.parent_id)
        # Marks reach down a chain without a gap. A file can hold others: such a message begins a chain of its own.
        has_gap = is_visited and above.reach < len(above.messages) - 1
        if above.messages and not above.below and not has_gap:
            chain = above
            chain.reach += is_visited
            chain.messages.append(message)
            if self._runs is not None:
                self._runs.grow(chain)
        else:
            chain = Chain(above, above.end, [message])
            self._runs = None
            above.below.append(chain)
            above.visited = chain if is_visited else above.visited
            if len(above.below) == 2 and self._goes_through(above.below[0]):
                insort(self._fork_places, chain.start)
                self._forks = None
        self._messages[message.id] = message
        self._chains[message.id] = chain
        self._depths[message.id] = chain.end - 1
        if message.name is not None:
            self._note_name(message)

    def _note_name(self, message: Message) -> None:
        """Remember whether a message has a name, of which each begins a run."""
        if message.name is None:
            self._named.discard(message.id)
        else:
            self._named.add(message.id)
        self._runs = None

    def _drop(self, chain: Chain) -> None:
        """Take out a chain that is empty."""
        above = chain.above
        above.below.remove(chain)
        above.visited = None if above.visited is chain else above.visited
        if len(above.below) == 1 and self._goes_through(above.below[0]):
            self._fork_places.remove(chain.start)
            self._forks = None

    def _ending_with(self, message_id: str) -> Chain:
        """Return the chain that ends with a message, cut in two there if it went on.

        The longer part stays the chain that it was, so that many cuts cost little together.
        """
        chain, place = self._chains[self.message(message_id).id], self._depths[message_id] + 1
        at, messages = place - chain.start, chain.messages
        if at == len(messages):
            return chain
        upper = lower = chain
        if 2 * at < len(messages):
            upper = new = Chain(chain.above, chain.start, messages[:at])
            above = chain.above
            above.below[above.below.index(chain)] = new
            above.visited = new if above.visited is chain else above.visited
            chain.above, chain.start = new, place
            del messages[:at]
        else:
            lower = new = Chain(chain, place, messages[at:])
            new.below, new.visited = chain.below, chain.visited
            for one in new.below:
                one.above = new
            del messages[at:]
        self._chains.update(zip(map(attrgetter("id"), new.messages), repeat(new)))
        reach = chain.reach
        upper.below, upper.visited = [lower], lower if reach >= at else None
        upper.reach, lower.reach = min(reach, at - 1), max(reach - at, 0)
        return upper

    def _goes_through(self, chain: Chain) -> bool:
        """Return whether the selected path goes through the first message of a chain."""
        return chain.start < len(self._path) and self._path[chain.start] is chain.messages[0]

    def _from_path(self, message_id: str) -> tuple[int, list[Chain]]:
        """Count the messages of the selected path that the branch to one shares, and find the chains of the others.

        The first of these chains may be on the path too.
        """
        end = self.depth(message_id) + 1
        chains: list[Chain] = []
        chain = self._chains[message_id]
        shared = 0
        while chain is not self._root and not shared:
            chains.append(chain)
            shared = min(end, chain.end, len(self._path)) if self._goes_through(chain) else 0
            chain = chain.above
        return shared, chains[::-1]
