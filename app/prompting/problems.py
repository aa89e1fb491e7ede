"""The errors of the engine, in words a person can act on."""

from __future__ import annotations

from app.protocol.commands import CONTEXT_LIMIT
from app.protocol.figures import number
from app.protocol.reports import Problem

NO_CONTEXT_LIMIT = ("No such context limit", f"The {CONTEXT_LIMIT.title} must be {CONTEXT_LIMIT.range}, in tokens.")


class EngineError(Exception):
    """An error with the `Problem` that the window shows: a short title, and a sentence that says what to do next."""

    def __init__(self, title: str, sentence: str, *, is_missing: bool = False) -> None:
        super().__init__(f"{title}: {sentence}")
        self.problem = Problem(title, sentence, is_missing)


class ModelError(EngineError):
    """A model folder cannot be opened."""


class RequestError(EngineError):
    """A branch cannot be answered."""


class ShortOfMemoryError(RequestError):
    """There is no memory for the next step of a run. Nothing is wrong with what was computed so far."""


class TooLongError(RequestError):
    """A conversation is longer than the model reads. tokens: what it comes to, None when that was not counted."""

    def __init__(self, context: int, tokens: int | None = None) -> None:
        length = f"more than {number(context)}" if tokens is None else number(tokens)
        super().__init__(
            "The conversation is too long for this model",
            f"It comes to {length} tokens, and this model "
            f"reads at most {number(context)}, its answer included. Shorten the message, fork at an earlier one, or "
            "open a model with a longer context.",
        )


class UnknownTokenError(RequestError):
    """A conversation comes to a token which the model does not know. token: its id."""

    def __init__(self, token: int) -> None:
        super().__init__(
            "The model does not know a token of this conversation",
            f"The conversation comes to token {number(token)}, which the tokenizer has and the model does not. "
            "Write the message another way, or open another model.",
        )
        self.token = token
