"""llama.cpp's own interface, which takes a prompt as ids and tells the ids of the answer.

Read in `tools/server/server-context.cpp`, and tried. What tells of progress carries a token that is none. The end token
comes like any other, without text. Of a character that several tokens make up only the last of them is told, and how
many there have been.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from app.prompting.answer_choices import Alternatives
from app.protocol.choices import MOST_CANDIDATES
from app.remote.chunks import Usage, count_of, piece_of, progress_of, text_of
from app.remote.id_interface import Completed, IdQuestion, alternatives_of, likely, tokens_of

_MOST_TOKENS = 1 << 16  # of one event
_WHYS = {"limit": "length"}


class LlamaCompletion:
    """The interface, as `IdInterface`."""

    path = "/completion"
    more_settings = frozenset({"penalty_range", "logit_bias"})
    fewer_settings = frozenset[str]()

    def request(self, question: IdQuestion) -> dict[str, Any]:
        """Return the body of a request. Raises RequestError for settings that mean nothing."""
        ids, looks_at = list(question.ids), question.sampling.penalty_range
        whole = len(ids) + question.room  # it makes room for as many as it is told
        request = question.settings | {
            "prompt": ids,
            "n_predict": question.most,
            "repeat_last_n": whole if looks_at is None else min(looks_at, whole),
            "stream": True,
            "return_tokens": True,
            "return_progress": True,
            "cache_prompt": True,
        }
        if question.bias:
            request["logit_bias"] = [[token, number] for token, number in question.bias.items()]
        if question.alternatives:
            request["n_probs"] = MOST_CANDIDATES
        return request

    def reader(self, name: str, rows: int, ends: Collection[int]) -> _Reader:
        """Return what reads an answer."""
        return _Reader(name, rows)


class _Reader:
    def __init__(self, name: str, rows: int) -> None:
        self._name, self._rows = name, rows

    def read(self, data: str) -> Completed:
        """Read the next piece. Raises ServerError where it is none, or tells of an error."""
        name = self._name
        found = piece_of(name, data)
        if "prompt_progress" in found:
            return Completed(progress=progress_of(found["prompt_progress"]))
        tokens = tokens_of(name, found.get("tokens"), _MOST_TOKENS, self._rows)
        text, total = text_of(name, found.get("content")), count_of(found, "tokens_evaluated")
        count = count_of(found, "tokens_predicted") or 0
        if found.get("stop") is not True:
            others = found.get("completion_probabilities")
            chosen = tuple(_alternatives(one, self._rows) for one in others) if isinstance(others, list) else ()
            chosen = chosen if len(chosen) == len(tokens) else ()
            return Completed(tokens, text, count, total=total, may_be_end=not text, found=chosen)
        why = text_of(name, found.get("stop_type"))
        timings = found.get("timings")
        cached = count_of(timings, "cache_n") if isinstance(timings, dict) else None
        cached = None if cached is not None and total is not None and cached > total else cached
        return Completed(
            tokens,
            text,
            count,
            total=total,
            finish=_WHYS.get(why, "stop"),
            has_ended=why == "eos",
            is_last=True,
            usage=Usage(total, None, cached),
        )


def _alternatives(told: object, rows: int) -> Alternatives | None:
    """Read what a token was chosen from; None where it does not say, as after a token that was not told."""
    others = told.get("top_logprobs") if isinstance(told, dict) else None
    if not isinstance(others, list):
        return None
    return alternatives_of(_likely(told, rows), [_likely(one, rows) for one in others])


def _likely(told: object, rows: int) -> tuple[int, float] | None:
    """Read a token and its probability."""
    return likely(told.get("id"), told.get("logprob"), rows) if isinstance(told, dict) else None
