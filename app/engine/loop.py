"""The engine's loop: obey commands from the inbox, advance what is being done by one small step, emit events.

One thread runs it, and it alone touches MLX. Commands may be submitted from any thread; each is obeyed within one step
(a chunk of prompt, a token, a part of the weights), also while a long answer streams. The loop knows no Qt.
"""

from __future__ import annotations

import gc
import logging
from collections import deque
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from queue import Empty, SimpleQueue

import mlx.core as mx

from app.engine.border import foreign_code
from app.engine.cost import estimate_cost
from app.engine.deletion import delete_all, delete_of_owner
from app.engine.description import describe, versions
from app.engine.loader import LoadStep, Opening
from app.engine.memory import default_budget, has_room_beside
from app.engine.model import LoadedModel
from app.engine.pinning import pin
from app.engine.prefill_rate import PrefillRate
from app.engine.problems import EngineError, RequestError
from app.engine.run import Run, never_started
from app.engine.step_memory import StepMemory
from app.engine.trie_feed import TrieFeed
from app.engine.verification import Check, refusal
from app.kvcache.prefix_cache import PrefixCache
from app.protocol.commands import (
    Cancel,
    ClearDiskCache,
    Command,
    ConfigureDiskCache,
    EraseOwner,
    EstimateCost,
    Generate,
    LoadModel,
    Pin,
    SetBudget,
    Shutdown,
    Verify,
)
from app.protocol.engine import Capabilities, EventSink
from app.protocol.events import EngineStarted, ModelClosed, ModelFailed, ModelLoading, ModelReady, Pinned, RunFailed
from app.protocol.reports import Problem

log = logging.getLogger(__name__)

_PARTING = 1.4  # seconds that writing to disk may take when a model is closed; a disk that hangs adds a fifth
_WINK = 0.05  # seconds between two looks at whether the disk is done

_OVER: object = object()  # what a generator that has ended gives

_NO_MODEL = Problem("No model is open", "Open a model with File > Open Model, then send the message again.")
_BUSY = Problem("An answer is being written", "Wait until it has ended, or stop it, then try again.")
_STOPPED = Problem(
    "The check was stopped", "Something else was asked before it had ended. Check again when there is time."
)


