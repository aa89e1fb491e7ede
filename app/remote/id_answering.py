"""One answer asked of a server as token ids, and told as token ids."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Sequence
from functools import partial
from typing import Any

from app.prompting.answer_choices import AnswerChoices
from app.prompting.logit_bias import biased_ids
from app.prompting.output import OutputText
from app.prompting.problems import RequestError
from app.prompting.thinking import Piece
from app.protocol.chat import stop_problem
from app.protocol.commands import Lane
from app.protocol.events import TextDelta, TrieChanged
from app.protocol.reports import RequestReport, StopReason
from app.remote.answering import Answering
from app.remote.faults import ServerError, broken_off, endless
from app.remote.id_interface import Completed, IdQuestion
from app.remote.id_prompts import IdPrompt, IdPrompts, with_answer
from app.remote.id_written import IdWritten
from app.remote.routing import Replica
from app.remote.server_tokenizer import NO_TEXT
from app.remote.token_thread import UnansweredError

log = logging.getLogger(__name__)


class IdAnswering(Answering):
    """The asking of one answer by ids. Where its prompt cannot be had as ids, it is asked for with messages."""

    def __init__(self, ids: IdPrompts, *arguments: Any) -> None:
        """ids: the prompts of the model. arguments: as of `Answering`."""
        self._plain = Answering(*arguments)
        super().__init__(*arguments)
        self._ids = ids
        self._asked: IdPrompt | None = None
        self._bias: dict[int, float] = {}
        self._written: IdWritten = IdWritten(self._seed, ids.codec)
        self._counted = 0  # tokens that the server has written
        self._is_counted_alike = True

    async def run(self) -> None:
        """Ask, and tell what comes. Cancelled, it ends with what has come."""
        try:
            asked = await self._built()
        except (RequestError, ServerError) as error:
            self._fail(error.problem)
            return
        if asked is None:
            await self._plain.run()
            return
        self._asked = asked
        with self._ids.held(self._command, asked):
            await super().run()

    async def _built(self) -> IdPrompt | None:
        """Return the prompt, once the server tells its tokens; None where it is to be asked with messages.

        Raises RequestError, and ServerError where it is waited for in vain.
        """
        lane, may_break = self._command.lanes[self._number], True
        while self._ids.is_on:
            try:
                asked = await self._ids.build(self._command, lane.forced, self._context)
                await self._ids.thread.run(partial(self._prepare, lane, asked))
            except UnansweredError as error:
                fault, replicas = error.fault, list(self._replicas)
                if len(replicas) == 1 and (fault.is_busy or fault.is_away):
                    await self._wait(fault, replicas)
                elif fault.may_retry and may_break:
                    may_break = False  # a connection that was open before the server was started again
                else:
                    log.info("run %d is asked with messages: %s", self._command.run_id, error)
                    return None
            else:
                return asked
        return None

    def _prepare(self, lane: Lane, asked: IdPrompt) -> None:
        """Do what needs the tokenizer, on its thread."""
        codec, sampling = self._ids.codec, lane.sampling
        self._bias = {} if sampling.problem() else biased_ids(codec, sampling.logit_bias)
        stops = () if stop_problem(sampling.stop) else sampling.stop
        self._ids.tokenizer.learn((*asked.after, *asked.begun))
        output = OutputText(codec, (*stops, *self._ids.stops), asked.after)
        choices = AnswerChoices(codec, output, self._ids.tokenizer.read) if self._command.alternatives else None
        self._written.begin(output, asked.begun, self._command.begun, choices)

    def _choose(self, replica: Replica) -> None:
        self._at = replica
        self._prompt = None if self._asked is None else self._asked.prompt

    def _request(self) -> tuple[str, dict[str, Any]]:
        assert self._asked is not None
        self._counted = 0
        self._written.begin_again()
        return self._ids.interface.path, self._ids.interface.request(self._question(self._asked))

    def _question(self, asked: IdPrompt) -> IdQuestion:
        """Return what is asked of the server that is to answer."""
        return IdQuestion(
            kind=self._at.kind,
            model=self._model,
            ids=asked.ids,
            sampling=self._command.lanes[self._number].sampling,
            seed=self._seed,
            room=self._context - len(asked.ids),
            bias=self._bias,
            alternatives=self._command.alternatives and self._ids.tells_alternatives,
            salt=self._at.client.server.salt,
        )

    async def _read(self, path: str, request: dict[str, Any]) -> None:
        """Read one answer to its end. Raises ServerError, also where there is none."""
        assert self._asked is not None
        client, codec, most = self._at.client, self._ids.codec, self._question(self._asked).most
        reader = self._ids.interface.reader(client.server.name, codec.rows, codec.stop_ids)
        async with contextlib.aclosing(client.events(path, request)) as found:
            async for data in found:
                piece = reader.read(data)
                self._compare(piece)
                self._begin(piece.progress)
                if piece.progress is not None:
                    self._written.note_progress(piece.progress)
                if piece.tokens and self._written.stop is not None:
                    raise endless(client.server.name)
                self._tell(await self._taken(piece))
                if self._written.stop is StopReason.STOP_TEXT or (piece.is_last and self._written.stop is not None):
                    self._note_limit(most)
                    return
                if piece.is_last:
                    break
                if (self._counted or self._written.sampled) > most:
                    raise endless(client.server.name)
        raise broken_off(client.server.name)

    def _note_limit(self, most: int) -> None:
        """Say that the context is full where it had room for less than the person allows."""
        allowed = self._command.lanes[self._number].sampling.max_tokens
        if self._written.stop is StopReason.LENGTH and (allowed is None or allowed > most):
            self._written.stop = StopReason.CONTEXT

    async def _taken(self, piece: Completed) -> Sequence[Piece]:
        """Take a piece in: what its tokens read is known, or is asked for before.

        Where nobody can tell which they were, as of bytes that are no text, the ids of the answer are none.
        """
        tokens, tokenizer = piece.tokens, self._ids.tokenizer
        count = piece.count - self._counted
        self._counted = max(self._counted, piece.count)
        if tokens and piece.text and (count > len(tokens) or not tokenizer.knows(tokens)):
            spell = partial(tokenizer.spelled, piece.text, tokens[-1], max(count, len(tokens)))
            try:
                tokens = await self._ids.thread.run(spell)
            except UnansweredError as error:
                raise error.fault from None
            is_guess = count > len(piece.tokens) and (len(tokens) != count or NO_TEXT in piece.text)
            self._written.is_sure = self._written.is_sure and not is_guess
        return self._written.take_tokens(tokens, piece)

    def _compare(self, piece: Completed) -> None:
        """Send no more ids once the server counts other ones."""
        counted = piece.progress.total if piece.progress is not None else piece.total
        assert self._asked is not None
        sent = self._asked.ids
        is_other = piece.prompt is not None and tuple(piece.prompt) != sent
        if is_other or (counted is not None and counted != len(sent)):
            self._is_counted_alike = self._written.is_sure = False
            self._ids.switch_off(len(piece.prompt or ()) if counted is None else counted, len(sent))

    def _repeat(self) -> None:
        self._tell(self._written.given)

    def _settle(self) -> RequestReport | None:
        belief, asked, written = self._at.belief, self._asked, self._written
        if belief is None or asked is None or not self._is_counted_alike or not written.has_begun:
            return None
        whole = with_answer(asked, written.ids, written.text)
        report = belief.settle_ids(self._command.owner, asked.prompt, whole, written)
        self._emit(TrieChanged(self._replicas.view))
        return report

    def _tell(self, pieces: Sequence[Piece], *, counts: bool = False) -> None:
        """Send new text with the tokens since the last; tokens without text wait, but not beyond the end."""
        for kind, text in pieces[:-1]:
            self._emit(TextDelta(self._command.run_id, self._number, text, (), kind))
        tokens = self._written.new_tokens(has_text=bool(pieces))
        if pieces or tokens:
            kind, text = pieces[-1] if pieces else Piece("text", "")
            self._emit(TextDelta(self._command.run_id, self._number, text, tokens, kind))
            self._told(kind)
