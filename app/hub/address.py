"""Addresses of hubs: what a person may enter, and what two of them share."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

USUAL = "https://huggingface.co"
_REPOSITORY = re.compile(r"(?:[A-Za-z0-9_][A-Za-z0-9._-]{0,95}/)?[A-Za-z0-9_][A-Za-z0-9._-]{0,95}")
_PORTS = {"http": 80, "https": 443}
_LONGEST = 500

Origin = tuple[str, str, int]


class AddressError(ValueError):
    """An entry that is no address of a hub. The text is a sentence for the person."""


def endpoint(entered: str) -> str:
    """Return the address of a hub as it is used, without a slash at its end. Raises AddressError.

    "" is the usual hub. A password in an address would be shown and logged, and so is refused.
    """
    text = entered.strip()
    if not text:
        return USUAL
    text = (text if "://" in text else f"https://{text}").rstrip("/")
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError as error:
        raise AddressError("This is not an address. One begins with https:// and a name.") from error
    is_plain = text.isascii() and text.isprintable() and " " not in text and len(text) <= _LONGEST
    if parts.scheme not in _PORTS or not parts.hostname or not is_plain or port == 0:
        raise AddressError("This is not an address. One begins with https:// and a name.")
    if parts.username is not None or parts.password is not None:
        raise AddressError("Leave name and password out of the address; an access token has a field of its own.")
    if parts.query or parts.fragment:
        raise AddressError("The address of a hub ends before any “?” or “#”.")
    return text


def host(address: str) -> str:
    """Return what an address is called in a sentence: its host, with the port where it is not the usual one."""
    parts = urlsplit(address)
    name = parts.hostname or address
    return name if parts.port in (None, _PORTS.get(parts.scheme)) else f"{name}:{parts.port}"


def origin(address: str) -> Origin:
    """Return scheme, host and port of an address. ValueError where it has an odd port."""
    parts = urlsplit(address)
    return parts.scheme, (parts.hostname or "").lower(), parts.port or _PORTS.get(parts.scheme, 0)


def is_private(address: str) -> bool:
    """Return whether nobody on the way can read what is sent there: it is encrypted, or stays on this machine."""
    scheme, name, _port = origin(address)
    return scheme == "https" or name in ("localhost", "::1") or re.fullmatch(r"127(\.\d+){3}", name) is not None


def is_repository(name: str) -> bool:
    """Return whether this can be the name of a repository, "author/name" as a rule."""
    return _REPOSITORY.fullmatch(name) is not None and ".." not in name and "--" not in name
