"""The variable by which a template switches thinking on and off, found by trying."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from app.prompting.problems import RequestError
from app.prompting.steps import Steps
from app.prompting.template import ChatTemplate, TemplateEndedError
from app.prompting.thinking import ThinkingMarks
from app.protocol.reports import ThinkingSwitch

# Variables with their values for on and off. None: the variable is not given.
_VARIABLES: tuple[tuple[str, Any, Any], ...] = (
    ("enable_thinking", True, False),
    ("thinking", True, False),
    ("reasoning", True, False),
    ("reasoning_effort", "high", "none"),
    ("thinking_budget", None, 0),
)
_NONSENSE = "Qxeffortqx"


@dataclass(frozen=True, slots=True)
class SwitchVariables:
    """The variables that a template is given where thinking is to be on, or off; none where it cannot be switched.

    is_usually_on: what the template does where it is given neither.
    """

    on: Mapping[str, Any] = field(default_factory=dict)
    off: Mapping[str, Any] = field(default_factory=dict)
    is_usually_on: bool = True

    @property
    def can_switch(self) -> bool:
        """Return whether they make a difference."""
        return bool(self.on or self.off)

    def of(self, thinking: bool | None) -> Mapping[str, Any]:
        """Return what the template is given. thinking: None for what it does by itself."""
        return {} if thinking is None else self.on if thinking else self.off


def switch_variables(template: ChatTemplate) -> Steps[SwitchVariables]:
    """Find out which variable changes what a template writes before an answer. Raises TemplateEndedError."""
    for name, on, off in _VARIABLES:
        given, withheld = _given(name, on), _given(name, off)
        texts = (yield from _printed(template, given)), (yield from _printed(template, withheld))
        if "" in texts or texts[0] == texts[1]:
            continue
        # A word that is printed whatever it says is advice to the model, and no switch.
        if isinstance(off, str) and _NONSENSE in (yield from _printed(template, _given(name, _NONSENSE))):
            continue
        usual = yield from _printed(template, {})
        return SwitchVariables(given, withheld, usual != texts[1])
    return SwitchVariables()


def thinking_switch(variables: SwitchVariables, template: ChatTemplate, marks: ThinkingMarks) -> ThinkingSwitch:
    """Return whether a model thinks before it answers, and whether that is a choice."""
    if variables.can_switch:
        return ThinkingSwitch.SWITCHABLE
    known = [marks.unsigned(mark) for mark in (*marks.opens, *marks.channels[1:2])]
    is_known = bool(marks.channels) or any(mark in template.source for mark in known)
    return ThinkingSwitch.ALWAYS if is_known else ThinkingSwitch.NONE


def _given(name: str, value: Any) -> Mapping[str, Any]:
    return {} if value is None else {name: value}


def _printed(template: ChatTemplate, variables: Mapping[str, Any]) -> Steps[str]:
    """Render a question with these variables; "" where the template refuses it."""
    try:
        [text] = yield from template.given(variables).render([[{"role": "user", "content": "Abc"}]])
    except TemplateEndedError:
        raise
    except RequestError:
        return ""
    return text
