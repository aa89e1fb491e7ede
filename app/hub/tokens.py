"""Access tokens, in the system's keychain and nowhere else.

Properties: no token is written to a file, logged, or part of an exception's text; a keychain that is none, or that
would write a file, is refused.
"""

from __future__ import annotations

import keyring.errors
from keyring.backend import KeyringBackend
from keyring.backends import SecretService, kwallet, libsecret, macOS

from app.hub.faults import HubError

SERVICE = "Espalier"
LONGEST = 1000
SYSTEMS: tuple[type[KeyringBackend], ...] = (
    macOS.Keyring,
    SecretService.Keyring,
    libsecret.Keyring,
    kwallet.DBusKeyring,
)
"""Keychains of systems, by preference. Which one is used is never taken from a file, nor one that writes a file."""


class NoKeychainError(HubError):
    """A computer without a keychain that can be used."""


def kept(host: str) -> str:
    """Return the token for a hub, "" where none is kept or the keychain does not open."""
    try:
        return _keychain().get_password(SERVICE, host) or ""
    except (keyring.errors.KeyringError, HubError):
        return ""


def keep(host: str, token: str) -> None:
    """Put a token for a hub in the keychain, or remove it where it is empty.

    Raises HubError, NoKeychainError where there is none.
    """
    if not (token.isascii() and token.isprintable() and " " not in token and len(token) <= LONGEST):
        raise HubError("This is not an access token", "An access token has letters and digits, and no spaces.")
    keychain = _keychain()
    try:
        if token:
            keychain.set_password(SERVICE, host, token)
        elif keychain.get_password(SERVICE, host) is not None:
            keychain.delete_password(SERVICE, host)
    except keyring.errors.KeyringError:
        sentence = "The system’s keychain did not open. Unlock it, then try again."
        raise HubError("The access token was not saved", sentence) from None


def _keychain() -> KeyringBackend:
    """Return the system's own keychain. Raises NoKeychainError."""
    for kind in SYSTEMS:
        if kind.viable:
            return kind()
    sentence = "This computer has no keychain that Espalier can use, and an access token is not written to a file."
    raise NoKeychainError("The access token was not saved", sentence)
