"""The names of models, from where they lie."""

from __future__ import annotations

from pathlib import Path

from app.models.ollama_store import PREFIX
from app.protocol.excerpts import one_line
from app.protocol.references import server_model

HUB_MODEL = "models--"


def hub_repository(path: Path) -> tuple[str, str] | None:
    """Return owner and name of the repository of a snapshot in the hub's cache, None for any other folder."""
    repository = path.parent.parent.name
    if path.parent.name != "snapshots" or not repository.startswith(HUB_MODEL):
        return None
    owner, _, name = repository.removeprefix(HUB_MODEL).rpartition("--")
    return owner, name


def model_name(path: str) -> str:
    """Return how a model is called: like its folder, its repository on the hub, as Ollama calls it, "NAME:TAG", or as
    its server does, without what stands before a slash."""
    on_server = server_model(path)
    if on_server is not None:
        return shown(on_server.title)
    if path.startswith(PREFIX):
        return shown(path.removeprefix(PREFIX))
    if not path:
        return ""
    folder = Path(path).absolute()
    repository = hub_repository(folder)
    return shown(folder.name if repository is None else repository[1])


def shown(name: str) -> str:
    """Return a name as it can be shown and read aloud: on one line of at most 200 characters."""
    return one_line(name[:200])
