"""One answer as it comes from a server: its thought and its text, and the figures of both."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

from app.prompting.thinking import Piece, Splitter, ThinkingMarks
from app.protocol.events import TextKind
from app.protocol.reports import UNTOLD_CONTEXT, RequestReport, RunStats, Source, StopReason
from app.remote.chunks import Chunk, Usage

# Where a server does not part them, a thought stands between these in the text.
_MARKS = ThinkingMarks(("<think>",), ("</think>",))
_STOPS = {"length": StopReason.LENGTH}
_LEAST_TIMED = 0.02  # seconds; of words that a proxy held back and sends all at once no speed can be told
NOT_TOLD = RequestReport(0, 0, 0, 0, source=Source.UNKNOWN)


class Written:
    """Collect what a server has sent of an answer so far.

    Attributes: stop, why it ended, None while it goes on; usage, without what cannot be true of it; most, how many
    tokens it can have.
    """

    def __init__(self, seed: int, clock: Callable[[], float] = time.monotonic) -> None:
        """Begin the clock. clock: seconds."""
        self.stop: StopReason | None = None
        self.usage, self.most = Usage(), UNTOLD_CONTEXT
        self._seed, self._clock = seed, clock
        self._begun = self._last = clock()
        self._first: float | None = None
        self._splitter = Splitter(_MARKS)
        self._is_split = False  # the server itself tells thought from text
        self._chunks = self._thinking_chunks = 0
        self._thinking_seconds = 0.0
        self._said: dict[TextKind, list[str]] = {"text": [], "thinking": []}

    @property
    def has_begun(self) -> bool:
        """Return whether any word has come."""
        return self._first is not None

    @property
    def text(self) -> str:
        """Return the text so far."""
        return "".join(self._said["text"])

    @property
    def thinking(self) -> str:
        """Return the thought so far."""
        return "".join(self._said["thinking"])

    @property
    def ids(self) -> tuple[int, ...]:
        """Return the ids of the answer: none, where the server tells none."""
        return ()

    @property
    def choices(self) -> bytes:
        """Return what else could have stood, packed: nothing, where the server does not tell."""
        return b""

    @property
    def seconds(self) -> float:
        """Return the seconds since the request."""
        return self._clock() - self._begun

    @property
    def first_token(self) -> float | None:
        """Return the seconds to the first word, None before it."""
        return None if self._first is None else self._first - self._begun

    @property
    def thinking_tokens(self) -> int:
        """Return how many tokens of the answer were its thought, as far as that is known."""
        return min(self._thinking_chunks, self._tokens)

    @property
    def _tokens(self) -> int:
        """Return the server's count, or that of its pieces where it tells none."""
        return self._chunks if self.usage.answer is None else self.usage.answer

    def repeat(self, text: str, thinking: str) -> None:
        """Begin with what was written before, which counts as no token of this answer.

        text: not empty: it has begun, so that what looks like a thought later on is text.
        """
        self._said = {"text": [text], "thinking": [thinking] if thinking else []}
        self._is_split = True

    def take(self, chunk: Chunk) -> list[Piece]:
        """Take the next piece and return what there is to show."""
        if chunk.progress is not None:
            self.usage = replace(self.usage, prompt=chunk.progress.total, cached=chunk.progress.cached)
        if chunk.usage is not None:
            self.usage = self.usage.updated(chunk.usage)
        if self.usage.answer is not None and not 0 < self.usage.answer <= self.most:
            self.usage = replace(self.usage, answer=None)
        pieces: list[Piece] = []
        if chunk.thinking:
            self._is_split = True
            pieces.append(Piece("thinking", chunk.thinking))
        if chunk.text:
            pieces += [Piece("text", chunk.text)] if self._is_split else self._splitter.push(chunk.text)
        if chunk.text or chunk.thinking:
            self._count(is_thinking=bool(chunk.thinking) or (not self._is_split and self._splitter.is_thinking))
        if chunk.finish:
            self.stop = _STOPS.get(chunk.finish, StopReason.FINISHED)
        return self._note(pieces)

    def end(self) -> list[Piece]:
        """Return what was held back for a mark that did not come."""
        return self._note(self._splitter.rest())

    def stats(self, stop: StopReason, request: RequestReport | None = None) -> RunStats:
        """Return the figures. request: what the prompt has cost, None for what the server says of it."""
        tokens = self._tokens
        spent = self._last - (self._last if self._first is None else self._first)
        return RunStats(
            request=request or self.report,
            stop=stop,
            tokens=tokens,
            first_token=self.first_token,
            rate=(tokens - 1) / spent if tokens > 1 and spent >= _LEAST_TIMED else 0.0,
            seconds=self.seconds,
            seed=self._seed,
            thinking_tokens=self.thinking_tokens,
            thinking_seconds=self._thinking_seconds,
        )

    @property
    def report(self) -> RequestReport:
        """Return what the server says of the request; nothing where it does not say how much it found."""
        total, cached = self.usage.prompt, self.usage.cached
        if total is None or cached is None:
            return NOT_TOLD if total is None else RequestReport(total, 0, 0, 0, source=Source.UNKNOWN)
        cached = min(cached, max(total - 1, 0))
        return RequestReport(total, cached, cached, cached, source=Source.REPORTED)

    def _count(self, *, is_thinking: bool) -> None:
        now = self._clock()
        self._chunks += 1
        if is_thinking:
            self._thinking_chunks += 1
            self._thinking_seconds += 0.0 if self._first is None else now - self._last
        self._first = now if self._first is None else self._first
        self._last = now

    def _note(self, pieces: list[Piece]) -> list[Piece]:
        for kind, text in pieces:
            self._said[kind].append(text)
        return [piece for piece in pieces if piece.text]
