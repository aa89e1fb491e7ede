"""A question waits for a server that was reached before and is loading, busy or being started again, in words."""

from __future__ import annotations

import asyncio
import random
import ssl
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from app.protocol.chat import Turn
from app.protocol.commands import Cancel, CancelOpening, EstimateCost, Generate, LoadModel
from app.protocol.events import (
    CostEstimate,
    ModelFailed,
    ModelLoading,
    ModelReady,
    OpeningCancelled,
    RunFailed,
    RunFinished,
    RunStarted,
    ServerAwaited,
    TrieChanged,
)
from app.protocol.references import ServerModel
from app.protocol.reports import StopReason
from app.remote import answering, patience
from app.remote.certificates import digest
from app.remote.routing import Replica
from tests.remote.asker import HELLO, Asker, asking
from tests.remote.scripted import SIGNS, Script, serving, wait_until
from tests.remote.scripted_tokens import Tokens, words
from tests.remote.test_certificates import OTHER, STUDIO
from tests.seeds import chosen

HEALTH = {"Ollama": "/api/version", "LM Studio": "/v1/models", "OpenAI’s interface": "/v1/models"}
LOADING = (503, "application/json", b'{"error": {"message": "Loading model"}}')
LOADS = [kind for kind in SIGNS if HEALTH.get(kind) != "/v1/models"]


@pytest.fixture(autouse=True)
def _in_a_hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patience, "_PAUSES", (0.02,) * 6)


@pytest.fixture
def asker() -> Iterator[Asker]:
    with asking() as found:
        yield found


def asked_for(script: Script, path: str) -> int:
    return sum(one == path for one, _, _ in script.requests)


def posted(script: Script) -> int:
    return sum("chat" in path or "completion" in path for path, _, _ in script.requests)


def outcomes(asker: Asker, run: int) -> list[Any]:
    return [one for one in asker.events if isinstance(one, RunFinished | RunFailed) and one.run_id == run]


