"""Text leaves once a frame, whole and in order."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import pairwise

from app.protocol.events import Event, PrefillProgress, RunFinished, RunStarted, TextDelta, TextKind, Token, TrieChanged
from app.protocol.reports import RequestReport, RunStats, StopReason
from app.protocol.trie_view import TrieView
from app.worker.text_batcher import TextBatcher

REQUEST = RequestReport(4, 0, 0, 0)
STATS = RunStats(REQUEST, StopReason.FINISHED, 1, 0.1, 1.0, 0.1, 1)


class Bench:
    """A batcher with a clock of its own and a list of what came out, each with its time."""

    def __init__(self) -> None:
        self.now = 100.0
        self.out: list[tuple[float, Event]] = []
        self.batcher = TextBatcher(lambda event: self.out.append((self.now, event)), clock=lambda: self.now)

    @property
    def texts(self) -> list[str]:
        return [event.text for _, event in self.out if isinstance(event, TextDelta)]


def delta(text: str, run_id: int = 1, lane: int = 0, kind: TextKind = "text") -> TextDelta:
    return TextDelta(run_id, lane, text, (Token(len(text), 0, len(text)),), kind)


def test_fast_text_is_merged_and_slow_text_passes() -> None:
    bench = Bench()
    for text in "abcdef":
        bench.batcher(delta(text))
        bench.now += 0.006
    assert bench.texts == ["a"]
    bench.batcher(delta("g"))
    assert bench.texts == ["a", "bcdefg"]
    bench.now += 0.1
    bench.batcher(delta("h"))
    bench.now += 0.017
    bench.batcher(delta("i"))
    assert bench.texts == ["a", "bcdefg", "h", "i"]
    assert [len(event.tokens) for _, event in bench.out if isinstance(event, TextDelta)] == [1, 6, 1, 1]


def test_tokens_without_ids_are_summed_up() -> None:
    bench = Bench()
    for text in "abc":
        bench.batcher(TextDelta(1, 0, text, (), uncounted=2))
    bench.batcher.flush()
    assert [event.uncounted for _, event in bench.out if isinstance(event, TextDelta)] == [2, 4]


def test_the_last_words_of_a_turn_do_not_wait_for_the_next_one_of_their_answer() -> None:
    for other in (delta("x", lane=1), delta("x", run_id=2), PrefillProgress(2, 1, 2, 0, 1.0), TrieChanged(TrieView(1))):
        bench = Bench()
        bench.batcher(delta("a"))
        bench.now += 0.015
        bench.batcher(delta("b"))
        assert bench.texts == ["a"]
        bench.now += 0.022
        bench.batcher(other)
        assert bench.texts[:2] == ["a", "b"]


def test_the_last_words_of_a_turn_wait_for_nothing() -> None:
    """Until others come to a word, their state may have to be brought back."""
    bench = Bench()
    bench.batcher(delta("a"))
    bench.batcher(delta("b"))
    bench.batcher(replace(delta("c"), ends_turn=True))
    assert bench.texts == ["a", "bc"]
    bench.batcher(delta("d"))
    assert bench.texts == ["a", "bc"], "the next turn begins as any other"


def test_the_end_of_a_run_does_not_overtake_its_text() -> None:
    bench = Bench()
    bench.batcher(delta("a"))
    bench.batcher(delta("b"))
    bench.batcher(RunFinished(1, 0, "ab", (1, 2), STATS))
    assert bench.texts == ["a", "b"]
    assert isinstance(bench.out[-1][1], RunFinished)


def test_a_thought_and_the_text_after_it_are_never_one_delta() -> None:
    bench = Bench()
    for text in "abc":
        bench.batcher(delta(text, kind="thinking"))
    for text in "def":
        bench.batcher(delta(text))
    bench.batcher.flush()
    assert [(event.kind, event.text) for _, event in bench.out if isinstance(event, TextDelta)] == [
        ("thinking", "a"),
        ("thinking", "bc"),
        ("text", "def"),
    ]


def test_other_news_does_not_flush_text() -> None:
    bench = Bench()
    bench.batcher(delta("a"))
    bench.batcher(delta("b"))
    bench.batcher(TrieChanged(TrieView(1)))
    bench.batcher(PrefillProgress(2, 1, 2, 0, 1.0))
    assert bench.texts == ["a"]
    bench.batcher.flush()
    assert bench.texts == ["a", "b"]


def test_a_new_run_starts_afresh() -> None:
    bench = Bench()
    bench.batcher(delta("a"))
    bench.batcher(RunFinished(1, 0, "a", (1,), STATS))
    bench.batcher(RunStarted(1, REQUEST, (1,)))
    bench.batcher(delta("b"))
    assert bench.texts == ["a", "b"]


def test_any_stream_leaves_whole_in_order_and_no_faster_than_a_frame() -> None:
    rng = random.Random(5)
    bench, sent, waits = Bench(), {0: "", 1: ""}, dict[int, float]()
    for number in range(2000):
        lane = rng.randint(0, 1)
        text = rng.choice(["", "x", f"word{number} "])
        sent[lane] += text
        before = len(bench.out)
        bench.batcher(delta(text, lane=lane))
        waits.setdefault(lane, bench.now)
        for _, event in bench.out[before:]:
            waits.pop(getattr(event, "lane", -1), None)
        assert all(bench.now - since < 0.0361 for since in waits.values())
        bench.now += rng.choice([0.0, 0.001, 0.01, 0.05])
    bench.now += 1
    bench.batcher.flush()
    for lane in sent:
        of_lane = [(at, event) for at, event in bench.out if isinstance(event, TextDelta) and event.lane == lane]
        assert "".join(event.text for _, event in of_lane) == sent[lane]
        times = [at for at, _ in of_lane]
        assert min(later - earlier for earlier, later in pairwise(times)) >= 0.0159
