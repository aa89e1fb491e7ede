"""What a step needs is known before it is taken: too little memory is a sentence, and never the end of the process."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import pytest

from app.engine import step_memory
from app.engine.memory import GIB, Memory
from app.engine.step_memory import StepMemory, sizes_of
from app.prompting.problems import ShortOfMemoryError
from app.protocol.commands import ConfigureDiskCache, Pin, Shutdown, Verify
from app.protocol.events import Pinned, RunFailed, RunFinished, RunStarted, Verified
from app.protocol.reports import Problem
from tests.engine.bench import LONG, Bench, opened, outcome, user
from tests.fakes.model_folder import write_model_folder
from tests.seeds import chosen

ROOT = Path(__file__).parents[2]

LIMITED = """
import gc, os, resource, sys
from app.launch.environment import seal
seal()
import mlx.core as mx
from pathlib import Path
from app.engine.step_memory import StepMemory
from app.protocol.events import RunFailed, RunFinished
from tests.engine.bench import opened, user
bench = opened(Path(sys.argv[1]), chunk=None)
bench.ask(user("hi"))
opened_model = bench.loop.open_model
opened_model.prefill_rate._fixed = 2048
for number, spare in enumerate(int(word) for word in sys.argv[2:]):
    if number % 2:
        opened_model.step_memory = StepMemory(bench.model.sizes, bench.model.memory)
    mx.clear_cache()
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    resource.setrlimit(resource.RLIMIT_AS, (pages * 4096 + (spare << 20), resource.RLIM_INFINITY))
    asked = bench.ask(user(f"{number} " + "the fox and the other fox " * 350), max_tokens=3)
    resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    ended = [event for event in asked.events if isinstance(event, RunFinished | RunFailed)]
    print(spare, type(ended[0]).__name__, getattr(getattr(ended[0], "problem", None), "title", ""), flush=True)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits the address space")
@pytest.mark.parametrize("kind", ["llama", "lfm2"])
def test_too_little_memory_in_the_middle_of_a_prompt_is_a_sentence(tmp_path: Path, kind: str) -> None:
    """Address space is limited to a little more than the process has, below and above what reading needs."""
    folder = write_model_folder(tmp_path / "m", kind=kind, max_position_embeddings=20_000)
    spare = [2, 9, 23, 45, 65, 100, 300]
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, str(folder), *map(str, spare)],
        cwd=ROOT, capture_output=True, text=True, timeout=200, check=False,
    )  # fmt: skip
    lines = done.stdout.splitlines()
    assert done.returncode == 0, f"after {lines}: {done.stderr[-2000:]}"
    assert len(lines) == len(spare)
    assert "RunFailed There is not enough memory to go on" in lines[0]
    assert lines[-1].endswith("RunFinished ")


