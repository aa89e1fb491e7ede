"""The body of a request: read within bounds, and parsed only when it is known to be modest."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NoReturn

from app.gateway.asgi import Receive
from app.gateway.refused import RefusedError
from app.protocol.modest_json import is_modest

LARGEST = 4 << 20  # bytes
_TOO_LARGE = f"The request is too large: at most {LARGEST >> 20} MiB are read."


class GoneError(Exception):
    """The client has closed its connection."""


async def read_body(headers: Mapping[bytes, bytes], receive: Receive) -> bytes:
    """Return the body of a request. Raises RefusedError where it is too large, GoneError where the client has left."""
    told = headers.get(b"content-length", b"0")
    if told.isdigit() and int(told[:20]) > LARGEST:
        raise RefusedError(413, _TOO_LARGE)
    body = bytearray()
    while True:
        message = await receive()
        if message["type"] != "http.request":
            raise GoneError
        body += message.get("body", b"")
        if len(body) > LARGEST:
            raise RefusedError(413, _TOO_LARGE)
        if not message.get("more_body"):
            return bytes(body)


def parsed(body: bytes) -> Any:
    """Return the value of a JSON text. Raises RefusedError where it is none, or nested without measure."""
    try:
        if not is_modest(body):
            raise RefusedError(400, "The request is nested too deeply.")
        return json.loads(body.decode("utf-8"), parse_constant=_refuse)
    except (ValueError, RecursionError):
        raise RefusedError(400, "The request is no JSON.") from None


def _refuse(_name: str) -> NoReturn:
    """Refuse what JSON has no words for: infinities, and what is no number."""
    raise ValueError
