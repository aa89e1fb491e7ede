"""llama.cpp's own interface, which takes a prompt as ids and tells the ids of the answer.

Read in `tools/server/server-context.cpp`, and tried. What tells of progress carries a token that is none. The end token
comes like any other, without text. Of a character that several tokens make up only the last of them is told, and how
many there have been.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app.prompting.answer_choices import Alternatives
from app.prompting.problems import RequestError
from app.protocol.choices import MOST_CANDIDATES, SURE, WHOLE
from app.protocol.commands import Lane
from app.remote.chunks import Progress, Usage, count_of, object_of, progress_of, text_of, told
from app.remote.faults import malformed
from app.remote.kinds import Kind
from app.remote.messages import settings_of

PATH = "/completion"
MORE_SETTINGS = frozenset({"penalty_range", "logit_bias"})  # that it takes beside those of its other interface
_MOST_TOKENS = 1 << 16  # of one event
_LEAST_LIKELY = 1e4  # a logarithm
_WHYS = {"limit": "length"}


@dataclass(frozen=True, slots=True)
class Completed:
    """A piece of an answer. text: of the tokens, without control tokens. count: of all tokens so far, those that were
    not told included. total: tokens of the prompt. finish: why the answer ended, "" while it goes on; has_ended: the
    last token is the end token. found: what each token was chosen from, where that was asked for.
    """

    tokens: tuple[int, ...] = ()
    text: str = ""
    count: int = 0
    total: int | None = None
    finish: str = ""
    has_ended: bool = False
    found: tuple[Alternatives | None, ...] = ()
    usage: Usage | None = None
    progress: Progress | None = None


def completion_request(
    kind: Kind,
    ids: Sequence[int],
    lane: Lane,
    seed: int,
    room: int,
    bias: Mapping[int, float],
    alternatives: bool = False,
) -> dict[str, Any]:
    """Return a request for what follows some ids.

    room: tokens that fit behind them. bias: what is added to the logits of tokens. alternatives: the likeliest tokens
    are to be told too. Texts that end the answer are not sent: they count in its text and not in its thought. Raises
    RequestError for settings that mean nothing.
    """
    sampling = lane.sampling
    problem = sampling.problem()
    if problem:
        raise RequestError("These settings mean nothing", problem)
    request = settings_of(kind, sampling, seed)
    request.pop("max_tokens", None)
    request.pop("stop", None)
    most = room if sampling.max_tokens is None else min(sampling.max_tokens, room)
    request |= {
        "prompt": list(ids),
        "n_predict": most,
        "repeat_last_n": len(ids) + room if sampling.penalty_range is None else sampling.penalty_range,
        "stream": True,
        "return_tokens": True,
        "return_progress": True,
        "cache_prompt": True,
    }
    if bias:
        request["logit_bias"] = [[token, number] for token, number in bias.items()]
    if alternatives:
        request["n_probs"] = MOST_CANDIDATES
    return request


def completed(name: str, data: str) -> Completed:
    """Read a piece of an answer. Raises ServerError where it is none, or tells of an error."""
    found = object_of(name, data)
    if found.get("error") is not None:
        raise told(name, found["error"])
    if "prompt_progress" in found:
        return Completed(progress=progress_of(found["prompt_progress"]))
    tokens = found.get("tokens")
    if not isinstance(tokens, list) or len(tokens) > _MOST_TOKENS or not all(map(_is_token, tokens)):
        raise malformed(name, "a piece of an answer without its tokens")
    text, total = text_of(name, found.get("content")), count_of(found, "tokens_evaluated")
    count = count_of(found, "tokens_predicted") or 0
    if found.get("stop") is not True:
        others = found.get("completion_probabilities")
        chosen = tuple(map(_alternatives, others)) if isinstance(others, list) else ()
        return Completed(tuple(tokens), text, count, total, found=chosen if len(chosen) == len(tokens) else ())
    why = text_of(name, found.get("stop_type"))
    timings = found.get("timings")
    cached = count_of(timings, "cache_n") if isinstance(timings, dict) else None
    cached = None if cached is not None and total is not None and cached > total else cached
    finish = _WHYS.get(why, "stop")
    return Completed(tuple(tokens), text, count, total, finish, why == "eos", usage=Usage(total, None, cached))


def _alternatives(told: object) -> Alternatives | None:
    """Read what a token was chosen from; None where it does not say, as after a token that was not told."""
    own = _likely(told)
    others = told.get("top_logprobs") if isinstance(told, dict) else None
    if own is None or not isinstance(others, list):
        return None
    if round(own[1] * WHOLE) >= SURE:
        return Alternatives(own[1])
    likeliest = tuple(one for one in map(_likely, others[:MOST_CANDIDATES]) if one is not None)
    return Alternatives(own[1], likeliest, all(token != own[0] for token, _ in likeliest))


def _likely(told: object) -> tuple[int, float] | None:
    """Read a token and its probability."""
    if not isinstance(told, dict):
        return None
    token, logarithm = told.get("id"), told.get("logprob")
    if not isinstance(token, int) or not _is_token(token) or not isinstance(logarithm, int | float):
        return None
    return (token, math.exp(logarithm)) if -_LEAST_LIKELY < logarithm <= 0 else None


def _is_token(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0
