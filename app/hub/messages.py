"""What the window and the hub's process say to each other: a line of JSON for each request, and for each reply."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from app.hub.found import Found
from app.protocol.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class HubEndpoint:
    """The hub that a request goes to. endpoint: its address. has_token: the keychain keeps an access token for it.

    cache: the folder that models are fetched to, "" for the one that the environment names.
    """

    endpoint: str
    has_token: bool = False
    cache: str = ""


@dataclass(frozen=True, slots=True)
class Search:
    """Search for models. page: `Listed.next` of the page before, "" for the first."""

    place: HubEndpoint
    words: str
    page: str = ""


@dataclass(frozen=True, slots=True)
class Describe:
    """Say what a repository is and how much room it needs."""

    place: HubEndpoint
    name: str


@dataclass(frozen=True, slots=True)
class Fetch:
    """Bring a repository here, as it was at a commit."""

    place: HubEndpoint
    name: str
    commit: str


@dataclass(frozen=True, slots=True)
class Discard:
    """Remove what a download has left that was given up."""

    place: HubEndpoint
    name: str
    commit: str


@dataclass(frozen=True, slots=True, repr=False)
class KeepToken:
    """Put an access token for this hub into the keychain, or remove it where it is empty."""

    place: HubEndpoint
    token: str


@dataclass(frozen=True, slots=True)
class Listed:
    """A page of what a search found. page: as it was asked for."""

    words: str
    page: str
    rows: tuple[Found, ...]
    next: str


@dataclass(frozen=True, slots=True)
class Description:
    """A repository as a person decides by it.

    files: names of those that are needed; bytes: of all. missing: bytes of them that are still to come. free: bytes on
    the disk of `folder`, the cache; -1 where it does not tell. path: where the model lies, "" while it does not.
    """

    name: str
    commit: str
    licence: str
    licence_link: str
    updated: float
    is_gated: bool
    architecture: str
    reason: str
    files: tuple[str, ...]
    bytes: int
    missing: int
    free: int
    is_room: bool
    folder: str
    path: str


@dataclass(frozen=True, slots=True)
class Arrived:
    """The progress of a download: bytes of all, and the file under way. is_checked: its checksum is compared now."""

    done: int
    total: int
    file: str
    is_checked: bool = False


@dataclass(frozen=True, slots=True)
class Ready:
    """A model is there. path: its folder."""

    path: str


@dataclass(frozen=True, slots=True)
class Done:
    """Something was done that has no more to tell."""


@dataclass(frozen=True, slots=True)
class Failed:
    """A request could not be carried out: what to tell a person, and what may help."""

    title: str
    sentence: str
    is_passing: bool = False
    wants_token: bool = False


Request = Search | Describe | Fetch | Discard | KeepToken
Reply = Listed | Description | Arrived | Ready | Done | Failed
_REQUESTS: Mapping[str, type[Request]] = {kind.__name__: kind for kind in (Search, Describe, Fetch, Discard, KeepToken)}
_REPLIES: Mapping[str, type[Reply]] = {
    kind.__name__: kind for kind in (Listed, Description, Arrived, Ready, Done, Failed)
}


def line_of(message: Request | Reply) -> bytes:
    """Return a message as a line."""
    return json.dumps({"kind": type(message).__name__, "is": asdict(message)}).encode() + b"\n"


def request_of(line: bytes) -> Request:
    """Return the request in a line. Raises ValueError, KeyError or TypeError where there is none."""
    found = json.loads(line)
    values = found["is"]
    return _REQUESTS[found["kind"]](**{**values, "place": HubEndpoint(**values["place"])})


def reply_of(line: bytes) -> Reply:
    """Return the reply in a line. Raises ValueError, KeyError or TypeError where there is none."""
    found = json.loads(line)
    values: dict[str, Any] = {name: tuple(one) if isinstance(one, list) else one for name, one in found["is"].items()}
    if "rows" in values:
        values["rows"] = tuple(Found(**row) for row in values["rows"])
    return _REPLIES[found["kind"]](**values)
