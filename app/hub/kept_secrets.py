"""Secrets that have to last on every system: in its keychain, and where there is none, in files of their own.

Properties: what is kept in a file is read by its owner alone, and not believed where others may read it; what lies in
the keychain lies in no file; a keychain that is locked is not passed by; nothing is logged of a secret.
"""

from __future__ import annotations

import logging
import os
import stat
from pathlib import Path

from app.hub import tokens
from app.hub.faults import HubError
from app.hub.tokens import NoKeychainError
from app.protocol.plain_files import read_plain, write_whole

logger = logging.getLogger(__name__)

_OTHERS = stat.S_IRWXG | stat.S_IRWXO


def kept(account: str, file: str) -> str:
    """Return a secret, "" where none is kept or it cannot be read.

    file: where it lies if there is no keychain, "" for nowhere.
    """
    return tokens.kept(account) or (_read(file) if file else "")


def keep(account: str, secret: str, file: str) -> None:
    """Keep a secret in place of the one before, or none where it is empty. file: as of `kept`.

    Raises HubError where it can be kept nowhere; the one before stays then.
    """
    try:
        tokens.keep(account, secret)
    except NoKeychainError:
        if not file and secret:
            raise
        if secret:
            _write(file, secret)
            return
    if file:
        _remove(file)


def _read(file: str) -> str:
    try:
        if os.lstat(file).st_mode & _OTHERS:
            logger.warning("a secret’s file can be read by others, so it holds no more")
            return ""
        return read_plain(file, tokens.LONGEST).decode("ascii")
    except (OSError, UnicodeDecodeError):
        return ""


def _write(file: str, secret: str) -> None:
    try:
        Path(file).parent.mkdir(mode=0o700, exist_ok=True)
        write_whole(file, secret)
    except OSError as error:
        logger.warning("a secret was not kept: %s", error.strerror)
        sentence = f"This computer has no keychain, and its file cannot be written: {error.strerror}."
        raise HubError("It was not saved", sentence) from None


def _remove(file: str) -> None:
    try:
        Path(file).unlink(missing_ok=True)
    except OSError as error:
        logger.warning("a secret’s file was not removed: %s", error.strerror)
