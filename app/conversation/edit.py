"""What an operation on the store has changed, as a value: all that is needed to take it back.

Words are never in it: messages are added and hidden, not rewritten, so an edit is as small as the flags it has set.
"""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum

from app.protocol.dataclass import dataclass

Value = int | float | str | None


class Operation(StrEnum):
    """Kind of edit, for the words of a menu."""

    ADD = "add"
    CREATE = "create"
    DELETE = "delete"
    PRUNE = "prune"
    RENAME = "rename"
    MOVE = "move"
    FAVOURITE = "favourite"
    PIN = "pin"
    NAME = "name"
    FOLDER = "folder"
    RESTORE = "restore"
    IMPORT = "import"
    CONTINUE = "continue"


@dataclass(frozen=True, slots=True)
class Change:
    """One field of one row. A row that was added has changed its field `trash` from `ADDED`: it was not to be seen."""

    table: str
    number: int
    field: str
    old: Value
    new: Value


ADDED = 0


@dataclass(frozen=True, slots=True)
class Edit:
    """Change of what is stored, made by one operation, and the ids of the conversations that look different now."""

    operation: Operation
    changes: tuple[Change, ...] = ()
    conversation_ids: tuple[str, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether everything was so already."""
        return not self.changes

    @property
    def is_about_messages(self) -> bool:
        """Whether messages have changed, or the path that is open."""
        return any(change.table == "message" or change.field == "leaf" for change in self.changes)

    @property
    def has_revealed(self) -> bool:
        """Whether something was added or brought back: taking the edit back takes that away."""
        return self.operation is Operation.CONTINUE or any(
            change.field == "trash" and change.old is not None for change in self.changes
        )

    @property
    def conversation_id(self) -> str | None:
        """The conversation that the edit was about, the first of several."""
        return self.conversation_ids[0] if self.conversation_ids else None

    def in_order_of(self, other: Edit) -> Edit:
        """Return the edit with its conversations in the order in which another one has them, and others after them."""
        known = [one for one in other.conversation_ids if one in self.conversation_ids]
        return replace(self, conversation_ids=tuple(dict.fromkeys((*known, *self.conversation_ids))))

    def without(self, table: str, number: int) -> Edit:
        """Return the edit as far as it is not about one row. Of one that has revealed nothing else, nothing is left."""
        left = tuple(change for change in self.changes if (change.table, change.number) != (table, number))
        if len(left) == len(self.changes):
            return self
        kept = replace(self, changes=left)
        return kept if kept.has_revealed else replace(self, changes=())


def join_edits(first: Edit, *others: Edit) -> Edit:
    """Join edits, made one after the other, as one step of undo; its operation is that of the first."""
    edits = (first, *others)
    ids = tuple(dict.fromkeys(one for edit in edits for one in edit.conversation_ids))
    return Edit(first.operation, merge_changes(tuple(one for edit in edits for one in edit.changes)), ids)


def merge_changes(changes: tuple[Change, ...]) -> tuple[Change, ...]:
    """Merge the changes of each field into one, in their order, without those that come to nothing."""
    found: dict[tuple[str, int, str], Change] = {}
    for change in changes:
        key = (change.table, change.number, change.field)
        before = found.get(key)
        found[key] = change if before is None else Change(*key, before.old, change.new)
    return tuple(change for change in found.values() if change.old != change.new)
