"""The frozen program's real window on a virtual display: it answers and forks when keys are pressed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.packaging.frozen import as_environment, given, needs_program
from tests.scenarios.person import ask_fork_return_continue_and_reopen, needs_display, sitting_down

pytestmark = [needs_program, needs_display, pytest.mark.timeout(900)]


def test_ask_fork_return_continue_and_reopen(tmp_path: Path) -> None:
    with sitting_down(tmp_path / "data", (str(given()),), as_environment(os.environ)) as person:
        ask_fork_return_continue_and_reopen(person)
