"""What a person can do about a model that was not opened depends on why."""

from __future__ import annotations

from app.protocol.reports import Problem
from app.viewmodels.model.model_cards import model_failed


def test_the_way_out_fits_the_cause() -> None:
    gone, large = Problem("Gone", "Nothing there.", is_missing=True), Problem("Not enough memory", "Choose another.")
    found = [
        model_failed(gone, "/models/gone", is_guide=False),
        model_failed(large, "/models/large", is_guide=False),
        model_failed(large, "server:a1/large", is_guide=False),
        model_failed(gone, "/guide", is_guide=True),
    ]
    assert [(card.action_label, card.action_id) for card in found] == [
        ("Locate Folder…", "open_model"),
        ("Choose Another Model…", "models"),
        ("Try Again", "open_anyway"),
        ("Open Model…", "open_model"),
    ]
