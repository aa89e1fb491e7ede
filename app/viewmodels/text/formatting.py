"""Numbers, ages, durations and sizes in words, the same everywhere in the window.

Thousands are parted by a narrow no-break space from 1 000 on, units follow a no-break space. Times are always "about",
tokens never are.
"""

from __future__ import annotations

import time
from datetime import datetime, timedelta

from app.protocol.excerpts import first_words as first_words
from app.protocol.excerpts import plain_words as plain_words
from app.protocol.figures import HARD as HARD
from app.protocol.figures import THIN as THIN
from app.protocol.figures import number as number
from app.protocol.figures import plural as plural
from app.protocol.figures import size as size
from app.viewmodels.text import dates

DOT = "  ·  "
_QUARTER_DAY = 21_600.0


def tokens(value: int) -> str:
    """Write a count of tokens in full."""
    return plural(value, "token")


def short_count(value: int) -> str:
    """Write a count for the context gauge, which alone rounds: 812, 3.8k, 32k."""
    if value < 1000:
        return str(value)
    return f"{value / 1000:.1f}k" if value < 9950 else f"{value / 1000:.0f}k"


def gauge(used: int, length: int) -> str:
    """Write the context gauge: "3.8k of 32k"."""
    return f"{short_count(used)} of {_limit_count(length)}"


def _limit_count(value: int) -> str:
    """Write a context length, a power of two as often as not: 2 048 and 2 000 are both "2k"."""
    if value < 1000:
        return str(value)
    return f"{value // 1024 if value % 1024 == 0 else value / 1000:.0f}k"


def context(value: int) -> str:
    """Write how many tokens a model reads: "600 tokens", "32k tokens", "1M tokens"."""
    count = f"{value >> 20}M" if value >= 1 << 20 and value % (1 << 20) == 0 else _limit_count(value)
    return f"{count}{HARD}tokens"


def parameters(value: int) -> str:
    """Write how many parameters a model has, about: "350 M", "8.2 B", "70 B"."""
    if value < 999_500_000:
        return f"{value / 1e6:.0f}{HARD}M" if value >= 9_950_000 else f"{value / 1e6:.1f}{HARD}M"
    return f"{value / 1e9:.1f}{HARD}B" if value < 19_950_000_000 else f"{value / 1e9:.0f}{HARD}B"


def limit(value: int) -> str:
    """Write a limit in bytes: as a size, but whole from 10 GB on."""
    return f"{value / 1e9:.0f}{HARD}GB" if value >= 9_950_000_000 else size(value)


def share(used: int, most: int) -> str:
    """Write part of a limit, the unit once where both have it: "3.1 of 8.0 GB", "34 MB of 8.0 GB"."""
    part, whole = size(used), limit(most)
    if not used:
        return f"0 of {whole}"
    figure, unit = part.split(HARD)
    return f"{figure} of {whole}" if whole.endswith(HARD + unit) else f"{part} of {whole}"


def buffers(allocated: int, used: int, spare: int, overhead: int = 0) -> str:
    """Say what the live arrays take, and what the library keeps back and takes beside the arrays, in bytes."""
    live = f"Live buffers {size(allocated)}, {size(used)} of them used." if allocated else ""
    beside = f"MLX overhead {size(overhead)}, counted in the budget." if overhead else ""
    return " ".join(part for part in (live, f"MLX keeps {size(spare)} for reuse." if spare else "", beside) if part)


def about(seconds: float) -> str:
    """Write a time to come: "instant", "about 0.6 s", "about 9 s", "about 1 min 20 s"."""
    return "instant" if seconds < 0.1 else f"about {duration(seconds)}"


def duration(seconds: float) -> str:
    """Write seconds, to 10 with one place, then whole, from 60 on with minutes."""
    if seconds < 9.95:
        return f"{seconds:.1f}{HARD}s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole}{HARD}s"
    minutes, rest = divmod(whole, 60)
    return f"{minutes}{HARD}min" + (f" {rest}{HARD}s" if rest else "")


def whole_seconds(seconds: float) -> str:
    """Write seconds that have passed, never more than have: "0 s", "12 s", "1 min 20 s"."""
    minutes, rest = divmod(int(seconds), 60)
    if not minutes:
        return f"{rest}{HARD}s"
    return f"{minutes}{HARD}min" + (f" {rest}{HARD}s" if rest else "")


def first_token(seconds: float) -> str:
    """Write the time to first token, which has two places below a second: "first 0.48 s"."""
    return f"first {seconds:.2f}{HARD}s" if seconds < 0.995 else f"first {duration(seconds)}"


def rate(per_second: float, *, is_done: bool = True) -> str:
    """Write tokens per second: one place when done, whole while running and from a thousand."""
    is_exact = is_done and per_second < 999.95
    return f"{f'{per_second:.1f}' if is_exact else number(round(per_second))}{HARD}tok/s"


def percent(fraction: float) -> str:
    """Write a share, whole and never more than what is done: "61 %"."""
    return f"{int(fraction * 100 + 1e-9)}{HARD}%"


def token_range(start: int, end: int) -> str:
    """Write places in a prompt: "412-3 412" with an en dash."""
    return f"{number(start)}–{number(end)}"


def age(then: float, now: float) -> str:
    """Write how long ago it was, both in seconds since the epoch: now, 12 min, 2 h, yesterday, 3 Nov, 3 Nov 2024."""
    passed = now - then
    if passed < 60:
        return "now"
    if passed < 3600:
        return f"{int(passed // 60)}{HARD}min"
    at, today = datetime.fromtimestamp(then), datetime.fromtimestamp(now)
    days = (today.date() - at.date()).days
    if days <= 0 or passed < _QUARTER_DAY:
        return f"{int(passed // 3600)}{HARD}h"
    if days == 1:
        return "yesterday"
    return dates.written(at.date(), with_year=at.year != today.year)


def age_holds_until(then: float, now: float) -> float:
    """Return until when `age` writes the same and `is_today` says the same, in seconds since the epoch.

    That is as long as `dates_as` returns the same.
    """
    passed, midnight = now - then, _midnight_after(now)
    if passed < 60:
        return min(then + 60, midnight)
    if passed >= _QUARTER_DAY and not is_today(then, now):
        return midnight
    unit = 60 if passed < 3600 else 3600
    return min(then + unit * (passed // unit + 1), midnight)


def dates_as(now: float) -> str:
    """Return what days are told by beside the clock: the language, and the distance to Greenwich here."""
    return f"{dates.language()} {time.localtime(now).tm_gmtoff}"


def _midnight_after(now: float) -> float:
    tomorrow = datetime.fromtimestamp(now).date() + timedelta(days=1)
    return datetime(tomorrow.year, tomorrow.month, tomorrow.day).timestamp()


def ago(then: float, now: float) -> str:
    """Write how long ago it was, within a sentence: "now", "12 min ago", "yesterday", "3 Nov"."""
    written = age(then, now)
    return f"{written} ago" if written.endswith((f"{HARD}min", f"{HARD}h")) else written


def day(at: float) -> str:
    """Write a day in full: "3 Nov 2024"."""
    return dates.written(datetime.fromtimestamp(at).date(), with_year=True)


def clock(at: float) -> str:
    """Write the time of day here, in digits of one width: "09:41:07"."""
    return datetime.fromtimestamp(at).strftime("%H:%M:%S")


def is_today(then: float, now: float) -> bool:
    """Return whether both lie on the same day here."""
    return datetime.fromtimestamp(then).date() == datetime.fromtimestamp(now).date()
