"""Scenario 22: nothing is shown of a character before all of its bytes are there."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from app.prompting.codec import Codec
from app.prompting.detokenizer import Detokenizer, text_ends
from tests.fakes.tiny_tokenizer import byte_level, sentence_piece
from tests.prompting.codecs import codec_of
from tests.seeds import each_seed


@pytest.fixture(scope="module")
def codec(tmp_path_factory: pytest.TempPathFactory) -> Codec:
    return codec_of(tmp_path_factory.mktemp("tokenizer"), byte_level())


def single_bytes(text: str) -> list[int]:
    """One token for each byte."""
    vocabulary = byte_level().get_vocab()
    return [vocabulary[piece] for piece in byte_level().encode(text).tokens for piece in piece]


@pytest.mark.parametrize("character", ["こ", "😀", "é"])
def test_a_split_character_appears_once_and_whole(codec: Codec, character: str) -> None:
    detokenizer = Detokenizer(codec)
    ids = single_bytes(character)
    assert len(ids) == len(character.encode())
    assert [detokenizer.add(token) for token in ids] == [""] * (len(ids) - 1) + [character]
    assert detokenizer.length == len(character)


def test_bytes_that_can_become_no_character_are_not_waited_for(codec: Codec) -> None:
    vocabulary = byte_level().get_vocab()
    stray = byte_level().encode("こ").tokens[-1][-1]
    detokenizer = Detokenizer(codec)
    said = [detokenizer.add(vocabulary[stray]) for _ in range(10)]
    assert "".join(said) == "\ufffd" * detokenizer.length == "\ufffd" * 7
    assert detokenizer.add(vocabulary["a"]) == "\ufffd" * 3 + "a"


@each_seed(range(20))
def test_streaming_says_what_decoding_says(codec: Codec, seed: int) -> None:
    dice = random.Random(seed)
    ids = [dice.randrange(byte_level().get_vocab_size()) for _ in range(200)]
    ids += single_bytes("!")
    text, ends = text_ends(codec, ids)
    assert text == codec.decode(ids)
    assert ends == sorted(ends)
    assert ends[-1] == len(text)


def test_half_a_character_at_the_end_stays_unsaid(codec: Codec) -> None:
    text, ends = text_ends(codec, [*single_bytes("ab"), *single_bytes("😀")[:3]])
    assert (text, ends) == ("ab", [1, 2, 2, 2, 2])


def test_a_context_decides_how_the_first_token_reads(tmp_path: Path) -> None:
    """SentencePiece tokenizers leave out the first space of a text, and of a text only."""
    codec = codec_of(tmp_path, sentence_piece())
    ids = codec.plain("the fox")
    assert text_ends(codec, ids)[0] == "the fox"
    assert text_ends(codec, ids, codec.markup("<|user|>"))[0] == " the fox"
