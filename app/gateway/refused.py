"""Why a request is not answered, in the shape that clients of OpenAI's interface read."""

from __future__ import annotations

from typing import Any


class RefusedError(Exception):
    """A request that is not answered. status: of HTTP. sentence: for a person. code: for a program, where it helps."""

    def __init__(self, status: int, sentence: str, code: str = "") -> None:
        super().__init__(sentence)
        self.status, self.sentence, self.code = status, sentence, code

    @property
    def body(self) -> dict[str, Any]:
        """Return what a client reads."""
        kind = "server_error" if self.status >= 500 else "invalid_request_error"
        kind = "rate_limit_error" if self.status == 429 else kind
        return {"error": {"message": self.sentence, "type": kind, "param": None, "code": self.code or None}}
