"""The prompt of a branch: the tokens that are asked of the model, and the points in it that people come back to.

The rendered text is cut into pieces that are tokenized one by one: the template's own text with its control tokens,
each message as plain text, and of each answer the very ids it was generated with, as far as its text still says the
same. So a branch that goes on repeats what the cache holds, and an edited message leaves everything before its first
character as it was.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from app.prompting.codec import Codec
from app.prompting.instructions import compose, takes_instructions
from app.prompting.length import LengthCounter, around_turn
from app.prompting.message_spans import RenderedChat, Said, Span, locate_messages
from app.prompting.openings import Opening, gaps_of, instruction_gaps, openings_of
from app.prompting.past_thoughts import PastThoughts, past_thoughts
from app.prompting.problems import ModelError, RequestError, UnknownTokenError
from app.prompting.steps import Steps, finish
from app.prompting.template import ChatTemplate, TemplateEndedError, TemplateRefusedError
from app.prompting.thinking_switch import SwitchVariables, switch_variables
from app.prompting.token_reuse import reuse_ids, shared_length
from app.prompting.transcript import as_written
from app.protocol.attachments import attached_texts, question_text
from app.protocol.chat import PromptOptions, Turn
from app.protocol.reports import Reason, RequestReport

AT_ONCE = 1 << 15  # characters of a branch that are tokenized in one step, and those of the message that they end in


@dataclass(frozen=True, slots=True)
class Prompt:
    """The tokens of a branch, up to where the answer begins.

    restore_points: token offsets that later branches will start from, in order. turn_starts, turn_ends: offsets of
    each turn's content. A turn that could not be located has both at the offset after the text it lies in.
    attachment_ends: offsets of the ends of what is attached, of all turns. unthought: where answers begin and end that
    stand there without what their model thought before. is_lasting: it depends on nothing but the branch, and not on
    what was computed before.
    """

    ids: tuple[int, ...]
    restore_points: tuple[int, ...]
    turn_starts: tuple[int, ...]
    turn_ends: tuple[int, ...]
    attachment_ends: tuple[int, ...] = ()
    unthought: tuple[tuple[int, int], ...] = ()
    is_lasting: bool = True

    @property
    def after_question(self) -> tuple[int, ...]:
        """The ids after the question, which ask for the answer; all of them where its place is not known."""
        return self.ids[self.turn_ends[-1] :] or self.ids if self.turn_ends else self.ids

    def explained(self, report: RequestReport) -> RequestReport:
        """Return a report of this prompt that says so where it left what was computed because a thought is missing."""
        at = report.diverged_at
        if report.reason is not Reason.DIVERGED or at is None:
            return report
        is_unthought = any(start <= at <= end for start, end in self.unthought)
        return replace(report, reason=Reason.THINKING) if is_unthought else report


def _nothing_seen(_ids: Sequence[int]) -> int:
    return 0


@dataclass(frozen=True, slots=True)
class PromptBuilder:
    """A builder of prompts for one model.

    history_header: the template's text between a question and an answer that lies in the past. lengths: tells what is
    far too long to build. takes_instructions: the template has a place for them. switch, thoughts: how it is told to
    think, and what was thought. seen: how many of some ids, from the first on, this program is known to have computed.
    openings: what it writes before messages, by which they are found among tokens.
    """

    codec: Codec
    template: ChatTemplate
    history_header: str
    lengths: LengthCounter
    takes_instructions: bool
    switch: SwitchVariables
    thoughts: PastThoughts
    seen: Callable[[Sequence[int]], int] = _nothing_seen
    openings: tuple[Opening, ...] = ()

    def composed(self, turns: Sequence[Turn], options: PromptOptions) -> Sequence[Turn]:
        """Return the turns that the template is given for a branch: with its instructions."""
        return compose(turns, options, self.takes_instructions).turns

    def build(self, turns: Sequence[Turn], options: PromptOptions = PromptOptions()) -> Prompt:  # noqa: B008 - frozen
        """Build the prompt of a branch in one step. Raises as `building` does."""
        return finish(self.building(turns, options))

    def building(self, turns: Sequence[Turn], options: PromptOptions) -> Steps[Prompt]:
        """Build the prompt of a branch.

        Raises RequestError when there is nothing to answer, the template refuses, or the model lacks a token.
        """
        if not turns or not turns[-1].text.strip():
            raise RequestError("There is nothing to answer", "The message is empty. Write something and send it again.")
        composed = compose(turns, options, self.takes_instructions)
        rendered = yield from self._render(composed.turns, self.switch.of(options.thinking))
        prompt = yield from _Assembly(self, composed.turns, rendered).finishing()
        self.require_known(prompt.ids)
        return _of_branch(prompt, composed.added)

    def require_known(self, ids: Sequence[int]) -> None:
        """Refuse ids that the model does not know, and would read past its arrays: raise UnknownTokenError."""
        unknown = self.codec.unknown(ids)
        if unknown is not None:
            raise UnknownTokenError(unknown)

    def _render(self, turns: Sequence[Turn], variables: Mapping[str, Any]) -> Steps[RenderedChat]:
        """Texts that cannot be located are tokenized as template text: control tokens in them are disguised."""
        messages = [self._said(turn) for turn in turns]
        template = self.template.dated(turns[0].at).given(variables)
        rendered = yield from locate_messages(template, messages, self.thoughts)
        found = zip(messages, rendered.spans, rendered.thoughts, strict=True)
        safe = [
            Said(said.role, self._safe(said.content, span), self._safe(said.thought, thought))
            for said, span, thought in found
        ]
        return rendered if safe == messages else (yield from locate_messages(template, safe, self.thoughts))

    def _said(self, turn: Turn) -> Said:
        content = question_text(turn.text, turn.attachments)
        if self.template.is_plain and not turn.ids:
            content = as_written(content)
        thought = turn.thinking if self.thoughts.are_kept else ""
        if self.thoughts.around is not None and self.codec.has_controls(thought):
            thought = self.codec.disguise(thought)  # the template would take a mark in it for its end
        return Said(turn.role, content, thought)

    def _safe(self, text: str, span: Span | None) -> str:
        return self.codec.disguise(text) if span is None and self.codec.has_controls(text) else text


def prompt_builder(codec: Codec, template: ChatTemplate) -> Steps[PromptBuilder]:
    """Make the prompt builder of a model, after trying its template on small conversations of letters.

    Raises ModelError for a template that is none, or that renders not even a question; and TemplateEndedError.
    """
    yield from _try_question(template)
    takes = yield from takes_instructions(template)
    switch = yield from switch_variables(template)
    thoughts = yield from past_thoughts(template, codec.thinking)
    build = partial(PromptBuilder, codec, template, takes_instructions=takes, switch=switch, thoughts=thoughts)
    gaps = (yield from instruction_gaps(codec, template)) if takes else []
    try:
        talk = [Said("user", "Abc"), Said("assistant", "Def", "Jkl" if thoughts.are_kept else ""), Said("user", "Ghi")]
        rendered = yield from locate_messages(template, talk, thoughts)
    except TemplateEndedError:
        raise
    except RequestError:
        # A template that refuses this answers first questions alone, and says so when another one is asked.
        lengths = LengthCounter(codec, template.thinking_end, None, thoughts)
        return build(history_header="", lengths=lengths, openings=openings_of(gaps, codec))
    question, answer = rendered.spans[0], rendered.thoughts[1] or rendered.spans[1]
    header = rendered.text[question.end : answer.start] if question and answer else ""
    around = yield from around_turn(codec, template)
    lengths = LengthCounter(codec, template.thinking_end, around, thoughts)
    openings = openings_of([*gaps, *gaps_of(talk, rendered, codec)], codec)
    return build(history_header=header, lengths=lengths, openings=openings)


def _try_question(template: ChatTemplate) -> Steps[None]:
    try:
        yield from template.render([[{"role": "user", "content": "Abc"}]])
    except TemplateRefusedError as error:
        raise ModelError(
            "The model's chat template does not work",
            f"It refuses any question: “{error.words}”. Choose another model, or copy or download this one again.",
        ) from error


def _of_branch(prompt: Prompt, added: int) -> Prompt:
    """Return a prompt with the places of the branch's own turns: one that was left out lies before the first."""
    if added > 0:
        return replace(prompt, turn_starts=prompt.turn_starts[added:], turn_ends=prompt.turn_ends[added:])
    if added < 0:
        first = prompt.turn_starts[:1]
        return replace(prompt, turn_starts=first + prompt.turn_starts, turn_ends=first + prompt.turn_ends)
    return prompt


