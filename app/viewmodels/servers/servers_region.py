"""The servers of models that a person has added: added by their address, looked at again, removed."""

from __future__ import annotations

import os.path
import secrets
from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import QObject, Signal

from app.protocol.dataclass import dataclass
from app.protocol.references import server_model
from app.protocol.reports import Problem
from app.protocol.servers import Server
from app.remote import faults, kinds
from app.remote.address import AddressError, Reach, addresses_of, host_of, is_encrypted, origin, reach_of
from app.remote.keys import key_problem
from app.viewmodels.kit.live_state import LiveState
from app.viewmodels.kit.notices import Notices
from app.viewmodels.kit.settings import ServerState, Settings
from app.viewmodels.model.model_region import ModelRegion
from app.viewmodels.model.model_rows import ModelRow
from app.viewmodels.servers.server_rows import server_rows
from app.worker.server_keys import ServerKeys
from app.worker.server_probe import SeenServer, ServerProbe

MOST_SERVERS = 50
_UNENCRYPTED = "What you say travels unencrypted within {reach}: whoever is in it can read along."
_TOO_MANY = f"{MOST_SERVERS} servers are there already. Remove one first."
_AGAIN = "This address is that of “{name}” already."
_NO_PATH = "The folder of the tokenizer is named by its whole path, as in /Models/Qwen3-4B."
_WITH_FOLDER = frozenset({kinds.VLLM.name, kinds.SGLANG.name})


@dataclass(frozen=True, slots=True)
class ServersState:
    """The servers that there are.

    rows: of the list, each server before its models. looking: the address of the one that is being asked, "" for none.
    problem: why it could not be added or looked at, None where it could. certificate: SHA-256 of the one that it shows
    and that nobody speaks for, "" for none.
    """

    servers: tuple[ServerState, ...] = ()
    rows: tuple[ModelRow, ...] = ()
    looking: str = ""
    problem: Problem | None = None
    certificate: str = ""