@pytest.mark.parametrize("kind", LOADS)
def test_a_question_waits_for_a_server_that_is_loading(
    kind: str, asker: Asker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(patience, "_PAUSES", (0.02,) * 200)
    with serving(Script(kind=kind)) as script:
        asker.open(script.server)
        path = HEALTH.get(kind, "/health")
        before = asked_for(script, path)
        script.is_loading = True
        asker.ask()
        awaited = asker.wait(ServerAwaited)
        assert (awaited.name, awaited.is_away) == ("Studio", False)
        wait_until(lambda: asked_for(script, path) > before + 3)
        assert posted(script) == 1, "it is asked whether it is well, and sent nothing"
        script.is_loading = False
        found = asker.wait((RunFinished, RunFailed))
        assert isinstance(found, RunFinished)
        assert asker.said() == found.text == "Hello, world"
        assert [one.name for one in asker.events if isinstance(one, ServerAwaited)] == ["Studio", ""]
        assert (asker.count(RunStarted), posted(script)) == (1, 2)
        asks = asked_for(script, path)
        time.sleep(0.1)
        assert asked_for(script, path) == asks, "nobody asks where no question waits"


@pytest.mark.parametrize("kind", LOADS)
def test_the_opening_of_a_model_waits_for_a_server_that_is_loading(
    kind: str, asker: Asker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(patience, "_PAUSES", (0.02,) * 200)
    with serving(Script(kind=kind)) as script:
        script.pages["/v1/models"] = LOADING
        asker.do(LoadModel(ServerModel(script.server.id, "tiny").reference, server=script.server))
        wait_until(lambda: asked_for(script, "/v1/models") > 3)
        assert {one.stage for one in asker.events if isinstance(one, ModelLoading)} == {
            "Asking the server",
            "Waiting for Studio",
        }
        assert not asker.count(ModelReady | ModelFailed)
        del script.pages["/v1/models"]
        assert isinstance(asker.wait((ModelReady, ModelFailed)), ModelReady)


def test_an_opening_that_waits_can_be_given_up_and_fails_in_words_when_nothing_comes(
    asker: Asker, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(Script(kind="llama.cpp")) as script:
        script.pages["/v1/models"] = LOADING
        found = asker.open(script.server)
        assert isinstance(found, ModelFailed)
        assert found.problem.title == "Studio is busy"
        assert asked_for(script, "/v1/models") == 7
        monkeypatch.setattr(patience, "_PAUSES", (60.0,))
        path = ServerModel(script.server.id, "tiny").reference
        asker.do(LoadModel(path, server=script.server))
        wait_until(lambda: asked_for(script, "/v1/models") == 8)
        asker.do(CancelOpening(path))
        assert asker.wait(OpeningCancelled).path == path


def test_an_opening_waits_for_none_where_another_replica_can_be_asked(asker: Asker) -> None:
    with serving(Script(kind="llama.cpp")) as script, serving(Script(kind="llama.cpp")) as loading:
        loading.pages["/v1/models"] = LOADING
        found = asker.open(replace(script.server, others=(loading.server.url,)))
        assert isinstance(found, ModelReady)
        assert "is busy" in found.info.note
        assert asked_for(loading, "/v1/models") == 1


def test_it_waits_too_where_a_connection_breaks_twice_since_the_server_ends(asker: Asker) -> None:
    """A server that is being ended may take a request once more. One that is well and breaks off twice has failed."""
    with serving(Script(kind="llama.cpp")) as script:
        asker.open(script.server)
        script.drops = 2
        script.routes["/health"] = lambda _: {}
        assert isinstance(asker.answer(1), RunFailed)
        assert posted(script) == 2
        script.drops = 2
        script.pages["/health"] = (503, "application/json", b"{}")
        asker.ask(2)
        asker.wait(ServerAwaited)
        del script.pages["/health"]
        assert asker.wait(RunFinished).text == "Hello, world"
        assert posted(script) == 5


def test_it_fails_in_words_when_it_does_not_come(asker: Asker) -> None:
    with serving(Script(kind="llama.cpp")) as script:
        asker.open(script.server)
        before = asked_for(script, "/health")
        script.is_loading = True
        found = asker.answer()
        assert isinstance(found, RunFailed)
        assert found.problem.title == "Studio is busy"
        assert "Loading model" in found.problem.sentence
        assert asked_for(script, "/health") - before == 6
        script.is_loading = False
        assert isinstance(asker.answer(2), RunFinished)
    found = asker.answer(3)
    assert isinstance(found, RunFailed)
    assert found.problem.title == "Studio cannot be reached"


def test_patience_is_used_up_by_all_that_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patience, "_LONGEST", 0.05)

    async def pauses() -> list[bool]:
        one = patience.Patience()
        return [await one.pause() for _ in range(4)]

    assert asyncio.run(pauses()) == [True, True, True, False]


def test_a_minute_is_all_that_a_question_waits_whatever_the_server_says(
    asker: Asker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(patience, "_LONGEST", 0.3)
    with serving(Script(kind="llama.cpp")) as script:
        asker.open(script.server)
        script.refusals = [(503, b"{}", {"Retry-After": "3600"})] * 9
        begun = time.monotonic()
        assert isinstance(asker.answer(), RunFailed)
        assert 0.25 < time.monotonic() - begun < 3


def test_a_stop_ends_the_wait_at_once(asker: Asker, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patience, "_PAUSES", (0.02, 600.0))
    with serving(Script(kind="llama.cpp")) as script:
        asker.open(script.server)
        script.is_loading = True
        asker.ask()
        asker.wait(ServerAwaited)
        time.sleep(0.1)
        asker.do(Cancel(1))
        assert asker.wait(RunFinished, seconds=1).stats.stop is StopReason.CANCELLED


def started_again(script: Script) -> Any:
    return serving(script, port=urlsplit(script.address).port or 0)


@pytest.mark.parametrize("takes_ids", [False, True])
def test_a_question_waits_for_a_server_that_is_started_again(
    takes_ids: bool, asker: Asker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With ids too: what needs its tokenizer waits with it, and is sent as ids then."""
    monkeypatch.setattr(patience, "_PAUSES", (0.02,) * 400)
    script = Script(kind="llama.cpp")
    tokens = Tokens(script, words("Hello, world")) if takes_ids else None
    for run in range(1, 9):
        with started_again(script) if run > 1 else serving(script):
            if run == 1:
                assert isinstance(asker.open(script.server), ModelReady)
            else:
                script.is_loading = run % 2 == 0
                time.sleep(0.05)
                script.is_loading = False
                assert isinstance(asker.wait((RunFinished, RunFailed), run - 1), RunFinished)
            if run % 3 == 0:
                asker.answer(100 + run)
                asker.events.remove(outcomes(asker, 100 + run)[0])
        asker.do(_asked(run))
        wait_until(lambda run=run: any(isinstance(one, ServerAwaited) and one.run_id == run for one in asker.events))
    asker.do(Cancel(8))
    asker.wait(RunFinished, 8)
    assert [len(outcomes(asker, run)) for run in range(1, 9)] == [1] * 8
    assert {asker.said(run) for run in range(1, 8)} == {"Hello, world"}
    if tokens is not None:
        assert {outcomes(asker, run)[0].ids for run in range(1, 8)} == {tuple(words("Hello, world"))}


def test_what_a_server_lacks_that_is_waited_for_is_told_as_it_is_now(
    asker: Asker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is started again and loads its model for a while: then something answers there."""
    monkeypatch.setattr(patience, "_PAUSES", (0.02,) * 400)
    script = Script(kind="llama.cpp")
    with serving(script):
        asker.open(script.server)
    asker.ask()
    asker.wait(ServerAwaited)
    script.is_loading = True
    with started_again(script):
        asker.wait(ServerAwaited, 2)
        script.is_loading = False
        assert isinstance(asker.wait((RunFinished, RunFailed)), RunFinished)
    told = [(one.name, one.is_away) for one in asker.events if isinstance(one, ServerAwaited)]
    assert told == [("Studio", True), ("Studio", False), ("", False)]


@pytest.mark.parametrize("takes_ids", [False, True])
def test_a_server_that_has_ended_holds_nothing_any_more(
    takes_ids: bool, asker: Asker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(patience, "_PAUSES", (0.02,) * 400)
    script = Script(kind="llama.cpp")
    with serving(script):
        if takes_ids:
            Tokens(script, words("Hello, world"))
        asker.open(script.server)
        asker.do(_asked(1))
        asker.wait(RunFinished)
        asker.do(EstimateCost(1, _asked(1).turns))
        before = asker.wait(CostEstimate).request
        assert before.cached > 0
        assert any(node.residency == "believed" for node in asker.last(TrieChanged).view.nodes)
    asker.do(_asked(2))
    assert asker.wait(ServerAwaited).is_away
    wait_until(lambda: not any(node.residency == "believed" for node in asker.last(TrieChanged).view.nodes))
    with started_again(script):
        asker.wait(RunFinished, 2)
        asker.do(EstimateCost(2, _asked(1).turns))
        after = asker.wait(CostEstimate, 2).request
    assert after.seen >= before.cached > after.cached


@pytest.mark.parametrize("takes_ids", [False, True])
def test_one_that_broke_off_and_is_still_there_is_believed_in(takes_ids: bool, asker: Asker) -> None:
    """It is asked whether it is: one that has ended is found out so, as where mlx_lm.server is killed."""
    with serving(Script(kind="llama.cpp")) as script:
        if takes_ids:
            Tokens(script, words("Hello, world"))
        asker.open(script.server)
        script.drops, script.at = 1, 2
        asks = asked_for(script, "/health")
        asker.do(_asked(1))
        asker.wait(RunFailed)
        wait_until(lambda: asked_for(script, "/health") > asks)
        time.sleep(0.1)
        assert any(node.residency == "believed" for node in asker.last(TrieChanged).view.nodes)


@pytest.mark.parametrize("takes_ids", [False, True])
def test_an_answer_that_broke_off_ends_once_where_it_is_stopped_afterwards(
    takes_ids: bool, asker: Asker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While the server is asked whether it is still there."""
    asked = threading.Event()

    async def never(_replica: Replica) -> None:
        asked.set()
        await asyncio.sleep(60)

    monkeypatch.setattr(answering, "fault_of", never)
    with serving(Script(kind="llama.cpp")) as script:
        if takes_ids:
            Tokens(script, words("Hello, world"))
        asker.open(script.server)
        script.drops, script.at = 1, 2
        asker.do(_asked(1))
        asker.wait(RunFailed)
        assert asked.wait(10)
        asker.do(Cancel(1))
        asker.open(script.server)
        assert isinstance(asker.answer(2), RunFinished)
        assert len(outcomes(asker, 1)) == 1


def _asked(run: int) -> Generate:
    return Generate(run, (*HELLO, Turn("assistant", "Yes?"), Turn("user", f"Question {run}")))


def test_of_several_servers_the_one_answers_that_is_there_first(asker: Asker, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patience, "_PAUSES", (0.02,) * 200)
    with serving(Script(kind="vLLM")) as one, serving(Script(kind="vLLM", words=["There"])) as other:
        asker.open(replace(one.server, others=(other.address,)))
        one.is_loading = other.is_loading = True
        asker.ask()
        assert "Studio (" in asker.wait(ServerAwaited).name
        other.is_loading = False
        assert asker.wait(RunFinished).text == "There"


def test_whatever_a_server_says_a_question_gets_one_outcome(asker: Asker, monkeypatch: pytest.MonkeyPatch) -> None:
    """At random: refusals, breaks and answers, to the question and to whether it is well."""
    monkeypatch.setattr(patience, "_PAUSES", (0.001,) * 6)
    with serving(Script(kind="llama.cpp")) as script:
        asker.open(script.server)
        for seed in chosen(range(100)):
            dice = random.Random(seed)
            healths = [dice.choice((200, 503, 503, 404, 500)) for _ in range(12)]
            sent = [dice.choice((503, 429, "break", "answer")) for _ in range(12)]
            told, all_healths = iter(sent), tuple(healths)

            def chat(_body: Any, told: Iterator[Any] = told) -> Any:
                status = next(told)
                return script.events() if status == "answer" else iter(()) if status == "break" else (status, {})

            def health(_: Any, healths: list[int] = healths) -> None:
                status = healths.pop(0) if healths else 503
                script.pages["/health"] = (status, "application/json", b"{}")

            health(None)
            script.routes = {
                "/v1/chat/completions": lambda body, chat=chat, health=health: (health(None), chat(body))[1]
            }
            before = len(script.asked)
            found = asker.answer(seed + 1)
            times = len(script.asked) - before
            assert len(outcomes(asker, seed + 1)) == 1, seed
            assert asker.said(seed + 1) == (found.text if isinstance(found, RunFinished) else ""), seed
            is_answered = sent[times - 1] == "answer"
            assert isinstance(found, RunFinished) is is_answered, seed
            assert sum(one in (503, 429) for one in sent[:times]) <= 4, seed
            is_well = (200, 404, 500)
            assert sent[:times].count("break") <= 2 or any(one not in is_well for one in all_healths), seed
            assert "answer" not in sent[: times - 1], seed


def test_what_never_answered_fails_at_once_and_another_certificate_is_sent_nothing(asker: Asker) -> None:
    with serving() as script:
        gone = script.server
    begun = time.monotonic()
    assert not isinstance(asker.open(gone), ModelReady)
    assert time.monotonic() - begun < 2
    assert not asker.count(ServerAwaited)
    with serving(Script(kind="vLLM"), STUDIO) as script:
        server = replace(script.server, certificate=digest_of(STUDIO))
        assert isinstance(asker.open(server), ModelReady)
    other = Script(kind="vLLM")
    with serving(other, OTHER, urlsplit(script.address).port or 0):
        found = asker.answer(1)
        assert isinstance(found, RunFailed)
        assert "another certificate" in found.problem.title
        assert not other.requests


def digest_of(file: Path) -> str:
    mark = "-----BEGIN CERTIFICATE"
    return digest(ssl.PEM_cert_to_DER_cert(mark + file.read_text().partition(mark)[2]))
