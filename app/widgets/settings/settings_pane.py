"""The pane of the inspector in which the settings of the open conversation are made."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.viewmodels.chat.chat_region import ChatRegion
from app.widgets.kit.icon_paths import Icon
from app.widgets.kit.pane import Pane
from app.widgets.kit.style import Style

if TYPE_CHECKING:
    from app.widgets.settings.settings_page import SettingsPage


class SettingsPane(Pane):
    """Shows the settings. Their page is made when somebody first looks at it, so that no start has to wait for it."""

    id = "settings"
    title = "Answers"
    icon = Icon.SLIDERS

    def __init__(self, style: Style, chat: ChatRegion, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._style, self._chat = style, chat
        self._page: SettingsPage | None = None
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self.setAccessibleName(self.title)

    @property
    def page(self) -> SettingsPage:
        """The cards and rows, which are made if they are not there yet."""
        if self._page is None:
            self._page = self._make_page()
        return self._page

    def _make_page(self) -> SettingsPage:
        from app.widgets.settings.settings_page import SettingsPage

        page = SettingsPage(self._style, self._chat, self)
        self._layout.addWidget(page)
        for before, after in pairwise([self, *page.stops]):
            QWidget.setTabOrder(before, after)
        return page

    @property
    def tab_order(self) -> Sequence[QWidget]:
        return () if self._page is None else self._page.stops

    def show_answer(self, message_id: str | None) -> None:
        """Show the settings of this answer, None for the last one, and bring them into view."""
        self.page.show_answer(message_id)

    def showEvent(self, event: QShowEvent) -> None:
        _ = self.page
