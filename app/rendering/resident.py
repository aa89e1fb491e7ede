"""The memory that another process holds."""

from __future__ import annotations

import ctypes
import resource
import sys
from contextlib import suppress
from pathlib import Path

_RUSAGE_BYTES = 96  # of macOS' struct rusage_info_v0,
_FOOTPRINT = 72  # where ri_phys_footprint stands in it


def resident_bytes(pid: int) -> int:
    """Return the bytes of memory that a process holds, 0 where it cannot be told."""
    return _on_mac(pid) if sys.platform == "darwin" else _on_linux(pid)


def _on_linux(pid: int) -> int:
    with suppress(OSError, ValueError, IndexError):
        return int(Path(f"/proc/{pid}/statm").read_bytes().split()[1]) * resource.getpagesize()
    return 0


def _on_mac(pid: int) -> int:
    usage = ctypes.create_string_buffer(_RUSAGE_BYTES)
    if ctypes.CDLL(None).proc_pid_rusage(pid, 0, usage) != 0:
        return 0
    return int.from_bytes(usage.raw[_FOOTPRINT : _FOOTPRINT + 8], sys.byteorder)
