"""What programs read again of branching conversations: llama.cpp's server, mlx_lm.server and this one, side by side.

Run as `python -m tests.bench.peers`; writes build/bench/peers.json. All of them answer the same questions with the
guide, in chat messages, and their conversations go on from their own answers, as a person's do. Tokens are their own
counts; the least is that of the very same conversations with everything kept. *explore*: eight questions after a long
beginning, a fork at each, twenty switches to another branch. *wide*: sixty-four questions after one long beginning,
each asked on once.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from math import inf
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from app.launch.paths import guide_model
from app.protocol.chat import Sampling, Turn
from app.protocol.commands import EstimateCost, LoadModel
from app.protocol.events import CostEstimate, CostRefused, ModelReady, RunFailed, RunFinished
from app.worker.engine_thread import local_engine
from tests.bench.report import machine, say, write
from tests.bench.workload import Known
from tests.remote.asker import Asker, asking
from tests.remote.gguf_files import write_gguf
from tests.remote.started import Started, opened

PATIENCE = 120.0  # seconds
LIMIT = 240.0  # seconds after which a program is asked no more: a workload takes an hour where much is read again
NEAR = 16  # tokens that a prediction is off at most where it is nearly right: prompts go as messages
_WORDS = ("branch", "fork", "message", "trie", "model", "window", "cache", "answer", "question", "token", "disk", "key")
Branch = tuple[Turn, ...]
Answered = tuple[Branch, RunFinished, CostEstimate | CostRefused]
Ask = Callable[[Branch, str, int], Answered]


@dataclass(frozen=True, slots=True)
class Row:
    """One program and one workload. requests: that were answered; is_whole: they are all of it.

    foreseen: the share of requests of which it was told before, to the token, how much is cached; nearly: the share of
    those that are at most `NEAR` tokens off.
    """

    server: str
    workload: str
    prompt_tokens: int
    evaluated: int
    least: int
    requests: int
    is_whole: bool
    foreseen: float
    nearly: float


@contextmanager
def servers() -> Iterator[Mapping[str, Started]]:
    """Start the servers of others."""
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


def explore(ask: Ask, dice: Random) -> Iterator[Answered]:
    """Eight questions after a long beginning, a fork at each, and twenty switches to another branch."""
    forks, leaves = [], []
    begun = ask((), words(dice, 440), 8)
    yield begun
    branch = begun[0]
    for _ in range(8):
        forks.append(branch)
        found = ask(branch, words(dice, 52), 64)
        branch = found[0]
        yield found
    leaves.append(branch)
    for fork in forks:
        found = ask(fork, words(dice, 52), 64)
        leaves.append(found[0])
        yield found
    last = len(leaves) - 1
    for _ in range(20):
        last = dice.choice([number for number in range(len(leaves)) if number != last])
        found = ask(leaves[last], words(dice, 52), 64)
        leaves[last] = found[0]
        yield found


def wide(ask: Ask, dice: Random) -> Iterator[Answered]:
    """Sixty-four questions after one long beginning, and each asked on once."""
    begun = ask((), words(dice, 1700), 8)
    yield begun
    leaves = []
    for _ in range(64):
        found = ask(begun[0], words(dice, 14), 32)
        leaves.append(found[0])
        yield found
    dice.shuffle(leaves)
    for leaf in leaves:
        yield ask(leaf, words(dice, 14), 32)


WORKLOADS = {"explore": explore, "wide": wide}


def words(dice: Random, count: int) -> str:
    """Return a text of so many words."""
    return " ".join(dice.choice(_WORDS) for _ in range(count))


def rows(name: str, asker: Asker, workloads: Collection[str] = WORKLOADS.keys()) -> Iterator[Row]:
    """Take a program through some of the workloads."""
    tokenizer, number = _tokenizer(), 0

    def ask(branch: Branch, question: str, most: int) -> Answered:
        nonlocal number
        number += 1
        turns = (*branch, Turn("user", question))
        asker.do(EstimateCost(number, turns))
        cost = asker.wait((CostEstimate, CostRefused), number, PATIENCE)
        asker.ask(number, turns, sampling=Sampling(temperature=0.0, max_tokens=most))
        done = asker.wait((RunFinished, RunFailed), number, PATIENCE)
        assert isinstance(done, RunFinished), done
        return (*turns, Turn("assistant", done.text, done.ids or None)), done, cost

    for workload in workloads:
        play = WORKLOADS[workload]
        known, total, evaluated, least, off = Known(), 0, 0, 0, list[float]()
        ends, is_whole = time.monotonic() + LIMIT, True
        for branch, done, cost in play(ask, Random(1)):
            request, prompt = done.stats.request, tokenizer(branch[:-1])
            total += request.total
            evaluated += request.left
            least += len(prompt) - min(known.length(prompt), len(prompt) - 1)
            known.add([*prompt, *tokenizer.plain(branch[-1].text)])
            off.append(abs(request.cached - cost.request.cached) if isinstance(cost, CostEstimate) else inf)
            if time.monotonic() > ends:
                is_whole = False
                break
        yield Row(name, workload, total, evaluated, least, len(off), is_whole, share(off, 0), share(off, NEAR))


def share(off: Sequence[float], most: int) -> float:
    """Return the share of predictions that are at most so many tokens off."""
    return round(sum(one <= most for one in off) / len(off), 3)


class _Tokenizer:
    """The guide's own tokens of a conversation."""

    def __init__(self) -> None:
        from mlx_lm.utils import load_tokenizer

        self._tokenizer: Any = load_tokenizer(guide_model())

    def __call__(self, turns: Sequence[Turn]) -> list[int]:
        messages = [{"role": turn.role, "content": turn.text} for turn in turns]
        found: list[int] = self._tokenizer.apply_chat_template(messages, add_generation_prompt=True, return_dict=False)
        return found

    def plain(self, text: str) -> list[int]:
        """Return the tokens of an answer."""
        found: list[int] = self._tokenizer.encode(text, add_special_tokens=False)
        return found


_tokenizer = _Tokenizer


def of_servers(started: Mapping[str, Started], workloads: Collection[str] = WORKLOADS.keys()) -> Iterator[Row]:
    """Measure the servers of others."""
    for name, one in started.items():
        with asking() as asker:
            opened(asker, one.server)
            yield from rows(name, asker, workloads)


def of_this_program() -> Iterator[Row]:
    """Measure this program."""
    with asking(engine=local_engine) as asker:
        asker.do(LoadModel(str(guide_model())))
        asker.wait(ModelReady, 1, 60.0)
        yield from rows("Espalier", asker)


def line(row: Row) -> str:
    """Say a row."""
    stopped = "" if row.is_whole else f" in {row.requests} requests, after which it was asked no more"
    read = f"{row.evaluated:8} of {row.prompt_tokens:8} tokens read{stopped}, {row.least} the least"
    foreseen = f"{row.foreseen:.0%} foreseen to the token, {row.nearly:.0%} to within {NEAR}"
    return f"{row.server:14} {row.workload:8} {read}; {foreseen}"


def main() -> int:
    """Measure everything; 1 when this program reads more than it must."""
    with servers() as started:
        found = list(of_servers(started))
    found += of_this_program()
    for row in found:
        say(line(row))
    write("peers.json", {"machine": machine(), "rows": [asdict(row) for row in found]})
    wrong = [row for row in found if row.server == "Espalier" and row.evaluated > 1.02 * row.least]
    for row in wrong:
        say(f"{row.workload}: {row.evaluated} tokens read, {row.least} is the least")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
