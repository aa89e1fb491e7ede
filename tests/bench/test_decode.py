"""The measuring of decoding, in small. Times are for `make bench-cache`."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

from tests.bench.decode import SETTINGS, choices


def test_choosing_a_token_is_measured_by_vocabulary_and_settings(tmp_path: Path) -> None:
    found = [asdict(choice) for choice in choices(tmp_path, vocabularies=(500, 3000), count=1)]
    assert [(one["vocabulary"], one["settings"]) for one in found] == [
        (vocabulary, name) for vocabulary in (500, 3000) for name in SETTINGS
    ]
    assert all(set(one) == {"vocabulary", "settings", "engine_ms", "mlx_lm_ms", "ratio"} for one in found)
    assert all(one["engine_ms"] > 0 and one["mlx_lm_ms"] > 0 and one["ratio"] > 0 for one in found)
