"""The program without a window: its regions, what the engine tells them, beginning and end."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from app.conversation.store_thread import StoreThread
from app.models.names import hub_repository
from app.protocol.events import EngineFailed, Event
from app.protocol.reports import Problem
from app.viewmodels.actions import ACTIONS, enabled, offered, run_of
from app.viewmodels.app_state import AppState
from app.viewmodels.branches.branches_region import BranchesRegion
from app.viewmodels.cache.cache_region import CacheRegion
from app.viewmodels.chat.answering import Answering
from app.viewmodels.chat.chat_region import ChatRegion
from app.viewmodels.comparison.comparison import Comparison
from app.viewmodels.edges.edge_region import EdgeRegion
from app.viewmodels.find.find import Find
from app.viewmodels.hub.hub_region import HubRegion
from app.viewmodels.jump.jump import Jump, JumpKind, JumpRow
from app.viewmodels.kit.folders import Folders
from app.viewmodels.kit.key_bindings import KeyBindings, native
from app.viewmodels.kit.live_state import LiveState
from app.viewmodels.kit.notices import Notices
from app.viewmodels.kit.settings import Settings, SettingsValues
from app.viewmodels.kit.store_link import StoreLink
from app.viewmodels.library.library_region import LibraryRegion
from app.viewmodels.library.stored_conversations import StoredConversations
from app.viewmodels.map.map_region import MapRegion
from app.viewmodels.model.model_region import ModelRegion
from app.viewmodels.text import dates
from app.worker.engine_host import EngineHost


class App(QObject):
    """The regions over one engine and one database.

    Attributes: state, of the whole window; chat, library, branches, cache, model and hub, the regions; comparison, of
    two branches; find, what is looked for in the chat; settings, folders, notices; keys, the shortcuts of all commands.

    Signals: logWanted(), show where the log lies; datesChanged(), days are written in another language.
    """

    logWanted = Signal()
    datesChanged = Signal()

    chat: ChatRegion
    comparison: Comparison
    map: MapRegion
    library: LibraryRegion
    branches: BranchesRegion
    cache: CacheRegion
    edges: EdgeRegion
    model: ModelRegion
    hub: HubRegion
    find: Find
    settings: Settings
    folders: Folders
    notices: Notices
    keys: KeyBindings
    state: LiveState[AppState]

    def __init__(
        self,
        host: EngineHost,
        thread: StoreThread,
        settings: Settings,
        folders: Folders,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._host, self._store = host, StoreLink(thread, self)
        self.settings, self.folders = settings, folders
        dates.choose_language(settings.values.date_language)
        self.keys = KeyBindings(ACTIONS, settings, self)
        self.notices = notices = Notices(lambda: self._store.history.step, self)
        self.model = ModelRegion(host, settings, folders.guide, notices, self)
        self.hub = HubRegion(settings, folders, notices, self.model.open, self)
        self.cache = CacheRegion(host, settings, folders.snapshots, self.model, notices, self)
        self.stored = StoredConversations(self._store, settings, notices, self)
        self.library = LibraryRegion(self.stored, self._store, self.model, notices, self)
        notices.undoAsked.connect(self.library.edits.undo)
        self.answering = Answering(host, self._store, self.stored, self.model.current_model, notices, settings, self)
        self.chat = ChatRegion(host, self._store, self.answering, self.library, self.model, notices, settings, self)
        self.edges = EdgeRegion(
            *(host, self._store, self.library, self.model, self.cache),
            *(self.chat.cost_queries, self.answering.is_writing, notices, self),
        )
        self.branches = BranchesRegion(self.library, self.chat.warmth, self.chat.open_branch.show, settings, self)
        self.comparison = Comparison(self.library, self.chat.open_branch, self)
        self.find = Find(self.library, self.chat, notices, self)
        self.map = MapRegion(
            *(self.library, self.chat.warmth, lambda message_id: self.chat.branch_costs.residencies.get(message_id)),
            *(self.chat.open_branch.show, self),
        )
        self.chat.branch_costs.changed.connect(self.map.renew)
        self.branches.compareAsked.connect(self.comparison.open_with)
        self.state = LiveState(self._state, self)
        for region in (self.chat.state, self.library.state, self.cache.state, self.model.state, self.hub.state):
            self.state.follow(region.staled)
        self.state.follow(settings.changed, self.find.changed, self.edges.state.staled, self.comparison.state.staled)
        self.edges.state.follow(self.chat.state.staled)
        self.chat.branch_costs.pathPriced.connect(self.edges.take_path)
        self.chat.generations.ended.connect(self.edges.pin_keeper.renew)
        host.happened.connect(self._on_event)
        settings.changed.connect(self._follow_dates)
        self.model.list.state.changed.connect(self._tell_hub)
        self.hub.downloads.finished.connect(self.model.list.look)
        self.library.trash_list.erased.connect(self.cache.disk_cache.release)
        for told in (self._store.failed, self._store.slowed):
            told.connect(notices.error)
        self._store.eased.connect(notices.withdraw)

    def start(self, model: str, reopens: bool = True, suspect: str = "") -> None:
        """Read what is stored, go on where the person left, and ask for this model.

        reopens: False leaves every conversation closed, and so does who wants to begin with a new one; the drafts are
        there all the same. suspect: another model,
        which the program did not live through, so that this one is opened; that is then said.
        """
        restore = partial(self.chat.restore, reopens=reopens and self.settings.values.start_with != "new")
        self.cache.start()
        self._store.do(lambda store: store.notice, self.notices.add_error)
        self._store.do(lambda store: store.emptied, self.cache.release)
        self.library.library.read_list()
        self.answering.chosen.presets.read()
        self._store.do(lambda store: store.view_states.all(), restore, self.notices.error)
        self.hub.start()
        self.model.open(model)
        if suspect:
            self.model.suspect(suspect)

    def tell_ended_badly(self, has_crashed: bool, reopens: bool) -> None:
        """Say that the run before was not closed; nothing waits for an answer to that."""
        self.notices.warn(_ended_badly(has_crashed, reopens), "Show Log", self.logWanted.emit)

    def act(self, action_id: str) -> None:
        """Do what a menu entry, or a button of a card, says, and tell views. Raises KeyError where nobody says what."""
        run_of(self, action_id)()
        self.catch_up()

    def jump(self) -> Jump:
        """Make what finds places to go to, for one window."""
        return Jump(self._store, self.library, self._commands)

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
        self.branches.state.catch_up()
        self.chat.settings.state.catch_up()
        self.comparison.state.catch_up()
        self.state.catch_up()

    def close(self) -> None:
        """Stop what runs, save every word, end the engine's thread and then the store's."""
        self.find.close()
        self.chat.close()
        self.answering.questions.close()
        self.hub.close()
        self._host.close()
        self.model.close()
        self.answering.close()
        self.library.close()
        self.stored.close()  # before the database, which what is being written is still read from
        self._store.close()
        if self._store.is_stuck:
            self.answering.keep_for_next_start()

    @property
    def is_stuck(self) -> bool:
        """Whether a thread hangs, after `close`: the process must end without waiting for threads."""
        return self._host.is_stuck or self._store.is_stuck or self.stored.is_stuck or self.model.list.is_stuck

    @property
    def lost(self) -> Problem | None:
        """A problem to tell, after `close`: words that could be saved nowhere, or a file that was not written."""
        return self.answering.answer_saver.lost or self.stored.lost

    def _state(self) -> AppState:
        regions = self.chat.state.now, self.library.state.now, self.cache.state.now, self.model.state.now
        values = self.settings.values
        can_find = self.find.can_go or self.comparison.state.now.is_open
        return AppState(*regions, self.hub.state.now, values, can_find, self.edges.state.now)

    def _follow_dates(self, values: SettingsValues) -> None:
        """Have everything that tells a day tell it in the language that was chosen."""
        if dates.choose_language(values.date_language):
            for state in (self.library.state, self.branches.state, self.model.list.state, self.hub.state):
                state.refresh()
            self.library.trash_list.read()
            self.library.search.renew()
            self.datesChanged.emit()

    def _tell_hub(self) -> None:
        """Tell the hub's rows which of them are on this machine already."""
        found = (hub_repository(Path(row.id)) for row in self.model.list.state.now)
        self.hub.have({"/".join(one) for one in found if one is not None})

    def _on_event(self, event: Event) -> None:
        self.model.take(event)
        self.hub.take(event)
        self.cache.take(event)
        self.edges.take(event)
        self.answering.take(event)
        self.chat.take(event)
        if isinstance(event, EngineFailed):  # what it was writing is kept by now
            self.model.tell_failure(event.problem)


def _ended_badly(has_crashed: bool, reopens: bool) -> str:
    """Say in the banner what became of a run that was not closed. reopens: everything is open again."""
    title = "Espalier crashed last time." if has_crashed else "Espalier was not closed last time."
    saved = "Everything you said is saved, and all but the last second of an answer."
    if reopens:
        return f"{title} {saved}"
    return f"{title} {saved} As it had only just been started, no conversation is opened by itself: choose one."
