"""llama.cpp's own server with the guide: asked, stopped, forked, gone on with, killed, and started again."""

from __future__ import annotations

import asyncio
import json
import sys
import urllib.request
from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import pytest
from mlx_lm.tokenizer_utils import load

from app.launch.paths import guide_model
from app.prompting.codec import Codec
from app.prompting.prompt import prompt_builder
from app.prompting.steps import finish
from app.prompting.template import chat_template
from app.protocol.chat import Sampling, Turn
from app.protocol.choices import unpack
from app.protocol.commands import Cancel, EstimateCost, Generate
from app.protocol.events import (
    CostEstimate,
    ModelReady,
    PrefillProgress,
    RunFailed,
    RunFinished,
    TextDelta,
    TrieChanged,
)
from app.protocol.reports import Source, StopReason
from app.remote import kinds
from app.remote.client import Client
from app.remote.id_opening import llama_prompts
from app.remote.probe import look
from app.remote.proof import TEXTS
from tests.fakes.model_folder import write_model_folder
from tests.prompting.codecs import NOON
from tests.remote.asker import asking
from tests.remote.endurance import foretold
from tests.remote.extremes import extreme_sampling
from tests.remote.scripted import wait_until
from tests.remote.started import Started, look_at, opened
from tests.seeds import chosen

GREEDY = Sampling(temperature=0.0, max_tokens=96)
STORY = Turn("user", "Tell me a story about a fox")
MARKS = "<|end|><|assistant|>"
CONVERSATION = (STORY, Turn("assistant", "Once\n\nupon \U0001f98a a time."), Turn("user", f" And {MARKS} then? "))
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="it is in the lock for Linux alone")


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Started]:
    """The server, with two slots."""
    from tests.remote.gguf_files import write_gguf

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
        turns = (STORY, Turn("assistant", first.text, first.ids), Turn("user", "What is a branch?"))
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


@pytest.mark.parametrize("kind", ["attention alone", "hybrid"])
def test_what_it_finds_is_foretold_to_the_token(tmp_path: Path, kind: str) -> None:
    """But for the first branch of a model whose cache cannot be cut, from which that is learned."""
    model = guide_model() if kind == "hybrid" else write_model_folder(tmp_path / "model", "qwen3")
    found = foretold(tmp_path, model, 1, 36)
    assert len({cached for _, cached in found}) > 8
    assert sum(predicted == cached for predicted, cached in found) >= (35 if kind == "hybrid" else 36)


def test_prompts_are_made_of_its_own_tokens(started: Started) -> None:
    """The same that the model's own folder makes: both sides tokenize, write out and render alike."""
    own = load(guide_model(), {"trust_remote_code": False})
    template = chat_template(own, NOON)
    codec = Codec(own, template.source)
    builder = finish(prompt_builder(codec, template))

    async def compared() -> None:
        async with Client(started.server) as client:
            found = await llama_prompts(client, (await look(client)).models[-1].name)
            assert found is not None
            assert found.codec.special_ids == codec.special_ids
            assert found.codec.stop_ids == codec.stop_ids
            for text in TEXTS:
                ids = await found.thread.run(partial(found.codec.plain, text))
                assert ids == codec.plain(text), text
                assert await found.thread.run(partial(found.codec.decode, ids)) == text
            for turns in (CONVERSATION, CONVERSATION[:1], (Turn("system", "Be brief."), *CONVERSATION)):
                prompt = await found.build(Generate(1, turns), (), 4096)
                assert prompt.ids == builder.build(turns).ids
            fox = await found.thread.run(partial(found.codec.plain, "fox \U0001f98a"))
            spelled = partial(found.tokenizer.spelled, "\U0001f98a", fox[-1], 4)
            assert await found.thread.run(spelled) == tuple(fox[-4:])
            await found.close()

    asyncio.run(compared())


