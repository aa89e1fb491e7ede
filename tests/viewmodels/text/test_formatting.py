"""Numbers as the window writes them."""

from __future__ import annotations

import random
from datetime import datetime

import pytest

from app.viewmodels.text import formatting

THIN, HARD = "\u202f", "\u00a0"


@pytest.mark.parametrize(
    ("value", "said"), [(0, "0"), (999, "999"), (1000, "1~000"), (3412, "3~412"), (1234567, "1~234~567")]
)
def test_numbers(value: int, said: str) -> None:
    assert formatting.number(value) == said.replace("~", THIN)


def test_tokens() -> None:
    assert formatting.tokens(1) == f"1{HARD}token"
    assert formatting.tokens(3412) == f"3{THIN}412{HARD}tokens"


@pytest.mark.parametrize(
    ("used", "length", "said"),
    [
        (0, 2048, "0 of 2k"),
        (812, 2000, "812 of 2k"),
        (3794, 32768, "3.8k of 32k"),
        (9949, 131072, "9.9k of 128k"),
        (12400, 40000, "12k of 40k"),
    ],
)
def test_gauge(used: int, length: int, said: str) -> None:
    assert formatting.gauge(used, length) == said


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (0, "0 KB"),
        (1, "1 KB"),
        (812_000, "812 KB"),
        (999_000, "999 KB"),
        (999_001, "1.0 MB"),
        (4_700_000, "4.7 MB"),
        (9_949_999, "9.9 MB"),
        (34_400_000, "34 MB"),
        (999_499_999, "999 MB"),
        (999_500_000, "1.0 GB"),
        (3_100_000_000, "3.1 GB"),
        (20_000_000_000, "20.0 GB"),
    ],
)
def test_sizes(value: int, said: str) -> None:
    assert formatting.size(value) == said.replace(" ", HARD)


@pytest.mark.parametrize(
    ("used", "most", "said"),
    [
        (0, 8_000_000_000, "0 of 8.0~GB"),
        (3_100_000_000, 8_000_000_000, "3.1 of 8.0~GB"),
        (34_000_000, 8_000_000_000, "34~MB of 8.0~GB"),
        (4_600_000_000, 20_000_000_000, "4.6 of 20~GB"),
    ],
)
def test_shares(used: int, most: int, said: str) -> None:
    assert formatting.share(used, most) == said.replace("~", HARD)


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (0.05, "instant"),
        (0.1, "about 0.1~s"),
        (0.6, "about 0.6~s"),
        (9.94, "about 9.9~s"),
        (9.96, "about 10~s"),
        (59.4, "about 59~s"),
        (59.6, "about 1~min"),
        (80, "about 1~min 20~s"),
    ],
)
def test_times_to_come(seconds: float, said: str) -> None:
    assert formatting.about(seconds) == said.replace("~", HARD)


def test_first_token_and_rate() -> None:
    assert formatting.first_token(0.48) == f"first 0.48{HARD}s"
    assert formatting.first_token(2.1) == f"first 2.1{HARD}s"
    assert formatting.rate(38.24) == f"38.2{HARD}tok/s"
    assert formatting.rate(38.24, is_done=False) == f"38{HARD}tok/s"
    assert formatting.rate(999.94) == f"999.9{HARD}tok/s"
    assert formatting.rate(999.95) == formatting.rate(999.95, is_done=False) == f"1{THIN}000{HARD}tok/s"


def test_percent_never_says_more_than_is_done() -> None:
    assert formatting.percent(0.619) == f"61{HARD}%"
    assert formatting.percent(0.9999) == f"99{HARD}%"
    assert formatting.percent(0.29) == f"29{HARD}%"
    assert formatting.percent(1.0) == f"100{HARD}%"


@pytest.mark.parametrize(
    ("then", "said"),
    [
        (datetime(2026, 11, 20, 15, 59, 30), "now"),
        (datetime(2026, 11, 20, 15, 48), "12~min"),
        (datetime(2026, 11, 20, 14, 0), "2~h"),
        (datetime(2026, 11, 20, 0, 30), "15~h"),
        (datetime(2026, 11, 19, 23, 0), "yesterday"),
        (datetime(2026, 11, 3, 9, 0), "3~Nov"),
        (datetime(2025, 3, 3, 9, 0), "3~Mar~2025"),
        (datetime(2026, 11, 20, 16, 5), "now"),
    ],
)
def test_ages(then: datetime, said: str) -> None:
    now = datetime(2026, 11, 20, 16, 0)
    written = said.replace("~", HARD)
    assert formatting.age(then.timestamp(), now.timestamp()) == written
    is_span = written.endswith((f"{HARD}min", f"{HARD}h"))
    assert formatting.ago(then.timestamp(), now.timestamp()) == (f"{written} ago" if is_span else written)


def test_an_evening_is_not_yesterday_just_after_midnight() -> None:
    now, then = datetime(2026, 11, 20, 0, 30), datetime(2026, 11, 19, 22, 0)
    assert formatting.age(then.timestamp(), now.timestamp()) == f"2{HARD}h"


@pytest.mark.parametrize(
    ("value", "said"),
    [(400_000, "0.4 M"), (9_960_000, "10 M"), (350_000_000, "350 M"), (999_600_000, "1.0 B"), (8_190_000_000, "8.2 B"),
     (19_960_000_000, "20 B"), (671_000_000_000, "671 B")],
)  # fmt: skip
def test_parameters(value: int, said: str) -> None:
    assert formatting.parameters(value) == said.replace(" ", HARD)


@pytest.mark.parametrize(
    ("value", "said"),
    [(512, "512"), (4096, "4k"), (40_960, "40k"), (32_000, "32k"), (1 << 20, "1M")],
)
def test_contexts(value: int, said: str) -> None:
    assert formatting.context(value) == f"{said}{HARD}tokens"


def test_an_age_is_written_so_as_long_as_is_said() -> None:
    """At random, also of what comes from a clock that goes before; minutes and hours hold no longer than they must."""
    rng = random.Random(3)
    for _ in range(2000):
        now = datetime(2026, 3, 10, rng.randrange(24), rng.randrange(60), rng.randrange(60)).timestamp()
        then = now - rng.choice([-90_000, -30, 20, 600, 3590, 4000, 20_000, 22_000, 40_000, 90_000, 9e6]) + rng.random()
        until = formatting.age_holds_until(then, now)
        assert until > now

        def told(at: float, then: float = then) -> tuple[str, bool]:
            return formatting.age(then, at), formatting.is_today(then, at)

        assert told(now) == told(now + (until - now) * rng.random()) == told(until - 0.001)
        assert told(until + 0.001) != told(now) or datetime.fromtimestamp(until + 0.001).hour == 0
