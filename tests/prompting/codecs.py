"""Codecs and prompt builders over tiny tokenizers, without a model."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from mlx_lm.tokenizer_utils import TokenizerWrapper, load
from tokenizers import Tokenizer

from app.prompting.codec import Codec
from app.prompting.prompt import PromptBuilder, prompt_builder
from app.prompting.steps import finish
from app.prompting.template import chat_template
from app.protocol.chat import Turn
from tests.fakes.tiny_tokenizer import byte_level

NOON = datetime(2026, 11, 20, 12, 0)


def wrapper_of(path: Path, tokenizer: Tokenizer, template: str | None = None) -> TokenizerWrapper:
    """The tokenizer as mlx-lm loads it from a folder."""
    path.mkdir(parents=True, exist_ok=True)
    tokenizer.save(str(path / "tokenizer.json"))
    settings = {"tokenizer_class": "PreTrainedTokenizerFast", "eos_token": "<|end|>", "pad_token": "<|pad|>"}
    if template is not None:
        settings["chat_template"] = template
    (path / "tokenizer_config.json").write_text(json.dumps(settings))
    return load(path, {"trust_remote_code": False})


def codec_of(path: Path, tokenizer: Tokenizer) -> Codec:
    return Codec(wrapper_of(path, tokenizer), "<think>")


def builder_of(path: Path, template: str | None, tokenizer: Tokenizer | None = None) -> PromptBuilder:
    wrapper = wrapper_of(path, tokenizer or byte_level(), template)
    rendered = chat_template(wrapper, NOON)
    return finish(prompt_builder(Codec(wrapper, rendered.source), rendered))


def rendered_by(builder: PromptBuilder, turns: Sequence[Turn]) -> str:
    """The text of a branch, by its template alone."""
    space = " " if builder.template.is_plain else ""
    [text] = finish(builder.template.render([[{"role": turn.role, "content": space + turn.text} for turn in turns]]))
    return text
