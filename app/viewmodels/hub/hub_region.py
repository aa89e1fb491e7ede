"""Models that can be had: the search on a hub, the look at a model, and the downloads."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from app.hub import address
from app.hub.address import AddressError
from app.hub.found import Found
from app.hub.starters import Starter, starters
from app.protocol.events import EngineStarted, Event
from app.protocol.memory import ModelSupport
from app.protocol.reports import Problem
from app.viewmodels.hub import hub_text
from app.viewmodels.hub.download import Download
from app.viewmodels.hub.downloads import Downloads
from app.viewmodels.hub.hub_rows import HubRow, HubRows, found_row, is_match, is_unsupported, starter_row
from app.viewmodels.hub.hub_state import HubState, ModelCard
from app.viewmodels.kit.folders import Folders
from app.viewmodels.kit.live_state import LiveState
from app.viewmodels.kit.notices import Notices
from app.viewmodels.kit.settings import Settings
from app.viewmodels.text import formatting
from app.viewmodels.text.branch_titles import quoted
from app.worker.hub_process import HubProcess

if TYPE_CHECKING:
    from app.hub.messages import Description, Failed, HubEndpoint, Reply

STARTERS = "Good models to start with"
_UNENCRYPTED = Problem(
    "The access token was not saved",
    "This hub’s address begins with http://, so that everybody on the way could read the token. Use https://.",
)
_NOT_FETCHED = "Nothing is sent or fetched before you search or choose a model."


class HubRegion(QObject):
    """Region of models on a hub. It is offline until `search`, `look_at` or a download is asked for.

    Attributes: state; rows, of starters or of what was found; downloads.
    """

    state: LiveState[HubState]

    def __init__(
        self,
        settings: Settings,
        folders: Folders,
        notices: Notices,
        open_model: Callable[[str], object],
        parent: QObject | None = None,
    ) -> None:
        """open_model: opens the model in a folder."""
        super().__init__(parent)
        self._settings, self._folders, self._notices, self._open_model = settings, folders, notices, open_model
        self._asker = HubProcess(self)
        self._asker.replied.connect(self._take)
        self._keeper = HubProcess(self)
        self._keeper.replied.connect(self._on_token)
        self.downloads = Downloads(folders.downloads, self._place, parent=self)
        self.rows = HubRows(self)
        self._support = ModelSupport()
        self._starters: tuple[Starter, ...] | None = None
        self._found: tuple[Found, ...] = ()
        self._here: set[str] = set()
        self._searched: str | None = None
        self._typed = ""
        self._next = ""
        self._is_searching = False
        self._problem: Failed | None = None
        self._card: ModelCard | None = None
        self._description: Description | None = None
        self._token = ""
        self.state = LiveState(self._state, self)
        self.state.follow(self.downloads.changed, settings.changed)
        self.downloads.finished.connect(self._on_finished)
        self.downloads.stopped.connect(self._on_stopped)

    @property
    def endpoint(self) -> str:
        """Return the address of the hub that is asked: the chosen one, else the environment's, else the usual one."""
        for entered in (self._settings.values.hub, os.environ.get("HF_ENDPOINT", "")):
            try:
                if entered:
                    return address.endpoint(entered)
            except AddressError:
                continue
        return address.USUAL

    @property
    def is_usual(self) -> bool:
        """Return whether the person has chosen no hub."""
        return not self._settings.values.hub

    def start(self) -> None:
        """Read which downloads were not finished, and offer to go on with them."""
        self.downloads.read()
        if self.downloads.list:
            self._notices.warn(hub_text.paused(self.downloads.list), "Resume", self.downloads.resume_all)

    def take(self, event: Event) -> None:
        """Follow what the engine says of this machine."""
        if isinstance(event, EngineStarted):
            self._support = event.support
            self._show_rows()

    def show(self) -> None:
        """Have something to show: called when the page comes into sight."""
        if self._starters is None:
            self._starters = starters(self._folders.starters)
            self._show_rows()

    def have(self, names: set[str]) -> None:
        """Take note of the repositories that this machine has already."""
        if names != self._here:
            self._here = names
            self._show_rows()

    def close(self) -> None:
        """End everything that goes over the network; downloads are paused the next time."""
        self._asker.close()
        self._keeper.close()
        self.downloads.close()

    # Search

    def filter(self, text: str) -> None:
        """Show the rows alone that have these words; nothing is asked of the hub. An empty text leaves the search."""
        self._typed = text.strip()
        if not self._typed and self._searched is not None:
            self._stop_asking()
            self._searched, self._found, self._next, self._problem = None, (), "", None
        self._show_rows()

    def search(self, text: str) -> None:
        """Ask the hub for models. A search that is under way is given up."""
        words = text.strip()
        if not words:
            return
        self._stop_asking()
        self._searched, self._typed, self._found, self._next, self._problem = words, words, (), "", None
        self._card = self._description = None
        self._ask(words)

    def show_more(self) -> None:
        """Ask for the next page."""
        if self._next and not self._is_searching and self._searched is not None:
            self._stop_asking()
            self._ask(self._searched, self._next)

    def stop_search(self) -> None:
        """Give up what is being asked."""
        self._stop_asking()
        self._card = None if self._card is not None and self._card.is_loading else self._card
        self._show_rows()

    # One model

    def look_at(self, name: str) -> None:
        """Ask the hub for all that one decides by."""
        from app.hub.messages import Describe

        if self._card is not None and self._card.name == name and (self._card.is_loading or self._description):
            return
        self._stop_asking()
        self._card, self._description = ModelCard(name, is_loading=True), None
        self._asker.ask(Describe(self._place(self.endpoint), name))
        self.state.refresh()

    def leave(self) -> None:
        """Look at no model."""
        if self._card is not None and self._card.is_loading:
            self._stop_asking()
        self._card = self._description = None
        self.state.refresh()

    def act(self) -> None:
        """Download the model that is looked at, or open it where it is here already."""
        found = self._description
        if found is None or self._card is None or not self._card.can_act:
            return
        if found.path:
            self._open_model(found.path)
            return
        self._download(found, found.bytes - found.missing)

    def fetch_again(self) -> None:
        """Have the model that is looked at compared with its checksums, and what of it is damaged downloaded again."""
        if self._description is not None and self._card is not None and self._card.can_fetch_again:
            self._download(self._description, 0)

    def _download(self, found: Description, done: int) -> None:
        self.downloads.add(Download(found.name, found.commit, self.endpoint, found.bytes, done))
        self._notices.announce(f"Downloading {found.name}")
        self.leave()

    def act_on(self, key: str) -> None:
        """Pause a download, let it go on, or open the model that it has brought."""
        found = self.downloads.find(key)
        if found is None:
            return
        action = hub_text.row_of(found, self.downloads.rate).action
        if action == "Open":
            self._open_model(found.path)
            self.downloads.cancel(key)
        elif action == "Pause":
            self.downloads.pause(key)
        else:
            self.downloads.resume(key)

    # The hub itself

    def choose_hub(self, entered: str) -> str:
        """Ask another hub from now on, "" for the usual one. Returns why that is no address, "" where it is one."""
        try:
            wanted = address.endpoint(entered) if entered.strip() else ""
        except AddressError as error:
            return str(error)
        if wanted != self._settings.values.hub:
            self._settings.update(hub=wanted)
            self.filter("")
            self.leave()
        return ""

    def keep_token(self, token: str) -> None:
        """Put an access token for this hub into the system's keychain, or remove it where it is empty."""
        from app.hub.messages import KeepToken

        if token and not address.is_private(self.endpoint):
            self._notices.error(_UNENCRYPTED)
            return
        self._token = address.host(self.endpoint) if token else ""
        self._keeper.ask(KeepToken(self._place(self.endpoint), token))

    # Replies

    def _ask(self, words: str, page: str = "") -> None:
        from app.hub.messages import Search

        self._is_searching = True
        self._asker.ask(Search(self._place(self.endpoint), words, page))
        self._notices.announce(f"Searching {address.host(self.endpoint)}")
        self._show_rows()

    def _stop_asking(self) -> None:
        """Give up what is under way. A process with nothing to do is kept for the next request."""
        self._is_searching = False
        if self._asker.is_busy:
            self._asker.stop()

    def _take(self, reply: Reply) -> None:
        from app.hub.messages import Description, Failed, Listed

        if isinstance(reply, Listed):
            self._is_searching = False
            known = {one.name for one in self._found}
            self._found += tuple(one for one in reply.rows if one.name not in known)
            self._next = reply.next
            self._problem = None
            if not reply.rows and reply.next:
                self.show_more()
        elif isinstance(reply, Description):
            self._description = reply
            self._card = self._described(reply)
        elif isinstance(reply, Failed):
            self._on_failed(reply)
        self._show_rows()

    def _described(self, found: Description) -> ModelCard:
        reason = found.reason
        if not reason and not found.path and is_unsupported(found.architecture, self._support):
            reason = f"mlx-lm knows no models of the kind “{found.architecture}”."
        problem = Problem("This model cannot be used here", reason) if reason else None
        can_act = not reason and (bool(found.path) or found.is_room)
        action = "" if reason else "Open" if found.path else "Download"
        facts = hub_text.facts_of(found, self._support.memory)
        can_fetch_again = not reason and bool(found.path)
        return ModelCard(found.name, facts, False, action, can_act, can_fetch_again, problem)

    def _on_failed(self, reply: Failed) -> None:
        problem = Problem(reply.title, reply.sentence)
        self._notices.announce(f"{problem.title}. {problem.sentence}")
        if self._is_searching:
            self._is_searching, self._problem = False, reply
        elif self._card is not None and self._card.is_loading:
            self._card = ModelCard(self._card.name, problem=problem, wants_token=reply.wants_token)

    def _on_token(self, reply: Reply) -> None:
        from app.hub.messages import Failed

        host = address.host(self.endpoint)
        if isinstance(reply, Failed):
            self._notices.error(Problem(reply.title, reply.sentence))
        else:
            others = tuple(one for one in self._settings.values.hub_tokens if one != host)
            self._settings.update(hub_tokens=(*others, host) if self._token == host else others)
        self._keeper.stop()

    def _on_finished(self, download: Download) -> None:
        self._here = self._here | {download.name}
        self._found = tuple(_is_here(one, download.name) for one in self._found)
        name = download.name.rpartition("/")[2]
        self._notices.warn(f"{name} is downloaded.", "Open", partial(self.act_on, download.key))
        self._show_rows()

    def _on_stopped(self, download: Download) -> None:
        if download.problem is not None:
            self._notices.error(download.problem)

    # State

    def _place(self, endpoint: str) -> HubEndpoint:
        from app.hub.messages import HubEndpoint

        return HubEndpoint(
            endpoint, address.host(endpoint) in self._settings.values.hub_tokens, self._folders.hub_cache
        )

    def _show_rows(self) -> None:
        self.rows.show(self._all_rows())
        self.state.refresh()

    def _all_rows(self) -> list[HubRow]:
        here, support = self._here, self._support
        if self._searched is None:
            rows = [starter_row(one, support, one.repository in here) for one in self._starters or ()]
        else:
            rows = [found_row(one, support, one.is_here or one.name in here) for one in self._found]
            if self._typed == self._searched:
                return rows
        return [row for row in rows if is_match(row, self._typed)]

    def _state(self) -> HubState:
        running, host = self.downloads.running, address.host(self.endpoint)
        return HubState(
            host=host,
            heading=self._heading(),
            empty=self._empty(host),
            online=self._online(host, running),
            is_searching=self._is_searching,
            has_more=bool(self._next) and not self._is_searching,
            problem=None if self._problem is None else Problem(self._problem.title, self._problem.sentence),
            card=self._card,
            downloads=tuple(hub_text.row_of(one, self.downloads.rate) for one in self.downloads.list),
            has_token=host in self._settings.values.hub_tokens,
            activity=hub_text.activity_of(running, self.downloads.rate),
        )

    def _heading(self) -> str:
        if self._searched is None:
            return STARTERS
        if self._is_searching or self._problem is not None:
            return f"Search for {quoted(formatting.first_words(self._searched, 40))}"
        count = f"{formatting.number(len(self._found))}{'+' if self._next else ''}"
        return f"{count} found for {quoted(formatting.first_words(self._searched, 40))}"

    def _empty(self, host: str) -> str:
        if self.rows.rows or self._problem is not None:
            return ""
        if self._is_searching:
            return f"Searching {host}…"
        if self._typed != (self._searched or ""):
            return f"None of these is called that. Return searches {host}."
        return _NOT_FETCHED if self._searched is None else f"{host} has no model of that name that mlx-lm could load."

    def _online(self, host: str, running: Download | None) -> str:
        if self._is_searching:
            return f"Searching {host}…"
        if self._card is not None and self._card.is_loading:
            return f"Asking {host}…"
        return f"Downloading from {address.host(running.endpoint)}" if running is not None else ""


def _is_here(found: Found, name: str) -> Found:
    return replace(found, is_here=True) if found.name == name else found
