"""The engine that asks servers. One thread, one event loop; commands come from any thread.

Every answer is a request of its own. Nothing is asked of a server but what a person asks: no health, no list, no model
that was not opened.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Callable, Collection, Coroutine, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from queue import Empty, SimpleQueue
from typing import Any

from app.prompting.problems import EngineError, TooLongError
from app.protocol.commands import (
    Cancel,
    CancelOpening,
    CloseModel,
    Command,
    EraseOwner,
    EstimateCost,
    Evict,
    Generate,
    Lane,
    LimitContext,
    LoadModel,
    Pin,
    Shutdown,
    Tokenize,
    Verify,
    WarmUp,
)
from app.protocol.engine import EventSink
from app.protocol.events import (
    ContextLimited,
    CostRefused,
    EngineStarted,
    Event,
    Evicted,
    ModelClosed,
    ModelFailed,
    ModelLoading,
    ModelReady,
    OpeningCancelled,
    Pinned,
    RunFailed,
    RunFinished,
    RunStarted,
    Tokenized,
    TrieChanged,
    Verified,
    WarmedUp,
)
from app.protocol.references import server_model
from app.protocol.reports import Problem, RequestReport, RunStats, StopReason
from app.remote.answering import Answering
from app.remote.client import SILENCE
from app.remote.faults import ServerError, unforeseen
from app.remote.id_answering import IdAnswering
from app.remote.id_prompts import OFF, IdPrompts
from app.remote.opening import CAPABILITIES, Beliefs, OpenModel, open_model
from app.remote.server_tokenizer import NotAskedError
from app.remote.token_thread import UnansweredError
from app.remote.written import NOT_TOLD

log = logging.getLogger(__name__)

_ELSEWHERE = Problem("This model runs on a server", "What its cache keeps is the server’s to decide.")
_NO_MODEL = Problem("No model is open", "Open a model with File > Open Model, then send the message again.")
_NO_GUESTS = Problem("This model runs on a server", "Ask the server itself: what others ask is not passed on to it.")
_SEEDS = 1 << 31


class RemoteEngine:
    """The engine of servers: `submit` from any thread, `run` on its own."""

    def __init__(self, sink: EventSink, key_of: Callable[[str], str], silence: float = SILENCE) -> None:
        """key_of: returns the key for a server, "" for none; that may take a moment. silence: as of `Client`."""
        self._emit, self._key_of, self._silence = sink, key_of, silence
        self._loop: asyncio.AbstractEventLoop | None = None
        self._inbox: SimpleQueue[Command] = SimpleQueue()
        self._end: asyncio.Event | None = None
        self._open: OpenModel | None = None
        self._opening: _Opening | None = None
        self._closings: set[asyncio.Task[None]] = set()
        self._installing = asyncio.Lock()  # while a model is put in the place of another one, and none is open
        self._held: list[_Held] = []
        self._tasks: dict[tuple[int, int], asyncio.Task[None]] = {}
        self._beliefs = Beliefs()
        self._fault: BaseException | None = None

    def submit(self, command: Command) -> None:
        """Queue a command and return at once."""
        self._inbox.put(command)
        if self._loop is not None:
            with suppress(RuntimeError):  # the loop has ended
                self._loop.call_soon_threadsafe(self._drain)

    def run(self) -> None:
        """Serve commands until `Shutdown`."""
        asyncio.run(self._serve())

    async def _serve(self) -> None:
        self._end = asyncio.Event()
        self._emit(EngineStarted(CAPABILITIES))
        self._loop = asyncio.get_running_loop()
        self._drain()
        await self._end.wait()
        if self._fault is not None:
            raise self._fault
        given_up = self._give_up_opening()
        ending = self._closings if given_up is None else {*self._closings, given_up}
        if ending:
            await asyncio.wait(ending)
        async with self._installing:
            await self._leave_model()

    def _drain(self) -> None:
        with suppress(Empty):
            while True:
                self._obey(self._inbox.get_nowait())

    def _obey(self, command: Command) -> None:
        match command:
            case LoadModel():
                self._begin_opening(command)
            case CancelOpening(path):
                self._cancel_opening(path)
            case CloseModel():
                closing = self._spawn(self._close_model())
                self._closings.add(closing)
                closing.add_done_callback(self._closings.discard)
            case LimitContext(tokens):
                self._limit_context(tokens)
            case Generate(is_guest=True):
                self._emit(RunFailed(command.run_id, _NO_GUESTS))
            case Generate():
                self._answer(command)
            case Cancel(run_id, lane):
                self._cancel(run_id, lane)
            case Shutdown() if self._end is not None:
                self._end.set()
            case _:
                self._refuse(command)

    def _refuse(self, command: Command) -> None:
        """Answer what only an engine with a cache of its own can do."""
        refusal: Event | None = None
        match command:
            case EstimateCost() if self._open is not None and self._open.ids is not None and self._open.ids.is_on:
                self._spawn(self._estimate_ids(command, self._open, self._open.ids))
            case EstimateCost():
                refusal = self._estimate(command)
            case EraseOwner(owner):
                self._forget(owner)
            case Tokenize(query_id):
                refusal = Tokenized(query_id, (), _NO_GUESTS)
            case Pin(query_id, _, is_pinned):
                refusal = Pinned(query_id, is_pinned, problem=_ELSEWHERE)
            case Verify(query_id):
                refusal = Verified(query_id, 0, False, None, 0.0, 0.0, _ELSEWHERE)
            case Evict(query_id):
                refusal = Evicted(query_id, problem=_ELSEWHERE)
            case WarmUp(query_id):
                refusal = WarmedUp(query_id, problem=_ELSEWHERE)
        if refusal is not None:
            self._emit(refusal)

    def _estimate(self, command: EstimateCost) -> Event:
        """Return what a branch should cost, without asking the server."""
        cost = None if self._open is None else self._open.replicas.estimate(command)
        return CostRefused(command.query_id) if cost is None else cost

    async def _estimate_ids(self, command: EstimateCost, opened: OpenModel, ids: IdPrompts) -> None:
        """Tell what a branch should cost whose tokens are counted first."""
        try:
            prompt = await ids.priced(command, opened.info.context_length)
        except (UnansweredError, NotAskedError, TooLongError):
            self._emit(self._estimate(command))
            return
        except EngineError as error:
            self._emit(CostRefused(command.query_id, error.problem))
            return
        with ids.held(command, prompt):
            self._emit(opened.replicas.estimate(command) or CostRefused(command.query_id))

    def _send_messages(self, opened: OpenModel) -> None:
        """Say that a model is sent no ids any more."""
        info = opened.info
        opened.info = replace(info, capabilities=opened.with_messages, note=OFF)
        if self._open is opened and self._opening is None:
            self._emit(ModelReady(opened.info))

    def _forget(self, owner: str) -> None:
        if self._beliefs.forget(owner) and self._open is not None:
            self._emit(TrieChanged(self._open.replicas.view))

    def _spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        return asyncio.get_running_loop().create_task(work)

    # Models

    def _begin_opening(self, command: LoadModel) -> None:
        self._give_up_opening()
        self._emit(ModelLoading(command.path, "Asking the server"))
        opening = self._opening = _Opening(command.path)
        opening.task = self._spawn(self._open_model(command, opening))

    async def _open_model(self, command: LoadModel, opening: _Opening) -> None:
        named, server = server_model(command.path), command.server
        try:
            if named is None or server is None:
                raise ServerError(
                    "This server is not known", "Add it in the list of models, then choose its model there."
                )
            key = await asyncio.get_running_loop().run_in_executor(None, self._key_of, server.id)
            waiting = ModelLoading(command.path, f"Waiting for {server.name}")
            tell = partial(self._emit, waiting)
            opened = await open_model(command, named, server, key, self._beliefs, self._silence, tell)
            opening.is_settled = True
            await self._install(opened)
        except ServerError as error:
            log.info("no model: %s", error)
            self._end_opening(opening, ModelFailed(command.path, error.problem))
            return
        except Exception:  # what waits for the opening would wait for ever
            log.exception("a model of a server could not be opened")
            name = server.name if server is not None else "The server"
            self._end_opening(opening, ModelFailed(command.path, unforeseen(name).problem))
            return
        self._end_opening(opening, None)

    async def _install(self, opened: OpenModel) -> None:
        """Put a model in the place of the open one."""
        async with self._installing:
            await self._leave_model()
            self._open = opened
            if opened.ids is not None:
                opened.ids.on_off = partial(self._send_messages, opened)
            self._emit(ModelReady(opened.info))
            self._emit(TrieChanged(opened.replicas.view))

    def _cancel_opening(self, path: str) -> None:
        opening = self._opening
        if opening is not None and opening.path == path and not opening.is_settled:
            self._give_up_opening()
            self._end_opening(opening, OpeningCancelled(path))

    def _give_up_opening(self) -> asyncio.Task[None] | None:
        """Give up what is being opened, if anything is, and return it. One that has its model goes on to its end."""
        opening, self._opening = self._opening, None
        task = None if opening is None else opening.task
        if task is not None and opening is not None and not opening.is_settled:
            task.cancel()
        return task

    def _end_opening(self, opening: _Opening, told: Event | None) -> None:
        """Say how an opening ended, and ask what waited for it, unless another one has begun."""
        if told is not None:
            self._emit(told)
        if self._opening not in (opening, None):
            return
        self._opening = None
        held, self._held = self._held, []
        for one in held:
            self._answer(one.command, one.stopped)

    async def _close_model(self) -> None:
        was_open = self._open is not None
        await self._leave_model()
        if not was_open:
            self._emit(ModelClosed(""))

    async def _leave_model(self) -> None:
        """End what was asked of the open model, if there is one, and let go of its connections."""
        opened, self._open = self._open, None
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        if opened is not None:
            await opened.close()
            self._emit(ModelClosed(opened.info.path))

    def _limit_context(self, tokens: int | None) -> None:
        if self._open is None:
            return
        info = self._open.info
        self._open.info = replace(info, context_length=info.context_of(tokens))
        self._emit(ContextLimited(info.path, self._open.info.context_length))

    # Answers

    def _answer(self, command: Generate, stopped: Collection[int] = ()) -> None:
        """Ask for the answers of a run, but for those that were stopped while it waited."""
        if self._opening is not None or self._installing.locked():
            self._held.append(_Held(command))
            return
        if self._open is None:
            wanted = [one for one in range(len(command.lanes)) if one not in stopped]
            for lane in wanted if stopped else (None,):  # None for all of a run
                self._emit(RunFailed(command.run_id, _NO_MODEL, lane))
            return
        opened, seeds = self._open, _seeds(command.lanes)
        started = _Once(lambda request, ends: self._emit(RunStarted(command.run_id, request, ends, seeds)))
        for lane, seed in enumerate(seeds):
            if lane in stopped:
                continue
            asked = opened.replicas, opened.name, command, lane, seed, opened.info.context_length, self._emit, started
            answering = Answering(*asked) if opened.ids is None else IdAnswering(opened.ids, *asked)
            task = self._tasks[command.run_id, lane] = self._spawn(answering.run())
            task.add_done_callback(partial(self._ended, command, lane))

    def _cancel(self, run_id: int, lane: int | None) -> None:
        for (run, number), task in list(self._tasks.items()):
            if run == run_id and lane in (None, number):
                task.cancel()
        for held in [one for one in self._held if one.command.run_id == run_id]:
            for number in held.stop(lane):
                self._emit(_never_asked(held.command, number))
            if len(held.stopped) == len(held.command.lanes):
                self._held.remove(held)

    def _ended(self, command: Generate, lane: int, task: asyncio.Task[None]) -> None:
        """Tell of an answer that was stopped before it was asked for; end with a fault that nobody foresaw."""
        self._tasks.pop((command.run_id, lane), None)
        if task.cancelled():
            self._emit(_never_asked(command, lane))
        elif task.exception() is not None and self._end is not None:
            self._fault = task.exception()
            self._end.set()


class _Opening:
    """An opening of a model. Attributes: path; task; is_settled, it has its model, and cannot be given up any more."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.task: asyncio.Task[None] | None = None
        self.is_settled = False


