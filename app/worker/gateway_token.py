"""The token of the local API: in the system's keychain, and where there is none, in a file that only its owner reads.

Properties: it has 256 bits from the system; it is never logged; a file that others may read is not believed.
"""

from __future__ import annotations

import logging
import os
import re
import secrets
import stat
from pathlib import Path

from app.hub import tokens
from app.hub.faults import HubError
from app.protocol.plain_files import read_plain, write_whole

logger = logging.getLogger(__name__)

ACCOUNT = "local API"
_BYTES = 32
_TOKEN = re.compile(f"[0-9a-f]{{{2 * _BYTES}}}")
_OTHERS = stat.S_IRWXG | stat.S_IRWXO


def kept_token(file: str) -> str:
    """Return the token that is kept, or a new one where there is none. file: "" for none."""
    found = tokens.kept(ACCOUNT)
    found = found if _TOKEN.fullmatch(found) else _read(file)
    return found or new_token(file)


def new_token(file: str) -> str:
    """Make another token, keep it in place of the one before, and return it. file: "" for none.

    One that can be kept nowhere holds until the program ends.
    """
    token = secrets.token_hex(_BYTES)
    try:
        tokens.keep(ACCOUNT, token)
    except HubError:
        _write(file, token)
    else:
        _remove(file)
    return token


def _read(file: str) -> str:
    if not file:
        return ""
    try:
        if os.lstat(file).st_mode & _OTHERS:
            logger.warning("the token's file can be read by others, so it holds no more")
            return ""
        found = read_plain(file, 2 * _BYTES).decode("ascii")
    except (OSError, UnicodeDecodeError):
        return ""
    return found if _TOKEN.fullmatch(found) else ""


def _write(file: str, token: str) -> None:
    if not file:
        return
    try:
        write_whole(file, token)
    except OSError as error:
        logger.warning("the token of the local API was not kept: %s", error.strerror)


def _remove(file: str) -> None:
    """Remove the file of a token that lies in the keychain by now."""
    if file:
        Path(file).unlink(missing_ok=True)
