"""Sessions that are killed at random moments, and what must be found afterwards; for the tests and for the soak.

Every session goes on with the folder that the one before left when it was killed. What is looked at is a copy, so that
the next session meets the files as the kill left them.
"""

from __future__ import annotations

import json
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from array import array
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from app.conversation.message import Message
from app.conversation.schema import VERSION_1, migrate
from app.conversation.store import Store
from app.kvcache.disk import files, index
from app.kvcache.disk.files import SnapshotFile
from app.kvcache.disk.index import Entry
from app.launch.paths import paths_in
from app.protocol.commands import ConfigureDiskCache, Shutdown, Verify
from app.protocol.events import Verified
from tests.engine.bench import Bench
from tests.fakes.model_folder import write_model_folder
from tests.scenarios.session_events import Told

ROOT = Path(__file__).parents[2]
PHASES = ("typing", "streaming", "forking", "paging", "quitting", "again", "walking", "streaming")
KINDS = ("llama", "lfm2", "gemma3", "mamba2", "falcon_h1")
SAVED_EVERY = 1.0  # seconds
BRANCHES = 3  # that are looked at after each kill
DRIFT = 1e-3  # of a logit, against computing a branch in one pass in float32
OPENING = """
import sys, time
from pathlib import Path
from app.conversation.store import Store
print("opening", flush=True)
store = Store(Path(sys.argv[1]))
print("opened", flush=True)
time.sleep(60)
"""
PATIENCE = 60.0  # seconds for a session to come to the phase that was chosen


