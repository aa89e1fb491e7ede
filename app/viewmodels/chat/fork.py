"""A place in an answer, before one of its tokens, from which others go on another way."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any, NamedTuple

from app.conversation.kept_choices import NewChoices
from app.conversation.message import EDITED, Message
from app.protocol.chat import Sampling, Turn
from app.protocol.choices import ChoicesError, cut, unpack
from app.protocol.dataclass import dataclass
from app.protocol.reports import StopReason

_HALF = "\ufffd"  # stands for a token that ends inside of a character


class ForkPoint(NamedTuple):
    """The beginning of an answer before one of its tokens, and what could stand there.

    words, thinking: what was said and thought before it. is_thinking: the token belongs to the thought. said: text of
    each token that could stand there, by its id. ends: those of them that end the answer. chosen_from: what the tokens
    before it were chosen from, packed.
    """

    words: str
    thinking: str
    is_thinking: bool
    said: Mapping[int, str]
    ends: frozenset[int]
    chosen_from: bytes


def place_in(answer: Message, packed: bytes, position: int) -> ForkPoint | None:
    """Return the place before a token of an answer, None where it is not known. packed: the answer's choices."""
    try:
        choices = unpack(packed) if packed else ()
    except ChoicesError:
        return None
    if answer.ids is None or not 0 <= position < min(len(choices), len(answer.ids)):
        return None
    at = choices[position]
    before = {kind: sum(one.length for one in choices[:position] if one.is_thinking is kind) for kind in (False, True)}
    text, begin = (answer.thinking if at.is_thinking else answer.text), before[at.is_thinking]
    return ForkPoint(
        "" if at.is_thinking else answer.text[: before[False]],
        answer.thinking[: before[True]] if at.is_thinking else answer.thinking,
        at.is_thinking,
        {answer.ids[position]: text[begin : begin + at.length]} | {one.id: one.text for one in at.candidates},
        frozenset(one.id for one in at.candidates if one.is_end),
        cut(packed, position),
    )


@dataclass(frozen=True, slots=True)
class Fork:
    """Answers that go on from a place in another one, each with a token of its own there.

    answer: the other one. position: of that token. ids: the tokens.
    """

    answer: Message
    position: int
    ids: tuple[int, ...]
    place: ForkPoint

    @property
    def figures(self) -> dict[str, Any]:
        """Figures that the answers have: how they came to be is not known, and what a person wrote of them is."""
        edited = min((self.answer.stats or {}).get(EDITED) or 0, len(self.place.words))
        return {"resumptions": None} | ({EDITED: edited} if edited else {})

    def forced(self, number: int) -> tuple[int, ...]:
        """Return the token ids that one of the answers begins with, where the model of the other one writes it."""
        return (*(self.answer.ids or ())[: self.position], self.ids[number])

    def begun(self, number: int) -> Turn:
        """Return what one of the answers begins with, where another model writes it, whose tokens are others."""
        place = self.place
        said = place.said.get(self.ids[number], "").replace(_HALF, "")
        if place.is_thinking:
            return Turn("assistant", "", thinking=place.thinking + said)
        return Turn("assistant", place.words + said, thinking=place.thinking)

    def ended(self) -> Message:
        """Make the answer that ends at the place."""
        place, answer = self.place, self.answer
        made = Message.new(
            *(answer.conversation_id, answer.parent_id, "assistant", place.words),
            model=answer.model,
            model_name=answer.model_name,
            sampling=answer.sampling,
        )
        ids = (answer.ids or ())[: self.position]
        return replace(made, thinking=place.thinking, ids=ids, stop=str(StopReason.FINISHED), stats=self.figures)

    @property
    def choices_of_ended(self) -> NewChoices:
        """The choices of the answer that ends at the place."""
        return NewChoices(self.place.chosen_from)


def with_own_words(answer: Message, place: ForkPoint, text: str, sampling: Sampling) -> Message:
    """Make another version of an answer that goes on from a place with what a person says there."""
    if place.is_thinking:
        edit, thinking = answer.edit("", asdict(sampling), StopReason.CANCELLED), place.thinking + text
        return replace(edit, thinking=thinking, stats={EDITED: len(thinking)})
    return answer.edit(place.words + text, asdict(sampling), StopReason.CANCELLED)
