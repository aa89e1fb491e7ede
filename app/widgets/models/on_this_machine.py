"""The page of the models that this machine has."""

from __future__ import annotations

import sys

from app.widgets.kit.pane import Pane


class OnThisMachine(Pane):
    """Models that lie in the folders of this machine."""

    id = "here"
    title = "On This Mac" if sys.platform == "darwin" else "On This Computer"