class Session:
    """One run of the program. It begins when it is told where; until then it imports."""

    def __init__(self) -> None:
        command = [sys.executable, "-m", "tests.scenarios.killed_session"]
        self._process = subprocess.Popen(
            command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        self.told = Told()

    def run(self, data: Path, model: Path, phase: str, rng: random.Random, first: int) -> None:
        """Kill it shortly after it began to do this for the first or second time."""
        assert self._process.stdin is not None
        about = {"data": str(data), "model": str(model), "seed": rng.randrange(1 << 30), "first": first, "wants": phase}
        self._process.stdin.write(json.dumps(about) + "\n")
        self._process.stdin.flush()
        left = rng.randint(1, 2)
        deadline = time.monotonic() + PATIENCE
        for line in self._lines():
            self.told.take(line)
            left -= line["kind"] == "doing" and line["what"] == phase
            if left <= 0 or time.monotonic() > deadline or line.get("what") == "quitting":
                break
        time.sleep(rng.random() ** 2 * 0.8)
        self.kill()

    def kill(self) -> None:
        """End it at once, and hear what it had still said."""
        self.told.killed_at = time.monotonic()
        self._process.send_signal(signal.SIGKILL)
        for line in self._lines():
            self.told.take(line)
        assert self._process.stderr is not None
        errors = self._process.stderr.read()
        status = self._process.wait()
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            if stream is not None:
                stream.close()
        assert status in (0, -signal.SIGKILL), f"the session ended by itself with {status}:\n{errors}"
        assert "Traceback" not in errors, errors

    def _lines(self) -> Iterator[dict[str, Any]]:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if line.endswith("\n"):
                yield json.loads(line)


def kill_many(folder: Path, kills: int, seed: int, kind: str = "", branches: int = BRANCHES) -> list[str]:
    """Kill so many sessions over one folder. Returns what each was doing. AssertionError where something was lost."""
    rng = random.Random(seed)
    kind = kind or rng.choice(KINDS)
    model = write_model_folder(folder / "model", kind=kind)
    data = folder / "data"
    before: dict[str, Message] = {}
    done = []
    session = Session()
    for number in range(kills):
        phase = PHASES[number % len(PHASES)]
        session.run(data, model, phase, rng, first=number * 1000)
        told, session = session.told, Session()
        try:
            with copied(data) as copy:
                before = conversations_hold(copy, told, before)
                cache_holds(copy, model, told, branches)
        except AssertionError as error:
            session.kill()
            raise AssertionError(f"kill {number} of seed {seed} ({kind}, {phase}): {error}") from error
        done.append(told.doing)
    session.kill()
    return done


def kill_migrations(folder: Path, kills: int, seed: int, messages: int = 3000) -> int:
    """Kill so many programs while they bring a database of version 1 up to date. Returns how many had not ended it.

    AssertionError when anything is missing afterwards, or the copy that is kept of the old one is not whole.
    """
    rng = random.Random(seed)
    old = folder / "old.db"
    texts = old_database(old, messages)
    usual = migration_seconds(folder / "whole", old, None)
    unfinished = 0
    for number in range(kills):
        place = folder / f"killed-{number}"
        migration_seconds(place, old, rng.random() * usual)
        path = place / "conversations.db"
        with sqlite3.connect(path) as database:
            unfinished += database.execute("PRAGMA user_version").fetchone() == (1,)
        database.close()
        copy = path.with_name("conversations.version-1.db")
        for held in [path, *([copy] if copy.exists() else [])]:
            store = Store(held)
            found = {one.text for known in store.conversations.all() for one in store.messages.of(known.id)}
            notice = store.notice
            store.close()
            assert (notice, found) == (None, texts), f"kill {number} of seed {seed}: {notice}, {len(found)} messages"
        assert copy.exists(), f"kill {number} of seed {seed}: no copy of the old database is kept"
        shutil.rmtree(place)
    return unfinished


def old_database(path: Path, messages: int) -> set[str]:
    """A database of version 1, a single long branch. Returns its texts."""
    texts = [f"{number}: {'the fox and the branch ' * 40}" for number in range(messages)]
    with sqlite3.connect(path, isolation_level=None) as database:
        database.execute("PRAGMA journal_mode = WAL")
        migrate(database, None, (VERSION_1,))
        database.execute("BEGIN")
        database.execute(
            "INSERT INTO conversation (id, title, created, updated) VALUES (?, 'Old', 1.0, 1.0)", ("0" * 32,)
        )
        for number, text in enumerate(texts, 1):
            values = f"{number:032x}", number - 1 or None, "user" if number % 2 else "assistant", text, float(number)
            database.execute(
                "INSERT INTO message (id, conversation, parent, role, text, created, visited, stop)"
                " VALUES (?1, 1, ?2, ?3, ?4, ?5, 1, iif(?3 = 'assistant', 'finished', NULL))",
                values,
            )
        database.execute(f"UPDATE conversation SET leaf = {messages}")
        database.execute("COMMIT")
    database.close()
    return set(texts)


def migration_seconds(place: Path, old: Path, killed_after: float | None) -> float:
    """Let a program open a copy of this database, until it is killed or done. Returns how long opening took."""
    place.mkdir()
    shutil.copy(old, place / "conversations.db")
    command = [sys.executable, "-c", OPENING, str(place / "conversations.db")]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "opening\n"
        begun = time.monotonic()
        if killed_after is None:
            assert child.stdout.readline() == "opened\n"
        else:
            time.sleep(killed_after)
        seconds = time.monotonic() - begun
        child.kill()
    return seconds


@contextmanager
def copied(data: Path) -> Iterator[Path]:
    copy = data.with_name("copy")
    shutil.copytree(data, copy)
    try:
        yield copy
    finally:
        shutil.rmtree(copy)


def conversations_hold(data: Path, told: Told, before: dict[str, Message]) -> dict[str, Message]:
    """Nothing that was acknowledged is missing, and nothing that was there has changed. Returns what is there now."""
    path = paths_in(data).database
    if not path.exists():
        assert not told.asked, "questions were answered that nobody stored"
        return {}
    store = Store(path)
    try:
        assert store.notice is None, store.notice
        messages = {one.id: one for found in store.conversations.all() for one in store.messages.of(found.id)}
    finally:
        store.close()
    with sqlite3.connect(path) as database:
        assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    database.close()
    assert not list(data.glob("*damaged*")), "the database was taken for damaged"
    assert not told.notices, told.notices
    for old in before.values():
        now = messages[old.id]
        assert (now.text, now.stop) == (old.text, old.stop), f"{old} became {now}"
    questions = {(one.conversation_id, one.text) for one in messages.values() if one.role == "user"}
    lost = [asked for asked in told.asked if asked not in questions]
    assert not lost, f"questions are lost: {lost}"
    told.check_siblings(messages)
    for message_id in told.answers:
        told.check_answer(message_id, messages[message_id].text if message_id in messages else "", SAVED_EVERY)
    return messages


def cache_holds(data: Path, model: Path, told: Told, branches: int) -> None:
    """What was on disk is there, at most what was being written is not, and none of it gives another token."""
    snapshots = paths_in(data).snapshots
    whole = sum(len(files.sweep(folder)) for folder in snapshots.glob("*"))
    early = [nbytes for folder in snapshots.glob("*") for nbytes in states_without_rows(folder)]
    bench = Bench()
    bench.do(ConfigureDiskCache(str(snapshots)))
    bench.open(model)
    cache = bench.cache
    assert cache.disk is not None
    opened = bench.model
    early = early if cache.paths.has_rows else []
    dropped = cache.disk.dropped - len(early)
    assert dropped <= 1, f"{dropped} of {whole} files are of no use after a kill, and {len(early)} states without rows"
    kept = cache.disk.nbytes + sum(early)
    assert kept >= told.kept, f"{told.kept} bytes were on disk, {kept} are"
    compare_branches(bench, data, opened.fingerprint, branches)
    assert cache.faults == 0
    bench.do(Shutdown())


def states_without_rows(folder: Path) -> list[int]:
    """Bytes of each state that left memory before the rows that lead to it, which are written at the answer's end.

    Rows on the far side of those that are missing are none of that: they would have been written before their turn.
    """
    found = [index.read_entry(SnapshotFile(folder / name)) for name in files.sweep(folder)]
    rows = [(entry, path) for entry, path in found if entry.kind == "rows"]
    return [entry.nbytes for entry, path in found if entry.kind == "state" and is_ahead(entry, path, rows)]


def is_ahead(state: Entry, path: array[int], rows: Sequence[tuple[Entry, array[int]]]) -> bool:
    """Whether the rows that lead to a state end before it does, wherever that is."""
    parts = sorted((one.start, min(one.end, shared(its, path))) for one, its in rows)
    covered = 0
    for start, end in parts:
        covered = end if start <= covered < end else covered
    return covered < state.end and not any(covered < start < end for start, end in parts)


def shared(tokens: array[int], path: array[int]) -> int:
    """How many tokens two paths have in common."""
    both = min(len(tokens), len(path))
    return next((at for at in range(both) if tokens[at] != path[at]), both)


def compare_branches(bench: Bench, data: Path, fingerprint: str, count: int) -> None:
    """The last branches, restored from disk, give what computing them again gives."""
    path = paths_in(data).database
    if not path.exists():
        return
    store = Store(path)
    paths = [store.messages.load(found.id).path for found in store.conversations.all()[:count]]
    store.close()
    for number, branch in enumerate(paths):
        ended = [message for message in branch if not message.is_unfinished]
        if not ended:
            continue
        turns = tuple(message.turn(fingerprint) for message in ended)
        (found,) = [event for event in bench.do(Verify(number, turns)) if isinstance(event, Verified)]
        assert found.is_exact or found.problem is not None, f"{found} of {ended[-1]}"
        assert found.drift < DRIFT, f"{found} of {ended[-1]}"
