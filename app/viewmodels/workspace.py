"""What all windows share: one engine, one database, the models, the cache, and what is asked in every conversation."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from app.conversation.records import ViewState
from app.conversation.store_thread import StoreThread
from app.models.names import hub_repository
from app.protocol.events import EngineFailed, Event
from app.protocol.reports import Problem
from app.viewmodels.cache.cache_region import CacheRegion
from app.viewmodels.chat.answering import Answering
from app.viewmodels.edges.cached_branches import CachedBranches
from app.viewmodels.gateway.local_api import LocalApi
from app.viewmodels.hub.hub_region import HubRegion
from app.viewmodels.kit.folders import Folders
from app.viewmodels.kit.notices import Notices
from app.viewmodels.kit.settings import Settings, SettingsValues
from app.viewmodels.kit.store_link import StoreLink
from app.viewmodels.library.stored_conversations import StoredConversations
from app.viewmodels.model.model_region import ModelRegion
from app.viewmodels.servers.servers_region import ServersRegion
from app.viewmodels.text import dates
from app.viewmodels.warmth.closed_trees import ClosedTrees
from app.viewmodels.warmth.cost_queries import CostQueries
from app.viewmodels.warmth.warmth_index import WarmthIndex
from app.worker.engine_host import EngineHost
from app.worker.server_keys import ServerKeys


class Workspace(QObject):
    """Begins and ends with the program, whatever windows there are meanwhile.

    Attributes: host and store, the ways to the engine and to the database; settings, folders, notices; model, hub,
    servers and cache, the regions that every window shows alike; stored, the conversations; answering, what is asked in
    them; cached_branches, what is done to their cached state; warmth, of branches and conversations; api, what other
    programs are answered.

    Signals: logWanted(), show where the log lies; happened(object), an event of the engine, when what is shared has
    followed it; datesChanged(), days are written in another language; restored(object, bool), the view states that were
    stored, and whether windows and conversations are opened again; closing(), the program ends: windows ask for
    nothing more.
    """

    logWanted = Signal()
    happened = Signal(object)
    datesChanged = Signal()
    restored = Signal(object, bool)
    closing = Signal()

    def __init__(
        self,
        host: EngineHost,
        thread: StoreThread,
        settings: Settings,
        folders: Folders,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self.host, self.store = host, StoreLink(thread, self)
        self.settings, self.folders = settings, folders
        dates.choose_language(settings.values.date_language)
        self.notices = notices = Notices(lambda: self.store.history.step, self)
        self.model = ModelRegion(host, settings, folders.guide, notices, self)
        self.hub = HubRegion(settings, folders, notices, self.model.open, self)
        self.cache = CacheRegion(host, settings, folders.snapshots, self.model, notices, self)
        self.stored = StoredConversations(self.store, settings, notices, self)
        self.answering = Answering(host, self.store, self.stored, self.model.current_model, notices, settings, self)
        keys, is_writing = ServerKeys.beside(folders.database), self.answering.is_writing
        self.servers = ServersRegion(settings, self.model, notices, keys, is_writing, self)
        self.cached_branches = CachedBranches(
            *(host, self.store, self.stored.changes, self.model.current_model),
            *(self.cache, is_writing, notices, self),
        )
        self.warmth = WarmthIndex(
            *(CostQueries(host.submit), self.model.current_model, self.stored),
            *(ClosedTrees(self.store, self.stored.library, self), self.answering.questions.settled),
            *(is_writing, self),
        )
        self.api = LocalApi(host, settings, folders, notices, self)
        self.model.current_model.changed.connect(self.warmth.follow_model)
        for moved in (self.stored.replaced, self.answering.open_paths.moved, self.answering.question_queue.ended):
            moved.connect(self.warmth.follow)
        self.answering.generations.ended.connect(self.cached_branches.pin_keeper.renew)
        self.answering.question_queue.ended.connect(self.servers.follow_answers)
        host.happened.connect(self._on_event)
        settings.changed.connect(self._follow_dates)
        self.model.list.state.changed.connect(self._tell_hub)
        self.hub.downloads.finished.connect(self.model.list.look)
        self.store.failed.connect(notices.error)
        self.store.slowed.connect(notices.keep_telling)
        self.store.eased.connect(notices.withdraw)

    def start(self, model: str, reopens: bool = True, suspect: str = "") -> None:
        """Read what is stored, go on where the person left, and ask for this model.

        reopens: False leaves every conversation closed, and so does who wants to begin with a new one; the drafts are
        there all the same. suspect: another model, which the program did not live through, so that this one is opened;
        that is then said.
        """
        restore = partial(self._restore, reopens and self.settings.values.start_with != "new")
        self.cache.start()
        self.store.do(lambda store: store.notice, self.notices.add_error)
        self.store.do(lambda store: store.emptied, self.cache.release)
        self.stored.library.read_list()
        self.answering.chosen.presets.read()
        self.store.do(lambda store: store.view_states.all(), restore, self.notices.error)
        self.hub.start()
        self.model.open(model)
        if suspect:
            self.model.suspect(suspect)

    def tell_ended_badly(self, has_crashed: bool, reopens: bool) -> None:
        """Say that the run before was not closed; nothing waits for an answer to that."""
        self.notices.warn(_ended_badly(has_crashed, reopens), "Show Log", self.logWanted.emit)

    def close(self) -> None:
        """Stop what runs, save every word, end the engine's thread and then the store's."""
        self.closing.emit()
        self.warmth.close()
        self.answering.questions.close()
        self.answering.attachment_reader.close()
        self.hub.close()
        self.servers.close()
        self.api.close()
        self.host.close()
        self.model.close()
        self.answering.close()
        self.stored.close()  # before the database, which what is being written is still read from
        self.store.close()
        if self.store.is_stuck:
            self.answering.last_save.keep_for_next_start()

    @property
    def is_stuck(self) -> bool:
        """Whether a thread hangs, after `close`: the process must end without waiting for threads."""
        return self.host.is_stuck or self.store.is_stuck or self.stored.is_stuck or self.model.list.is_stuck

    @property
    def lost(self) -> Problem | None:
        """A problem to tell, after `close`: words that could be saved nowhere, or a file that was not written."""
        return self.answering.last_save.lost or self.stored.lost

    def _restore(self, reopens: bool, states: tuple[ViewState, ...]) -> None:
        self.restored.emit(states, reopens)

    def _follow_dates(self, values: SettingsValues) -> None:
        if dates.choose_language(values.date_language):
            self.model.list.state.refresh()
            self.hub.state.refresh()
            self.datesChanged.emit()

    def _tell_hub(self) -> None:
        """Tell the hub's rows which of them are on this machine already."""
        found = (hub_repository(Path(row.id)) for row in self.model.list.state.now)
        self.hub.have({"/".join(one) for one in found if one is not None})

    def _on_event(self, event: Event) -> None:
        shared = self.model, self.hub, self.cache, self.cached_branches, self.answering, self.warmth, self.api
        for region in shared:
            region.take(event)
        self.happened.emit(event)
        if isinstance(event, EngineFailed):  # what it was writing is kept by now
            self.model.tell_failure(event.problem)


def _ended_badly(has_crashed: bool, reopens: bool) -> str:
    """Say in the banner what became of a run that was not closed. reopens: everything is open again."""
    title = "Espalier crashed last time." if has_crashed else "Espalier was not closed last time."
    saved = "Everything you said is saved, and all but the last second of an answer."
    if reopens:
        return f"{title} {saved}"
    again = "As that was twice in a row right after the start, no conversation is opened by itself: choose one."
    return f"{title} {saved} {again}"
