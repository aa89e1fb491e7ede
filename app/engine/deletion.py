"""The deletion of cache files that no open model knows of.

It is waited for only so long: a disk that does not answer would hold up whatever is asked next.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path

from app.kvcache.disk.catalog import erase_everywhere, wipe_all
from app.protocol.deadline import DeadlineCaller

log = logging.getLogger(__name__)

_SECONDS = 10.0


def delete_all(folder: str) -> None:
    """Delete the cache files of all models."""
    _in_time(lambda: wipe_all(Path(folder)))


def delete_of_owner(folder: str, owner: str) -> None:
    """Delete the cache files, of all models, that only this owner used."""
    _in_time(lambda: erase_everywhere(Path(folder), owner))


def _in_time(delete: Callable[[], None]) -> None:
    try:
        DeadlineCaller("cache files", _SECONDS).call(delete)
    except TimeoutError as error:
        log.warning("the cache files are not deleted yet: %s", error.strerror)
