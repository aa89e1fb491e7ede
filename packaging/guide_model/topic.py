"""One thing that the guide can be asked about."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Topic:
    """A question in its many forms, and its answers.

    asked: whole questions, the first one the plainest. doing: verb phrases that follow "how do I". naming: noun phrases
    that follow "what is". answers: any one is a full answer. more: sentences that may follow, or answer "tell me more".
    commands: ids of what the topic is there to explain; each answer names one of them by its menu path or its keys.
    Questions are in lower case and without a question mark; phrasing.py dresses them.
    """

    id: str
    asked: tuple[str, ...]
    answers: tuple[str, ...]
    doing: tuple[str, ...] = ()
    naming: tuple[str, ...] = ()
    more: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()


def words(text: str) -> tuple[str, ...]:
    """The words of `text`, parted by white space."""
    return tuple(text.split())


def lines(text: str) -> tuple[str, ...]:
    """The phrases of `text`, one on a line or parted by " | "."""
    return tuple(part.strip() for line in text.strip().splitlines() for part in line.split(" | ") if part.strip())