def test_chunks_shrink_before_anything_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And what was computed until a refusal is kept, with nothing computed again when there is memory again."""
    bench = opened(write_model_folder(tmp_path / "m", kind="lfm2"), chunk=512)
    expected = bench.ask(LONG, temperature=0.0).finished.ids
    for seed in chosen(range(8)):
        dice = random.Random(seed)
        asks = [user(f"{seed} {LONG.text}")]
        left = dice.choice([3_000_000, 1_500_000, 900_000, 700_000, 300_000])
        monkeypatch.setattr(StepMemory, "_free", lambda _self, left=left: left)
        command = bench.command(*asks, temperature=0.0)
        ended = outcome(bench.do(command), command.run_id)
        monkeypatch.undo()
        again = bench.ask(*asks, temperature=0.0)
        assert again.started.request.excess == 0, f"seed {seed}"
        if isinstance(ended, RunFinished):
            continue
        assert isinstance(ended, RunFailed)
        assert "not enough memory" in ended.problem.title
        assert bench.cache.faults == 0
    assert bench.ask(LONG, temperature=0.0).finished.ids == expected


def test_cached_state_is_let_go_before_a_run_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bench = opened(write_model_folder(tmp_path / "m"))
    for number in range(4):
        bench.ask(user(f"{number} {LONG.text}"))
    cache, model = bench.cache, bench.model
    held, budget = cache.paged_bytes, cache.budget_bytes
    assert held
    room = StepMemory(model.sizes, model.memory)
    need = room.need(1, 10, cache)
    monkeypatch.setattr(StepMemory, "_free", lambda _self: need - 1000 + held - cache.paged_bytes)
    assert room.fitting(1, 9, cache) == 1
    assert cache.paged_bytes < held
    assert cache.budget_bytes == budget
    monkeypatch.setattr(StepMemory, "_free", lambda _self: 10)
    with pytest.raises(ShortOfMemoryError, match="next step needs about"):
        room.fitting(512, 9, cache)
    assert cache.paged_bytes == 0


def test_what_was_measured_is_what_the_next_call_is_judged_by(tmp_path: Path) -> None:
    bench = opened(write_model_folder(tmp_path / "m"))
    bench.ask(LONG)
    cache, model = bench.cache, bench.model
    room = StepMemory(model.sizes, Memory(GIB, GIB))
    before = room.need(100, 1000, cache)
    room._measured, room._context = 50_000.0, 1000
    after = room.need(100, 1000, cache)
    assert after != before
    assert after >= 100 * 50_000
    assert room.need(100, 2000, cache) > 1.9 * 100 * 50_000
    assert room.need(50, 1000, cache) < after


def test_the_largest_width_is_found_beside_the_vocabulary() -> None:
    sizes = sizes_of([(1000, 64), (64, 64), (256, 64), (64, 256), (8, 128, 64), (64,)], 4, 1000)
    assert (sizes.widest, sizes.heads, sizes.vocabulary) == (256, 4, 1000)


def test_without_limits_there_is_what_the_machine_has() -> None:
    assert step_memory._available() > 0
    assert step_memory._address_space() > 0


def with_disk(folder: Path, disk: Path) -> Bench:
    bench = Bench()
    bench.do(ConfigureDiskCache(str(disk), 1 << 30))
    bench.open(folder)
    return bench


def restarted(bench: Bench, folder: Path, disk: Path) -> Bench:
    """The program has ended after it had the time to write, and was started again."""
    assert bench.cache.disk is not None
    while bench.cache.disk.tend() or bench.cache.disk.is_saving:
        bench.cache.disk.wait(0.01)
    bench.do(Shutdown())
    return with_disk(folder, disk)


def problem_of(event: object) -> Problem | None:
    problem = getattr(event, "problem", None)
    assert problem is None or isinstance(problem, Problem)
    return problem


@pytest.mark.parametrize("kind", ["llama", "lfm2", "gemma3"])
def test_whatever_memory_there_is_each_command_ends_and_the_engine_lives(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    """Runs, pins and checks over state in memory and on disk; what there is changes at random, at every look."""
    folder, disk = write_model_folder(tmp_path / "m", kind=kind), tmp_path / "disk"
    bench, titles = with_disk(folder, disk), set[str]()
    branches = [(LONG,), (user("and " + LONG.text),), (LONG, user("And then?"))]
    expected = [bench.ask(*branch, temperature=0.0).finished.ids for branch in branches]
    for seed in chosen(range(16)):
        dice = random.Random(seed)
        if seed % 4 == 1:
            bench = restarted(bench, folder, disk)
        branch = dice.choice(branches)
        command = dice.choice([bench.command(*branch, temperature=0.0), Pin(seed, branch, True), Verify(seed, branch)])
        amounts = [dice.choice([0, 30_000, 200_000, 1_000_000, 1 << 40]) for _ in range(3)]
        monkeypatch.setattr(StepMemory, "_free", lambda _self, dice=dice, amounts=amounts: dice.choice(amounts))
        events = bench.do(command)
        monkeypatch.undo()
        ended = [event for event in events if isinstance(event, RunFinished | RunFailed | Pinned | Verified)]
        assert len(ended) == 1, f"seed {seed}"
        problem = problem_of(ended[0])
        titles.add(problem.title if problem is not None else "")
        assert problem is None or "not enough memory" in problem.title or "There is nothing to" in problem.title
        bench.do(Pin(seed, branch, False))
        assert bench.cache.faults == 0
    for branch, ids in zip(branches, expected, strict=True):
        assert bench.ask(*branch, temperature=0.0).finished.ids == ids
    assert "" in titles
    assert len(titles) > 1
    bench.do(Shutdown())


@pytest.mark.parametrize(
    ("command", "title"),
    [
        (Pin(1, (LONG,), True), "There is not enough memory to pin it"),
        (Verify(1, (LONG,)), "There is not enough memory to check this"),
    ],
)
def test_what_answers_nobody_lets_nothing_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: Pin | Verify, title: str
) -> None:
    folder, disk = write_model_folder(tmp_path / "m"), tmp_path / "disk"
    bench = with_disk(folder, disk)
    bench.ask(LONG)
    bench = restarted(bench, folder, disk)
    bench.ask(user("something else"))
    cache = bench.cache
    held = cache.paged_bytes, cache.live_bytes
    reading = len(LONG.text) * step_memory._CHARACTER
    monkeypatch.setattr(StepMemory, "_free", lambda _self: reading)
    [event] = [event for event in bench.do(command) if isinstance(event, Pinned | Verified)]
    assert event.problem is not None
    assert event.problem.title == title
    assert (cache.paged_bytes, cache.live_bytes) == held
    monkeypatch.setattr(StepMemory, "_free", lambda _self: reading - 1)
    [event] = [event for event in bench.do(command) if isinstance(event, Pinned | Verified)]
    assert event.problem is not None
    assert event.problem.title == "There is not enough memory to go on"
    bench.do(Shutdown())


def test_a_run_that_cannot_restore_its_branch_does_not_begin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, disk = write_model_folder(tmp_path / "m"), tmp_path / "disk"
    bench = with_disk(folder, disk)
    bench.ask(LONG)
    bench = restarted(bench, folder, disk)
    monkeypatch.setattr(StepMemory, "_free", lambda _self: len(LONG.text) * step_memory._CHARACTER)
    asked = bench.ask(LONG)
    assert asked.failed.problem.title == "There is not enough memory to go on"
    assert not [event for event in asked.events if isinstance(event, RunStarted)]
    monkeypatch.undo()
    assert bench.ask(LONG).started.request.excess == 0
    bench.do(Shutdown())


def test_a_run_goes_on_without_what_cannot_be_restored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where there is room to compute and none to hold two branches, the one that is left is not stored."""
    bench = opened(write_model_folder(tmp_path / "m"))
    first, second = LONG, user("other words " + LONG.text)
    expected = bench.ask(first, temperature=0.0).finished.ids
    bench.ask(second, temperature=0.0)
    cache, model = bench.cache, bench.model
    prompt = model.prompts.build((first,)).ids
    room = StepMemory(model.sizes, model.memory)
    assert cache.bytes_to_enter(prompt)
    monkeypatch.setattr(
        StepMemory, "_free", lambda _self: 0 if cache.paged_bytes or cache.active.offset > 20 else 1 << 30
    )
    room.make_room_to_enter(prompt, cache)
    monkeypatch.undo()
    assert cache.paged_bytes == 0
    assert bench.ask(first, temperature=0.0).finished.ids == expected
