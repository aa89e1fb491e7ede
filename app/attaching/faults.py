"""Files that cannot be attached, in words a person can act on."""

from __future__ import annotations

from app.protocol.reports import Problem


class AttachmentError(Exception):
    """A file cannot be attached. problem: what the window says."""

    def __init__(self, name: str, sentence: str) -> None:
        super().__init__(f"{name}: {sentence}")
        self.problem = Problem(f"{name} cannot be attached", sentence)
