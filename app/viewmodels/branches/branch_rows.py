"""From the runs of a tree to the rows of its branches, as everything that lists branches shows them."""

from __future__ import annotations

from collections.abc import Iterator

from app.conversation.runs import Run
from app.conversation.tree import MessageTree
from app.protocol.dataclass import dataclass
from app.viewmodels.text import formatting
from app.viewmodels.text.branch_titles import quoted, telling_message

_LONGEST = 80


@dataclass(frozen=True, slots=True)
class BranchRow:
    """One run of messages, as it is listed.

    id, last_id: of its first and last message. name: given by the person, or "". words: the first that are said in it
    and not in a branch beside it. speaker: who says them. count: of its messages. used_at: when the last was written,
    in seconds since the epoch. is_on_path: the open path goes through it. is_open: it ends in it.
    """

    id: str
    last_id: str
    parent_id: str | None
    name: str
    words: str
    speaker: str
    count: int
    used_at: float
    is_favourite: bool
    is_on_path: bool
    is_open: bool
    has_children: bool

    @property
    def title(self) -> str:
        """Return its name, or else its first words in quotes, or who speaks where there are none."""
        return self.name or quoted(self.words) or self.speaker

    def detail(self, now: float) -> str:
        """Return how much it holds and its age: "6 messages, 12 min ago". now: seconds since the epoch."""
        return f"{formatting.plural(self.count, 'message')}, {formatting.ago(self.used_at, now)}"


def branch_row(tree: MessageTree, run: Run) -> BranchRow:
    """Return the row of one run of a tree."""
    first, told = tree.message(run.first_id), telling_message(tree, run.first_id)[0]
    is_on_path = tree.is_on_path(run.first_id)
    leaf_id = tree.leaf_id
    return BranchRow(
        id=run.first_id,
        last_id=run.last_id,
        parent_id=run.parent_id,
        name=first.name or "",
        words=formatting.plain_words(told.text, _LONGEST),
        speaker=told.speaker,
        count=run.length,
        used_at=tree.message(run.last_id).created_at,
        is_favourite=first.is_favourite,
        is_on_path=is_on_path,
        is_open=is_on_path and leaf_id is not None and tree.run_of(leaf_id).first_id == run.first_id,
        has_children=bool(run.children),
    )


def branch_rows(tree: MessageTree) -> Iterator[BranchRow]:
    """Make a row of each run, those below it after it, oldest first."""
    return (branch_row(tree, run) for run in tree.runs().values())
