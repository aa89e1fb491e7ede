"""The errors of the engine, in words a person can act on, and the figures in those words."""

from __future__ import annotations

from app.protocol.reports import Problem

_NARROW_SPACE = "\u202f"
_NO_BREAK_SPACE = "\u00a0"


class EngineError(Exception):
    """An error with the `Problem` that the window shows: a short title, and a sentence that says what to do next."""

    def __init__(self, title: str, sentence: str) -> None:
        super().__init__(f"{title}: {sentence}")
        self.problem = Problem(title, sentence)


class ModelError(EngineError):
    """A model folder cannot be opened."""


class RequestError(EngineError):
    """A branch cannot be answered."""


class ShortOfMemoryError(RequestError):
    """There is no memory for the next step of a run. Nothing is wrong with what was computed so far."""


class TooLongError(RequestError):
    """A conversation is longer than the model reads. tokens: what it comes to, None when that was not counted."""

    def __init__(self, context: int, tokens: int | None = None) -> None:
        super().__init__(
            "The conversation is too long for this model",
            f"It comes to {f'more than {count(context)}' if tokens is None else count(tokens)} tokens, and this model "
            f"reads at most {count(context)}, its answer included. Shorten the message, fork at an earlier one, or "
            "open a model with a longer context.",
        )


class UnknownTokenError(RequestError):
    """A conversation comes to a token which the model does not know. token: its id."""

    def __init__(self, token: int) -> None:
        super().__init__(
            "The model does not know a token of this conversation",
            f"The conversation comes to token {count(token)}, which the tokenizer has and the model does not. "
            "Write the message another way, or open another model.",
        )
        self.token = token


def count(number: int) -> str:
    """Write a whole number with a narrow no-break space between groups of three digits."""
    return f"{number:,}".replace(",", _NARROW_SPACE)


def size(number_of_bytes: int) -> str:
    """Write bytes as MB (whole, one place below 10) or GB (one place), in powers of ten as the Finder shows them."""
    megabytes = number_of_bytes / 1e6
    if megabytes >= 1000:
        return f"{megabytes / 1000:.1f}{_NO_BREAK_SPACE}GB"
    if megabytes >= 10:
        return f"{megabytes:.0f}{_NO_BREAK_SPACE}MB"
    return f"{megabytes:.1f}{_NO_BREAK_SPACE}MB"
