"""Snapshot files as the cache writes them, in small; and every way in which a disk may change one."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable
from pathlib import Path
from random import Random

from app.kvcache.disk import files
from app.kvcache.disk.files import DamagedFileError, SnapshotFile, Tensor
from app.kvcache.disk.index import Entry, Listed, path_tensor
from app.protocol.sequences import count_common

OnPath = tuple[Entry, "array[int]"]  # tokens [0, end)


def path_of(random: Random, length: int) -> array[int]:
    return array("i", (random.randrange(150_000) for _ in range(length)))


def tensors_of(random: Random, layers: int = 2, rows: int = 8) -> list[Tensor]:
    """Keys and values in bfloat16 and a state in float32, any bits."""
    made = [Tensor(f"rows.{at}", "BF16", (1, 2, rows, 4), random.randbytes(16 * rows)) for at in range(layers)]
    return [*made, Tensor("state.0", "F32", (1, 3), random.randbytes(12))]


def entries_of(random: Random, count: int, fresh: int = 5) -> list[OnPath]:
    """Entries of a trie that forks anywhere, not written yet."""
    paths = [array("i")]
    entries: list[OnPath] = []
    while len(entries) < count:
        above = random.choice(paths)
        paths.append(above + path_of(random, random.randint(1, fresh)))
        kind, uses = random.choice(("rows", "state")), random.random() * 9
        owners = tuple(random.sample(("ann", "ben", "cay"), random.randrange(3)))
        runs = ((random.randbytes(16).hex(), len(above)),) if kind == "rows" else ()
        made_by = runs, random.randbytes(32).hex()
        ends, times = (len(above), len(paths[-1])), (uses, len(entries), 1.8e9 + uses)
        entries.append((Entry("", 0, kind, *ends, *times, owners, *made_by), paths[-1]))
    return entries


def by_path(entries: Iterable[OnPath]) -> list[OnPath]:
    return sorted(entries, key=lambda pair: pair[1].tobytes())


def listed(entries: Iterable[OnPath]) -> list[Listed]:
    """The same as an index takes them."""
    found, before = [], array("i")
    for entry, path in by_path(entries):
        shared = count_common(before, path[: len(before)])
        found.append(Listed(entry, shared, path[shared:]))
        before = path
    return found


def on_paths(entries: Iterable[Listed]) -> list[OnPath]:
    """Entries of an index with their whole paths."""
    found, path = [], array("i")
    for entry, shared, fresh in entries:
        path = path[:shared] + fresh
        found.append((entry, path))
    return found


def written(folder: Path, entry: Entry, path: array[int], random: Random) -> Entry:
    """The same entry with its file."""
    file = files.write(folder, [path_tensor(path), *tensors_of(random)], entry.about)
    return entry._replace(name=file.name, nbytes=file.nbytes)


def _flip(data: bytes, random: Random, _other: bytes) -> bytes:
    at, changed = random.randrange(len(data)), bytearray(data)
    changed[at] ^= 1 << random.randrange(8)
    return bytes(changed)


def _flip_early(data: bytes, random: Random, other: bytes) -> bytes:
    """Where the header lies, which is read before anything was verified."""
    return _flip(data[:400], random, other) + data[400:]


def _cut(data: bytes, random: Random, _other: bytes) -> bytes:
    return data[: random.randrange(len(data))]


def _zero(data: bytes, random: Random, _other: bytes) -> bytes:
    start = random.randrange(len(data))
    end = min(start + random.choice((1, 8, 64, 512, 4096)), len(data))
    return data[:start] + bytes(end - start) + data[end:]


def _zero_all(data: bytes, _random: Random, _other: bytes) -> bytes:
    """What a power cut leaves of a file that was never synced."""
    return bytes(len(data))


def _lengthen(data: bytes, random: Random, _other: bytes) -> bytes:
    return data + random.randbytes(random.randint(1, 600))


def _scramble(data: bytes, random: Random, _other: bytes) -> bytes:
    start = random.randrange(len(data))
    noise = random.randbytes(min(random.randint(1, 64), len(data) - start))
    return data[:start] + noise + data[start + len(noise) :]


def _move(data: bytes, random: Random, _other: bytes) -> bytes:
    """A block that was written to the wrong place."""
    start, end = sorted(random.randrange(len(data)) for _ in range(2))
    return data[start:end] + data[end - start :]


def _swap(_data: bytes, _random: Random, other: bytes) -> bytes:
    """Another whole file under this name."""
    return other


def _mix(data: bytes, random: Random, other: bytes) -> bytes:
    at = random.randrange(len(data))
    return data[:at] + other[at:]


DAMAGES: tuple[Callable[[bytes, Random, bytes], bytes], ...] = (
    _flip,
    _flip_early,
    _cut,
    _zero,
    _zero_all,
    _lengthen,
    _scramble,
    _move,
    _swap,
    _mix,
)


def corrupt(folder: Path, count: int, seed: int) -> int:
    """Damage snapshot files `count` times. Returns how often that was detected before anything of a file was used.

    Raises AssertionError when a file passes whose bytes are not the ones that were written.
    """
    random = Random(seed)
    names = [written(folder, *pair, random).name for pair in entries_of(random, 12, fresh=40)]
    detected = 0
    for number in range(count):
        path, other = folder / random.choice(names), folder / random.choice(names)
        whole = path.read_bytes()
        path.write_bytes(DAMAGES[number % len(DAMAGES)](whole, random, other.read_bytes()))
        if is_refused(path):
            detected += 1
        else:
            assert path.read_bytes() == whole, f"seed {seed}, damage {number} of {count} was not seen"
        path.write_bytes(whole)
    return detected


def is_refused(path: Path) -> bool:
    """Whether a file is found to be damaged, in the order in which the cache looks at it."""
    try:
        SnapshotFile(path).verify()
    except DamagedFileError:
        return True
    return False
