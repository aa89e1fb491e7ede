"""The index tells what the files hold, or that it cannot; and it can be made again from the files."""

from __future__ import annotations

from array import array
from pathlib import Path
from random import Random

import pytest

from app.kvcache.disk import files, index
from app.kvcache.disk.files import DamagedFileError, SnapshotFile, Tensor
from app.kvcache.disk.index import Entry
from tests.kvcache.disk.samples import DAMAGES, OnPath, by_path, entries_of, listed, on_paths, tensors_of, written
from tests.seeds import each_seed


def named(entries: list[OnPath]) -> list[OnPath]:
    return [
        (entry._replace(name=f"{number:064x}.safetensors", nbytes=number), path)
        for number, (entry, path) in enumerate(entries)
    ]


@each_seed(range(20))
def test_it_reads_back_as_it_was_saved(seed: int) -> None:
    entries = named(entries_of(Random(seed), 40))
    loaded = index.load(index.save(listed(entries)))
    assert on_paths(loaded) == by_path(entries)
    assert index.save(loaded) == index.save(listed(entries))
    assert [type(value) for value in loaded[0].entry] == [type(value) for value in entries[0][0]]


def test_an_entry_comes_after_those_it_goes_on_from() -> None:
    loaded = on_paths(index.load(index.save(listed(named(entries_of(Random(1), 200, fresh=2))))))
    known = {array("i").tobytes()} | {path.tobytes() for _, path in loaded}
    seen = {array("i").tobytes()}
    for entry, path in loaded:
        above = path[: entry.start].tobytes()
        assert above in seen or above not in known
        seen.add(path.tobytes())


def test_tokens_in_common_are_written_once() -> None:
    chain = array("i", range(1000))
    entries = named(
        [
            (Entry("", 0, "rows", end - 10, end, runs=(("0" * 32, end - 10),)), chain[:end])
            for end in range(10, 1001, 10)
        ]
    )
    saved = index.save(listed(entries))
    assert len(saved) < 4 * 1000 + 180 * len(entries)
    assert on_paths(index.load(saved)) == by_path(entries)
    assert sum(len(one.fresh) for one in index.load(saved)) == 1000, "nor are they held more than once"


def test_of_nothing_there_is_an_index_too() -> None:
    assert index.load(index.save([])) == []


def test_every_changed_byte_is_seen() -> None:
    data = index.save(listed(named(entries_of(Random(2), 6))))
    for at in range(len(data)):
        changed = bytearray(data)
        changed[at] ^= 0x40
        with pytest.raises(ValueError, match="index"):
            index.load(bytes(changed))
        with pytest.raises(ValueError, match="index"):
            index.load(data[:at])


def test_every_corruption_is_seen_or_harmless() -> None:
    random = Random(3)
    data, other = (index.save(listed(named(entries_of(random, 30)))) for _ in range(2))
    for number in range(200):
        changed = DAMAGES[number % len(DAMAGES)](data, random, other)
        try:
            entries = index.load(changed)
        except ValueError:
            continue
        assert index.save(entries) in (data, other), number


def test_files_say_what_the_index_says(tmp_path: Path) -> None:
    random = Random(4)
    entries = [(written(tmp_path, entry, path, random), path) for entry, path in entries_of(random, 25)]
    found = [index.read_entry(SnapshotFile(tmp_path / name)) for name in files.sweep(tmp_path)]
    assert by_path(found) == by_path(entries)
    assert index.save(listed(found)) == index.save(listed(entries))


PATH = array("i", (7, 8, 9))
SOUND = Entry("", 0, "state", 2, 3, 0.5, 3, 1.8e9)


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
    name = files.write(tmp_path, [index.path_tensor(PATH)], kept).name
    with pytest.raises(DamagedFileError, match="does not say what it holds"):
        index.read_entry(SnapshotFile(tmp_path / name))


def test_a_file_without_a_path_is_damaged(tmp_path: Path) -> None:
    name = files.write(tmp_path, tensors_of(Random(5)), SOUND.about).name
    with pytest.raises(DamagedFileError, match="no tensor “path”"):
        index.read_entry(SnapshotFile(tmp_path / name))
    odd = files.write(tmp_path, [Tensor("path", "U8", (5,), bytes(5))], SOUND.about).name
    with pytest.raises(DamagedFileError, match="does not say what it holds"):
        index.read_entry(SnapshotFile(tmp_path / odd))
