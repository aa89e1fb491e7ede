"""The index tells what the files hold, or that it cannot; and it can be made again from the files."""

from __future__ import annotations

from array import array
from pathlib import Path
from random import Random

import pytest

from app.kvcache.disk import files, index
from app.kvcache.disk.files import DamagedFileError, SnapshotFile, Tensor
from app.kvcache.disk.index import Entry
from tests.kvcache.disk.samples import DAMAGES, entries_of, tensors_of, written


def named(entries: list[Entry]) -> list[Entry]:
    return [entry._replace(name=f"{number:064x}.safetensors", nbytes=number) for number, entry in enumerate(entries)]


def by_path(entries: list[Entry]) -> list[Entry]:
    return sorted(entries, key=lambda entry: entry.path.tobytes())


@pytest.mark.parametrize("seed", range(20))
def test_it_reads_back_as_it_was_saved(seed: int) -> None:
    entries = named(entries_of(Random(seed), 40))
    loaded = index.load(index.save(entries))
    assert loaded == by_path(entries)
    assert index.save(loaded) == index.save(entries)
    assert [type(value) for value in loaded[0]] == [type(value) for value in entries[0]]


def test_an_entry_comes_after_those_it_goes_on_from() -> None:
    loaded = index.load(index.save(named(entries_of(Random(1), 200, fresh=2))))
    known = {array("i").tobytes()} | {entry.path.tobytes() for entry in loaded}
    seen = {array("i").tobytes()}
    for entry in loaded:
        above = entry.path[: entry.start].tobytes()
        assert above in seen or above not in known
        seen.add(entry.path.tobytes())


def test_tokens_in_common_are_written_once() -> None:
    chain = array("i", range(1000))
    entries = named(
        [Entry("", 0, "rows", end - 10, chain[:end], runs=(("0" * 32, end - 10),)) for end in range(10, 1001, 10)]
    )
    assert len(index.save(entries)) < 4 * 1000 + 180 * len(entries)
    assert index.load(index.save(entries)) == by_path(entries)


def test_of_nothing_there_is_an_index_too() -> None:
    assert index.load(index.save([])) == []


def test_every_changed_byte_is_seen() -> None:
    data = index.save(named(entries_of(Random(2), 6)))
    for at in range(len(data)):
        changed = bytearray(data)
        changed[at] ^= 0x40
        with pytest.raises(ValueError, match="index"):
            index.load(bytes(changed))
        with pytest.raises(ValueError, match="index"):
            index.load(data[:at])


def test_every_corruption_is_seen_or_harmless() -> None:
    random = Random(3)
    data, other = (index.save(named(entries_of(random, 30))) for _ in range(2))
    for number in range(200):
        changed = DAMAGES[number % len(DAMAGES)](data, random, other)
        try:
            entries = index.load(changed)
        except ValueError:
            continue
        assert index.save(entries) in (data, other), number


def test_files_say_what_the_index_says(tmp_path: Path) -> None:
    random = Random(4)
    entries = [written(tmp_path, entry, random) for entry in entries_of(random, 25)]
    found = [index.read_entry(SnapshotFile(tmp_path / name)) for name in files.sweep(tmp_path)]
    assert by_path(found) == by_path(entries)
    assert index.save(found) == index.save(entries)


SOUND = Entry("", 0, "state", 2, array("i", (7, 8, 9)), 0.5, 3, 1.8e9)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("kind", "columns"),
        ("start", "3"),
        ("start", "-1"),
        ("start", "two"),
        ("uses", "nan"),
        ("used_at", "inf"),
        ("last_use", "1.5"),
        ("kind", None),
        ("owners", None),
        ("uses", None),
    ],
)
def test_a_file_that_does_not_say_what_it_holds_is_damaged(tmp_path: Path, key: str, value: str | None) -> None:
    about = {**SOUND.about, key: value}
    kept = {name: words for name, words in about.items() if words is not None}
    name = files.write(tmp_path, [index.path_tensor(SOUND.path)], kept).name
    with pytest.raises(DamagedFileError, match="does not say what it holds"):
        index.read_entry(SnapshotFile(tmp_path / name))


def test_a_file_without_a_path_is_damaged(tmp_path: Path) -> None:
    name = files.write(tmp_path, tensors_of(Random(5)), SOUND.about).name
    with pytest.raises(DamagedFileError, match="no tensor “path”"):
        index.read_entry(SnapshotFile(tmp_path / name))
    odd = files.write(tmp_path, [Tensor("path", "U8", (5,), bytes(5))], SOUND.about).name
    with pytest.raises(DamagedFileError, match="does not say what it holds"):
        index.read_entry(SnapshotFile(tmp_path / odd))