class EngineLoop:
    """The engine of this process: `submit` from any thread; `run`, or `step` by step, on the model thread.

    Attributes: model and cache of the open model, or None, for the self-test and for tests.
    """

    capabilities = Capabilities(token_ids=True, cost_estimates=True, trie=True, logprobs=False, lanes=1)

    def __init__(self, sink: EventSink, chunk: int | None = None) -> None:
        """Emit to `sink`. `chunk`: tokens of a prompt to read at once; by default as many as fit in half a second."""
        self.model: LoadedModel | None = None
        self.cache: PrefixCache | None = None
        self._emit = sink
        self._chunk = chunk
        self._prefill_rate = PrefillRate(chunk)
        self._room: StepMemory | None = None
        self._inbox: SimpleQueue[Command] = SimpleQueue()
        self._opening: tuple[Opening, Iterator[LoadStep]] | None = None
        self._running: tuple[Run, Iterator[None]] | None = None
        self._checking: tuple[Check, Iterator[None]] | None = None
        self._waiting: deque[Generate] = deque()
        self._later: deque[Generate] = deque()  # asked while a model was being opened
        self._queries: deque[EstimateCost] = deque()
        self._erasing: list[str] = []
        self._budget: int | None = None
        self._feed = TrieFeed(sink)
        self._disk = ConfigureDiskCache("")
        self._has_started = self._has_ended = self._has_tended = False

    def submit(self, command: Command) -> None:
        """Queue a command and return at once."""
        self._inbox.put(command)

    def run(self) -> None:
        """Work until Shutdown; sleep on the inbox when there is nothing to do."""
        self._start()
        while not self._has_ended:
            if not self.step() and not self._has_ended:
                self._rest()

    def step(self) -> bool:
        """Obey what is in the inbox, then advance by one step. Return False when there was nothing to advance."""
        self._start()
        self._drain()
        if self._has_ended:
            return False
        has_answered = self._answer_query()
        is_opening = self._opening is not None
        if self._opening is not None:
            self._advance_opening(*self._opening)
        if self._checking is not None:
            self._advance_check(*self._checking)
            return True
        if self._running is None and not self._begin_next():
            return is_opening or has_answered
        if self._running is not None:
            self._advance_run(*self._running)
        return True

    def _rest(self) -> None:
        """Nothing is asked: write a little of what is worth keeping to disk, or sleep until something is asked."""
        disk = self.cache.disk if self.cache is not None else None
        if disk is not None and disk.tend():
            self._has_tended = True
            return
        if self._has_tended and self.model is not None and self.cache is not None and not self.cache.is_saving:
            self._has_tended = False
            self._feed.changed(self.model, self.cache)
        is_busy = self._has_tended and disk is not None
        try:
            self._obey(self._inbox.get(timeout=_WINK if is_busy else None))
        except Empty:
            return

    def _start(self) -> None:
        if not self._has_started:
            self._has_started = True
            self._emit(EngineStarted(versions()))

    def _drain(self) -> None:
        try:
            while not self._has_ended:
                self._obey(self._inbox.get_nowait())
        except Empty:
            return

    def _obey(self, command: Command) -> None:
        match command:
            case LoadModel(path):
                self._open(path)
            case Generate():
                self._queue(command)
            case Cancel(run_id):
                self._cancel(run_id)
            case EstimateCost():
                self._queries.append(command)
            case Verify():
                self._verify(command)
            case Pin():
                self._pin(command)
            case ConfigureDiskCache():
                self._configure_disk_cache(command)
            case ClearDiskCache():
                self._clear_disk_cache()
            case SetBudget(budget_bytes):
                self._set_budget(budget_bytes)
            case EraseOwner(owner):
                self._erase(owner)
            case Shutdown():
                self._opening = None
                self._waiting += self._later
                self._stop_everything()
                self._close_model()
                self._has_ended = True

    # Models

    def _open(self, path: str) -> None:
        """The open model goes on until the new one is known to be sound; what is asked from now on waits for that."""
        opening = Opening(path)
        self._opening = opening, opening.steps()
        self._emit(ModelLoading(path, "Opening"))

    def _advance_opening(self, opening: Opening, steps: Iterator[LoadStep]) -> None:
        try:
            step = next(steps, None)
        except EngineError as error:
            self._fail_opening(opening.path, error.problem)
            return
        if opening.weight_bytes and not has_room_beside(opening.weight_bytes, opening.memory):
            self._leave_model()
        if step is None and opening.model is not None:
            self._ready(opening.model)
        elif step is not None:
            self._emit(ModelLoading(opening.path, step.stage, step.fraction))

    def _fail_opening(self, path: str, problem: Problem) -> None:
        """The model that was open, if it still is, answers what was asked meanwhile."""
        log.info("no model: %s", problem.title)
        self._opening = None
        _give_memory_back()
        self._emit(ModelFailed(path, problem))
        self._waiting += self._later
        self._later.clear()
        if self.model is None:
            self._queries.clear()
            while self._waiting:
                self._emit(RunFailed(self._waiting.popleft().run_id, problem))

    def _ready(self, model: LoadedModel) -> None:
        self._opening = None
        self._leave_model()
        self._waiting += self._later
        self._later.clear()
        self.cache = cache = PrefixCache(model.forward, model.new_caches, self._budget_for(model))
        self.model = model = replace(model, prompts=replace(model.prompts, seen=lambda ids: cache.price(ids).seen))
        if self._disk.folder:
            folder, budget, writes_all = Path(self._disk.folder), self._disk.budget_bytes, self._disk.writes_all
            self.cache.open_disk(folder, model.state_fingerprint, budget, writes_all)
        self._emit(ModelReady(describe(model, self.cache)))
        self._feed.opened(model, self.cache)

    def _leave_model(self) -> None:
        """End what was asked of the open model, if there is one, and close it."""
        if self.model is None:
            return
        path = self.model.path
        self._stop_everything()
        self._close_model()
        self._emit(ModelClosed(path))

    def _close_model(self) -> None:
        if self.cache is not None:
            self.cache.close_disk(_PARTING)
            self.cache.close()
        self.model = self.cache = None
        self._feed.closed()
        self._prefill_rate, self._room = PrefillRate(self._chunk), None
        _give_memory_back()

    def _budget_for(self, model: LoadedModel) -> int:
        return default_budget(model.weight_bytes, model.memory) if self._budget is None else self._budget

    def _set_budget(self, budget_bytes: int | None) -> None:
        self._budget = budget_bytes
        if self.model is not None and self.cache is not None:
            self.cache.set_budget(self._budget_for(self.model))
            self._feed.changed(self.model, self.cache)

    # The disk

    def _configure_disk_cache(self, command: ConfigureDiskCache) -> None:
        self._disk = command
        if self.model is not None and self.cache is not None and self.cache.disk is not None:
            self.cache.disk.writes_all = command.writes_all
            self.cache.disk.set_budget(command.budget_bytes if command.folder else 0)
            self._feed.changed(self.model, self.cache)

    def _clear_disk_cache(self) -> None:
        """Without a model open, or with one whose state cannot be stored, the files are deleted on this thread."""
        if self.model is not None and self.cache is not None and self.cache.disk is not None:
            self.cache.disk.wipe()
            self.cache.disk.wait(_PARTING)
            self._feed.changed(self.model, self.cache)
        elif self._disk.folder:
            delete_all(self._disk.folder)

    def _erase(self, owner: str) -> None:
        """Once the run in progress has ended: it may be the owner's."""
        if (self.cache is None or self.cache.disk is None) and self._disk.folder:
            delete_of_owner(self._disk.folder, owner)
        if self.model is None or self.cache is None:
            return
        if self._running is not None:
            self._erasing.append(owner)
            return
        self._stop_check()
        self.cache.erase(owner)
        self._feed.changed(self.model, self.cache)

    def _pin(self, command: Pin) -> None:
        if self.model is None or self.cache is None:
            self._emit(Pinned(command.query_id, command.is_pinned, problem=_NO_MODEL))
        elif self._running is not None or self._waiting:
            self._emit(Pinned(command.query_id, command.is_pinned, problem=_BUSY))
        else:
            pinned = pin(command, self.model, self.cache, self._room_for(self.model))
            self._feed.changed(self.model, self.cache)
            self._emit(pinned)

    # Runs

    def _queue(self, command: Generate) -> None:
        if self._opening is not None:
            self._later.append(command)
        else:
            self._stop_check()
            self._waiting.append(command)

    def _begin_next(self) -> bool:
        """Take the next waiting run. False when there is none."""
        if not self._waiting:
            return False
        command = self._waiting.popleft()
        if self.model is None or self.cache is None:
            self._emit(RunFailed(command.run_id, _NO_MODEL))
            return True
        run = Run(command, self.model, self.cache, self._prefill_rate, self._room_for(self.model), self._emit)
        self._running = run, run.steps()
        return True

    def _room_for(self, model: LoadedModel) -> StepMemory:
        """What is known of the open model's need of memory."""
        if self._room is None:
            self._room = StepMemory(model.sizes, model.memory)
        return self._room

    def _advance_run(self, run: Run, steps: Iterator[None]) -> None:
        """One step. The picture of the trie precedes the outcome, so that both are seen together."""
        model, cache = self.model, self.cache
        if model is None or cache is None:
            raise RuntimeError("a run without a model")
        problem: Problem | None = None
        is_first = not run.has_begun
        try:
            with foreign_code(_failed):
                is_over = next(steps, _OVER) is _OVER
            self._running = None if is_over else self._running
        except RequestError as error:
            self._running, problem = None, error.problem
        if self._running is None:
            while self._erasing:
                cache.erase(self._erasing.pop())
            self._feed.ended(model, cache)
        elif is_first:
            self._feed.begun(model, cache)
        elif run.has_answered:
            self._feed.growing(model, cache)
        else:
            self._feed.reading(model, cache)
        if problem is not None:
            self._emit(RunFailed(run.command.run_id, problem))
        elif run.outcome is not None:
            self._emit(run.outcome)

    def _cancel(self, run_id: int) -> None:
        if self._running is not None and self._running[0].command.run_id == run_id:
            self._running[0].is_cancelled = True
            self._advance_run(*self._running)
        if self._checking is not None and self._checking[0].command.query_id == run_id:
            self._stop_check()
        for queue in (self._waiting, self._later):
            for command in [waiting for waiting in queue if waiting.run_id == run_id]:
                queue.remove(command)
                self._emit(never_started(command))

    def _stop_everything(self) -> None:
        """End the check or run in progress and those that wait, each with its event."""
        self._stop_check()
        if self._running is not None:
            self._cancel(self._running[0].command.run_id)
        while self._waiting:
            self._emit(never_started(self._waiting.popleft()))
        self._queries.clear()

    def _answer_query(self) -> bool:
        """Answer the estimate asked for first, one in each step: an answer goes on and is cancelled between them.

        Those asked for while a model is being opened wait for it; without any there is nothing to tell. Return whether
        there was one to answer.
        """
        if self.model is None or self.cache is None:
            if self._opening is None:
                self._queries.clear()
            return False
        if not self._queries:
            return False
        query, room = self._queries.popleft(), self._room_for(self.model)
        estimate = estimate_cost(query, self.model, self.cache, self._prefill_rate, room)
        if estimate is not None:
            self._emit(estimate)
        return True

    def _verify(self, command: Verify) -> None:
        """Between runs only, as it moves the live path, and one at a time."""
        if self.model is None or self.cache is None:
            self._emit(refusal(command, _NO_MODEL))
        elif self._running is not None or self._waiting:
            self._emit(refusal(command, _BUSY))
        else:
            self._stop_check()
            check = Check(command, self.model, self.cache, self._room_for(self.model))
            self._checking = check, check.steps()

    def _advance_check(self, check: Check, steps: Iterator[None]) -> None:
        problem: Problem | None = None
        try:
            with foreign_code(_failed):
                if next(steps, _OVER) is not _OVER:
                    return
        except RequestError as error:
            problem = error.problem
        self._checking = None
        if self.model is not None and self.cache is not None:
            self._feed.changed(self.model, self.cache)
        if problem is not None:
            self._emit(refusal(check.command, problem))
        elif check.outcome is not None:
            self._emit(check.outcome)

    def _stop_check(self) -> None:
        """Whoever asked for it is told; what it computed is let go of."""
        if self._checking is not None:
            command, self._checking = self._checking[0].command, None
            self._emit(refusal(command, _STOPPED))


def _failed(words: str) -> RequestError:
    """What a model or a library raised in the middle of its work."""
    return RequestError(
        "The model failed",
        f"It says: {words} Try again; if it fails each time, open another model. The log tells more.",
    )


def _give_memory_back() -> None:
    """Before anything else is loaded."""
    gc.collect()
    mx.clear_cache()
