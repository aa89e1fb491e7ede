"""The writing of one answer: from the prompt that was read to its last token, in small steps."""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from app.engine.forks import ForkPoints
from app.engine.open_model import OpenModel
from app.engine.pipeline import Pipeline
from app.engine.prefill import prefill
from app.engine.rewind_points import RewindPoints
from app.engine.sampler import Sampler, draw_seed
from app.engine.turns import Turns, TurnTask
from app.kvcache.session import Session
from app.prompting.answer_choices import AnswerChoices
from app.prompting.begun_answer import forced_ids, ids_of_begun
from app.prompting.logit_bias import biased_ids
from app.prompting.output import OutputText
from app.prompting.problems import RequestError, ShortOfMemoryError, TooLongError
from app.prompting.prompt import Prompt
from app.prompting.steps import finish_within, take_while
from app.prompting.thinking import Piece
from app.protocol.chat import Resumption, Sampling, Turn, stop_problem
from app.protocol.choices import LEAST, WHOLE
from app.protocol.commands import Generate
from app.protocol.engine import EventSink
from app.protocol.events import PrefillProgress, RunFailed, RunFinished, RunStarted, TextDelta
from app.protocol.reports import Problem, RequestReport, RunStats, StopReason

log = logging.getLogger(__name__)
_BETWEEN_LOOKS = 16  # tokens of all answers, after which it is asked whether there is memory for as many more
_PATIENCE = 1.0  # seconds, with a template that is asked what follows an answer that was stopped
_NEXT = Turn("user", "?")
T = TypeVar("T")


@dataclass
class _Clock:
    """Seconds since the run began, and at its first and last token. thinking_tokens, thinking: of its thought."""

    now: Callable[[], float]
    begun: float
    first: float | None = None
    last: float = 0.0
    thinking_tokens: int = 0
    thinking: float = 0.0

    @property
    def elapsed(self) -> float:
        return self.now() - self.begun

    def token(self, *, is_thinking: bool) -> None:
        now = self.elapsed
        if is_thinking:
            self.thinking_tokens += 1
            self.thinking += 0.0 if self.first is None else now - self.last
        self.last = now
        self.first = now if self.first is None else self.first

    def rate(self, tokens: int) -> float:
        """Tokens per second after the first."""
        spent = self.last - (self.first or 0.0)
        return (tokens - 1) / spent if tokens > 1 and spent > 0 else 0.0


