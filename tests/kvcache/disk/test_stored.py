"""Rows as they come back from files."""

from __future__ import annotations

import os
import resource
from itertools import count, islice
from pathlib import Path

import mlx.core as mx

from app.kvcache.disk import files
from app.kvcache.disk.files import SnapshotFile
from app.kvcache.disk.stored import StoredRows, loader_of, tensors


def test_rows_of_more_files_than_may_be_open_are_read(tmp_path: Path) -> None:
    """A long path has thousands of files, and the rows of a layer come from all of them before any are entered."""
    layers = [(mx.full((1, 2, 4, 8), number), mx.full((1, 2, 4, 8), number)) for number in range(80)]
    paths = [tmp_path / files.write(tmp_path, list(tensors([arrays])), {}).name for arrays in layers]
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    in_use = set(map(int, os.listdir("/dev/fd")))
    few = next(islice((number for number in count() if number not in in_use), 20, None))
    resource.setrlimit(resource.RLIMIT_NOFILE, (few, limits[1]))
    try:
        found = [StoredRows(loader_of(SnapshotFile(path).tensor), 0, 1, 3, [2]).layers[0] for path in paths]
        mx.eval(found)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)
    assert [rows[0].shape for rows in found] == [(1, 2, 2, 8)] * 80
    assert [int(rows[1].max()) for rows in found] == list(range(80))
