"""Numbers, counts and sizes in words, the same in the window, in a file, and in what an engine says."""

from __future__ import annotations

THIN = "\u202f"  # narrow no-break space
HARD = "\u00a0"  # no-break space


def number(value: int) -> str:
    """Write a count in full, its thousands parted from 1 000 on: 3412 is "3 412"."""
    return f"{value:,}".replace(",", THIN)


def plural(value: int, one: str, many: str = "") -> str:
    """Write a count with its noun: "1 token", "3 412 tokens". `many` where an s is not enough."""
    return f"{number(value)}{HARD}{one if value == 1 else many or one + 's'}"


def size(value: int) -> str:
    """Write bytes as "0 KB", "812 KB", "4.7 MB", "34 MB", "3.1 GB": MB are whole from 10 on, GB have one place."""
    if value <= 999_000:
        return f"{(value + 999) // 1000}{HARD}KB"
    if value < 9_950_000:
        return f"{value / 1e6:.1f}{HARD}MB"
    if value < 999_500_000:
        return f"{value / 1e6:.0f}{HARD}MB"
    return f"{value / 1e9:.1f}{HARD}GB"
