"""The faults of files, in sentences that a person can act on."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import PurePath

from app.protocol.excerpts import one_line
from app.protocol.reports import Problem

_LONGEST_NAME = 80


class ExchangeError(Exception):
    """A file could not be read or written. Nothing was changed: neither a conversation nor the file that was there."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(f"{problem.title}. {problem.sentence}")
        self.problem = problem


class MalformedError(Exception):
    """The content of a file is not as it should be. Becomes an ExchangeError where the file's name is known.

    place: "line 3, column 7", "message 12, “parent”", or "" when the whole file is meant. reason: goes on after it.
    advice: what to do, a sentence.
    """

    def __init__(self, place: str, reason: str, advice: str = "Correct the file there, or export it anew.") -> None:
        super().__init__(f"{place}: {reason}" if place else reason)
        self.advice = advice


def shown(words: str, longest: int = _LONGEST_NAME) -> str:
    """Quote words from a file as they can stand in a sentence: on one line, and not too long."""
    line = one_line(words)
    return f"“{line if len(line) <= longest else line[: longest - 1] + '…'}”"


@contextmanager
def reading(name: str) -> Iterator[None]:
    """Raise an ExchangeError, which names the file, for whatever is wrong with it or its disk."""
    title = "The file cannot be imported"
    file = shown(PurePath(name).name or name)
    try:
        yield
    except MalformedError as error:
        raise ExchangeError(
            Problem(title, f"{file} was not imported, and nothing was changed. Its fault: {error}. {error.advice}")
        ) from error
    except OSError as error:
        raise ExchangeError(
            Problem(
                title, f"{file} cannot be read: {_reason(error)}. Nothing was changed; check the file and its disk."
            )
        ) from error


@contextmanager
def writing(name: str) -> Iterator[None]:
    """Raise an ExchangeError, which names the file, for whatever the disk refuses."""
    try:
        yield
    except OSError as error:
        advice = _ADVICE.get(error.errno or 0, "Choose another folder, then try again.")
        sentence = f"{shown(PurePath(name).name or name)} was not saved: {_reason(error)}. {advice}"
        raise ExchangeError(Problem("The file cannot be saved", sentence)) from error


_REASONS = {
    errno.ENOENT: "it is not there, or its folder is not",
    errno.ENOTDIR: "what should be its folder is a file",
    errno.EISDIR: "a folder has this name",
    errno.EACCES: "Espalier may not use it",
    errno.EPERM: "Espalier may not use it",
    errno.EROFS: "its disk can only be read",
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "no more space on this disk is granted to you",
    errno.EFBIG: "it is larger than this disk allows",
    errno.ENAMETOOLONG: "its name is too long",
    errno.EIO: "the disk reported an error",
}
_ADVICE = {
    errno.ENOSPC: "Free some space, or choose another disk; a file that was there before is unchanged.",
    errno.EDQUOT: "Free some space, or choose another disk; a file that was there before is unchanged.",
    errno.ENAMETOOLONG: "Choose a shorter name.",
    errno.EISDIR: "Choose another name.",
}


def _reason(error: OSError) -> str:
    return _REASONS.get(error.errno or 0) or error.strerror or "the system gave no reason"
