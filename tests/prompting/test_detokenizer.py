"""Scenario 22: nothing is shown of a character before all of its bytes are there."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from tokenizers import Tokenizer

from app.prompting.codec import Codec
from app.prompting.detokenizer import Detokenizer, text_ends
from tests.fakes.tiny_tokenizer import byte_level, sentence_piece
from tests.prompting.codecs import codec_of
from tests.seeds import chosen, each_seed


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


def bytes_of(codec: Codec) -> list[int]:
    """The tokens that are a part of a character, or a single byte."""
    return [token for token in range(codec.rows) if "\ufffd" in codec.decode([token])]


@pytest.mark.parametrize("make", [byte_level, sentence_piece])
def test_a_token_costs_the_same_however_long_nothing_becomes_complete(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, make: Callable[[], Tokenizer]
) -> None:
    codec = codec_of(tmp_path, make())
    decoded: list[int] = []
    decode = codec.decode

    def counting(ids: Sequence[int]) -> str:
        decoded.append(len(ids))
        return decode(ids)

    monkeypatch.setattr(codec, "decode", counting)
    for stray in bytes_of(codec)[::20]:
        decoded.clear()
        text_ends(codec, [stray] * 1000)
        assert sum(decoded) < 40 * 1000, decode([stray])


@pytest.mark.parametrize("make", [byte_level, sentence_piece])
def test_what_is_forgotten_of_a_long_wait_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, make: Callable[[], Tokenizer]
) -> None:
    """Single bytes at random, whole characters among them: as if each were decoded after all before it."""
    codec = codec_of(tmp_path, make())
    strays = bytes_of(codec)
    whole = [codec.plain(text, after=0)[-len(text.encode()) :] for text in ("こ", "😀", "é", "fox", " ")]
    for seed in chosen(range(60)):
        dice = random.Random(seed)
        rare, possible = dice.choice([0.02, 0.1, 0.5, 0.9]), dice.choice([whole, whole[:3]])
        ids: list[int] = []
        while len(ids) < 300:
            ids += dice.choice(possible) if dice.random() < rare else [dice.choice(strays)]
        said = text_ends(codec, ids)
        with monkeypatch.context() as patch:
            patch.setattr("app.prompting.detokenizer._LONGEST_WINDOW", len(ids))
            assert text_ends(codec, ids) == said, f"seed {seed}"


def test_half_a_character_at_the_end_stays_unsaid(codec: Codec) -> None:
    text, ends = text_ends(codec, [*single_bytes("ab"), *single_bytes("😀")[:3]])
    assert (text, ends) == ("ab", [1, 2, 2, 2, 2])


def test_a_context_decides_how_the_first_token_reads(tmp_path: Path) -> None:
    """SentencePiece tokenizers leave out the first space of a text, and of a text only."""
    codec = codec_of(tmp_path, sentence_piece())
    ids = codec.plain("the fox")
    assert text_ends(codec, ids)[0] == "the fox"
    assert text_ends(codec, ids, codec.markup("<|user|>"))[0] == " the fox"
