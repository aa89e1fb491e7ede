"""SGLang's own interface, which takes a prompt as ids and tells the ids of the answer.

Read in `managers/{io_struct,tokenizer_manager}.py`, `sampling/sampling_params.py` and
`entrypoints/http_server.py`. Each piece repeats the whole answer, with what its tokens were chosen from, unless the
server was started with `--incremental-streaming-output`: how many tokens there are tells which. The end token is the
last one of its answer.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from app.prompting.answer_choices import Alternatives
from app.protocol.choices import MOST_CANDIDATES
from app.remote.chunks import DONE, Progress, Usage, count_of, piece_of, text_of, told
from app.remote.faults import malformed
from app.remote.id_interface import Completed, IdQuestion, alternatives_of, likely, tokens_of

_MOST_TOKENS = 1 << 20  # of an answer
# Tokens that an answer may have of which it is asked what else could have stood: all of that comes with each piece.
_MOST_WITH_ALTERNATIVES = 1024


class SglangGenerate:
    """The interface, as `IdInterface`. A seed is known to its newest versions alone, and refused by others."""

    path = "/generate"
    more_settings = frozenset({"logit_bias"})
    fewer_settings = frozenset({"seed"})

    def request(self, question: IdQuestion) -> dict[str, Any]:
        """Return the body of a request. Raises RequestError for settings that mean nothing."""
        sampling = question.settings | {"max_new_tokens": question.most}
        sampling.pop("seed", None)
        if question.bias:
            sampling["logit_bias"] = {str(token): number for token, number in question.bias.items()}
        request = {"input_ids": list(question.ids), "sampling_params": sampling, "stream": True}
        if question.alternatives and question.most <= _MOST_WITH_ALTERNATIVES:
            request |= {"return_logprob": True, "top_logprobs_num": MOST_CANDIDATES}
        return request

    def reader(self, name: str, rows: int, ends: Collection[int]) -> _Reader:
        """Return what reads an answer."""
        return _Reader(name, rows, ends)


class _Reader:
    def __init__(self, name: str, rows: int, ends: Collection[int]) -> None:
        self._name, self._rows, self._ends = name, rows, ends
        self._ids: tuple[int, ...] = ()

    def read(self, data: str) -> Completed:
        """Read the next piece. Raises ServerError where it is none, or tells of an error."""
        if data.strip() == DONE:
            return Completed(is_last=True)
        found = piece_of(self._name, data)
        meta = found.get("meta_info")
        if not isinstance(meta, dict):
            raise malformed(self._name, "a piece of an answer that is none")
        finish, matched = self._finish(meta.get("finish_reason"))
        is_first = not self._ids
        tokens = self._new(tokens_of(self._name, found.get("output_ids"), _MOST_TOKENS, self._rows), meta)
        if finish == "stop" and tokens and (tokens[-1] in self._ends or tokens[-1] == matched):
            kept = tokens[:-1]
        else:
            kept = tokens
        total, cached = count_of(meta, "prompt_tokens"), count_of(meta, "cached_tokens")
        is_told = total is not None and cached is not None and cached <= total
        return Completed(
            kept,
            total=total,
            finish=finish,
            found=_alternatives(meta, tokens, self._rows)[: len(kept)],
            usage=Usage(total, None, cached if is_told else None),
            progress=Progress(cached or 0, total or 0, total or 0) if is_first and is_told else None,
        )

    def _new(self, ids: tuple[int, ...], meta: Mapping[str, Any]) -> tuple[int, ...]:
        """Return those of a piece's ids that are new, and note them."""
        before, count = len(self._ids), count_of(meta, "completion_tokens")
        if before and count == before + len(ids):
            new = ids
        elif ids[:before] == self._ids:
            new = ids[before:]
        else:
            raise malformed(self._name, "other tokens than it told before")
        self._ids += new
        return new

    def _finish(self, why: object) -> tuple[str, object]:
        """Return why an answer ended, and the token that ended it, if one did. Raises ServerError where it failed."""
        if not isinstance(why, dict):
            return text_of(self._name, why), None
        kind = text_of(self._name, why.get("type"))
        if kind == "abort":
            raise told(self._name, why.get("message") or "The answer was broken off")
        return kind, why.get("matched")


def _alternatives(meta: Mapping[str, Any], tokens: tuple[int, ...], rows: int) -> tuple[Alternatives | None, ...]:
    """Read what the last tokens were chosen from; nothing where it does not say, or of other tokens."""
    own, others = meta.get("output_token_logprobs"), meta.get("output_top_logprobs")
    if not isinstance(own, list) or not isinstance(others, list) or min(len(own), len(others)) < len(tokens):
        return ()
    last = zip(tokens, own[len(own) - len(tokens) :], others[len(others) - len(tokens) :], strict=True)
    return tuple(_choice(token, one, beside, rows) for token, one, beside in last)


def _choice(token: int, own: object, others: object, rows: int) -> Alternatives | None:
    found = _likely(own, rows)
    if found is None or found[0] != token:
        return None
    return alternatives_of(found, [_likely(one, rows) for one in others] if isinstance(others, list) else [])


def _likely(told: object, rows: int) -> tuple[int, float] | None:
    """Read [logarithm, token, text]."""
    return likely(told[1], told[0], rows) if isinstance(told, list) and len(told) >= 2 else None
