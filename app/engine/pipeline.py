"""Sampling, one token ahead of itself: while a token's value is read and shown, the next one is being computed.

The forward call for the next token is launched with this token's lazy value, in the manner of mlx-lm's `generate_step`,
so that neither Python nor the device waits for the other. If the token turns out to be the end, the launched call is
taken back: the cache then ends where it would have ended without it.

Other threads run Python while this one waits for the device. What wakes one of them is therefore done right before that
wait: done any earlier, the two would keep each other from Python's lock, and each token would come later.
"""

from __future__ import annotations

from collections.abc import Callable

from app.engine.alternatives import alternatives
from app.engine.sampler import Draw, Sampler
from app.kvcache.session import Session
from app.prompting.answer_choices import Alternatives


class Pipeline:
    """The sampling of one answer's tokens. Each `read` is followed by `keep` or `rest`, or by `end` once."""

    def __init__(self, session: Session, sampler: Sampler, token: int, before_wait: Callable[[], object]) -> None:
        """Begin with `token`, the prompt's last, which is fed now. before_wait: called before each wait."""
        self._session, self._sampler, self._before_wait = session, sampler, before_wait
        self._ahead: Draw | None = None
        self._unfed: int | None = None
        self._feed(token)

    def _feed(self, token: int) -> None:
        self._draw = self._sampler.draw(self._session.decode(token))
        self._draw.begin()

    def read(self, is_last: bool) -> int:
        """Return the next token, which has been fed already unless it `is_last`. Raises RequestError on NaN.

        is_last: of the answer, or before others go on.
        """
        if self._unfed is not None:
            self._feed(self._unfed)
            self._unfed = None
        if not is_last:
            self._ahead = self._sampler.draw(self._session.launch(self._draw.token))
        self._before_wait()
        if self._ahead is not None:
            self._ahead.begin()
        return self._sampler.read(self._draw)

    def alternatives(self, token: int, least: float) -> Alternatives | None:
        """Return what else the token just read could have been, before it is kept; None where no logits are kept.

        least: share of all below which no token is looked for.
        """
        logits = self._draw.logits
        return None if logits is None else alternatives(logits, self._draw.log_total, token, least)

    def keep(self, token: int) -> None:
        """Keep the token just read as part of the answer, and go on to another one."""
        if self._ahead is None:
            raise RuntimeError("nothing was to follow this token")
        self._session.confirm(token)
        self._draw, self._ahead = self._ahead, None

    def rest(self, token: int) -> None:
        """Keep the token just read, the last before others go on: it is fed when the next one is read."""
        if self._ahead is not None:
            raise RuntimeError("a call is under way")
        self._unfed = token

    def end(self) -> None:
        """End with the token just read, which is the last one or no part of the answer: it is not fed."""
        if self._ahead is not None:
            self._session.retract()
            self._ahead = None
