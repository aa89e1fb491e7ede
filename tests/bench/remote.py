"""What asking a server costs, beside what the server itself takes, and how well its cache is known from here.

Run as `python -m tests.bench.remote`; writes build/bench/remote.json. The servers are real ones on this machine with
the guide: llama.cpp's and mlx_lm.server. Tokens are the servers' own counts. Times are those of pairs in one run: the
same request by the program's engine and by a bare client, by turns. Where a question goes among several servers is told
by the very code that chooses, over simulated ones. What other programs cost the window that are answered by its model
is `api`.
"""

from __future__ import annotations

import json
import sys
import time
import urllib.request
from collections import deque
from contextlib import ExitStack
from random import Random
from statistics import median
from typing import Any

from app.protocol.chat import Sampling, Turn
from app.protocol.commands import Generate
from app.protocol.events import RunFinished, TextDelta
from app.protocol.servers import Server
from app.remote import kinds
from app.remote.client import Client
from app.remote.record import Record, Rule
from app.remote.routing import Replica, Replicas
from tests.bench import api, workload
from tests.bench.peers import NEAR, line, of_servers, servers
from tests.bench.report import machine, say, write
from tests.remote.asker import Asker, asking
from tests.remote.started import Started, look_at, opened

MOST_ADDED_MS = 10.0
LEAST_RATE = 0.98
PAIRS = 24
_STORY = "Tell me a story about a fox"


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


def routed(count: int, people: int, play: str = "explore") -> dict[str, Any]:
    """Return what servers read where questions go to the one that should end soonest, and where they go round.

    play: what one person does; several have a conversation of their own each.
    """
    authors = [workload.WORKLOADS[play]()] if people == 1 else [_own(person) for person in range(people)]
    dice, rest = Random(9), [list(reversed(turns)) for turns in authors]
    requests = []
    while any(rest):
        person = dice.choice([number for number, turns in enumerate(rest) if turns])
        requests.append((str(person), rest[person].pop()))
    found: dict[str, Any] = {"servers": count, "people": people, "workload": play if people == 1 else "own"}
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
    wrong = []
    with servers() as started:
        found = list(of_servers(started, ("explore",)))  # the other one takes an hour where much is read again
        added, ratio = times(started["mlx_lm.server"])
    say(f"the first word comes {added} ms later than by a bare client; rate {ratio} of its")
    plays = ((1, "explore"), (1, "wide"), (16, "explore"))
    routing = [routed(count, people, play) for people, play in plays for count in (2, 4, 8)]
    for told in (*map(line, found), *map(json.dumps, routing)):
        say(told)
    figures = api.measure()
    most = api.bars(figures)
    for told in api.lines(figures, most):
        say(told)
    wrong += [f"{name} is {figures[name]}, wanted {bar}" for name, bar in most.items() if figures[name] > bar]
    if added > MOST_ADDED_MS:
        wrong.append(f"first_token_added_ms is {added}, wanted {MOST_ADDED_MS}")
    if ratio < LEAST_RATE:
        wrong.append(f"rate_ratio is {ratio}, wanted {LEAST_RATE}")
    write(
        "remote.json",
        {
            **machine(),
            "tokens": [
                {"server": row.server, "workload": row.workload, "evaluated": row.evaluated, "least": row.least}
                for row in found
            ],
            "predicted_right": {row.server: row.foreseen for row in found},
            "predicted_nearly": {row.server: row.nearly for row in found},
            "nearly_tokens": NEAR,
            "first_token_added_ms": added,
            "rate_ratio": ratio,
            "routing": routing,
            "api": figures,
        },
    )
    for sentence in wrong:
        say(sentence)
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
