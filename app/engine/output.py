"""The output of a model while it grows: its tokens, their text, and why it ends."""

from __future__ import annotations

from app.engine.codec import Codec
from app.engine.detokenizer import Detokenizer
from app.engine.stop import StopText
from app.protocol.events import Token
from app.protocol.reports import StopReason


class OutputText:
    """The text and tokens of one answer, made token by token at a cost that does not grow with the answer.

    length: characters let out for showing so far. stop: set once a stop text came.
    """

    def __init__(self, codec: Codec, stops: tuple[str, ...]) -> None:
        self._detokenizer = Detokenizer(codec)
        self._stop = StopText(stops)
        self._tokens: list[Token] = []
        self._reported = 0
        self._shown: list[str] = []
        self.length = 0

    def add(self, token: int) -> str:
        """Add the next token and return the new text to show, often none."""
        start = self._detokenizer.length
        complete = self._detokenizer.add(token)
        self._tokens.append(Token(token, start, start + len(complete)))
        return self._show(self._stop.push(complete))

    def end(self) -> str:
        """Return what was held back for a stop text that did not come."""
        return self._show(self._stop.rest())

    @property
    def stop(self) -> StopReason | None:
        """Return STOP_TEXT once a stop text came, else None."""
        return StopReason.STOP_TEXT if self._stop.is_met else None

    @property
    def is_holding_back(self) -> bool:
        """Return whether complete text waits, as it may turn out to be a stop text."""
        return self.length < self._detokenizer.length

    @property
    def text(self) -> str:
        """Return all text that was shown so far."""
        return "".join(self._shown)

    @property
    def ids(self) -> tuple[int, ...]:
        """Return the answer's token ids, without those whose text reaches into or beyond a stop text."""
        kept = self._tokens
        if self._stop.is_met:
            kept = [token for token in kept if token.end <= self.length]
        return tuple(token.id for token in kept)

    def new_tokens(self) -> tuple[Token, ...]:
        """Return the tokens that were added since the last call."""
        reported, self._reported = self._reported, len(self._tokens)
        return tuple(self._tokens[reported:])

    def _show(self, text: str) -> str:
        if text:
            self._shown.append(text)
            self.length += len(text)
        return text
