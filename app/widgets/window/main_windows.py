"""The widgets of all windows: how they are shown, saved, closed, and found again at the next start."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QMargins, QObject, QPoint, QRect, QSize, QTimer
from PySide6.QtWidgets import QApplication, QMessageBox, QStyle

from app.viewmodels.app import App
from app.viewmodels.kit.settings import WindowState
from app.viewmodels.windows import Windows
from app.viewmodels.workspace import Workspace
from app.widgets.kit.dialogs import ask_to_delete
from app.widgets.kit.style import Style
from app.widgets.window.main_window import MainWindow

SAVED_EVERY_MS = 5000
CASCADE = 22  # points
QUIT_TITLE = "Quit while an answer is being written?"
QUIT_SENTENCE = "What is written so far is kept, and the answer can go on with Continue Answer after the next start."


class MainWindows(QObject):
    """Makes the widgets of each window that is opened, and deletes them when it is closed.

    A window that the person closes does not come back at the next start; the last one ends the program and does, as do
    all that are open when the program is quit or killed.
    """

    def __init__(self, style: Style, workspace: Workspace, windows: Windows, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._style, self._workspace, self._settings = style, workspace, workspace.settings
        self._windows = windows
        self._widgets: dict[App, MainWindow] = {}
        self._left: Mapping[int, WindowState] = {}
        self._is_shown = self._is_ending = False
        self._quit_box: QMessageBox | None = None
        windows.opened.connect(self._add)
        windows.closed.connect(self._remove)
        self._saving = QTimer(self, interval=SAVED_EVERY_MS)
        self._saving.timeout.connect(self.save)

    @property
    def front(self) -> MainWindow:
        """The window that was activated last. Raises KeyError before any is open."""
        return self._widgets[self._front_app]

    @property
    def all(self) -> tuple[MainWindow, ...]:
        """All windows, the front one first, then in the order in which they were opened."""
        front = self._front_app
        return tuple(self._widgets[one] for one in sorted(self._windows.apps, key=lambda one: one is not front))

    def open_left(self, at_most: int | None = None) -> None:
        """Open the windows that were left open, or a first one. at_most: how many of them, None for all."""
        left = self._settings.values.windows[:at_most] or (WindowState(),)
        self._left = {state.number: state for state in left}
        for number in tuple(self._left):
            self._windows.open(number)
        self._left = {}

    def show(self) -> None:
        """Show all windows, and every later one at once."""
        self._is_shown = True
        for window in reversed(self.all):
            window.show()
        self._saving.start()

    def come_forward(self) -> None:
        """Bring the front window above those of other programs."""
        self.front.come_forward()

    def open_path(self, path: str) -> None:
        """Open a model or a document from outside in the front window."""
        self.front.open_path(path)

    def save(self) -> None:
        """Have the next start find the windows as they are now, unless it was told so already."""
        windows = tuple(window.state() for window in self.all)
        if windows != self._settings.values.windows:
            self._settings.update(windows=windows)

    def quit(self) -> bool:
        """End the program. Where an answer would be cut off and the person wants it so, ask in the front window first.

        Returns whether it ends without a question.
        """
        if self._asks():
            return False
        self.end()
        return True

    def end(self) -> None:
        """Close all windows without a question."""
        if not self._is_ending:
            self._is_ending = True
            self.save()
            QApplication.closeAllWindows()

    def hide(self) -> None:
        """Hide all windows: the program ends, and they stay as they are until `close`."""
        self._is_ending = True
        self._saving.stop()
        for window in self.all:
            window.hide()

    def close(self) -> None:
        """Delete all windows, after the workspace is closed."""
        for window in self.all:
            window.close()
            window.deleteLater()

    @property
    def _front_app(self) -> App:
        front = self._windows.front
        if front is None:
            raise KeyError("no window is open")
        return front

    def _add(self, app: App) -> None:
        """Make the widgets of a window: as it was left, else beside the front one and like it."""
        state, front = self._left.get(app.number), self._widgets.get(self._front_app)
        if state is None:
            left = WindowState() if front is None else front.state()
            state = replace(left, number=app.number, geometry="")
        else:
            front = None
        window = self._widgets[app] = MainWindow(self._style, app, state, partial(self._may_close, app))
        window.menus.quit.triggered.connect(self.quit)
        if front is not None:
            _lay_beside(front, window)
        elif not state.geometry:
            _fit(window)
        if self._is_shown:
            window.come_forward()
            self.save()

    def _may_close(self, app: App) -> bool:
        """Close one of several windows at once, what was asked in it goes on; the last one ends the program."""
        if self._is_ending:
            return True
        if len(self._widgets) > 1:
            app.close()
            return True
        self._is_ending = not self._asks()
        return self._is_ending

    def _asks(self) -> bool:
        """Return whether the person is asked before the program ends, and ask."""
        is_wanted = self._settings.values.asks_to_quit and self._workspace.answering.is_writing()
        if self._is_ending or not is_wanted:
            return False
        if self._quit_box is None:
            self.come_forward()
            self._quit_box = ask_to_delete(QUIT_TITLE, QUIT_SENTENCE, "Quit", self.end, self.front)
            self._quit_box.destroyed.connect(self._forget_quit_box)
        return True

    def _remove(self, app: App) -> None:
        window = self._widgets.pop(app)
        window.hide()
        window.hand_over(self.front)
        window.deleteLater()
        self.save()

    def _forget_quit_box(self) -> None:
        self._quit_box = None


def cascaded(front: QRect, free: QRect) -> QPoint:
    """Return the corner of a new window as large as the front one: a step beside it, on the free part of the screen."""
    at = front.topLeft() + QPoint(CASCADE, CASCADE)
    moved = QRect(at, front.size())
    return QPoint(
        at.x() if moved.right() <= free.right() else free.left(),
        at.y() if moved.bottom() <= free.bottom() else free.top(),
    )


def _fit(window: MainWindow) -> None:
    """Make a window that was never shown no larger than its screen, with the title above it."""
    free = window.screen().availableSize()
    title = window.style().pixelMetric(QStyle.PixelMetric.PM_TitleBarHeight)
    window.resize(window.size().boundedTo(QSize(free.width(), free.height() - title)))


def _lay_beside(front: MainWindow, window: MainWindow) -> None:
    """Lay a window a step beside the front one, with the size that this has when it does not fill the screen."""
    inner = front.normalGeometry() if front.isMaximized() or front.isFullScreen() else front.geometry()
    handle = front.windowHandle()
    frame = QMargins() if handle is None else handle.frameMargins()
    free = front.screen().availableGeometry()
    size = inner.size().boundedTo(free.marginsRemoved(frame).size())
    window.resize(size)
    window.move(cascaded(QRect(inner.marginsAdded(frame).topLeft(), size.grownBy(frame)), free))
