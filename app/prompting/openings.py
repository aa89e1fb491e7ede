"""The tokens by which a model's template opens a message, so that a run of tokens tells whose message it holds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.prompting.codec import Codec
from app.prompting.message_spans import RenderedChat, Said, locate_messages
from app.prompting.problems import RequestError
from app.prompting.steps import Steps
from app.prompting.template import ChatTemplate, TemplateEndedError
from app.protocol.chat import Role


@dataclass(frozen=True, slots=True)
class Opening:
    """The tokens that a template writes right before a message of some role."""

    role: Role
    ids: tuple[int, ...]


def gaps_of(said: Sequence[Said], rendered: RenderedChat, codec: Codec) -> list[Opening]:
    """Return what a template writes before each message of a conversation, and before the answer to it.

    A message that was not located has no gap.
    """
    found: list[Opening] = []
    end: int | None = 0
    for one, span, thought in zip(said, rendered.spans, rendered.thoughts, strict=True):
        begin = thought or span
        if begin is not None and end is not None:
            found.append(Opening(one.role, _ids(rendered.text[end : begin.start], end, codec)))
        end = span.end if span is not None else None
    if end is not None:
        found.append(Opening("assistant", _ids(rendered.text[end:], end, codec)))
    return found


def instruction_gaps(codec: Codec, template: ChatTemplate) -> Steps[list[Opening]]:
    """Return what a template writes before instructions, and between them and a question; none where it cannot."""
    said = [Said("system", "Abc"), Said("user", "Def")]
    try:
        rendered = yield from locate_messages(template, said)
    except TemplateEndedError:
        raise
    except RequestError:
        return []
    return gaps_of(said, rendered, codec)


def openings_of(gaps: Sequence[Opening], codec: Codec) -> tuple[Opening, ...]:
    """Return the openings of a template. gaps: what it writes between two messages, and before the first.

    An opening is the end of a gap from a control token on, as short as no other role has it.
    """
    found = [_opening(gap, gaps, codec) for gap in gaps]
    return tuple(dict.fromkeys(one for one in found if one is not None))


def _opening(gap: Opening, gaps: Sequence[Opening], codec: Codec) -> Opening | None:
    others = [other.ids for other in gaps if other.role != gap.role]
    starts = [at for at, token in enumerate(gap.ids) if token in codec.special_ids]
    starts = starts or [at for at, token in enumerate(gap.ids) if codec.decode([token]).strip()][:1]
    for start in reversed(starts):
        ids = gap.ids[start:]
        if not any(other[-len(ids) :] == ids for other in others):
            return Opening(gap.role, ids)
    return None


def _ids(text: str, start: int, codec: Codec) -> tuple[int, ...]:
    """Return the ids of template text, a single space at its end left out: it goes with the words after it."""
    if len(text) > 1 and text[-1] == " " and not text[-2].isspace():
        text = text[:-1]
    return tuple(codec.markup(text, after=None if start == 0 else codec.plain("c")[-1]))
