"""The windows that are open over one workspace: how they come and go, and which of them is in front."""

from __future__ import annotations

from itertools import count

from PySide6.QtCore import QObject, Signal

from app.viewmodels.app import App
from app.viewmodels.workspace import Workspace


class Windows(QObject):
    """Opens and closes windows, and says what is announced in the front one alone.

    Properties: each window has a number that no other has, from 1 on. What was asked in a window goes on when it is
    closed; the last one takes the workspace with it. When the workspace is closed first, all windows stay in `apps`.

    Signals: opened(object), there is another `App`, which wants its widgets; closed(object), this `App` is a window no
    more: its widgets are to be deleted in the same turn, and it is deleted after them.
    """

    opened = Signal(object)
    closed = Signal(object)

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self._workspace = workspace
        self._apps: list[App] = []
        self._used: list[App] = []  # the same, with the one that was activated last at the end
        workspace.notices.announced.connect(self._announce)
        workspace.notices.undoAsked.connect(self._undo)

    @property
    def apps(self) -> tuple[App, ...]:
        """The windows, in the order in which they were opened."""
        return tuple(self._apps)

    @property
    def front(self) -> App | None:
        """The window that was activated last, before any was the one that was opened first; None without any."""
        return self._used[-1] if self._used else None

    def open(self, number: int | None = None) -> App:
        """Open a window on a blank conversation.

        number: None for the least that no window has. ValueError for one that a window has.
        """
        taken = {one.number for one in self._apps}
        if number is None:
            number = next(free for free in count(1) if free not in taken)
        elif number in taken or number < 1:
            raise ValueError(f"no window can have the number {number} beside {sorted(taken)}")
        app = App(self._workspace, number)
        self._apps.append(app)
        self._used.insert(0, app)
        app.activated.connect(self._come_to_front)
        app.closed.connect(self._remove)
        app.windowWanted.connect(self._open_on)
        self.opened.emit(app)
        return app

    def _open_on(self, conversation_id: str) -> None:
        self.open().library.open(conversation_id)

    def _come_to_front(self, app: App) -> None:
        if app in self._used:
            self._used.remove(app)
            self._used.append(app)

    def _remove(self, app: App) -> None:
        if self._apps == [app]:
            self._workspace.close()
        elif app in self._apps:
            self._apps.remove(app)
            self._used.remove(app)
            self.closed.emit(app)
            app.deleteLater()

    def _announce(self, text: str) -> None:
        if self.front is not None:
            self.front.announced.emit(text)

    def _undo(self, step: int) -> None:
        if self.front is not None:
            self.front.library.edits.undo(step)
