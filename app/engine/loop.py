"""The engine's loop: obey commands from the inbox, advance what is being done by one small step, emit events.

One thread runs it, and it alone touches MLX. Commands may be submitted from any thread; each is obeyed within one step
(a chunk of prompt, a token, a part of the weights), also while a long answer streams. The loop knows no Qt.
"""

from __future__ import annotations

import logging
from collections import deque
from itertools import count
from queue import Empty, SimpleQueue

import mlx.core as mx

from app.engine.cost import estimate_cost
from app.engine.deletion import delete_all, delete_of_owner
from app.engine.description import describe
from app.engine.evicting import evict
from app.engine.guests import Guests
from app.engine.loader import Opening
from app.engine.memory import has_room_beside
from app.engine.model import LoadedModel
from app.engine.open_model import OpenModel
from app.engine.pinning import pin
from app.engine.run import Run
from app.engine.run_queue import RunQueue
from app.engine.support import model_support
from app.engine.verification import Check, refusal
from app.engine.warm_up import BranchWarmUp
from app.engine.writer import never_started
from app.prompting.steps import Steps
from app.protocol.capabilities import Capabilities
from app.protocol.commands import (
    MOST_LANES,
    Cancel,
    CancelOpening,
    ClearDiskCache,
    CloseModel,
    Command,
    ConfigureDiskCache,
    EraseOwner,
    EstimateCost,
    Evict,
    Generate,
    LimitContext,
    LoadModel,
    Pin,
    SetBudget,
    Shutdown,
    Tokenize,
    Verify,
    WarmUp,
)
from app.protocol.engine import EventSink
from app.protocol.events import (
    CostEstimate,
    CostRefused,
    EngineStarted,
    Evicted,
    ModelClosed,
    ModelFailed,
    ModelReady,
    OpeningCancelled,
    Pinned,
    RunFailed,
    Tokenized,
    WarmedUp,
)
from app.protocol.reports import Problem

log = logging.getLogger(__name__)

CAPABILITIES = Capabilities(
    token_ids=True,
    cost_estimates=True,
    trie=True,
    pins=True,
    evictions=True,
    warm_ups=True,
    checks=True,
    memory_budget=True,
    disk_cache=True,
    lanes=MOST_LANES,
    guests=True,
)

_NO_MODEL = Problem("No model is open", "Open a model with File > Open Model, then send the message again.")
_CLOSED = Problem("The model was closed", "Ask again when a model is open.")
_BUSY = Problem("An answer is being written", "Wait until it has ended, or stop it, then try again.")
_TOO_MANY = Problem(
    "These are too many answers at once", f"Ask for {MOST_LANES} at most, then regenerate one for more."
)


