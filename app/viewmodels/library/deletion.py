"""What goes with a message that is deleted, or with all branches but one, counted before it is done."""

from __future__ import annotations

from app.conversation.tree import MessageTree
from app.protocol.dataclass import dataclass
from app.viewmodels.text import formatting

EXCHANGE = 2  # messages that are deleted without a question while they are seen: a question with its answer


@dataclass(frozen=True, slots=True)
class Deletion:
    """A message that a person wants to delete, or "" for all that is not on the open path.

    messages: it and all below it; branches: their ends; hidden: how many of them are not on the open path.
    """

    conversation_id: str
    message_id: str
    messages: int
    branches: int
    hidden: int

    @property
    def is_seen(self) -> bool:
        """Whether no more goes than the person looks at: an exchange on the open path."""
        return not self.hidden and self.messages <= EXCHANGE

    @property
    def sentence(self) -> str:
        """Say what goes: "7 messages in 3 branches, 2 of them not visible"."""
        branches = f" in {formatting.plural(self.branches, 'branch', 'branches')}" if self.branches > 1 else ""
        all_of_it = "none of them visible" if self.messages > 1 else "not visible"
        some = f"{formatting.number(self.hidden)} of them not visible"
        unseen = "" if not self.hidden else ", " + (all_of_it if self.hidden == self.messages else some)
        return f"{formatting.plural(self.messages, 'message')}{branches}{unseen}"


def others_of(tree: MessageTree) -> Deletion:
    """Count what goes with all branches but the open path."""
    ends = sum(not run.children for run in tree.runs().values())
    is_end_kept = bool(tree.path) and not tree.children(tree.path[-1].id)
    others = len(tree) - len(tree.path)
    return Deletion(tree.conversation_id, "", others, ends - is_end_kept, others)


def deletion_of(tree: MessageTree, message_id: str) -> Deletion:
    """Count what goes with a message, by runs and not by messages. LookupError when it is not in this tree."""
    runs, first = tree.runs(), tree.run_of(message_id)
    depth = tree.depth(message_id)
    messages, branches = first.length - (depth - tree.depth(first.first_id)), 0
    waiting = [first]
    while waiting:
        run = waiting.pop()
        branches += not run.children
        below = [runs[one] for one in run.children]
        messages += sum(one.length for one in below)
        waiting += below
    shown = len(tree.path) - depth if tree.is_on_path(message_id) else 0
    return Deletion(tree.conversation_id, message_id, messages, branches, messages - shown)