def test_a_conversation_repeats_the_very_ids_of_its_answers(started: Started) -> None:
    with asking() as asker:
        opened(asker, started.server)
        turns: tuple[Turn, ...] = (STORY,)
        before = 0
        for run in range(1, 4):
            found = asker.answer(run, turns, sampling=GREEDY)
            assert isinstance(found, RunFinished)
            request = found.stats.request
            asker.do(EstimateCost(run, turns))
            price = asker.wait(CostEstimate, run).request
            assert request.total == price.total, "what was asked once is known"
            assert request.cached >= before, "nothing that the server holds is read again"
            assert len(found.ids) == found.stats.tokens
            before = request.total + len(found.ids) - 1
            turns = (*turns, Turn("assistant", found.text, found.ids), Turn("user", f"What is {MARKS} {run}?"))
        told = asker.wait(ModelReady).info
        assert told.capabilities.token_ids, "it still counts as is counted here"


def test_an_answer_is_left_at_a_token(started: Started) -> None:
    """What follows the same ids is the same, and another id leads elsewhere."""
    with asking() as asker:
        opened(asker, started.server)
        whole = asker.answer(1, (STORY,), sampling=GREEDY)
        assert isinstance(whole, RunFinished)
        half = len(whole.ids) // 2
        other = next(token for token in whole.ids if token != whole.ids[half])
        asker.do(Generate(2, (STORY,), GREEDY, forced=whole.ids[:half]))
        again = asker.wait(RunFinished, 2)
        assert (again.text, again.ids) == (whole.text, whole.ids)
        assert again.stats.tokens == len(whole.ids) - half
        asker.do(Generate(3, (STORY,), GREEDY, forced=(*whole.ids[:half], other)))
        fork = asker.wait(RunFinished, 3)
        assert fork.ids[: half + 1] == (*whole.ids[:half], other)
        begun = Turn("assistant", fork.text, fork.ids)
        asker.do(Generate(4, (STORY,), Sampling(temperature=0.0, max_tokens=2), begun=begun))
        assert asker.wait(RunFinished, 4).ids[: len(fork.ids)] == fork.ids


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


def test_it_answers_whatever_a_setting_is(started: Started) -> None:
    with asking() as asker:
        opened(asker, started.server)
        for seed in chosen(range(40)):
            found = asker.answer(seed + 1, (STORY,), sampling=extreme_sampling(seed, 3))
            assert isinstance(found, RunFinished), found


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
    """No answer twice, no word that was shown lost; when it is there again, the half goes on. A question of which no
    word was said waits for it.
    """
    dice = Random(1)
    with asking() as asker:
        opened(asker, started.server)
        for run in range(1, 13):
            asker.ask(run, (STORY,), sampling=Sampling(temperature=1.5, max_tokens=2000))
            if dice.random() < 0.7:
                asker.wait(TextDelta, asker.count(TextDelta) + 1)
            started.kill()
            started.start()
            outcome = asker.wait((RunFailed, RunFinished), run, 60.0)
            said = asker.said(run)
            if isinstance(outcome, RunFailed):
                assert "Studio" in outcome.problem.title
                asker.do(Generate(100 + run, (STORY,), GREEDY, begun=Turn("assistant", said) if said else None))
                whole = asker.wait((RunFailed, RunFinished), asker.count((RunFailed, RunFinished)) + 1)
                assert isinstance(whole, RunFinished)
                assert whole.text.startswith(said)
                asker.events.remove(whole)
        ended = Counter(one.run_id for one in asker.events if isinstance(one, RunFailed | RunFinished))
        assert set(ended.values()) == {1}


def test_what_else_could_have_stood_is_told_with_each_token(started: Started) -> None:
    with asking() as asker:
        opened(asker, started.server)
        first = asker.answer(1, (STORY,), sampling=GREEDY)
        assert isinstance(first, RunFinished)
        assert first.choices == b""
        given = first.ids[:3]
        asker.do(Generate(2, (STORY,), GREEDY, forced=given, alternatives=True))
        found = asker.wait(RunFinished, 2)
        assert found.ids == first.ids
        choices = unpack(found.choices)
        assert len(choices) == len(found.ids)
        assert [one.share is None for one in choices] == [True] * 3 + [False] * (len(found.ids) - 3)
        assert sum(one.length for one in choices) == len(found.text)
        drawn = choices[3:]
        assert all(one.share >= other.share for one in drawn for other in one.candidates), "the likeliest was taken"
        assert any(one.candidates for one in drawn)
        assert all(candidate.text for one in drawn for candidate in one.candidates if not candidate.is_end)
