"""Servers of models: added by their address, looked at again, removed."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, replace

from PySide6.QtCore import QObject, Signal

from app.protocol.reports import Problem
from app.protocol.servers import Server
from app.remote.address import AddressError, Reach, checked_address, host_of, reach_of
from app.viewmodels.kit.live_state import LiveState
from app.viewmodels.kit.settings import ServerState, Settings
from app.worker.server_look import SeenServer, ServerLook

MOST_SERVERS = 50
_UNENCRYPTED = "What you say travels unencrypted within {reach}: whoever is in it can read along."
_TOO_MANY = f"{MOST_SERVERS} servers are there already. Remove one first."
_AGAIN = "This address is that of “{name}” already."


@dataclass(frozen=True, slots=True)
class ServersState:
    """The servers that there are. looking: the address of the one that is being asked, "" for none. problem: why it
    could not be added or looked at, None where it could."""

    servers: tuple[ServerState, ...] = ()
    looking: str = ""
    problem: Problem | None = None


class ServersRegion(QObject):
    """Adds servers and removes them. Only what is looked at is asked anything.

    Attribute: state. Signal: added(object), the `ServerState` of one that has answered.
    """

    added = Signal(object)

    state: LiveState[ServersState]

    def __init__(self, settings: Settings, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._settings = settings
        self._look = ServerLook(self)
        self._look.seen.connect(self._on_seen)
        self._look.failed.connect(self._on_failed)
        self._looking = ""
        self._problem: Problem | None = None
        self.state = LiveState(self._state, self)
        self.state.follow(settings.changed)

    def refusal(self, address: str) -> str:
        """Say why an address cannot be added, "" where it can be tried."""
        try:
            url = checked_address(address)
        except AddressError as error:
            return str(error)
        known = next((one for one in self._settings.values.servers if one.url == url), None)
        if known is not None:
            return _AGAIN.format(name=known.name)
        return _TOO_MANY if len(self._settings.values.servers) >= MOST_SERVERS else ""

    def warning(self, address: str) -> str:
        """Say what is to be known of an address before something is said to it, "" for nothing."""
        try:
            url = checked_address(address)
        except AddressError:
            return ""
        reach = reach_of(url)
        return _UNENCRYPTED.format(reach=reach.value) if url.startswith("http:") and reach is Reach.NETWORK else ""

    def add(self, address: str, name: str = "", key: str = "") -> str:
        """Ask a server what it is, and add it once it has answered. Returns why its address is refused, or ""."""
        refusal = self.refusal(address)
        if not refusal:
            url = checked_address(address)
            shown = " ".join(name.split()) or host_of(url)
            self._ask(Server(secrets.token_hex(4), shown, url), key)
        return refusal

    def look_again(self, server_id: str) -> None:
        """Ask a server that was added what it has by now."""
        found = next((one for one in self._settings.values.servers if one.id == server_id), None)
        if found is not None:
            self._ask(Server(found.id, found.name, found.url), None)

    def remove(self, server_id: str) -> None:
        """Forget a server. What was said with its models stays."""
        left = tuple(one for one in self._settings.values.servers if one.id != server_id)
        self._settings.update(servers=left)

    def give_up(self) -> None:
        """Ask no further."""
        self._look.close()
        self._looking, self._problem = "", None
        self.state.refresh()

    def close(self) -> None:
        """End everything that goes over the network."""
        self._look.close()

    def _ask(self, server: Server, key: str | None) -> None:
        self._looking, self._problem = server.url, None
        self._look.look(server, key)
        self.state.refresh()

    def _on_seen(self, seen: SeenServer) -> None:
        self._looking = ""
        server = seen.server
        found = ServerState(server.id, server.name, server.url, seen.kind, dict(seen.models))
        known = self._settings.values.servers
        if any(one.id == found.id for one in known):
            known = tuple(replace(found, name=one.name) if one.id == found.id else one for one in known)
        else:
            known = (*known, found)
        self._settings.update(servers=known)
        self.state.refresh()
        self.added.emit(found)

    def _on_failed(self, problem: Problem) -> None:
        self._looking, self._problem = "", problem
        self.state.refresh()

    def _state(self) -> ServersState:
        return ServersState(self._settings.values.servers, self._looking, self._problem)
