"""mlx_lm.server itself, with the guide, as a person would start it beside."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from app.launch.paths import guide_model
from app.protocol.chat import Sampling, Turn
from app.protocol.commands import Cancel
from app.protocol.events import PrefillProgress, RunFailed, RunFinished, ServerAwaited, TextDelta, TrieChanged
from app.protocol.reports import Source, StopReason
from app.remote import kinds, patience
from tests.remote.asker import asking
from tests.remote.extremes import extreme_sampling
from tests.remote.scripted import wait_until
from tests.remote.started import Started, look_at, opened
from tests.seeds import chosen

GREEDY = Sampling(temperature=0.0, max_tokens=48)
QUESTION = Turn("user", "What can you do?")


def command(port: int) -> Sequence[str]:
    """Return what starts the server with the guide."""
    return [sys.executable, "-m", "mlx_lm", "server", "--model", str(guide_model()), "--port", str(port)]


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Started]:
    """A server that serves."""
    started = Started(command, tmp_path_factory.mktemp("server"))
    yield started
    started.kill()


def test_it_is_found_out(started: Started) -> None:
    assert look_at(started.server).kind is kinds.MLX


def test_it_answers_goes_on_with_a_branch_and_says_what_it_had(started: Started) -> None:
    with asking() as asker:
        opened(asker, started.server)
        first = asker.answer(1, (QUESTION,), sampling=GREEDY)
        assert isinstance(first, RunFinished)
        assert first.text == asker.said() != ""
        assert (first.stats.request.source, first.stats.request.cached) == (Source.REPORTED, 0)
        turns = (QUESTION, Turn("assistant", first.text), Turn("user", "And what else?"))
        second = asker.answer(2, turns, sampling=GREEDY)
        again = asker.answer(3, (*turns[:2], Turn("user", "Tell me a story.")), sampling=GREEDY)
        for one in (second, again):
            assert isinstance(one, RunFinished)
            assert one.stats.request.cached > first.stats.request.total / 2, "it keeps what both begin with"


def test_it_says_how_much_of_a_prompt_it_has_read_beside_what_it_had(started: Started) -> None:
    """In comments, which count what it did not have."""
    with asking() as asker:
        opened(asker, started.server)
        turns: tuple[Turn, ...] = (Turn("user", "Count them, one after the other. " * 300),)
        for run in (1, 2):
            asker.ask(run, turns, sampling=GREEDY)
            found = asker.wait(RunFinished, run, 120.0)
            told = [one for one in asker.events if isinstance(one, PrefillProgress) and one.run_id == run]
            request = found.stats.request
            assert told[-1].total - told[-1].cached == request.left
            assert [one.done for one in told] == sorted(one.done for one in told)
            assert told[-1].done == told[-1].total
            assert bool(told[-1].cached) == bool(request.cached) == (run == 2)
            first = next(at for at, one in enumerate(asker.events) if isinstance(one, TextDelta) and one.run_id == run)
            assert asker.events.index(told[-1]) < first
            turns = (*turns, Turn("assistant", found.text), Turn("user", "Once more, but slowly. " * 50))


def test_several_answers_are_written_side_by_side(started: Started) -> None:
    with asking() as asker:
        opened(asker, started.server)
        asker.ask(1, (QUESTION,), sampling=Sampling(temperature=1.0, max_tokens=16), lanes=3)
        outcomes = [asker.wait(RunFinished, number, 60.0) for number in (1, 2, 3)]
        assert sorted(one.lane for one in outcomes) == [0, 1, 2]
        for one in outcomes:
            assert one.text == asker.said(lane=one.lane)


def test_it_answers_whatever_a_setting_is(started: Started) -> None:
    """At random: a top-k beyond its tokens would end it for good."""
    with asking() as asker:
        opened(asker, started.server)
        for seed in chosen(range(12)):
            found = asker.answer(seed + 1, (QUESTION,), sampling=extreme_sampling(seed, 3))
            assert isinstance(found, RunFinished), found
        found = asker.answer(99, (QUESTION,), sampling=Sampling(temperature=1.0, top_k=10**9, max_tokens=3))
        assert isinstance(found, RunFinished)


def test_stop_frees_it(started: Started) -> None:
    with asking() as asker:
        opened(asker, started.server)
        asker.ask(1, (Turn("user", "Tell me a story."),), sampling=Sampling(max_tokens=4000))
        asker.wait(TextDelta, 3)
        asker.do(Cancel(1))
        assert asker.wait(RunFinished).stats.stop is StopReason.CANCELLED
        assert isinstance(asker.answer(2, (QUESTION,), sampling=GREEDY), RunFinished)


def test_half_an_answer_stays_when_it_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And the next question waits until it is there again."""
    monkeypatch.setattr(patience, "_PAUSES", (0.1, 0.1))
    own = Started(command, tmp_path)
    with asking() as asker:
        opened(asker, own.server)
        asker.ask(1, (Turn("user", "Tell me a story."),), sampling=Sampling(max_tokens=4000, temperature=1.0))
        asker.wait(TextDelta, 3)
        own.kill()
        failed = asker.wait(RunFailed)
        assert failed.problem.title == "Studio broke off"
        assert asker.said()
        wait_until(lambda: not any(one.residency == "believed" for one in asker.last(TrieChanged).view.nodes))
        failed = asker.answer(2, (QUESTION,), sampling=GREEDY)
        assert isinstance(failed, RunFailed)
        assert failed.problem.title == "Studio cannot be reached"
        monkeypatch.undo()
        before = asker.count(ServerAwaited)
        asker.ask(3, (QUESTION,), sampling=GREEDY)
        assert asker.wait(ServerAwaited, before + 1).name == "Studio"
        own.start()
        assert asker.wait(RunFinished, seconds=90).run_id == 3
        own.kill()
