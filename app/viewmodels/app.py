"""A window without its widgets: the regions of what it shows, and the commands given in it."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from app.viewmodels.actions import ACTIONS, BY_ID, enabled, is_possible, offered, run_of
from app.viewmodels.app_state import AppState
from app.viewmodels.branches.branches_region import BranchesRegion
from app.viewmodels.cache.cache_rows import CacheRows
from app.viewmodels.chat.chat_region import ChatRegion
from app.viewmodels.comparison.comparison import Comparison
from app.viewmodels.edges.edge_region import EdgeRegion
from app.viewmodels.find.find import Find
from app.viewmodels.jump.jump import Jump, JumpKind, JumpRow
from app.viewmodels.kit.key_bindings import KeyBindings, native
from app.viewmodels.kit.live_state import LiveState
from app.viewmodels.lanes.lanes import Lanes
from app.viewmodels.library.library_region import LibraryRegion
from app.viewmodels.map.map_region import MapRegion
from app.viewmodels.tokens.token_mode import TokenMode
from app.viewmodels.tokens.token_price import TokenPrices
from app.viewmodels.workspace import Workspace


class App(QObject):
    """Holds what one window shows, over what all windows share, and does what is commanded in it.

    `Windows.open` makes it, and heeds its signals.

    Attributes: number, of the window, from 1 on; workspace, what is shared, and of it settings, folders, notices,
    model, hub, servers and cache; state, of the whole window; keys, the shortcuts of all commands; chat, library,
    branches, edges and map, the regions; cache_rows, of the cache pane; comparison, of two branches; lanes, answers
    beside each other; tokens, an answer by its tokens; find, what is looked for in the chat.

    Signals: datesChanged(), days are written in another language; announced(str), have it said by a screen reader;
    activated(object), this window is in front now; closed(object), and now it is none any more; windowWanted(str), this
    conversation wants a window of its own, or "" a blank one; modelFolderWanted(), ask here for a model's folder.
    """

    datesChanged = Signal()
    announced = Signal(str)
    activated = Signal(object)
    closed = Signal(object)
    windowWanted = Signal(str)
    modelFolderWanted = Signal()

    chat: ChatRegion
    comparison: Comparison
    lanes: Lanes
    tokens: TokenMode
    map: MapRegion
    library: LibraryRegion
    branches: BranchesRegion
    edges: EdgeRegion
    find: Find
    state: LiveState[AppState]

    def __init__(self, workspace: Workspace, number: int) -> None:
        super().__init__(workspace)
        self.workspace, self.number = workspace, number
        self._host, self._store = workspace.host, workspace.store
        self.settings, self.folders = workspace.settings, workspace.folders
        self.keys = KeyBindings(ACTIONS, self.settings, self)
        self.model, self.hub, self.cache = workspace.model, workspace.hub, workspace.cache
        self.servers = workspace.servers
        self.answering, self.notices = workspace.answering, workspace.notices
        self.library = LibraryRegion(workspace.stored, self._store, self.model, self.notices, number, self)
        self.chat = ChatRegion(
            *(self._host, self._store, self.answering, self.library, self.model),
            *(workspace.warmth, self.notices, self.settings, self),
        )
        self.cache_rows = CacheRows(self.cache, self.library.open_id, self)
        self.edges = EdgeRegion(
            *(self._store, self.library, self.model, workspace.cached_branches, self.cache_rows),
            *(self.chat.cost_queries, self.answering.is_writing, self.notices, self),
        )
        self.branches = BranchesRegion(self.library, workspace.warmth, self.chat.open_branch.show, self.settings, self)
        self.comparison = Comparison(self.library, self.chat.open_branch, self)
        self.lanes = Lanes(
            *(self.library, self.answering, self.chat.open_branch, self.chat.unfolded),
            lambda: self.model.current_model.fingerprint,
            *(lambda message_id: self.chat.branch_costs.residencies.get(message_id), self.notices, self),
        )
        self.tokens = TokenMode(
            *(self.library, self.answering, self.chat.open_branch, self.chat.requests),
            *(TokenPrices(self.library, self.model.current_model, self.chat.cost_queries, self), self._store),
            *(self.notices, self),
        )
        self.find = Find(self.library, self.chat, self.notices, self)
        self.map = MapRegion(
            *(self.library, workspace.warmth, lambda message_id: self.chat.branch_costs.residencies.get(message_id)),
            *(self.chat.open_branch.show, self),
        )
        self.state = LiveState(self._state, self)
        self._connect()

    def _connect(self) -> None:
        workspace = self.workspace
        self.chat.branch_costs.changed.connect(self.map.renew)
        self.chat.branch_costs.changed.connect(self.lanes.state.refresh)
        self.branches.compareAsked.connect(self.comparison.open_with)
        self.branches.warmUpAsked.connect(workspace.cached_branches.warm_up)
        self.branches.can_warm_up = lambda: is_possible(BY_ID["warm_up"], self.state.now)
        self.lanes.compareAsked.connect(self.comparison.open_two)
        self.comparison.wentOn.connect(self.lanes.close)
        self.state.follow(self.settings.changed, self.find.changed)
        self.state.follow_states(self.chat.state, self.library.state, self.cache.state, self.model.state)
        self.state.follow_states(self.hub.state, workspace.api.state, self.edges.state, self.comparison.state)
        self.state.follow_states(self.lanes.state, self.tokens.state)
        self.comparison.state.changed.connect(self._leave_tokens)
        self.lanes.arranged.connect(self._leave_tokens)
        self.edges.state.follow_states(self.chat.state)
        self.chat.branch_costs.pathPriced.connect(self.edges.take_path)
        self.library.trash_list.erased.connect(self.cache.disk_cache.release)
        workspace.happened.connect(self.chat.take)
        workspace.datesChanged.connect(self._show_dates)
        workspace.closing.connect(self._leave)

    def act(self, action_id: str) -> None:
        """Do what a menu entry, or a button of a card, says. Raises KeyError where nobody says what."""
        run_of(self, action_id)()

    def jump(self) -> Jump:
        """Make what finds places to go to, for one window."""
        jump = Jump(self._store, self.library, self._commands)
        jump.windowWanted.connect(self.open_in_new_window)
        return jump

    def _commands(self) -> list[JumpRow]:
        """Return the commands that the engine has a use for, but for the one that lists them."""
        can, present = enabled(self.state.now), offered(self.state.now)
        bound = (self.keys.action(one.id) for one in ACTIONS if one.id in present and one.id != "jump")
        return [
            JumpRow(
                JumpKind.COMMAND, one.id, one.title, native(one.keys[0]) if one.keys else "", is_enabled=one.id in can
            )
            for one in bound
        ]

    def catch_up(self) -> None:
        """Tell views now of what they would be told in the next turn of the event loop."""
        for region in (self.model, self.hub, self.cache, self.library, self.chat):
            region.state.catch_up()
        self.edges.state.catch_up()
        self.branches.catch_up()
        self.chat.settings.state.catch_up()
        self.comparison.state.catch_up()
        self.lanes.state.catch_up()
        self.tokens.state.catch_up()
        self.state.catch_up()

    def come_to_front(self) -> None:
        """Note that the window was activated: what is announced is said here from now on."""
        self.activated.emit(self)

    def stop(self) -> None:
        """End what is written here: all answers that stand beside each other, else that of the open path.

        Where nothing is, an edit that was begun is put back.
        """
        if not self.lanes.stop():
            self.chat.requests.stop_or_cancel_edit(self.state.now.chat.can_stop)

    def resume(self) -> None:
        """Have go on here what was cut: the answers that stand beside each other, else that of the open path."""
        if not self.lanes.resume():
            self.chat.requests.go_on()

    def choose_model(self) -> None:
        """Have the person asked for a model's folder, in this window."""
        self.modelFolderWanted.emit()

    def open_window(self) -> None:
        """Open another window, on a blank conversation."""
        self.windowWanted.emit("")

    def open_in_new_window(self, conversation_id: str) -> None:
        """Move a conversation into a window of its own, or bring the other window forward that has it already.

        What is asked in it goes on. Where it is the one that is open here, a new one is open here instead. A
        conversation in which nothing was said yet stays.
        """
        library = self.library
        if not library.library.is_stored(conversation_id):
            return
        if library.stored.open_elsewhere(library).isdisjoint({conversation_id}):
            if conversation_id in library.open_ids:
                library.new_conversation()
            self.windowWanted.emit(conversation_id)
        else:
            library.open(conversation_id)

    def close(self) -> None:
        """Close the window, which does not come back at the next start; the last one ends the program and does."""
        self._leave()
        self.closed.emit(self)

    def _state(self) -> AppState:
        regions = self.chat.state.now, self.library.state.now, self.cache.state.now, self.model.state.now
        values = self.settings.values
        is_comparing = self.comparison.state.now.is_open
        can_find = self.find.can_go or is_comparing
        answer = self.chat.looked_at.answer
        edges, is_beside = self.edges.state.now, any(one.is_writing for one in self.lanes.state.now.lanes)
        return AppState(
            *(*regions, self.hub.state.now, values, can_find, is_comparing, edges, is_beside),
            token_line=self.tokens.state.now.line,
            can_show_tokens=self.tokens.can_open(answer),
            has_answer=self.tokens.has_answer,
            is_answer_written=self.tokens.is_written(answer),
            api=self.workspace.api.state.now,
        )

    def _leave_tokens(self) -> None:
        """Show answers as text again when something else stands in the chat's place."""
        if self.comparison.state.now.is_open or self.lanes.state.now.is_open:
            self.tokens.close()

    def _leave(self) -> None:
        self.find.close()
        self.tokens.stop()
        self.chat.close()
        self.library.close()

    def _show_dates(self) -> None:
        """Have everything that tells a day tell it in the language that was chosen."""
        for state in (self.library.state, self.branches.state):
            state.refresh()
        self.library.trash_list.read()
        self.library.search.renew()
        self.datesChanged.emit()
