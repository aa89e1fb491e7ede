"""The outline of the open conversation's branches, as Qt's views read it."""

from __future__ import annotations

import time
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence

from PySide6.QtCore import QModelIndex, QObject, Qt, Signal

from app.conversation.message import new_id
from app.conversation.runs import Run, Runs
from app.conversation.tree import MessageTree
from app.viewmodels.branches.branch_rows import BranchRow, branch_row
from app.viewmodels.branches.branch_text import spoken_branch
from app.viewmodels.branches.outline_nodes import OutlineChoice, OutlineNode, outline_nodes, outline_steps
from app.viewmodels.branches.run_groups import group_title
from app.viewmodels.kit.lists import ROOT, AnyIndex, ListModel
from app.viewmodels.kit.slices import SlicedWork
from app.viewmodels.text.branch_titles import title_apart_in
from app.viewmodels.warmth.warmth import Warmth

_MOST_KNOWN = 500
_MANY = 300  # runs, of which more are listed in slices
_MOST_STRETCHES = 40  # of rows that come or go, each of which a view is told of
_GONE = BranchRow("", "", None, "", "", "", 0, 0.0, False, False, False, False)
_FLAGS = Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemNeverHasChildren
_NAMED_FLAGS = _FLAGS | Qt.ItemFlag.ItemIsEditable


