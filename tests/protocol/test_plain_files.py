"""Whatever lies in the place of a small file, nothing waits for it and nothing large is read."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from app.protocol.plain_files import UnfitFileError, read_plain, refuse_special, write_whole

pytestmark = pytest.mark.timeout(20)


def spoil(path: Path, kind: str) -> None:
    """Put something into the place of a file."""
    path.unlink(missing_ok=True)
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
        (path / "inside").write_text("x")
    elif kind == "socket":
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(os.path.relpath(path))
    elif kind == "device":
        path.symlink_to("/dev/zero")
    elif kind == "link to nothing":
        path.symlink_to(path.with_name("nothing"))
    elif kind == "link to itself":
        path.symlink_to(path)
    elif kind == "huge":
        with path.open("wb") as file:
            file.truncate(1 << 40)


KINDS = ["pipe", "folder", "socket", "device", "link to nothing", "link to itself", "huge"]


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_no_file_is_refused_at_once(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "file"
    spoil(path, kind)
    with pytest.raises(OSError, match=r".") as caught:
        read_plain(path, 1000)
    if kind not in ("socket", "link to nothing", "link to itself"):
        assert isinstance(caught.value, UnfitFileError)
    if kind in ("pipe", "folder", "socket", "device"):
        with pytest.raises(UnfitFileError):
            refuse_special(path)


def test_a_file_is_read_up_to_its_limit(tmp_path: Path) -> None:
    path = tmp_path / "file"
    for size in (0, 1, 999, 1000):
        path.write_bytes(b"x" * size)
        assert read_plain(path, 1000) == b"x" * size
    path.write_bytes(b"x" * 1001)
    with pytest.raises(UnfitFileError):
        read_plain(path, 1000)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "folder"])
def test_writing_replaces_what_is_there_and_writes_through_no_link(tmp_path: Path, kind: str) -> None:
    spoil(tmp_path / "file.json", kind)
    spoil(tmp_path / "file.part", kind)
    write_whole(str(tmp_path / "file.json"), "whole")
    assert (tmp_path / "file.json").read_text() == "whole"
    assert not (tmp_path / "file.json").is_symlink()
    assert [one.name for one in tmp_path.iterdir()] == ["file.json"]
