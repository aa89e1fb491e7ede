"""The page on which models are looked for on a hub and downloaded."""

from __future__ import annotations

from app.widgets.kit.pane import Pane


class GetModels(Pane):
    """Models that can be downloaded."""

    id = "get"
    title = "Get Models"
