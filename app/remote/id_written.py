"""One answer as it comes from a server in tokens: its thought, its text, and what ends it."""

from __future__ import annotations

from collections.abc import Sequence

from app.prompting.answer_choices import Alternatives, AnswerChoices
from app.prompting.codec import Codec
from app.prompting.output import OutputText
from app.prompting.thinking import Piece
from app.protocol.chat import Turn
from app.protocol.events import Token
from app.protocol.reports import StopReason
from app.remote.chunks import Progress, Usage
from app.remote.id_interface import Completed
from app.remote.written import Written


class IdWritten(Written):
    """The answer so far. Attributes: given, what is to show of its beginning; is_sure, its ids are those of the server.

    A token without text is held back until the next event, as long as there is one: it may be an end token, which is
    none of the answer’s.
    """

    def __init__(self, seed: int, codec: Codec) -> None:
        super().__init__(seed)
        self._codec = codec
        self._output = OutputText(codec, ())
        self._choices: AnswerChoices | None = None
        self._held: tuple[tuple[int, Alternatives | None], ...] = ()
        self._has_ended = False
        self.given: list[Piece] = []
        self.is_sure = True

    def begin(
        self, output: OutputText, ids: Sequence[int], answer: Turn | None, choices: AnswerChoices | None = None
    ) -> None:
        """Begin with what the answer begins with, which counts as no token of it.

        answer: that goes on from there. choices: to note what else could have stood, None not to.
        """
        self._output, self._choices = output, choices
        if choices is not None:
            for _ in ids:
                choices.give()
        self.given = output.begin(ids, answer)
        self._note(self.given)

    def begin_again(self) -> None:
        """Forget what is held back of an attempt that failed."""
        self._held = ()

    @property
    def sampled(self) -> int:
        """Return how many tokens have come."""
        return self._chunks

    @property
    def ids(self) -> tuple[int, ...]:
        """Return the ids of the answer, as far as they are known."""
        return self._output.ids if self.is_sure else ()

    @property
    def choices(self) -> bytes:
        """Return what else could have stood at each of the ids, packed."""
        return self._choices.packed() if self._choices is not None and self.is_sure else b""

    def new_tokens(self, *, has_text: bool) -> tuple[Token, ...]:
        """Return the tokens since the last call. has_text: there is text to show; without, they wait for it."""
        return self._output.new_tokens() if has_text or self._has_ended else ()

    def note_progress(self, progress: Progress) -> None:
        """Take over what the server says of the prompt."""
        self.usage = Usage(progress.total, None, progress.cached)

    def take_tokens(self, tokens: Sequence[int], piece: Completed) -> list[Piece]:
        """Take the next tokens and return what there is to show. piece: that they came with."""
        if piece.usage is not None:
            self.usage = self.usage.updated(piece.usage)
        found = (*(None for _ in range(len(tokens) - len(piece.found))), *piece.found)[: len(tokens)]
        told = tuple(zip(tokens, found, strict=True))
        waiting = (*self._held, *told)
        self._held = ()
        if piece.has_ended:
            waiting = told  # what was held back was the end token
        elif piece.may_be_end:
            waiting, self._held = waiting[:-1], waiting[-1:]
        pieces = self._add(waiting)
        if piece.finish and self.stop is None:
            self.stop = StopReason.LENGTH if piece.finish == "length" else StopReason.FINISHED
        return self._note(pieces)

    def _add(self, tokens: Sequence[tuple[int, Alternatives | None]]) -> list[Piece]:
        """Add tokens to the answer, up to one that ends it."""
        pieces: list[Piece] = []
        for token, others in tokens:
            was_thinking = self._output.is_thinking
            if self._choices is not None:
                self._choices.note(token, others)
            pieces += self._output.add(token)
            self._count(is_thinking=was_thinking or self._output.is_thinking)
            self.stop = self._output.stop
            if self.stop is not None:
                break
        return pieces

    def end(self) -> list[Piece]:
        """Return what was held back for an event, a mark or a text that did not come."""
        self._has_ended = True
        held = [one for one in self._held if self.stop is None and one[0] not in self._codec.stop_ids]
        self._held = ()
        return self._note([*self._add(held), *self._output.end()])
