"""The process that reads a PDF: the file is its input, and {"text": ...} or {"fault": ...} what it says.

Limits that it sets itself bound its memory and its time, also where nobody waits for it any more.
"""

from __future__ import annotations

import json
import os
import resource
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    from pypdf import PdfReader

MOST_MEMORY = 2 << 30
"""Bytes."""
SHORT_OF_MEMORY = 71
"""The exit status of a process that would have needed more."""

_SECONDS = 90  # of the processor
_BETWEEN_PAGES = "\n\n"


def serve() -> int:
    """Read the PDF that is the input, and write its text. Returns the exit status."""
    for kind, most in (
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CPU, _SECONDS),
        (resource.RLIMIT_AS, MOST_MEMORY),
    ):
        with suppress(ValueError, OSError):
            resource.setrlimit(kind, (most, resource.getrlimit(kind)[1]))
    try:
        said = _read(sys.stdin.buffer)
    except MemoryError:
        os._exit(SHORT_OF_MEMORY)
    except Exception:  # noqa: BLE001 - whatever a damaged file makes the library raise
        said = {"fault": "damaged"}
    sys.stdout.write(json.dumps(said))
    sys.stdout.flush()
    return 0


def _read(file: BinaryIO) -> dict[str, str]:
    from pypdf import PdfReader  # here: this file is known to processes that read no PDF

    reader = PdfReader(file)
    if reader.is_encrypted and not _opens(reader):
        return {"fault": "encrypted"}
    pages = [page.extract_text().strip() for page in reader.pages]
    text = _BETWEEN_PAGES.join(page for page in pages if page)
    whole = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").replace("\0", "\ufffd")
    return {"text": whole} if whole.strip() else {"fault": "empty"}


def _opens(reader: PdfReader) -> bool:
    """Return whether a PDF can be read without a password. Some ciphers need a library that is not there."""
    from pypdf import PasswordType
    from pypdf.errors import DependencyError

    try:
        return reader.decrypt("") is not PasswordType.NOT_DECRYPTED
    except (DependencyError, NotImplementedError):
        return False
