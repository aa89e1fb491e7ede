"""What asking a server costs, beside what the server itself takes, and how well its cache is known from here.

Run as `python -m tests.bench.remote`; writes build/bench/remote.json. The servers are real ones on this machine with
the guide: llama.cpp's and mlx_lm.server. Tokens are the servers' own counts. Times are those of pairs in one run: the
same request by the program's engine and by a bare client, by turns. Where a question goes among several servers is told
by the very code that chooses, over simulated ones.
"""

from __future__ import annotations

import json
import sys
import time
import urllib.request
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from random import Random
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from app.launch.paths import guide_model
from app.protocol.chat import Sampling, Turn
from app.protocol.commands import EstimateCost, Generate
from app.protocol.events import CostEstimate, RunFinished, TextDelta
from app.protocol.servers import Server
from app.remote import kinds
from app.remote.client import Client
from app.remote.record import Record, Rule
from app.remote.routing import Replica, Replicas
from tests.bench import workload
from tests.bench.report import machine, say, write
from tests.remote.asker import Asker, asking
from tests.remote.guide_gguf import write_gguf
from tests.remote.started import Started, look_at, opened

MOST_ADDED_MS = 10.0
LEAST_RATE = 0.98
NEAR = 16  # tokens that a prediction may be off where prompts go as messages
PAIRS = 24
_GREEDY = Sampling(temperature=0.0, max_tokens=24)
_WORDS = ("branch", "fork", "message", "trie", "model", "window", "cache", "answer", "question", "token", "disk", "key")
_STORY = "Tell me a story about a fox"


@contextmanager
def servers() -> Iterator[Mapping[str, Started]]:
    """Start both servers."""
    with TemporaryDirectory() as folder:
        weights = Path(folder) / "guide.gguf"
        write_gguf(guide_model(), weights)
        python, found = sys.executable, {}
        commands: dict[str, Callable[[int], Sequence[str]]] = {
            "llama.cpp": lambda port: [python, "-m", "tests.remote.llama_server", str(weights), str(port)],
            "mlx_lm.server": lambda port: [
                *(python, "-m", "mlx_lm", "server", "--model", str(guide_model()), "--port", str(port)),
            ],
        }
        try:
            for name, command in commands.items():
                (Path(folder) / name).mkdir()
                found[name] = Started(command, Path(folder) / name)
            yield found
        finally:
            for one in found.values():
                one.kill()


# What is read


def explored(asker: Asker) -> Iterator[tuple[Sequence[Turn], RunFinished, CostEstimate]]:
    """Ask eight questions, fork at each, and switch twenty times to another branch."""
    dice, run = Random(1), 0

    def ask(branch: Sequence[Turn]) -> tuple[Sequence[Turn], RunFinished, CostEstimate]:
        nonlocal run
        run += 1
        words = " ".join(dice.choice(_WORDS) for _ in range(24))
        turns = (*branch, Turn("user", f"What is {words}?"))
        asker.do(EstimateCost(run, turns))
        cost = asker.wait(CostEstimate, run)
        done = asker.answer(run, turns, sampling=_GREEDY)
        assert isinstance(done, RunFinished), done
        return (*turns, Turn("assistant", done.text)), done, cost

    branch: Sequence[Turn] = ()
    forks, leaves = [], []
    for _ in range(8):
        forks.append(branch)
        branch, done, cost = ask(branch)
        yield branch, done, cost
    leaves.append(branch)
    for fork in forks:
        leaf, done, cost = ask(fork)
        leaves.append(leaf)
        yield leaf, done, cost
    last = len(leaves) - 1
    for _ in range(20):
        last = dice.choice([number for number in range(len(leaves)) if number != last])
        leaves[last], done, cost = ask(leaves[last])
        yield leaves[last], done, cost


def tokens(name: str, started: Started) -> tuple[dict[str, Any], float]:
    """Return what a server read of a branching conversation with the least that can be, and how well that was known."""
    ends: dict[tuple[Turn, ...], int] = {(): 0}
    evaluated = least = right = asked = 0
    with asking() as asker:
        opened(asker, started.server)
        for branch, done, cost in explored(asker):
            request = done.stats.request
            evaluated += request.left
            *before, _question, _answer = branch
            least += request.total - min(ends[tuple(before)], request.total - 1)
            ends[tuple(branch)] = request.total + done.stats.tokens
            right += abs(request.cached - cost.request.cached) <= NEAR
            asked += 1
    return {"server": name, "workload": "explore", "evaluated": evaluated, "least": least}, round(right / asked, 3)


# Time


def bare(started: Started, model: str, words: str, most: int) -> tuple[float, float]:
    """Ask with a bare client; returns the seconds to the first word and the tokens a second after it."""
    body = {
        "model": model,
        "messages": [{"role": "user", "content": words}],
        "stream": True,
        "temperature": 0.0,
        "max_tokens": most,
    }
    request = urllib.request.Request(
        f"{started.server.url}/v1/chat/completions", json.dumps(body).encode(), {"Content-Type": "application/json"}
    )
    begun, first, count = time.perf_counter(), 0.0, 0
    with urllib.request.urlopen(request, timeout=60) as answer:
        for line in answer:
            if not line.startswith(b"data: {"):
                continue
            choices = json.loads(line[6:]).get("choices")
            delta = choices[0]["delta"] if choices else {}
            if delta.get("content"):
                count += 1
                first = first or time.perf_counter()
    return first - begun, (count - 1) / (time.perf_counter() - first)


