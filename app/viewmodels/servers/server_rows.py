"""The rows of the list of servers: each server, and below it its models."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from app.protocol.references import SERVER, server_model
from app.remote.address import farthest, host_of
from app.viewmodels.kit.settings import ServerState
from app.viewmodels.model.model_rows import ModelRow
from app.viewmodels.text import formatting
from app.viewmodels.text.formatting import DOT

_NO_MODELS = "It has no model now. Look again when one is loaded there."


def server_rows(servers: Iterable[ServerState], models: Sequence[ModelRow], looking: str) -> tuple[ModelRow, ...]:
    """Return a row for each server, with those of its models after it.

    models: rows of models, also of this machine. looking: the address of the server that is being asked.
    """
    return tuple(row for server in servers for row in _rows(server, models, looking))


def server_of(row_id: str) -> str:
    """Return the id of the server that a row is of, or is of a model of."""
    named = server_model(row_id)
    return row_id.removeprefix(SERVER) if named is None else named.server_id


def is_server(row: ModelRow) -> bool:
    """Return whether a row is that of a server, and not of a model."""
    return row.id.startswith(SERVER) and server_model(row.id) is None


def where_of(server: ServerState) -> str:
    """Say where a server is: "10.0.0.7:8080, on your network"."""
    urls = server.url, *server.others
    return f"{', '.join(map(host_of, urls))}, on {farthest(urls).value}"


def _rows(server: ServerState, models: Sequence[ModelRow], looking: str) -> Iterator[ModelRow]:
    own = [row for row in models if server_model(row.id) is not None and server_of(row.id) == server.id]
    count = formatting.plural(len(own), "model") if own else _NO_MODELS
    where = where_of(server).removeprefix(f"{server.name}, ")  # a server without a name is called by its address
    details = DOT.join((where, count))
    is_looking = server.url == looking
    yield ModelRow(
        id=f"{SERVER}{server.id}",
        name=server.name,
        source=server.kind,
        details=details,
        said=details,
        stage="Asking what it has" if is_looking else "",
    )
    for row in own:
        yield _of_model(row)


def _of_model(row: ModelRow) -> ModelRow:
    """Return the row of a model, with the whole name by which the server knows it."""
    named = server_model(row.id)
    name = named.name if named is not None and named.name != row.name else ""
    details = DOT.join(part for part in (name, row.details) if part)
    return replace(row, source="", details=details, said=details)
