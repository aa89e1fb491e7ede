"""Several answers against the same ones one after another: their speed, their bytes, and when they are seen.

And what it costs to say of each token what else could have stood: the speed of decoding, and the bytes.

Run as `python -m tests.bench.lanes`; writes build/bench/lanes.json. Each answer begins with `SUFFIX` tokens of its own,
which are what is brought in and out at each turn. Both ways write a few tokens each by turns, and what is measured is
processor time, so that whatever else the machine does meets both alike. How long the words of three answers take to be
seen in their columns is measured in a window, by the clock: that wants a machine that is quiet.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import count
from pathlib import Path
from random import Random
from statistics import median
from tempfile import TemporaryDirectory

import mlx.core as mx

from app.conversation.kept_choices import compress
from app.engine.loop import EngineLoop
from app.engine.model import LoadedModel
from app.engine.open_model import OpenModel
from app.kvcache.prefix_cache import PrefixCache
from app.protocol.chat import Sampling, Turn
from app.protocol.commands import Generate, Lane, LoadModel, Shutdown
from app.protocol.events import Event, RunFinished, TextDelta
from tests.bench.decode import LARGE, with_alternatives, write_model
from tests.bench.decode import LEAST as LEAST_DECODE
from tests.bench.models import GUIDE
from tests.bench.report import machine, say, write
from tests.bench.window import BARS, part

LEAST = 0.95  # of the speed of one after another
MOST_BYTES = 1.02  # of the least that the answers can take together
MOST_BYTES_A_TOKEN = 10
SEEN = ("token_to_pixels_p95_ms", "p99_ms")
LANES = (2, 4, 8)
SUFFIX = 500  # tokens
SLICE = 32  # tokens between two looks at the clock
_QUESTION = Turn("user", "Tell me a story about a fox and the other fox. " * 12)
_BUDGET = 1 << 33
_ASKED = ("How do I fork a conversation?", "What is the cache pane?", "Who are you?", "What is 7 times 8?")


@dataclass(frozen=True, slots=True)
class Row:
    """So many answers to one question. turns_ratio: of their speed to that of one after another.

    turns_ms, alone_ms: processor milliseconds for a token. bytes_over_least: what is held, of what would be with the
    prompt held once and each answer by itself.
    """

    model: str
    lanes: int
    turns_ms: float
    alone_ms: float
    turns_ratio: float
    bytes_over_least: float


class Engine:
    """An engine that writes answers to one question, each with a beginning of its own, and heeds no end token."""

    def __init__(self, model: LoadedModel, ways: Sequence[Lane]) -> None:
        """Read the prompt and all beginnings."""
        self._begun: set[int] = set()
        self._loop = EngineLoop(self._keep)
        self._open = self._loop.open_model = OpenModel(model, _BUDGET, self._keep, count(1))
        first = ways[0]
        self._loop.submit(Generate(1, (_QUESTION,), first.sampling, "bench", first.forced, tuple(ways[1:])))
        while len(self._begun) < len(ways):
            self._loop.step()

    def write(self, tokens: int) -> float:
        """Write so many tokens, each of which is a step. Returns the seconds of processor time that took."""
        begun = time.process_time()
        for _ in range(tokens):
            self._loop.step()
        mx.synchronize()
        return time.process_time() - begun

    @property
    def cache(self) -> PrefixCache:
        return self._open.cache

    @property
    def nbytes(self) -> int:
        return self.cache.live_bytes + self.cache.paged_bytes

    def bytes_of(self, tokens: int) -> int:
        """Bytes of the first tokens: their rows, and the whole states that are stored there."""
        states = [node.stored.state for node in self.cache.trie if node.end <= tokens]
        return self.cache.paths.row_bytes * tokens + sum(state.nbytes for state in states if state is not None)

    def _keep(self, event: Event) -> None:
        if isinstance(event, TextDelta):
            self._begun.add(event.lane)


def ways_of(model: LoadedModel, lanes: int) -> list[Lane]:
    """So many answers, each with a seed and a beginning of its own, from its first token on."""
    words, known = Random(lanes), sorted(set(model.codec.plain("abcdefgh, the other fox told a story")))
    beginnings = [(known[lane], *words.choices(known, k=SUFFIX - 1)) for lane in range(lanes)]
    return [Lane(Sampling(seed=lane), beginning) for lane, beginning in enumerate(beginnings)]


def compare(name: str, model: LoadedModel, lanes: int, pairs: int) -> Row:
    """Write so many answers by turns, and the same in engines of their own, one after another."""
    ways = ways_of(model, lanes)
    together, alone = Engine(model, ways), [Engine(model, [way]) for way in ways]
    seconds: list[tuple[float, float]] = []
    for number in range(-1, pairs):
        other = alone[number % lanes]
        order = [together, other] if number % 2 else [other, together]
        spent = {id(engine): engine.write(SLICE) for engine in order}
        if number >= 0:
            seconds.append((spent[id(together)], spent[id(other)]))
    together.cache.record()
    prompt = len(model.prompts.build((_QUESTION,)).ids)
    least = sum(engine.nbytes for engine in alone) - sum(engine.bytes_of(prompt - 1) for engine in alone[1:])
    turns, ones = (median(column) / SLICE * 1e3 for column in zip(*seconds, strict=True))
    ratio = median(one / turn for turn, one in seconds)
    return Row(name, lanes, round(turns, 3), round(ones, 3), round(ratio, 4), round(together.nbytes / least, 4))


def measure(name: str, folder: Path, pairs: int, lanes: Sequence[int] = LANES) -> list[Row]:
    """Compare on one model, for each number of answers."""
    loop = EngineLoop(lambda _event: None)
    loop.submit(LoadModel(str(folder)))
    while loop.step():
        pass
    if loop.open_model is None:
        raise RuntimeError(f"{folder} was not opened")
    model = loop.open_model.model
    model.codec.stop_ids = frozenset()
    rows = []
    for number in lanes:
        rows.append(compare(name, model, number, pairs))
        say(line(rows[-1]))
    loop.submit(Shutdown())
    loop.step()
    return rows


def bytes_per_token() -> float:
    """Bytes that a database keeps of what the tokens of the guide's answers were chosen from."""
    events: list[Event] = []
    loop = EngineLoop(events.append)
    loop.submit(LoadModel(str(GUIDE)))
    for number, words in enumerate(_ASKED):
        sampling = Sampling(temperature=0.8, max_tokens=120, seed=number)
        loop.submit(Generate(number, (Turn("user", words),), sampling, owner="bench", alternatives=True))
    while loop.step():
        pass
    loop.submit(Shutdown())
    loop.step()
    answers = [event for event in events if isinstance(event, RunFinished)]
    return sum(len(compress(one.choices)) for one in answers) / sum(len(one.ids) for one in answers)


