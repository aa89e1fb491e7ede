"""What goes wrong between here and a hub, in sentences."""

from __future__ import annotations

import errno

import httpx2

from app.protocol.figures import plural
from app.protocol.reports import Problem

LONGEST_WAIT = 3600  # seconds that a hub may ask for before it is told as "later"


class HubError(Exception):
    """Something that a person is told. The text is `problem.sentence`.

    is_passing: trying again may help. wait: seconds that the hub asks to wait first, 0 where it does not say.
    wants_token: access must be granted, or an access token given.
    """

    def __init__(
        self, title: str, sentence: str, *, is_passing: bool = False, wait: int = 0, wants_token: bool = False
    ) -> None:
        super().__init__(sentence)
        self.problem = Problem(title, sentence)
        self.is_passing = is_passing
        self.wait = wait
        self.wants_token = wants_token


def unreachable(error: httpx2.RequestError | httpx2.InvalidURL, host: str) -> HubError:
    """Return what to say of a connection that could not be made, broke, or brought no HTTP."""
    if isinstance(error, httpx2.InvalidURL | httpx2.UnsupportedProtocol):
        return HubError(f"{host} sent on to nowhere", f"{host} answered with an address that cannot be opened.")
    if isinstance(error, httpx2.ProxyError):
        return HubError("The proxy refused", f"The proxy between here and {host} refused. Check the proxy’s settings.")
    if isinstance(error, httpx2.TimeoutException):
        sentence = f"{host} took too long to answer. Try again in a moment."
        return HubError(f"{host} does not answer", sentence, is_passing=True)
    if isinstance(error, httpx2.ConnectError):
        sentence = f"No connection to {host} could be made. Check that this computer is online, and try again."
        return HubError(f"{host} cannot be reached", sentence, is_passing=True)
    if isinstance(error, httpx2.LocalProtocolError):
        return HubError("The request could not be sent", f"What was to be sent to {host} is not valid HTTP.")
    sentence = f"The connection to {host} broke. Try again; what has arrived is kept."
    return HubError("The connection broke", sentence, is_passing=True)


def refusal(status: int, what: str, host: str, *, code: str = "", wait: int = 0, has_token: bool = False) -> HubError:
    """Return what to say of an answer that is no success.

    what: the thing that was asked for. code: the hub's own word for it, of the header X-Error-Code. wait: seconds, of
    the header Retry-After.
    """
    token = "The access token may not see it." if has_token else "An access token of an account that may see it helps."
    if code == "GatedRepo":
        sentence = f"The authors of {what} grant access one by one. Ask for it on {host}, then try again. {token}"
        return HubError("Access must be granted first", sentence, wants_token=True)
    if status == 401:
        if has_token:
            sentence = f"{host} does not know the access token, or shows {what} to others only. Enter a valid one."
            return HubError("The access token was refused", sentence, wants_token=True)
        sentence = f"{what} does not exist on {host}, or is not public. {token}"
        return HubError("Nothing public was found", sentence, wants_token=True)
    if status == 403:
        return HubError("Access was refused", f"{host} does not hand out {what}. {token}", wants_token=True)
    if status in (404, 410):
        return HubError("Nothing was found", f"There is no {what} on {host}, or not any more.")
    if status == 429:
        when = f"in {plural(wait, 'second')}" if 0 < wait <= LONGEST_WAIT else "later"
        sentence = f"{host} has been asked too often from here. Try again {when}."
        return HubError("Too many requests", sentence, is_passing=True, wait=wait)
    if status >= 500 or status == 408:
        sentence = f"{host} is in trouble of its own ({status}). Try again in a while."
        return HubError(f"{host} has a fault", sentence, is_passing=True, wait=wait)
    return HubError(f"{host} refused", f"{host} answered {status} when asked for {what}.")


def not_a_hub(host: str, what: str) -> HubError:
    """Return what to say of an answer that a hub would not give. what: the matter with it, as a clause."""
    sentence = f"{host} answered, but {what}. Check the hub’s address, and whether this network asks to sign in first."
    return HubError(f"{host} does not answer as a hub does", sentence)


def disk_fault(error: OSError, place: str) -> HubError:
    """Return what to say of a file that could not be written."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return HubError("The disk is full", f"Free some space in {place}, then resume: what has arrived is kept.")
    return HubError("The model could not be saved", f"Writing in {place} failed ({error.strerror or error}).")