class Writer(TurnTask):
    """The writer of one answer of a run: each step computes one chunk of the prompt or one token.

    lane: its number in the run. has_read: the prompt, so that the other answers to it need not. It may give way at any
    time, which leaves no session open: what it says is what it would have said.
    """

    def __init__(
        self,
        command: Generate,
        lane: int,
        seed: int,
        prompt: Prompt,
        begun: float,
        open_model: OpenModel,
        turns: Turns,
        emit: EventSink,
    ) -> None:
        """Compute nothing yet. begun: when the run did. turns: by which its steps are taken."""
        super().__init__(command.run_id)
        self.lane, self.has_read = lane, False
        self._command, self._seed, self._prompt = command, seed, prompt
        self._open, self._emit, self._turns = open_model, emit, turns
        self._model, self._cache, self._room = open_model.model, open_model.cache, open_model.step_memory
        self._sampling, self._forced = command.lanes[lane].sampling, command.lanes[lane].forced
        self._clock = _Clock(time.perf_counter, begun)
        self._output = self._new_output(())
        self._untold: list[Piece] = []
        self._has_told = False
        self._choices: AnswerChoices | None = None
        self._rewind_points: RewindPoints | None = None
        self._session: Session | None = None
        self._report: RequestReport | None = None
        self._short: ShortOfMemoryError | None = None
        self._gives_way = self._is_whole = False
        self._sampled = 0
        self._resumptions = deque(() if lane else command.resumptions)
        self._resumed = Resumption(0, self._sampling)

    @property
    def has_begun(self) -> bool:
        """Return whether the cache knows of the answer, as it does not after it gave way."""
        return self._session is not None

    def give_way(self) -> None:
        """Come to rest within a step, with no session open. The next step goes on from there."""
        if self.has_begun:
            self._gives_way = True
            self.advance()

    def give_up(self, error: ShortOfMemoryError) -> bool:
        """End now, for want of memory. Return False where the answer holds none.

        It fails, unless all of it is written.
        """
        if not self.has_begun:
            return False
        if not self._is_whole:
            self._short = error
        self.cancel()
        return True

    def _refusal(self, problem: Problem) -> RunFailed:
        self._tell()
        is_only = len(self._command.lanes) == 1
        return RunFailed(self._command.run_id, problem, None if is_only else self.lane)

    def _work(self) -> Generator[None, None, None]:
        command, prompt = self._command, self._prompt
        if self.is_cancelled:
            self.outcome = never_started(command, self.lane)
            return
        self._forced = self._beginning(prompt)
        self._output = self._new_output(prompt.after_question)
        self._choices = AnswerChoices(self._model.codec, self._output) if command.alternatives else None
        self._sampler = self._new_sampler(self._sampling, self._seed, prompt.ids + self._forced)
        stop = yield from self._write()
        while stop is None:
            yield from self._wait()
            stop = (yield from self._write()) if not self.is_cancelled else self._end(StopReason.CANCELLED)
        assert self._report is not None
        log.info("run %d: %s, %d tokens after %s", command.run_id, stop, self._sampled, self._report)
        self.outcome = self._finished(self._report, stop)

    def _write(self) -> Generator[None, None, StopReason | None]:
        """Write in one session, from what is written on. Returns what ended the answer, None where it gave way."""
        tokens = self._prompt.ids + (self._output.ids or self._forced)
        stop: StopReason | None = None
        self._room.make_room_to_enter(tokens, self._cache)
        owner, is_guest = self._command.owner, self._command.is_guest
        points = self._prompt.restore_points
        with self._cache.begin(tokens, points, "" if is_guest else owner, is_guest=is_guest) as session:
            self._session = session
            self._note_read(session)
            self._start(session)
            self._open.feed.begun()
            try:
                yield from self._pause(session)
                yield from self._prefill(session)
                if self.is_cancelled:
                    stop = StopReason.CANCELLED
                elif not self._gives_way:
                    stop = yield from self._decode(session, tokens[-1])
            except ShortOfMemoryError as error:
                self._short, stop = error, StopReason.CANCELLED
            self.is_writing, self._is_whole = False, self._short is None and stop is not None
            if stop is not None:
                self._end(stop)
                yield from self._keep(session, stop)
        if self._short is not None:
            raise self._short
        return stop

    def _wait(self) -> Iterator[None]:
        """Wait while something else goes on, which is no time of the answer's."""
        self._session = self._rewind_points = None
        begun = self._clock.now()
        yield
        self._clock.begun += self._clock.now() - begun
        self._gives_way = False

    def _start(self, session: Session) -> None:
        """Tell once that the run has found what is known of its prompt."""
        if self._report is None:
            self._report = self._prompt.explained(session.report)
            self._emit(RunStarted(self._command.run_id, self._report, self._prompt.turn_ends))

    def _end(self, stop: StopReason) -> StopReason:
        """Tell what was held back."""
        self._untold += self._output.end()
        self._tell(is_last=True)
        return stop

    def _keep(self, session: Session, stop: StopReason) -> Iterator[None]:
        """Keep what the next turn begins from, where the session has computed all that it was given."""
        if session.is_mounted and not session.unread:
            if self._rewind_points is not None and stop is StopReason.CANCELLED:
                self._rewind_points.keep_last()
            yield from self._keep_rewind_point(session)

    def _pause(self, session: Session) -> Iterator[None]:
        """Let other answers go on, if there are any, and come back to this one."""
        yield
        if self._short is not None:
            raise self._short
        if self._cache.holds_many or not self.is_cancelled:
            self._with_room(session, lambda: None)

    def _with_room(self, session: Session, act: Callable[[], T]) -> T:
        """Do what needs memory on a session. Where there is too little, younger answers fail first."""
        while True:
            try:
                self._turns.mount(session)
                return act()
            except ShortOfMemoryError as error:
                if not self._turns.has_younger_ended(self, error):
                    raise

    def _beginning(self, prompt: Prompt) -> tuple[int, ...]:
        """Return the token ids that the answer must begin with. Raises RequestError where they cannot be read."""
        command, prompts = self._command, self._model.prompts
        if command.begun is not None:
            forced = ids_of_begun(prompts, prompt, command.begun, command.edited)
        else:
            forced = forced_ids(prompts, prompt, self._forced)
        prompts.require_known(forced)
        total, context = len(prompt.ids) + len(forced), self._open.model.context_length
        if total >= context:
            raise TooLongError(context, total)
        return forced

    def _new_output(self, prompt: Sequence[int]) -> OutputText:
        stops = () if stop_problem(self._sampling.stop) else self._sampling.stop
        return OutputText(self._model.codec, stops + self._model.prompts.template.stop, prompt)

    def _new_sampler(self, sampling: Sampling, seed: int, context: Sequence[int]) -> Sampler:
        """Make a sampler of the answer. Raises RequestError for settings that mean nothing to this model."""
        codec = self._model.codec
        problem = sampling.problem()
        bias = biased_ids(codec, sampling.logit_bias) if not problem else {}
        ends = {*codec.stop_ids, *filter(codec.knows, codec.plain("\n"))}
        return Sampler(sampling, seed, context, bias, ends, keeps_logits=self._command.alternatives)

    def _prefill(self, session: Session) -> Iterator[None]:
        """Read the prompt up to its last token, and what was written after it where that is gone."""
        cached, total = session.report.cached, session.report.total
        begun = time.perf_counter()
        for _ in prefill(session, self._open, self._goes_on):
            done = total - session.left
            rate = (done - cached) / (time.perf_counter() - begun)
            if self._report is not None and not self._sampled:
                self._emit(PrefillProgress(self._command.run_id, done, total, self._report.cached, rate))
            self._note_read(session)
            yield from self._pause(session)

    def _goes_on(self) -> bool:
        return not (self.is_cancelled or self._gives_way)

    def _note_read(self, session: Session) -> None:
        """Note whether the prompt has been read that all answers share: up to its last token."""
        computed = session.report.total - session.left
        self.has_read = self.has_read or computed >= len(self._prompt.ids) - 1

    def _decode(self, session: Session, token: int) -> Generator[None, None, StopReason | None]:
        """Sample after a token until something ends the answer; returns what, None where it gives way.

        Every token that another one follows is fed.
        """
        if not self._output.ids:
            self._begin_forced()
        self._require_room(session)
        self.is_writing = True
        pipeline = Pipeline(session, self._sampler, token, self._tell)
        self._rewind_points = RewindPoints(session)
        forks = ForkPoints(session, lambda: self._cache.budget_bytes)
        while not self.is_cancelled:
            if self._sampled % max(1, _BETWEEN_LOOKS // self._turns.lanes) == 0:
                self._require_room(session)
            ends_turn, limit = self.ends_turn or self._gives_way, self._limit()
            is_resumed = limit is None and self._is_resumed_after(self._sampled + 1)
            token = pipeline.read(is_last=ends_turn or limit is not None or is_resumed)
            if token in self._model.codec.stop_ids:
                pipeline.end()
                return StopReason.FINISHED
            self._sampled += 1
            was_thinking = self._output.is_thinking
            found = pipeline.alternatives(token, LEAST / WHOLE)
            if self._choices is not None:
                self._choices.note(token, found)
            if found is not None:
                forks.passed(found.own)
            pieces = self._output.add(token)
            self._clock.token(is_thinking=was_thinking or self._output.is_thinking)
            shown = "".join([text for _, text in pieces])
            self._rewind_points.passed(shown, self._output.is_holding_back, self._output.is_thinking)
            stop = self._output.stop or limit
            if stop is not None:
                pipeline.end()
            elif is_resumed:
                pipeline = self._resume(session, token)
            elif ends_turn:
                pipeline.rest(token)
            else:
                pipeline.keep(token)
            self._untold += pieces
            if ends_turn or stop is not None:
                self._tell(ends_turn=ends_turn)
            if stop is not None or self._gives_way:
                return stop
            if self._has_told:  # the first word waits for no picture
                self._open.feed.growing()
            yield from self._pause(session)
            yield from self._read_again(session)
        return StopReason.CANCELLED

    def _read_again(self, session: Session) -> Iterator[None]:
        """Read what was let go of while others went on."""
        if session.unread:
            self.is_writing = False
            for _ in prefill(session, self._open, self._goes_on):
                yield from self._pause(session)
            self.is_writing = True

    def _require_room(self, session: Session) -> None:
        """Raises ShortOfMemoryError where there is no memory for another token."""
        context = self._prompt_tokens + self._sampled
        self._with_room(session, lambda: self._room.fitting(1, context, self._cache))

    def _is_resumed_after(self, sampled: int) -> bool:
        """Return whether the answer that is written once more had ended after so many tokens, and went on."""
        return bool(self._resumptions) and self._resumptions[0].at == sampled

    def _resume(self, session: Session, token: int) -> Pipeline:
        """Go on as the answer did that had ended with this token, which is fed now: with the random numbers of then."""
        self._resumed = self._resumptions.popleft()
        sampling = self._resumed.sampling
        seed = draw_seed() if sampling.seed is None else sampling.seed
        self._sampler = self._new_sampler(sampling, seed, (*self._prompt.ids, *self._output.ids))
        return Pipeline(session, self._sampler, token, self._tell)

    def _keep_rewind_point(self, session: Session) -> Iterator[None]:
        """Keep the state where the next turn will leave this answer, if that is not its end.

        A run that is cancelled ends in this step, and waits for its template no longer than `_PATIENCE`; one that gives
        way does not.
        """
        points, is_of_turns = self._rewind_points, bool(self._command.turns)
        if points is None or not points.are_wanted or not self._output.ids or not is_of_turns:
            return
        answer = Turn("assistant", self._output.text, self._output.ids, thinking=self._output.thinking)
        turns, options = (*self._command.turns, answer, _NEXT), self._command.options
        if not self._room.has_room_to_read(self._model.prompts.composed(turns, options)):
            return
        building = self._model.prompts.building(turns, options)
        try:
            following = yield from take_while(building, self._goes_on)
            if following is None and not self._gives_way:
                following = finish_within(building, _PATIENCE)
            self._turns.mount(session)
        except RequestError as error:
            log.debug("no next turn: %s", error.problem.title)
            return
        if following is not None:
            points.keep(following.ids)

    def _begin_forced(self) -> None:
        if self._choices is not None:
            for _ in self._forced:
                self._choices.give()
        self._untold += self._output.begin(self._forced, self._command.begun)
        self._tell()

    @property
    def _prompt_tokens(self) -> int:
        """Count of the tokens before those that are sampled."""
        return len(self._prompt.ids) + len(self._forced)

    def _limit(self) -> StopReason | None:
        """Why nothing may follow the next token, if that is so."""
        if self._prompt_tokens + self._sampled + 1 >= self._open.model.context_length:
            return StopReason.CONTEXT
        most = self._resumed.sampling.max_tokens
        is_full = most is not None and self._sampled + 1 - self._resumed.at >= most
        return StopReason.LENGTH if is_full and not self._is_resumed_after(self._sampled + 1) else None

    def _tell(self, *, is_last: bool = False, ends_turn: bool = False) -> None:
        """Send new text with the tokens since the last; tokens without text wait, but not beyond the end."""
        pieces, self._untold = self._untold, []
        for kind, text in pieces[:-1]:
            self._emit(TextDelta(self._command.run_id, self.lane, text, (), kind))
        tokens = self._output.new_tokens() if pieces or is_last else ()
        if pieces or tokens:
            self._has_told = True
            kind, text = pieces[-1] if pieces else Piece("thinking" if self._output.is_thinking else "text", "")
            self._emit(TextDelta(self._command.run_id, self.lane, text, tokens, kind, ends_turn=ends_turn))

    def _finished(self, report: RequestReport, stop: StopReason) -> RunFinished:
        stats = RunStats(
            request=report,
            stop=stop,
            tokens=self._sampled,
            first_token=self._clock.first,
            rate=self._clock.rate(self._sampled),
            seconds=self._clock.elapsed,
            seed=self._seed,
            thinking_tokens=self._clock.thinking_tokens,
            thinking_seconds=self._clock.thinking,
        )
        output, choices = self._output, b"" if self._choices is None else self._choices.packed()
        return RunFinished(self._command.run_id, self.lane, output.text, output.ids, stats, output.thinking, choices)


def never_started(command: Generate, lane: int) -> RunFinished:
    """Return the outcome of an answer that was cancelled before it began."""
    seed = command.lanes[lane].sampling.seed or 0
    stats = RunStats(RequestReport(0, 0, 0, 0), StopReason.CANCELLED, 0, None, 0.0, 0.0, seed)
    return RunFinished(command.run_id, lane, "", (), stats)
