"""Servers that a person has added, as an engine is told of them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Server:
    """A server.

    id: by which settings and models name it. name: as the person calls it. url: without a slash at its end.
    certificate: SHA-256 of the one that the person trusts, "" where authorities speak for it. Its key is no part of it:
    that lies in the system's keychain, under the id.
    """

    id: str
    name: str
    url: str
    certificate: str = ""
