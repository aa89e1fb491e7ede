"""The token of the local API: in the system's keychain, and where there is none, in a file that only its owner reads.

Property: it has 256 bits from the system.
"""

from __future__ import annotations

import logging
import re
import secrets

from app.hub import kept_secrets
from app.hub.faults import HubError

logger = logging.getLogger(__name__)

ACCOUNT = "local API"
_BYTES = 32
_TOKEN = re.compile(f"[0-9a-f]{{{2 * _BYTES}}}")


def kept_token(file: str) -> str:
    """Return the token that is kept, or a new one where there is none. file: "" for none."""
    found = kept_secrets.kept(ACCOUNT, file)
    return found if _TOKEN.fullmatch(found) else new_token(file)


def new_token(file: str) -> str:
    """Make another token, keep it in place of the one before, and return it. file: "" for none.

    One that can be kept nowhere holds until the program ends.
    """
    token = secrets.token_hex(_BYTES)
    try:
        kept_secrets.keep(ACCOUNT, token, file)
    except HubError:
        logger.warning("the token of the local API was not kept")
    return token
