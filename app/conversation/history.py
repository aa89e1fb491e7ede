"""What can be undone and done again, for as long as the program runs."""

from __future__ import annotations

from collections import deque
from typing import Protocol

from app.conversation.edit import Edit, Operation

LIMIT = 200  # steps


class Undoing(Protocol):
    """The part of the store that takes edits back."""

    def undo(self, edit: Edit) -> Edit:
        """Take an edit back; what is returned takes that back in turn."""
        ...


class History:
    """Two stacks of edits.

    Properties: a step that the store refuses stays where it is, unless what it was about is gone for ever; a new edit
    takes away what could be done again.
    """

    def __init__(self, limit: int = LIMIT) -> None:
        """`limit`: how many steps are remembered."""
        self._done: deque[Edit] = deque(maxlen=limit)
        self._undone: deque[Edit] = deque(maxlen=limit)

    @property
    def undoable(self) -> Operation | None:
        """What `undo` would take back, None when there is nothing."""
        return self._done[-1].operation if self._done else None

    @property
    def redoable(self) -> Operation | None:
        """What `redo` would do again, None when there is nothing."""
        return self._undone[-1].operation if self._undone else None

    def record(self, edit: Edit) -> None:
        """Remember what was done. An edit that changed nothing is no step."""
        if not edit.is_empty:
            self._done.append(edit)
            self._undone.clear()

    def undo(self, store: Undoing) -> Edit | None:
        """Take the last step back; None when there is none. LookupError when it is about what is gone for ever."""
        return _step(store, self._done, self._undone)

    def redo(self, store: Undoing) -> Edit | None:
        """Do the step again that was taken back last; None when there is none. LookupError as for `undo`."""
        return _step(store, self._undone, self._done)

    def forget(self) -> None:
        """There is nothing to go back to: the trash was emptied."""
        self._done.clear()
        self._undone.clear()


def _step(store: Undoing, from_: deque[Edit], to: deque[Edit]) -> Edit | None:
    if not from_:
        return None
    try:
        edit = store.undo(from_[-1])
    except LookupError:
        from_.pop()
        raise
    from_.pop()
    to.append(edit)
    return edit
