"""Asks an exported guide through mlx_lm, as the program would. Nothing is fetched: the folder must exist."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("TRANSFORMERS_OFFLINE", "1")

import mlx.core as mx
from mlx_lm import load
from mlx_lm.generate import generate_step
from mlx_lm.sample_utils import make_sampler

from guide_model.dialogue import Message

MOST_TOKENS = 160
"""Tokens of one answer at most."""


class Player:
    """An exported guide that answers. Attributes: model, tokenizer (mlx_lm's own)."""

    def __init__(self, folder: Path) -> None:
        if not (folder / "config.json").is_file():
            raise FileNotFoundError(f"no model in {folder}")
        loaded: Any = load(str(folder))
        self.model, self.tokenizer = loaded[0], loaded[1]

    def ids(self, messages: list[Message]) -> list[int]:
        """The prompt as token ids, with the mark that opens the answer."""
        said = [{"role": role, "content": text} for role, text in messages]
        return list(self.tokenizer.apply_chat_template(said, add_generation_prompt=True, return_dict=False))

    def answer(self, messages: list[Message], temperature: float = 0.0, seed: int = 0, chunk: int = 2048) -> str:
        """The answer to a conversation that ends with a question; `chunk` is how many tokens are read at a time."""
        mx.random.seed(seed)
        sampler = make_sampler(temperature, top_p=0.95 if temperature else 0.0)
        prompt, said = mx.array(self.ids(messages)), []
        steps = generate_step(prompt, self.model, max_tokens=MOST_TOKENS, sampler=sampler, prefill_step_size=chunk)
        for token, _ in steps:
            if int(token) in self.tokenizer.eos_token_ids:
                break
            said.append(int(token))
        return str(self.tokenizer.decode(said))

    def ask(self, question: str) -> str:
        """The greedy answer to a first question."""
        return self.answer([("user", question)])