class ServersRegion(QObject):
    """Adds servers and removes them. Only what is looked at is asked anything.

    Attribute: state. Signal: added(object), the `ServerState` of one that has answered.
    """

    added = Signal(object)

    state: LiveState[ServersState]

    def __init__(
        self,
        settings: Settings,
        model: ModelRegion,
        notices: Notices,
        keys: ServerKeys,
        is_writing: Callable[[], bool],
        parent: QObject | None = None,
    ) -> None:
        """is_writing: returns whether an answer is under way, which another opening of its model would end."""
        super().__init__(parent)
        self._settings, self._model, self._notices = settings, model, notices
        self._is_writing, self._changed_id = is_writing, ""
        self._look = ServerProbe(keys, self)
        self._look.seen.connect(self._on_seen)
        self._look.failed.connect(self._on_failed)
        self._looking = ""
        self._problem: Problem | None = None
        self._certificate = self._shown_at = ""
        self._asked: tuple[Server, str | None] | None = None
        self.state = LiveState(self._state, self)
        self.state.follow(settings.changed)
        self.state.follow_states(model.list.state)

    def refusal(self, address: str) -> str:
        """Say why an address cannot be added, or one of several, "" where all can be tried."""
        try:
            urls = addresses_of(address)
        except AddressError as error:
            return str(error)
        for known in self._settings.values.servers:
            if not set(map(origin, (known.url, *known.others))).isdisjoint(map(origin, urls)):
                return _AGAIN.format(name=known.name)
        return _TOO_MANY if len(self._settings.values.servers) >= MOST_SERVERS else ""

    def warning(self, address: str) -> str:
        """Say what is to be known of an address before something is said to it, "" for nothing."""
        try:
            urls = addresses_of(address)
        except AddressError:
            return ""
        is_open = any(not is_encrypted(url) and reach_of(url) is Reach.NETWORK for url in urls)
        return _UNENCRYPTED.format(reach=Reach.NETWORK.value) if is_open else ""

    def folder_refusal(self, tokenizer: str) -> str:
        """Say why this cannot be the folder of a tokenizer, "" where it can be tried, or is none."""
        return "" if not tokenizer.strip() or os.path.isabs(_expanded(tokenizer)) else _NO_PATH

    def takes_folder(self, server: ServerState) -> bool:
        """Return whether a folder with the tokenizer makes a difference to a server, or was named for it."""
        return server.kind in _WITH_FOLDER or bool(server.tokenizer)

    def add(self, address: str, name: str = "", key: str = "", tokenizer: str = "") -> str:
        """Ask a server what it is, and add it once it has answered. Returns why that is refused, or "".

        address: or several, of servers that run the same models, with spaces or commas between them. tokenizer: folder
        with that of its models, "" for none.
        """
        refusal = self.refusal(address) or key_problem(key) or self.folder_refusal(tokenizer)
        if not refusal:
            url, *others = addresses_of(address)
            shown = " ".join(name.split()) or host_of(url)
            folder = _expanded(tokenizer)
            self._ask(Server(secrets.token_hex(4), shown, url, others=tuple(others), tokenizer=folder), key)
        return refusal

    def look_again(self, server_id: str) -> None:
        """Ask a server that was added what it has by now."""
        found = self.server(server_id)
        if found is not None:
            self._ask(found.server, None)

    def change(self, server_id: str, name: str, key: str = "", tokenizer: str | None = None) -> None:
        """Ask a server again, and give it another name and key once it has answered; without a key it keeps its own.

        tokenizer: folder with that of its models, "" for none, None for the one that was named before. A model of it
        that is in use is opened again then, after the answer that is under way.
        """
        found, why = self.server(server_id), key_problem(key)
        if found is not None and why:
            self._on_failed(faults.without_key(found.name, why).problem, "", "")
        elif found is not None:
            folder = found.tokenizer if tokenizer is None else _expanded(tokenizer)
            named = replace(found.server, name=" ".join(name.split()) or host_of(found.url), tokenizer=folder)
            self._ask(named, key or None)

    def trust(self) -> None:
        """Ask the server once more that was asked last, and trust the certificate that is shown and no other there.

        Of several addresses each shows its own, one after the other.
        """
        if self._asked is not None and self._certificate:
            server, key = self._asked
            self._ask(server.trusting(self._shown_at, self._certificate), key)

    def remove(self, server_id: str) -> None:
        """Forget a server and its key. What was said with its models stays; the guide answers where one was in use."""
        found = self.server(server_id)
        if found is None:
            return
        current = server_model(self._model.current_model.path)
        self._settings.update(servers=tuple(one for one in self._settings.values.servers if one.id != server_id))
        self._look.forget(server_id)
        if current is not None and current.server_id == server_id:
            self._model.use_guide()
        self._notices.info(f"{found.name} was removed. Conversations that it answered stay.")

    def server(self, server_id: str) -> ServerState | None:
        """Return the server of this id, None where there is none."""
        return next((one for one in self._settings.values.servers if one.id == server_id), None)

    def give_up(self) -> None:
        """Ask no further."""
        self._look.close()
        self._looking, self._problem, self._certificate, self._asked = "", None, "", None
        self.state.refresh()

    def close(self) -> None:
        """End everything that goes over the network."""
        self._look.close()

    def _ask(self, server: Server, key: str | None) -> None:
        self._looking, self._problem, self._certificate = server.url, None, ""
        self._asked = server, key
        self._look.look(server, key)
        self.state.refresh()

    def _on_seen(self, seen: SeenServer) -> None:
        has_new_key = self._asked is not None and self._asked[1] is not None
        self._looking, self._asked = "", None
        server = seen.server
        found = ServerState(
            *(server.id, server.name, server.url, seen.kind, dict(seen.models), server.certificate, server.others),
            tokenizer=server.tokenizer,
            other_certificates=server.other_certificates,
        )
        known, before = self._settings.values.servers, self.server(server.id)
        others = tuple(found if one.id == found.id else one for one in known)
        self._settings.update(servers=others if found in others else (*known, found))
        self.state.refresh()
        self.added.emit(found)
        current = self._model.current_model
        named = server_model(current.wanted)
        if before is None or named is None or named.server_id != found.id:
            return
        if has_new_key or _way(before) != _way(found) or current.problem is not None:
            self._changed_id = found.id
            self.follow_answers()

    def follow_answers(self) -> None:
        """Open the model again whose server is to be asked in another way, as soon as no answer is under way."""
        if self._changed_id and not self._is_writing():
            path, changed_id, self._changed_id = self._model.current_model.wanted, self._changed_id, ""
            named = server_model(path)
            if named is not None and named.server_id == changed_id:
                self._model.open(path)

    def _on_failed(self, problem: Problem, certificate: str, url: str) -> None:
        self._looking, self._problem, self._certificate, self._shown_at = "", problem, certificate, url
        self.state.refresh()

    def _state(self) -> ServersState:
        servers = self._settings.values.servers
        rows = server_rows(servers, self._model.list.state.now, self._looking)
        return ServersState(servers, rows, self._looking, self._problem, self._certificate)


def _way(server: ServerState) -> tuple[object, ...]:
    """Return what a model that is open was opened with, beside the key."""
    return server.name, server.url, server.others, server.tokenizer, server.certificate, server.other_certificates


def _expanded(folder: str) -> str:
    """Return a path as it was typed, "~" in it written out."""
    return os.path.expanduser(folder.strip())
