"""What names a model: a folder, "ollama:NAME:TAG" of Ollama's store, or "server:ID/NAME" on a server."""

from __future__ import annotations

import re
from typing import NamedTuple

SERVER = "server:"
_ID = re.compile("[0-9a-f]{1,32}")
LONGEST_NAME = 300


class ServerModel(NamedTuple):
    """A model on a server. server_id: of the server, as this program knows it. name: as the server calls the model."""

    server_id: str
    name: str

    @property
    def reference(self) -> str:
        """Return what names it among all models."""
        return f"{SERVER}{self.server_id}/{self.name}"

    @property
    def title(self) -> str:
        """Return what a person calls it: without the folders and the ending that servers put around it."""
        return self.name.rstrip("/").rpartition("/")[2].removesuffix(".gguf") or self.name


def server_model(reference: str) -> ServerModel | None:
    """Return the model on a server that this names; None for any other."""
    if not reference.startswith(SERVER):
        return None
    server_id, _, name = reference.removeprefix(SERVER).partition("/")
    is_name = 0 < len(name) <= LONGEST_NAME and name.isprintable()
    return ServerModel(server_id, name) if is_name and _ID.fullmatch(server_id) else None


def is_on_server(reference: str) -> bool:
    """Return whether this names a model on a server, known or not."""
    return reference.startswith(SERVER)
