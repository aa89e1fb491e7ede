"""Endless batches of conversations: a function of the seed and the place in the stream, so a run can resume."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import torch
from tokenizers import Tokenizer
from torch import Tensor

from guide_model.dialogue import Mix, conversation
from guide_model.tokenizer import encode

CONVERSATIONS = 320
"""Conversations drawn together, sorted by length and packed, so that little is padding."""
LONGEST = 3000
"""Tokens of one conversation at most; what is longer is cut."""

Batch = tuple[Tensor, Tensor]
"""ids [rows, tokens], padded with 0; is_answer [rows, tokens]: 1 for the guide's words, 0 for others, -1 padding."""


def batches(tokenizer: Tokenizer, seed: str, mix: Mix, tokens: int, skip: int = 0) -> Iterator[Batch]:
    """Batches of at most `tokens` places, from batch number `skip` on."""
    pool = 0
    while True:
        rng = Random(f"{seed} {pool}")
        packed = _pack([encode(tokenizer, conversation(rng, mix)) for _ in range(CONVERSATIONS)], tokens)
        rng.shuffle(packed)
        yield from (_padded(rows) for rows in packed[skip:])
        skip = max(0, skip - len(packed))
        pool += 1


def _pack(encoded: list[tuple[list[int], list[bool]]], tokens: int) -> list[list[tuple[list[int], list[bool]]]]:
    rows = sorted(((ids[:LONGEST], said[:LONGEST]) for ids, said in encoded), key=lambda row: len(row[0]))
    packed: list[list[tuple[list[int], list[bool]]]] = [[]]
    for row in rows:
        if packed[-1] and len(row[0]) * (len(packed[-1]) + 1) > tokens:
            packed.append([])
        packed[-1].append(row)
    return packed


def _padded(rows: list[tuple[list[int], list[bool]]]) -> Batch:
    longest = max(len(ids) for ids, _ in rows)
    ids = torch.zeros(len(rows), longest, dtype=torch.long)
    is_answer = torch.full((len(rows), longest), -1, dtype=torch.long)
    for row, (tokens, said) in enumerate(rows):
        ids[row, : len(tokens)] = torch.tensor(tokens)
        is_answer[row, : len(tokens)] = torch.tensor(said, dtype=torch.long)
    return ids, is_answer
