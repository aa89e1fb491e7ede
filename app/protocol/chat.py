"""A conversation as the engine reads it: a tuple of turns from the first message to the last."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Role = Literal["system", "user", "assistant"]


@dataclass(frozen=True, slots=True)
class Turn:
    """One message of a branch, as the engine reads it.

    `ids` are the token ids that an answer was generated with, by the model that is loaded now; None when the text was
    typed, edited, imported, or written by another model. With them the prompt repeats the very tokens the cache holds.
    `at`: when it was said, in seconds since the epoch, 0 for now; the first turn's is the date that templates print.
    """

    role: Role
    text: str
    ids: tuple[int, ...] | None = None
    at: float = 0.0


@dataclass(frozen=True, slots=True)
class Sampling:
    """The settings by which tokens are chosen.

    `temperature` 0 is greedy; 0 switches `top_k` and `min_p` off, 1 `top_p`. `max_tokens` None: the answer
    may go on until the context is full.
    """

    temperature: float = 0.7
    top_p: float = 0.95
    top_k: int = 0
    min_p: float = 0.0
    repetition_penalty: float = 1.0
    seed: int | None = None
    max_tokens: int | None = None
    stop: tuple[str, ...] = ()
