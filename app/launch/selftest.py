"""The self-test, without a window: the whole way from a model folder to a fork and back, checked and told as JSON.

It asks, forks the first question from its first word on, goes back to the first branch and continues it. What must
hold: nothing is computed again that the cache has seen, and the continued answer is token for token what repeating the
branch's recorded forward calls from empty caches gives. A frozen program also checks that it is whole.
"""

from __future__ import annotations

import json
import logging
import os
import sys
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from app.launch import bundle_check
from app.launch.environment import seal
from app.protocol.chat import Sampling, Turn
from app.protocol.commands import Generate, LoadModel, Shutdown
from app.protocol.events import Event, ModelFailed, ModelReady, RunFailed, RunFinished, TrieChanged
from app.protocol.reports import ModelInfo, Problem, RequestReport, StopReason

if TYPE_CHECKING:
    from app.engine.loop import EngineLoop

log = logging.getLogger(__name__)

QUESTION = "How do I fork a conversation?"
FORKED = "What does the trie panel show?"
FOLLOW_UPS = ("Why are forks fast?", "Thank you.")
SAMPLING = Sampling(temperature=0.7, top_p=0.95, seed=11, max_tokens=64)


class _FailedError(Exception):
    """The engine told a problem where an answer was wanted."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.sentence)
        self.problem = problem


def run(model_path: str, *, on_cpu: bool = False) -> int:
    """Run everything but the versions and the time. Raises _FailedError.

    Prints a JSON object as the last line; returns the exit status.
    """
    seal()
    begun = time.perf_counter()
    if on_cpu:
        _compute_on_cpu()
    from app.engine.description import versions
    from app.engine.loop import EngineLoop

    test = _SelfTest()
    test.loop = EngineLoop(test.events.append)
    report: dict[str, Any] = {"ok": False, "model": model_path}
    for do in (lambda: report.update(test.run(model_path)), lambda: test.do(Shutdown())):
        try:
            do()
        except _FailedError as error:
            print(f"{error.problem.title}. {error.problem.sentence}", file=sys.stderr)
        except Exception:  # whatever a model brings about, the last line is the report
            report["ok"] = False
            log.exception("the self-test broke off")
    report |= {"device": _device(), "versions": dict(versions()), "seconds": round(time.perf_counter() - begun, 3)}
    print(json.dumps(report, ensure_ascii=False))
    return 0 if report["ok"] else 1


def _compute_on_cpu() -> None:
    """Compute without a GPU; no compiler is wanted either, and on the CPU mx.compile starts one."""
    os.environ["MLX_DISABLE_COMPILE"] = "1"
    import mlx.core as mx

    mx.set_default_device(mx.Device(mx.cpu))


def _device() -> str:
    """Return what was computed on, as mlx says it: "Device(gpu, 0)"."""
    import mlx.core as mx

    return str(mx.default_device())


@dataclass
class _SelfTest:
    """events: everything the engine told. answers and requests: one of each for every question, in order."""

    events: list[Event] = field(default_factory=list)
    loop: EngineLoop = field(init=False)
    answers: list[RunFinished] = field(default_factory=list)

    def run(self, model_path: str) -> dict[str, Any]:
        """Run everything but the versions and the time. Raises _FailedError."""
        info = self._open(model_path)
        asked: tuple[Turn, ...] = (Turn("user", QUESTION),)
        answer = self._ask(asked)
        self._ask((Turn("user", FORKED),))
        for question in FOLLOW_UPS:
            asked = (*asked, answer, Turn("user", question))
            answer = self._ask(asked)
        missing = bundle_check.faults() if bundle_check.is_frozen() else []
        faults = [*self._recomputed(), *self._differences(asked), *missing]
        for fault in faults:
            print(fault, file=sys.stderr)
        return {
            "ok": not faults,
            "model": info.name,
            "layers": dict(info.layers),
            "answers": [answer.text for answer in self.answers],
            "requests": [_as_json(answer.stats.request) for answer in self.answers],
            "trie": self._trie(),
            "frozen": bundle_check.is_frozen(),
        }

    def do(self, command: LoadModel | Generate | Shutdown) -> list[Event]:
        """Submit a command and step until the engine is idle; returns what it told meanwhile."""
        begin = len(self.events)
        self.loop.submit(command)
        while self.loop.step():
            pass
        return self.events[begin:]

    def _open(self, model_path: str) -> ModelInfo:
        for event in self.do(LoadModel(model_path)):
            if isinstance(event, ModelFailed):
                raise _FailedError(event.problem)
            if isinstance(event, ModelReady):
                return event.info
        raise _FailedError(Problem("The model was not opened", "The engine ended without a word about it."))

    def _ask(self, turns: tuple[Turn, ...]) -> Turn:
        """Return the answer to the last turn."""
        for event in self.do(Generate(len(self.answers), turns, SAMPLING, owner="self-test")):
            if isinstance(event, RunFailed):
                raise _FailedError(event.problem)
            if isinstance(event, RunFinished):
                self.answers.append(event)
                return Turn("assistant", event.text, event.ids)
        raise _FailedError(Problem("There was no answer", "The engine ended without a word about it."))

    def _recomputed(self) -> list[str]:
        """Say what the fork, the return and the continuation computed again."""
        names = ("the fork", "the return", "the continuation")
        requests = [answer.stats.request for answer in self.answers[1:]]
        return [
            f"{name} computed {request.excess} tokens again: {request.reason}."
            for name, request in zip(names, requests, strict=True)
            if request.excess
        ]

    def _differences(self, turns: tuple[Turn, ...]) -> list[str]:
        """Compare the last answer with what the recorded calls of its branch give when repeated from empty caches."""
        from app.engine.sampler import Sampler
        from app.kvcache.replay import replay

        answer, opened = self.answers[-1], self.loop.open_model
        if opened is None or opened.cache.unsupported:
            return ["the answer cannot be replayed: the model's cache is not supported."]
        model, cache = opened.model, opened.cache
        prompt = model.prompts.build(turns).ids
        is_finished = answer.stats.stop is StopReason.FINISHED
        fed = answer.ids if is_finished else answer.ids[:-1]
        logits = replay(cache, prompt + fed).logits
        sampler = Sampler(SAMPLING, answer.stats.seed, prompt)
        for at in range(len(fed) + 1):
            token = sampler.next(logits[len(prompt) - 1 + at][None])
            same = token == answer.ids[at] if at < len(answer.ids) else token in model.codec.stop_ids
            if not same:
                return [f"token {at} of the continued answer is {token} when its branch is replayed."]
        return []

    def _trie(self) -> dict[str, int]:
        view = [event for event in self.events if isinstance(event, TrieChanged)][-1].view
        return {"nodes": len(view.nodes), "live_bytes": view.live_bytes, "paged_bytes": view.paged_bytes}


def _as_json(request: RequestReport) -> dict[str, Any]:
    names = ("total", "seen", "matched", "cached", "left", "excess")
    return {name: getattr(request, name) for name in names} | {"reason": str(request.reason)}
