"""The archive of everything: it comes back as it went out, and what is wrong with one is said."""

from __future__ import annotations

import io
import json
import random
import zipfile
from collections.abc import Callable, Iterator
from contextlib import nullcontext, suppress
from pathlib import Path

import pytest

from app.conversation.message import Conversation, Message
from app.conversation.records import Document, Folder
from app.exchange import ExchangeError, FileImport, limits, save_all
from app.exchange.archive import MANIFEST
from tests.seeds import chosen

WORK = Folder.new("Work / „pears“")


def document(title: str, said: str = "x") -> Document:
    conversation = Conversation.new(title)
    first = Message.new(conversation.id, None, "user", said)
    return Document(conversation, (first,), (first.id,), first.id)


def test_what_goes_out_comes_back(tmp_path: Path) -> None:
    """At random: titles that are alike, odd, or no names of files; folders; one at a time."""
    for seed in chosen(range(20)):
        rng = random.Random(seed)
        titles = ["Pears", "../../etc/passwd", "a/b\\c", "CON", "é😀", "x" * 200]
        documents = [document(rng.choice(titles), f"words {number}") for number in range(rng.randint(0, 9))]
        folders = [Folder.new(rng.choice(["Work", "é"])) for _ in range(rng.randint(0, 3))]
        path = tmp_path / "all.zip"
        assert save_all(path, folders, iter(documents)) == len(documents)
        found = FileImport(path)
        if not documents:
            with pytest.raises(ExchangeError):
                list(found)
            continue
        assert list(found) == documents, seed
        assert found.folders == tuple(folders)
        with zipfile.ZipFile(path) as archive:
            assert not any(name.startswith("/") or ".." in name.split("/") for name in archive.namelist())


def test_one_document_at_a_time_is_asked_for(tmp_path: Path) -> None:
    """Each is written before the next one is made."""
    seen: list[int] = []

    def documents() -> Iterator[Document]:
        for number in range(5):
            seen.append(number)
            yield document(f"Number {number}")

    save_all(tmp_path / "all.zip", [], documents())
    assert seen == [0, 1, 2, 3, 4]
    reading = iter(FileImport(tmp_path / "all.zip"))
    assert next(reading).conversation.title == "Number 0"


def test_what_ends_half_way_leaves_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "all.zip"
    save_all(path, [], [document("Before")])
    before = path.read_bytes()

    def broken() -> Iterator[Document]:
        yield document("One")
        raise RuntimeError("no more")

    with pytest.raises(RuntimeError):
        save_all(path, [], broken())
    assert path.read_bytes() == before
    assert [one.name for one in tmp_path.iterdir()] == ["all.zip"]


@pytest.mark.parametrize(
    ("limit", "most"), [("MOST_CONVERSATIONS", 2), ("MOST_IN_A_FILE", 2), ("LARGEST_ARCHIVE", 900)]
)
def test_what_could_not_be_read_again_is_not_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str, most: int
) -> None:
    documents = [document("One"), document("Two"), document("Three")]
    save_all(tmp_path / "all.zip", [], documents)
    monkeypatch.setattr(limits, limit, most)
    with pytest.raises(ExchangeError, match="one by one"):
        save_all(tmp_path / "other.zip", [], documents)
    with pytest.raises(ExchangeError):
        list(FileImport(tmp_path / "all.zip"))
    assert not (tmp_path / "other.zip").exists()


def rewritten(path: Path, change: Callable[[zipfile.ZipFile, list[tuple[str, bytes]]], None]) -> None:
    with zipfile.ZipFile(path) as archive:
        entries = [(name, archive.read(name)) for name in archive.namelist()]
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        change(archive, entries)
    path.write_bytes(out.getvalue())


def manifest(**entries: object) -> bytes:
    return json.dumps({"format": "espalier archive", "version": 1, "folders": [], **entries}).encode()


def with_manifest(data: bytes) -> Callable[[zipfile.ZipFile, list[tuple[str, bytes]]], None]:
    def change(archive: zipfile.ZipFile, entries: list[tuple[str, bytes]]) -> None:
        for name, content in entries:
            archive.writestr(name, data if name == MANIFEST else content)

    return change


def twice(archive: zipfile.ZipFile, entries: list[tuple[str, bytes]]) -> None:
    for name, content in [*entries, entries[-1]]:
        archive.writestr(name, content)


def named(name: str) -> Callable[[zipfile.ZipFile, list[tuple[str, bytes]]], None]:
    def change(archive: zipfile.ZipFile, entries: list[tuple[str, bytes]]) -> None:
        for known, content in entries:
            archive.writestr(known if known == MANIFEST else name, content)

    return change


def bomb(archive: zipfile.ZipFile, entries: list[tuple[str, bytes]]) -> None:
    archive.writestr(*entries[0])
    archive.writestr("bomb.espalier", b" " * (limits.LARGEST_FILE + 1))


WRONG = {
    "twice": (twice, "more than once"),
    "absolute": (named("/etc/one.espalier"), "leads out of it"),
    "outside": (named("a/../../one.espalier"), "leads out of it"),
    "drive": (named("C:one.espalier"), "leads out of it"),
    "bomb": (bomb, "MB are packed in it as"),
    "newer": (with_manifest(manifest(version=2)), "newer Espalier"),
    "another": (with_manifest(b'{"format": "zoo"}'), "“format”"),
    "no text": (with_manifest(b"\xff\xfe\xff"), "it is no text"),
    "no JSON": (with_manifest(b"{"), "line 1"),
    "no id": (with_manifest(manifest(folders=[{"id": "x", "name": "y"}])), "folder 1"),
    "no name": (with_manifest(manifest(folders=[{"id": "0" * 32}])), "folder 1"),
    "deep": (with_manifest(b'{"format":' + b"[" * 100_000 + b"]" * 100_000 + b"}"), ""),
}


@pytest.mark.parametrize("what", WRONG)
def test_what_is_wrong_with_an_archive_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str) -> None:
    monkeypatch.setattr(limits, "LARGEST_FILE", 1 << 20)
    change, words = WRONG[what]
    path = tmp_path / "all.zip"
    save_all(path, [WORK], [document("One")])
    with pytest.warns(UserWarning, match="Duplicate") if what == "twice" else nullcontext():
        rewritten(path, change)
    with pytest.raises(ExchangeError) as told:
        list(FileImport(path))
    assert words in told.value.problem.sentence


def test_an_archive_that_is_broken_anywhere_is_refused_with_a_sentence(tmp_path: Path) -> None:
    """At random: bytes changed or cut; either all of it is read, or the fault is told."""
    path = tmp_path / "all.zip"
    save_all(path, [WORK], [document("One", "words " * 50), document("Two")])
    whole = path.read_bytes()
    for seed in chosen(range(150)):
        rng, data = random.Random(seed), bytearray(whole)
        for _ in range(rng.randint(1, 4)):
            data[rng.randrange(4, len(data))] = rng.randrange(256)
        path.write_bytes(bytes(data[: rng.randint(4, len(data))] if seed % 3 == 0 else data))
        with suppress(ExchangeError):
            assert len(list(FileImport(path))) <= 2
