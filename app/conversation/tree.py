"""The messages of one conversation as a tree, in memory, on the thread of the window.

Properties: the selected path runs from a first message to `leaf_id`. At every fork, and among the first messages, at
most one child is marked as the last visited one; on the selected path every message is marked. The selected path is
walked over only where it changes, however long it is: `path` copies it, and nothing is done for each of its messages.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterable

from app.conversation.message import Message


class MessageTree:
    """Messages by id, and their children in the order they were added.

    Attribute: version, which grows with every change of messages or path.
    """

    def __init__(
        self,
        conversation_id: str,
        messages: Iterable[Message] = (),
        visited: Iterable[str] = (),
        leaf_id: str | None = None,
    ) -> None:
        """Parents come before children. `visited`: ids of last visited children. ValueError where they do not fit."""
        self.conversation_id = conversation_id
        self._messages: dict[str, Message] = {}
        self._children: dict[str | None, list[str]] = {None: []}
        self._visited: dict[str | None, str] = {}
        self._path: list[Message] = []
        self._depths: dict[str, int] = {}  # of each message: what its place on the path is while it lies there
        self._whole_path: tuple[Message, ...] | None = ()
        self._forks: tuple[Message, ...] | None = ()
        self._fork_places: list[int] = []  # of the messages on the selected path that have versions, in order
        self.version = 0
        for message in messages:
            self.add(message, select=False)
        for child_id in visited:
            self._visited[self.message(child_id).parent_id] = child_id
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

    def is_on_path(self, message_id: str) -> bool:
        """Whether the selected path goes through a message."""
        depth = self._depths.get(message_id, len(self._path))
        return depth < len(self._path) and self._path[depth].id == message_id

    def is_below(self, message_id: str, above_id: str) -> bool:
        """Whether a message is another one, or was said after it. LookupError when either is not in this tree."""
        at, depth = self.message(message_id), self._depths[self.message(above_id).id]
        for _ in range(self._depths[message_id] - depth):
            at = self._messages[at.parent_id or ""]
        return at.id == above_id

    def message(self, message_id: str) -> Message:
        """The message with this id; LookupError when it is not in this tree."""
        if message_id not in self._messages:
            raise LookupError(f"no message {message_id!r} in conversation {self.conversation_id}")
        return self._messages[message_id]

    def add(self, message: Message, select: bool = True) -> None:
        """Append a message below its parent, beside what is there; `select` makes it the end of the selected path."""
        if message.conversation_id != self.conversation_id:
            raise ValueError(f"message {message.id} belongs to conversation {message.conversation_id}")
        if message.id in self._messages:
            raise ValueError(f"message {message.id} is in the tree already")
        versions = self._below(message.parent_id)
        versions.append(message.id)
        self._messages[message.id] = message
        self._children[message.id] = []
        self._depths[message.id] = 0 if message.parent_id is None else self._depths[message.parent_id] + 1
        if len(versions) == 2 and self.is_on_path(versions[0]):
            insort(self._fork_places, self._depths[message.id])
            self._forks = None
        self.version += 1
        if select:
            self.select(message.id)

    def replace(self, message: Message) -> None:
        """Put a later state of a message in its place: an answer that has grown or ended."""
        old = self.message(message.id)
        if (old.conversation_id, old.parent_id, old.role) != (message.conversation_id, message.parent_id, message.role):
            raise ValueError(f"message {message.id} cannot change its conversation, parent or role")
        self._messages[message.id] = message
        self.version += 1
        if self.is_on_path(message.id):
            self._path[self._depths[message.id]] = message
            self._whole_path = self._forks = None

    def remove(self, message_id: str) -> None:
        """Take back a message that nothing was said after; a path that ended with it goes to what else follows there.

        Where nothing else does, it ends with the message above.
        """
        message = self.message(message_id)
        if self._children[message_id]:
            raise ValueError(f"message {message_id} has {len(self._children[message_id])} children")
        if self._visited.get(message.parent_id) == message_id:
            del self._visited[message.parent_id]
        versions = self._children[message.parent_id]
        versions.remove(message_id)
        del self._children[message_id]
        if len(versions) == 1 and self.is_on_path(versions[0]):
            self._fork_places.remove(self._depths[message_id])
            self._forks = None
        self.version += 1
        if self.leaf_id == message_id:
            self.select(self.leaf_below(message.parent_id))
        del self._messages[message_id], self._depths[message_id]

    def children(self, message_id: str | None) -> tuple[Message, ...]:
        """What was said after a message, oldest first; the first messages for None."""
        return tuple(self._messages[child_id] for child_id in self._below(message_id))

    def siblings(self, message_id: str) -> tuple[Message, ...]:
        """The versions of a message, itself included, oldest first."""
        return self.children(self.message(message_id).parent_id)

    def path_to(self, message_id: str) -> tuple[Message, ...]:
        """The branch that ends with this message, from its first message on."""
        shared, beyond = self._from_path(message_id)
        if shared == len(self._path) and not beyond:
            return self.path
        return (*self._path[:shared], *beyond)

    def depth(self, message_id: str) -> int:
        """How many messages come before a message on its branch. LookupError when it is not in this tree."""
        return self._depths[self.message(message_id).id]

    def leaf_below(self, message_id: str | None) -> str | None:
        """Where one arrives from a message by the child last visited, or else the newest, at every fork."""
        below, all_children, visited = self._below(message_id), self._children, self._visited
        while below:
            message_id = below[0] if len(below) == 1 else visited.get(message_id, below[-1])
            below = all_children[message_id]
        return message_id

    def select(self, message_id: str | None) -> None:
        """Make the selected path end with this message, and remember it at every fork on the way; None empties it."""
        shared, beyond = (0, []) if message_id is None else self._from_path(message_id)
        del self._path[shared:]
        del self._fork_places[bisect_left(self._fork_places, shared) :]
        ids, parents = [message.id for message in beyond], [message.parent_id for message in beyond]
        children = self._children
        self._fork_places += [place for place, above in enumerate(parents, shared) if len(children[above]) > 1]
        self._visited.update(zip(parents, ids, strict=True))
        self._path += beyond
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
        self._whole_path, self._forks = None, None
        self._path.clear()
        for part in (self._children, self._visited, self._depths, self._messages):
            while part:
                part.popitem()

    def _from_path(self, message_id: str) -> tuple[int, list[Message]]:
        """How many messages of the selected path the branch to a message shares, and those that follow them."""
        beyond: list[Message] = []
        messages, path = self._messages, self._path
        at: Message | None = self.message(message_id)
        depth = self._depths[message_id]
        while at is not None and (depth >= len(path) or path[depth] is not at):
            beyond.append(at)
            at = None if at.parent_id is None else messages[at.parent_id]
            depth -= 1
        beyond.reverse()
        return depth + 1, beyond

    def _below(self, message_id: str | None) -> list[str]:
        if message_id is not None:
            self.message(message_id)
        return self._children[message_id]
