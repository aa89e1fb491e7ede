"""Processes of this program itself, for work that may have to be ended at any moment. Standard library only."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

_ROOT = Path(__file__).parents[2]


def start_child(flag: str, stdin: int = subprocess.PIPE) -> subprocess.Popen[bytes]:
    """Start this program with a flag that makes it do one thing: it inherits nothing, and no signal of a terminal."""
    command = [sys.executable, flag] if hasattr(sys, "frozen") else [sys.executable, "-m", "app", flag]
    return subprocess.Popen(  # noqa: S603 - this very program, with a flag of its own
        command,
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=_ROOT,
        close_fds=True,
        start_new_session=True,
        bufsize=0,
    )
