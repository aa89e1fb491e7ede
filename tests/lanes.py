"""Which tests `make check` leaves to `make test`: those that take longest for what they alone can tell."""

from __future__ import annotations

from functools import cache
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
    "packaging/test_every_widget.py",
    "hub/test_process.py",
    "viewmodels/hub/test_hub_region.py",
    "widgets/models/test_get_models.py",
    "launch/test_first_paint.py",
    "launch/test_garbage.py",
    "packaging/test_freeze_spec.py",
    "packaging/test_icons.py",
    "packaging/test_rooms.py",
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
    "widgets/window/test_scroll_memory.py",
    # Every fault at every step; thousands of random histories.
    "conversation/test_crash.py",
    "conversation/test_exporting.py",
    "conversation/test_gone.py",
    "conversation/test_journal.py",
    "conversation/test_oracle.py",
    "conversation/test_rescue.py",
    "conversation/test_search.py",
    "engine/test_bad_input.py",
    "engine/test_begun_answer.py",
    "engine/test_disk.py",
    "engine/test_disk_faults.py",
    "engine/test_failing_forward.py",
    "engine/test_folder.py",
    "engine/test_followups.py",
    "engine/test_hostile_folders.py",
    "engine/test_hostile_templates.py",
    "engine/test_hostile_tokenizers.py",
    "engine/test_kv_bits.py",
    "engine/test_loop.py",
    "engine/test_memory_release.py",
    "engine/test_pipeline.py",
    "engine/test_round_trip.py",
    "engine/test_run.py",
    "engine/test_selftest.py",
    "engine/test_step_memory.py",
    "engine/test_transcript.py",
    "engine/test_unknown_caches.py",
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
    "kvcache/test_ghosts.py",
    "kvcache/test_paths.py",
    "kvcache/test_stress.py",
    "viewmodels/library/test_library_stress.py",
    "viewmodels/test_app_stress.py",
    "viewmodels/test_hanging_disk.py",
    "viewmodels/test_refreshing.py",
    "viewmodels/test_refusals.py",
    "viewmodels/warmth/test_chain.py",
    "widgets/window/test_fast_keys.py",
)
"""Files and folders, from the folder of all tests."""

SLOW_TESTS = (
    "attaching/test_files.py::test_a_pdf_that_unpacks_without_an_end_takes_no_memory_here",
    "attaching/test_files.py::test_no_random_damage_of_a_pdf_is_anything_but_a_text_or_a_refusal",
    "conversation/test_document.py::test_what_goes_from_one_store_to_another_is_the_same_there",
    "conversation/test_history.py::test_undo_gives_what_was_there_redo_what_came_of_it_and_the_result_says_so",
    "conversation/test_path_marks.py::test_marks_are_those_of_a_walk_over_the_whole_path",
    "conversation/test_staging.py::test_what_is_published_is_what_came_in_and_can_be_taken_back",
    "conversation/test_store_thread.py::test_a_program_that_ends_without_close_still_ends_and_has_kept_everything",
    "engine/test_adapter.py::test_a_model_with_an_adapter_computes_what_mlx_lm_computes_with_it",
    "engine/test_adapter.py::test_an_adapter_that_does_not_fit_gets_a_sentence_and_the_former_model_stays",
    "engine/test_attachments.py::test_another_question_about_a_document_computes_only_its_words",
    "engine/test_build.py::test_a_folder_comes_to_the_model_that_mlx_lm_builds_of_it",
    "engine/test_build.py::test_a_hostile_store_costs_a_sentence",
    "engine/test_build.py::test_a_model_of_ollamas_store_answers_as_its_folder_does",
    "engine/test_length.py::test_no_branch_that_fits_is_said_to_be_too_long",
    "engine/test_model_files.py::test_many_files_that_are_large_together_are_refused",
    "engine/test_stopping.py::test_cancel_at_every_chunk_and_every_token_keeps_what_was_written",
    "engine/test_vocabulary.py::test_ids_of_any_kind_bring_no_control_token_into_a_prompt",
    "exchange/test_markdown.py::test_no_random_text_brings_html_or_script_or_leaves_its_quote",
    "exchange/test_markdown.py::test_the_structure_of_a_text_is_read_as_it_was_written",
    "hub/test_fetch.py::test_two_do_not_fetch_the_same_at_once",
    "hub/test_search.py::test_odd_descriptions",
    "hub/test_search.py::test_odd_fields_cost_a_field_and_odd_entries_a_row",
    "kvcache/test_budget.py::test_the_account_agrees_with_mlx",
    "kvcache/test_pins.py::test_no_random_history_takes_a_pinned_branch",
    "kvcache/test_view.py::test_what_is_used_again_of_the_last_view_is_as_it_is_now",
    "launch/test_environment.py::test_as_many_files_may_be_open_as_are_allowed_and_the_engine_is_imported",
    "models/test_description.py::test_no_hostile_folder_stops_the_list_and_none_that_opens_is_refused",
    "models/test_scan.py::test_two_hundred_models_are_all_there",
    "rendering/test_process.py::test_a_process_that_is_killed_at_any_moment_costs_no_answer",
    "rendering/test_process.py::test_nothing_is_left_of_it_when_the_program_has_ended",
    "rendering/test_process.py::test_what_takes_too_long_or_too_much_is_ended_and_the_next_request_gets_another_process",
    "test_imports.py::test_no_package_is_installed_for_tests_that_none_of_them_uses",
    "viewmodels/cache/test_event_model.py::test_the_log_is_bounded_and_can_be_cleared",
    "viewmodels/chat/test_open_path.py::test_a_kill_at_any_moment_leaves_the_path_as_far_as_it_was_stored",
    "viewmodels/chat/test_open_path.py::test_no_switching_loses_sight_of_what_grew",
    "viewmodels/chat/test_settings_region.py::test_conversations_do_not_mix_and_nothing_typed_is_lost",
    "widgets/chat/messages/test_message_body.py::test_any_text_is_laid_out_painted_and_copied",
    "widgets/chat/messages/test_thoughts.py::test_a_thought_that_grows_open_lays_out_its_last_piece_only",
    "widgets/sidebar/test_filing.py::test_a_thousand_conversations_are_listed_and_one_is_deleted",
    "widgets/sidebar/test_search.py::test_signs_that_mean_something_to_a_database_do_no_harm",
)
"""Single tests, of files whose other tests are quick."""


@cache
def is_slow(path: Path) -> bool:
    """Whether all tests of this file are left out of the check for every commit."""
    if not path.is_relative_to(TESTS):
        return False
    place = path.relative_to(TESTS)
    return any(place.is_relative_to(slow) for slow in SLOW)


def is_slow_test(path: Path, name: str) -> bool:
    """Whether this test is left out of the check for every commit, by itself or with its file."""
    place = path.relative_to(TESTS).as_posix() if path.is_relative_to(TESTS) else path.as_posix()
    return is_slow(path) or f"{place}::{name}" in SLOW_TESTS
