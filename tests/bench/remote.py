"""What asking a server costs, beside what the server itself takes, and how well its cache is known from here.

Run as `python -m tests.bench.remote`; writes build/bench/remote.json. The servers are real ones on this machine with
the guide: llama.cpp's, which is sent token ids, and mlx_lm.server, which is sent messages. Tokens are the servers' own
counts. Times are those of pairs in one run: the very same request by the program's engine and by a bare client, by
turns. Where a question goes among several servers is told
by the very code that chooses, over simulated ones. What other programs cost the window that are answered by its model
is `api`.
"""

from __future__ import annotations

import json
import sys
import time
import urllib.request
from collections import deque
from collections.abc import AsyncGenerator, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from random import Random
from statistics import median
from typing import Any
from unittest.mock import patch

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
from tests.remote.endurance import IDLE_WITHIN, Endurance, Figures, has_free_slots
from tests.remote.started import Started, opened

MOST_ADDED_MS = 10.0
LEAST_RATE = 0.98
MOST_STOP_MS = 50.0
LEAST_FORESEEN = {"llama.cpp": 0.6, "mlx_lm.server": 0.6}  # of branches that were not sent before, to the token
PAIRS = 24
_STORY = "Tell me a story about a fox"


# Time


Request = tuple[str, Mapping[str, Any]]


@contextmanager
def listened() -> Iterator[list[Request]]:
    """Note what the engine sends, as paths and bodies."""
    sent: list[Request] = []
    events = Client.events

    def listening(client: Client, path: str, body: Mapping[str, Any], *more: Any) -> AsyncGenerator[str]:
        sent.append((path, body))
        return events(client, path, body, *more)

    with patch.object(Client, "events", listening):
        yield sent


def bare(started: Started, sent: Request) -> tuple[float, float]:
    """Send a request with a bare client; returns the seconds to the first word and the tokens a second after it."""
    path, body = sent
    request = urllib.request.Request(
        started.server.url + path, json.dumps(body).encode(), {"Content-Type": "application/json"}
    )
    begun, first, count = time.perf_counter(), 0.0, 0
    with urllib.request.urlopen(request, timeout=60) as answer:
        for line in answer:
            if line.startswith(b"data: {") and _has_words(json.loads(line[6:])):
                count += 1
                first = first or time.perf_counter()
    return first - begun, (count - 1) / (time.perf_counter() - first)


def _has_words(event: Mapping[str, Any]) -> bool:
    """Return whether an event of a chat, or of an answer to ids, has words."""
    choices = event.get("choices")
    return bool(choices[0]["delta"].get("content") if choices else event.get("content"))


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
    added, ratios = [], []
    with asking() as asker, listened() as sent:
        opened(asker, started.server)
        ours(asker, PAIRS + 1, _STORY, 90)
        asks = (lambda _run: bare(started, sent[-1]), lambda run: ours(asker, run, _STORY, 90))
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


def stops(started: Started) -> tuple[float, float]:
    """Return the milliseconds from a stop until the answer has ended, and the most until the server is idle."""
    figures = Figures()
    with asking() as asker:
        opened(asker, started.server)
        tried = Endurance(asker, started.kill, started.start, Random(3), figures)
        tried.stop(PAIRS, lambda: has_free_slots(started.server))
    return round(median(figures.stops) * 1e3, 1), round(max(figures.idle) * 1e3, 1)


def main() -> int:
    """Measure everything; 1 when a bar is missed."""
    wrong, asked, most_of, least_of = [], dict[str, float](), dict[str, float](), dict[str, float]()
    with servers() as started:
        found = list(of_servers(started, ("explore",)))  # the other one takes an hour where much is read again
        for end, name in (("", "mlx_lm.server"), ("_ids", "llama.cpp")):
            asked[f"first_token_added{end}_ms"], asked[f"rate_ratio{end}"] = times(started[name])
            most_of[f"first_token_added{end}_ms"], least_of[f"rate_ratio{end}"] = MOST_ADDED_MS, LEAST_RATE
        asked["stop_ms"], asked["idle_after_stop_ms"] = stops(started["llama.cpp"])
    most_of |= {"stop_ms": MOST_STOP_MS, "idle_after_stop_ms": 1e3 * IDLE_WITHIN}
    for name, value in asked.items():
        say(f"{name:24} {value}")
    plays = ((1, "explore"), (1, "wide"), (16, "explore"))
    routing = [routed(count, people, play) for people, play in plays for count in (2, 4, 8)]
    for told in (*map(line, found), *map(json.dumps, routing)):
        say(told)
    figures = api.measure()
    most = api.bars(figures)
    for told in api.lines(figures, most):
        say(told)
    wrong += [f"{name} is {figures[name]}, wanted {bar}" for name, bar in most.items() if figures[name] > bar]
    wrong += [f"{name} is {asked[name]}, wanted {bar}" for name, bar in most_of.items() if asked[name] > bar]
    wrong += [f"{name} is {asked[name]}, wanted {bar}" for name, bar in least_of.items() if asked[name] < bar]
    wrong += [
        f"{row.server} foreseen: {row.foreseen}, wanted {LEAST_FORESEEN[row.server]}"
        for row in found
        if row.foreseen < LEAST_FORESEEN[row.server]
    ]
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
            **asked,
            "routing": routing,
            "api": figures,
        },
    )
    for sentence in wrong:
        say(sentence)
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
