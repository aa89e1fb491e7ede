"""The seam between the window and whatever answers: this process's MLX thread today, a server tomorrow.

A second kind of engine is one more class like this and one function that makes it from a sink. It tells with its first
event, `EngineStarted`, what it can do beyond answering, and the window hides the rest. What every engine owes:

* `LoadModel`: `ModelReady` or `ModelFailed`, or `OpeningCancelled` after `CancelOpening`. Whatever names a model may
  stand in the path.
* `CloseModel`: `ModelClosed`, after the outcome of every run that was asked of the model.
* `LimitContext`: `ContextLimited`, where a model is open.
* `Generate`: `RunStarted`, then text, then `RunFinished` or `RunFailed`, exactly one of the two. The text of the deltas
  is the text of the outcome.
* `Cancel`: the outcome of that run, with what came.
* `EstimateCost`: `CostEstimate` or `CostRefused`, where a model is open.
* `Tokenize`: `Tokenized`, with a problem where there are no ids.
* `Pin`, `Verify`: their outcome, with a problem where it cannot be done.
* `Shutdown`: the outcome of every run that was asked, and the return of `run`.

An engine that tells what a model thinks from what it says puts the kind beside the text of each delta: the text of the
outcome is what came as text, its thinking what came as thinking.

A `Generate` that is a guest's fails where the engine answers none.

A command that an engine has no use for has no effect, `EstimateCost` too where it tells that it answers none.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from app.protocol.commands import Command
from app.protocol.events import Event

EventSink = Callable[[Event], None]


class Engine(Protocol):
    """An engine: it takes commands from any thread and answers with events, in order, on the thread that runs it."""

    def submit(self, command: Command) -> None:
        """Queue a command, from any thread, and return at once."""
        ...

    def run(self) -> None:
        """Serve commands until `Shutdown`."""
        ...


EngineFactory = Callable[[EventSink], Engine]