class EngineLoop:
    """The engine of this process: `submit` from any thread; `run`, or `step` by step, on the model thread.

    open_model: None while there is none. A task of it, an answer or a check, goes on while another model is opened;
    guests do not.
    """

    def __init__(self, sink: EventSink, chunk: int | None = None) -> None:
        """Emit to `sink`. `chunk`: tokens of a prompt to read at once; by default as many as fit in half a second."""
        self.open_model: OpenModel | None = None
        self._guests: Guests | None = None  # of the open model
        self._emit = sink
        self._chunk = chunk
        self._serials = count(1)
        self._inbox: SimpleQueue[Command] = SimpleQueue()
        self._opening: Opening | None = None
        self._waiting = RunQueue()
        self._queries: deque[EstimateCost] = deque()
        self._estimate: Steps[CostEstimate | CostRefused] | None = None
        self._budget: int | None = None
        self._disk = ConfigureDiskCache("")
        self._has_started = self._has_ended = False

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
        has_advanced = self._answer_query()
        if self._opening is not None:
            has_advanced = True
            self._advance_opening(self._opening)
        return self._advance_task() or has_advanced

    def _start(self) -> None:
        if not self._has_started:
            self._has_started = True
            self._emit(EngineStarted(CAPABILITIES, model_support()))

    def _drain(self) -> None:
        try:
            while not self._has_ended:
                self._obey(self._inbox.get_nowait())
        except Empty:
            return

    def _rest(self) -> None:
        """Write a little to disk, or sleep until something is asked."""
        pause = self.open_model.save_a_little() if self.open_model is not None else None
        try:
            self._obey(self._inbox.get(timeout=pause))
        except Empty:
            return

    def _obey(self, command: Command) -> None:
        match command:
            case LoadModel():
                self._open(command)
            case CloseModel():
                self._close()
            case CancelOpening(path):
                self._cancel_opening(path)
            case LimitContext(tokens):
                self._limit_context(tokens)
            case Generate(is_guest=True):
                self._take_guest(command)
            case Generate():
                self._queue(command)
            case Tokenize():
                self._tokenize(command)
            case Cancel(run_id, lane):
                self._cancel(run_id, lane)
            case EstimateCost():
                self._queries.append(command)
            case Verify():
                self._verify(command)
            case Pin():
                self._pin(command)
            case Evict():
                self._evict(command)
            case WarmUp():
                self._warm_up(command)
            case ConfigureDiskCache():
                self._configure_disk_cache(command)
            case ClearDiskCache():
                self._clear_disk_cache()
            case SetBudget(budget_bytes):
                self._set_budget(budget_bytes)
            case EraseOwner(owner):
                self._erase(owner)
            case Shutdown():
                self._shut_down()

    def _shut_down(self) -> None:
        self._end_opening()
        self._stop_everything()
        self._close_model()
        self._has_ended = True

    # Models

    def _open(self, command: LoadModel) -> None:
        """Begin to open a model. The open one goes on until it is known to be sound; what is asked meanwhile waits."""
        self._make_way()
        self._give_up_opening()
        self._opening = Opening(command)
        self._emit(self._opening.progress)

    def _advance_opening(self, opening: Opening) -> None:
        before = opening.progress
        opening.advance()
        if isinstance(opening.outcome, ModelFailed):
            self._fail_opening(opening.outcome)
            return
        if opening.weight_bytes and not has_room_beside(opening.weight_bytes, opening.memory):
            self._leave_model()
        if opening.outcome is not None:
            self._ready(opening.outcome)
        elif opening.progress != before:
            self._emit(opening.progress)

    def _fail_opening(self, failed: ModelFailed) -> None:
        log.info("no model: %s", failed.problem.title)
        self._open_no_other(failed, failed.problem)

    def _cancel_opening(self, path: str) -> None:
        if self._opening is not None and self._opening.path == path:
            log.info("the opening of a model was cancelled")
            self._open_no_other(OpeningCancelled(path), _NO_MODEL)

    def _open_no_other(self, why: ModelFailed | OpeningCancelled, problem: Problem) -> None:
        """End an opening. The model that was open, if it still is, answers what was asked meanwhile."""
        self._give_up_opening()
        mx.clear_cache()
        self._emit(why)
        self._waiting.release()
        if self.open_model is None:
            self._drop_queries()
            while self._waiting:
                self._emit(RunFailed(self._waiting.take().command.run_id, problem))

    def _ready(self, model: LoadedModel) -> None:
        self._leave_model()
        self._end_opening()
        opened = OpenModel(model, self._budget, self._emit, self._serials, self._chunk)
        opened.open_disk(self._disk)
        self.open_model, self._guests = opened, Guests(opened, self._emit)
        self._emit(ModelReady(describe(opened.model, opened.cache)))
        opened.feed.changed()

    def _end_opening(self) -> None:
        self._give_up_opening()
        self._waiting.release()

    def _give_up_opening(self) -> None:
        if self._opening is not None:
            self._opening.close()
        self._opening = None

    def _leave_model(self) -> None:
        """End what was asked of the open model, if there is one, and close it."""
        if self.open_model is None:
            return
        path = self.open_model.model.path
        self._stop_everything()
        self._close_model()
        self._emit(ModelClosed(path))

    def _close(self) -> None:
        """Close the model as asked, and say so also where there was none."""
        if self.open_model is None:
            self._emit(ModelClosed(""))
        self._leave_model()

    def _close_model(self) -> None:
        if self.open_model is not None:
            self.open_model.close()
        self.open_model = self._guests = None
        mx.clear_cache()

    def _limit_context(self, tokens: int | None) -> None:
        """Limit what the open model reads. Without one there is nothing to limit: each is opened with its limit."""
        if self.open_model is not None:
            self._emit(self.open_model.limit_context(tokens))

    def _set_budget(self, budget_bytes: int | None) -> None:
        self._budget = budget_bytes
        if self.open_model is not None:
            self.open_model.set_budget(budget_bytes)

    # The disk

    def _configure_disk_cache(self, command: ConfigureDiskCache) -> None:
        self._disk = command
        if self.open_model is not None:
            self.open_model.limit_disk(command)

    def _clear_disk_cache(self) -> None:
        """Without a model open, or with one whose state cannot be stored, the files are deleted on this thread."""
        if self.open_model is not None and self.open_model.cache.disk is not None:
            self.open_model.clear_disk()
        elif self._disk.folder:
            delete_all(self._disk.folder)

    def _erase(self, owner: str) -> None:
        """Erase an owner's state; where no open model knows of the files, they are deleted on this thread."""
        if self._disk.folder and (self.open_model is None or self.open_model.cache.disk is None):
            delete_of_owner(self._disk.folder, owner)
        if self.open_model is not None:
            self._make_way()
            self.open_model.erase(owner)

    # Runs and checks

    def _queue(self, command: Generate) -> None:
        if len(command.lanes) > MOST_LANES:
            self._emit(RunFailed(command.run_id, _TOO_MANY))
        elif self._opening is not None:
            self._waiting.hold(command)
        elif self.open_model is None:
            self._emit(RunFailed(command.run_id, _NO_MODEL))
        else:
            self._make_way()
            self._waiting.add(command)

    def _take_guest(self, command: Generate) -> None:
        if self._guests is None:
            self._emit(RunFailed(command.run_id, _NO_MODEL))
        else:
            self._guests.ask(command)

    def _tokenize(self, command: Tokenize) -> None:
        if self._guests is None:
            self._emit(Tokenized(command.query_id, (), _NO_MODEL))
        else:
            self._guests.read(command)

    def _make_way(self) -> None:
        """Have whatever gives way do so, before the window's next task."""
        if self._guests is not None:
            self._guests.give_way()
        if self.open_model is not None:
            self.open_model.make_way()

    def _advance_task(self) -> bool:
        """Begin the runs for which there is room, and advance what goes on, guests last. False when nothing does."""
        if self.open_model is None:
            return False
        while self._waiting and self.open_model.can_begin(self._waiting.lanes):
            question = self._waiting.take()
            turns = self.open_model.turns
            turns.add(Run(question.command, question.lanes, self.open_model, turns, self._emit))
        if self.open_model.advance():
            return True
        is_asked = self._opening is not None or self._estimate is not None or bool(self._queries)
        return self._guests is not None and not is_asked and self._guests.advance()

    def _cancel(self, number: int, lane: int | None) -> None:
        if self.open_model is not None:
            self.open_model.cancel(number, lane)
        if self._guests is not None:
            self._guests.cancel(number)
        for command, dropped in self._waiting.remove(number, lane):
            self._emit(never_started(command, dropped))

    def _stop_everything(self) -> None:
        """End what goes on and the runs that wait, each with its events."""
        if self._guests is not None:
            self._guests.fail(_CLOSED)
        if self.open_model is not None:
            self.open_model.stop()
        while self._waiting:
            question = self._waiting.take()
            for lane in question.lanes:
                self._emit(never_started(question.command, lane))
        self._drop_queries()

    def _verify(self, command: Verify) -> None:
        """Between runs only, as it moves the live path, and one at a time."""
        if self.open_model is None:
            self._emit(refusal(command, _NO_MODEL))
        elif self._is_busy(self.open_model):
            self._emit(refusal(command, _BUSY))
        else:
            self._make_way()
            self.open_model.task = Check(command, self.open_model)

    def _pin(self, command: Pin) -> None:
        if self.open_model is None:
            self._emit(Pinned(command.query_id, command.is_pinned, problem=_NO_MODEL))
        elif self._is_busy(self.open_model):
            self._emit(Pinned(command.query_id, command.is_pinned, problem=_BUSY))
        else:
            self._make_way()
            pinned = pin(command, self.open_model)
            self.open_model.feed.changed()
            self._emit(pinned)

    def _evict(self, command: Evict) -> None:
        """Also while an answer is written: what that needs stays."""
        if self.open_model is None:
            self._emit(Evicted(command.query_id, problem=_NO_MODEL))
        else:
            self._make_way()
            evicted = evict(command, self.open_model)
            self.open_model.feed.changed()
            self._emit(evicted)

    def _warm_up(self, command: WarmUp) -> None:
        """Between runs only, and one at a time."""
        if self.open_model is None:
            self._emit(WarmedUp(command.query_id, problem=_NO_MODEL))
        elif self._is_busy(self.open_model):
            self._emit(WarmedUp(command.query_id, problem=_BUSY))
        else:
            self._make_way()
            self.open_model.task = BranchWarmUp(command, self.open_model, self._emit)

    def _is_busy(self, open_model: OpenModel) -> bool:
        """Return whether an answer is being written, or waits to be."""
        return bool(self._waiting) or open_model.is_busy

    def _answer_query(self) -> bool:
        """Go on with the estimate asked for first: most take one step, and an answer goes on between them.

        Those asked for while a model is being opened wait for it; without any there is nothing to tell. Return whether
        there was one to answer.
        """
        if self.open_model is None:
            if self._opening is None:
                self._drop_queries()
            return False
        if self._estimate is None:
            if not self._queries:
                return False
            self._estimate = estimate_cost(self._queries.popleft(), self.open_model)
        try:
            next(self._estimate)
        except StopIteration as end:
            self._estimate = None
            self._emit(end.value)
        return True

    def _drop_queries(self) -> None:
        """Leave what was asked about costs unanswered."""
        self._queries.clear()
        self._estimate = None