def ours(asker: Asker, run: int, words: str, most: int) -> tuple[float, float]:
    """Ask with the program's engine; returns the same figures."""
    seen = asker.count(TextDelta)
    begun = time.perf_counter()
    asker.do(Generate(run, (Turn("user", words),), Sampling(temperature=0.0, max_tokens=most)))
    asker.wait(TextDelta, seen + 1)
    first = time.perf_counter()
    done = asker.wait(RunFinished, asker.count(RunFinished) + 1)
    return first - begun, done.stats.rate


def times(started: Started) -> tuple[float, float]:
    """Return the milliseconds that the engine adds to the first word, and its rate as a share of the bare one."""
    model = look_at(started.server).models[-1].name
    added, ratios = [], []
    with asking() as asker:
        opened(asker, started.server)
        asks = (lambda _run: bare(started, model, _STORY, 90), lambda run: ours(asker, run, _STORY, 90))
        for pair in range(PAIRS):
            order = (0, 1) if pair % 2 else (1, 0)
            found = {which: asks[which](pair + 1) for which in order}
            added.append((found[1][0] - found[0][0]) * 1e3)
            ratios.append(found[1][1] / found[0][1])
    return round(median(added), 2), round(median(ratios), 3)


# Routing


class _Simulated(Replica):
    """A server that keeps whole blocks of all that it was sent."""

    def __init__(self, number: int) -> None:
        super().__init__(Client(Server("a", "S", f"http://s{number}:80")), kinds.VLLM, None)
        self.record, self.evaluated = Record(Rule(16)), 0

    def left(self, command: Generate) -> int:
        return len(command.ids) - self.record.predicted(command.ids)

    def read(self, turn: workload.Turn) -> None:
        self.evaluated += len(turn.prompt) - self.record.predicted(turn.prompt)
        self.record.take(turn.whole, (), "a")


def routed(count: int, people: int) -> dict[str, Any]:
    """Return what servers read where questions go to the one that should end soonest, and where they go round."""
    authors = [workload.explore()] if people == 1 else [_own(person) for person in range(people)]
    dice, rest = Random(9), [list(reversed(turns)) for turns in authors]
    requests = []
    while any(rest):
        person = dice.choice([number for number, turns in enumerate(rest) if turns])
        requests.append((str(person), rest[person].pop()))
    found: dict[str, Any] = {"servers": count, "people": people}
    for name in ("soonest end", "round robin"):
        all_of_them = [_Simulated(number) for number in range(count)]
        replicas = Replicas(all_of_them)
        under_way: deque[ExitStack] = deque()
        for number, (owner, turn) in enumerate(requests):
            command = Generate(1, (), Sampling(), owner, ids=turn.prompt)
            chosen = replicas.choose(command) if name == "soonest end" else all_of_them[number % count]
            under_way.append(ExitStack())
            under_way[-1].enter_context(replicas.asking(chosen, command))
            next(one for one in all_of_them if one is chosen).read(turn)
            if len(under_way) == people:  # each has one question at a time
                under_way.popleft().close()
        evaluated = [one.evaluated for one in all_of_them]
        busiest = max(evaluated) / (sum(evaluated) / count)
        found[name] = {"evaluated": sum(evaluated), "busiest": round(busiest, 2)}
    return found


def _own(person: int) -> list[workload.Turn]:
    """Return the branching conversation of somebody who shares a system prompt with the others."""
    shared = workload.Author(1).words(512)
    author = workload.Author(100 + person)
    branch = workload.Branch(shared)
    leaves = []
    for _ in range(8):
        leaves.append(branch)
        branch = author.ask(branch)
    for leaf in leaves:
        author.ask(leaf)
    return author.turns


def main() -> int:
    """Measure everything; 1 when a bar is missed."""
    rows, right, wrong = [], {}, []
    with servers() as started:
        for name, one in started.items():
            row, share = tokens(name, one)
            rows.append(row)
            right[name] = share
            say(f"{name}: {row['evaluated']} tokens evaluated, {row['least']} the least; {share:.0%} foreseen")
        added, ratio = times(started["mlx_lm.server"])
    say(f"the first word comes {added} ms later than by a bare client; rate {ratio} of its")
    routing = [routed(count, people) for people in (1, 16) for count in (2, 4, 8)]
    for found in routing:
        say(json.dumps(found))
    if added > MOST_ADDED_MS:
        wrong.append(f"first_token_added_ms is {added}, wanted {MOST_ADDED_MS}")
    if ratio < LEAST_RATE:
        wrong.append(f"rate_ratio is {ratio}, wanted {LEAST_RATE}")
    write(
        "remote.json",
        {
            **machine(),
            "tokens": rows,
            "predicted_right": right,
            "first_token_added_ms": added,
            "rate_ratio": ratio,
            "routing": routing,
            "api": None,
        },
    )
    for sentence in wrong:
        say(sentence)
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
