"""What goes wrong with a server, in sentences for a person. A server's own words are cut to one line of text."""

from __future__ import annotations

import re

from app.protocol.reports import Problem

_LONGEST = 300
_KEYS = (401, 403)
_BUSY = (429, 503)
_NO_LENGTH = re.compile(r"\bcontext[ _](length|size|window)", re.IGNORECASE)
_COUNTED = re.compile(r"\b(\d{1,9})(?: [a-z]+)? tokens", re.ASCII | re.IGNORECASE)


class ServerError(Exception):
    """A request that failed.

    problem: what to tell. may_retry: the same request may do better. is_busy: the server asks for patience, and names
    wait, seconds, or 0. is_away: nothing answers at its address. is_untrusted: its certificate is not accepted.
    is_unreadable: an answer came, or its beginning, and could not be read. is_of_server: what was entered about it is
    the cause. too_long: how many tokens the conversation has at least that is refused as too long, 1 where the server
    does not say; 0 for another fault.
    """

    def __init__(
        self,
        title: str,
        sentence: str,
        *,
        may_retry: bool = False,
        is_busy: bool = False,
        is_away: bool = False,
        wait: float = 0.0,
        is_untrusted: bool = False,
        is_of_server: bool = False,
        is_unreadable: bool = False,
        too_long: int = 0,
    ) -> None:
        super().__init__(title)
        self.problem = Problem(title, sentence, is_of_server=is_of_server or is_untrusted)
        self.is_untrusted, self.is_unreadable = is_untrusted, is_unreadable
        self.may_retry = may_retry or is_busy or is_away
        self.is_busy, self.wait, self.is_away, self.too_long = is_busy, wait, is_away, too_long


def unreachable(name: str, host: str) -> ServerError:
    """Return the fault of an address at which nothing answers."""
    sentence = f"Nothing answers at {host}. Start the server there, or check its address, then try again."
    return ServerError(f"{name} cannot be reached", sentence, is_away=True)


def no_address(name: str, host: str) -> ServerError:
    """Return the fault of an address that is none."""
    sentence = f"{words(host)} is not an address. Remove the server, then add it with the right one."
    return ServerError(f"{name} cannot be reached", sentence)


def unencrypted(name: str, host: str, number: str) -> ServerError:
    """Return the fault of a name that leads to the internet, where words go encrypted only."""
    sentence = (
        f"{host} is {number}, which is on the internet. Nothing was sent: add it with https:// before its address."
    )
    return ServerError(f"{name} is not in your network", sentence)


def without_key(name: str, why: str) -> ServerError:
    """Return the fault of a key that cannot be sent. why: a sentence."""
    sentence = f"{why} Enter its key where the server was added."
    return ServerError(f"The key for {name} cannot be sent", sentence, is_of_server=True)


def unforeseen(name: str) -> ServerError:
    """Return the fault that nobody foresaw."""
    sentence = "Something went wrong that nobody foresaw. Check its address and key, then try again."
    return ServerError(f"{name} could not be asked", sentence)


def untrusted(name: str, why: str) -> ServerError:
    """Return the fault of a certificate that this computer does not trust."""
    sentence = f"Nobody whom this computer trusts speaks for its certificate: {words(why)}."
    return ServerError(f"{name} cannot be trusted yet", sentence, is_untrusted=True)


def changed(name: str) -> ServerError:
    """Return the fault of another certificate than the one that the person trusts."""
    sentence = (
        "Somebody may have put another computer in its place. Nothing was sent. If its certificate was renewed, choose "
        "Change… where the server was added, and trust the new one."
    )
    return ServerError(f"{name} shows another certificate", sentence, is_untrusted=True)


def broken_off(name: str) -> ServerError:
    """Return the fault of a connection that ended before the answer did."""
    sentence = "The connection ended in the middle. What came of the answer stays; try again."
    return ServerError(f"{name} broke off", sentence, may_retry=True, is_unreadable=True)


def endless(name: str) -> ServerError:
    """Return the fault of an answer that is longer than any can be."""
    return ServerError(f"{name} finds no end", "Its answer is longer than any can be. What came of it stays.")


def silent(name: str, minutes: int) -> ServerError:
    """Return the fault of a server that has said nothing for long."""
    return ServerError(
        f"{name} says nothing", f"No word has come for {minutes} minutes. Look at the server, then try again."
    )


def malformed(name: str, what: str) -> ServerError:
    """Return the fault of an answer that is not one of such servers."""
    sentence = f"It sent {what}. Is it a server of language models?"
    return ServerError(f"{name} gives no answer that can be read", sentence, is_unreadable=True)


def compressed(name: str) -> ServerError:
    """Return the fault of an answer that is compressed, though it was asked for as it is."""
    sentence = (
        "Its answer is compressed, which it was asked not to do. Switch that off there, or in what stands before it."
    )
    return ServerError(f"{name} gives no answer that can be read", sentence, is_unreadable=True)


def gave_up(name: str, said: str) -> ServerError:
    """Return the fault that a server tells in the middle of an answer."""
    return _too_long(said) or ServerError(f"{name} gave up", f"It says: “{words(said)}”.")


def refused(name: str, status: int, said: str, wait: float = 0.0) -> ServerError:
    """Return the fault of a request that is refused, as its status says."""
    told = f" It says: “{words(said)}”." if words(said) else ""
    if status in _KEYS:
        sentence = f"Enter its key where the server was added, then try again.{told}"
        return ServerError(f"{name} asks for a key", sentence, is_of_server=True)
    if status in _BUSY:
        return ServerError(f"{name} is busy", f"Try again in a moment.{told}", is_busy=True, wait=wait)
    too_long = _too_long(said)
    if too_long is not None:
        return too_long
    if status == 404:
        return ServerError(f"{name} does not have that", f"The model or the address is not there any more.{told}")
    return ServerError(f"{name} refuses the request", f"It answers with status {status}.{told}")


def _too_long(said: str) -> ServerError | None:
    """Return the fault of a conversation that the server calls too long, None where it says something else."""
    if not _NO_LENGTH.search(said):
        return None
    title, told = "The conversation is too long for this model", f"The server says: “{words(said)}”."
    counts = map(int, _COUNTED.findall(said[: 4 * _LONGEST]))
    return ServerError(title, f"{told} Shorten the message, or fork at an earlier one.", too_long=max((1, *counts)))


def words(text: str) -> str:
    """Return a server's words on one line, cut where they are long; nothing that steers a terminal or a text."""
    line = "".join(one if one.isprintable() else " " for one in text[: 4 * _LONGEST])
    line = " ".join(line.split()).rstrip(".")
    return line if len(line) <= _LONGEST else line[:_LONGEST].rstrip() + "…"
