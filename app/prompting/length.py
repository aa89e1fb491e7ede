"""The length of a branch, found without rendering it: one far beyond the context costs no more than one that fits.

What is counted is not what will be computed: messages are read one by one and without what stands around them. So
nothing is concluded from it before it comes to twice what would be allowed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import pairwise

from app.prompting.codec import Codec
from app.prompting.message_spans import Said, locate_messages
from app.prompting.past_thoughts import PastThoughts
from app.prompting.problems import RequestError, TooLongError
from app.prompting.steps import Steps
from app.prompting.template import ChatTemplate, TemplateEndedError
from app.protocol.attachments import length_of, question_text
from app.protocol.chat import Turn

MARGIN = 2  # times the context
AT_ONCE = 1 << 16  # characters of a message that are tokenized in one call
_REMEMBERED = 2048  # characters, at most, of a text whose length is remembered
_EXAMPLE = 65  # turns: the last is a question


class LengthCounter:
    """A counter of the tokens of branches for one model, which counts no further than it matters."""

    def __init__(self, codec: Codec, thinking_end: str, around: int | None, thoughts: PastThoughts) -> None:
        """Count in a codec's tokens. around: see `around_turn`. thoughts: those that count."""
        self._codec = codec
        self._thinking_end = thinking_end
        self._thoughts = thoughts
        self._around = around
        self._of_short = lru_cache(maxsize=32_768)(self._of)

    def require_near(self, turns: Iterable[Turn], context: int) -> None:
        """Refuse a branch that comes to more than `MARGIN` times the `context`, in tokens: raise TooLongError.

        A template that does not print every message is never sure to be too long.
        """
        around = self._around
        if around is None or self._is_short(turns, MARGIN * context):
            return
        total = 0
        for turn in turns:
            total += around
            for tokens in self._lengths(turn):
                total += tokens
                if total > MARGIN * context:
                    raise TooLongError(context)

    def _is_short(self, turns: Iterable[Turn], most: int) -> bool:
        """Return whether a branch is so short that nothing needs to be counted: few characters make few tokens."""
        left = most
        for turn in turns:
            left -= length_of(turn) + len(turn.thinking) + 1
            if left < 0:
                return False
        return True

    def _lengths(self, turn: Turn) -> Iterator[int]:
        """Tokens of the parts of a message that is sure to be printed."""
        text = question_text(turn.text, turn.attachments)
        if turn.role == "assistant" and self._thinking_end in text:
            text = text.rpartition(self._thinking_end)[2]
        elif turn.ids is not None and (self._thoughts.are_kept or not turn.thinking):
            yield len(turn.ids)
            return
        if len(text) <= _REMEMBERED:
            yield self._of_short(text)
            return
        for start in range(0, len(text), AT_ONCE):
            yield self._of(text[start : start + AT_ONCE])

    def _of(self, text: str) -> int:
        return len(self._codec.plain(text))


def around_turn(codec: Codec, template: ChatTemplate) -> Steps[int | None]:
    """Find the fewest tokens that a template writes between two messages; None where it does not print them all."""
    messages = [Said("user" if number % 2 == 0 else "assistant", f"Abc{number}") for number in range(_EXAMPLE)]
    try:
        rendered = yield from locate_messages(template, messages)
    except TemplateEndedError:
        raise
    except RequestError:
        return None
    spans = [span for span in rendered.spans if span is not None]
    if len(spans) < len(messages):
        return None
    return min(len(codec.markup(rendered.text[one.end : other.start])) for one, other in pairwise(spans))
