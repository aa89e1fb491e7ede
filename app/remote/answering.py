"""One answer asked of a server: sent, read as it comes, asked again where that may help, and told of.

Property: no more of an answer is taken than its bound, whatever the server goes on to send.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import replace
from typing import Any

from app.prompting.problems import RequestError, TooLongError
from app.prompting.thinking import Piece
from app.protocol.commands import Generate
from app.protocol.engine import EventSink
from app.protocol.events import PrefillProgress, RunFailed, RunFinished, ServerAwaited, TextDelta, TextKind, TrieChanged
from app.protocol.reports import UNTOLD_CONTEXT, Problem, RequestReport, Source, StopReason
from app.remote import chunks, kinds
from app.remote.chunks import Chunk, Progress, keepalive_of
from app.remote.faults import ServerError, broken_off, endless
from app.remote.messages import chat_request, ollama_request
from app.remote.nudge import Nudge
from app.remote.patience import Patience, fault_of
from app.remote.prompts import Prompt
from app.remote.routing import Replica, Replicas
from app.remote.written import NOT_TOLD, Written

log = logging.getLogger(__name__)
_LONGEST_ANSWER = 1 << 22  # characters with its thought, about as many as a million tokens have
_BETWEEN_PROGRESS = 0.05  # seconds
_LOOK = 2.0  # seconds in which a server says whether it is still there
_BROKEN = 1  # times that a request is sent again whose answer broke off before its first word


class Answering:
    """The asking of one answer of a run. It ends with one outcome, whatever happens."""

    def __init__(
        self,
        replicas: Replicas,
        model: str,
        command: Generate,
        lane: int,
        seed: int,
        context: int,
        emit: EventSink,
        begun: Callable[[RequestReport, tuple[int, ...]], object],
    ) -> None:
        """context: how many tokens the model reads at most. begun: called once a server has taken the request, with
        what the prompt should cost and where each turn of it ends.
        """
        self._replicas, self._model = replicas, model
        self._at = next(iter(replicas))
        self._prompt: Prompt | None = None
        self._failed: list[Replica] = []
        self._patience = Patience()
        self._command, self._lane, self._number = command, command.lanes[lane], lane
        self._emit, self._on_begun = emit, begun
        self._started: RequestReport | None = None  # what the prompt should cost, once a server has taken the request
        self._reading: Progress | None = None
        self._next_progress, self._is_read = 0.0, False
        self._kind: TextKind = "text"
        self._nudge = Nudge(self._show_words)
        self._context, self._seed = context, seed
        length = self._lane.sampling.max_tokens
        self._length = length if length is not None and length < context else None  # of the answer, as it is asked for
        self._written = Written(seed)

    async def run(self) -> None:
        """Ask, and tell what comes. Cancelled, it ends with what has come."""
        try:
            self._choose(self._replicas.choose(self._command))
            await self._write()
            stop = self._written.stop or StopReason.FINISHED
            if stop is StopReason.LENGTH and self._length is None:
                stop = StopReason.CONTEXT
        except asyncio.CancelledError:
            stop = StopReason.CANCELLED
        except (ServerError, RequestError) as error:
            self._end()
            self._settle()
            too_long = error.too_long if isinstance(error, ServerError) else 0
            self._fail(self._too_long(error.problem, too_long) if too_long else error.problem)
            if self._written.has_begun:
                await self._look()
            return
        self._end()
        stats = self._written.stats(stop, self._settle())
        log.info("run %d: %s, %d tokens after %s", self._command.run_id, stop, stats.tokens, stats.request)
        told = self._written
        said = told.text, told.ids, stats, told.thinking, told.choices
        self._emit(RunFinished(self._command.run_id, self._number, *said))

    def _too_long(self, problem: Problem, tokens: int) -> Problem:
        """Remember that the server does not read so many tokens, and say it as is said where they are counted here."""
        if self._at.belief is not None and self._prompt is not None:
            self._at.belief.note_too_long(self._prompt, max(tokens, self._context))
            self._show_held()
        if self._context >= UNTOLD_CONTEXT:
            return problem
        return TooLongError(self._context, tokens if tokens >= self._context else None).problem

    def _choose(self, replica: Replica) -> None:
        """Have this server answer."""
        self._at = replica
        self._prompt = None if replica.belief is None else replica.belief.prompt(self._command)

    def _request(self) -> tuple[str, dict[str, Any]]:
        self._written.most = UNTOLD_CONTEXT if self._length is None else self._length
        lane = replace(self._lane, sampling=replace(self._lane.sampling, max_tokens=self._length))
        arguments = self._at.kind, self._model, self._command, lane, self._seed
        if self._at.kind is kinds.OLLAMA:
            return "/api/chat", ollama_request(*arguments, self._context)
        request = chat_request(*arguments)
        if self._at.kind.takes_salt:
            request["cache_salt"] = self._at.client.server.salt
        return "/v1/chat/completions", request

    async def _write(self) -> None:
        """Read the answer, from its beginning again where no word of it has come, and of another server if there is."""
        broken = _BROKEN
        while True:
            try:
                with self._replicas.asking(self._at, self._command):
                    await self._read(*self._request())
                return
            except ServerError as error:
                if error.too_long and self._length is not None and self._at.kind.no_limit is None:
                    self._length = None  # what the context has room for is less, if the conversation fits at all
                    continue
                if self._written.has_begun or not error.may_retry:
                    raise
                self._failed.append(self._at)
                other = self._replicas.choose(self._command, self._failed)
                log.info("run %d may be asked again: %s", self._command.run_id, error)
                if other not in self._failed:
                    self._choose(other)
                elif error.is_busy or error.is_away or (not broken and await fault_of(self._at) is not None):
                    self._choose(await self._wait(error, self._failed))
                elif broken:
                    broken -= 1
                else:
                    raise

    async def _wait(self, error: ServerError, replicas: Sequence[Replica]) -> Replica:
        """Wait until one of some servers is well that were reached before, and say so meanwhile. Raises ServerError."""
        run, name = (self._command.run_id, self._number), self._at.client.server.name
        told: list[bool] = []

        def tell(fault: ServerError) -> None:
            if told[-1:] != [fault.is_away]:
                told.append(fault.is_away)
                self._emit(ServerAwaited(*run, name, fault.is_away))

        self._show_held()  # one that has ended holds nothing any more
        found = await self._patience.wait(replicas, error, tell)
        self._show_held()
        self._emit(ServerAwaited(*run, ""))
        return found

    async def _look(self) -> None:
        """See whether a server that broke off has ended, which its client finds out: then it holds nothing any more.

        One that is just ending may take a connection once more.
        """
        with contextlib.suppress(TimeoutError, ServerError, asyncio.CancelledError):  # the outcome has been told
            async with asyncio.timeout(_LOOK):
                while (fault := await fault_of(self._at)) is not None and not fault.is_away:
                    await asyncio.sleep(_LOOK / 10)
        self._show_held()

    async def _read(self, path: str, request: dict[str, Any]) -> None:
        """Read one answer to its end mark, or to its last word where its kind of server may leave out the mark.

        Raises ServerError, also where it ends before that.
        """
        has_ended, room, self._reading = False, _LONGEST_ANSWER, None
        self._next_progress, self._is_read = 0.0, False
        async with contextlib.aclosing(self._chunks(path, request)) as found:
            async for chunk in found:
                if chunk is None:
                    has_ended = True
                    break
                self._begin(chunk.progress)
                room -= len(chunk.text) + len(chunk.thinking)
                if room < 0:
                    raise endless(self._at.client.server.name)
                self._tell(self._written.take(chunk), counts=bool(chunk.text or chunk.thinking))
        if not has_ended and (self._at.kind.marks_end or self._written.stop is None):
            raise broken_off(self._at.client.server.name)

    async def _chunks(self, path: str, request: dict[str, Any]) -> AsyncGenerator[Chunk | None]:
        """Give the pieces of an answer, and None at its end mark."""
        client, is_ollama = self._at.client, self._at.kind is kinds.OLLAMA
        name = client.server.name
        answer = client.lines(path, request) if is_ollama else client.events(path, request, self._hear)
        async with contextlib.aclosing(answer) as found:
            async for data in found:
                if data.strip() == chunks.DONE:
                    yield None
                    return
                chunk = chunks.ollama_chunk(name, data) if is_ollama else chunks.chat_chunk(name, data)
                yield chunk
                if is_ollama and chunk.finish:
                    yield None
                    return

    def _begin(self, progress: Progress | None) -> None:
        """Say that the request was taken, how far it is read, and what an answer that goes on said before."""
        if progress is not None and not self._number:
            self._tell_progress(progress)
        if self._started is not None:
            return
        if progress is None:
            self._start(self._expected())
        else:
            found = progress.cached
            self._start(RequestReport(progress.total, found, found, found, source=Source.REPORTED))

    def _start(self, request: RequestReport) -> RequestReport:
        """Say that the request was taken, with what its prompt should cost, and return that."""
        self._started = request
        ends = tuple(end for _, end in self._prompt.turns) if self._prompt is not None else ()
        self._on_begun(request, ends)
        self._repeat()
        return request

    def _expected(self, left: int | None = None) -> RequestReport:
        """Return what the prompt should cost. left: as of `Belief.expect`."""
        if self._at.belief is None or self._prompt is None:
            return NOT_TOLD
        return self._at.belief.expect(self._prompt, left)

    def _hear(self, comment: str) -> None:
        """Tell how far the prompt is read where a comment says so before the first word.

        It counts what the server did not find. So what was to be found stands, and all of it but what is left is done:
        never less than before, nor more than there is.
        """
        told = keepalive_of(comment)
        if told is None or self._written.has_begun:
            return
        request = self._started or self._start(self._expected(told.total))
        before = self._reading or Progress(request.cached, request.cached, request.total or told.total)
        done = before.total - (told.total - told.done)
        self._reading = replace(before, done=min(max(before.done, done), before.total))
        self._begin(self._reading)

    def _repeat(self) -> None:
        """Tell what an answer that goes on said before."""
        before = self._command.begun
        if before is not None and before.text:
            self._written.repeat(before.text, before.thinking)
            thought = [Piece("thinking", before.thinking)] if before.thinking else []
            self._tell([*thought, Piece("text", before.text)])

    def _tell_progress(self, progress: Progress) -> None:
        """Tell how far the prompt is read: not oftener than can be seen, but once that it is."""
        spent, is_read = self._written.seconds, progress.done == progress.total
        if spent < self._next_progress and not (is_read and not self._is_read):
            return
        self._next_progress, self._is_read = spent + _BETWEEN_PROGRESS, is_read or self._is_read
        rate = (progress.done - progress.cached) / spent if spent > 0 else 0.0
        self._emit(PrefillProgress(self._command.run_id, progress.done, progress.total, progress.cached, rate))

    def _show_held(self) -> None:
        """Tell what the servers should hold now, where anybody knows."""
        if self._at.belief is not None:
            self._emit(TrieChanged(self._replicas.view))

    def _settle(self) -> RequestReport | None:
        """Note what the server has read, if it came to answer; returns what that has cost, None for what it says."""
        if self._at.belief is None or self._prompt is None or not self._written.has_begun:
            return None
        report = self._at.belief.settle(self._command, self._prompt, self._written)
        self._show_held()
        return report

    def _end(self) -> None:
        """Tell the rest; nothing comes after it."""
        self._tell(self._written.end())
        self._nudge.end()

    def _tell(self, pieces: Sequence[Piece], *, counts: bool = False) -> None:
        """Send new text; its last piece counts as a token, since servers send one at a time."""
        for at, (kind, text) in enumerate(pieces):
            count = int(counts and at == len(pieces) - 1)
            self._emit(TextDelta(self._command.run_id, self._number, text, (), kind, count))
        if pieces:
            self._told(pieces[-1].kind)

    def _told(self, kind: TextKind) -> None:
        self._kind = kind
        self._nudge.came()

    def _show_words(self) -> None:
        """Have the words shown that were told."""
        self._emit(TextDelta(self._command.run_id, self._number, "", (), self._kind))

    def _fail(self, problem: Problem) -> None:
        is_only = len(self._command.lanes) == 1
        log.info("run %d failed: %s", self._command.run_id, problem.title)
        self._emit(RunFailed(self._command.run_id, problem, None if is_only else self._number, self._written.ids))
