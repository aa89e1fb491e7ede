"""The lines between which code stands in Markdown. https://spec.commonmark.org/0.31.2/#fenced-code-blocks"""

from __future__ import annotations

from app.protocol.dataclass import dataclass

_LONGEST_LANGUAGE = 40
_BLANKS = " \t\r\n"


@dataclass(frozen=True, slots=True)
class Fence:
    """The line that begins a piece of code. language: as it names it, "" where it does not."""

    indent: str
    mark: str
    language: str

    def is_closed_by(self, line: str) -> bool:
        """Return whether the code ends with this line, however far it is indented."""
        words = line.strip(_BLANKS)
        return len(words) >= len(self.mark) and not words.strip(self.mark[0])


def fence_of(line: str) -> Fence | None:
    """Return the fence that this line begins code with, if it does, however far it is indented."""
    if "```" not in line and "~~~" not in line:
        return None
    bare = line.lstrip(" \t")
    mark = bare[:1]
    if mark not in ("`", "~") or not mark:
        return None
    info = bare.lstrip(mark)
    length = len(bare) - len(info)
    if length < 3 or (mark == "`" and "`" in info):
        return None
    words = info.split(None, 1)
    return Fence(line[: len(line) - len(bare)], mark * length, words[0][:_LONGEST_LANGUAGE] if words else "")
