"""The token ids that an answer goes on from: its own, or, where they are not known, those that spell what it says."""

from __future__ import annotations

from collections.abc import Sequence

from app.engine.codec import Codec
from app.engine.output import OutputText
from app.protocol.chat import Turn

_GAP = "\n\n"
_ANALYSIS, _FINAL = "<|channel|>analysis<|message|>", "<|channel|>final<|message|>"
_END = "<|end|><|start|>assistant"


def ids_of_begun(codec: Codec, prompt: Sequence[int], answer: Turn, seen: int) -> tuple[int, ...]:
    """Return the ids of an answer that was begun after a prompt. prompt: the ids that follow the question in it.

    seen: how many of the answer's ids are known to have been computed there, which its last one never is. Beyond, a
    control token among them was made up by a file, and what the answer says counts.
    """
    trusted = seen + 1 if seen else 0
    if answer.ids is not None and len(codec.sayable(answer.ids, trusted)) == len(answer.ids):
        return answer.ids
    ids = [*prompt[-1:]]
    for markup, text in _pieces(codec, prompt, answer):
        ids += codec.markup(markup, ids[-1] if ids else None)
        ids += codec.plain(text, ids[-1] if ids else None)
    return tuple(ids[len(prompt[-1:]) :])


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
