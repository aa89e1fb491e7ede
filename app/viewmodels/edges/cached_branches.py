"""What is done to the cached state of branches, whichever window it is asked in: pinning, evicting, warming up."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import count

from PySide6.QtCore import QObject

from app.conversation.branch import Branch, end_of_words
from app.conversation.edit import Operation
from app.conversation.edit_result import EditResult
from app.conversation.message import Message
from app.protocol.commands import Evict
from app.protocol.events import Event, Evicted, Pinned, WarmedUp, WarmingUp
from app.viewmodels.cache.cache_region import CacheRegion
from app.viewmodels.edges import edge_text
from app.viewmodels.edges.pin_keeper import PinKeeper
from app.viewmodels.edges.warm_ups import WarmUps
from app.viewmodels.kit.notices import Notices
from app.viewmodels.kit.store_link import StoreLink
from app.viewmodels.library.changes import Changes
from app.viewmodels.model.current_model import CurrentModel
from app.worker.engine_host import EngineHost


class CachedBranches(QObject):
    """Asks the engine for it, and says once what became of it.

    Attributes: warm_ups, of which there is one at a time in all windows; pin_keeper, of the pins that hold.
    """

    def __init__(
        self,
        host: EngineHost,
        store: StoreLink,
        changes: Changes,
        current_model: CurrentModel,
        cache: CacheRegion,
        is_writing: Callable[[], bool],
        notices: Notices,
        parent: QObject | None = None,
    ) -> None:
        """is_writing: whether the engine has an answer under way."""
        super().__init__(parent)
        self._host, self._changes, self._current_model = host, changes, current_model
        self._cache, self._notices = cache, notices
        self._ids = count(1)
        self._asked_pins: list[tuple[Message, ...]] = []
        self.warm_ups = WarmUps(host, self)
        self.pin_keeper = PinKeeper(host, store, current_model, is_writing, self)
        self.warm_ups.ended.connect(self._on_warmed_up)
        cache.disk_cache.answered.connect(self._on_pinned)
        cache.disk_cache.released.connect(self.pin_keeper.release)
        changes.made.connect(self._on_edit)
        current_model.changed.connect(self._on_model_changed)
        current_model.ready.connect(self.pin_keeper.renew)

    def pin(self, path: Sequence[Message], is_pinned: bool) -> None:
        """Keep a branch whatever else needs room, also after a restart, or let it go again."""
        pinned = [at for at, message in enumerate(path) if message.is_pinned]
        if is_pinned:
            path = path[: end_of_words(path)]
        elif pinned:
            path = path[: pinned[-1] + 1]
        if not path:
            return
        self._asked_pins.append(tuple(path))
        self._cache.pin(Branch(tuple(path), self._current_model.fingerprint), is_pinned, path[-1].id)

    def evict(self, edge: int) -> None:
        """Free what an edge and those below it hold. No word is touched."""
        self._host.submit(Evict(next(self._ids), (edge,)))

    def warm_up(self, path: Sequence[Message]) -> None:
        """Read a branch in the background, in the place of the one that is being read, if there is one."""
        if path:
            self.warm_ups.begin(Branch(tuple(path), self._current_model.fingerprint), path[0].conversation_id)

    def take(self, event: Event) -> None:
        """Follow an event of the engine, if it is about this."""
        if isinstance(event, WarmingUp | WarmedUp):
            self.warm_ups.take(event)
        elif isinstance(event, Pinned):
            self.pin_keeper.take(event)
        elif isinstance(event, Evicted):
            self._on_evicted(event)

    def _on_evicted(self, event: Evicted) -> None:
        if event.problem is not None:
            self._notices.refuse(event.problem)
        else:
            self._notices.info(edge_text.evicted(event))

    def _on_warmed_up(self, event: WarmedUp) -> None:
        if event.problem is not None:
            self._notices.refuse(event.problem)
        elif event.is_whole and not event.tokens:
            self._notices.refuse(edge_text.WARM_ALREADY)
        elif event.is_whole:
            self._notices.announce(edge_text.warmed_up(event))

    def _on_pinned(self, event: Pinned) -> None:
        """Keep a pin with its message, so that it holds after a restart."""
        path = self._asked_pins.pop(0) if self._asked_pins else ()
        if not path or event.problem is not None:
            return
        last_id = path[-1].id
        self.pin_keeper.note(path, event.is_pinned)
        self._changes.make(lambda store: store.messages.pin(last_id, event.is_pinned))

    def _on_edit(self, result: EditResult) -> None:
        if result.edit.operation in (Operation.PIN, Operation.DELETE, Operation.RESTORE):
            self.pin_keeper.renew()

    def _on_model_changed(self) -> None:
        if self._current_model.info is None:
            self.warm_ups.forget()
            self.pin_keeper.forget()
            self._asked_pins.clear()
