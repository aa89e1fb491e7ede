"""A page among several of which one is shown at a time: as in the inspector, or among the settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtWidgets import QWidget

from app.widgets.kit.icon_paths import Icon

PaneState = Mapping[str, int]
"""The state of a pane as the settings keep it: numbers and booleans by name."""


class Pane(QWidget):
    """A page with a title, drawn over the ground of the widget that hosts it.

    id: its name in the settings and in the table of commands. title: its name for people; icon: what stands for it
    where that has no room, None where it always has. needs: the ability of the
    engine, a field of `Capabilities`, without which there is nothing to be shown. least_width: points that it is
    opened at, at the least; 0 where any width will do.
    """

    id = ""
    title = ""
    icon: Icon | None = None
    needs = ""
    least_width = 0

    @property
    def tab_order(self) -> Sequence[QWidget]:
        """The widgets that the keyboard stops at, in its order."""
        return ()

    def state(self) -> PaneState:
        """Return how the person leaves the pane, for the next time."""
        return {}

    def restore(self, state: PaneState) -> None:
        """Take the state that the pane was left in; what is missing is as at the first time."""
