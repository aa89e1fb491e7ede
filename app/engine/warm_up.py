"""The warm up of a branch: it is read in the background, so that going on with it later begins at once."""

from __future__ import annotations

from collections.abc import Generator

from app.engine.open_model import OpenModel
from app.engine.prefill import prefill
from app.engine.task import ModelTask
from app.prompting.problems import RequestError, ShortOfMemoryError, TooLongError
from app.prompting.steps import take_while
from app.protocol.commands import WarmUp
from app.protocol.engine import EventSink
from app.protocol.events import WarmedUp, WarmingUp
from app.protocol.reports import Problem


class BranchWarmUp(ModelTask):
    """The computing of what is not held of a branch. Each step computes one chunk; whatever is asked ends it."""

    gives_way = True

    def __init__(self, command: WarmUp, open_model: OpenModel, emit: EventSink) -> None:
        super().__init__(command.query_id)
        self._command, self._open, self._emit = command, open_model, emit
        self._is_cancelled = False

    def cancel(self) -> None:
        """End with what was computed so far, which stays cached."""
        self._is_cancelled = True
        self.advance()

    def _refusal(self, problem: Problem) -> WarmedUp:
        return WarmedUp(self._command.query_id, problem=problem)

    def _work(self) -> Generator[None, None, None]:
        command, cache = self._command, self._open.cache
        reading = self._open.read(command.turns, command.options)
        prompt = yield from take_while(reading, lambda: not self._is_cancelled)
        if prompt is None:
            self.outcome = WarmedUp(command.query_id)
            return
        # The last token of a request is never computed: with one more, the branch is held to its end.
        tokens = prompt.ids[: prompt.turn_ends[-1] + 1]
        if len(tokens) >= self._open.model.context_length:
            raise TooLongError(self._open.model.context_length, len(tokens))
        if cache.unsupported:
            raise RequestError(
                "It cannot be warmed up", f"The cache kind {cache.unsupported} of this model is not kept."
            )
        self._open.step_memory.make_room_to_enter(tokens, cache)
        points = [point for point in prompt.restore_points if point < len(tokens)]
        short: ShortOfMemoryError | None = None
        with cache.begin(tokens, points, command.owner) as session:
            cached, total = session.report.cached, session.report.total
            self._open.feed.begun()
            self._emit(WarmingUp(command.query_id, cached, total - 1))
            yield
            try:
                for _ in prefill(session, self._open, lambda: not self._is_cancelled):
                    self._emit(WarmingUp(command.query_id, total - session.left, total - 1))
                    yield
            except ShortOfMemoryError as error:
                short = error
            left = session.left
        if short is not None:
            raise short
        self.outcome = WarmedUp(command.query_id, total - left - cached, is_whole=left == 1)
