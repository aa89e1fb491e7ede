"""The search for models on a hub, a page at a time: first those made for MLX, then others of safetensors."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from app.hub import naming
from app.hub.address import is_repository, origin
from app.hub.connection import Connection
from app.hub.faults import HubError, not_a_hub
from app.hub.found import Found
from app.hub.json_fields import count, fields, moment, text, texts
from app.hub.repository import licence_of
from app.protocol.dataclass import dataclass

PAGE = 30
LONGEST = 200  # characters of what is searched for
_EXPAND = ("downloads", "likes", "lastModified", "tags", "gated", "safetensors", "config", "author")
_MLX, _SAFETENSORS = "mlx", "safetensors"


@dataclass(frozen=True, slots=True)
class Page:
    """Some of what was found. next: what the next page is asked for by, "" after the last."""

    rows: tuple[Found, ...]
    next: str = ""


def search(hub: Connection, words: str, page: str = "") -> Page:
    """Search a hub. page: `next` of the page before. Raises HubError."""
    first = _address(hub, words, _MLX)
    address = page or first
    if origin(address) != origin(hub.endpoint):
        raise HubError("The hub was changed", "Search again: these results are another hub’s.")
    answer = hub.json(address, "models")
    if not isinstance(answer.content, list):
        raise not_a_hub(hub.host, "not with a list of models")
    is_mlx = f"filter={_MLX}" in address
    rows = [_found(one) for one in answer.content[: 4 * PAGE]]
    rest = _address(hub, words, _SAFETENSORS) if is_mlx else ""
    return Page(tuple(row for row in rows if row and row.is_mlx == is_mlx), answer.next or rest)


def _address(hub: Connection, words: str, tag: str) -> str:
    query = [("search", words.strip()[:LONGEST]), ("filter", tag), ("sort", "downloads"), ("limit", str(PAGE))]
    return f"{hub.endpoint}/api/models?{urlencode([*query, *(('expand', name) for name in _EXPAND)])}"


def _found(entry: Any) -> Found | None:
    """Return what an entry says, None where it is no model that could be fetched."""
    one = fields(entry)
    name, tags = text(one.get("id") or one.get("modelId")), texts(one.get("tags"))
    if not is_repository(name) or ("gguf" in tags and _SAFETENSORS not in tags):
        return None
    config, counted = fields(one.get("config")), fields(one.get("safetensors"))
    kinds = {kind: count(number) for kind, number in fields(counted.get("parameters")).items()}
    quantized = fields(config.get("quantization") or config.get("quantization_config"))
    bits = naming.bits(name) or float(count(quantized.get("bits"))) or (16.0 if set(kinds) <= {"BF16", "F16"} else 0.0)
    parameters = naming.parameters(name) or (0 if "U32" in kinds else sum(kinds.values()))
    return Found(
        name=name,
        author=text(one.get("author"), 100) or name.partition("/")[0],
        downloads=count(one.get("downloads")),
        likes=count(one.get("likes")),
        updated=moment(one.get("lastModified")),
        licence=licence_of(tags),
        bytes=naming.bytes_of(kinds) or naming.bytes_about(parameters, bits or 16.0),
        parameters=parameters,
        bits=bits if kinds or naming.bits(name) else 0.0,
        architecture=text(config.get("model_type"), 80),
        is_mlx=_MLX in tags,
        is_gated=bool(one.get("gated")),
    )
