"""The commands of the menu View."""

from __future__ import annotations

from app.viewmodels.action_row import Row
from app.viewmodels.kit.action import Action, Menu

ROWS: tuple[Row, ...] = (
    Action(
        id="sidebar",
        menu=Menu.VIEW,
        group="panes",
        title="Show Conversations",
        keys=("Ctrl+Alt+S",),
        tip="Shows or hides the list of conversations.",
        pane="sidebar",
    ),
    Action(
        id="inspector",
        menu=Menu.VIEW,
        group="panes",
        title="Show Inspector",
        keys=("Ctrl+Alt+I",),
        tip="Shows or hides the pane with the branches, the cache and the settings of answers.",
        pane="inspector",
    ),
    Action(
        id="branches",
        menu=Menu.VIEW,
        group="panes",
        title="Show Branches",
        keys=("Ctrl+Alt+1",),
        tip="Shows or hides the outline of the conversation’s branches.",
        pane="branches",
    ),
    Action(
        id="cache",
        menu=Menu.VIEW,
        group="panes",
        title="Show Cache",
        keys=("Ctrl+Alt+2",),
        tip="Shows or hides what is kept of the conversations in memory and on the disk, as a tree.",
        needs="trie",
        pane="cache",
    ),
    Action(
        id="settings",
        menu=Menu.VIEW,
        group="panes",
        title="Show Answer Settings",
        keys=("Ctrl+Alt+P",),
        tip="Shows or hides the system prompt and the sampling of the conversation.",
        pane="settings",
    ),
    Action(
        id="map",
        menu=Menu.VIEW,
        group="panes",
        title="Show Map",
        keys=("Ctrl+Alt+3",),
        tip="Shows or hides a picture of the conversation’s branches.",
        pane="map",
    ),
    Action(
        id="bigger",
        menu=Menu.VIEW,
        group="text size",
        title="Bigger Text",
        keys=(
            "Ctrl++",
            "Ctrl+=",
        ),
        tip="Makes the text bigger.",
    ),
    Action(
        id="smaller",
        menu=Menu.VIEW,
        group="text size",
        title="Smaller Text",
        keys=("Ctrl+-",),
        tip="Makes the text smaller.",
    ),
    Action(
        id="actual_size",
        menu=Menu.VIEW,
        group="text size",
        title="Actual Size",
        keys=("Ctrl+0",),
        tip="Gives the text its usual size again.",
    ),
    Action(
        id="full_screen",
        menu=Menu.VIEW,
        group="full screen",
        title="Enter Full Screen",
        keys=("Meta+Ctrl+F",),
        tip="Gives the window the whole screen, or takes it back.",
    ),
    Action(
        id="jump",
        menu=Menu.VIEW,
        group="focus",
        title="Jump To…",
        keys=("Ctrl+K",),
        tip="Goes to a conversation, a branch, a pin or a command by a few letters of its name, here or in "
        "a new window.",
    ),
    Action(
        id="compose",
        menu=Menu.VIEW,
        group="focus",
        title="Go to Message Field",
        keys=("Ctrl+L",),
        tip="Puts the cursor where you write.",
    ),
)