class BranchModel(ListModel[OutlineNode]):
    """One row to a run of messages, to a group of them, or to a question of a run that is unfolded, from above.

    Rows say how far to the right they stand; those below a row that is put away are not there. What they show is made
    when it is asked for, and told of again only where it differs. Many rows are found in slices.

    Attributes: deepest, the level of the row that stands furthest to the right; is_changing, rows come and go.

    Signals: listed(), the rows are those of the tree as it is; shown(), what is drawn may differ; nameAsked(str, str),
    the id of a row and what it shall be called.
    """

    listed = Signal()
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
        self._nodes: Sequence[OutlineNode] = ()
        self._places: dict[str, int] | None = None
        self._known: dict[str, BranchRow] = {}
        self._path: list[int] = []  # the rows that the open path goes through, from above
        self._followed: tuple[object, ...] = ()
        self._work = SlicedWork(self)
        self.deepest = 0
        self.is_changing = False

    @property
    def rows(self) -> Sequence[OutlineNode]:
        """All rows, in order."""
        return self._nodes

    @property
    def is_busy(self) -> bool:
        """Whether rows are being found."""
        return self._work.is_running

    def show_tree(self, tree: MessageTree, choice: OutlineChoice) -> None:
        """Show the branches of a tree, which may be the one that is shown, in another state."""
        has_groups = any(node.folded for node in self._nodes) if tree.leaf_id != self._leaf_id else False
        is_same = tree is self._tree and tree.runs() is self._runs and choice == self._choice and not has_groups
        self._tree, self._runs, self._choice = tree, tree.runs(), choice
        if is_same and not choice.words and not choice.unfolded:
            if not self._work.is_running:
                self._finish()
        elif len(self._runs) > _MANY:
            self._work.start(self._list_in_slices(self._runs))
        else:
            self._work.stop()
            self._put(outline_nodes(tree, choice))
            self._finish()

    def close(self) -> None:
        """Find no more rows."""
        self._work.stop()

    def row(self, node: OutlineNode) -> BranchRow:
        """Return what a row shows; nothing of one whose message is gone while the outline has not heard of it."""
        found = self._known.get(node.id)
        if found is None:
            found = self._make_row(node)
            if found is not _GONE:
                self._known[node.id] = found
        return found

    def row_of(self, row_id: str) -> BranchRow | None:
        """Return what the row of this id shows; None when there is none."""
        node = self.node(self.index_of(row_id))
        return None if node is None else self.row(node)

    def node(self, index: AnyIndex) -> OutlineNode | None:
        """Return the node of a row, None for none."""
        return self._nodes[index.row()] if index.isValid() and index.row() < len(self._nodes) else None

    def index_of(self, row_id: str) -> QModelIndex:
        """Return the row of this id; invalid when there is none."""
        if self._places is None:
            self._places = {node.id: number for number, node in enumerate(self._nodes)}
        number = self._places.get(row_id, -1)
        return self.index(number) if number >= 0 else QModelIndex()

    def above(self, node: OutlineNode) -> OutlineNode | None:
        """Return the row that one hangs below; None at the top."""
        return None if node.parent_id is None else self.node(self.index_of(node.parent_id))

    def is_path_at(self, number: int) -> bool:
        """Return whether the open path goes through a row."""
        at = bisect_left(self._path, number)
        return at < len(self._path) and self._path[at] == number

    def path_goes_on(self, number: int) -> bool:
        """Return whether the open path goes from a row on to one below it that is listed."""
        at = bisect_left(self._path, number)
        return at + 1 < len(self._path) and self._path[at] == number

    def path_past(self, number: int) -> int:
        """Return the level on whose line the open path goes past a row that it does not go through, or -1."""
        at = bisect_left(self._path, number)
        is_between = 0 < at < len(self._path) and self._path[at] != number
        return self._nodes[self._path[at - 1]].level if is_between else -1

    def warmth(self, row: BranchRow) -> Warmth | None:
        """Return what is held of a row's branch; None while it is not known, and for a question within a run."""
        run = self._tree.runs().get(row.id)
        return None if run is None else self._warmth_of(run.last_id)

    def rowCount(self, parent: AnyIndex = ROOT) -> int:
        """Count the rows; a row has none below it."""
        return 0 if parent.isValid() else len(self._nodes)

    def text(self, number: int, role: int) -> str | None:
        """Return the title, the name, or the sentence that a screen reader says."""
        node = self._nodes[number]
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return self.row(node).title
        if role == Qt.ItemDataRole.EditRole:
            return self.row(node).name
        if role == Qt.ItemDataRole.AccessibleTextRole:
            row = self.row(node)
            return spoken_branch(row, None if node.folded else self.warmth(row), node, self.clock())
        return None

    def flags(self, index: AnyIndex) -> Qt.ItemFlag:
        """Let a branch be named in its place."""
        node = self.node(index)
        if node is None:
            return Qt.ItemFlag.NoItemFlags
        return _FLAGS if node.folded else _NAMED_FLAGS

    def setData(self, index: AnyIndex, value: object, role: int = Qt.ItemDataRole.EditRole) -> bool:
        """Ask for another name, none where nothing is left of it; the row shows it when the database has it."""
        node = self.node(index)
        if role != Qt.ItemDataRole.EditRole or node is None:
            return False
        name = " ".join(str(value).split())
        if name != self.row(node).name:
            self.nameAsked.emit(node.id, name)
        return True

    # What a row shows

    def apart(self, row_id: str) -> str:
        """Return the words in which a row differs from those it follows and those beside it, "" where it need not."""
        if row_id not in self._tree:  # a group, or one that is gone
            return ""
        return title_apart_in(self._tree, row_id)

    def _make_row(self, node: OutlineNode) -> BranchRow:
        if node.folded:
            return self._group_row(node)
        if node.id not in self._tree:
            return _GONE
        run = self._tree.runs().get(node.id)
        return branch_row(self._tree, self._turn(node.id) if run is None else run)

    def _group_row(self, node: OutlineNode) -> BranchRow:
        """Return the row of versions beside each other: how many there are, and when the last of them was written."""
        there = [one for one in node.folded if one in self._tree]
        if not there:
            return _GONE
        used_at = max(self._tree.message(one).created_at for one in there)
        name = group_title(self._tree, there[0], len(there))
        return BranchRow(node.id, "", node.parent_id, name, "", "", 0, used_at, False, False, False, False)

    def _turn(self, row_id: str) -> Run:
        """Return a question within a run, with what is said before the next one, as a run of its own."""
        around, last_id, length = self._tree.run_of(row_id), row_id, 1
        while last_id != around.last_id:
            (below,) = self._tree.children(last_id)
            if below.role == "user":
                break
            last_id, length = below.id, length + 1
        return Run(row_id, last_id, length, around.first_id, ())

    # Which rows there are

    def _list_in_slices(self, runs: Runs) -> Iterator[None]:
        """Find the rows and show them, unless the branches are others meanwhile, which are asked for then."""
        tree, steps = self._tree, outline_steps(self._tree, self._choice)
        while tree.runs() is runs:
            try:
                next(steps)
            except StopIteration as end:
                self._put(end.value)
                self._finish()
                return
            yield

    def _finish(self) -> None:
        """Follow the open path through the rows, and tell of those that were read and differ now."""
        followed = self._tree, self._tree.leaf_id, self._nodes
        if followed != self._followed:
            self._followed = followed
            self._follow_path()
        self._renew_rows()
        self.listed.emit()
        self.shown.emit()

    @property
    def _leaf_id(self) -> object:
        return self._followed[1] if self._followed else None

    def _follow_path(self) -> None:
        runs, self._path = self._tree.runs(), []
        at = None if self._tree.leaf_id is None else self._tree.run_of(self._tree.leaf_id).first_id
        while at is not None:
            index = self.index_of(at)
            if index.isValid():
                self._path.append(index.row())
            at = runs[at].parent_id
        self._path.reverse()

    def _renew_rows(self) -> None:
        known, self._known = self._known, {}
        if len(known) > _MOST_KNOWN:
            return
        for row_id, before in known.items():
            node = self.node(self.index_of(row_id))
            if node is not None and self.row(node) != before:
                index = self.index_of(row_id)
                self.dataChanged.emit(index, index)

    def _put(self, nodes: Sequence[OutlineNode]) -> None:
        """Put other rows in the place of those that are shown; what stays in its order is left where it is."""
        old = self._nodes
        most = min(len(old), len(nodes))
        first = next((at for at in range(most) if old[at] != nodes[at]), most)
        same = next((at for at in range(most - first) if old[-1 - at] != nodes[-1 - at]), most - first)
        last, end = len(old) - same, len(nodes) - same
        if first == last == end:
            return
        self.is_changing = True
        before, after = [node.id for node in old[first:last]], [node.id for node in nodes[first:end]]
        for at, gone, new in _stretches(before, after):
            self._exchange(first + at, gone, nodes[first + new.start : first + new.stop])
        self._nodes, self._places = nodes, None
        self.deepest = max((node.level for node in nodes), default=0)
        if end > first:
            self.dataChanged.emit(self.index(first), self.index(end - 1))
        self.is_changing = False

    def _exchange(self, at: int, gone: int, new: Sequence[OutlineNode]) -> None:
        """Take rows out from a place on, and put others in there."""
        self._places = None
        if gone:
            self.beginRemoveRows(ROOT, at, at + gone - 1)
            self._nodes = [*self._nodes[:at], *self._nodes[at + gone :]]
            self.endRemoveRows()
        if new:
            self.beginInsertRows(ROOT, at, at + len(new) - 1)
            self._nodes = [*self._nodes[:at], *new, *self._nodes[at:]]
            self.endInsertRows()


def _stretches(before: Sequence[str], after: Sequence[str]) -> Sequence[tuple[int, int, range]]:
    """Return what turns a list into another: from which place on how many go, and which of the other come in there.

    Places are those in the list as it is when all before are done. All at once where much differs, or the order does.
    """
    whole = [(0, len(before), range(len(after)))]
    staying = set(before) & set(after)
    if [one for one in before if one in staying] != [one for one in after if one in staying]:
        return whole
    found: list[tuple[int, int, range]] = []
    old = new = 0
    while old < len(before) or new < len(after):
        old_end, new_end = old, new
        while old_end < len(before) and before[old_end] not in staying:
            old_end += 1
        while new_end < len(after) and after[new_end] not in staying:
            new_end += 1
        if old_end > old or new_end > new:
            found.append((new, old_end - old, range(new, new_end)))
        old, new = old_end + 1, new_end + 1
    return found if len(found) <= _MOST_STRETCHES else whole
