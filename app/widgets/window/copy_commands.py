"""The commands that copy: what is selected, a message or the whole branch, as text or as Markdown."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from PySide6.QtCore import QObject
from PySide6.QtGui import QGuiApplication

from app.viewmodels.app import App
from app.viewmodels.kit.slices import SlicedWork
from app.viewmodels.text import formatting
from app.widgets.chat.messages.copied_message import pieces_of
from app.widgets.kit.style import Style
from app.widgets.window.chat_pane import ChatPane

NOTHING_TO_COPY = "Nothing was copied: select some text, or go to a message that says something."


class CopyCommands(QObject):
    """Copies for one window. A branch is put together between events, since it may be long."""

    def __init__(self, style: Style, app: App, chat: ChatPane, copy_in_field: Callable[[], bool]) -> None:
        """copy_in_field: copies what is selected in the text field that has the keyboard; False where nothing is."""
        super().__init__(chat)
        self._style, self._app, self._chat = style, app, chat
        self._copy_in_field = copy_in_field
        self._work = SlicedWork(self)
        self._pieces: list[str] = []
        self._work.done.connect(self._finish)

    @property
    def runs(self) -> dict[str, Callable[[], object]]:
        """Commands that copy, by their ids."""
        return {
            "copy": self._copy,
            "copy_markdown": self._copy_markdown,
            "copy_branch": lambda: self._copy_branch(as_markdown=False),
            "copy_branch_markdown": lambda: self._copy_branch(as_markdown=True),
        }

    def _copy(self) -> None:
        if not self._copy_in_field() and not self._chat.copy():
            self._app.notices.refuse(NOTHING_TO_COPY)

    def _copy_markdown(self) -> None:
        if not self._chat.copy(as_markdown=True):
            self._app.notices.refuse(NOTHING_TO_COPY)

    def _copy_branch(self, *, as_markdown: bool) -> None:
        self._pieces = []
        self._work.start(self._steps(as_markdown=as_markdown))

    def _steps(self, *, as_markdown: bool) -> Iterator[None]:
        for speaker, segments in self._app.chat.open_branch.said():
            words = list[str]()
            for piece in pieces_of(segments, self._style, as_markdown=as_markdown):
                words.append(piece)
                yield
            name = f"**{speaker}:**" if as_markdown else f"{speaker}:"
            self._pieces.append(f"{name}\n\n{''.join(words)}")

    def _finish(self) -> None:
        QGuiApplication.clipboard().setText("\n\n".join(self._pieces) + "\n")
        count = formatting.plural(len(self._pieces), "message")
        self._chat.mention(f"The branch was copied: {count}.")
        self._pieces = []
