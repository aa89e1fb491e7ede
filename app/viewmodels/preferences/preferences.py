"""The settings in pages: what is shown of the page in sight, and what its rows do."""

from __future__ import annotations

from PySide6.QtCore import QObject

from app.protocol.dataclass import dataclass
from app.viewmodels.cache.cache_region import CacheRegion
from app.viewmodels.chat.presets import Presets
from app.viewmodels.gateway.local_api import LocalApi
from app.viewmodels.hub.hub_region import HubRegion
from app.viewmodels.kit.folders import Folders
from app.viewmodels.kit.key_bindings import KeyBindings
from app.viewmodels.kit.live_state import LiveState
from app.viewmodels.kit.settings import Settings
from app.viewmodels.kit.store_link import StoreLink
from app.viewmodels.library.library_region import LibraryRegion
from app.viewmodels.model.model_region import ModelRegion
from app.viewmodels.preferences.alternatives_size import AlternativesSize
from app.viewmodels.preferences.api_page import ApiPage
from app.viewmodels.preferences.cache_page import CachePage
from app.viewmodels.preferences.general_page import AppearancePage, GeneralPage
from app.viewmodels.preferences.models_page import ModelsPage
from app.viewmodels.preferences.privacy_page import PrivacyPage
from app.viewmodels.preferences.rows import Group, Page
from app.viewmodels.preferences.shortcuts_page import ShortcutsPage


@dataclass(frozen=True, slots=True)
class PageState:
    """The page in sight: its id and title, and what it shows."""

    id: str
    title: str
    groups: tuple[Group, ...]


class Preferences(QObject):
    """All pages, of which one is in sight. Each change holds at once and is kept.

    Attributes: state, of the page in sight; pages.
    """

    state: LiveState[PageState]

    def __init__(
        self,
        settings: Settings,
        folders: Folders,
        keys: KeyBindings,
        library: LibraryRegion,
        presets: Presets,
        model: ModelRegion,
        hub: HubRegion,
        cache: CacheRegion,
        store: StoreLink,
        api: LocalApi,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._settings = settings
        self._privacy = PrivacyPage(settings, folders, library, cache, hub, self)
        self._alternatives = AlternativesSize(store, self)
        self.pages: tuple[Page, ...] = (
            GeneralPage(settings, self._alternatives),
            AppearancePage(settings),
            ModelsPage(settings, model, hub, presets),
            CachePage(settings, cache),
            ShortcutsPage(keys),
            ApiPage(api),
            self._privacy,
        )
        self._current: Page = next(
            (one for one in self.pages if one.id == settings.values.settings_page), self.pages[0]
        )
        self.state = LiveState(self._state, self)
        self.state.follow(settings.changed, keys.changed, presets.changed, library.trash_list.changed)
        self.state.follow(self._privacy.usage.changed, self._alternatives.changed)
        self.state.follow_states(model.list.state, hub.state, cache.state, library.state, api.state)
        self._current.show()

    def show_page(self, page_id: str) -> None:
        """Bring a page into sight, and remember it. Raises KeyError for an id that no page has."""
        self._current = {page.id: page for page in self.pages}[page_id]
        self._settings.update(settings_page=page_id)
        self._current.show()
        self.state.refresh()
        self.state.catch_up()

    def act(self, row_id: str, value: str = "") -> None:
        """Do what a row or a button of the page in sight does. Raises KeyError for an id that it has not."""
        name, _, argument = row_id.partition(":")
        self._current.handlers[name](argument, value)
        self.state.refresh()
        self.state.catch_up()

    def close(self) -> None:
        """Measure nothing any more."""
        self._privacy.usage.close()
        self._alternatives.close()

    def _state(self) -> PageState:
        return PageState(self._current.id, self._current.title, self._current.groups)
