"""A model folder described for the list, and what stands against opening it, without anything of it being loaded.

The engine checks a folder more closely before it opens one: what is refused here would be refused there.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from app.models.contents import MOST_ENTRIES, Contents, list_folder
from app.models.context import context_length
from app.models.entry import ModelEntry, Source
from app.models.names import hub_repository, model_name, shown
from app.models.ollama_store import OllamaModel
from app.models.weights import INDEX, DamagedError, Weights, packing, read_weights
from app.protocol.figures import number, plural
from app.protocol.modest_json import is_modest
from app.protocol.plain_files import UnfitFileError, read_plain

_LONGEST_CONFIG = 2 << 20
_LONGEST_INDEX = 16 << 20
_LONGEST_TEMPLATE = 1 << 20
_PICKLES = ("*.bin", "*.pt", "*.pth", "*.ckpt", "*.pkl")
_TOKENIZERS = ("tokenizer.json", "tokenizer.model", "vocab.json")
_TEMPLATES = ("chat_template.jinja", "chat_template.json", "tokenizer_config.json")
_SIGHT = ("vision_config", "vision_tower", "mm_vision_tower", "image_token_id", "image_token_index")
_TOOLS = re.compile(rb"\btools\b")
_TOKENIZER_LENGTH = re.compile(rb'"model_max_length"\s*:\s*(\d{1,8})\b')
_SHARD = re.compile(r"model-(\d{5})-of-(\d{5})\.safetensors")
_DTYPES = {"bfloat16": "bf16", "float16": "fp16", "float32": "fp32"}
_USUAL_GROUP = 64


class _UnsupportedError(Exception):
    """Something stands against opening a model: the reason, in one sentence."""


def is_model(contents: Contents) -> bool:
    """Return whether a folder holds a model, whole or not, rather than folders of models or anything else."""
    if "config.json" in contents.files or "config.json" in contents.lost:
        return True
    if "adapter_config.json" in contents.files:
        return False
    weights = ("*.safetensors", "*.gguf", "pytorch_model*.bin")
    return any(fnmatch(name, pattern) for name in (*contents.files, *contents.lost) for pattern in weights)


def describe_folder(folder: Path, source: Source, root: Path) -> ModelEntry:
    """Describe the model of a folder, with the reason why it cannot be opened if there is one. Raises no OSError."""
    repository = hub_repository(folder)
    owner = repository[0] if repository else (folder.parent.name if folder.parent != root != folder else "")
    entry = ModelEntry(str(folder), model_name(str(folder)), source, str(root), shown(owner))
    try:
        contents = list_folder(folder)
        entry = replace(entry, weight_bytes=_weight_bytes(contents))
        config = _config(contents)
        entry = _with_config(entry, config, contents)
        return replace(entry, **_measured(contents, config))
    except _UnsupportedError as error:
        return replace(entry, reason=str(error))
    except OSError as error:
        return replace(entry, reason=_unreadable(error))


def describe_ollama(model: OllamaModel, root: Path) -> ModelEntry:
    """Describe a model of Ollama's store."""
    entry = ModelEntry(model.reference, shown(model.name), Source.OLLAMA, str(root))
    if model.problem is not None:
        return replace(entry, reason=model.problem.sentence)
    weight_bytes = sum(blob.nbytes for blob in model.tensors)
    entry = replace(entry, weight_bytes=weight_bytes)
    try:
        if "config.json" not in model.files:
            raise _UnsupportedError(f"{model.name} has no config.json.")
        config = _parsed("config.json", read_plain(model.files["config.json"].path, _LONGEST_CONFIG))
        _check_config(config)
        if not any(name in model.files for name in _TOKENIZERS):
            raise _UnsupportedError("It has no tokenizer that Espalier can read.")
        templates = [
            read_plain(model.files[name].path, _LONGEST_TEMPLATE) for name in _TEMPLATES if name in model.files
        ]
    except _UnsupportedError as error:
        return replace(entry, reason=str(error))
    except OSError as error:
        return replace(entry, reason=_unreadable(error))
    largest = max(model.tensors, key=lambda blob: blob.nbytes)
    bits = re.sub(r"\D", "", packing(largest.path))[:2]
    each = float(bits) + (0.5 if bits else 16) if bits else 16
    return replace(
        entry,
        model_type=shown(config["model_type"]),
        context=_context(config, templates),
        sees=_sees(config),
        calls_tools=any(_TOOLS.search(data) for data in templates),
        precision=f"{bits}-bit" if bits else _dtype(config),
        parameters=int(weight_bytes * 8 / each),
    )


