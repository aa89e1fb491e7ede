"""The check of a frozen program by itself: the freeze left nothing out, and brought nothing along for nothing.

mlx-lm says “not supported” for a module that is missing, and Qt draws nothing for a plugin that is; so everything
that is loaded by a name is loaded once, by its name.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path

from app.launch.paths import guide_model, resources

UNWANTED = (
    *("torch", "tensorflow", "jax", "pytest", "_pytest", "hypothesis", "mypy", "setuptools", "pip", "tests", "tkinter"),
    *("PySide6.QtWebEngineCore", "PySide6.QtQml", "PySide6.QtQuick", "PySide6.QtNetwork"),
)
"""Modules that no bundle holds: they belong to other programs, or to building and testing this one."""


_MODELS = "mlx_lm.models."


def is_frozen() -> bool:
    """Return whether this is the program that is shipped, and not a checkout."""
    return bool(getattr(sys, "frozen", False))


def faults() -> list[str]:
    """Find what a frozen program lacks or should not hold, a sentence for each."""
    return [
        *missing_modules(wanted_modules()),
        *missing_tokenizers(),
        *missing_configurations(wanted_modules()),
        *missing_types(wanted_modules()),
        *template_faults(guide_model()),
        *window_faults(resources() / "icon" / "espalier.svg"),
        *unwanted_modules(UNWANTED),
    ]


def wanted_modules() -> list[str]:
    """Read the list of every module that is imported by a name, as the freeze wrote it. OSError when it is missing."""
    return (resources().parent / "imports.txt").read_text(encoding="utf-8").split()


def missing_modules(names: list[str]) -> Iterator[str]:
    """Yield a sentence for each of these modules that cannot be imported, or for an empty list."""
    if not names:
        yield "the list of modules that are imported by name is empty."
    for name in names:
        try:
            with contextlib.redirect_stdout(sys.stderr):
                importlib.import_module(name)
        except ImportError as error:
            yield f"{name} cannot be imported: {error}."
        except SystemExit:
            # The module is here; it wants a package that Espalier does not come with, and says so by ending.
            continue


def missing_types(names: list[str]) -> Iterator[str]:
    """Yield a sentence where the engine does not list the models among these modules: the window would refuse them."""
    from app.engine.support import model_support

    wanted = {name.removeprefix(_MODELS) for name in names if name.startswith(_MODELS)}
    missing = sorted(wanted - model_support().model_types)
    if missing or not wanted:
        yield f"{len(missing)} of {len(wanted)} types of models are not listed: {', '.join(missing[:5])}."


def missing_tokenizers() -> Iterator[str]:
    """Yield a sentence for each kind of tokenizer that transformers names and cannot load."""
    from transformers.models.auto import tokenization_auto

    for model_type, name in tokenization_auto.TOKENIZER_MAPPING_NAMES.items():
        if name is None:
            continue
        try:
            found = tokenization_auto.tokenizer_class_from_name(name)
        except ImportError as error:
            yield f"the tokenizer {name} of {model_type} cannot be loaded: {error}."
            continue
        if found is None:
            yield f"the tokenizer {name} of {model_type} is missing."


def missing_configurations(names: list[str]) -> Iterator[str]:
    """Yield a sentence for each of mlx-lm's models whose configuration transformers knows and cannot load.

    A tokenizer that does not name its class is found by the model's configuration.
    """
    from transformers.models.auto.configuration_auto import CONFIG_MAPPING

    for model_type in (name.rpartition(".")[2] for name in names):
        if model_type not in CONFIG_MAPPING:
            continue
        try:
            CONFIG_MAPPING[model_type]
        except ImportError as error:
            yield f"the configuration of {model_type} cannot be loaded: {error}."


def template_faults(model: Path) -> Iterator[str]:
    """Yield a sentence when the model's chat template does not render a question."""
    from transformers import AutoTokenizer

    question = "Is everything there?"
    tokenizer = AutoTokenizer.from_pretrained(model)
    said = tokenizer.apply_chat_template(
        [{"role": "user", "content": question}], tokenize=False, add_generation_prompt=True
    )
    if question not in said or len(said) <= len(question):
        yield f"the chat template of {model} gives {said!r}."


def window_faults(picture: Path) -> Iterator[str]:
    """Yield a sentence when the window's code cannot be imported, or Qt, drawing to memory, leaves a picture empty."""
    from PySide6.QtGui import QGuiApplication, QIcon

    importlib.import_module("app.main")
    application = QGuiApplication.instance() or QGuiApplication(["Espalier", "-platform", "offscreen"])
    image = QIcon(str(picture)).pixmap(64, 64).toImage()
    if image.isNull() or not any(image.pixelColor(at, at).alpha() for at in range(image.width())):
        yield f"{picture} is drawn as nothing."
    del application


def unwanted_modules(names: tuple[str, ...]) -> Iterator[str]:
    """Yield a sentence for each of these modules that is there."""
    for name in names:
        try:
            is_there = importlib.util.find_spec(name) is not None
        except ModuleNotFoundError:  # its package is not there either
            is_there = False
        if is_there:
            yield f"{name} is in the bundle and should not be."
