"""Stop is harmless, and so is a request on the side: what was written is never computed again."""

from __future__ import annotations

import pytest

from app.kvcache.prefix_cache import PrefixCache
from app.protocol.chat import Turn
from app.protocol.commands import Cancel
from app.protocol.events import RunFinished, RunStarted
from app.protocol.reports import StopReason
from tests.engine.bench import LONG, Bench, opened, user
from tests.fakes.model_folder import write_model_folder

TOKENS = 8


@pytest.fixture(scope="module", params=["llama", "lfm2", "gemma3", "falcon_h1"])
def bench(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Bench:
    folder = write_model_folder(tmp_path_factory.mktemp("models") / "m", kind=request.param)
    return opened(folder, chunk=16)


def cache_of(bench: Bench) -> PrefixCache:
    return bench.cache


def cancelled_after(bench: Bench, question: Turn, steps: int) -> tuple[RunFinished, int]:
    """What a run came to that was cancelled after so many steps, and how many tokens were fed by then."""
    command = bench.command(question, max_tokens=TOKENS, temperature=1.2, seed=6)
    begin = len(bench.events)
    bench.loop.submit(command)
    for _ in range(steps):
        bench.loop.step()
    fed = cache_of(bench).active.offset
    bench.loop.submit(Cancel(command.run_id))
    bench.idle()
    [finished] = [event for event in bench.events[begin:] if isinstance(event, RunFinished)]
    return finished, fed


def test_cancel_at_every_chunk_and_every_token_keeps_what_was_written(bench: Bench) -> None:
    """A retry finds all of the prompt that was read, and a follow-up every token of the answer that was shown."""
    for steps in range(1, 60):
        question = user(f"{steps} {LONG.text[:200]}")
        finished, fed = cancelled_after(bench, question, steps)
        if finished.stats.stop is not StopReason.CANCELLED:
            break
        retry = bench.estimate(question)
        assert retry is not None
        assert retry.request.cached == min(fed, retry.request.total - 1)
        assert retry.request.excess == 0
        if finished.ids:
            assert fed == retry.request.total + len(finished.ids)
        follow_up = bench.estimate(question, Turn("assistant", finished.text, finished.ids), user("Go on"))
        assert follow_up is not None
        assert follow_up.request.cached >= fed
        assert follow_up.request.excess == 0
    assert steps > 4 + TOKENS
    assert not cache_of(bench).session
    assert not cache_of(bench).faults


def test_a_retry_says_the_same_again(bench: Bench) -> None:
    question = user(f"again {LONG.text}")
    stopped, _ = cancelled_after(bench, question, 20)
    whole = bench.ask(question, max_tokens=TOKENS, temperature=1.2, seed=6)
    assert 0 < len(stopped.ids) < TOKENS
    assert whole.finished.ids[: len(stopped.ids)] == stopped.ids
    assert whole.started.request.left == 1


def test_a_title_on_the_side_leaves_the_conversation_as_it_was(bench: Bench) -> None:
    """It is asked as a fork of the branch, under an owner of its own."""
    turns: tuple[Turn, ...] = (user(f"side {LONG.text}"),)
    for number in range(3):
        asked = bench.ask(*turns, max_tokens=TOKENS, seed=number)
        assert asked.started.request.excess == 0
        turns = (*turns, asked.turn)
        held = asked.started.request.total + len(asked.finished.ids) - 1
        title = bench.command(*turns, user("Give this conversation a title."), owner="titles", max_tokens=5)
        [started] = [event for event in bench.do(title) if isinstance(event, RunStarted)]
        assert started.request.excess == 0
        assert started.request.cached >= held
        turns = (*turns, user(f"and {number}?"))
        back = bench.estimate(*turns)
        assert back is not None
        assert back.request.excess == 0
        assert back.request.cached >= held


def test_a_side_request_that_waits_is_a_fork_too(bench: Bench) -> None:
    question = user(f"both {LONG.text}")
    side = user(f"both {LONG.text[:90]} in three words")
    main, title = bench.command(question), bench.command(side, owner="titles", max_tokens=3)
    started = [event for event in bench.do(main, title) if isinstance(event, RunStarted)]
    assert [event.run_id for event in started] == [main.run_id, title.run_id]
    again = bench.estimate(question)
    assert again is not None
    assert again.request.left == 1
    assert bench.price(side).left == 1
