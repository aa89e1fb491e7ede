"""The branches of the open conversation: which are listed, which is chosen, and what is done with it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import QObject, QTimer, Signal

from app.protocol.dataclass import dataclass
from app.viewmodels.branches import branch_text
from app.viewmodels.branches.branch_model import BranchModel
from app.viewmodels.branches.branch_rows import BranchRow
from app.viewmodels.branches.outline_nodes import LONG, OutlineChoice, count_ends, turns_of, with_others_below
from app.viewmodels.kit.live_state import LiveState
from app.viewmodels.kit.settings import MOST_ENTRIES, Settings
from app.viewmodels.library.library_region import LibraryRegion
from app.viewmodels.text import formatting
from app.viewmodels.warmth.price_text import price_sentence
from app.viewmodels.warmth.warmth import Warmth
from app.viewmodels.warmth.warmth_index import WarmthIndex

NO_BRANCHES = "Nothing branches off yet. Point at any message and press its pencil to try it another way."


@dataclass(frozen=True, slots=True)
class BranchesState:
    """The words and figures around the outline.

    title, summary: of the conversation, and how much is in it. top: title of the run whose branches alone are shown, ""
    for all. hint: what there is to say where there is little to be seen. chosen: the row that commands are about, None
    without any; apart: words in which it differs from the rows about it, for where its title is cut, or "";
    can_compare: there is another branch; price, held, used: of its whole path, in words; warmth: as figures, None while
    they are not known. refusal: why no branch can be changed, "" where it can.
    """

    title: str = ""
    summary: str = ""
    top: str = ""
    hint: str = ""
    chosen: BranchRow | None = None
    apart: str = ""
    can_compare: bool = False
    price: str = ""
    held: str = ""
    used: str = ""
    warmth: Warmth | None = None
    refusal: str = ""


class BranchesRegion(QObject):
    """Lists branches, and opens, names, marks and deletes them.

    Nothing is followed before `wake`, so that an outline that nobody looks at costs nothing. What a person puts away or
    lists alone is so after the next start too. Attributes: state; model, of the outline; can_warm_up, returns whether
    the engine reads branches ahead now.

    Signals: chosen(str), another row is the one that commands are about; compareAsked(str), the id of a row;
    warmUpAsked(object), the messages of a branch.
    """

    chosen = Signal(str)
    compareAsked = Signal(str)
    warmUpAsked = Signal(object)

    state: LiveState[BranchesState]

    def __init__(
        self,
        library: LibraryRegion,
        warmth: WarmthIndex,
        open_branch: Callable[[str], object],
        settings: Settings,
        parent: QObject | None = None,
    ) -> None:
        """open_branch: shows the branch through a message, and the message."""
        super().__init__(parent)
        self._library, self._warmth, self._open_branch = library, warmth, open_branch
        self._settings = settings
        self.can_warm_up: Callable[[], bool] = lambda: False
        self._is_awake = False
        self._choice = OutlineChoice(collapsed=frozenset(settings.values.outline_closed))
        self._home = ""
        self._shown: tuple[object, ...] = ()
        self._chosen_id = self._open_run = ""
        self.model = BranchModel(lambda message_id: warmth.warmth_of(message_id, library.open_id), parent=self)
        self.model.nameAsked.connect(self.name)
        self.model.listed.connect(self._choose_open)
        self.state = LiveState(self._state, self)
        self.state.follow(warmth.changed)
        self._following = QTimer(self, singleShot=True, interval=0)
        self._following.timeout.connect(self._follow)
        library.state.staled.connect(self.state.spoil)
        library.state.refreshed.connect(self._following.start)  # in a turn of its own: rows are many
        warmth.changed.connect(self._on_warmth)

    def wake(self) -> None:
        """Follow the open conversation from now on."""
        if not self._is_awake:
            self._is_awake = True
            self._follow()

    def rest(self) -> None:
        """Follow nothing while nobody looks."""
        self._is_awake = False

    def catch_up(self) -> None:
        """Show now what would be shown in one of the next turns of the event loop."""
        if self._following.isActive():
            self._follow()
        if self._is_awake:
            self.state.catch_up()

    @property
    def chosen_id(self) -> str:
        """The row that commands are about, "" without one."""
        return self._chosen_id

    # What is listed

    def look_for(self, words: str) -> None:
        """List only the branches in whose name or first message these words are."""
        self._list(replace(self._choice, words=" ".join(words.split())))

    def hoist(self, row_id: str) -> None:
        """List only what hangs below a row, "" for everything."""
        tree = self._library.tree
        others = [one for one in self._settings.values.outline_tops if one not in tree]
        self._settings.update(outline_tops=(*others, *[row_id] * bool(row_id))[-MOST_ENTRIES:])
        self._list(replace(self._choice, top=row_id))

    def put_away(self, row_id: str, is_away: bool, *, with_all: bool = False) -> None:
        """List what hangs below a row, or no longer. with_all: so it shall be with all rows below it."""
        runs, now = self._library.tree.runs(), self._choice.collapsed
        rows = set(with_others_below(runs, row_id)) if with_all else {row_id}
        if is_away and self._is_below(self._chosen_id, row_id):
            self.choose(row_id)
        others = [one for one in self._settings.values.outline_closed if one not in rows]
        kept = (*others, *rows) if is_away else tuple(others)
        self._settings.update(outline_closed=kept[-MOST_ENTRIES:])
        self._list(replace(self._choice, collapsed=now | rows if is_away else now - rows))

    def can_unfold(self, row_id: str) -> bool:
        """Return whether a row stands for so many messages that its questions can be listed, or for several runs."""
        node = self.model.node(self.model.index_of(row_id))
        run = self._library.tree.runs().get(row_id)
        if run is None:
            return node is not None and bool(node.folded)
        return run.length >= LONG and bool(turns_of(self._library.tree, run))

    def is_unfolded(self, row_id: str) -> bool:
        """Return whether the questions of a run are listed, or the runs of a group."""
        return row_id in self._choice.unfolded

    def unfold(self, row_id: str, is_unfolded: bool) -> None:
        """List the questions of a run one by one, or the runs of a group, or no longer."""
        others = self._choice.unfolded - {row_id}
        self._list(replace(self._choice, unfolded=others | {row_id} if is_unfolded else others))

    def choose(self, row_id: str) -> None:
        """Make a row the one that commands are about."""
        if row_id != self._chosen_id:
            self._chosen_id = row_id
            self.state.refresh()
            self.chosen.emit(row_id)

    # What is done

    def open(self, row_id: str) -> None:
        """Show a branch in the chat, where one last was below it."""
        if row_id in self._library.tree:
            self._open_branch(row_id)

    def may_edit(self) -> bool:
        """Return whether a branch can be named. Where it cannot, that is told."""
        return self._library.edits.may_edit()

    def name(self, row_id: str, name: str) -> None:
        """Give a branch a name; "" takes it away."""
        if row_id in self._library.tree:
            self._library.edits.name_branch(row_id, name)

    def mark(self, row_id: str) -> None:
        """Make a branch a favourite, or no longer."""
        if row_id in self._library.tree:
            self._library.edits.mark_branch(row_id, not self._library.tree.message(row_id).is_favourite)

    def delete(self, row_id: str) -> None:
        """Put a branch into the trash; where more goes than is seen, that is asked about first."""
        tree = self._library.tree
        if row_id in tree:
            self._library.edits.ask_to_delete(tree.conversation_id, row_id)

    def compare(self, row_id: str) -> None:
        """Have a branch compared with another one."""
        if row_id in self._library.tree:
            self.compareAsked.emit(row_id)

    def warm_up(self, row_id: str) -> None:
        """Have a branch read ahead, to where one last was below a row."""
        tree = self._library.tree
        if row_id in tree:
            self.warmUpAsked.emit(tree.path_to(tree.leaf_below(row_id) or row_id))

    # What is shown

    def _list(self, choice: OutlineChoice) -> None:
        self._choice = choice
        self._follow()

    def _follow(self) -> None:
        """Show the tree as it is now, if it is another one; choose the branch that was opened since."""
        self._following.stop()
        if not self._is_awake:
            return
        tree = self._library.tree
        if tree.conversation_id != self._home:
            self._home = tree.conversation_id
            top = next((one for one in self._settings.values.outline_tops if one in tree), "")
            self._choice = replace(self._choice, top=top)
        now = (tree, tree.version, self._choice)
        if now == self._shown:  # ages go on
            self.model.shown.emit()
            self.state.refresh()
            return
        self._shown = now
        self.model.show_tree(tree, self._choice)
        self.state.refresh()

    def _choose_open(self) -> None:
        """Choose the branch that was opened since, or another one in the place of a row that is gone."""
        tree = self._library.tree
        open_run = "" if tree.leaf_id is None else tree.run_of(tree.leaf_id).first_id
        if open_run != self._open_run or not self.model.index_of(self._chosen_id).isValid():
            self._open_run = open_run
            self.choose(self._listed(open_run))

    def _listed(self, run_id: str) -> str:
        """Return a run, or the nearest above it that is listed; the first that the filter leaves where none is."""
        runs, at = self._library.tree.runs(), run_id or None
        while at is not None and not self.model.index_of(at).isValid():
            at = runs[at].parent_id
        return at or next((one.id for one in self.model.rows if one.is_met), "")

    def _is_below(self, row_id: str, above_id: str) -> bool:
        tree = self._library.tree
        return row_id in tree and above_id in tree and tree.is_below(row_id, above_id)

    def _on_warmth(self) -> None:
        if self._is_awake:
            self.model.shown.emit()

    def _state(self) -> BranchesState:
        tree = self._library.tree
        runs, found = tree.runs(), self._library.library.conversation(tree.conversation_id)
        row = self.model.row_of(self._chosen_id) if self._chosen_id in tree else None
        warmth = None if row is None else self.model.warmth(row)
        ends = count_ends(runs)
        return BranchesState(
            title=(found.title if found is not None else None) or self._library.state.now.blank_title,
            summary=f"{formatting.plural(len(tree), 'message')}, {formatting.plural(ends, 'branch', 'branches')}",
            top=self._top_title(),
            hint=self._hint(ends),
            chosen=row,
            apart="" if row is None else self.model.apart(row.id),
            can_compare=ends > 1,
            price="" if row is None else price_sentence(warmth),
            held="" if row is None else branch_text.held_of(warmth),
            used="" if row is None else f"last used {formatting.ago(row.used_at, self.model.clock())}",
            warmth=warmth,
            refusal=self._library.state.now.refusal,
        )

    def _top_title(self) -> str:
        top = self.model.row_of(self._choice.top) if self._choice.top else None
        return "" if top is None else top.title

    def _hint(self, ends: int) -> str:
        if self._choice.words and not self.model.rowCount():
            return "No branch has these words."
        return NO_BRANCHES if ends < 2 else ""
