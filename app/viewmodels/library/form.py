"""The forms of a file that holds a conversation."""

from __future__ import annotations

from enum import StrEnum


class Form(StrEnum):
    """The kinds of files that a conversation can be written as."""

    ESPALIER = "espalier"
    BRANCH = "branch"
    TREE = "tree"

    @property
    def suffix(self) -> str:
        """The end of such a file's name."""
        return ".espalier" if self is Form.ESPALIER else ".md"
