"""The conversation that a new database begins with: one to look at before anything was said."""

from __future__ import annotations

import logging
from pathlib import Path

from app.conversation.faults import StoreError
from app.conversation.store import Store

logger = logging.getLogger(__name__)

SAMPLE_ID = "4f24c7b084a06fcd8b0ab07ed7368043"
"""The id that the sample has in its file, and so in the database."""


def add_sample(store: Store, path: Path) -> bool:
    """Keep the sample if the database was made just now; returns whether it did. It is no step that can be undone.

    Whoever deletes it has deleted it: no later start has a new database. To be called on the store's thread.
    """
    if not store.database.is_new:
        return False
    from app.exchange import ExchangeError, read_file  # here, because no start but the first has to wait for it

    try:
        for document in read_file(path).documents:
            store.imports.add(document)
    except (ExchangeError, StoreError, OSError, ValueError) as error:
        logger.warning("there is no sample conversation: %s", error)
        return False
    return True
