"""An answer as clients read it: OpenAI's objects and chunks, and the lines of Ollama's runner.

Sources: OpenAI's reference of chat completions and completions; `reasoning_content` as DeepSeek, llama.cpp and SGLang
send it; the fields of the runner as `x/mlxrunner/client.go` of Ollama reads them, its durations in nanoseconds.
"""

from __future__ import annotations

import json
import secrets
import time
from dataclasses import dataclass, field
from typing import Any

from app.gateway.asked import Asked, Form
from app.protocol.events import RunFinished, TextKind
from app.protocol.reports import ModelInfo, RequestReport, RunStats, StopReason

DONE = b"data: [DONE]\n\n"
_WHOLE = frozenset({StopReason.FINISHED, StopReason.STOP_TEXT})
_NANO = 1e9


def line(value: Any) -> bytes:
    """Return a value as one line of JSON."""
    return json.dumps(value, separators=(",", ":")).encode() + b"\n"


def event(value: Any) -> bytes:
    """Return a value as an event of a stream."""
    return b"data: " + line(value) + b"\n"


def comment(words: str) -> bytes:
    """Return what a stream's client passes over, and what keeps its connection open."""
    return b": " + words.encode() + b"\n\n"


def described(model: ModelInfo) -> dict[str, Any]:
    """Return what a list of models says of one."""
    fixed = {"object": "model", "created": 0, "owned_by": "espalier"}
    return {"id": model.name, **fixed, "max_model_len": model.context_length}


def usage(request: RequestReport, stats: RunStats) -> dict[str, Any]:
    """Return the figures of an answer. request: of its prompt, as it was begun."""
    cached = {"cached_tokens": request.cached} if request.is_known else None
    return {
        "prompt_tokens": request.total,
        "completion_tokens": stats.tokens,
        "total_tokens": request.total + stats.tokens,
        "prompt_tokens_details": cached,
        "completion_tokens_details": {"reasoning_tokens": stats.thinking_tokens},
    }


@dataclass(frozen=True, slots=True)
class Answer:
    """The writer of one answer in the form that was asked for. model: the name of the model."""

    asked: Asked
    model: str
    created: int = field(default_factory=lambda: int(time.time()))
    id: str = field(default_factory=lambda: secrets.token_hex(12))

    @property
    def content_type(self) -> str:
        """Return what the pieces of the answer are."""
        return "application/x-ndjson" if self.asked.form is Form.LINES else "text/event-stream"

    def opening(self) -> bytes:
        """Return the first piece."""
        return self._chunk({"role": "assistant", "content": ""}) if self.asked.form is Form.CHAT else b""

    def waiting(self) -> bytes:
        """Return what says that others are answered first, where the form has room for that."""
        return b"" if self.asked.form is Form.LINES else comment("waiting")

    def reading(self, done: int, total: int) -> bytes:
        """Return what says how far the prompt is read, where the form has room for that."""
        return b"" if self.asked.form is Form.LINES else comment(f"reading {done}/{total}")

    def words(self, text: str, kind: TextKind) -> bytes:
        """Return a piece of the answer; a thought has a field of its own in a chat alone, and is left out elsewhere."""
        if not text or (kind == "thinking" and self.asked.form is not Form.CHAT):
            return b""
        if self.asked.form is Form.LINES:
            return line({"Content": text, "Done": False})
        return self._chunk({"content" if kind == "text" else "reasoning_content": text}, text)

    def ending(self, request: RequestReport, event_: RunFinished) -> bytes:
        """Return the last pieces."""
        if self.asked.form is Form.LINES:
            return line({"Content": "", "Done": True} | _figures(request, event_.stats))
        pieces = self._chunk({}, finish=_finish(event_.stats))
        if self.asked.wants_usage:
            pieces += event(self._object(self._streamed, [], usage(request, event_.stats)))
        return pieces + DONE

    def failure(self, error: dict[str, Any]) -> bytes:
        """Return what says that an answer which has begun has no end."""
        if self.asked.form is Form.LINES:
            return line({"Error": {"StatusCode": 500, "ErrorMessage": error["error"]["message"]}, "Done": True})
        return event(error)

    def whole(self, request: RequestReport, event_: RunFinished) -> dict[str, Any]:
        """Return the answer as one object."""
        finish = _finish(event_.stats)
        choice: dict[str, Any] = {"index": 0, "finish_reason": finish, "logprobs": None}
        if self.asked.form is Form.CHAT:
            thought = {"reasoning_content": event_.thinking} if event_.thinking else {}
            choice["message"] = {"role": "assistant", "content": event_.text} | thought
            return self._object("chat.completion", [choice], usage(request, event_.stats))
        return self._object("text_completion", [choice | {"text": event_.text}], usage(request, event_.stats))

    @property
    def _streamed(self) -> str:
        return "chat.completion.chunk" if self.asked.form is Form.CHAT else "text_completion"

    def _chunk(self, delta: dict[str, str], text: str = "", finish: str | None = None) -> bytes:
        said: dict[str, Any] = {"delta": delta} if self.asked.form is Form.CHAT else {"text": text}
        choice = {"index": 0, "finish_reason": finish, "logprobs": None} | said
        return event(self._object(self._streamed, [choice], None))

    def _object(self, kind: str, choices: list[Any], figures: dict[str, Any] | None) -> dict[str, Any]:
        prefix = "chatcmpl" if self.asked.form is Form.CHAT else "cmpl"
        named = {"id": f"{prefix}-{self.id}", "object": kind, "created": self.created, "model": self.model}
        has_usage = figures is not None or self.asked.wants_usage
        return named | {"choices": choices} | ({"usage": figures} if has_usage else {})


def _finish(stats: RunStats) -> str:
    """Return why an answer ended. One that was stopped by the person at this computer is not whole either."""
    return "stop" if stats.stop in _WHOLE else "length"


def _figures(request: RequestReport, stats: RunStats) -> dict[str, Any]:
    read = stats.first_token or 0.0
    return {
        "DoneReason": 0 if stats.stop in _WHOLE else 1,
        "PromptEvalCount": request.total,
        "PromptEvalCachedCount": request.cached,
        "PromptEvalDuration": round(read * _NANO),
        "EvalCount": stats.tokens,
        "EvalDuration": round(max(0.0, stats.seconds - read) * _NANO),
    }
