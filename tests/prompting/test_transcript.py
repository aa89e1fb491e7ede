"""Models without a template are asked a transcript, which repeats every answer as it was generated."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest
from tokenizers import Tokenizer

from app.protocol.chat import Turn
from tests.engine.adversary import Talk
from tests.engine.bench import user
from tests.fakes.tiny_tokenizer import byte_level, sentence_piece
from tests.prompting.codecs import builder_of
from tests.seeds import chosen

# As models begin and end an answer after "Assistant:".
ANSWERS = [" Press {}.", "Press {}.", "  Press {}.", "\n\nPress {}.\n", "\tPress {}. ", " Press {}.\n\n", " {} 😀"]
QUESTION = "And the other fox?"
TOKENIZERS = [pytest.param(byte_level, id="byte level"), pytest.param(sentence_piece, id="sentence piece")]


@pytest.mark.parametrize("has_rows_only", [True, False], ids=["rows", "states"])
@pytest.mark.parametrize("tokenizer", TOKENIZERS)
def test_an_answer_is_asked_on_from_its_last_token(
    tmp_path: Path, tokenizer: Callable[[], Tokenizer], has_rows_only: bool
) -> None:
    talk = Talk(tmp_path / "m", None, has_rows_only, tokenizer())
    codec = talk.loaded.codec
    most = len(codec.plain(f"\n\nUser: {QUESTION}\n\nAssistant:")) + 2
    for seed in chosen(range(15)):
        dice = random.Random(seed)
        turns = [user(f"{seed}: {' fox' * dice.randrange(20)}")]
        for _ in range(3):
            asked = talk.ask(turns, dice.choice(ANSWERS).format("the fox " * dice.randrange(1, 30)), dice)
            if not asked.text.strip():
                break
            fed = talk.fed()
            turns += [Turn("assistant", asked.text, asked.ids), user(QUESTION)]
            following = talk.loaded.prompts.build(turns).ids
            report = talk.cache.price(following)
            assert (list(following[: len(fed)]), report.cached) == (fed, len(fed)), (seed, asked.text)
            assert report.left <= most
            assert report.excess == 0


@pytest.mark.parametrize("tokenizer", TOKENIZERS)
def test_it_says_who_said_what(tmp_path: Path, tokenizer: Callable[[], Tokenizer]) -> None:
    builder = builder_of(tmp_path, None, tokenizer())
    turns = (Turn("system", "Be brief."), user("Hi"), Turn("assistant", " Yes"), user("\nSo?"))
    text = "System: Be brief.\n\nUser: Hi\n\nAssistant: Yes\n\nUser:\nSo?\n\nAssistant:"
    assert builder.codec.decode(builder.build(turns).ids) == text
