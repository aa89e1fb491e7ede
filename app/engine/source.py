"""What is to be opened, checked: a model's folder, or a model of Ollama's store.

A model of the store is given a folder of its own for as long as it is being opened, with a link for every small file,
so that it comes through the same checks, and to the same libraries, as every other.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from app.engine.folder import ModelFolder, check_folder
from app.models.ollama_store import OllamaError, OllamaModel, find_model, is_reference, store_folder
from app.prompting.problems import ModelError
from app.tokenizing.model_files import TEMPLATES


@contextmanager
def checked_source(path: str) -> Iterator[ModelFolder]:
    """Check a folder, or "ollama:NAME:TAG", and provide it until the block ends. Raises ModelError."""
    if not is_reference(path):
        yield check_folder(Path(path))
        return
    model = _found(path)
    try:
        with TemporaryDirectory(prefix="espalier-model-") as temporary:
            # The name is what the sentences about a folder call it.
            folder = Path(temporary) / re.sub(r"[^\w.\-]", "-", model.name)[:100]
            _link(folder, model)
            checked = check_folder(folder, [blob.path for blob in model.tensors])
            yield replace(checked, name=model.name, digests=tuple(blob.digest for blob in model.tensors))
    except OSError as error:
        raise ModelError(
            "The model cannot be read", f"{model.name}, in Ollama's store: {error.strerror or error}."
        ) from error


def _found(reference: str) -> OllamaModel:
    try:
        return find_model(store_folder(), reference)
    except OllamaError as error:
        raise ModelError(error.problem.title, error.problem.sentence) from error


def _link(folder: Path, model: OllamaModel) -> None:
    """Make a folder of links to the model's small files, of those that anything reads."""
    (folder / TEMPLATES).mkdir(parents=True)
    for name, blob in model.files.items():
        if "/" not in name.removeprefix(f"{TEMPLATES}/"):
            (folder / name).symlink_to(blob.path)
