"""The outline of the open conversation's branches, as Qt's views read it."""

from __future__ import annotations

import time
from collections.abc import Callable

from PySide6.QtCore import QObject, Qt, Signal

from app.conversation.message import new_id
from app.conversation.runs import Run, Runs
from app.conversation.tree import MessageTree
from app.viewmodels.branches.branch_rows import BranchRow, branch_row
from app.viewmodels.branches.branch_text import spoken_branch
from app.viewmodels.branches.outline_nodes import OutlineChoice, OutlineNode, outline_nodes
from app.viewmodels.kit.lists import AnyIndex
from app.viewmodels.kit.trees import KeyedTreeModel
from app.viewmodels.warmth.warmth import Warmth

_MOST_KNOWN = 500
_MANY = 300  # rows, each of which a view that has it open looks at for every row that moves
_GONE = BranchRow("", "", None, "", "", "", 0, 0.0, 0, False, False, False, False)


class BranchModel(KeyedTreeModel[OutlineNode]):
    """One row to a run of messages, or to a question of a run that is unfolded.

    Rows are made when they are asked for, and told of again only where they differ.

    Attribute: deepest, the level of the row that stands furthest to the right.

    Signals: replaced(), many rows are about to come or go; shown(), what is drawn may differ; nameAsked(str, str), the
    id of a row and what it shall be called.
    """

    replaced = Signal()
    shown = Signal()
    nameAsked = Signal(str, str)

    def __init__(
        self,
        warmth_of: Callable[[str], Warmth | None],
        clock: Callable[[], float] = time.time,
        parent: QObject | None = None,
    ) -> None:
        """warmth_of: returns what is held of the branch that ends with a message. clock: seconds since the epoch."""
        super().__init__(parent)
        self._warmth_of, self.clock = warmth_of, clock
        self._tree = MessageTree(new_id())
        self._runs: Runs | None = None
        self._choice = OutlineChoice()
        self._rows: dict[str, BranchRow] = {}
        self._path_below: dict[str, str] = {}
        self.deepest = 0

    def show_tree(self, tree: MessageTree, choice: OutlineChoice) -> None:
        """Show the branches of a tree, which may be the one that is shown, in another state."""
        is_same = tree is self._tree and tree.runs() is self._runs and choice == self._choice
        if tree is not self._tree or choice != self._choice or (not is_same and len(tree.runs()) > _MANY):
            self.replaced.emit()
        self._tree, self._runs, self._choice = tree, tree.runs(), choice
        if not is_same or choice.words or choice.unfolded:
            nodes = outline_nodes(tree, choice)
            self.deepest = max((node.level for node in nodes), default=0)
            if len(tree.runs()) > _MANY and not is_same:
                self.show([])  # which takes as long as there are rows, and not as there are ways to move them
            self.show(nodes)
        self._follow_path()
        self._renew_rows()
        self.shown.emit()

    def row(self, node: OutlineNode) -> BranchRow:
        """Return what a row shows; nothing of one whose message is gone while the outline has not heard of it."""
        found = self._rows.get(node.id)
        if found is None and node.id not in self._tree:
            return _GONE
        if found is None:
            found = self._rows[node.id] = self._make_row(node.id)
        return found

    def row_of(self, row_id: str) -> BranchRow | None:
        """Return what the row of this id shows; None when there is none."""
        node = self.node(self.index_of(row_id))
        return None if node is None else self.row(node)

    def path_row(self, parent: AnyIndex) -> int:
        """Return which of the runs right below a row the open path goes on to, or -1."""
        node = self.node(parent)
        below = self._path_below.get("" if node is None else node.id)
        return -1 if below is None else self.index_of(below).row()

    def warmth(self, row: BranchRow) -> Warmth | None:
        """Return what is held of a row's branch; None while it is not known, and for a question within a run."""
        run = self._tree.runs().get(row.id)
        return None if run is None else self._warmth_of(run.last_id)

    def text(self, node: OutlineNode, role: int) -> object:
        """Return the title, the name, or the sentence that a screen reader says."""
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return self.row(node).title
        if role == Qt.ItemDataRole.EditRole:
            return self.row(node).name
        if role == Qt.ItemDataRole.AccessibleTextRole:
            row = self.row(node)
            return spoken_branch(row, self.warmth(row), row.level + 1, self.clock())
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Nobody sees the column's name; a screen reader says it."""
        is_wanted = orientation == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole
        return "Branch" if is_wanted and section == 0 else None

    def flags(self, index: AnyIndex) -> Qt.ItemFlag:
        """Let a branch be named in its place."""
        return super().flags(index) | (Qt.ItemFlag.ItemIsEditable if index.isValid() else Qt.ItemFlag.NoItemFlags)

    def setData(self, index: AnyIndex, value: object, role: int = Qt.ItemDataRole.EditRole) -> bool:
        """Ask for another name, none where nothing is left of it; the row shows it when the database has it."""
        node = self.node(index)
        if role != Qt.ItemDataRole.EditRole or node is None:
            return False
        name = " ".join(str(value).split())
        if name != self.row(node).name:
            self.nameAsked.emit(node.id, name)
        return True

    def _make_row(self, row_id: str) -> BranchRow:
        run = self._tree.runs().get(row_id)
        return branch_row(self._tree, self._turn(row_id) if run is None else run)

    def _turn(self, row_id: str) -> Run:
        """Return a question within a run, with what is said before the next one, as a run of its own."""
        around, last_id, length = self._tree.run_of(row_id), row_id, 1
        while last_id != around.last_id:
            (below,) = self._tree.children(last_id)
            if below.role == "user":
                break
            last_id, length = below.id, length + 1
        return Run(row_id, last_id, length, around.level + 1, around.first_id, ())

    def _follow_path(self) -> None:
        """Find the rows that the open path goes through, each by the one above it."""
        self._path_below = {}
        at = None if self._tree.leaf_id is None else self._tree.run_of(self._tree.leaf_id).first_id
        while at is not None:
            node = self.node(self.index_of(at))
            if node is not None:
                self._path_below[node.parent_id or ""] = at
            at = self._tree.runs()[at].parent_id

    def _renew_rows(self) -> None:
        """Tell of the rows that were read and differ now."""
        known, self._rows = self._rows, {}
        if len(known) > _MOST_KNOWN:
            return
        for row_id, before in known.items():
            index = self.index_of(row_id)
            if index.isValid():
                self._rows[row_id] = row = self._make_row(row_id)
                if row != before:
                    self.dataChanged.emit(index, index)
