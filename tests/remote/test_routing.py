"""Several servers with one model: each question goes where it should be answered soonest, and none is lost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from random import Random

import pytest

from app.protocol.chat import Sampling, Turn
from app.protocol.commands import Generate
from app.protocol.events import ModelReady, RunFailed, RunFinished
from app.protocol.servers import Server
from app.remote import kinds
from app.remote.belief import Belief
from app.remote.chunks import Chunk, Usage
from app.remote.client import Client
from app.remote.prompts import MessagePrompts
from app.remote.record import Rule
from app.remote.routing import Replica, Replicas
from app.remote.written import Written
from tests.remote.asker import Asker, asking
from tests.remote.scripted import Script, serving
from tests.seeds import each_seed


def replicas(count: int) -> Replicas:
    prompts = MessagePrompts()
    return Replicas(
        [
            Replica(Client(Server("a", "S", f"http://s{number}:80")), kinds.VLLM, Belief(Rule(16), "S", prompts))
            for number in range(count)
        ]
    )


def ask(owner: str, *said: str) -> Generate:
    turns = tuple(Turn("assistant" if number % 2 else "user", one) for number, one in enumerate(said))
    return Generate(1, turns, Sampling(), owner)


def answer(all_of_them: Replicas, replica: Replica, command: Generate, text: str) -> None:
    """Have a server read a prompt and write an answer."""
    written = Written(1)
    written.take(Chunk(text=text))
    written.take(Chunk(usage=Usage(400, 40, None)))
    assert replica.belief is not None
    with all_of_them.asking(replica, command):
        replica.belief.settle(command, replica.belief.prompt(command), written)
    replica.belief.speed = None


def test_conversations_are_spread_and_each_stays_where_it_is_held() -> None:
    found = replicas(4)
    counts: Counter[str] = Counter()
    for number in range(200):
        owner = f"conversation {number}"
        first = found.choose(ask(owner, f"Hello, {number}?"))
        assert found.choose(ask(owner, f"Hello, {number}?")) is first
        counts[first.address] += 1
        answer(found, first, ask(owner, f"Hello, {number}?"), "Good day")
        assert found.choose(ask(owner, f"Hello, {number}?", "Good day", "And?")) is first
        assert found.choose(ask("somebody else", f"Hello, {number}?", "Good day", "Or?")) is first, "a fork goes there"
    assert min(counts.values()) > 25


def test_a_long_queue_costs_more_than_reading_again() -> None:
    found = replicas(2)
    first = found.choose(ask("a", "Hello?"))
    answer(found, first, ask("a", "Hello?"), "Good day")
    command = ask("a", "Hello?", "Good day", "And?")
    with ExitStack() as asked:
        chosen = []
        for _ in range(8):
            chosen.append(found.choose(command))
            asked.enter_context(found.asking(chosen[-1], command))
        assert chosen[0] is first
        assert set(chosen) == set(found)
    assert [one.queued for one in found] == [0, 0]
    assert found.choose(command, [first]) is not first
    assert found.choose(command, list(found)) in set(found)


@contextmanager
def served(count: int, **chosen: object) -> Iterator[Sequence[Script]]:
    with ExitStack() as stack:
        yield [stack.enter_context(serving(Script(kind="vLLM", **chosen))) for _ in range(count)]  # type: ignore[arg-type]


def opened(asker: Asker, scripts: Sequence[Script]) -> ModelReady:
    first, *others = (one.address for one in scripts)
    found = asker.open(Server("a1", "Studio", first, others=tuple(others)))
    assert isinstance(found, ModelReady)
    return found


def test_several_answers_are_written_by_several_servers() -> None:
    with served(3) as scripts, asking() as asker:
        info = opened(asker, scripts).info
        assert info.place == ", ".join(one.address.removeprefix("http://") for one in scripts)
        assert not info.note
        for one in scripts:
            one.pause = 0.05
        asker.ask(lanes=6)
        asker.wait(RunFinished, 6)
        assert [len(one.asked) for one in scripts] == [2, 2, 2]


def test_one_that_does_not_answer_is_left_out_and_said() -> None:
    with served(3) as scripts, asking() as asker:
        with serving() as gone:
            address = gone.address
        found = asker.open(Server("a1", "Studio", address, others=tuple(one.address for one in scripts)))
        assert isinstance(found, ModelReady)
        assert address.removeprefix("http://") in found.info.note
        assert "left out" in found.info.note
        assert isinstance(asker.answer(), RunFinished)


def test_another_one_answers_where_one_breaks_off_before_a_word() -> None:
    with served(2) as scripts, asking() as asker:
        opened(asker, scripts)
        for one in scripts:
            one.drops = 1
        found = asker.answer()
        assert isinstance(found, RunFinished | RunFailed)
        scripts[0].drops = scripts[1].drops = 0
        before = [len(one.asked) for one in scripts]
        scripts[0].refusals = [(503, b"{}", {})] * 9
        for run in range(2, 8):
            assert isinstance(asker.answer(run, (Turn("user", f"Hello, {run}?"),)), RunFinished)
        assert len(scripts[1].asked) - before[1] == 6


@each_seed(range(6))
def test_whatever_breaks_one_question_gives_one_answer(seed: int) -> None:
    dice = Random(seed)
    with served(3) as scripts, asking() as asker:
        opened(asker, scripts)
        for run in range(1, 25):
            for one in scripts:
                one.drops, one.at = int(dice.random() < 0.3), dice.randrange(3)
                one.refusals = [(503, b"{}", {})] * (dice.random() < 0.3)
            found = asker.answer(run, (Turn("user", f"Hello, {dice.randrange(4)}?"),))
            said = asker.said(run)
            assert said == "Hello, world" if isinstance(found, RunFinished) else "Hello, world".startswith(said)
        outcomes = Counter(one.run_id for one in asker.events if isinstance(one, RunFinished | RunFailed))
        assert set(outcomes.values()) == {1}


def test_servers_that_have_the_model_no_more_are_told_apart() -> None:
    with served(2) as scripts, asking() as asker:
        found = asker.open(Server("a1", "Studio", scripts[0].address, others=(scripts[1].address,)), "gone")
        assert "does not have gone" in str(found)


@pytest.mark.parametrize("count", [2, 4, 8])
def test_exploring_a_tree_costs_no_more_than_on_one_server(count: int) -> None:
    """One person, forks and returns: round robin would read most of it once at each server."""
    dice, found = Random(5), replicas(count)
    branches: list[tuple[str, ...]] = [("Once upon a time " * 40,)]
    evaluated = least = 0
    for number in range(60):
        said = dice.choice(branches)
        command = ask("a", *said)
        chosen = found.choose(command)
        assert chosen.belief is not None
        prompt = chosen.belief.prompt(command)
        evaluated += chosen.belief.expect(prompt).left
        least += min(one.belief.expect(prompt).left for one in found if one.belief is not None)
        answer(found, chosen, command, f"Answer {number}")
        branches.append((*said, f"Answer {number}", f"Question {number} " * 8))
    assert evaluated == least
