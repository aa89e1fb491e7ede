"""Going back to any message of a long chat computes nothing again, whatever the model keeps."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence

import mlx.core as mx
import pytest

from app.kvcache.invariants import check
from app.kvcache.prefix_cache import PrefixCache
from app.protocol.reports import RequestReport
from tests.bench.paper import PaperCache
from tests.kvcache.chats import END, Chat
from tests.kvcache.comparison import VOCABULARY, cache_of, require_same
from tests.seeds import each_seed

TURNS = 20
TURNS_OF_REAL = 8
ACTIONS = 60
PAPER = {"rows": (64 << 10, 0), "rows and states": (16 << 10, 60_000_000), "states": (0, 60_000_000)}
# A sliding window beside rows, attention sinks, compounds, rows beside states, states alone, chunks, quantized rows.
REAL = ["gemma3", "gpt_oss", "falcon_h1", "lfm2", "mamba2", "llama4", "llama_quantized"]
ROWS = ["rows", "gemma3", "gpt_oss", "llama4", "llama_quantized"]  # what can be cut anywhere


class Reader:
    """Somebody with a chat: `go_on`, `ask` and `fork` each make one request, and `last` is its report."""

    def __init__(self, cache: PrefixCache, chat: Chat, turns: int = TURNS) -> None:
        self.cache, self.chat, self.turns = cache, chat, turns
        self.last = RequestReport(0, 0, 0, 0)

    def ask(self, question: int) -> int:
        """Have a question answered, or answered again. Returns the answer's number."""
        ids, points, _ = self.chat.prompt(question)
        answer = self.chat.add(question)
        self._request(ids, self.chat.messages[answer].tokens, points)
        return answer

    def write(self) -> None:
        """The whole chat turn by turn."""
        answer: int | None = None
        for _ in range(self.turns):
            answer = self.ask(self.chat.add(answer))
            assert self.last.excess == 0

    def load(self) -> None:
        """The whole chat in one request, with a question after its last answer."""
        answer: int | None = None
        for _ in range(self.turns):
            answer = self.chat.add(self.chat.add(answer))
        self.ask(self.chat.add(answer))
        assert self.last.seen == 0

    def act(self) -> str:
        """Edit a question from its first word on, regenerate an answer, or ask on after an answer, anywhere."""
        chat = self.chat
        action = chat.random.choice(["edit", "regenerate", "ask on"])
        if action == "regenerate":
            question = chat.random.choice(chat.questions())
        else:
            after = chat.random.choice(chat.answers())
            question = chat.add(chat.messages[chat.messages[after].parent or 0].parent if action == "edit" else after)
        self.ask(question)
        return action

    def fork(self, ids: Sequence[int], points: Sequence[int]) -> None:
        """A request that leaves `ids` at their end, on words of its own."""
        self._request([*ids, *self.chat.words(8)], self.chat.words(4), points)

    def _request(self, prompt: Sequence[int], answer: Sequence[int], points: Sequence[int]) -> None:
        with self.cache.begin(prompt, points, owner="chat") as session:
            self.last = session.report
            while session.prefill(512):
                pass
            if isinstance(self.cache, PaperCache):
                self.cache.active.compute(array("i", [prompt[-1]]))
                self.cache.active.compute(array("i", answer))
            else:
                for token in (prompt[-1], *answer):
                    mx.eval(session.decode(token))


def paper(kind: str, seed: int, grid: int = 0) -> Reader:
    """A chat of 20 turns, 40 and 250 tokens each, over layers that are only sizes."""
    return Reader(PaperCache(*PAPER[kind], budget_bytes=1 << 60, grid=grid), Chat(seed))


def real(kind: str, seed: int, grid: int = 0) -> Reader:
    """The same shape on a real model, scaled down to 8 turns, 5 and 17 tokens each."""
    cache = cache_of(kind)
    cache.grid = grid // 4
    return Reader(cache, Chat(seed, VOCABULARY, question=5, answer=17), TURNS_OF_REAL)


LAYOUTS: list[tuple[Callable[..., Reader], str]] = [(paper, kind) for kind in PAPER] + [(real, kind) for kind in REAL]
CASES = pytest.mark.parametrize(("reader_of", "kind"), LAYOUTS, ids=[kind for _, kind in LAYOUTS])


