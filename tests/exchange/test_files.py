"""Files that are written whole or not at all, and their names."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Any

import pytest

from app.exchange import ExchangeError, file_name, save


def test_a_file_is_written_and_replaced(tmp_path: Path) -> None:
    path = tmp_path / "Ä pear.md"
    save(path, ["one\r\n"])
    assert path.read_bytes() == b"one\r\n"
    save(path, ["Birne 🌳\ud83d"])
    assert path.read_text(encoding="utf-8") == "Birne 🌳\ufffd"
    assert os.listdir(tmp_path) == [path.name]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    link = tmp_path / "a.md"
    link.symlink_to(tmp_path / "there" / "b.md")
    save(link, ["x"])
    assert link.is_symlink()
    assert (tmp_path / "there" / "b.md").read_text() == "x"
    assert sorted(os.listdir(tmp_path / "there")) == ["b.md"]


@pytest.mark.parametrize("step", ["fsync", "replace"])
@pytest.mark.parametrize(
    ("number", "words"),
    [
        (errno.ENOSPC, "the disk is full. Free some space"),
        (errno.EDQUOT, "no more space on this disk is granted to you. Free"),
        (errno.EACCES, "Espalier may not use it. Choose another folder"),
        (errno.EROFS, "its disk can only be read. Choose another folder"),
        (errno.EIO, "the disk reported an error. Choose another folder"),
        (errno.ELOOP, f"{os.strerror(errno.ELOOP)}. Choose another folder"),
    ],
)
def test_what_the_disk_refuses_leaves_all_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str, number: int, words: str
) -> None:
    path = tmp_path / "pears.md"
    save(path, ["old"])

    def refuse(*_: Any) -> None:
        raise OSError(number, os.strerror(number))

    with monkeypatch.context() as patch:
        patch.setattr(os if step == "fsync" else Path, step, refuse)
        with pytest.raises(ExchangeError) as caught:
            save(path, ["new"])
    assert caught.value.problem.title == "The file cannot be saved"
    assert caught.value.problem.sentence.startswith(f"“pears.md” was not saved: {words}")
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["pears.md"]


@pytest.mark.parametrize(
    ("place", "words"),
    [
        ("gone/pears.md", "it is not there, or its folder is not. Choose another folder"),
        ("file/pears.md", "what should be its folder is a file. Choose another folder"),
        ("folder", "a folder has this name. Choose another name"),
        ("x" * 300, "its name is too long. Choose a shorter name"),
    ],
)
def test_places_that_cannot_be_written_to_are_told(tmp_path: Path, place: str, words: str) -> None:
    (tmp_path / "file").write_text("x")
    (tmp_path / "folder").mkdir()
    with pytest.raises(ExchangeError) as caught:
        save(tmp_path / place, ["text"])
    assert words in caught.value.problem.sentence
    assert sorted(os.listdir(tmp_path)) == ["file", "folder"]
    assert os.listdir(tmp_path / "folder") == []


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("Which pears keep?", "Which pears keep.md"),
        ("a/b\\c: d\n e", "a b c d e.md"),
        ("..", "Conversation.md"),
        ("../../etc", "etc.md"),
        (".hidden", "hidden.md"),
        (None, "Conversation.md"),
        (" \0", "Conversation.md"),
        ("con", "Conversation.md"),
        ("nul.txt", "Conversation.md"),
        ("Käse 🌳", "Käse 🌳.md"),
        ("\u202egnp", "gnp.md"),
        ("ü" * 200, "ü" * 60 + ".md"),
    ],
)
def test_a_title_becomes_a_name_for_a_file(title: str | None, name: str) -> None:
    assert file_name(title, ".md") == name
