"""Tokenizers small enough to train in a test, and chat templates of the shapes that real models have."""

from __future__ import annotations

from functools import cache

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

SPECIALS = ["<|pad|>", "<|end|>", "<|system|>", "<|user|>", "<|assistant|>"]
THINKING = ["<think>", "</think>"]
_TEXT = (
    "How do I fork a conversation? Choose a message and press Fork; the new branch shares everything above it.",
    "The trie panel shows which tokens are cached. A snapshot keeps the state of the model at one place.",
    "Hello there! What is the answer? It is 42, or 1 + 2 = 3. New lines\n\ncome in pairs. User: x Assistant: y",
    "for i in range(10):\n    print(i)\n\nthe end of the story about the fox and the other fox",
)

# The guide model's: control tokens only. It is rendered in this process, the others in one of their own.
BARE = (
    "{% for message in messages %}{{ '<|' + message['role'] + '|>' + message['content'] + '<|end|>' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|assistant|>' }}{% endif %}"
)
# ChatML's shape: a role and a line break. Thinking is dropped from all answers before the last question.
THINKING_DROPPED = (
    "{% for m in messages %}"
    "{% set text = m.content.split('</think>')[-1].lstrip('\\n') if m.role == 'assistant' else m.content %}"
    "{{ '<|' + m.role + '|>\\n' + text + '<|end|>\\n' }}{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>\n{% endif %}"
)
# Thinking is opened by the generation prompt and dropped afterwards.
THINKING_OPENED = THINKING_DROPPED.replace("<|assistant|>\n{% endif %}", "<|assistant|>\n<think>\n{% endif %}")
# Contents trimmed, spaces between, the date in front.
TRIMMED_AND_DATED = (
    "Today is {{ strftime_now('%d %B %Y') }}.\n"
    "{% for m in messages %}{% if m.role == 'assistant' %}{{ ' ' + m.content | trim + ' <|end|>' }}"
    "{% else %}{{ '[Q] ' + m.content | trim + ' [A]' }}{% endif %}{% endfor %}"
)
TEMPLATES = {
    "bare": BARE,
    "thinking dropped": THINKING_DROPPED,
    "thinking opened": THINKING_OPENED,
    "trimmed and dated": TRIMMED_AND_DATED,
}


@cache
def _byte_level_json() -> str:
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=400, special_tokens=SPECIALS, initial_alphabet=alphabet, show_progress=False
    )
    tokenizer.train_from_iterator(_TEXT * 20, trainer)
    tokenizer.add_tokens([AddedToken(text, special=False, normalized=False) for text in THINKING])
    return str(tokenizer.to_str())


@cache
def _sentence_piece_json() -> str:
    """A "▁" before every section, bytes for unknown characters: the older conversions of SentencePiece models."""
    tokenizer = Tokenizer(models.BPE(byte_fallback=True, unk_token="<unk>", fuse_unk=True))
    tokenizer.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    tokenizer.pre_tokenizer = pre_tokenizers.Split(Regex("(?=▁)"), "isolated")
    trainer = trainers.BpeTrainer(
        vocab_size=600,
        special_tokens=["<unk>", *SPECIALS, *(f"<0x{byte:02X}>" for byte in range(256))],
        show_progress=False,
    )
    tokenizer.train_from_iterator(_TEXT * 20, trainer)
    tokenizer.pre_tokenizer = None
    tokenizer.decoder = decoders.Sequence(
        [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
    )
    return _without_special_bytes(str(tokenizer.to_str()))


def _without_special_bytes(text: str) -> str:
    """The trainer takes the byte tokens as special ones; in real models they are ordinary."""
    import json

    content = json.loads(text)
    content["added_tokens"] = [token for token in content["added_tokens"] if not token["content"].startswith("<0x")]
    return json.dumps(content)


def byte_level() -> Tokenizer:
    """A byte-level BPE of 400 tokens with control tokens, and thinking marks that are added but not special."""
    return Tokenizer.from_str(_byte_level_json())


def sentence_piece() -> Tokenizer:
    """A BPE in SentencePiece's manner, about 600 tokens."""
    return Tokenizer.from_str(_sentence_piece_json())
