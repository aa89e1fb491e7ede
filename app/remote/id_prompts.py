"""Prompts as token ids, where a server takes them: the very ids that an answer was generated with, at its next turn.

Properties: they are used only once they are proven to be those of the server, and no more once it counts another number
of tokens in one; nothing of them is worked out on the event loop; no word is sent to a server to be priced.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import TypeVar

from app.prompting import prompt as prompting
from app.prompting.begun_answer import forced_ids, ids_of_begun
from app.prompting.codec import Codec
from app.prompting.problems import TooLongError
from app.prompting.prompt import PromptBuilder
from app.prompting.recent_prompts import RecentPrompts
from app.prompting.steps import Steps
from app.prompting.thinking_switch import thinking_switch
from app.protocol.attachments import question_text
from app.protocol.chat import Turn
from app.protocol.commands import EstimateCost, Generate
from app.protocol.dataclass import dataclass
from app.protocol.reports import ModelInfo
from app.remote.id_interface import IdInterface
from app.remote.id_tokenizer import IdTokenizer
from app.remote.pricing import PricingCodec
from app.remote.prompts import Prompt, excerpt
from app.remote.record import Span
from app.remote.server_tokenizer import NotAskedError
from app.remote.token_thread import TokenThread

log = logging.getLogger(__name__)
T = TypeVar("T")

OFF = (
    "It counts other tokens in a conversation than were sent. From now on messages are sent instead, which it "
    "tokenizes itself: what was typed may count as control tokens, and figures are about right."
)


@dataclass(frozen=True, slots=True)
class IdPrompt:
    """A prompt as it is sent. prompt: as it is recorded. after: its ids after the question. begun: those of the answer
    that it begins with, which are the last of it.
    """

    prompt: Prompt
    after: tuple[int, ...]
    begun: tuple[int, ...]

    @property
    def ids(self) -> tuple[int, ...]:
        """Return all ids."""
        return self.prompt.ids


class IdPrompts:
    """The prompts of one model on a server.

    Attributes: interface, by which they are sent; codec, tokenizer, thread; is_on, they may be sent;
    tells_alternatives, the server may be asked what else could have stood.
    """

    def __init__(
        self,
        interface: IdInterface,
        thread: TokenThread,
        tokenizer: IdTokenizer,
        codec: Codec,
        builder: PromptBuilder,
    ) -> None:
        """Send none yet."""
        self.interface, self.thread, self.tokenizer, self.codec = interface, thread, tokenizer, codec
        self.is_on = self.tells_alternatives = True
        self.seen: Callable[[Sequence[int]], int] = lambda _: 0  # how many ids were sent before, on the event loop
        self.on_off: Callable[[], object] = lambda: None  # called when that ends
        self._builder = replace(builder, seen=self._seen)
        self._pricing = replace(self._builder, codec=PricingCodec(codec, tokenizer))
        self._one_price = asyncio.Lock()
        self._recent = RecentPrompts()
        self._held: dict[int, list[Prompt]] = {}

    async def close(self) -> None:
        """End what is worked out, and the process of the template."""
        await self.thread.end(self._builder.template.close)

    def switch_off(self, counted: int, sent: int) -> None:
        """Send no ids from now on, since the server counts other ones than were sent."""
        if self.is_on:
            log.warning("%s counted %d tokens of %d: messages are sent", self.thread.name, counted, sent)
            self.is_on = False
            self.on_off()

    @property
    def fingerprint(self) -> str:
        """Name the tokenizer and the template, whichever server they were found on."""
        told = hashlib.sha256(self._builder.template.source.encode("utf-8", "replace"))
        told.update(self.tokenizer.identity.encode("utf-8", "replace"))
        return told.hexdigest()

    @property
    def stops(self) -> tuple[str, ...]:
        """Return texts that end an answer by themselves."""
        return self._builder.template.stop

    def described(self, info: ModelInfo) -> ModelInfo:
        """Return what a model is and can do whose prompts these are."""
        whole = hashlib.sha256(f"{info.fingerprint}\0{self.fingerprint}".encode()).hexdigest()[:32]
        able = info.capabilities
        if able is not None:
            unused = able.unused_settings - self.interface.more_settings | self.interface.fewer_settings
            able = replace(able, token_ids=True, going_on=True, unused_settings=unused)
        switch = self._builder.switch
        thinking = thinking_switch(switch, self._builder.template, self.codec.thinking)
        return replace(info, fingerprint=whole, capabilities=able, thinking=thinking, thinks=switch.is_usually_on)

    async def build(self, command: Generate, forced: tuple[int, ...], context: int) -> IdPrompt:
        """Return the prompt of a branch.

        forced: ids that the answer is to begin with. context: how many tokens the model reads at most. Raises
        UnansweredError where the server does not tell what is needed, and RequestError where there is none.
        """
        return await self.thread.finish(self._building(self._builder, command, forced, context))

    async def priced(self, command: EstimateCost, context: int) -> IdPrompt:
        """Return the prompt of a branch that is not asked: of words that were not sent yet about.

        A tokenizer that asks nobody tells it exactly. A server is not asked, on this computer neither: what answers
        there may be the near end of a tunnel. Raises as `build` does, and NotAskedError where nothing is known. One is
        worked out at a time, so that what is asked need not wait for many.
        """
        async with self._one_price:
            try:
                return await self._unasked(self._builder, command, context)
            except NotAskedError:
                return await self._unasked(self._pricing, command, context)

    async def _unasked(self, builder: PromptBuilder, command: EstimateCost, context: int) -> IdPrompt:
        """Return a prompt of what is known."""
        return await self.thread.finish(self._silently(self._building(builder, command, command.forced, context)))

    def _silently(self, steps: Steps[T]) -> Steps[T]:
        """Take steps in which the server is asked nothing."""
        while True:
            self.tokenizer.may_ask = False
            try:
                next(steps)
            except StopIteration as end:
                value: T = end.value
                return value
            finally:
                self.tokenizer.may_ask = True
            yield

    def _building(
        self, builder: PromptBuilder, command: Generate | EstimateCost, forced: tuple[int, ...], context: int
    ) -> Steps[IdPrompt]:
        turns, is_exact = command.turns, builder is self._builder
        composed = builder.composed(turns, command.options)
        if is_exact:
            builder.lengths.require_near(composed, context)
            yield
            prompt = yield from self._recent.building(builder, turns, command.options)
        else:
            prompt = yield from builder.building(turns, command.options)
        begun = command.begun
        if begun is not None:
            first = ids_of_begun(builder, prompt, begun, command.edited)
        else:
            first = forced_ids(builder, prompt, forced)
        builder.require_known(first)
        if len(prompt.ids) + len(first) >= context:
            raise TooLongError(context, len(prompt.ids) + len(first))
        told = replace(_recorded(prompt, composed, turns, first), is_counted=is_exact)
        return IdPrompt(told, prompt.after_question, first)

    @contextmanager
    def held(self, command: Generate | EstimateCost, prompt: IdPrompt) -> Iterator[None]:
        """Have this be the prompt of a command as long as that is worked on."""
        held = self._held.setdefault(id(command), [])
        held.append(prompt.prompt)
        try:
            yield
        finally:
            held.pop()
            if not held:
                del self._held[id(command)]

    def of(self, command: Generate | EstimateCost) -> Prompt | None:
        """Return the prompt that is held for a command."""
        held = self._held.get(id(command))
        return held[0] if held else None

    def _seen(self, ids: Sequence[int]) -> int:
        return self.thread.on_loop(partial(self.seen, ids))


def with_answer(prompt: IdPrompt, ids: Sequence[int], text: str) -> Prompt:
    """Return a prompt with the whole answer to it, as it is recorded. ids: of the answer, its beginning included."""
    told = prompt.prompt
    start = len(told.ids) - len(prompt.begun)
    spans = tuple(span for span in told.spans if span.start < start)
    whole = (*told.ids[:start], *ids)
    answer = (Span(start, len(whole), "assistant", excerpt(text)),) if len(whole) > start else ()
    return Prompt(whole, (*spans, *answer), told.turns, (), ())


def _recorded(
    prompt: prompting.Prompt, composed: Sequence[Turn], turns: Sequence[Turn], begun: tuple[int, ...]
) -> Prompt:
    """Return a prompt as it is recorded: each message with what the template writes before it."""
    added = len(composed) - len(turns)
    said = list(zip(turns if added else composed, prompt.turn_starts, prompt.turn_ends, strict=True))
    if added > 0:
        said.insert(0, (composed[0], 0, prompt.turn_starts[0]))
    elif added < 0:
        del said[0]  # instructions that nobody is told any more
    spans: list[Span] = []
    for turn, _, end in said:
        start = spans[-1].end if spans else 0
        if end > start:
            spans.append(Span(start, end, turn.role, excerpt(question_text(turn.text, turn.attachments))))
    ids = (*prompt.ids, *begun)
    if begun:
        spans.append(Span(len(prompt.ids), len(ids), "assistant", ""))
    return Prompt(ids, tuple(spans), tuple(zip(prompt.turn_starts, prompt.turn_ends, strict=True)), (), ())
