"""Pins that outlast the model: what a person has pinned is pinned again whenever it can be."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import count

from PySide6.QtCore import QObject

from app.conversation.branch import Branch
from app.conversation.message import Message
from app.protocol.commands import Pin
from app.protocol.events import Pinned
from app.viewmodels.kit.store_link import StoreLink
from app.viewmodels.model.current_model import CurrentModel
from app.worker.engine_host import EngineHost

_FIRST_ID = 1 << 40  # apart from the ids under which a person asks
_Path = tuple[Message, ...]


class PinKeeper(QObject):
    """Has the engine keep the branches to all messages that are pinned in the database, and no others.

    Properties: one pin is asked for at a time, and none while an answer is written. What cannot be pinned, as nothing
    of it is held or there is no room, is tried again after the next answer, and so is what was erased.
    """

    def __init__(
        self,
        host: EngineHost,
        store: StoreLink,
        current_model: CurrentModel,
        is_writing: Callable[[], bool],
        parent: QObject | None = None,
    ) -> None:
        """is_writing: whether the engine has an answer under way."""
        super().__init__(parent)
        self._host, self._store, self._current_model, self._is_writing = host, store, current_model, is_writing
        self._ids = count(_FIRST_ID)
        self._kept: dict[str, _Path] = {}
        self._waiting: list[tuple[_Path, bool]] = []
        self._asked: tuple[int, _Path, bool] | None = None
        self._erased: set[str] = set()  # of those that are kept, what may be kept no more, or only in part
        self._is_late = False  # the database was compared while a pin was under way
        self._notes = 0  # how often something was noted: what was read of the database before is older

    def note(self, path: _Path, is_pinned: bool) -> None:
        """Take note that a person had the branch to the last of these messages pinned, or let go.

        Whoever calls this has the database told in the same turn.
        """
        self._notes += 1
        if is_pinned:
            self._kept[path[-1].id] = path
        else:
            self._kept.pop(path[-1].id, None)
            self._erased.discard(path[-1].id)

    def renew(self) -> None:
        """Compare what is kept with what the database says, and have the rest pinned or let go."""
        if self._current_model.info is not None:
            compare = partial(self._compare, self._notes)
            self._store.do(lambda store: store.messages.pinned_paths(), compare, lambda _problem: None)

    def release(self, conversation_id: str) -> None:
        """Take note that what was cached of a conversation is erased: its pins are asked for after the next answer."""
        paths = [*self._kept.values(), *(() if self._asked is None else (self._asked[1],))]
        self._erased |= {path[-1].id for path in paths if path[-1].conversation_id == conversation_id}

    def forget(self) -> None:
        """Forget what was kept: the model is gone."""
        self._kept.clear()
        self._erased.clear()
        self._waiting.clear()
        self._asked = None

    def take(self, event: Pinned) -> None:
        """Follow what became of a pin, and ask for the next. Those that a person asked for are none of these."""
        if self._asked is None or event.query_id != self._asked[0]:
            return
        _, path, is_pinned = self._asked
        self._asked = None
        if event.problem is None or not is_pinned:
            self.note(path, is_pinned)
        elif path[-1].id in self._kept:
            self._erased.add(path[-1].id)
        if self._is_late:
            self.renew()
        else:
            self._ask_next()

    def _compare(self, notes: int, paths: tuple[_Path, ...]) -> None:
        """Compare what is kept with what the database said when so many notes had been taken."""
        if notes != self._notes:
            self.renew()
            return
        self._is_late = self._asked is not None
        if self._is_late:
            return
        wanted = {path[-1].id: path for path in paths}
        gone = [(path, False) for number, path in self._kept.items() if number not in wanted]
        kept = self._kept.keys() - self._erased
        self._waiting = [*gone, *((path, True) for number, path in wanted.items() if number not in kept)]
        self._ask_next()

    def _ask_next(self) -> None:
        model = self._current_model
        if self._asked is not None or not self._waiting or model.info is None or self._is_writing():
            return
        path, is_pinned = self._waiting.pop(0)
        self._erased.discard(path[-1].id)
        self._asked = next(self._ids), path, is_pinned
        branch = Branch(path, model.fingerprint)
        self._host.submit(Pin(self._asked[0], branch, is_pinned, branch.options, path[-1].id))
