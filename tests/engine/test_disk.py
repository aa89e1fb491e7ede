"""After quitting and starting again a branch goes on where it stood, on the person's own kind of model."""

from __future__ import annotations

import threading
from pathlib import Path
from queue import Queue

import pytest

from app.engine.loop import EngineLoop
from app.protocol.chat import Sampling, Turn
from app.protocol.commands import (
    ClearDiskCache,
    ConfigureDiskCache,
    EraseOwner,
    Generate,
    LoadModel,
    Pin,
    SetBudget,
    Shutdown,
    Verify,
)
from app.protocol.events import Event, Pinned, RunFinished, TrieChanged, Verified
from tests.engine.bench import LONG, Asked, Bench, user
from tests.fakes.model_folder import write_model_folder
from tests.fakes.tiny_models import KINDS

FOLDER_KINDS = [kind for kind in KINDS if kind != "llama_quantized"]  # its caches are made by hand


def opened(folder: Path, disk: Path, writes_all: bool = False) -> Bench:
    bench = Bench()
    bench.do(ConfigureDiskCache(str(disk), 1 << 30, writes_all))
    bench.open(folder)
    return bench


def quit_and_reopen(bench: Bench, folder: Path, disk: Path, writes_all: bool = False) -> Bench:
    """As somebody does who paused before: the engine had the time to write."""
    tier = bench.cache.disk
    assert tier is not None
    while tier.tend() or tier.is_saving:
        tier.wait(0.01)
    bench.do(Shutdown())
    return opened(folder, disk, writes_all)


def branches(bench: Bench) -> list[tuple[Turn, ...]]:
    """Two branches are asked for; what would be asked next on each."""
    first: tuple[Turn, ...] = (LONG,)
    for question in ("And then?", "Why?"):
        first = (*first, bench.ask(*first, max_tokens=9).turn, user(question))
    second = (*first[:2], user("the fox sleeps"))
    return [(*branch, bench.ask(*branch, max_tokens=9).turn, user("?")) for branch in (first, second)]


@pytest.mark.parametrize("kind", FOLDER_KINDS)
def test_every_branch_goes_on_after_a_restart(kind: str, tmp_path: Path) -> None:
    """Excess 0 after any branch's last answer, the same tokens as without a restart, and exact by the record."""
    folder, disk = write_model_folder(tmp_path / "model", kind=kind), tmp_path / "disk"
    stays, bench = Bench(), opened(folder, disk)
    stays.open(folder)
    ends = branches(stays)
    assert branches(bench) == ends
    bench = quit_and_reopen(bench, folder, disk)
    for end in ends:
        asked = bench.ask(*end, max_tokens=6, temperature=0.0)
        assert asked.started.request.excess == 0
        assert asked.started.request.cached > 100
        assert asked.finished.ids == stays.ask(*end, max_tokens=6, temperature=0.0).finished.ids
        (found,) = [event for event in bench.do(Verify(1, end)) if isinstance(event, Verified)]
        assert found.is_exact, found
    assert bench.ask(*ends[0][:2], user("another end"), max_tokens=4).started.request.excess <= 300
    bench.do(Shutdown())


@pytest.mark.parametrize("kind", ["llama", "gemma3", "lfm2", "falcon_h1", "mamba2"])
def test_with_the_filter_off_every_fork_is_free_after_a_restart(kind: str, tmp_path: Path) -> None:
    folder, disk = write_model_folder(tmp_path / "model", kind=kind), tmp_path / "disk"
    bench = opened(folder, disk, writes_all=True)
    turns: tuple[Turn, ...] = (user("hello"),)
    forks = [turns]
    for question in ("And then?", "Why?", "Who?"):
        turns = (*turns, bench.ask(*turns, max_tokens=9).turn)
        forks.append((*turns, user(f"said the fox: {question}")))
        turns = (*turns, user(question))
    bench.ask(*turns, max_tokens=9)
    bench = quit_and_reopen(bench, folder, disk, writes_all=True)
    for fork in (*forks, turns):
        assert bench.ask(*fork, max_tokens=3).started.request.excess == 0
    bench.do(Shutdown())


