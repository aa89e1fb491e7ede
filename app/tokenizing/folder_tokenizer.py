"""The tokenizer of a folder, for whoever needs it without its model.

Properties: nothing of the folder is run; it is checked first, and tried in a process of its own where it may be slow or
large; one that is used on several threads is used by one at a time.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from app.prompting.border import foreign_code
from app.prompting.problems import ModelError
from app.prompting.steps import Steps
from app.tokenizing.model_files import check_files, read_json
from app.tokenizing.template_sources import default_source
from app.tokenizing.tokenizer_files import check_tokenizer_files
from app.tokenizing.tokenizer_trial import tried

_SETTINGS = ("config.json", "generation_config.json")


class FolderTokenizer:
    """A tokenizer as prompts need it. Attribute: rows, how many tokens it has."""

    has_thinking = True
    think_start = think_end = tool_call_start = tool_call_end = None

    def __init__(self, tokenizer: Any, template: str | None, ends: frozenset[int]) -> None:
        """tokenizer: of the transformers library. template: the source of its chat template. ends: end an answer."""
        self._tokenizer, self._lock = tokenizer, threading.Lock()
        self._vocabulary = {str(text): int(number) for text, number in tokenizer.get_vocab().items()}
        own = tokenizer.eos_token_id
        self.eos_token_ids = ends if own is None else ends | {int(own)}
        self.rows = max(self._vocabulary.values(), default=-1) + 1
        self.chat_template, self.has_chat_template = template, template is not None
        self.init_kwargs: Mapping[str, Any] = {}
        self.added_tokens_decoder: Mapping[int, Any] = dict(tokenizer.added_tokens_decoder)
        named = tokenizer.special_tokens_map
        self.special_tokens_map: Mapping[str, Any] = {
            name: str(text) for name, text in named.items() if not isinstance(text, list)
        }

    def get_vocab(self) -> Mapping[str, int]:
        """Return the ids of all tokens, by what they read."""
        return self._vocabulary

    def get_chat_template(self) -> str:
        """Return the source of the chat template, "" where there is none."""
        return self.chat_template or ""

    def encode(self, text: str, **options: Any) -> list[int]:
        """Return the ids of a text."""
        with self._lock:
            return [int(one) for one in self._tokenizer.encode(text, **options)]

    def decode(self, ids: list[int], **options: Any) -> str:
        """Return the text of ids."""
        with self._lock:
            return str(self._tokenizer.decode(ids, **options))

    def apply_chat_template(self, messages: list[dict[str, str]], **options: Any) -> Any:
        """Raise NotImplementedError: messages are rendered by `ChatTemplate`, in its process, and nowhere else."""
        raise NotImplementedError


def read_tokenizer(folder: Path) -> Steps[FolderTokenizer]:
    """Read the tokenizer of a model's folder. Raises ModelError, which says what is wrong with it."""
    yield
    try:
        if not folder.is_absolute() or not folder.is_dir():
            raise ModelError(
                "The tokenizer was not found", f"There is no folder at {str(folder)[:200]}. Choose it again."
            )
        check_files(folder)
        is_risky = check_tokenizer_files(folder)
        settings = [_settings(folder / name) for name in _SETTINGS]
        template = default_source(folder)
        yield
        if is_risky:
            yield from tried(folder)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or "its name cannot be one"
        raise ModelError("The tokenizer cannot be read", f"{folder.name[:100]}: {why}. Check the folder.") from error
    ends = frozenset(number for one in settings for number in _ends(one))
    with foreign_code(_senseless):
        return FolderTokenizer(_loaded(folder, settings[0].get("model_type")), template, ends)


def _loaded(folder: Path, model_type: object) -> Any:
    """Load a tokenizer by transformers, with its own settings alone where those of its model break that."""
    from transformers import AutoTokenizer  # here: it takes half a second, and most starts of the program never need it

    load = partial(AutoTokenizer.from_pretrained, folder, trust_remote_code=False, local_files_only=True)
    try:
        with foreign_code(_senseless):
            return load()
    except ModelError:
        if not isinstance(model_type, str):
            raise
    with foreign_code(_senseless):
        return load(config=SimpleNamespace(model_type=model_type))


def _settings(path: Path) -> Mapping[str, Any]:
    """Return what a file of settings says, nothing where there is none."""
    try:
        found = read_json(path) if path.is_file() else {}
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _ends(settings: Mapping[str, Any]) -> Iterator[int]:
    """Yield the end tokens that settings name."""
    named = settings.get("eos_token_id")
    for one in named if isinstance(named, list) else [named]:
        if isinstance(one, int) and not isinstance(one, bool):
            yield one


def _senseless(words: str) -> ModelError:
    return ModelError(
        "The tokenizer cannot be read", f"Its files do not make sense: {words} Copy or download them again."
    )
