"""Branches and settings as requests: the messages of a conversation, and how an answer to them is to be chosen."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from app.prompting.problems import RequestError
from app.protocol.attachments import question_text
from app.protocol.chat import PARAMETERS, PromptOptions, Sampling, Turn
from app.protocol.commands import Generate, Lane
from app.remote.kinds import GoingOn, Kind

_NO_OPTIONS = ("model", "messages", "stream", "stream_options", "max_tokens")  # of a request to Ollama


def messages_of(turns: Sequence[Turn], options: PromptOptions, begun: Turn | None = None) -> list[dict[str, str]]:
    """Return the messages of a branch; begun: the beginning of the answer, as the last of them."""
    told = options.instructions
    found = [{"role": "system", "content": told}] if told else []
    for turn in (*turns, *([begun] if begun is not None else [])):
        if turn.role == "system" and told is not None:
            continue
        found.append({"role": turn.role, "content": question_text(turn.text, turn.attachments)})
    return found


def chat_request(kind: Kind, model: str, command: Generate, lane: Lane, seed: int) -> dict[str, Any]:
    """Return a request for one answer, as OpenAI's interface has it.

    Raises RequestError where the server cannot do it.
    """
    begun = command.begun if command.begun is not None and (command.begun.text or command.begun.thinking) else None
    if lane.forced or (begun is not None and kind.going_on is GoingOn.NONE):
        raise RequestError(
            f"{kind.name} cannot go on inside an answer", "Regenerate the answer, or open a model of this computer."
        )
    if begun is not None and begun.thinking and not begun.text.strip():
        raise RequestError(
            f"{kind.name} cannot go on inside a thought",
            "It is sent messages, and those begin an answer with its text. Choose Branch > Answer Again, which has the "
            "question answered from the beginning. What was thought so far stays, beside that answer.",
        )
    sampling = lane.sampling
    problem = sampling.problem()
    if problem:
        raise RequestError("These settings mean nothing", problem)
    request: dict[str, Any] = {
        "model": model,
        "messages": messages_of(command.turns, command.options, begun),
        "stream": True,
        "stream_options": {"include_usage": True},
        **settings_of(kind, sampling, seed),
    }
    if kind.tells_progress:
        request["return_progress"] = True
    if begun is not None and kind.going_on is GoingOn.AS_TOLD:
        request |= {"continue_final_message": True, "add_generation_prompt": False}
    if command.options.thinking is not None and kind.takes_template_options:
        request["chat_template_kwargs"] = {"enable_thinking": command.options.thinking}
    return request


def settings_of(kind: Kind, sampling: Sampling, seed: int) -> dict[str, Any]:
    """Return all settings that the server knows: one that is left out is what the server likes, and not off.

    Of each it is told as much as it takes. A top-p of 0 is off, which some refuse and others take for another thing.
    """
    most, found = dict(kind.most), dict[str, Any]()
    for name in ("temperature", "top_p", *sorted(kind.settings)):
        value = min(getattr(sampling, name), most.get(name, math.inf))
        told = kind.repetition if name == "repetition_penalty" else name
        found[told] = value if PARAMETERS[name].is_whole else float(value)
    found["top_p"] = found["top_p"] or 1.0
    if found.get("top_k") == 0:
        found["top_k"] = kind.no_top_k
    length = kind.no_limit if sampling.max_tokens is None else sampling.max_tokens
    if length is not None:
        found["max_tokens"] = length
    if sampling.stop:
        found["stop"] = list(sampling.stop)
    if kind.takes_seed:
        found["seed"] = seed % (1 << 31)
    return found


def ollama_request(kind: Kind, model: str, command: Generate, lane: Lane, seed: int, context: int) -> dict[str, Any]:
    """Return a request for one answer, as Ollama's own interface has it: the other one cuts long prompts unasked.

    context: how many tokens it is to read at most. Raises RequestError as `chat_request`.
    """
    asked = chat_request(kind, model, command, lane, seed)
    options = {name: value for name, value in asked.items() if name not in _NO_OPTIONS}
    request = {
        "model": model,
        "messages": asked["messages"],
        "stream": True,
        "truncate": False,
        "shift": False,
        "options": {**options, "num_predict": asked["max_tokens"], "num_ctx": context},
    }
    if command.options.thinking is not None:
        request["think"] = command.options.thinking
    return request
