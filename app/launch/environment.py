"""The environment of the process: what libraries are told when they are imported, and what the program finds.

Told: stay offline, send nothing, start no compiler. Found: whether there is a display, and somewhere to print to.
"""

from __future__ import annotations

import contextlib
import os
import resource
import sys
import tempfile

_SWITCHES = {
    "HF_HUB_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "DISABLE_TELEMETRY": "1",
    "DO_NOT_TRACK": "1",
    # Its advice about long texts is for training; what is too long here gets a sentence of our own.
    "TRANSFORMERS_VERBOSITY": "error",
    # The tokenizers library warns when a process that used its threads forks; one conversation needs no threads.
    "TOKENIZERS_PARALLELISM": "false",
}


FILES = 4096  # open at once; more than that macOS may refuse


def seal() -> None:
    """Set the switches in this process's environment. To be called before mlx_lm is imported, once or more often."""
    os.environ.update(_SWITCHES)
    with contextlib.suppress(FileNotFoundError):
        # Without it, a process that was started with no environment ends inside Metal.
        os.environ.setdefault("TMPDIR", tempfile.gettempdir())
    if sys.platform != "darwin":
        # On the CPU, mx.compile writes C++ to a temporary file and calls g++ on it.
        os.environ["MLX_DISABLE_COMPILE"] = "1"


def allow_files() -> None:
    """Let this process have as many files open as the system allows it, within reason.

    A program that was started from the Finder may have 256, of which a large model with its caches has use for all.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = FILES if hard == resource.RLIM_INFINITY else min(FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def has_display() -> bool:
    """Return whether a person can see a window; Qt's platforms that draw into memory show none."""
    platform = os.environ.get("QT_QPA_PLATFORM", "").partition(":")[0]
    if platform in {"offscreen", "minimal"}:
        return False
    if platform or not sys.platform.startswith("linux"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def give_streams() -> None:
    """Let everything that prints go on where there is nothing to print to, as in a program started from the Finder."""
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:
            mode = "r" if name == "stdin" else "w"
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115 - open as long as the program