# Configuration


def _config(contents: Contents) -> dict[str, Any]:
    """Read config.json, or say what the folder is instead."""
    for name in ("config.json", "generation_config.json", *_TOKENIZERS):
        if name in contents.odd or name in contents.folders:
            raise _UnsupportedError(f"{name} is not a regular file, but a folder, a pipe or a device.")
    if "config.json" in contents.lost or _is_broken_off(contents):
        raise _UnsupportedError("Its download is not complete.")
    if "config.json" not in contents.files:
        raise _no_config(contents)
    if contents.files["config.json"] > _LONGEST_CONFIG:
        raise _UnsupportedError("Its config.json is larger than any model’s.")
    config = _parsed("config.json", read_plain(contents.path / "config.json", _LONGEST_CONFIG))
    _check_config(config)
    return config


def _parsed(name: str, data: bytes) -> dict[str, Any]:
    """Parse a configuration. Raises _UnsupportedError where it is none."""
    try:
        config = json.loads(data.decode("utf-8")) if is_modest(data) else None
    except ValueError:
        config = None
    if not isinstance(config, dict):
        raise _UnsupportedError(f"Its {name} is damaged.")
    return config


def _check_config(config: dict[str, Any]) -> None:
    if not isinstance(config.get("model_type"), str):
        raise _UnsupportedError("Its config.json does not say which type of model this is.")
    if config.get("model_file"):
        raise _UnsupportedError("It wants to run code of its own, which Espalier never does.")


def _no_config(contents: Contents) -> _UnsupportedError:
    if any(name.endswith(".gguf") for name in contents.files):
        return _UnsupportedError("Its weights are GGUF: a version in the MLX or safetensors format can be opened.")
    if _pickles(contents):
        return _pickled()
    return _UnsupportedError("It has no config.json: it is not in the MLX or Hugging Face format.")


def _with_config(entry: ModelEntry, config: dict[str, Any], contents: Contents) -> ModelEntry:
    templates = [_beginning(contents, name) for name in _TEMPLATES]
    return replace(
        entry,
        model_type=shown(config["model_type"]),
        context=_context(config, templates),
        sees=_sees(config),
        calls_tools=any(_TOOLS.search(data) for data in templates),
        precision=_precision(config),
    )


def _beginning(contents: Contents, name: str) -> bytes:
    """Read a file that may hold the template; nothing of one that is too large to be looked through."""
    size = contents.files.get(name, 0)
    return read_plain(contents.path / name, _LONGEST_TEMPLATE) if 0 < size <= _LONGEST_TEMPLATE else b""


def _context(config: dict[str, Any], tokenizer_files: list[bytes]) -> int:
    found = (_TOKENIZER_LENGTH.search(data) for data in tokenizer_files)
    length = next((int(match[1]) for match in found if match), None)
    return context_length(config, length)


def _sees(config: dict[str, Any]) -> bool:
    return any(config.get(name) is not None for name in _SIGHT)


def _quantization(config: dict[str, Any]) -> dict[str, Any]:
    for name in ("quantization", "quantization_config"):
        found = config.get(name)
        if isinstance(found, dict):
            return found
    return {}


def _precision(config: dict[str, Any]) -> str:
    quantization = _quantization(config)
    bits, method = quantization.get("bits"), quantization.get("quant_method")
    if type(bits) is int and 1 <= bits <= 16:
        return f"{bits}-bit"
    if isinstance(method, str) and re.fullmatch(r"\w{1,12}", method):
        return method
    return _dtype(config)


def _dtype(config: dict[str, Any]) -> str:
    text_config = config.get("text_config")
    for part in (config, text_config if isinstance(text_config, dict) else {}):
        found = part.get("torch_dtype") or part.get("dtype")
        if isinstance(found, str):
            return _DTYPES.get(found, "")
    return ""


# Files


def _weight_names(contents: Contents) -> list[str]:
    return sorted(name for name in contents.files if fnmatch(name, "model*.safetensors"))


