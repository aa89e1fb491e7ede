"""A model that a search has found, as a row tells of it."""

from __future__ import annotations

from app.protocol.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Found:
    """One model that was found. bytes, parameters, bits: about, by what the hub counted or its name says; 0: unknown.

    updated: seconds since the epoch. architecture: the model_type of its configuration, "" where the hub keeps none.
    is_here: the cache holds it already.
    """

    name: str
    author: str = ""
    downloads: int = 0
    likes: int = 0
    updated: float = 0.0
    licence: str = ""
    bytes: int = 0
    parameters: int = 0
    bits: float = 0.0
    architecture: str = ""
    is_mlx: bool = False
    is_gated: bool = False
    is_here: bool = False
