"""The thoughts of past answers, as a template wants them: in a field of the message, in its content, or not at all.

Which it is, is found out by trying, with a word that no template knows. A template that prints no thought of an answer
before the last question is given none; neither is one that prints every content as it comes, marks and all, since that
says nothing of what its model was trained on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.prompting.problems import RequestError
from app.prompting.steps import Steps
from app.prompting.template import ChatTemplate, TemplateEndedError
from app.prompting.thinking import ThinkingMarks
from app.protocol.chat import Role

_FIELDS = ("reasoning_content", "thinking", "reasoning")
_QUESTION, _THOUGHT, _ANSWER = "Qxquestionqx", "Qxthoughtqx", "Qxanswerqx"


@dataclass(frozen=True, slots=True)
class PastThoughts:
    """The place that a template has for a past thought.

    field: of the message, "" for none. around: what stands before and after it in the content, none for no such place.
    """

    field: str = ""
    around: tuple[str, str] | None = None

    @property
    def are_kept(self) -> bool:
        """Return whether past thoughts are printed at all."""
        return bool(self.field) or self.around is not None

    def message(self, role: Role, content: str, thought: str) -> dict[str, str]:
        """Return a message as the template is given it. thought: "" for none."""
        if thought and self.field:
            return {"role": role, "content": content, self.field: thought}
        if thought and self.around is not None:
            return {"role": role, "content": thought.join(self.around) + content}
        return {"role": role, "content": content}


NO_THOUGHTS = PastThoughts()


def past_thoughts(template: ChatTemplate, marks: ThinkingMarks) -> Steps[PastThoughts]:
    """Find out where a template takes past thoughts from. Raises TemplateEndedError."""
    if template.is_plain:
        return NO_THOUGHTS
    without = yield from _printed(template, NO_THOUGHTS, "")
    for field in _FIELDS:
        found = PastThoughts(field)
        if _THOUGHT in (yield from _printed(template, found, _THOUGHT)):
            return found
    for opens, closes in zip(marks.opens, marks.closes, strict=True):
        found = PastThoughts(around=(f"{marks.unsigned(opens)}\n", f"\n{marks.unsigned(closes)}\n\n"))
        text = yield from _printed(template, found, _THOUGHT)
        as_given = found.message("assistant", _ANSWER, _THOUGHT)["content"]
        if _THOUGHT in text and text != without.replace(_ANSWER, as_given):
            return found
    return NO_THOUGHTS


def _printed(template: ChatTemplate, thoughts: PastThoughts, thought: str) -> Steps[str]:
    """Render a question, an answer with this thought, and another question; "" where the template refuses it."""
    said: Sequence[tuple[Role, str, str]] = (
        ("user", _QUESTION, ""),
        ("assistant", _ANSWER, thought),
        ("user", _QUESTION, ""),
    )
    try:
        [text] = yield from template.render([[thoughts.message(*one) for one in said]])
    except TemplateEndedError:
        raise
    except RequestError:
        return ""
    return text
