"""Requests as bytes on a socket, where a client would not send them as they are."""

from __future__ import annotations

import json
import socket
from typing import Any

from tests.gateway.scripted import TOKEN, Api

QUESTION = {"model": "tiny", "messages": [{"role": "user", "content": "Hi"}]}


def head(api: Api, *more: str, method: str = "GET", path: str = "/v1/models", host: str | None = None) -> bytes:
    """Return the head of a request that is answered, with more headers."""
    lines = [f"{method} {path} HTTP/1.1", f"Host: {host or f'127.0.0.1:{api.port}'}", *more]
    return "\r\n".join([*lines, f"Authorization: Bearer {TOKEN}", "", ""]).encode("latin-1")


def post(api: Api, body: Any, path: str = "/v1/chat/completions") -> bytes:
    """Return a whole request with a body."""
    data = json.dumps(body).encode()
    told = f"Content-Length: {len(data)}"
    return head(api, "Content-Type: application/json", told, method="POST", path=path) + data


def connected(api: Api, sent: bytes = b"") -> socket.socket:
    """Return a connection on which something was sent."""
    connection = socket.create_connection(("127.0.0.1", api.port), 30)
    connection.sendall(sent)
    return connection


def reply(api: Api, sent: bytes) -> str:
    """Return what is answered to this on a connection of its own."""
    with connected(api, sent) as connection:
        return answer_on(connection)


def answer_on(connection: socket.socket) -> str:
    """Return what comes up to the end of a JSON object, or of the connection."""
    came = b""
    while not came.endswith(b"}\n") and (piece := connection.recv(1 << 16)):
        came += piece
    return came.decode()


def status(answer: str) -> int:
    """Return the status of an answer, 0 where there is none."""
    return int(answer.split(" ")[1]) if answer else 0


def until_closed(connection: socket.socket) -> bytes:
    """Return what comes until the other side closes or resets the connection."""
    came = b""
    try:
        while piece := connection.recv(1 << 16):
            came += piece
    except ConnectionResetError:
        pass
    return came
