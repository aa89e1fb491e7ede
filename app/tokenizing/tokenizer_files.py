"""The check of a folder's tokenizer before anything loads it."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from app.prompting.problems import ModelError
from app.tokenizing.model_files import read_json
from app.tokenizing.tokenizer_check import check_tokenizer, check_tokens, is_risky

_TOKENS = ("tokenizer_config.json", "added_tokens.json", "special_tokens_map.json", "vocab.json")
_TOKENIZERS = ("tokenizer.json", "tokenizer.model", "vocab.json")
# Of kinds that other programs read.
_OTHER_TOKENIZERS = ("tekken.json", "tiktoken.model", "*.tiktoken")


def check_tokenizer_files(path: Path) -> bool:
    """Check a folder's tokenizer files; return whether it has to be tried, as every one that is no tokenizer.json.

    Raises ModelError where there is none, or one that no model needs, and OSError.
    """
    if not any((path / name).is_file() for name in _TOKENIZERS):
        other = next((file.name for pattern in _OTHER_TOKENIZERS for file in path.glob(pattern)), None)
        if other is not None:
            raise ModelError(
                "This kind of tokenizer is not supported",
                f"The model's only tokenizer is {other}, which Espalier cannot read. "
                "Choose a version of the model that has a tokenizer.json.",
            )
        raise ModelError(
            "The model has no tokenizer",
            f"{path.name} has no tokenizer.json or tokenizer.model. Copy or download it into the folder.",
        )
    file = path / "tokenizer.json"
    has_to_be_tried = True
    if file.is_file():
        try:
            tokenizer = read_json(file)
        except ValueError as error:
            raise ModelError(
                "The model's tokenizer is damaged", "tokenizer.json is not valid JSON. Copy or download it again."
            ) from error
        check_tokenizer(tokenizer)
        has_to_be_tried = is_risky(tokenizer)
    for name in _TOKENS:
        if (path / name).is_file():
            with suppress(ValueError):  # what reads it says what is wrong, or does without
                check_tokens(name, read_json(path / name))
    return has_to_be_tried
