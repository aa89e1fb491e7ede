"""The process is told to stay offline before anything is imported, whatever the shell said."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile

import pytest

from app.environment import seal


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
    code = "import sys, app.environment; assert not {'mlx', 'mlx_lm', 'huggingface_hub', 'PySide6'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
