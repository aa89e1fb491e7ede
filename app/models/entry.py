"""A model in the list of models, as far as its files tell without being loaded."""

from __future__ import annotations

from enum import StrEnum

from app.protocol.dataclass import dataclass


class Source(StrEnum):
    """Whose folder a model lies in."""

    GUIDE = "Built in"
    HUB = "Hugging Face"
    LM_STUDIO = "LM Studio"
    OLLAMA = "Ollama"
    ADDED = "Added folder"
    SERVER = "Server"


@dataclass(frozen=True, slots=True)
class ModelEntry:
    """A model that was found.

    path: what the engine is asked to open, as `protocol.references` tells. root: the folder in which it was looked for,
    "" where it is in none. owner: who published it, or the server that it is on, "" where that is not said. model_type:
    of its configuration. parameters: about, 0 where unknown. precision: as "4-bit" or "bf16". weight_bytes: of its
    tensors, as the engine says of an open model. context: tokens that it reads at most. sees: it was made for images
    too. calls_tools: its template has tools. reason: why it cannot be opened, in one sentence, "" where nothing stands
    against it so far.
    """

    path: str
    name: str
    source: Source
    root: str = ""
    owner: str = ""
    model_type: str = ""
    parameters: int = 0
    precision: str = ""
    weight_bytes: int = 0
    context: int = 0
    sees: bool = False
    calls_tools: bool = False
    reason: str = ""
