"""What is known of one repository, and which of its files make a model for mlx-lm.

Properties of a listing: every file has a plain name, a size and a digest; no two names are one on a disk that takes
capitals for small letters; nothing in it is code, or a pickle, or anything else that is run when it is read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any
from urllib.parse import quote

from app.hub.address import is_repository
from app.hub.connection import Connection
from app.hub.faults import HubError, not_a_hub
from app.hub.json_fields import count, fields, moment, text, texts
from app.protocol.dataclass import dataclass

MOST_FILES = 2000
LARGEST_FILE = 50_000_000_000  # bytes; what is larger, the hub hands out by Xet alone
LARGEST_BESIDE = 500_000_000  # bytes of all files that are no weights
_WEIGHTS = re.compile(r"model[A-Za-z0-9._-]{0,120}\.safetensors")
_BESIDE = re.compile(
    r"[A-Za-z0-9_][A-Za-z0-9._-]{0,120}\.(?:json|jinja|txt|tiktoken)|tokenizer\.model"
    r"|additional_chat_templates/[A-Za-z0-9_][A-Za-z0-9._-]{0,120}\.jinja"
)
_COMMIT = re.compile(r"[0-9a-f]{40}")
_SHA256, _SHA1 = re.compile(r"[0-9a-f]{64}"), re.compile(r"[0-9a-f]{40}")


@dataclass(frozen=True, slots=True)
class HubFile:
    """A file of a repository. digest: SHA-256 in 64 hex digits, or git's SHA-1 of a blob in 40, as the hub keeps it."""

    name: str
    size: int
    digest: str


@dataclass(frozen=True, slots=True)
class Repository:
    """A repository at one commit, as a person decides by it.

    licence: the hub's short name of it, "" where the authors say nothing; licence_link: where its text stands.
    files: those that a model needs. updated: seconds since the epoch. architecture: the model_type of its
    configuration, "" where the hub does not say. reason: why this is no model to fetch, or "".
    """

    name: str
    commit: str
    files: tuple[HubFile, ...] = ()
    licence: str = ""
    licence_link: str = ""
    updated: float = 0.0
    is_gated: bool = False
    architecture: str = ""
    reason: str = ""

    @property
    def bytes(self) -> int:
        """Return the size of all files."""
        return sum(file.size for file in self.files)


def describe(hub: Connection, name: str, commit: str = "") -> Repository:
    """Ask for a repository at a commit, "" for its newest. Raises HubError."""
    if not is_repository(name) or (commit and not _COMMIT.fullmatch(commit)):
        raise HubError("Not a repository", f"“{text(name, 120)}” is not the name of a repository.")
    revision = f"/revision/{commit}" if commit else ""
    answer = hub.json(f"{hub.endpoint}/api/models/{quote(name)}{revision}", name, {"blobs": "true"})
    found = fields(answer.content)
    if not found or not _COMMIT.fullmatch(text(found.get("sha"))) or (commit and found["sha"] != commit):
        raise not_a_hub(hub.host, f"not with a description of {name}")
    card, tags = fields(found.get("cardData")), texts(found.get("tags"))
    files, reason = chosen(found.get("siblings"))
    return Repository(
        name=name,
        commit=found["sha"],
        files=files,
        licence=licence_of(tags, card.get("license_name") or card.get("license")),
        licence_link=text(card.get("license_link")),
        updated=moment(found.get("lastModified")),
        is_gated=bool(found.get("gated")),
        architecture=text(fields(found.get("config")).get("model_type"), 80),
        reason="The hub’s operators have closed this repository." if found.get("disabled") is True else reason,
    )


def licence_of(tags: Iterable[str], named: Any = "") -> str:
    """Return a licence's short name, from a repository's card or its tags."""
    tagged = next((tag.partition(":")[2] for tag in tags if tag.startswith("license:")), "")
    return text(named, 80) if text(named) and tagged in ("", "other") else tagged[:80]


def chosen(siblings: Any) -> tuple[tuple[HubFile, ...], str]:
    """Return the files that mlx-lm needs, and why they are no model to fetch, "" where they are one."""
    entries = siblings if isinstance(siblings, list) else []
    named = {name: one for one in entries if (name := _needed(one))}
    if len({name.casefold() for name in named}) < len(named):
        return (), "Two of its files differ in capitals alone, and would be one file on many disks."
    weights = [name for name in named if _WEIGHTS.fullmatch(name)]
    if not weights:
        return (), "It holds no weights as safetensors, the only kind that is fetched."
    if "config.json" not in named:
        return (), "It holds no config.json, and so is not a model that mlx-lm can load."
    if len(named) > MOST_FILES:
        return (), f"It holds more than {MOST_FILES} files."
    files = tuple(_file(name, one) for name, one in sorted(named.items()))
    return files, _fault_of(files, weights)


def _needed(entry: Any) -> str:
    """Return a file's name where a model needs it, else "". Whatever leads out of the folder is never needed."""
    found = fields(entry).get("rfilename")
    is_needed = isinstance(found, str) and (_WEIGHTS.fullmatch(found) or _BESIDE.fullmatch(found))
    return found if is_needed and isinstance(found, str) and ".." not in found else ""


def _file(name: str, entry: dict[str, Any]) -> HubFile:
    large = fields(entry.get("lfs"))
    digest = text(large.get("sha256") or large.get("oid")).removeprefix("sha256:")
    if _SHA256.fullmatch(digest):
        return HubFile(name, count(large.get("size")) or count(entry.get("size")), digest)
    blob = text(entry.get("blobId"))
    return HubFile(name, count(entry.get("size")), blob if _SHA1.fullmatch(blob) else "")


def _fault_of(files: tuple[HubFile, ...], weights: list[str]) -> str:
    unsure = next((file.name for file in files if not file.digest), "")
    if unsure:
        return f"The hub names no checksum for {unsure}, so that nobody could tell whether it arrived whole."
    if any(file.size > LARGEST_FILE for file in files):
        return "One of its files is larger than 50 GB, which cannot be fetched in one piece."
    if any(file.size < 1 for file in files if file.name in weights):
        return "One of its files of weights is empty."
    if sum(file.size for file in files if file.name not in weights) > LARGEST_BESIDE:
        return "What it holds beside the weights is too large to belong to a model."
    return ""
