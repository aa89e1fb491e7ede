"""Files with the right name and checksum that hold something else: time is lost, nothing breaks, no token is wrong."""

from __future__ import annotations

import hashlib
import json
import random
import shutil
import struct
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from app.kvcache.disk import files
from app.kvcache.prefix_cache import PrefixCache
from app.kvcache.view import EdgeLabel, view
from tests.kvcache.comparison import cache_of, require_same
from tests.kvcache.disk.restarts import close_all, tier_of, to_close, write_everything
from tests.kvcache.disk.test_saving import ask, words
from tests.seeds import chosen

KINDS = ["falcon_h1", "gemma3", "deepseek_v3", "mamba2"]
ODD: list[Any] = [
    "", "x", "nan", "-1", "1e999", "9" * 400, "٣", "\ud800", "rows", "state", "5", -1, 0, 3, 2**70, 1e308, float("nan"),
    float("inf"), None, True, [], [1], {}, {"a": 1}, [[[]]], "0.0", "9" * 5000, [-1, -1], "a:1 b:2",
]  # fmt: skip

Header = dict[str, Any]
Parts = tuple[Header, bytes]


@pytest.fixture(autouse=True)
def _closed() -> Iterator[None]:
    yield
    close_all()


def opened(kind: str, root: Path) -> PrefixCache:
    cache = cache_of(kind)
    cache.grid = 0
    cache.open_disk(root, "model", 1 << 30, True)
    to_close(cache)
    return cache


def parts_of(path: Path) -> Parts:
    data = path.read_bytes()
    length = struct.unpack("<Q", data[:8])[0]
    return json.loads(data[8 : 8 + length]), data[8 + length :]


def signed(folder: Path, header: bytes, data: bytes) -> None:
    """A file under the name that its content asks for."""
    whole = struct.pack("<Q", len(header)) + header + data
    (folder / (hashlib.sha256(whole).hexdigest() + files.SUFFIX)).write_bytes(whole)


def about(header: Header, data: bytes, generator: random.Random) -> Parts:
    told = header["__metadata__"]
    key = generator.choice([*told, "more"])
    told[key] = generator.choice(ODD)
    if generator.random() < 0.2:
        del told[key]
    return header, data


def entry(header: Header, data: bytes, generator: random.Random) -> Parts:
    one = header[generator.choice([*header])]
    one[generator.choice([*one])] = generator.choice(ODD)
    return header, data


def renamed(header: Header, data: bytes, generator: random.Random) -> Parts:
    name = generator.choice([*header])
    header[generator.choice(["9.0", "0.7", "x.y", "0", "0.0.0", "-1.0", "٣.0", "path", "record"])] = header.pop(name)
    return header, data


def reshaped(header: Header, data: bytes, generator: random.Random) -> Parts:
    one = header[generator.choice([name for name in header if name != "__metadata__"])]
    shape = one["shape"]
    generator.shuffle(shape)
    if generator.random() < 0.5:
        one["shape"] = generator.choice([[*shape, 1], [1, *shape], shape[::-1], [-size for size in shape]])
    return header, data


def retyped(header: Header, data: bytes, generator: random.Random) -> Parts:
    one = header[generator.choice([name for name in header if name != "__metadata__"])]
    one["dtype"] = generator.choice({"F32": ["I32", "U32"], "I32": ["F32", "U32"]}.get(one["dtype"], ["F32"]))
    return header, data


def without_layers(header: Header, data: bytes, generator: random.Random) -> Parts:
    """Whole and sound, but for a tensor that is missing, or one that is cut in half."""
    kept, held = {"__metadata__": header.pop("__metadata__")}, b""
    gone = generator.choice([*header])
    for name, one in sorted(header.items(), key=lambda item: item[1]["data_offsets"]):
        part = data[slice(*one["data_offsets"])]
        if name == gone:
            size = len(part) // (one["shape"][-1] or 1)
            if generator.random() < 0.5:
                continue
            one["shape"][-1] -= 1
            part = part[: len(part) - size]
        kept[name] = {**one, "data_offsets": [len(held), len(held) + len(part)]}
        held += part
    return kept, held


MUTATIONS: list[Callable[[Header, bytes, random.Random], Parts]] = [
    about, about, entry, renamed, reshaped, retyped, without_layers, without_layers,
]  # fmt: skip


