"""How a process of this program itself is started. Standard library only: it is imported in such processes too."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

CHILD_FOLDER = Path(__file__).resolve().parents[2]
"""The folder that such a process works in."""


def child_command(flag: str) -> list[str]:
    """Return what starts this program with a flag that makes it do one thing."""
    return [sys.executable, flag] if hasattr(sys, "frozen") else [sys.executable, "-m", "app", flag]


def start_child(flag: str, stdin: int = subprocess.PIPE) -> subprocess.Popen[bytes]:
    """Start this program with a flag that makes it do one thing: it inherits nothing, and no signal of a terminal."""
    return subprocess.Popen(  # noqa: S603 - this very program, with a flag of its own
        child_command(flag),
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=CHILD_FOLDER,
        close_fds=True,
        start_new_session=True,
        bufsize=0,
    )
