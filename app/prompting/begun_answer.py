"""The token ids that an answer goes on from: its own, or, where they are not known, those that spell what it says."""

from __future__ import annotations

from collections.abc import Sequence

from app.prompting.codec import Codec
from app.prompting.output import OutputText
from app.prompting.prompt import Prompt, PromptBuilder
from app.protocol.chat import Turn

_GAP = "\n\n"
_ANALYSIS, _FINAL = "<|channel|>analysis<|message|>", "<|channel|>final<|message|>"
_END = "<|end|><|start|>assistant"


def ids_of_begun(prompts: PromptBuilder, prompt: Prompt, begun: Turn, edited: tuple[int, ...] = ()) -> tuple[int, ...]:
    """Return the ids that an answer goes on from. edited: those of the answer that it is an edit of."""
    seen = prompts.seen((*prompt.ids, *(begun.ids or edited))) - len(prompt.ids)
    return spelled_or_own(prompts.codec, prompt.after_question, begun, max(0, seen), edited)


def forced_ids(prompts: PromptBuilder, prompt: Prompt, forced: tuple[int, ...]) -> tuple[int, ...]:
    """Return the ids that an answer begins with which another one has: those, or the tokens that spell what they say.

    They come with a message that a file may have brought: control tokens among them count where the cache has seen
    them follow this prompt. Raises RequestError for ids that the model does not know.
    """
    prompts.require_known(forced)
    seen = max(0, prompts.seen((*prompt.ids, *forced)) - len(prompt.ids))
    if len(prompts.codec.sayable(forced, seen)) == len(forced):
        return forced
    output = OutputText(prompts.codec, (), prompt.after_question)
    for token in forced:
        output.add(token)
    output.end()
    said = Turn("assistant", output.text, thinking=output.thinking)
    return spelled_or_own(prompts.codec, prompt.after_question, said, 0)


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
    kept, said = _still_said(codec, prompt, answer, codec.sayable(edited, trusted))
    if kept:
        return (*kept, *codec.plain(answer.text[said:], kept[-1]))
    ids = [*prompt[-1:]]
    for markup, text in _pieces(codec, prompt, answer):
        ids += codec.markup(markup, ids[-1] if ids else None)
        ids += codec.plain(text, ids[-1] if ids else None)
    return tuple(ids[len(prompt[-1:]) :])


def _still_said(codec: Codec, prompt: Sequence[int], answer: Turn, ids: Sequence[int]) -> tuple[tuple[int, ...], int]:
    """Return the longest beginning of ids that says a beginning of an answer's text, and how many characters that is.

    Nothing where the answer has another thought, or no text before the edit.
    """
    output = OutputText(codec, (), prompt)
    kept = said = length = 0
    for count, token in enumerate(ids, 1):
        added = "".join([text for kind, text in output.add(token) if kind == "text"])
        if not answer.text.startswith(added, length):
            break
        length += len(added)
        if added and not output.is_thinking:
            kept, said = count, length
    has_same_thought = output.thinking == answer.thinking
    return (tuple(ids[:kept]), said) if kept and has_same_thought else ((), 0)


def _pieces(codec: Codec, prompt: Sequence[int], answer: Turn) -> list[tuple[str, str]]:
    """Return what an answer says: marks of the template's own, each with the text that follows it."""
    marks = codec.thinking
    if marks.channels:
        thought = [(_ANALYSIS, answer.thinking)] if answer.thinking else []
        return [*thought, ((_END if thought else "") + _FINAL, answer.text)] if answer.text else thought
    if not answer.thinking:
        return [("", answer.text)]
    is_open = OutputText(codec, (), prompt).is_thinking
    thought = [("" if is_open else marks.unsigned(marks.opens[0]) + "\n", answer.thinking)]
    return [*thought, ("\n" + marks.unsigned(marks.closes[0]) + _GAP, answer.text)] if answer.text else thought
