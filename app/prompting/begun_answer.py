"""The token ids that an answer goes on from: its own, or, where they are not known, those that spell what it says."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from app.prompting.codec import Codec
from app.prompting.output import OutputText
from app.prompting.prompt import Prompt, PromptBuilder
from app.protocol.chat import Turn
from app.protocol.events import TextKind

_GAP = "\n\n"
_ANALYSIS, _FINAL = "<|channel|>analysis<|message|>", "<|channel|>final<|message|>"
_END = "<|end|><|start|>assistant"


def ids_of_begun(prompts: PromptBuilder, prompt: Prompt, begun: Turn, edited: tuple[int, ...] = ()) -> tuple[int, ...]:
    """Return the ids that an answer goes on from. edited: those of the answer that it is an edit of."""
    seen = prompts.seen((*prompt.ids, *(begun.ids or edited))) - len(prompt.ids)
    return spelled_or_own(prompts.codec, prompt.after_question, begun, max(0, seen), edited)


def forced_ids(prompts: PromptBuilder, prompt: Prompt, forced: tuple[int, ...]) -> tuple[int, ...]:
    """Return the ids that an answer begins with which another one has, as far as they may stand in one.

    From the first on that may not, what they say is spelled anew. They come with a message that a file may have
    brought: control tokens among them count where the cache has seen them follow this prompt. Raises RequestError for
    ids that the model does not know.
    """
    prompts.require_known(forced)
    seen = max(0, prompts.seen((*prompt.ids, *forced)) - len(prompt.ids))
    fit = prompts.codec.sayable(forced, seen)
    if len(fit) == len(forced):
        return forced
    output = OutputText(prompts.codec, (), prompt.after_question)
    for token in forced:
        output.add(token)
    output.end()
    said = Turn("assistant", output.text, thinking=output.thinking)
    return _begun_with(prompts.codec, prompt.after_question, said, fit)


def spelled_or_own(
    codec: Codec, prompt: Sequence[int], answer: Turn, seen: int, edited: tuple[int, ...] = ()
) -> tuple[int, ...]:
    """Return the ids of an answer that was begun after a prompt. prompt: the ids that follow the question in it.

    seen: how many of the answer's ids are known to have been computed there, which its last one never is. Beyond, a
    control token among them was made up by a file, and what the answer says counts. edited: those before the edit are
    taken over, so that nothing of them is read again.
    """
    trusted = seen + 1 if seen else 0
    if answer.ids is not None and len(codec.sayable(answer.ids, trusted)) == len(answer.ids):
        return answer.ids
    return _begun_with(codec, prompt, answer, codec.sayable(edited, trusted))


def _begun_with(codec: Codec, prompt: Sequence[int], answer: Turn, ids: Sequence[int]) -> tuple[int, ...]:
    """Return the ids that spell an answer, the first of these as far as they say it."""
    kept = _still_said(codec, prompt, answer, ids)
    if kept is not None:
        return (*kept.ids, *_spelled(codec, _pieces_after(codec, answer, kept), kept.ids))
    return _spelled(codec, _pieces(codec, prompt, answer), prompt)


def _spelled(codec: Codec, pieces: Sequence[tuple[str, str]], before: Sequence[int]) -> tuple[int, ...]:
    """Return the ids that pieces are read as: marks, each with the text that follows it. before: what they follow."""
    ids = [*before[-1:]]
    for markup, text in pieces:
        ids += codec.markup(markup, ids[-1] if ids else None)
        ids += codec.plain(text, ids[-1] if ids else None)
    return tuple(ids[len(before[-1:]) :])


class _Kept(NamedTuple):
    """The beginning of an answer that ids of another one say. thinking, text: characters of each that they say.

    is_thinking: they end within the thought. gap: what stands between them and further text.
    """

    ids: Sequence[int]
    thinking: int
    text: int
    is_thinking: bool
    gap: str


def _still_said(codec: Codec, prompt: Sequence[int], answer: Turn, ids: Sequence[int]) -> _Kept | None:
    """Return the longest beginning of ids that says a beginning of an answer, None where none does."""
    output = OutputText(codec, (), prompt)
    said: dict[TextKind, str] = {"thinking": answer.thinking, "text": answer.text}
    lengths: dict[TextKind, int] = {"thinking": 0, "text": 0}
    kept = None
    for count, token in enumerate(ids, 1):
        was_thinking = output.is_thinking
        added = output.add(token)
        for kind, text in added:
            if not said[kind].startswith(text, lengths[kind]):
                return kept
            lengths[kind] += len(text)
        waiting, thinking, text_length = output.waiting, lengths["thinking"], lengths["text"]
        if waiting is None:
            continue
        if output.is_thinking:
            is_end = not text_length and answer.thinking.startswith(waiting, thinking)
        else:
            is_end = thinking == len(answer.thinking) and bool(answer.text) and (bool(added) or not text_length)
        if is_end:
            gap = _GAP if was_thinking and not output.is_thinking and not codec.thinking.channels else ""
            kept = _Kept(ids[:count], thinking + len(waiting), text_length, output.is_thinking, gap)
    return kept


def _pieces_after(codec: Codec, answer: Turn, kept: _Kept) -> list[tuple[str, str]]:
    """Return what an answer says after its beginning, as `_pieces` does."""
    if not kept.is_thinking:
        return [(kept.gap, answer.text[kept.text :])]
    thought = ("", answer.thinking[kept.thinking :])
    return [thought, (_after_thought(codec), answer.text)] if answer.text else [thought]


def _pieces(codec: Codec, prompt: Sequence[int], answer: Turn) -> list[tuple[str, str]]:
    """Return what an answer says: marks of the template's own, each with the text that follows it."""
    marks = codec.thinking
    if marks.channels:
        thought = [(_ANALYSIS, answer.thinking)] if answer.thinking else []
        return [*thought, (_after_thought(codec) if thought else _FINAL, answer.text)] if answer.text else thought
    if not answer.thinking:
        return [("", answer.text)]
    is_open = OutputText(codec, (), prompt).is_thinking
    thought = [("" if is_open else marks.unsigned(marks.opens[0]) + "\n", answer.thinking)]
    return [*thought, (_after_thought(codec), answer.text)] if answer.text else thought


def _after_thought(codec: Codec) -> str:
    """Return the marks between a thought and the text."""
    marks = codec.thinking
    return _END + _FINAL if marks.channels else "\n" + marks.unsigned(marks.closes[0]) + _GAP
