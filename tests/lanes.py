"""Which tests `make check` leaves to `make test`: those that take longest for what they alone can tell."""

from __future__ import annotations

from pathlib import Path

TESTS = Path(__file__).parent

SLOW = (
    # Whole programs: started, killed, driven by keys, frozen.
    "scenarios",
    "test_main.py",
    "launch/test_data_watch.py",
    "launch/test_single_instance.py",
    "launch/test_startup_errors.py",
    "packaging/guide_model",
    "packaging/test_frozen.py",
    "packaging/test_frozen_window.py",
    "packaging/test_setup.py",
    "packaging/test_shots.py",
    "hub/test_process.py",
    "viewmodels/hub/test_hub_region.py",
    "widgets/models/test_get_models.py",
    # Measurements, and the longest conversations.
    "bench",
    "test_bench.py",
    "engine/test_cost.py",
    "kvcache/disk/test_depth.py",
    "kvcache/test_deep.py",
    "kvcache/test_switch_memory.py",
    "viewmodels/chat/test_long_conversations.py",
    "widgets/chat/messages/test_layout.py",
    "widgets/chat/messages/test_view.py",
    "widgets/window/test_panes_together.py",
    # Every fault at every step; thousands of random histories.
    "conversation/test_gone.py",
    "conversation/test_journal.py",
    "conversation/test_rescue.py",
    "conversation/test_search.py",
    "engine/test_bad_input.py",
    "engine/test_disk.py",
    "engine/test_disk_faults.py",
    "engine/test_folder.py",
    "engine/test_followups.py",
    "engine/test_hostile_templates.py",
    "engine/test_hostile_tokenizers.py",
    "engine/test_loop.py",
    "engine/test_memory_release.py",
    "engine/test_pipeline.py",
    "engine/test_round_trip.py",
    "engine/test_run.py",
    "engine/test_selftest.py",
    "engine/test_step_memory.py",
    "engine/test_verification.py",
    "exchange/test_fuzz.py",
    "kvcache/disk/test_hanging.py",
    "kvcache/disk/test_plan.py",
    "kvcache/disk/test_reading.py",
    "kvcache/disk/test_saving.py",
    "kvcache/disk/test_tier.py",
    "kvcache/test_account.py",
    "kvcache/test_cancel.py",
    "kvcache/test_eviction.py",
    "kvcache/test_exact.py",
    "kvcache/test_failing_models.py",
    "kvcache/test_faults.py",
    "kvcache/test_free_forks.py",
    "viewmodels/library/test_library_stress.py",
    "viewmodels/test_app_stress.py",
    "viewmodels/test_hanging_disk.py",
    "viewmodels/test_refusals.py",
)
"""Files and folders, from the folder of all tests."""


def is_slow(path: Path) -> bool:
    """Whether the tests of this file are left out of the check for every commit."""
    if not path.is_relative_to(TESTS):
        return False
    place = path.relative_to(TESTS)
    return any(place.is_relative_to(slow) for slow in SLOW)
