"""The border to code that is not this program's: tokenizers, templates, models.

Whatever such code raises ends what was asked of it and not the engine. Not every exception of a library is an
`Exception`: one of Rust code that panics derives from BaseException, and some Python code answers a missing package by
SystemExit, which means nothing on the model thread.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from app.prompting.problems import EngineError

log = logging.getLogger(__name__)

_LONGEST_WORDS = 200


@contextmanager
def foreign_code(problem: Callable[[str], EngineError]) -> Iterator[None]:
    """Raise `problem` of the error's first line instead of whatever the code inside raises, and log that.

    An EngineError passes as it is, and so does what ends a program or a generator.
    """
    try:
        yield
    except (EngineError, KeyboardInterrupt, GeneratorExit):
        raise
    except BaseException as error:
        log.warning("a library failed", exc_info=True)
        raise problem(first_line(error)) from error


def first_line(error: BaseException) -> str:
    """Return what an exception says, on one line that ends with a full stop."""
    lines = str(error).strip().splitlines() or [type(error).__name__]
    return lines[0][:_LONGEST_WORDS].rstrip(".") + "."