class _Held:
    """A run that waits for a model. Attributes: command; stopped, the answers of it that are not wanted any more."""

    def __init__(self, command: Generate) -> None:
        self.command = command
        self.stopped: set[int] = set()

    def stop(self, lane: int | None) -> list[int]:
        """Note that an answer is not wanted, None for all of them. Returns those that were wanted before."""
        wanted = [one for one in range(len(self.command.lanes)) if one not in self.stopped and lane in (None, one)]
        self.stopped.update(wanted)
        return wanted


class _Once:
    """A call that does something the first time only."""

    def __init__(self, act: Callable[[RequestReport, tuple[int, ...]], object]) -> None:
        self._act: Callable[[RequestReport, tuple[int, ...]], object] | None = act

    def __call__(self, request: RequestReport, ends: tuple[int, ...]) -> None:
        act, self._act = self._act, None
        if act is not None:
            act(request, ends)


def _never_asked(command: Generate, lane: int) -> RunFinished:
    seed = command.lanes[lane].sampling.seed or 0
    stats = RunStats(NOT_TOLD, StopReason.CANCELLED, 0, None, 0.0, 0.0, seed)
    return RunFinished(command.run_id, lane, "", (), stats)


def _seeds(lanes: Sequence[Lane]) -> tuple[int, ...]:
    """Return the seeds of answers: as given, or drawn; answers with one seed would say the same."""
    found: list[int] = []
    for number, lane in enumerate(lanes):
        given = lane.sampling.seed
        seed = secrets.randbelow(_SEEDS) if given is None else given
        found.append((seed + number) % _SEEDS if seed in found else seed)
    return tuple(found)