def integers(header: Header, data: bytes, generator: random.Random) -> Parts:
    """Tokens of the path, or of the record of calls, are others."""
    start, end = header[generator.choice(["path", "record"])]["data_offsets"]
    at = generator.randrange(start, end, 4)
    odd = generator.choice([-1, -(2**31), 2**31 - 1, 64, 0, 1, generator.randrange(100)])
    return header, data[:at] + struct.pack("<i", odd) + data[at + 4 :]


def mutate(folder: Path, generator: random.Random, choices: list[Callable[..., Parts]]) -> None:
    for path in sorted(folder.glob("*.safetensors")):
        if generator.random() < 0.6:
            header, data = generator.choice(choices)(*parts_of(path), generator)
            text = json.dumps(header).encode() if generator.random() < 0.97 else b"[" * 100_000
            path.unlink()
            signed(folder, text, data)


def mutate_index(folder: Path, generator: random.Random) -> None:
    """Signed again, so that it is read."""
    data = (folder / files.INDEX).read_bytes()
    title, body = data[: data.index(b"\n") + 1], data[data.index(b"\n") + 33 :]
    length = struct.unpack("<Q", body[:8])[0]
    rows = json.loads(body[8 : 8 + length])
    row = generator.choice(rows)
    row[generator.randrange(len(row))] = generator.choice(ODD)
    if generator.random() < 0.2:
        rows[generator.randrange(len(rows))] = generator.choice(ODD)
    text = json.dumps(rows).encode() if generator.random() < 0.9 else b"[" * 100_000
    tokens = bytearray(body[8 + length :])
    tokens[generator.randrange(len(tokens))] ^= 128
    body = struct.pack("<Q", len(text)) + text + bytes(tokens if generator.random() < 0.3 else body[8 + length :])
    (folder / files.INDEX).write_bytes(title + hashlib.sha256(body).digest() + body)


def written(kind: str, root: Path) -> list[int]:
    """A conversation on disk. Returns its tokens."""
    generator = random.Random(1)
    cache = opened(kind, root)
    _, one, _ = ask(cache, words(generator, 30), words(generator, 5), 16, [12, 29])
    _, two, _ = ask(cache, [*one, *words(generator, 20)], words(generator, 5), 3, [40])
    write_everything(cache)
    cache.close_disk(2)
    return two


@pytest.mark.parametrize("kind", KINDS)
def test_whatever_stands_in_the_files_no_answer_is_wrong(kind: str, tmp_path: Path) -> None:
    tokens = written(kind, tmp_path / "whole")
    for seed in chosen(range(8)):
        generator, root = random.Random(seed), tmp_path / str(seed)
        shutil.copytree(tmp_path / "whole", root)
        folder = root / "model"
        is_record = seed % 4 == 3
        if seed % 3:
            mutate(folder, generator, [integers] if is_record else MUTATIONS)
        if seed % 3 != 1:
            mutate_index(folder, generator)
        elif generator.random() < 0.8:
            (folder / files.INDEX).unlink()
        try:
            for prompt in ([*tokens, 5, 6], [*tokens[:20], 7, 8]):
                cache = opened(kind, root)
                view(cache, 1, lambda node: EdgeLabel(str(node.tokens)))
                _, now, fed = ask(cache, prompt, [9, 10], 16, [10])
                if not is_record:
                    require_same(cache, now, fed)
                write_everything(cache)
                cache.close_disk(2)
        except Exception as error:
            raise AssertionError(f"{kind}, seed {seed}") from error


def test_a_file_that_does_not_fit_is_counted_and_told(tmp_path: Path) -> None:
    tokens = written("falcon_h1", tmp_path)
    folder, generator = tmp_path / "model", random.Random(3)
    for path in sorted(folder.glob("*.safetensors")):
        header, data = without_layers(*parts_of(path), generator)
        path.unlink()
        signed(folder, json.dumps(header).encode(), data)
    cache = opened("falcon_h1", tmp_path)
    report, now, fed = ask(cache, [*tokens, 5, 6], [9], 16)
    assert report.cached == 0
    assert cache.faults > 0
    assert tier_of(cache).dropped > 0
    require_same(cache, now, fed)
    write_everything(cache)
    assert tier_of(cache).wait(5)
    cache.close_disk(2)
    cache = opened("falcon_h1", tmp_path)
    assert ask(cache, [*now, 5], [9], 16)[0].excess == 0, "what was computed instead is there"
