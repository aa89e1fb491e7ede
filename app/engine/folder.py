"""The check of a model folder before anything of it is loaded: each way in which it can be wrong has its sentence.

Nothing in the folder is ever run: no pickles, no Python files, no downloads.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from mlx_lm.utils import MODEL_ARCHITECTURE_REMAPPING, MODEL_REMAPPING

from app.engine.configuration import check_configuration
from app.engine.weights import WeightFile, read_weight_file
from app.models.names import model_name
from app.prompting.problems import ModelError
from app.tokenizing.model_files import check_files, read_json
from app.tokenizing.tokenizer_files import check_tokenizer_files

_PICKLES = ("*.bin", "*.pt", "*.pth", "*.ckpt", "*.pkl")


@dataclass(frozen=True, slots=True)
class ModelFolder:
    """A model folder that passed every check.

    name: what the model is called. config, generation: config.json and generation_config.json as read. digests: of the
    weight files where they are Ollama's, whose tensors have other names; else empty. has_risky_tokenizer: it is to be
    tried in a process of its own before it is used.
    """

    path: Path
    name: str
    config: dict[str, Any]
    generation: dict[str, Any]
    weight_files: tuple[WeightFile, ...]
    digests: tuple[str, ...] = ()
    has_risky_tokenizer: bool = False

    @property
    def weight_bytes(self) -> int:
        """Return how many bytes of weights the folder holds."""
        return sum(file.data_bytes for file in self.weight_files)


def check_folder(path: Path, weights: Sequence[Path] | None = None) -> ModelFolder:
    """Check all of a model folder that can be told without loading it.

    weights: its weight files, where they lie elsewhere. Raises ModelError with what is wrong and what to do.
    """
    try:
        _check_is_folder(path)
        check_files(path)
        config = _read_config(path)
        _check_architecture(config)
        generation = _read_generation(path)
        weight_files = _read_weights(path) if weights is None else tuple(read_weight_file(file) for file in weights)
        check_configuration(config, sum(file.tensors for file in weight_files))
        check_configuration(generation, 0, "generation_config.json")
        is_tokenizer_risky = check_tokenizer_files(path)
    except OSError as error:
        raise ModelError(
            "The model cannot be read", f"{path}: {error.strerror or error}. Check the folder's permissions."
        ) from error
    name = model_name(str(path))
    return ModelFolder(path, name, config, generation, weight_files, has_risky_tokenizer=is_tokenizer_risky)


def _check_is_folder(path: Path) -> None:
    if not path.exists():
        raise ModelError(
            "The model was not found",
            f"There is no folder at {path}. It may have been moved or renamed: choose it again with Open Model.",
            is_missing=True,
        )
    if not path.is_dir():
        raise ModelError(
            "Not a model folder",
            f"{path.name} is a file. Choose the folder that holds it, with config.json and the weights together.",
        )


def _read_config(path: Path) -> dict[str, Any]:
    file = path / "config.json"
    if not file.is_file():
        raise ModelError(
            "Not a model folder",
            f"{path.name} has no config.json. Choose a folder in the MLX or Hugging Face format.",
        )
    try:
        config = read_json(file)
    except ValueError as error:
        raise ModelError(
            "The model's configuration is damaged", "config.json is not valid JSON. Copy or download it again."
        ) from error
    if not isinstance(config, dict) or not isinstance(config.get("model_type"), str):
        raise ModelError(
            "The model's configuration is incomplete", "config.json does not say which type of model this is."
        )
    return config


def _read_generation(path: Path) -> dict[str, Any]:
    """Read what the model is best sampled with. A file that is absent or no JSON is as good as empty, to mlx-lm too."""
    file = path / "generation_config.json"
    try:
        generation = read_json(file) if file.is_file() else {}
    except json.JSONDecodeError:
        return {}
    except UnicodeDecodeError:
        generation = None
    if not isinstance(generation, dict):
        raise ModelError(
            "The model's configuration is damaged",
            "generation_config.json holds no settings. Copy or download it again, or delete it.",
        )
    return generation


def _check_architecture(config: dict[str, Any]) -> None:
    if config.get("model_file"):
        raise ModelError(
            "The model wants to run its own code",
            "Its config.json names a Python file to run. Espalier never runs code from a model folder: "
            "choose a model that mlx-lm supports by itself.",
        )
    if not _are_names(config.get("architectures")):
        raise ModelError(
            "The model's configuration is damaged",
            "config.json gives architectures that are not names. Copy or download it again.",
        )
    name = architecture(config)
    if not re.fullmatch(r"[A-Za-z0-9_\-]+", name) or importlib.util.find_spec(f"mlx_lm.models.{name}") is None:
        raise _unknown_type(config["model_type"])
    if not hasattr(_module(name, config["model_type"]), "ModelArgs"):
        raise _unknown_type(config["model_type"])


def _are_names(architectures: object) -> bool:
    named = architectures if isinstance(architectures, list) else [architectures or ""]
    return all(isinstance(item, str) for item in named)


def _module(name: str, model_type: str) -> ModuleType:
    """mlx-lm's module for this type. One that wants another package, like olmo, ends the process: that is stopped."""
    try:
        return importlib.import_module(f"mlx_lm.models.{name}")
    except (ImportError, SystemExit) as error:
        raise ModelError(
            "This type of model is not supported",
            f"mlx-lm can read a model of type “{model_type}” only with a package that Espalier does not come with. "
            "Choose another model.",
        ) from error


