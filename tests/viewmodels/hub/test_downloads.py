"""The list of downloads as a file, the rate, and what is said of them."""

from __future__ import annotations

import errno
import json
import threading
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from app.hub.messages import Description
from app.hub.starters import starters
from app.protocol.memory import Memory
from app.protocol.reports import Problem
from app.viewmodels.hub import download, hub_text
from app.viewmodels.hub.download import Download, DownloadFile, Stage, read_downloads, write_downloads
from app.viewmodels.hub.rate import Rate
from tests.viewmodels.hub.conftest import MEMORY, STARTERS

GIB = 1 << 30
ONE = Download("a/Model-8B-4bit", "ab" * 20, "https://huggingface.co", 4_600_000_000, 2_100_000_000)


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_what_is_not_finished_is_read_back_paused(tmp_path: Path) -> None:
    file = tmp_path / "downloads.json"
    problem = Problem("It broke", "Try again.")
    ready = replace(ONE, name="a/ready", stage=Stage.READY, path="/x")
    given_up = replace(ONE, name="a/gone", stage=Stage.GIVEN_UP)
    write_downloads(file, [replace(ONE, stage=Stage.STOPPED, problem=problem), ready, given_up])
    assert read_downloads(file) == [replace(ONE, stage=Stage.PAUSED), given_up]
    assert read_downloads(tmp_path / "none.json") == []
    for stage in (Stage.RUNNING, Stage.WAITING):  # as a program leaves them that is killed
        write_downloads(file, [replace(ONE, stage=stage)])
        assert read_downloads(file) == [replace(ONE, stage=Stage.PAUSED)]


def test_the_last_list_is_written_however_slow_the_disk_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody waits for it, and what is outdated before its turn is never written."""
    go, written = threading.Event(), list[int]()

    def write_slowly(path: Path, downloads: Sequence[Download]) -> None:
        go.wait(20)
        written.append(downloads[0].done)
        if downloads[0].done == 0:
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(download, "write_downloads", write_slowly)
    file = DownloadFile(tmp_path / "downloads.json")
    for done in range(50):
        file.write([replace(ONE, done=done)])
    go.set()
    file.close(20)
    assert written[-1] == 49
    assert len(written) <= 2
    file.write([replace(ONE, done=50)])
    file.close(20)
    assert written[-1] == 50


def test_a_file_that_somebody_else_wrote_costs_the_list_alone(tmp_path: Path) -> None:
    file = tmp_path / "downloads.json"
    write_downloads(file, [ONE])
    (good,) = json.loads(file.read_text())
    changes = [
        {"name": "../x"},
        {"name": 7},
        {"commit": "../../etc"},
        {"commit": "short"},
        {"endpoint": "ftp://x"},
        {"endpoint": "https://ana:pw@x"},
        {"total": -1},
        {"done": good["total"] + 1},
        {"total": "many"},
    ]
    file.write_text(json.dumps([{**good, **change} for change in changes] + [None, [], good, good]))
    assert read_downloads(file) == [replace(ONE, stage=Stage.PAUSED)]
    for text in ("", "{", "7", "{}", "[" * 100_000, "\x00"):
        file.write_text(text)
        assert read_downloads(file) == []


def test_the_rate_is_that_of_the_last_seconds() -> None:
    clock = Clock()
    rate = Rate(clock)
    assert rate.per_second is None
    for second in range(60):
        clock.now = float(second)
        rate.take(second * 1000 if second < 30 else 30_000 + (second - 30) * 4000)
    assert rate.per_second == 4000
    assert rate.seconds_left(8000) == 2
    rate.take(0)
    assert rate.per_second is None
    rate.forget()
    assert rate.seconds_left(1) is None


def test_a_row_says_how_far_it_is() -> None:
    clock = Clock()
    rate = Rate(clock)
    running = replace(ONE, stage=Stage.RUNNING)
    assert hub_text.row_of(running, rate).line == "2.1 of 4.6\u00a0GB"
    for second in range(5):
        clock.now = float(second)
        rate.take(2_000_000_000 + second * 25_000_000)
    assert hub_text.row_of(running, rate).line == ("2.1 of 4.6\u00a0GB  ·  25\u00a0MB/s  ·  about 2\u00a0min left")
    assert hub_text.activity_of(running, rate).text.startswith("Downloading Model-8B-4bit  ·  2.1 of")
    assert hub_text.row_of(replace(running, is_checked=True), rate).line.endswith("Comparing the checksum")
    assert hub_text.row_of(replace(ONE, stage=Stage.PAUSED), rate).line.startswith("Paused")
    assert hub_text.activity_of(None, rate).text == ""


def described(**changes: object) -> Description:
    one = Description(
        name="a/b",
        commit="c",
        licence="mit",
        licence_link="",
        updated=0,
        is_gated=False,
        architecture="llama",
        reason="",
        files=("config.json",),
        bytes=4 * GIB,
        missing=4 * GIB,
        free=100 * GIB,
        is_room=True,
        folder="/cache",
        path="",
    )
    return replace(one, **changes)  # type: ignore[arg-type]


def test_what_stands_in_the_way_is_marked() -> None:
    def bad(found: Description, memory: Memory | None = MEMORY) -> list[str]:
        return [fact.about for fact in hub_text.facts_of(found, memory) if fact.is_bad]

    assert bad(described()) == []
    assert bad(described(bytes=40 * GIB)) == ["Memory"]
    assert bad(described(bytes=40 * GIB), None) == []
    assert bad(described(is_room=False)) == ["Disk"]
    assert "of which" in hub_text.facts_of(described(missing=GIB), MEMORY)[0].text
    assert "name none" in hub_text.facts_of(described(licence=""), MEMORY)[1].text


def test_the_starters_are_sound() -> None:
    """They go from 1 to 70 billion parameters, each with its own sentence, for machines that have room for them."""
    found = starters(str(STARTERS))
    assert len(found) >= 12
    assert len({one.repository for one in found}) == len({one.line for one in found}) == len(found)
    assert found[0].parameters < 2e9
    assert found[-1].parameters > 70e9
    for one in found:
        assert one.repository.startswith("mlx-community/")
        assert one.bytes < one.memory * 1e9 * 0.75, one
        assert one.line.endswith(".")
    assert [one.memory for one in found] == sorted(one.memory for one in found)
    assert starters("/nowhere") == ()
