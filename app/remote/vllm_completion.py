"""vLLM's completions, which take a prompt as ids and tell the ids of the answer.

Read in `entrypoints/openai/completion/{protocol,serving}.py`. The first piece repeats the ids of the prompt. The end
token is the last one of its answer. How much of the prompt was cached is told in a piece after that, if at all. Tokens
that could have stood instead are named as texts: "token_id:123".
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from app.prompting.answer_choices import Alternatives
from app.protocol.choices import MOST_CANDIDATES
from app.remote.chunks import DONE, Usage, piece_of, text_of, told, usage_of
from app.remote.faults import malformed
from app.remote.id_interface import Completed, IdQuestion, alternatives_of, likely, tokens_of

_MOST_TOKENS = 1 << 16  # of an answer, of one event
_MOST_PROMPT = 1 << 23
_NAMED = "token_id:"


class VllmCompletion:
    """The interface, as `IdInterface`."""

    path = "/v1/completions"
    more_settings = frozenset({"logit_bias"})
    fewer_settings = frozenset[str]()

    def request(self, question: IdQuestion) -> dict[str, Any]:
        """Return the body of a request. Raises RequestError for settings that mean nothing."""
        request = question.settings | {
            "model": question.model,
            "prompt": list(question.ids),
            "max_tokens": question.most,
            "stream": True,
            "stream_options": {"include_usage": True},
            "return_token_ids": True,
            "cache_salt": question.salt,
        }
        if question.bias:
            request["logit_bias"] = {str(token): number for token, number in question.bias.items()}
        if question.alternatives:
            request |= {"logprobs": MOST_CANDIDATES, "return_tokens_as_token_ids": True}
        return request

    def reader(self, name: str, rows: int, ends: Collection[int]) -> _Reader:
        """Return what reads an answer."""
        return _Reader(name, rows, ends)


class _Reader:
    def __init__(self, name: str, rows: int, ends: Collection[int]) -> None:
        self._name, self._rows, self._ends = name, rows, ends

    def read(self, data: str) -> Completed:
        """Read the next piece. Raises ServerError where it is none, or tells of an error."""
        if data.strip() == DONE:
            return Completed(is_last=True)
        found = piece_of(self._name, data)
        usage, choices = found.get("usage"), found.get("choices")
        counted = usage_of(usage) if isinstance(usage, dict) else Usage()
        if not isinstance(choices, list):
            raise malformed(self._name, "a piece of an answer without a list of choices")
        if not choices:
            return Completed(total=counted.prompt, usage=Usage(counted.prompt, None, counted.cached))
        if not isinstance(choices[0], dict):
            raise malformed(self._name, "a piece of an answer that is none")
        return self._piece(choices[0], counted.prompt)

    def _piece(self, choice: Mapping[str, Any], total: int | None) -> Completed:
        tokens = tokens_of(self._name, choice.get("token_ids"), _MOST_TOKENS, self._rows)
        prompt, finish = choice.get("prompt_token_ids"), text_of(self._name, choice.get("finish_reason"))
        if finish == "abort":
            raise told(self._name, "The answer was broken off")
        if finish == "stop" and tokens and (tokens[-1] in self._ends or tokens[-1] == choice.get("stop_reason")):
            tokens = tokens[:-1]
        return Completed(
            tokens,
            prompt=None if prompt is None else tokens_of(self._name, prompt, _MOST_PROMPT),
            total=total,
            finish=finish,
            found=_alternatives(choice.get("logprobs"), tokens, self._rows),
        )


def _alternatives(told: object, tokens: tuple[int, ...], rows: int) -> tuple[Alternatives | None, ...]:
    """Read what tokens were chosen from; nothing where it does not say, or of other tokens."""
    own, others = (told.get("token_logprobs"), told.get("top_logprobs")) if isinstance(told, dict) else (None, None)
    if not isinstance(own, list) or not isinstance(others, list) or min(len(own), len(others)) < len(tokens):
        return ()
    return tuple(
        alternatives_of(likely(token, own[at], rows), _likeliest(others[at], rows)) for at, token in enumerate(tokens)
    )


def _likeliest(named: object, rows: int) -> list[tuple[int, float]]:
    """Read the likeliest tokens, likeliest first."""
    found = [_likely(name, one, rows) for name, one in named.items()] if isinstance(named, dict) else []
    return sorted(filter(None, found), key=lambda one: -one[1])


def _likely(name: str, logarithm: object, rows: int) -> tuple[int, float] | None:
    number = name.removeprefix(_NAMED)
    is_number = name.startswith(_NAMED) and number.isascii() and number.isdigit() and len(number) < 16
    return likely(int(number), logarithm, rows) if is_number else None
