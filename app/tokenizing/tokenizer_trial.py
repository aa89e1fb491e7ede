"""The trial of a tokenizer that may be slow or fill the memory, before it is loaded into this process."""

from __future__ import annotations

from pathlib import Path

from app.prompting.problems import ModelError
from app.prompting.steps import Steps
from app.tokenizing.trial import TrialFault, try_tokenizer

_OTHER = "Choose another model, or copy or download this one again."
_FAILED = {
    TrialFault.TIME: (
        "The model's tokenizer takes too long",
        "Texts exist that it takes very long for, or it takes very long to load: its trial was ended.",
    ),
    TrialFault.MEMORY: (
        "The model's tokenizer takes too much memory",
        "Its trial was ended before the memory was full.",
    ),
    TrialFault.DEATH: (
        "The model's tokenizer cannot be used",
        "The process in which it was tried ended over it.",
    ),
}


def tried(folder: Path) -> Steps[None]:
    """Try a folder's tokenizer, a step for each moment that it takes. Raises ModelError where it does not pass."""
    try:
        fault = yield from try_tokenizer(folder)
    except OSError as error:
        raise ModelError(
            "The model's tokenizer cannot be tried",
            f"A process for it cannot be started: {error.strerror or error}. Close some programs, and try again.",
        ) from error
    if fault is not None:
        title, what = _FAILED[fault]
        raise ModelError(title, f"{what} {_OTHER}")
