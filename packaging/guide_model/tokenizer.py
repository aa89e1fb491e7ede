"""The guide's tokenizer: 1,024 byte-level pieces learned from the generated conversations, digits one by one."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

from guide_model.dialogue import Message, conversation

VOCABULARY = 1024
CONTEXT = 4096
SPECIAL = ("<|pad|>", "<|end|>", "<|system|>", "<|user|>", "<|assistant|>")
# A generation prompt is an exact prefix of the history rendered later: only the role mark opens an answer.
CHAT_TEMPLATE = (
    "{% for message in messages %}{{ '<|' + message['role'] + '|>' + message['content'] + '<|end|>' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|assistant|>' }}{% endif %}"
)


def learn(seed: int = 0, conversations: int = 12_000) -> Tokenizer:
    """A byte-pair tokenizer of `VOCABULARY` pieces, the same for the same seed."""
    rng = Random(f"tokenizer {seed}")
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
    )
    tokenizer.decoder = decoders.ByteLevel()
    texts = (text for _ in range(conversations) for _, text in conversation(rng))
    trainer = trainers.BpeTrainer(
        vocab_size=VOCABULARY,
        special_tokens=list(SPECIAL),
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    return tokenizer


def encode(tokenizer: Tokenizer, messages: list[Message]) -> tuple[list[int], list[bool]]:
    """Token ids of a conversation, and for each whether the guide says it (its answers and their end marks)."""
    end = tokenizer.token_to_id("<|end|>")
    ids: list[int] = []
    is_answer: list[bool] = []
    for role, text in messages:
        content = tokenizer.encode(text).ids
        ids += [tokenizer.token_to_id(f"<|{role}|>"), *content, end]
        is_answer += [False, *[role == "assistant"] * (len(content) + 1)]
    return ids, is_answer


def save(tokenizer: Tokenizer, folder: Path) -> None:
    """Writes tokenizer.json and tokenizer_config.json into `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer.save(str(folder / "tokenizer.json"))
    settings = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "eos_token": "<|end|>",
        "pad_token": "<|pad|>",
        "model_max_length": CONTEXT,
        "clean_up_tokenization_spaces": False,
        "chat_template": CHAT_TEMPLATE,
    }
    (folder / "tokenizer_config.json").write_text(json.dumps(settings, indent=1) + "\n", encoding="utf-8")
