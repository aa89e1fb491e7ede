"""The pieces in which servers send an answer, read with as little trust as any input."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from app.protocol.dataclass import dataclass
from app.remote.faults import ServerError, gave_up, malformed

_MOST = 1 << 30  # more tokens than any model reads or writes
_KEEPALIVE = re.compile(r"keepalive (\d{1,13})/(\d{1,13})", re.ASCII)
DONE = "[DONE]"


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens as a server counts them. cached: of the prompt, None where it does not say."""

    prompt: int | None = None
    answer: int | None = None
    cached: int | None = None

    def updated(self, later: Usage) -> Usage:
        """Return these counts, with those in their place that a later piece of the answer tells."""
        return Usage(
            self.prompt if later.prompt is None else later.prompt,
            self.answer if later.answer is None else later.answer,
            self.cached if later.cached is None else later.cached,
        )


@dataclass(frozen=True, slots=True)
class Progress:
    """Progress of the reading of a prompt, in tokens: found, read with those, and to be read in all."""

    cached: int
    done: int
    total: int


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of an answer. finish: why it ended, "" while it goes on; usage, progress: None where it tells none."""

    text: str = ""
    thinking: str = ""
    finish: str = ""
    usage: Usage | None = None
    progress: Progress | None = None


def chat_chunk(name: str, data: str) -> Chunk:
    """Read a piece as OpenAI's interface has it. Raises ServerError where it is none, or tells of an error."""
    found = piece_of(name, data)
    usage, choices = found.get("usage"), found.get("choices")
    if not isinstance(choices, list | None):
        raise malformed(name, "a piece of an answer without a list of choices")
    choice = choices[0] if choices else {}
    delta = choice.get("delta") or {} if isinstance(choice, dict) else None
    if not isinstance(delta, dict):
        raise malformed(name, "a piece of an answer that is none")
    thinking = delta.get("reasoning") or delta.get("reasoning_content")
    return Chunk(
        text=text_of(name, delta.get("content")),
        thinking=text_of(name, thinking),
        finish=text_of(name, choice.get("finish_reason")),
        usage=usage_of(usage, found.get("timings")) if isinstance(usage, dict) else None,
        progress=progress_of(found.get("prompt_progress")),
    )


def ollama_chunk(name: str, data: str) -> Chunk:
    """Read a line of Ollama's own interface. Raises ServerError where it is none, or tells of an error."""
    found = piece_of(name, data)
    message = found.get("message")
    if not isinstance(message, dict):
        raise malformed(name, "a line of an answer without a message")
    is_last = found.get("done") is True
    counts = [count_of(found, one) for one in ("prompt_eval_count", "eval_count", "prompt_eval_cached_count")]
    return Chunk(
        text=text_of(name, message.get("content")),
        thinking=text_of(name, message.get("thinking")),
        finish=(text_of(name, found.get("done_reason")) or "stop") if is_last else "",
        usage=Usage(*counts) if is_last else None,
    )


def object_of(name: str, data: str) -> Mapping[str, Any]:
    """Return a JSON object. Raises ServerError."""
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        raise malformed(name, "something that is not JSON") from None
    if not isinstance(found, dict):
        raise malformed(name, "JSON that is no object")
    return found


def piece_of(name: str, data: str) -> Mapping[str, Any]:
    """Return a piece of an answer. Raises ServerError where it is none, or tells of an error."""
    found = object_of(name, data)
    if found.get("error") is not None:
        raise told(name, found["error"])
    return found


def told(name: str, error: object) -> ServerError:
    """Return what a server says in the middle of an answer."""
    said = error.get("message") if isinstance(error, dict) else error
    return gave_up(name, str(said))


def usage_of(usage: Mapping[str, Any], timings: object = None) -> Usage:
    """Read what a server counted. timings: where llama.cpp tells what it found."""
    details = usage.get("prompt_tokens_details")
    cached = count_of(details, "cached_tokens") if isinstance(details, dict) else None
    if cached is None and isinstance(timings, dict):
        cached = count_of(timings, "cache_n")
    prompt = count_of(usage, "prompt_tokens")
    if cached is not None and (prompt is None or cached > prompt):
        cached = None
    return Usage(prompt, count_of(usage, "completion_tokens"), cached)


def progress_of(found: object) -> Progress | None:
    """Read how far llama.cpp has come with a prompt."""
    if not isinstance(found, dict):
        return None
    cached, done, total = (count_of(found, one) for one in ("cache", "processed", "total"))
    if cached is None or done is None or total is None or not cached <= done <= total:
        return None
    return Progress(cached, done, total)


def keepalive_of(comment: str) -> Progress | None:
    """Read how far mlx_lm.server has come with a prompt, None in any other comment.

    What it found of the prompt is not told: none of it counts. `APIHandler.handle_completion` in `mlx_lm/server.py`.
    """
    found = _KEEPALIVE.fullmatch(comment.strip())
    done, total = (int(found[1]), int(found[2])) if found is not None else (0, 0)
    return Progress(0, done, total) if 0 < total < _MOST and done <= total else None


def count_of(found: Mapping[str, Any], key: str) -> int | None:
    """Return a count that an object holds, None for anything else."""
    value = found.get(key)
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < _MOST else None


def text_of(name: str, value: object) -> str:
    """Return a text that may be left out. Raises ServerError for anything else."""
    if value is None:
        return ""
    if not isinstance(value, str):
        raise malformed(name, "words that are no text")
    return value.encode("utf-8", "replace").decode("utf-8")  # no halves of characters
