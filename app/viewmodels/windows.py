"""The windows that are open over one workspace: how they come and go, and which of them is in front."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import count

from PySide6.QtCore import QObject, Signal

from app.conversation.records import ViewState
from app.viewmodels.app import App
from app.viewmodels.workspace import Workspace


class Windows(QObject):
    """Opens and closes windows, brings back those of the last run, and says what is announced in the front one alone.

    Properties: each window has a number that no other has, from 1 on. What was asked in a window goes on when it is
    closed; the last one takes the workspace with it. When the workspace is closed first, all windows stay in `apps`.

    Signals: opened(object), there is another `App`, which wants its widgets; closed(object), this `App` is a window no
    more: its widgets are to be deleted in the same turn, and it is deleted after them, once all that it asked is
    answered.
    """

    opened = Signal(object)
    closed = Signal(object)

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self._workspace = workspace
        self._apps: list[App] = []
        self._used: list[App] = []  # the same, with the one that was activated last at the end
        workspace.restored.connect(self._restore)
        workspace.notices.announced.connect(self._announce)
        workspace.notices.front = lambda: 0 if self.front is None else self.front.number
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
        app.chat.restore()
        return app

    def _restore(self, states: tuple[ViewState, ...], reopens: bool) -> None:
        """Bring back the windows that were open, each with its conversation and the words of its blank one.

        A window in which something was begun meanwhile goes on with that. reopens: False brings no window and no
        conversation back; words that were not sent are there all the same.
        """
        begun = {app.number for app in self._apps if app.chat.has_begun}
        left = {one.window: one for one in states if one.is_open and one.window is not None}
        numbers = self._places(sorted(left), reopens)
        self._workspace.answering.view_states.restore(states, numbers)
        shown = {number: left[old] for old, number in numbers.items() if old in left}
        for number in sorted({*numbers.values()}):
            app = next((one for one in self._apps if one.number == number), None) or self.open(number)
            stays = number in begun or not reopens
            app.chat.restore("" if stays else self._conversation(app, shown.get(number), shown.values()))

    def _places(self, left: Sequence[int], reopens: bool) -> dict[int, int]:
        """Return the numbers of windows by those they had, also of windows that are open already.

        left: of the windows that were open. The first of them goes on in the first one here where its number differs.
        """
        here = [app.number for app in self._apps]
        numbers = {number: number for number in here}
        gone = [number for number in left if number not in here]
        if here and gone and here[0] not in left:
            numbers[gone.pop(0)] = here[0]
        return numbers | {number: number for number in gone if reopens}

    def _conversation(self, app: App, left: ViewState | None, shown: Iterable[ViewState]) -> str:
        """Return the conversation that a window is opened with, "" for its blank one.

        left: what it showed; where that is gone, the first window shows the one used last that no other shows. shown:
        what all of them showed.
        """
        library = self._workspace.stored.library
        if left is not None and (left.is_blank or library.is_stored(left.conversation_id)):
            return "" if left.is_blank else left.conversation_id
        if app is not self._apps[0]:
            return ""
        others = {one.conversation_id for one in shown}
        return next((one.id for one in library.conversations if library.is_stored(one.id) and one.id not in others), "")

    def _open_on(self, conversation_id: str) -> None:
        app = self.open()
        if conversation_id:
            app.library.open(conversation_id)

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
            app.library.leave()
            self._workspace.notices.leave(app.number)
            self.closed.emit(app)
            self._workspace.store.when_idle(app.deleteLater)  # it has answers to come as long as it waits for some

    def _announce(self, text: str) -> None:
        if self.front is not None:
            self.front.announced.emit(text)

    def _undo(self, step: int) -> None:
        if self.front is not None:
            self.front.library.edits.undo(step)
