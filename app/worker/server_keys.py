"""The keys for servers, which last and lie where nobody else reads them."""

from __future__ import annotations

import hashlib
from pathlib import Path

FOLDER = "server-keys"  # in the data folder


class ServerKeys:
    """Keeps a key for each server, by its id. May be used from any thread."""

    def __init__(self, folder: str = "") -> None:
        """folder: where their files lie if the system has no keychain, "" for nowhere."""
        self._folder = folder

    @classmethod
    def beside(cls, database: str) -> ServerKeys:
        """Return those of a data folder. database: the file of its conversations, "" for none."""
        return cls(str(Path(database).parent / FOLDER) if database else "")

    def kept(self, server_id: str) -> str:
        """Return the key for a server, "" where there is none or the keychain does not open."""
        from app.hub.kept_secrets import kept

        return kept(_account(server_id), self._file(server_id))

    def keep(self, server_id: str, key: str) -> None:
        """Keep a key in place of the one before, or none where it is empty. Raises HubError."""
        from app.hub.kept_secrets import keep

        keep(_account(server_id), key, self._file(server_id))

    def _file(self, server_id: str) -> str:
        name = hashlib.sha256(server_id.encode("utf-8", "replace")).hexdigest()[:32]
        return str(Path(self._folder) / name) if self._folder else ""


def _account(server_id: str) -> str:
    """Return under what name a server's key lies in the keychain."""
    return f"server {server_id}"
