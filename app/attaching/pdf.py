"""The text of a PDF, read by a process of its own: a file can be made to take any time and any memory.

The process is given the open file and nothing else. It ends by the limits that it sets itself, and is ended where it
takes too long, holds too much or says too much.
"""

from __future__ import annotations

import json
import os
import select
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from app.attaching import FLAG
from app.attaching.faults import AttachmentError
from app.attaching.pdf_child import MOST_MEMORY, SHORT_OF_MEMORY
from app.processes.child_process import start_child
from app.protocol.figures import number
from app.protocol.plain_files import UnfitFileError, require_plain
from app.rendering.resident import resident_bytes

MOST_PDF_BYTES = 256 << 20
SECONDS = 60.0
"""That a PDF may take to be read."""

_SLICE = 0.05  # seconds between two looks
_MOST_ESCAPED = 6  # bytes of one character in JSON
_ADVICE = "Save its text as a file, and attach that."
_FAULTS = {
    "encrypted": "It is encrypted. Open it with its password, save a copy without one, and attach that.",
    "empty": f"There is no text in it: its pages are pictures. {_ADVICE}",
    "damaged": f"It is damaged, or not a PDF. {_ADVICE}",
}


def text_of_pdf(path: Path, name: str, most: int, is_wanted: Callable[[], bool], seconds: float = SECONDS) -> str:
    """Return the text of a PDF, page after page. Raises AttachmentError, and OSError where it cannot be opened.

    most: characters, from which on it is too long. is_wanted: asked now and then; False ends it.
    """
    with _opened(path) as file, _reading(file) as process:
        answer = _answer(process, name, _MOST_ESCAPED * most, time.monotonic() + seconds, is_wanted)
    try:
        found = json.loads(answer)
        text, fault = found.get("text"), found.get("fault")
    except (ValueError, AttributeError):
        text, fault = None, "damaged"
    if not isinstance(text, str):
        raise AttachmentError(name, _FAULTS.get(str(fault), _FAULTS["damaged"]))
    return text


@contextmanager
def _opened(path: Path) -> Iterator[int]:
    file = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        require_plain(file, path)
        if os.fstat(file).st_size > MOST_PDF_BYTES:
            raise UnfitFileError(f"larger than {MOST_PDF_BYTES} bytes")
        yield file
    finally:
        os.close(file)


@contextmanager
def _reading(file: int) -> Iterator[subprocess.Popen[bytes]]:
    process = start_child(FLAG, stdin=file)
    try:
        yield process
    finally:
        process.kill()
        if process.stdout is not None:
            process.stdout.close()
        with suppress(subprocess.TimeoutExpired):
            process.wait(1)


def _answer(
    process: subprocess.Popen[bytes], name: str, most: int, until: float, is_wanted: Callable[[], bool]
) -> bytes:
    """Return all that the process says, while time and memory last. Raises AttachmentError."""
    assert process.stdout is not None
    output, said = process.stdout.fileno(), bytearray()
    poll = select.poll()
    poll.register(output, select.POLLIN)
    while time.monotonic() < until and is_wanted():
        if resident_bytes(process.pid) > MOST_MEMORY:  # where no limit of the process itself holds
            raise AttachmentError(name, f"It takes too much memory to read. {_ADVICE}")
        if not poll.poll(_SLICE * 1000):
            continue
        piece = os.read(output, 1 << 20)
        if not piece:
            break
        said += piece
        if len(said) > most:
            characters = number(most // _MOST_ESCAPED)
            raise AttachmentError(name, f"It has more than {characters} characters. Attach a part of it.")
    else:
        raise AttachmentError(name, f"It takes too long to read. {_ADVICE}")
    with suppress(subprocess.TimeoutExpired):
        process.wait(1)
    if process.returncode == SHORT_OF_MEMORY:
        raise AttachmentError(name, f"It takes too much memory to read. {_ADVICE}")
    return bytes(said)
