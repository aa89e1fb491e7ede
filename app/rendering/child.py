"""The process that renders templates: it reads requests from its input and writes an answer to each.

It says `true` once it is ready. A request is {"source", "variables", "conversations", "at", "more", "seconds"}, its
answer one of {"texts": [...]}, {"refused": words}, {"damaged": words} and {"too_much": words}. It ends with its input,
by the limits that it sets itself, and in the midst of a request within a second when its parent has ended.
"""

from __future__ import annotations

import json
import math
import os
import resource
import signal
import sys
from contextlib import suppress
from typing import Any

from app.rendering.frames import Frames, packed
from app.rendering.sandbox import DamagedTemplateError, Sandbox, TooMuchError

SHORT_OF_MEMORY = 71
"""The exit status of a process that would have needed more memory than it may have."""

_BYTES = 512 << 20  # of memory, beside
_TIMES = 64  # the bytes of a request
_LOOK = 1.0  # seconds between two looks at whether anybody waits
_PIECE = 1 << 16
_LONGEST_WORDS = 200


def most_memory(request_bytes: int) -> int:
    """Return how many bytes of memory the process may have while it answers a request of this size."""
    return _BYTES + _TIMES * request_bytes


def serve() -> int:
    """Answer requests until there are no more. Returns the exit status."""
    for limit in (resource.RLIMIT_CORE, resource.RLIMIT_FSIZE):
        _limit(limit, 0)
    _watch(os.getppid())
    frames, templates = Frames(), _Templates()
    _write(packed(True))
    while piece := os.read(0, _PIECE):
        frames.add(piece)
        while (request := frames.take()) is not None:
            _write(packed(_answer(request, templates)))
    return 0


class _Templates:
    """The template that was rendered last, which is the next one too, nearly always."""

    def __init__(self) -> None:
        self._last: tuple[object, Sandbox] | None = None

    def compiled(self, source: str, variables: dict[str, Any]) -> Sandbox:
        """Compile a source, unless it was the last. Raises DamagedTemplateError."""
        if self._last is None or self._last[0] != (source, variables):
            self._last = (source, variables), Sandbox(source, variables)
        return self._last[1]


def _answer(request: bytes, templates: _Templates) -> dict[str, Any]:
    signal.setitimer(signal.ITIMER_REAL, _LOOK, _LOOK)
    try:
        asked = json.loads(request)
        _limit_request(len(request), asked["seconds"])
        sandbox = templates.compiled(asked["source"], asked["variables"])
        return {"texts": [sandbox.render(one, asked["at"], asked["more"]) for one in asked["conversations"]]}
    except MemoryError:
        os._exit(SHORT_OF_MEMORY)
    except DamagedTemplateError as error:
        return {"damaged": _words(error)}
    except TooMuchError as error:
        return {"too_much": _words(error)}
    except Exception as error:  # noqa: BLE001 - whatever a template raises, or makes its libraries raise
        return {"refused": _words(error)}
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def _watch(parent: int) -> None:
    """End this process at the next alarm where its parent is no longer that one."""

    def look(*_: object) -> None:
        if os.getppid() != parent:
            os._exit(0)

    signal.signal(signal.SIGALRM, look)


def _limit_request(size: int, seconds: float) -> None:
    """Limit memory and time of the request that begins now."""
    if sys.platform == "linux":  # elsewhere it limits nothing, or counts what every process has
        _limit(resource.RLIMIT_AS, most_memory(size))
    used = resource.getrusage(resource.RUSAGE_SELF)
    _limit(resource.RLIMIT_CPU, math.ceil(used.ru_utime + used.ru_stime + seconds))


def _limit(kind: int, most: int) -> None:
    """Set a limit, as far as the one for good allows."""
    _, hard = resource.getrlimit(kind)
    with suppress(ValueError, OSError):
        resource.setrlimit(kind, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))


def _words(error: Exception) -> str:
    return (" ".join(str(error).split()) or type(error).__name__)[:_LONGEST_WORDS]


def _write(content: bytes) -> None:
    left = memoryview(content)
    while left:
        left = left[os.write(1, left) :]
