"""What the engine does, in words and as a bar."""

from __future__ import annotations

from app.protocol.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Activity:
    """A line for the status line. done: the share that is done, from 0 to 1, None where it cannot be measured; reused:
    the part of that share which the cache held. place: the conversation and the message where it happens, None here.
    stops_guests: the line ends the answers to other programs when it is pressed.
    """

    text: str = ""
    done: float | None = None
    reused: float = 0.0
    place: tuple[str, str] | None = None
    stops_guests: bool = False
