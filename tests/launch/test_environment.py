"""The process is told to stay offline before anything is imported, whatever the shell said."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile

import pytest

from app.launch.environment import FILES, allow_files, seal


def test_the_switches_are_set_over_what_the_shell_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "0")
    monkeypatch.delenv("TRANSFORMERS_OFFLINE", raising=False)
    seal()
    seal()
    assert os.environ["HF_HUB_OFFLINE"] == os.environ["TRANSFORMERS_OFFLINE"] == "1"
    assert os.environ["HF_HUB_DISABLE_TELEMETRY"] == os.environ["DISABLE_TELEMETRY"] == "1"
    assert ("MLX_DISABLE_COMPILE" in os.environ) == (sys.platform != "darwin")


def test_there_is_a_folder_for_temporary_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TMPDIR", raising=False)
    seal()
    assert os.environ["TMPDIR"] == tempfile.gettempdir()
    monkeypatch.setenv("TMPDIR", "/of/the/person")
    seal()
    assert os.environ["TMPDIR"] == "/of/the/person"


def test_it_imports_nothing_that_would_read_them_too_early() -> None:
    early = {"mlx", "mlx_lm", "huggingface_hub", "PySide6"}
    code = f"import sys, app.launch.environment; assert not {early} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


FEW_FILES = """
import resource, sys
resource.setrlimit(resource.RLIMIT_NOFILE, (16, int(sys.argv[1])))
from app.launch.environment import allow_files, seal
seal()
allow_files()
before = resource.getrlimit(resource.RLIMIT_NOFILE)
import app.engine
assert resource.getrlimit(resource.RLIMIT_NOFILE) == before, before
print(*before)
"""


@pytest.mark.parametrize("most", [64, 1000, FILES])
def test_as_many_files_may_be_open_as_are_allowed_and_the_engine_is_imported(most: int) -> None:
    """mlx-lm asks for 4,096 while it is imported, and cannot be imported where that is refused."""
    done = subprocess.run([sys.executable, "-c", FEW_FILES, str(most)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == [str(most), str(most)]


def test_a_limit_that_is_high_enough_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda _kind: (2 * FILES, 4 * FILES))
    monkeypatch.setattr(resource, "setrlimit", lambda *_: pytest.fail("the limit was changed"))
    allow_files()
