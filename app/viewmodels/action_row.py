"""The rows of the table of commands, and the regions of the program on which commands are carried out."""

from __future__ import annotations

from typing import Protocol

from app.viewmodels.app_state import AppState
from app.viewmodels.cache.cache_region import CacheRegion
from app.viewmodels.chat.chat_region import ChatRegion
from app.viewmodels.comparison.comparison import Comparison
from app.viewmodels.edges.edge_region import EdgeRegion
from app.viewmodels.find.find import Find
from app.viewmodels.kit.action import Action, Submenu
from app.viewmodels.kit.settings import Settings
from app.viewmodels.lanes.lanes import Lanes
from app.viewmodels.library.library_region import LibraryRegion
from app.viewmodels.model.model_region import ModelRegion
from app.viewmodels.tokens.token_mode import TokenMode


class Regions(Protocol):
    """The regions on which commands are carried out."""

    chat: ChatRegion
    comparison: Comparison
    lanes: Lanes
    tokens: TokenMode
    library: LibraryRegion
    cache: CacheRegion
    edges: EdgeRegion
    model: ModelRegion
    find: Find
    settings: Settings

    def open_window(self) -> None:
        """Open another window."""

    def open_in_new_window(self, conversation_id: str) -> None:
        """Move a conversation into a window of its own."""

    def stop(self) -> None:
        """End what is written here."""

    def resume(self) -> None:
        """Have go on here what was cut."""

    def choose_model(self) -> None:
        """Have the person asked for a model's folder."""


Row = Action[Regions, AppState] | Submenu