def test_another_model_reads_nothing_of_it(tmp_path: Path) -> None:
    one, other = (write_model_folder(tmp_path / name, kind="llama", seed=seed) for seed, name in enumerate("ab"))
    bench = opened(one, tmp_path / "disk")
    bench.ask(LONG)
    bench = quit_and_reopen(bench, other, tmp_path / "disk")
    assert bench.ask(LONG).started.request.cached == 0
    bench.open(one)
    assert bench.ask(LONG).started.request.cached > 100, "the first model's files are still there"
    bench.do(Shutdown())


def test_what_is_erased_or_wiped_is_gone_from_the_disk(tmp_path: Path) -> None:
    folder, disk = write_model_folder(tmp_path / "model", kind="lfm2"), tmp_path / "disk"
    bench = opened(folder, disk)
    bench.do(bench.command(LONG, owner="a"))
    kept = (user("hi"), Asked(bench.do(bench.command(user("hi"), owner="b"))).turn, user("?"))
    bench = quit_and_reopen(bench, folder, disk)
    assert list(disk.rglob("*.safetensors"))
    bench.do(EraseOwner("a"))
    assert bench.price(LONG).cached < 10
    assert bench.price(*kept).excess == 0
    bench.do(ClearDiskCache())
    assert bench.price(*kept).cached == 0, "it was on disk only"
    bench.ask(user("hi"))
    bench.do(ClearDiskCache())
    assert not list(disk.rglob("*.safetensors"))
    assert bench.price(user("hi")).excess == 0, "what is in memory stays"
    bench.do(Shutdown())


@pytest.mark.parametrize("is_open", [True, False])
def test_a_conversation_is_erased_from_other_models_files_too(is_open: bool, tmp_path: Path) -> None:
    one, other = (write_model_folder(tmp_path / name, kind="llama", seed=seed) for seed, name in enumerate("ab"))
    disk = tmp_path / "disk"
    bench = opened(one, disk)
    bench.do(bench.command(LONG, owner="a"), bench.command(user("hi"), owner="b"))
    kept = (user("hi"), Asked(bench.do(bench.command(user("hi"), owner="b"))).turn, user("?"))
    bench = quit_and_reopen(bench, other, disk)
    if not is_open:
        bench.do(Shutdown())
        bench = Bench()
        bench.do(ConfigureDiskCache(str(disk), 1 << 30))
    bench.do(EraseOwner("a"))
    if is_open:
        bench.do(Shutdown())
    bench = opened(one, disk)
    assert bench.price(LONG).seen < 10
    assert bench.price(*kept).excess == 0
    bench.do(Shutdown())


@pytest.mark.parametrize("kind", ["llama", "lfm2"])
@pytest.mark.parametrize("opens", ["it", "another", "none"])
def test_the_first_conversation_takes_no_other_one_along(kind: str, opens: str, tmp_path: Path) -> None:
    """They share the first tokens of the template, which lie in one file with the first one's own words."""
    one, other = (write_model_folder(tmp_path / name, kind=kind, seed=seed) for seed, name in enumerate("ab"))
    disk = tmp_path / "disk"
    bench = opened(one, disk)
    asked = {owner: user(f"{owner} asks of pears that keep until spring") for owner in "abc"}
    branches = []
    for owner, question in asked.items():
        branches.append((question, Asked(bench.do(bench.command(question, owner=owner))).turn, user("?")))
        bench.do(Shutdown())  # writes what is not written yet
        bench = opened(one, disk)
    before = [bench.price(*branch).cached for branch in branches]
    if opens == "it":
        bench.do(EraseOwner("a"), Shutdown())
    else:
        bench.do(Shutdown())
        bench = Bench()
        bench.do(ConfigureDiskCache(str(disk), 1 << 30))
        bench.do(*([LoadModel(str(other))] if opens == "another" else []), EraseOwner("a"), Shutdown())
    bench = opened(one, disk)
    after = [bench.price(*branch).cached for branch in branches]
    assert after[0] < 10 < before[0]
    assert after[1:] == before[1:]
    bench.do(Shutdown())


