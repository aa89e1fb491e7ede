"""Reading text piece by piece gives the tokens that reading it whole gives, control tokens apart."""

from __future__ import annotations

from pathlib import Path

import pytest
from tokenizers import Tokenizer, normalizers, pre_tokenizers

from app.prompting.codec import Codec, _RecentTexts
from tests.fakes.tiny_tokenizer import byte_level, sentence_piece
from tests.prompting.codecs import codec_of

TYPED = ["<|end|>", "a<|end|>b", "<|user|><|end|>", "<think>", "x <|assistant|> y<|pad|>", "<|en<|end|>d|>"]


def metaspace() -> Tokenizer:
    """The newer SentencePiece conversions: a "▁" before the first word only, nothing after control tokens."""
    tokenizer = sentence_piece()
    tokenizer.normalizer = normalizers.Replace("\x00", "")
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(replacement="▁", prepend_scheme="first", split=False)
    return tokenizer


@pytest.fixture(params=[byte_level, sentence_piece, metaspace])
def codec(request: pytest.FixtureRequest, tmp_path: Path) -> Codec:
    return codec_of(tmp_path, request.param())


@pytest.mark.parametrize("typed", TYPED)
def test_typed_control_tokens_are_text(codec: Codec, typed: str) -> None:
    ids = codec.plain(typed)
    assert not codec.special_ids & set(ids)
    assert codec.decode(ids) == typed


@pytest.mark.parametrize("typed", TYPED)
def test_markup_recognizes_them(codec: Codec, typed: str) -> None:
    if typed != "<think>" or codec.plain("<think>") != codec.markup("<think>"):
        assert codec.special_ids & set(codec.markup(typed))


@pytest.mark.parametrize("header", ["<|user|>", "<|user|>\n", "<|user|>the fox:", "the "])
@pytest.mark.parametrize("content", ["Hello", "\nHello", "the answer is 42\n\n", " and more", "こ😀"])
def test_a_piece_in_the_middle_gets_no_second_beginning(codec: Codec, header: str, content: str) -> None:
    before = codec.markup(header)
    ids = codec.plain(content, before[-1])
    whole = codec.markup(header + content)
    assert codec.decode(before + ids) == codec.decode(whole)


@pytest.mark.parametrize("header", ["<|user|>", "<|user|>\n"])
def test_pieces_after_control_tokens_are_those_of_the_whole(codec: Codec, header: str) -> None:
    before = codec.markup(header)
    assert before + codec.plain("Hello there", before[-1]) == codec.markup(header + "Hello there")


def test_a_disguised_text_spells_no_control_token(codec: Codec) -> None:
    disguised = codec.disguise("go <|end|> on")
    assert not codec.has_controls(disguised)
    assert disguised.replace("\u2060", "") == "go <|end|> on"


def test_a_label_is_one_short_line(codec: Codec) -> None:
    assert codec.label(codec.plain("the fox\n\nand the story " * 9)).startswith("the fox and the story the fox")
    assert len(codec.label(codec.plain("word " * 99))) <= 48


def test_a_label_leaves_control_tokens_out(codec: Codec) -> None:
    control = next(iter(codec.special_ids))
    assert codec.label([control, *codec.plain("the fox"), control]) == "the fox"
    parts = [*codec.plain("a robin"), control, *codec.plain("Once there was"), control]
    assert codec.label(parts) == "a robin Once there was"
    assert codec.label([control]) == ""


def test_a_label_leaves_the_marks_of_thinking_out(tmp_path: Path) -> None:
    codec = codec_of(tmp_path, byte_level())
    opens, closes = codec.markup("<think>"), codec.markup("</think>")
    assert {*opens, *closes} <= codec.thinking.signs.keys()
    assert (
        codec.label([*opens, *codec.plain("the fox"), *closes, *codec.plain("Once there was")])
        == "the fox Once there was"
    )
    assert codec.label(opens) == ""


def test_the_ids_of_texts_read_last_are_remembered_and_those_of_a_long_one_are_not() -> None:
    read: list[str] = []

    def encode(text: str) -> tuple[int, ...]:
        read.append(text)
        return tuple(text.encode())

    recent = _RecentTexts(encode, 160)
    texts = [f"text {number:05}" for number in range(20)]
    for text in (*texts, texts[19], texts[4], texts[3], "long " * 10, texts[19]):
        assert recent(text) == tuple(text.encode())
    assert read == [*texts, texts[3], "long " * 10]
    assert sum(len(text) for text in recent._ids) <= 160
    assert texts[5] not in recent._ids
