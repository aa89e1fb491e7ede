"""What a restart costs: going on with a branch that lies on disk, opening the index of many nodes, and quitting.

Run as `python -m tests.bench.restart`; writes build/bench/restart.json. Each branch is written by a process that ends
and read by another one, where starts from disk and from nothing take turns.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from array import array
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random
from statistics import median
from typing import Any
from unittest.mock import patch

import tests.sealed  # noqa: F401 - as the processes that it starts
from app.kvcache.disk import files, index
from app.kvcache.disk.identity import Identity
from app.kvcache.disk.index import Entry, Kind
from tests.bench.folders import KINDS, model_folder
from tests.bench.report import machine, say, write
from tests.kvcache import ledger
from tests.kvcache.disk.samples import OnPath, listed
from tests.kvcache.ledger import ledger_cache

ROOT = Path(__file__).parents[2]
TOKENS = 4000
PAIRS = 3
UNWRITTEN = 24_000  # tokens of 16 KiB each
NODES = 1000
EDGE = 64  # tokens
FILE_BYTES = 1024
FILES: tuple[Kind, ...] = ("rows", "state")  # of a node
RATIO = 10
INDEX_MS = 200.0
QUIT_S = 2.0


@dataclass(frozen=True, slots=True)
class Row:
    """Milliseconds to the first token, medians. tokens: of the prompt. excess: the most that was computed again."""

    kind: str
    tokens: int
    cold_ms: float
    warm_ms: float
    excess: int

    @property
    def is_kept(self) -> bool:
        return self.excess == 0 and self.cold_ms >= RATIO * self.warm_ms


def restarted(kind: str, tokens: int, pairs: int, folder: Path) -> tuple[Row, float]:
    """A branch of this kind before and after a restart; and the seconds that quitting took."""
    model = model_folder(kind, folder / "model")
    quit_s: float = process("write", model, folder, tokens)["quit_s"]
    found = process("read", model, folder, pairs)
    cold, warm = median(found["cold"]), median(found["warm"])
    return Row(kind, found["tokens"], round(cold, 1), round(warm, 1), max(found["excess"])), quit_s


def process(role: str, model: Path, folder: Path, number: int) -> Any:
    """What a process of its own tells, see `restart_child`."""
    told = folder / "told.json"
    arguments = [role, str(model), str(folder / "snapshots"), str(told), str(number)]
    subprocess.run([sys.executable, "-m", "tests.bench.restart_child", *arguments], cwd=ROOT, check=True)
    return json.loads(told.read_text(encoding="utf-8"))


def quit_seconds(tokens: int, folder: Path) -> float:
    """How long quitting takes with more unwritten than the time is enough for."""
    found: float = process("leave", model_folder("heavy", folder / "model"), folder, tokens)["quit_s"]
    return found


def index_ms(nodes: int, root: Path) -> float:
    """Milliseconds to open the snapshots of a trie of so many nodes, each with rows and a whole state on disk.

    There is nothing in the files: whoever looks into one finds it damaged. Raises RuntimeError when the trie is not
    the one that the index tells of, as it is then.
    """
    folder = root / "model"
    files.prepare(folder)
    files.write_index(folder, index.save(listed(forest(nodes, folder))))
    cache, _ = ledger_cache("R")
    begun = time.perf_counter()
    with patch.object(ledger, "VOCABULARY", nodes + EDGE):  # each edge begins with a token of its own
        cache.open_disk(root, "model", 1 << 40)
    milliseconds = (time.perf_counter() - begun) * 1000
    held = sum(bool(node.stored.disk_rows and node.stored.disk_state) for node in cache.trie)
    cache.close_disk(0)
    if held != nodes:
        raise RuntimeError(f"{held} of {nodes} nodes hang")
    return milliseconds


def forest(nodes: int, folder: Path) -> Iterator[OnPath]:
    """Conversations that fork now and then, in edges of 64 tokens, each with a file of rows and one of a state."""
    random = Random(1)
    paths, identities = [array("i")], [Identity()]
    for number in range(1, nodes + 1):
        is_long = len(paths[-1]) >= TOKENS
        at = random.randrange(len(paths)) if is_long or random.random() < 0.2 else -1
        above, runs = paths[at], ((random.randbytes(16).hex(), len(paths[at])),)
        before = identities[at]
        identities.append(before.then(runs))
        path = above + array("i", (number, *(random.randrange(60) for _ in range(EDGE - 1))))
        paths.append(path)
        for kind in FILES:
            name = f"{random.randbytes(32).hex()}{files.SUFFIX}"
            (folder / name).write_bytes(bytes(FILE_BYTES))
            is_rows = kind == "rows"
            made_by = (runs, before.text) if is_rows else ((), identities[-1].text)
            about = 1.0, number, time.time(), ("one",), *made_by
            yield Entry(name, FILE_BYTES, kind, len(above), len(path), *about), path


def line(row: Row) -> str:
    times = f"{row.cold_ms:.0f} ms from nothing, {row.warm_ms:.0f} ms from disk: {row.cold_ms / row.warm_ms:.0f} times"
    return f"{row.kind}: {row.tokens} tokens, {times}, excess {row.excess}{'' if row.is_kept else '  NOT KEPT'}"


def measure(kinds: tuple[str, ...], tokens: int, pairs: int, unwritten: int, nodes: int) -> tuple[dict[str, Any], bool]:
    """The figures, and whether what is promised of them is kept."""
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        quits = [quit_seconds(unwritten, folder / "heavy")]
        for kind in kinds:
            row, seconds = restarted(kind, tokens, pairs, folder / kind)
            rows.append(row)
            quits.append(seconds)
            say(line(row))
        opening = median(index_ms(nodes, folder / f"index {turn}") for turn in range(3))
    say(f"{nodes} nodes: opened in {opening:.0f} ms, at most {INDEX_MS:.0f}")
    say(f"quitting: {max(quits):.2f} s, at most {QUIT_S:.0f}")
    figures = {
        "rows": [asdict(row) for row in rows],
        "index_1000_ms": round(opening, 1),
        "quit_s": round(max(quits), 3),
    }
    return figures, all(row.is_kept for row in rows) and opening <= INDEX_MS and max(quits) <= QUIT_S


def main(arguments: list[str] | None = None) -> int:
    """Measure everything; 1 when a promise is not kept."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.restart")
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=KINDS)
    parser.add_argument("--tokens", type=int, default=TOKENS, help="of each branch")
    parser.add_argument("--pairs", type=int, default=PAIRS, help="of starts from disk and from nothing")
    options = parser.parse_args(arguments)
    figures, is_kept = measure(tuple(options.kinds), options.tokens, options.pairs, UNWRITTEN, NODES)
    write("restart.json", {"machine": machine(), **figures})
    return 0 if is_kept else 1


if __name__ == "__main__":
    sys.exit(main())
