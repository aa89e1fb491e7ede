"""The commands about what is cached of a branch: down to where the keyboard is, in the chat or in the cache pane."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject
from PySide6.QtGui import QGuiApplication

from app.viewmodels.app import App
from app.viewmodels.outline import cache_text
from app.widgets.cache.cache_pane import CachePane
from app.widgets.window.chat_pane import ChatPane


class CacheCommands(QObject):
    """Pins, unpins and warms up for one window, and copies what the cache pane shows."""

    def __init__(self, app: App, pane: CachePane, chat: ChatPane, current: Callable[[], str | None]) -> None:
        """current: returns the message that the keyboard is on in the chat, None where it is elsewhere."""
        super().__init__(pane)
        self._app, self._pane, self._chat, self._current = app, pane, chat, current

    @property
    def runs(self) -> dict[str, Callable[[], object]]:
        """Commands about the cache, by their ids."""
        return {
            "pin": lambda: self._pin_there(True),
            "unpin": lambda: self._pin_there(False),
            "warm_up": self._warm_up,
            "copy_cache": self._copy,
        }

    def pin(self, is_pinned: bool, message_id: str | None) -> None:
        """Pin the branch down to a message, None for the open one; or take the last pin away that is there."""
        branch = self._app.chat.open_branch
        path = branch.path if message_id is None else branch.path_to(message_id)
        is_there = is_pinned or any(one.is_pinned for one in path)
        self._app.edges.pin(path if is_there else branch.path, is_pinned)

    def _pin_there(self, is_pinned: bool) -> None:
        if self._is_on_row:
            self._app.edges.pin_row(is_pinned)
        else:
            self.pin(is_pinned, self._current())

    def _warm_up(self) -> None:
        """Warm up the branch of the row that the keyboard is on, else the open one; or stop what is being read."""
        edges = self._app.edges
        if self._is_on_row and edges.warm_ups.now is None:
            edges.warm_up_row()
        else:
            edges.warm_up(self._app.chat.open_branch.path)

    @property
    def _is_on_row(self) -> bool:
        return self._pane.tree.hasFocus() and bool(self._app.edges.state.now.chosen)

    def _copy(self) -> None:
        app = self._app
        QGuiApplication.clipboard().setText(cache_text(app.cache.view, app.cache.event_model.rows))
        self._chat.mention("The cache was copied as text.")