def test_files_are_deleted_without_a_model_too(tmp_path: Path) -> None:
    folder, disk = write_model_folder(tmp_path / "model", kind="llama"), tmp_path / "disk"
    bench = opened(folder, disk)
    bench.ask(LONG)
    bench.do(Shutdown())
    bench = Bench()
    bench.do(ConfigureDiskCache(str(disk)), ClearDiskCache())
    assert not list(disk.rglob("*.safetensors"))


def test_nothing_is_written_where_the_files_lay_once_they_are_to_lie_elsewhere(tmp_path: Path) -> None:
    """Neither what is in memory then, nor what is computed before the model is opened again."""
    folder, disk, other = write_model_folder(tmp_path / "model", kind="lfm2"), tmp_path / "disk", tmp_path / "other"
    bench = opened(folder, disk)
    bench.ask(LONG)
    bench.do(ConfigureDiskCache(str(other), 1 << 30))
    bench.ask(user("hi"))
    bench.do(ConfigureDiskCache(str(other), 1 << 29))
    bench.ask(user("ho"))
    bench.do(LoadModel(str(folder)))
    assert not list(disk.rglob("*.safetensors"))
    kept = (LONG, bench.ask(LONG, max_tokens=9).turn, user("?"))
    bench = quit_and_reopen(bench, folder, other)
    assert not list(disk.rglob("*.safetensors"))
    assert list(other.rglob("*.safetensors"))
    assert bench.price(*kept).excess == 0
    bench.do(Shutdown())


def test_a_conversation_that_is_answering_is_erased_when_it_has_ended(tmp_path: Path) -> None:
    folder = write_model_folder(tmp_path / "model", kind="llama")
    bench = opened(folder, tmp_path / "disk")
    command = bench.command(LONG, owner="a", max_tokens=30)
    bench.loop.submit(command)
    for _ in range(9):
        bench.loop.step()
    bench.loop.submit(EraseOwner("a"))
    bench.idle()
    assert any(isinstance(event, RunFinished) for event in bench.events)
    assert bench.price(LONG).seen == 0
    bench.do(Shutdown())


def test_a_pinned_branch_stays_and_is_told(tmp_path: Path) -> None:
    bench = opened(write_model_folder(tmp_path / "model", kind="lfm2"), tmp_path / "disk")
    [refused] = [event for event in bench.do(Pin(1, (user("never asked"),), True)) if isinstance(event, Pinned)]
    turns = (LONG, bench.ask(LONG).turn, user("?"))
    assert refused.problem is not None
    assert "cached" in refused.problem.sentence
    [pinned] = [event for event in bench.do(Pin(2, turns, True)) if isinstance(event, Pinned)]
    assert (pinned.query_id, pinned.problem) == (2, None)
    assert pinned.tokens > 100
    bench.ask(user("elsewhere"))
    bench.do(SetBudget(0))
    view = next(event.view for event in reversed(bench.events) if isinstance(event, TrieChanged))
    assert any(node.is_pinned and node.residency == "memory" for node in view.nodes)
    assert bench.price(*turns).excess == 0
    [let_go] = [event for event in bench.do(Pin(3, turns, False)) if isinstance(event, Pinned)]
    assert let_go.problem is None
    bench.do(Shutdown())


def test_a_resting_engine_writes_on_its_own(tmp_path: Path) -> None:
    """On its own thread, as in the program: files appear while nobody asks for anything, and the picture says so."""
    events: Queue[Event] = Queue()
    loop = EngineLoop(events.put)
    thread = threading.Thread(target=loop.run)
    thread.start()
    try:
        loop.submit(ConfigureDiskCache(str(tmp_path / "disk"), 1 << 30))
        loop.submit(LoadModel(str(write_model_folder(tmp_path / "model", kind="lfm2"))))
        loop.submit(Generate(1, (LONG,), Sampling(seed=1, max_tokens=8)))
        while True:
            event = events.get(timeout=60)
            if isinstance(event, TrieChanged) and any(node.disk_bytes for node in event.view.nodes):
                break
    finally:
        loop.submit(Shutdown())
        thread.join(60)
    assert event.view.disk_bytes == sum(path.stat().st_size for path in tmp_path.glob("disk/*/*.safetensors"))
    assert event.view.disk_allowed_bytes > 0