def line(row: Row) -> str:
    speed = f"{row.turns_ratio:.3f} of the speed of one after another ({row.turns_ms} and {row.alone_ms} ms a token)"
    return f"{row.model}, {row.lanes} by turns: {speed}, {row.bytes_over_least:.3f} of the least bytes"


def main() -> int:
    """Measure both models, and the window; 1 when turns or alternatives are slower, take more, or are seen later than
    promised.
    """
    rows = measure("guide", GUIDE, 40)
    with TemporaryDirectory() as folder:
        rows += measure("random llama, 57 M", write_model(Path(folder), LARGE), 12, LANES[:2])
        seen = part("lanes", Path(folder) / "window")
        alternatives = with_alternatives(Path(folder))
    nbytes = round(bytes_per_token(), 2)
    say(f"{nbytes} bytes a token for what else could have stood")
    say(", ".join(f"{name} {value}" for name, value in seen.items()))
    ratios = {str(lanes): min(row.turns_ratio for row in rows if row.lanes == lanes) for lanes in LANES}
    most = max(row.bytes_over_least for row in rows)
    content = {"turns_ratio": ratios, "bytes_over_least": most, **seen, "machine": machine()}
    content |= {"alternatives_decode": alternatives, "bytes_per_token": nbytes}
    write("lanes.json", {**content, "rows": [asdict(row) for row in rows]})
    slowest, told = min(ratios.values()), min(alternatives.values())
    missed = [f"{name} is {seen[name]}, wanted {BARS[name]}" for name in SEEN if seen[name] > BARS[name]]
    missed += [f"{slowest} of the speed of one after another, wanted {LEAST}"] * (slowest < LEAST)
    missed += [f"{most} of the least bytes, wanted {MOST_BYTES}"] * (most > MOST_BYTES)
    missed += [f"{told} of mlx-lm's speed with alternatives, wanted {LEAST_DECODE}"] * (told < LEAST_DECODE)
    missed += [f"{nbytes} bytes a token, wanted {MOST_BYTES_A_TOKEN}"] * (nbytes > MOST_BYTES_A_TOKEN)
    for one in missed:
        say(one)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
