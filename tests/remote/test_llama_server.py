"""llama.cpp's own server with the guide: asked, stopped, forked, gone on with, killed, and started again."""

from __future__ import annotations

import json
import sys
import urllib.request
from collections import Counter
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from app.launch.paths import guide_model
from app.protocol.chat import Sampling, Turn
from app.protocol.commands import Cancel, EstimateCost, Generate
from app.protocol.events import CostEstimate, PrefillProgress, RunFailed, RunFinished, TextDelta, TrieChanged
from app.protocol.reports import Source, StopReason
from app.remote import kinds
from tests.remote.asker import asking
from tests.remote.scripted import wait_until
from tests.remote.started import Started, look_at, opened

GREEDY = Sampling(temperature=0.0, max_tokens=96)
STORY = Turn("user", "Tell me a story about a fox")
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="it is in the lock for Linux alone")


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Started]:
    """The server, with two slots."""
    from tests.remote.guide_gguf import write_gguf

    folder = tmp_path_factory.mktemp("llama")
    write_gguf(guide_model(), folder / "guide.gguf")
    command = [sys.executable, "-m", "tests.remote.llama_server", str(folder / "guide.gguf")]
    started = Started(lambda port: [*command, str(port)], folder)
    yield started
    started.kill()


def slots(started: Started) -> list[dict[str, Any]]:
    with urllib.request.urlopen(f"{started.server.url}/slots", timeout=10) as answer:
        found: list[dict[str, Any]] = json.load(answer)
        return found


def is_idle(started: Started) -> bool:
    return not any(slot["is_processing"] for slot in slots(started))


def test_it_is_found_out(started: Started) -> None:
    found = look_at(started.server)
    assert found.kind is kinds.LLAMA
    assert found.slots == 2
    assert found.models[0].context == 4096


def test_figures_are_its_own_and_what_it_holds_is_predicted(started: Started) -> None:
    with asking() as asker:
        opened(asker, started.server)
        first = asker.answer(1, (STORY,), sampling=GREEDY)
        assert isinstance(first, RunFinished)
        assert first.text == asker.said() != ""
        assert first.stats.request.source is Source.REPORTED
        turns = (STORY, Turn("assistant", first.text), Turn("user", "What is a branch?"))
        asker.do(EstimateCost(5, turns))
        expected = asker.wait(CostEstimate)
        assert expected.request.source is Source.PREDICTED
        second = asker.answer(2, turns, sampling=GREEDY)
        assert isinstance(second, RunFinished)
        request = second.stats.request
        assert request.source is Source.REPORTED
        assert abs(request.cached - expected.request.cached) <= 16
        assert request.cached > first.stats.request.total
        told = [one for one in asker.events if isinstance(one, PrefillProgress) and one.run_id == 2]
        assert told[-1].done == told[-1].total == request.total
        fork = asker.answer(3, (*turns[:2], Turn("user", "How do I fork a message?")), sampling=GREEDY)
        assert isinstance(fork, RunFinished)
        assert fork.text != second.text
        view = asker.wait(TrieChanged, 3).view
        assert view.place == "Studio"


def test_an_answer_goes_on_from_its_beginning(started: Started) -> None:
    with asking() as asker:
        opened(asker, started.server)
        whole = asker.answer(1, (STORY,), sampling=GREEDY)
        assert isinstance(whole, RunFinished)
        begun = whole.text[: len(whole.text) // 2].rsplit(" ", 1)[0]
        asker.do(Generate(2, (STORY,), GREEDY, begun=Turn("assistant", begun)))
        rest = asker.wait(RunFinished, 2)
        assert rest.text.startswith(begun)
        assert rest.text == whole.text


def test_a_stop_frees_its_slot(started: Started) -> None:
    with asking() as asker:
        opened(asker, started.server)
        asker.ask(1, (STORY,), sampling=Sampling(temperature=2.0, max_tokens=3000))
        asker.wait(TextDelta)
        asker.do(Cancel(1))
        found = asker.wait(RunFinished)
        assert found.stats.stop in (StopReason.CANCELLED, StopReason.FINISHED)
        wait_until(lambda: is_idle(started), 5)


def test_several_at_once(started: Started) -> None:
    with asking() as asker:
        opened(asker, started.server)
        asker.ask(1, (STORY,), sampling=Sampling(temperature=1.0, max_tokens=60), lanes=4)
        asker.wait(RunFinished, 4)
        texts = {asker.said(1, lane) for lane in range(4)}
        assert len(texts) > 1


def test_it_is_killed_in_the_middle_and_gone_on_with(started: Started) -> None:
    """No answer twice, no word that was shown lost; and when it is there again, the half goes on."""
    dice = Random(1)
    with asking() as asker:
        opened(asker, started.server)
        for run in range(1, 13):
            asker.ask(run, (STORY,), sampling=Sampling(temperature=1.5, max_tokens=2000))
            if dice.random() < 0.7:
                asker.wait(TextDelta, asker.count(TextDelta) + 1)
            started.kill()
            outcome = asker.wait((RunFailed, RunFinished), run)
            said = asker.said(run)
            started.start()
            if isinstance(outcome, RunFailed):
                assert "Studio" in outcome.problem.title
                asker.do(Generate(100 + run, (STORY,), GREEDY, begun=Turn("assistant", said) if said else None))
                whole = asker.wait((RunFailed, RunFinished), asker.count((RunFailed, RunFinished)) + 1)
                assert isinstance(whole, RunFinished)
                assert whole.text.startswith(said)
                asker.events.remove(whole)
        ended = Counter(one.run_id for one in asker.events if isinstance(one, RunFailed | RunFinished))
        assert set(ended.values()) == {1}
