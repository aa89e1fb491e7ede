"""The text of a file that a person attaches, whatever the file is: a folder, a pipe, a film, a damaged PDF.

Properties: no more is read than may be attached, and nothing that may wait or never end is opened. What comes out is
text that a database can hold, with line feeds between its lines.
"""

from __future__ import annotations

import codecs
import stat
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from app.attaching.faults import AttachmentError
from app.attaching.pdf import MOST_PDF_BYTES, text_of_pdf
from app.protocol.chat import LONGEST_NAME, Attachment, AttachmentKind
from app.protocol.excerpts import one_line
from app.protocol.figures import number, plural, size
from app.protocol.plain_files import UnfitFileError, read_plain

MOST_CHARACTERS = 4_000_000
"""Of one attachment: about a million tokens."""
MOST_ATTACHMENTS = 16
"""Of one question."""

_MOST_BYTES = 4 * MOST_CHARACTERS
_MOST_CONTROLS = 0.02  # of the characters of a text that is neither UTF-8 nor marked
_NO_NAME = "attachment"
_PDF = b"%PDF-"
_MARKS = (  # the longer one first: it begins as the other
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_MARKDOWN = frozenset({".md", ".markdown", ".mdown"})
_DATA = frozenset({".csv", ".tsv", ".json", ".jsonl", ".xml", ".yaml", ".yml", ".toml", ".ini", ".cfg", ".plist"})
# fmt: off
_CODE = frozenset(
    {
        ".py", ".pyi", ".js", ".mjs", ".jsx", ".ts", ".tsx", ".c", ".h", ".cc", ".cpp", ".hpp", ".m", ".mm",
        ".swift", ".rs", ".go", ".java", ".kt", ".rb", ".php", ".pl", ".lua", ".sh", ".bash", ".zsh", ".sql",
        ".html", ".htm", ".css", ".scss", ".r", ".jl", ".hs", ".ml", ".scala", ".cs", ".fs", ".vb", ".dart", ".ex",
        ".exs", ".erl", ".clj", ".lisp", ".el", ".vim", ".tex", ".cmake", ".gradle", ".patch", ".diff", ".asm",
        ".s", ".zig", ".nim", ".v", ".sv", ".vhd", ".ps1", ".bat", ".proto", ".graphql", ".vue", ".svelte",
    }
)
# fmt: on


class ReadFile(NamedTuple):
    """Text of a file as an attachment. note: a sentence that the person should know, or ""."""

    attachment: Attachment
    note: str = ""


def read_file(path: Path, is_wanted: Callable[[], bool] = lambda: True) -> ReadFile:
    """Read the text of a file. Raises AttachmentError, which says why not.

    is_wanted: asked now and then; where it is not any more, the reading ends with AttachmentError.
    """
    name = name_of(path)
    try:
        if path.suffix.lower() == ".pdf" or _beginning(path).startswith(_PDF):
            text, note = text_of_pdf(path, name, MOST_CHARACTERS, is_wanted), ""
        else:
            text, note = _decoded(read_plain(path, _MOST_BYTES), name)
    except (OSError, ValueError) as error:
        raise AttachmentError(name, _reason(path, error)) from error
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if not text.strip():
        raise AttachmentError(name, "There is no text in it.")
    if len(text) > MOST_CHARACTERS:
        raise AttachmentError(name, too_long(len(text)))
    return ReadFile(Attachment(name, _kind(path), text), note)


def name_of(path: Path) -> str:
    """Return the name of a file as one line that can be stored."""
    whole = path.name.encode("utf-8", "replace").decode("utf-8")
    return one_line(whole)[:LONGEST_NAME].strip() or _NO_NAME


def too_long(characters: int) -> str:
    """Say that a text is longer than what may be attached."""
    return (
        f"It has {plural(characters, 'character')}, and {number(MOST_CHARACTERS)} can be attached. Attach a part of it."
    )


def _beginning(path: Path) -> bytes:
    mode = path.stat().st_mode
    if not stat.S_ISREG(mode):
        return b""
    with path.open("rb") as file:
        return file.read(len(_PDF))


def _decoded(content: bytes, name: str) -> tuple[str, str]:
    """Return the text of a file's bytes, and what to tell about how it was read."""
    for mark, encoding in _MARKS:
        if content.startswith(mark):
            text = content.decode(encoding, "replace")
            if "\0" in text:
                raise AttachmentError(name, _BINARY)
            return text, ""
    if b"\0" in content:
        raise AttachmentError(name, _BINARY)
    try:
        return content.decode("utf-8"), ""
    except UnicodeDecodeError:
        text = content.decode("latin-1")
    controls = sum(text.count(chr(code)) for code in range(32) if chr(code) not in "\t\n\r\f\x1b")
    if controls > _MOST_CONTROLS * len(text):
        raise AttachmentError(name, _BINARY)
    return text, f"{name} does not say how its letters are written: it was read as Latin-1, so look at its accents."


_BINARY = "It is not text. Text, Markdown, source code, JSON, CSV and PDF can be attached."


def _kind(path: Path) -> AttachmentKind:
    suffix = path.suffix.lower()
    if suffix == ".pdf":
        return "pdf"
    if suffix in _MARKDOWN:
        return "markdown"
    if suffix in _DATA:
        return "data"
    return "code" if suffix in _CODE else "text"


def _reason(path: Path, error: OSError | ValueError) -> str:
    """Say why a file cannot be read."""
    if isinstance(error, FileNotFoundError):
        return "It is not there any more."
    if isinstance(error, PermissionError):
        return "It may not be read: its permissions forbid it."
    if path.is_dir():
        return "It is a folder. Attach the files in it that the question is about."
    if isinstance(error, UnfitFileError):
        if not path.is_file():
            return "It is not a file but a pipe or a device."
        most = MOST_PDF_BYTES if path.suffix.lower() == ".pdf" else _MOST_BYTES
        return f"It has {size(path.stat().st_size)}, and {size(most)} can be read. Attach a part of it."
    words = error.strerror if isinstance(error, OSError) and error.strerror else type(error).__name__
    return f"It cannot be read: {words}."