class TestAnyMessage:
    @CASES
    @pytest.mark.parametrize("beginning", ["write", "load"])
    def test_in_any_order(self, reader_of: Callable[..., Reader], kind: str, beginning: str) -> None:
        reader = reader_of(kind, seed=1)
        getattr(reader, beginning)()
        for number in range(ACTIONS if reader_of is paper else ACTIONS // 5):
            action = reader.act()
            assert reader.last.excess == 0, f"{action}, {number} after the chat: {reader.last}"
        if reader_of is real:
            check(reader.cache)
            require_same(reader.cache, _live_tokens(reader.cache), {})

    @pytest.mark.parametrize("kind", list(PAPER))
    @pytest.mark.parametrize("beginning", ["write", "load"])
    @each_seed(range(2, 6))
    def test_in_other_orders(self, kind: str, seed: int, beginning: str) -> None:
        reader = paper(kind, seed, grid=256 * (seed % 2))
        getattr(reader, beginning)()
        for _ in range(ACTIONS):
            reader.act()
            assert reader.last.excess == 0

    @pytest.mark.parametrize("kind", list(PAPER))
    def test_only_what_is_new_is_computed(self, kind: str) -> None:
        """Excess 0 would also be had by forgetting: so this is counted by hand."""
        reader = paper(kind, seed=7)
        reader.write()
        for question in reader.chat.questions():
            reader.ask(question)
            assert reader.last.left == 1
        for question in reader.chat.questions():
            parent = reader.chat.messages[question].parent
            reader.ask(reader.chat.add(parent))
            assert reader.last.left == 40 + len([END]) + 3


class TestAnyToken:
    """The first time somebody forks inside a message, and the second time."""

    @CASES
    @pytest.mark.parametrize("grid", [0, 256])
    @pytest.mark.parametrize("beginning", ["write", "load"])
    def test_costs_little_once_and_nothing_again(
        self, reader_of: Callable[..., Reader], kind: str, grid: int, beginning: str
    ) -> None:
        reader = reader_of(kind, seed=3, grid=grid)
        getattr(reader, beginning)()
        ids, points, _ = reader.chat.prompt(reader.chat.questions()[-1])
        for _ in range(ACTIONS if reader_of is paper else 4):
            offset = reader.chat.random.randrange(points[0], len(ids) - 1)
            kept = [point for point in points if point <= offset]
            reader.fork(ids[:offset], kept)
            bound = min(offset - kept[-1], grid or offset) if kind not in ROWS else 0
            assert reader.last.excess <= bound, f"at {offset}, {kept[-1]} before it: {reader.last}"
            reader.fork(ids[:offset], kept)
            assert reader.last.excess == 0
        if reader_of is real:
            check(reader.cache)

    @pytest.mark.parametrize("kind", ["rows and states", "states"])
    def test_the_grid_cuts_long_messages(self, kind: str) -> None:
        """A pasted question of 3,000 tokens: 256 at most, 2,999 without the grid."""
        worst = {}
        for grid in (0, 256):
            reader = paper(kind, seed=4, grid=grid)
            reader.chat.question = 3000
            reader.ask(reader.chat.add(None))
            ids, points, starts = reader.chat.prompt(0)
            excesses = []
            for offset in range(starts[0] + 255, 3000, 311):
                reader.fork(ids[:offset], points[:1])
                excesses.append(reader.last.excess)
            worst[grid] = max(excesses)
        assert worst[256] <= 256 < 280 <= worst[0]


class TestLongAnswers:
    def test_the_grid_goes_on_while_an_answer_is_written(self) -> None:
        cache = cache_of("lfm2")
        chat = Chat(5, VOCABULARY, question=5, answer=700)
        reader = Reader(cache, chat)
        answer = reader.ask(chat.add(None))
        whole = [*chat.prompt(0).ids, *chat.messages[answer].tokens]
        for offset in (300, 650):
            reader.fork(whole[:offset], [])
            assert 0 < reader.last.excess <= 256
            reader.fork(whole[:offset], [])
            assert reader.last.excess == 0


def _live_tokens(cache: PrefixCache) -> list[int]:
    return [token for node in cache.active.path for token in node.tokens]
