from __future__ import annotations

from app.widgets.kit.change_detector import ChangeDetector


def test_values_are_compared_with_those_of_the_call_before() -> None:
    changes = ChangeDetector()
    calls = [(1, "a"), (1, "a"), (2, "a"), (1, "a")]
    assert [changes.has_changed(*values) for values in calls] == [True, False, True, True]


def test_the_first_comparison_finds_a_change_even_without_values() -> None:
    assert ChangeDetector().has_changed()
