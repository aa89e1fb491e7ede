"""Memory is given back without Python's collector: no array is ever left in a cycle, whatever a run or a model ends by.

A program with a window collects on another thread than the model's, and not for the sake of arrays, whose size Python
does not know.
"""

from __future__ import annotations

import gc
import logging
import random
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import mlx.core as mx
import pytest

from app.protocol.commands import Cancel, EraseOwner, LoadModel, SetBudget, Shutdown, Verify
from tests.engine.bench import LONG, Bench, user
from tests.fakes.model_folder import write_model_folder
from tests.fakes.tiny_models import KINDS
from tests.seeds import each_seed

ACTIONS = ("open", "misfit", "ask", "ask", "ask", "cancel", "budget", "erase", "verify", "fault", "step", "step")


@contextmanager
def without_collecting() -> Iterator[None]:
    """No cycle is collected; those that were there before are.

    What the program holds already is not looked at, which takes a second each time where many tests ran before.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()
    if was_enabled:
        gc.enable()


def arrays_in_cycles() -> int:
    """Collect all cycles, and return how many arrays nothing but a cycle held."""
    gc.set_debug(gc.DEBUG_SAVEALL)
    gc.collect()
    gc.set_debug(0)
    count = sum(type(one) is mx.array for one in gc.garbage)
    gc.garbage.clear()
    gc.collect()
    return count


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """A model of each kind, and last of all one whose weights do not fit its configuration."""
    root = tmp_path_factory.mktemp("models")
    folders = [write_model_folder(root / kind, kind=kind) for kind in KINDS]
    misfit = write_model_folder(root / "misfit")
    config = (misfit / "config.json").read_text()
    (misfit / "config.json").write_text(config.replace('"hidden_size": 64', '"hidden_size": 32'))
    return [*folders, misfit]


def test_an_array_in_a_cycle_is_found() -> None:
    with without_collecting():
        assert arrays_in_cycles() == 0
        cycle: list[object] = [mx.zeros(4)]
        cycle.append(cycle)
        del cycle
        assert arrays_in_cycles() == 1


def test_a_model_of_any_kind_that_is_closed_leaves_no_array(folders: list[Path]) -> None:
    for folder in folders[:-1]:
        with without_collecting():
            base = mx.get_active_memory()
            bench = Bench(chunk=16)
            bench.open(folder)
            bench.ask(LONG, max_tokens=4)
            bench.ask(user("fork"), max_tokens=4)
            bench.do(Shutdown())
            del bench
            assert mx.get_active_memory() <= base, folder.name
            assert arrays_in_cycles() == 0, folder.name


@each_seed(range(3))
def test_no_array_is_in_a_cycle_after_any_command(
    folders: list[Path], caplog: pytest.LogCaptureFixture, seed: int
) -> None:
    """Runs that end well, are cancelled or fail; models that open or do not; what is erased or evicted."""
    caplog.set_level(logging.CRITICAL, "app")  # a record that is kept holds the frames of its error, and their arrays
    dice, bench = random.Random(seed), Bench(chunk=16)

    def fail(*_: object, **__: object) -> object:
        raise RuntimeError("the fake was told to fail")

    with without_collecting():
        bench.open(dice.choice(folders[:-1]))
        for _ in range(25):
            action = dice.choice(ACTIONS)
            command = bench.command(user(dice.choice("abc") * dice.randrange(1, 60)), max_tokens=dice.choice([2, 20]))
            if action == "open":
                bench.loop.submit(LoadModel(str(dice.choice(folders[:-1]))))
            elif action == "misfit":
                bench.loop.submit(LoadModel(str(folders[-1])))
            elif action == "cancel":
                bench.loop.submit(command)
                bench.loop.step()
                bench.loop.submit(Cancel(command.run_id))
            elif action == "budget":
                bench.loop.submit(SetBudget(dice.choice([None, 0, 50_000])))
            elif action == "erase":
                bench.loop.submit(EraseOwner("me"))
            elif action == "verify":
                bench.idle()
                bench.loop.submit(Verify(1, (user("a"),)))
            elif action == "fault" and bench.loop.open_model is not None:
                with pytest.MonkeyPatch.context() as patch:
                    patch.setattr(bench.cache.active.layers, "_forward", fail)
                    bench.do(command)
            else:
                bench.loop.submit(command)
            for _ in range(dice.randrange(6)):
                bench.loop.step()
            assert arrays_in_cycles() == 0, action
        bench.do(Shutdown())
        assert arrays_in_cycles() == 0