@dataclass
class _Assembly:
    """One prompt in the making. `at`: how many characters of the rendered text are tokenized."""

    builder: PromptBuilder
    turns: Sequence[Turn]
    rendered: RenderedChat
    ids: list[int] = field(default_factory=list)
    points: set[int] = field(default_factory=set)
    starts: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    attachment_ends: list[int] = field(default_factory=list)
    unthought: list[tuple[int, int]] = field(default_factory=list)
    at: int = 0
    unlocated: int = 0
    is_lasting: bool = True

    def finishing(self) -> Steps[Prompt]:
        """Walk over the turns, some in each step, then write the generation prompt."""
        if self.builder.template.is_plain:
            self.ids += self.builder.codec.beginning()
        stepped = 0
        for turn, span, thought in zip(self.turns, self.rendered.spans, self.rendered.thoughts, strict=True):
            if self.at - stepped >= AT_ONCE:
                stepped = self.at
                yield
            if span is None:
                self.unlocated += 1
            elif turn.role == "assistant":
                self._answer(turn, span, thought)
            else:
                self._question(turn, span)
        before = len(self.ids)
        self._markup(len(self.rendered.text))
        self._mark_new_answer(before)
        self._mark_unlocated()
        points = tuple(sorted(point for point in self.points if 0 < point < len(self.ids)))
        return Prompt(
            tuple(self.ids),
            points,
            tuple(self.starts),
            tuple(self.ends),
            tuple(self.attachment_ends),
            tuple(self.unthought),
            self.is_lasting,
        )

    @property
    def _generation_prompt(self) -> str:
        last = self.rendered.spans[-1]
        return self.rendered.text[last.end :] if last else ""

    def _question(self, turn: Turn, span: Span) -> None:
        """Let a single space before the content go with it: tokens of words begin with their space."""
        text, start = self.rendered.text, span.start
        if start - self.at >= 2 and text[start - 1] == " " and not text[start - 2].isspace():
            start -= 1
        self._markup(start)
        self.points.add(len(self.ids))
        self._begin_turn()
        self._attachments(turn, span)
        self._plain(span.end)
        self.ends.append(len(self.ids))

    def _attachments(self, turn: Turn, span: Span) -> None:
        """Write what comes with a question apart from its words: other questions about it share these tokens."""
        end = span.start + self.builder.template.is_plain  # there, after a space
        for piece in attached_texts(turn.attachments):
            if not self.rendered.text.startswith(piece, end):
                return  # a template that rewrites contents
            end += len(piece)
            self._plain(end)
            self.points.add(len(self.ids))
            self.attachment_ends.append(len(self.ids))

    def _answer(self, turn: Turn, span: Span, thought: Span | None) -> None:
        text, generation = self.rendered.text, self._generation_prompt
        header = text[self.at : (thought or span).start]
        begun = len(self.ids)
        if generation and header.startswith(generation):
            self._markup(self.at + len(generation))
            self.points.add(len(self.ids) - 1)
        else:
            self._markup(self.at + len(header))
            self.points.add(begun + self._shared(begun, header, generation))
        self._begin_turn()
        self._own(turn, span, thought)
        self._thought(span, thought)
        self._plain(span.end)
        self.ends.append(len(self.ids))
        if turn.thinking and turn.ids and thought is None:
            self.unthought.append((begun, len(self.ids)))

    def _own(self, turn: Turn, span: Span, thought: Span | None) -> None:
        """Write the part of an answer that its own ids spell, and what the template prints before it."""
        text, codec = self.rendered.text, self.builder.codec
        inserted = text[self.at : span.start]
        reused = reuse_ids(codec, self._believed(turn.ids or ()), self.ids, inserted, text[span.start : span.end])
        if reused.start if reused.ids else inserted.strip():
            self._thought(span, thought)
            self._markup(span.start)
            self.points.add(len(self.ids))
        self.ids += reused.ids
        self.at += reused.end - reused.start if reused.ids else 0

    def _thought(self, span: Span, thought: Span | None) -> None:
        """Write a thought, if one is printed, and what stands around it: its words are text, and no marks."""
        if thought is not None:
            self._markup(thought.start)
            self._plain(thought.end)
            self._markup(span.start)

    def _believed(self, ids: Sequence[int]) -> Sequence[int]:
        """Return the answer's ids as far as they may be used.

        A model may have said a control token: that it did, and no file made it up, is known where the very prompt with
        these ids has been computed.
        """
        codec = self.builder.codec
        sayable = codec.sayable(ids)
        if len(sayable) == len(ids):
            return ids
        self.is_lasting = False
        known = codec.sayable(ids, trusted=len(ids))
        seen = self.builder.seen((*self.ids, *known)) - len(self.ids)
        return codec.sayable(known, trusted=seen) if seen > len(sayable) else sayable

    def _mark_new_answer(self, before: int) -> None:
        """Set the new answer's restore points: before the seed, and where its past form will leave this prompt.

        An edited answer shares the seed too, and on models with whole states computes that one token again: a state
        after it would take as much room as the one before.
        """
        self.points.add(len(self.ids) - 1)
        generation, header = self._generation_prompt, self.builder.history_header
        if header and not header.startswith(generation):
            self.points.add(before + self._shared(before, header, generation))

    def _shared(self, before: int, header: str, generation: str) -> int:
        """Count the tokens that two headers have in common, both following the first `before` ids."""
        after = self.ids[before - 1] if before else None
        codec = self.builder.codec
        return shared_length(codec.markup(header, after), codec.markup(generation, after))

    def _markup(self, end: int) -> None:
        """Write the template's own text up to an offset, unless that is written already."""
        self.ids += self.builder.codec.markup(self.rendered.text[self.at : end], self._last)
        self.at = max(self.at, end)

    def _plain(self, end: int) -> None:
        """Write plain text up to an offset, unless that is written already."""
        self.ids += self.builder.codec.plain(self.rendered.text[self.at : end], self._last)
        self.at = max(self.at, end)

    @property
    def _last(self) -> int | None:
        return self.ids[-1] if self.ids else None

    def _begin_turn(self) -> None:
        self._mark_unlocated()
        self.starts.append(len(self.ids))

    def _mark_unlocated(self) -> None:
        """Mark turns that were not located as lying in the text just written."""
        self.starts += [len(self.ids)] * self.unlocated
        self.ends += [len(self.ids)] * self.unlocated
        self.unlocated = 0
