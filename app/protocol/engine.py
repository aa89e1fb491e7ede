"""The seam between the window and whatever answers: this process's MLX thread today, something remote tomorrow."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from app.protocol.commands import Command
from app.protocol.events import Event

EventSink = Callable[[Event], None]


@dataclass(frozen=True, slots=True)
class Capabilities:
    """The things that an engine can tell beyond text. The window hides what its engine does not have."""

    token_ids: bool
    cost_estimates: bool
    trie: bool
    logprobs: bool
    lanes: int


class Engine(Protocol):
    """An engine: it takes commands from any thread and answers with events, in order, on a thread of its own."""

    @property
    def capabilities(self) -> Capabilities:
        """Return what this engine can tell beyond text."""
        ...

    def submit(self, command: Command) -> None:
        """Queue a command and return at once."""
        ...
