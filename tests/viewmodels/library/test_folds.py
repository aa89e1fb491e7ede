"""Which rows of the sidebar are put away: whatever is folded, what the settings hold can be read back."""

from __future__ import annotations

import random

from app.viewmodels.kit.settings import MOST_ENTRIES, Settings
from app.viewmodels.library.folds import Folds


def test_what_was_folded_last_is_kept_however_much_is_folded(settings: Settings) -> None:
    for seed in range(5):
        chance = random.Random(seed)
        folds = Folds(settings)
        for _ in range(3 * MOST_ENTRIES):
            row, is_folded = f"row {chance.randrange(2 * MOST_ENTRIES)}", chance.random() < 0.6
            before = set(folds.folded if is_folded else folds.unfolded) - {row}
            folds.fold(row, is_folded)
            kept, other = (folds.folded, folds.unfolded) if is_folded else (folds.unfolded, folds.folded)
            assert kept[-1] == row
            assert row not in other
            assert len(set(kept)) == len(kept) == min(MOST_ENTRIES, len(before) + 1)
            assert (folds.folded, folds.unfolded) == (settings.values.folded, settings.values.unfolded)


def test_rows_are_put_away_as_they_were_in_another_run(settings: Settings) -> None:
    Folds(settings).fold("a", True)
    Folds(settings).fold("b", False)
    assert (Folds(settings).folded, Folds(settings).unfolded) == (("a",), ("b",))
