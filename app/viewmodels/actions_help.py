"""The commands of the menu Help."""

from __future__ import annotations

from app.viewmodels.action_row import Row
from app.viewmodels.kit.action import Action, Menu

ROWS: tuple[Row, ...] = (
    Action(
        id="about",
        menu=Menu.HELP,
        group="about",
        title="About Espalier",
        tip="Shows the version and the licence.",
    ),
)
