"""What can be undone and done again, for as long as the store is open."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from app.conversation.edit import Edit, Operation
from app.protocol.dataclass import dataclass

LIMIT = 200  # steps


@dataclass(frozen=True, slots=True)
class HistoryState:
    """Steps that can be undone and done again at one moment.

    step: grows with everything that is done, undone, done again and forgotten, so that a moment can be told from
    others. undoable, redoable: what would be taken back or done again, None when there is nothing.
    """

    step: int = 0
    undoable: Operation | None = None
    redoable: Operation | None = None


class History:
    """Two stacks of edits.

    Properties: a step that is refused stays where it is, unless what it was about is gone for ever; a new edit takes
    away what could be done again.
    """

    def __init__(self, limit: int = LIMIT) -> None:
        """`limit`: how many steps are remembered."""
        self._done: deque[Edit] = deque(maxlen=limit)
        self._undone: deque[Edit] = deque(maxlen=limit)
        self._step = 0

    @property
    def state(self) -> HistoryState:
        """Tell what can be undone and done again now."""
        undoable, redoable = (stack[-1].operation if stack else None for stack in (self._done, self._undone))
        return HistoryState(self._step, undoable, redoable)

    def record(self, edit: Edit) -> None:
        """Remember an edit as a step. An edit that changed nothing is none."""
        if not edit.is_empty:
            self._done.append(edit)
            self._undone.clear()
            self._step += 1

    def undo(self, revert: Callable[[Edit], Edit]) -> Edit | None:
        """Take the last step back; None when there is none.

        revert: takes an edit back and returns what takes that back in turn. LookupError, and the step is forgotten,
        when it is about what is gone for ever.
        """
        return self._turn(revert, self._done, self._undone)

    def redo(self, revert: Callable[[Edit], Edit]) -> Edit | None:
        """Do the step again that was taken back last; None when there is none. LookupError as for `undo`."""
        return self._turn(revert, self._undone, self._done)

    def forget(self, number: int) -> None:
        """Leave a message out of every edit: its row is gone. An edit that was about nothing else is no step any more.

        number: of its row.
        """
        for stack in (self._done, self._undone):
            left = [edit.without("message", number) for edit in stack]
            stack.clear()
            stack.extend(edit for edit in left if not edit.is_empty)
        self._step += 1

    def clear(self) -> None:
        """Forget every step, because the trash was emptied."""
        self._done.clear()
        self._undone.clear()
        self._step += 1

    def _turn(self, revert: Callable[[Edit], Edit], source: deque[Edit], target: deque[Edit]) -> Edit | None:
        if not source:
            return None
        try:
            edit = revert(source[-1])
        except LookupError:
            source.pop()
            self._step += 1
            raise
        source.pop()
        target.append(edit)
        self._step += 1
        return edit