def architecture(config: dict[str, Any]) -> str:
    """Return the module of mlx_lm.models that a configuration asks for, by mlx-lm's own tables."""
    model_type: str = config["model_type"]
    named = config.get("architectures") or ()
    for item in (named,) if isinstance(named, str) else named:
        if (model_type, item) in MODEL_ARCHITECTURE_REMAPPING:
            return str(MODEL_ARCHITECTURE_REMAPPING[model_type, item])
    return str(MODEL_REMAPPING.get(model_type, model_type))


def _unknown_type(model_type: str) -> ModelError:
    return ModelError(
        "This type of model is not supported",
        f"mlx-lm has no model of type “{model_type}”. Choose another model, or a newer version of Espalier.",
    )


def _read_weights(path: Path) -> tuple[WeightFile, ...]:
    files = sorted(path.glob("model*.safetensors"))
    if not files:
        raise _no_weights(path)
    missing = _missing_shards(path, {file.name for file in files})
    if missing:
        raise ModelError(
            "The model is incomplete",
            f"{len(missing)} of its weight files are missing, the first is {missing[0]}. Copy or download them again.",
        )
    return tuple(read_weight_file(file) for file in files)


def _missing_shards(path: Path, present: set[str]) -> list[str]:
    """Files that the index names and the folder does not have. An index that cannot be read says nothing."""
    index = path / "model.safetensors.index.json"
    if not index.is_file():
        return []
    try:
        named = set(read_json(index)["weight_map"].values())
        outside = sorted(name for name in named if Path(name).name != name)
        missing = sorted(named - present)
    except (ValueError, KeyError, TypeError, AttributeError):
        return []
    if outside:
        raise ModelError(
            "The model cannot be opened",
            f"Its index names a weight file outside of the folder, {outside[0][:100]}. "
            "Copy or download the folder again, or choose another model.",
        )
    return missing


def _no_weights(path: Path) -> ModelError:
    if any(next(path.glob(pattern), None) for pattern in _PICKLES):
        return ModelError(
            "The weights are stored as pickles",
            "Its weight files are Python pickles, which can run code when opened. Choose a version of the model in "
            "the safetensors format, or convert it with mlx_lm.convert.",
        )
    if next(path.glob("*.gguf"), None):
        return ModelError(
            "The weights are in another format",
            "This is a GGUF model. Choose a version of it in the MLX or safetensors format.",
        )
    return ModelError(
        "The model has no weights",
        f"{path.name} has no model*.safetensors file. Copy or download the weights into the folder.",
    )
