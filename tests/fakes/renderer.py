"""A chat template that is a function."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from app.prompting.steps import Steps
from app.rendering.sandbox import Messages


class FakeRenderer:
    """Renders each conversation by a function, in one step."""

    def __init__(self, render: Callable[[Messages], str]) -> None:
        self._render = render

    def render(self, conversations: Sequence[Messages], at: float, more: Mapping[str, Any]) -> Steps[list[str]]:
        yield from ()
        return [self._render(messages) for messages in conversations]

    def close(self) -> None:
        """Nothing was begun."""
