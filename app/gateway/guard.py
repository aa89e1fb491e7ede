"""Who may ask at all, told from the head of a request, before anything of its body is read.

Properties: a web page gets nothing, whatever name it reaches this computer by: the host is a loopback name with our
port, no origin is served, no preflight is answered well, and what is asked is JSON, which no page can send unasked.
Another person's program has no token. Nothing here tells how much of a token was right.
"""

from __future__ import annotations

import hmac
from collections.abc import Iterable, Mapping

from app.gateway.refused import RefusedError

LARGEST_HEAD = 64 << 10  # bytes
_ONCE = frozenset({b"host", b"origin", b"authorization", b"content-type", b"content-length", b"transfer-encoding"})
_LINE = 4  # bytes of a header beside its name and value
_PAGES = "Web pages are not served."


def headers_of(pairs: Iterable[tuple[bytes, bytes]]) -> dict[bytes, bytes]:
    """Return headers by their names in small letters. Raises RefusedError where they are too large, or said twice."""
    headers: dict[bytes, bytes] = {}
    size = 0
    for name, value in pairs:
        size += len(name) + len(value) + _LINE
        if name in headers and name in _ONCE:
            raise RefusedError(400, f"The header {name.decode('latin-1')} was sent twice.")
        headers[name] = value
    if size > LARGEST_HEAD:
        raise RefusedError(400, "The headers are too large.")
    return headers


def admit(method: str, headers: Mapping[bytes, bytes], port: int, token: str) -> None:
    """Raise RefusedError unless a request comes from a program of this computer that has the token."""
    host = headers.get(b"host", b"").lower()
    if host not in {f"{name}:{port}".encode() for name in ("127.0.0.1", "localhost", "[::1]")}:
        raise RefusedError(421, "This server answers under its loopback address only.")
    if b"origin" in headers or method == "OPTIONS":
        raise RefusedError(403, _PAGES)
    scheme, _, given = headers.get(b"authorization", b"").partition(b" ")
    is_known = hmac.compare_digest(given.strip(), token.encode())
    if scheme.lower() != b"bearer" or not is_known or not token:
        raise RefusedError(401, "The token is missing or wrong. It stands in Settings > Local API.", "invalid_api_key")


def require_json(headers: Mapping[bytes, bytes]) -> None:
    """Raise RefusedError unless the body is said to be JSON."""
    kind = headers.get(b"content-type", b"").partition(b";")[0].strip().lower()
    if kind != b"application/json":
        raise RefusedError(415, "Send the request as application/json.")