def _weight_bytes(contents: Contents) -> int:
    """Return the size of the weight files, of which the tensors are nearly all."""
    return sum(contents.files[name] for name in _weight_names(contents))


def _measured(contents: Contents, config: dict[str, Any]) -> dict[str, Any]:
    """Return the parameters and, where the configuration does not say, the precision; or raise what is wrong."""
    names = _weight_names(contents)
    if not names:
        raise _no_weights(contents)
    missing = _missing(contents, names)
    if missing:
        files = plural(missing, "weight file")
        raise _UnsupportedError(f"{files} {'is' if missing == 1 else 'are'} missing: copy or download them again.")
    if not any(name in contents.files for name in _TOKENIZERS):
        raise _UnsupportedError("It has no tokenizer that Espalier can read.")
    quantization = _quantization(config)
    bits, group = quantization.get("bits"), quantization.get("group_size")
    bits = bits if type(bits) is int and 1 <= bits <= 16 else 0
    group = group if type(group) is int and 1 <= group <= 4096 else _USUAL_GROUP if bits else 0
    try:
        weights = read_weights(contents.path, contents.files, names, bits, group)
    except DamagedError as error:
        raise _UnsupportedError(f"{shown(error.name)} is damaged or cut short: copy or download it again.") from None
    return _facts(weights, _precision(config))


def _facts(weights: Weights, precision: str) -> dict[str, Any]:
    return {
        "parameters": weights.parameters,
        "precision": precision or weights.dtype,
        "weight_bytes": weights.nbytes,
    }


def _missing(contents: Contents, names: list[str]) -> int:
    """Return how many weight files are missing, by their numbers, or by the index where they have none."""
    lost = [name for name in contents.lost if fnmatch(name, "model*.safetensors")]
    counts = [int(match[2]) for name in names if (match := _SHARD.fullmatch(name))]
    if len(counts) == len(names):
        return max(max(counts) - len(names), len(lost))
    if INDEX in contents.files and len(names) > 1 and contents.files[INDEX] <= _LONGEST_INDEX:
        return max(len(_indexed(contents) - set(names)), len(lost))
    return len(lost)


def _indexed(contents: Contents) -> set[str]:
    """Return the files that an index names. One that cannot be read says nothing."""
    try:
        named = _parsed(INDEX, read_plain(contents.path / INDEX, _LONGEST_INDEX)).get("weight_map")
    except _UnsupportedError:
        return set()
    return {name for name in named.values() if isinstance(name, str)} if isinstance(named, dict) else set()


def _is_broken_off(contents: Contents) -> bool:
    """Return whether a download has not brought its weights yet: the hub's cache keeps what has come so far."""
    if _weight_names(contents) or hub_repository(contents.path) is None or _pickles(contents):
        return False
    try:
        blobs = list_folder(contents.path.parent.parent / "blobs")
    except OSError:
        return False
    return any(name.endswith(".incomplete") for name in blobs.files)


def _pickles(contents: Contents) -> bool:
    return any(fnmatch(name, pattern) for name in contents.files for pattern in _PICKLES)


def _pickled() -> _UnsupportedError:
    return _UnsupportedError("Its weights are Python pickles, which can run code when they are opened.")


def _no_weights(contents: Contents) -> _UnsupportedError:
    lost = [name for name in contents.lost if name.endswith(".safetensors")]
    if lost or any(name.endswith((".incomplete", ".part", ".crdownload")) for name in contents.files):
        return _UnsupportedError("Its download is not complete.")
    if any(name.endswith(".gguf") for name in contents.files):
        return _UnsupportedError("Its weights are GGUF: a version in the MLX or safetensors format can be opened.")
    if _pickles(contents):
        return _pickled()
    return _UnsupportedError("It has no weights, which are files named model*.safetensors.")


def _unreadable(error: OSError) -> str:
    if isinstance(error, UnfitFileError):
        return f"{shown(Path(str(error.filename)).name)} is not a regular file of a size that a model’s can have."
    if isinstance(error, TimeoutError):
        return "The disk that it lies on does not answer."
    if error.strerror and "entries" in error.strerror:
        return f"Its folder holds more than {number(MOST_ENTRIES)} files."
    return f"It cannot be read: {error.strerror or error}."
