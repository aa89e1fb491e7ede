"""The database's own clock, by which the trash is emptied.

Properties: it follows the system's clock, but never goes back, and goes on by a week at most from one look to the next.
So a wrong date takes a week of the thirty days at most, and one that is put right takes nothing. At the first start
after months a person who was away and a clock that is wrong look the same; what was emptied by mistake is lost, and
what stays longer is not. So time away counts as a week, too, and the trash says so.
"""

from __future__ import annotations

import sqlite3
import time

LONGEST_STEP = 7 * 86400.0  # seconds


def clock_time(connection: sqlite3.Connection) -> float:
    """Return what the clock says, in seconds since the epoch."""
    seen, now = connection.execute("SELECT seen, now FROM clock").fetchone()
    return float(now + min(max(time.time() - seen, 0.0), LONGEST_STEP))


def advance_clock(connection: sqlite3.Connection) -> float:
    """Bring the clock on, inside a transaction; returns what it says, in seconds since the epoch."""
    now = clock_time(connection)
    connection.execute("UPDATE clock SET seen = ?, now = ?", (time.time(), now))
    return now
