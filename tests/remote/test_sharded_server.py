"""mlx_lm.server with a model in two parts, each in a process of its own, as over several Macs."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from app.protocol.chat import Sampling, Turn
from app.protocol.commands import Cancel
from app.protocol.events import RunFinished, TextDelta
from app.protocol.reports import Source, StopReason
from app.remote import kinds
from tests.fakes.model_folder import write_model_folder
from tests.remote.asker import asking
from tests.remote.started import Started, look_at, opened

LAUNCH = Path(sys.executable).parent / "mlx.launch"
QUESTION = Turn("user", "What can you do?")
WARM = Sampling(temperature=1.0, max_tokens=24, seed=5)


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Started]:
    """The server on two ranks."""
    folder = tmp_path_factory.mktemp("sharded")
    model = write_model_folder(folder / "model")

    def command(port: int) -> Sequence[str]:
        server = [sys.executable, "-m", "mlx_lm", "server", "--model", str(model), "--port", str(port)]
        return [str(LAUNCH), "-n", "2", "--backend", "ring", "--", *server]

    started = Started(command, folder)
    yield started
    started.kill()


def test_it_answers_and_keeps_a_branch(started: Started) -> None:
    assert look_at(started.server).kind is kinds.MLX
    with asking() as asker:
        opened(asker, started.server)
        first = asker.answer(1, (QUESTION,), sampling=WARM)
        assert isinstance(first, RunFinished)
        assert first.text == asker.said()
        turns = (QUESTION, Turn("assistant", first.text), Turn("user", "And what else?"))
        second = asker.answer(2, turns, sampling=WARM)
        assert isinstance(second, RunFinished)
        assert second.stats.request.source is Source.REPORTED


def test_stop_does_not_hang_it(started: Started) -> None:
    """A seed would: none is ever sent, also where the person chose one."""
    with asking() as asker:
        opened(asker, started.server)
        for run in range(1, 6):
            asker.ask(run, (QUESTION,), sampling=Sampling(temperature=1.0, max_tokens=3000, seed=run))
            asker.wait(TextDelta, asker.count(TextDelta) + 2, 60.0)
            asker.do(Cancel(run))
            assert asker.wait(RunFinished, run).stats.stop in (StopReason.CANCELLED, StopReason.FINISHED)
        assert isinstance(asker.answer(9, (QUESTION,), sampling=WARM), RunFinished)


def test_several_at_once(started: Started) -> None:
    with asking() as asker:
        opened(asker, started.server)
        asker.ask(1, (QUESTION,), sampling=WARM, lanes=3)
        outcomes = [asker.wait(RunFinished, number, 60.0) for number in (1, 2, 3)]
        assert sorted(one.lane for one in outcomes) == [0, 1, 2]
