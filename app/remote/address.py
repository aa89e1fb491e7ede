"""Addresses of servers: what a person may enter, and how far words go to get there.

Properties: what is not encrypted leaves this machine for addresses of a private network only; no address holds a name
or a password, which would be shown and logged; scheme and host mean the same in capitals, and what is compared or
decided is parsed before, since addresses that were kept may have them.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable
from enum import Enum
from urllib.parse import SplitResult, urlsplit

MOST_REPLICAS = 16
_LONGEST = 500
_PRIVATE_NAMES = (".local", ".lan", ".internal", ".home.arpa")
_NO_ADDRESS = "This is not an address. One is a name or a number, and often a port, as in localhost:8080."
_NO_NUMBER = "“{name}” is not the number of a computer. One is four numbers from 0 to 255, as in 192.168.1.20."
_UNENCRYPTED = "Over the internet words are sent encrypted only: begin the address with https://."

_LONGEST_HOST = 253
_LABEL = re.compile(r"[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?")
_PORTS = {"http": 80, "https": 443}
# What systems read as the number of a computer, too, which may be a public one: 134744072 is 8.8.8.8.
_NUMBERED = re.compile(r"[0-9]+|0x[0-9a-f]*")


class AddressError(ValueError):
    """An entry that is no address of a server. The text is a sentence for the person."""


class Reach(Enum):
    """Distance to a server: it is on this machine, in the same network, or beyond that."""

    HERE = "this computer"
    NETWORK = "your network"
    INTERNET = "the internet"


def checked_address(entered: str) -> str:
    """Return the address of a server as it is used: scheme and host in small letters, no slash or "/v1" at its end.

    Raises AddressError.
    """
    text = entered.strip().rstrip("/").removesuffix("/v1").rstrip("/")
    is_plain = text.isascii() and text.isprintable() and " " not in text and len(text) <= _LONGEST
    if not text or not is_plain or text.endswith(":"):
        raise AddressError(_NO_ADDRESS)
    _check_host(_split(text if "://" in text else f"http://{text}"))
    if "://" not in text:
        scheme = "https" if reach_of(f"http://{text}") is Reach.INTERNET else "http"
        text = f"{scheme}://{text}"
    parts = _split(text)
    if parts.scheme not in _PORTS:
        raise AddressError("An address begins with http:// or https://.")
    if parts.username is not None or parts.password is not None:
        raise AddressError("Leave name and password out of the address; a key has a field of its own.")
    if "?" in text or "#" in text:
        raise AddressError("The address of a server ends before any “?” or “#”.")
    if parts.scheme == "http" and reach_of(text) is Reach.INTERNET:
        raise AddressError(_UNENCRYPTED)
    name, percent, interface = parts.netloc.partition("%")  # of a number with one, whose capitals count
    return parts._replace(netloc=name.lower() + percent + interface).geturl()


def addresses_of(entered: str) -> tuple[str, ...]:
    """Return the addresses of servers, one or several with spaces or commas between them. Raises AddressError."""
    found = tuple(checked_address(one) for one in entered.replace(",", " ").split()) or (checked_address(""),)
    if len(found) > MOST_REPLICAS:
        raise AddressError(f"These are more than {MOST_REPLICAS} addresses.")
    if len(set(map(origin, found))) < len(found):
        raise AddressError("One of these addresses stands there twice.")
    return found


def origin(address: str) -> tuple[str, str, int, str]:
    """Return what all addresses of one server share: scheme, host, port and path. Raises AddressError."""
    parts = _split(address)
    name = _host(parts)
    host = name if "%" in name else str(_number(name) or name)
    return parts.scheme, host, parts.port or _PORTS.get(parts.scheme, 0), parts.path


def is_encrypted(address: str) -> bool:
    """Return whether nobody on the way can read what is said to a server."""
    return urlsplit(address).scheme == "https"


def reach_of(address: str) -> Reach:
    """Return how far a server is away. A name without a dot is one of the network. Raises AddressError."""
    name = _host(_split(address))
    if _number(name) is not None:
        return reach_of_number(name)
    if name == "localhost" or name.endswith(".localhost"):
        return Reach.HERE
    is_local = "." not in name or name.endswith(_PRIVATE_NAMES)
    return Reach.NETWORK if is_local and not _NUMBERED.fullmatch(name) else Reach.INTERNET


def reach_of_number(text: str) -> Reach:
    """Return how far the computer of a number is away; what is no number is on the internet."""
    number = _number(text)
    if number is None:
        return Reach.INTERNET
    if number.is_loopback:
        return Reach.HERE
    return Reach.NETWORK if number.is_private or number.is_link_local else Reach.INTERNET


def farthest(addresses: Iterable[str]) -> Reach:
    """Return how far the farthest of some servers is away. Raises AddressError."""
    reaches = list(Reach)
    return max(map(reach_of, addresses), key=reaches.index)


def host_of(address: str) -> str:
    """Return what an address is called in a sentence: "localhost:8080"."""
    return urlsplit(address).netloc or address


def _check_host(parts: SplitResult) -> None:
    """Raise AddressError where a host is neither a number in its usual form nor a name."""
    name = _host(parts)
    if _number(name) is not None:
        return
    labels = name.split(".")
    if _NUMBERED.fullmatch(labels[-1]):
        raise AddressError(_NO_NUMBER.format(name=name))
    if len(name) > _LONGEST_HOST or not all(map(_LABEL.fullmatch, labels)):
        raise AddressError(_NO_ADDRESS)


def _host(parts: SplitResult) -> str:
    return (parts.hostname or "").lower().removesuffix(".")


def _number(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """Return the number of a computer; the older one where it is written within the newer."""
    try:
        number = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return None
    return getattr(number, "ipv4_mapped", None) or number


def _split(address: str) -> SplitResult:
    try:
        parts = urlsplit(address)
        port = parts.port
    except ValueError as error:
        raise AddressError(_NO_ADDRESS) from error
    if not parts.hostname or port == 0:
        raise AddressError(_NO_ADDRESS)
    return parts
