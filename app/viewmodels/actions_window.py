"""The commands of the menu Window."""

from __future__ import annotations

from app.viewmodels.action_row import Row
from app.viewmodels.kit.action import Action, Menu

ROWS: tuple[Row, ...] = (
    Action(
        id="minimise",
        menu=Menu.WINDOW,
        group="window",
        title="Minimise",
        keys=("Ctrl+M",),
        tip="Puts the window away until it is wanted again.",
    ),
    Action(
        id="zoom",
        menu=Menu.WINDOW,
        group="window",
        title="Zoom",
        tip="Makes the window as large as there is room for, or as it was.",
    ),
    Action(
        id="bring_all",
        menu=Menu.WINDOW,
        group="all",
        title="Bring All to Front",
        tip="Puts all windows of the program above those of others.",
    ),
)
