"""Where this installation keeps what a person does not choose."""

from __future__ import annotations

from app.protocol.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Folders:
    """guide: of the built-in model. snapshots: where cached state is written, "" for nowhere.

    downloads: the file of downloads that are not finished, starters: that of good models to begin with; "" for none.
    hub_cache: where models from a hub are put, "" for the folder that all programs with huggingface_hub use.
    database: the file of the conversations, logs: the folder of what the program writes of itself; "" where they are of
    no concern.
    """

    guide: str
    snapshots: str = ""
    downloads: str = ""
    starters: str = ""
    hub_cache: str = ""
    database: str = ""
    logs: str = ""
