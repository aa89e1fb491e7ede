"""How much of the disk snapshots may take."""

from __future__ import annotations

import shutil
from collections import namedtuple
from pathlib import Path

import pytest

from app.kvcache.disk import space
from app.kvcache.disk.space import GB, Disk

Usage = namedtuple("Usage", "total used free")


@pytest.mark.parametrize(
    ("total", "free", "budget", "used", "expected"),
    [
        (500, 400, None, 0, 20),  # never more than 20 GB
        (500, 100, None, 0, 10),  # a tenth of the free space
        (500, 90, None, 10, 10),  # its own files count as free: the budget does not shrink as it fills
        (500, 100, 50, 0, 50),  # the person chose
        (500, 100, 90, 0, 75),  # a twentieth of the disk stays free all the same
        (500, 25, 90, 0, 0),
        (500, 26, None, 0, 1),
        (500, 20, None, 30, 5),  # too little is free: 25 of the 30 GB that are used must go
        (500, 1, 90, 3, 0),
        (60, 6, 90, 0, 1),  # 5 GB, which is more than a twentieth of it
        (10, 2, 90, 0, 1.5),  # of a tiny disk a twentieth
        (500, 400, 0, 7, 0),  # turned off
    ],
)
def test_what_is_allowed(
    monkeypatch: pytest.MonkeyPatch, total: int, free: int, budget: int | None, used: int, expected: float
) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _path: Usage(total * GB, (total - free) * GB, free * GB))
    chosen = None if budget is None else budget * GB
    assert space.allowed(space.disk_of(Path("/somewhere")), chosen, used * GB) == expected * GB


def test_what_is_allowed_fits_beside_what_must_stay_free() -> None:
    for total in range(1, 3000, 7):
        assert 0 < space.left_free(Disk(total * GB, 0)) < total * GB // 3


def test_a_folder_that_does_not_exist_yet_lies_on_the_disk_above_it(tmp_path: Path) -> None:
    assert space.disk_of(tmp_path / "not" / "yet").total == shutil.disk_usage(tmp_path).total
