"""What holds in the whole window, as one value: commands are enabled and checked by it."""

from __future__ import annotations

from dataclasses import field, replace

from app.protocol.dataclass import dataclass
from app.viewmodels.cache.cache_state import CacheState
from app.viewmodels.chat.chat_state import ChatState
from app.viewmodels.edges.edge_region import EdgeState
from app.viewmodels.gateway.local_api import LocalApiState
from app.viewmodels.hub.hub_state import HubState
from app.viewmodels.kit.activity import Activity
from app.viewmodels.kit.settings import SettingsValues
from app.viewmodels.library.library_state import LibraryState
from app.viewmodels.model.model_state import ModelState


@dataclass(frozen=True, slots=True)
class AppState:
    """The states of all regions, and the settings. can_find_next: there is a place that Find Next would go to.

    is_comparing: two branches stand in the chat's place. is_writing_beside: one of the answers that stand beside each
    other is being written. token_line: of an answer that is shown by its tokens, "" for none. can_show_tokens: it is
    known what those of the answer that is looked at, else of the last one, were chosen from; has_answer: there is one;
    is_answer_written: it is being written.
    """

    chat: ChatState = field(default_factory=ChatState)
    library: LibraryState = field(default_factory=LibraryState)
    cache: CacheState = field(default_factory=CacheState)
    model: ModelState = field(default_factory=ModelState)
    hub: HubState = field(default_factory=HubState)
    settings: SettingsValues = field(default_factory=SettingsValues)
    can_find_next: bool = False
    is_comparing: bool = False
    edges: EdgeState = field(default_factory=EdgeState)
    is_writing_beside: bool = False
    token_line: str = ""
    can_show_tokens: bool = False
    has_answer: bool = False
    is_answer_written: bool = False
    api: LocalApiState = field(default_factory=LocalApiState)

    @property
    def activity(self) -> Activity:
        """Return what the keys do in token mode, else what the engine does: an answer, a check, or at rest.

        What other programs are answered is told while nothing is answered here, and a download while the engine rests.
        """
        if self.token_line:
            return Activity(self.token_line)
        rests = self.hub.activity if self.hub.activity.text and not self.model.is_loading else self.model.activity
        warming = Activity(self.edges.warming, self.edges.done) if self.edges.warming else None
        return self.chat.activity or warming or self.cache.activity or self.api.activity or rests

    @property
    def can_stop(self) -> bool:
        """Return whether something is written or opened here that can be stopped."""
        return self.chat.can_stop or self.is_writing_beside

    @property
    def cache_line(self) -> str:
        """Return how full the cache is, "" where the engine does not tell."""
        return self.cache.line if self.model.has("trie") else ""

    @property
    def without_figures(self) -> AppState:
        """Return it without what is told a few times a second, on which no command depends."""
        chat = replace(self.chat, subtitle="", context_used=0, warmth=None, activity=None)
        return replace(self, chat=chat, cache=replace(self.cache, line=""))

    @property
    def has_cached_branch(self) -> bool:
        """Return whether there is a branch, and a model that may hold something of it."""
        return self.model.is_open and not self.chat.is_empty
