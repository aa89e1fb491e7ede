"""One request being computed: prefill in chunks, then token by token, with captures where they will be wanted."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from types import TracebackType
from typing import NamedTuple, Protocol, Self

import mlx.core as mx

from app.kvcache.active_path import ActivePath
from app.kvcache.snapshot import Bookmark
from app.protocol.reports import Reason, RequestReport


class Reread(NamedTuple):
    """Tokens that a session has to read again, since what was computed of them is gone, and the reason."""

    tokens: int = 0
    reason: Reason = Reason.NONE


class SessionCache(Protocol):
    """Cache as a session needs it, beside its path. grid: tokens between two whole states on the way, 0 for none.

    session: the one that calls are made on.
    """

    grid: int

    @property
    def session(self) -> Session | None: ...

    def record(self) -> None:
        """Bring the trie up to date with what is computed."""
        ...

    def finish(self, session: Session, has_failed: bool) -> None:
        """End the session: keep what was computed, or, after a failure, what is known to be whole."""
        ...


class Session:
    """Request between `begin` and its end. A context manager: leaving it, however, keeps what was computed.

    Several may be open over one path; calls are made on the one that is mounted.

    number: counts up with each session of a cache. lane: the smallest number that was free of those open with it. path:
    what it computes on. report: what the cache did for it. owner: whose conversation it is. is_guest: it is another
    program's. reached: how many tokens were computed when it last gave way to another. reread: what it had to read
    again for that, in all, and why at last. Owned by the model thread.
    """

    def __init__(
        self,
        cache: SessionCache,
        path: ActivePath,
        tokens: Sequence[int],
        report: RequestReport,
        captures: dict[int, bool],
        owner: str,
        number: int = 0,
        lane: int = 0,
        is_guest: bool = False,
    ) -> None:
        self.number, self.lane = number, lane
        self.reached = 0
        self.reread = Reread()
        self.path = path
        self.report = report
        self._cache = cache
        self._tokens = array("i", tokens)
        self._captures = sorted(captures.items(), reverse=True)
        self._last_capture = max(captures, default=report.total - 1)
        self.owner, self.is_guest = owner, is_guest

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._cache.finish(self, has_failed=error is not None)

    @property
    def left(self) -> int:
        """Prompt tokens that are not computed yet, the last one included; 0 once decoding began.

        What was fed of an answer counts as prompt where it has to be read again.
        """
        return max(0, max(self.report.total, self.reached) - self.offset)

    @property
    def unread(self) -> int:
        """Tokens that `prefill` has to compute before the next token can be fed."""
        return max(0, self._prefill_end - self.offset)

    @property
    def offset(self) -> int:
        """Count of the tokens that are computed."""
        return self.path.offset if self.is_mounted else self.reached

    @property
    def is_mounted(self) -> bool:
        """Whether calls are made on this session."""
        return self._cache.session is self

    @property
    def _prefill_end(self) -> int:
        return max(self.report.total - 1, self.reached)

    def _require_mounted(self) -> None:
        if not self.is_mounted:
            raise RuntimeError(f"session {self.number} is not the one that calls are made on")

    def tokens(self) -> Sequence[int]:
        """Return the prompt and every token fed after it."""
        return self._tokens

    def prefill(self, limit: int) -> int:
        """Compute a chunk of at most `limit` prompt tokens, never the last one. Returns how many; 0: none are left.

        What was fed after the prompt is read again where it is gone, the last of it too.
        """
        self._require_mounted()
        start = self.path.offset
        end = min(start + limit, self._prefill_end)
        if limit < 1:
            raise ValueError(f"a prefill chunk of {limit} tokens")
        if end <= start:
            return 0
        if self._captures:
            end = min(end, self._captures[-1][0])
        self.path.compute(self._tokens[start:end])
        if self._captures and self._captures[-1][0] == end:
            self._capture(is_grid=self._captures.pop()[1])
        return end - start

    def _capture(self, is_grid: bool) -> None:
        if is_grid:
            self.path.capture_grid()
        else:
            self.path.capture(self.owner)

    def _capture_when_due(self) -> None:
        """Capture the state of a long answer on its way, too."""
        at = self.path.offset
        if self.path.layers.states and self._cache.grid and at - self._last_capture >= self._cache.grid:
            self._last_capture = at
            self.path.capture_grid()

    def decode(self, token: int) -> mx.array:
        """Feed one token: first the prompt's last, then each sampled one. Returns logits [1, vocabulary], lazy."""
        self._append(token)
        logits = self.path.compute((token,))[:, -1, :]
        self._capture_when_due()
        return logits

    def launch(self, token: mx.array) -> mx.array:
        """Feed one token [1] before its value is known, so that the next step is under way when it is read.

        Returns logits [1, vocabulary], lazy. Exactly one of `confirm` and `retract` must follow.
        """
        self._require_mounted()
        self._check_prompt_is_read()
        return self.path.launch(token)[:, -1, :]

    def confirm(self, token: int) -> None:
        """Confirm that the launched token is this one: from now on it counts as fed, and may be shown."""
        self._append(token)
        self.path.confirm(token)
        self._capture_when_due()

    def retract(self) -> None:
        """Take the launched token back: nothing of it stays."""
        self._require_mounted()
        self.path.retract()

    def bookmark(self) -> Bookmark | None:
        """Return the whole state after every token that counts as fed, to be kept later if somebody will come back
        here.

        None for models without whole states, which can go back to any token.
        """
        self._require_mounted()
        return self.path.bookmark()

    def keep(self, bookmark: Bookmark) -> None:
        """Keep the state of a bookmark, since somebody will come back to that offset."""
        self._require_mounted()
        self.path.keep(bookmark, self.owner)

    def keep_for_fork(self, bookmark: Bookmark) -> bool:
        """Keep the state of a bookmark, since somebody may come back to that offset; whether there was room for it."""
        self._require_mounted()
        return self.path.keep_for_fork(bookmark)

    def drop_fork(self, offset: int) -> None:
        """Let go of the state at an offset that was kept for a fork, unless more is expected of it by now."""
        self._require_mounted()
        self.path.drop_fork(offset)

    def _append(self, token: int) -> None:
        self._require_mounted()
        at = self.path.offset
        self._check_prompt_is_read()
        if at >= self.report.total:
            self._tokens.append(token)
        elif token != self._tokens[at]:
            raise ValueError(f"the first token to decode is the prompt's last, {self._tokens[at]}, not {token}")

    def _check_prompt_is_read(self) -> None:
        at = self.path.offset
        if at < self._prefill_end:
            raise ValueError(f"decode at {at}, before the prompt is read to {self._prefill_end}")

    def record(self) -> None:
        """Bring the trie up to date while the session runs."""
        self._cache.record()
