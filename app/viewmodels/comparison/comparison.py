"""The comparison of two branches of the open conversation: which they are, and the messages that stand side by side."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from heapq import nlargest
from itertools import zip_longest
from typing import Literal

from PySide6.QtCore import QObject, Signal

from app.conversation.message import Message
from app.conversation.runs import Run
from app.conversation.tree import MessageTree
from app.protocol.chat import Role
from app.protocol.dataclass import dataclass
from app.protocol.excerpts import isolated
from app.viewmodels.chat.open_branch import OpenBranch
from app.viewmodels.chat.versions import last_fork, version_beside, version_of
from app.viewmodels.kit.live_state import LiveState
from app.viewmodels.library.library_region import LibraryRegion
from app.viewmodels.text import formatting
from app.viewmodels.text.branch_titles import branch_title_in, telling_message, title_apart

Side = Literal["left", "right"]
_LONGEST = 60
MOST_OFFERED = 60
# Answers of a side whose models are looked at for the name above it.
_MOST_ANSWERS = 200


@dataclass(frozen=True, slots=True)
class ComparedMessage:
    """A message as it stands in a column. name: who wrote it, and which files with it. thought: that came first."""

    id: str
    role: Role
    name: str
    text: str
    thought: str = ""

    @classmethod
    def of(cls, message: Message) -> ComparedMessage:
        """Return a message of a branch as it is compared."""
        files = [isolated(formatting.first_words(one.name, _LONGEST)) for one in message.attachments]
        name = formatting.DOT.join([message.speaker, *files])
        return cls(message.id, message.role, name, message.text, message.thinking.strip())


@dataclass(frozen=True, slots=True)
class ComparedBranch:
    """One of the two. leaf_id: its last message. name: of the branch. detail: which version it is, and who answers.

    apart: words in which it differs from the versions beside it, for where its name is cut; "" where it says enough.
    """

    leaf_id: str
    name: str
    detail: str = ""
    apart: str = ""


Pair = tuple[ComparedMessage | None, ComparedMessage | None]


@dataclass(frozen=True, slots=True)
class ComparisonState:
    """Two branches side by side; both None while nothing is compared. shared: how many messages both begin with.

    pairs: those after them, beside each other by their order.
    """

    left: ComparedBranch | None = None
    right: ComparedBranch | None = None
    shared: int = 0
    pairs: tuple[Pair, ...] = ()

    @property
    def is_open(self) -> bool:
        """Return whether two branches are compared now."""
        return self.left is not None


class Comparison(QObject):
    """Compares two branches of the open conversation, and goes on in either.

    Attribute: state. Signals: closed(), the chat is shown again; wentOn(), on one of the two branches.
    """

    closed = Signal()
    wentOn = Signal()

    state: LiveState[ComparisonState]

    def __init__(self, library: LibraryRegion, open_branch: OpenBranch, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._library, self._open_branch = library, open_branch
        self._leaves: tuple[str, str] | None = None
        self._open: dict[str, str] = {}  # the end of each conversation's path, and of the branch it was on before
        self._before: dict[str, str] = {}
        self.state = LiveState(self._state, self)
        open_branch.messageShown.connect(self.close)
        library.opened.connect(self._on_opened)
        for moved in (library.moved, open_branch.moved):
            moved.connect(self._on_moved)

    def open(self) -> None:
        """Compare the open branch with the one that was open before it, else with a version beside its last fork."""
        tree = self._library.tree
        other = self._before.get(tree.conversation_id, "")
        if tree.leaf_id is None:
            return
        if other not in tree or tree.is_on_path(other):
            fork = last_fork(tree)
            other = _beside(tree, fork.id) if fork is not None else ""
        if other:
            self._show(tree.leaf_id, other)

    def toggle(self) -> None:
        """Compare, or show the chat again."""
        if self._leaves is None:
            self.open()
        else:
            self.close()

    def open_beside(self, message_id: str) -> None:
        """Compare the branch through a message with the version beside it."""
        tree = self._library.tree
        other = _beside(tree, message_id) if message_id in tree else ""
        if other:
            self._show(_end_of(tree, message_id), other)

    def open_with(self, message_id: str) -> None:
        """Compare the open branch with the one through a message; a branch alone is compared as `open` does."""
        tree = self._library.tree
        if tree.leaf_id is None or message_id not in tree:
            return
        if tree.is_on_path(message_id):
            self.open()
        else:
            self._show(tree.leaf_id, _end_of(tree, message_id))

    def open_two(self, left_id: str, right_id: str) -> None:
        """Compare the branches through two messages."""
        tree = self._library.tree
        if left_id in tree and right_id in tree:
            self._show(_end_of(tree, left_id), _end_of(tree, right_id))

    def choose(self, side: Side, leaf_id: str) -> None:
        """Have another branch stand at one side; the one that stands at the other side changes places with it."""
        if self._leaves is None or leaf_id not in self._library.tree:
            return
        left, right = self._leaves
        if side == "left":
            left, right = leaf_id, left if leaf_id == right else right
        else:
            left, right = right if leaf_id == left else left, leaf_id
        self._show(left, right)

    def go_on(self, side: Side) -> None:
        """Show the chat on one of the two branches."""
        if self._leaves is not None:
            leaf_id = self._leaves[0 if side == "left" else 1]
            self.close()
            self._open_branch.show(leaf_id)
            self.wentOn.emit()

    def close(self) -> None:
        """Show the chat again, as it was."""
        if self._leaves is not None:
            self._leaves = None
            self._tell()
            self.closed.emit()

    def shared_messages(self) -> Sequence[ComparedMessage]:
        """Return the messages that both branches begin with."""
        if self._leaves is None:
            return ()
        path = self._library.tree.path_to(self._leaves[0])
        return [ComparedMessage.of(one) for one in path[: self.state.now.shared]]

    def branches(self) -> Sequence[ComparedBranch]:
        """Return the branches to choose from, oldest first: all of them, or where they are many, those used last."""
        return _branches(self._library.tree, self._leaves or ())

    def _show(self, left: str, right: str) -> None:
        self._leaves = (left, right)
        self._tell()

    def _tell(self) -> None:
        """Tell the view at once: the keyboard goes to it, or back."""
        self.state.refresh()
        self.state.catch_up()

    def _state(self) -> ComparisonState:
        tree = self._library.tree
        if self._leaves is None or any(one not in tree for one in self._leaves):
            return ComparisonState()
        left, right = (tree.path_to(one) for one in self._leaves)
        shared = _count_shared(left, right)
        return ComparisonState(
            left=_branch(tree, left, shared),
            right=_branch(tree, right, shared),
            shared=shared,
            pairs=tuple(zip_longest(map(ComparedMessage.of, left[shared:]), map(ComparedMessage.of, right[shared:]))),
        )

    def _on_opened(self, conversation_id: str) -> None:
        self.close()
        self._on_moved(conversation_id)

    def _on_moved(self, conversation_id: str) -> None:
        """Note which branch was left, and follow what grew; a branch that is gone is not compared any more."""
        tree = self._library.library.tree_of(conversation_id)
        if tree is None or tree.leaf_id is None:
            return
        before = self._open.get(conversation_id)
        if before is not None and before in tree and not tree.is_on_path(before):
            self._before[conversation_id] = before
        self._open[conversation_id] = tree.leaf_id
        if self._leaves is None or conversation_id != self._library.open_id:
            return
        if any(one not in tree for one in self._leaves):
            self.close()
        else:
            self._leaves = (_end_of(tree, self._leaves[0]), _end_of(tree, self._leaves[1]))
            self.state.refresh()


def _beside(tree: MessageTree, message_id: str) -> str:
    """Return the end of the branch through the version beside a message, the next or else the one before; "" alone."""
    message = tree.message(message_id)
    other = version_beside(tree, message, 1) or version_beside(tree, message, -1)
    return "" if other is None else _end_of(tree, other.id)


def _end_of(tree: MessageTree, message_id: str) -> str:
    return tree.leaf_below(message_id) or message_id


def _count_shared(left: Sequence[Message], right: Sequence[Message]) -> int:
    """Count the messages that both paths begin with, by halves: paths of a tree that parted stay apart."""
    low, high = 0, min(len(left), len(right))
    while low < high:
        middle = (low + high + 1) // 2
        if left[middle - 1].id == right[middle - 1].id:
            low = middle
        else:
            high = middle - 1
    return low


def _branch(tree: MessageTree, path: Sequence[Message], shared: int) -> ComparedBranch:
    own = path[shared:] or path[-1:]
    models = ", ".join(dict.fromkeys(one.speaker for one in own[:_MOST_ANSWERS] if one.model_name))
    versions = tree.siblings(own[0].id)
    which = f"Version {version_of(versions, own[0].id) + 1} of {len(versions)}" if len(versions) > 1 else ""
    detail = formatting.DOT.join(part for part in (which, models) if part)
    apart = "" if any(one.name for one in own) else title_apart(*telling_message(tree, own[0].id))
    return ComparedBranch(path[-1].id, _name(tree, own), detail, apart)


def _name(tree: MessageTree, own: Sequence[Message]) -> str:
    """Return the last name that was given in a branch, or else what its first message is called among its versions."""
    named = next((one.name for one in reversed(own) if one.name), "")
    return named or branch_title_in(tree, own[0].id, _LONGEST)


def _branches(tree: MessageTree, chosen: Collection[str]) -> list[ComparedBranch]:
    """Return the branches by where they end; those that are chosen are among them."""
    ends = [run for run in tree.runs().values() if not run.children]
    if len(ends) > MOST_OFFERED:
        latest = nlargest(MOST_OFFERED, ends, key=lambda run: tree.message(run.last_id).created_at)
        offered = {run.last_id for run in latest} | set(chosen)
        ends = [run for run in ends if run.last_id in offered]
    return [ComparedBranch(run.last_id, _name_of_end(tree, run)) for run in ends]


def _name_of_end(tree: MessageTree, run: Run) -> str:
    """Return the name of a branch, or its first words after the nearest name above it."""
    first = tree.message(run.first_id)
    own, runs, above = _name(tree, [first]), tree.runs(), run.parent_id
    while not first.name and above is not None:
        name = tree.message(above).name
        if name:
            return f"{name} › {own}"
        above = runs[above].parent_id
    return own
