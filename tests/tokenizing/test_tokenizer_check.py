"""A tokenizer that would end the process is refused before it is loaded, and every one that models have is not."""

from __future__ import annotations

import base64
import json
import shutil
import struct
from pathlib import Path
from typing import Any

import pytest
from tokenizers import Regex, Tokenizer, decoders, normalizers

from app.engine.model import LoadedModel
from app.prompting.problems import ModelError
from app.protocol.events import ModelFailed
from app.tokenizing.tokenizer_check import check_tokenizer
from tests.engine.bench import opened_folder
from tests.engine.conftest import GUIDE
from tests.fakes.tiny_tokenizer import byte_level, sentence_piece


def replacing(pattern: dict[str, str], content: str, times: int = 1) -> list[dict[str, Any]]:
    return [{"type": "Replace", "pattern": pattern, "content": content}] * times


def sequence(name: str, *steps: dict[str, Any]) -> dict[str, Any]:
    return {"type": "Sequence", name: list(steps)}


def charsmap(*texts: bytes) -> str:
    trie = b"\1\2\3\4" * 8
    return base64.b64encode(struct.pack("<I", len(trie)) + trie + b"\0".join(texts) + b"\0").decode()


PIECE = {"Sequence": {"id": "A", "type_id": 0}}
HOSTILE: dict[str, tuple[dict[str, Any], str]] = {
    "a text a thousand times longer, four times over": (
        {"normalizer": sequence("normalizers", *replacing({"String": "q"}, "q" * 200, 4))},
        "times longer",
    ),
    "a text twice as long, forty times over": (
        {"normalizer": sequence("normalizers", *replacing({"String": "q"}, "qq", 40))},
        "times longer",
    ),
    "within sequences within sequences": (
        {"normalizer": sequence("normalizers", *[sequence("normalizers", *replacing({"String": "q"}, "qqqq"))] * 7)},
        "times longer",
    ),
    "between any two characters": (
        {"normalizer": sequence("normalizers", *replacing({"Regex": ""}, "q", 13))},
        "times longer",
    ),
    "an empty text": ({"normalizer": sequence("normalizers", *replacing({"String": ""}, "qqq", 7))}, "times longer"),
    "an answer that grows": (
        {"decoder": sequence("decoders", *replacing({"String": "e"}, "e" * 200, 4))},
        "times longer",
    ),
    "tables that grow": (
        {"normalizer": sequence("normalizers", {"precompiled_charsmap": charsmap(b"ab", b"x" * 5000)})},
        "times longer",
    ),
    "a long text before each": ({"normalizer": {"type": "Prepend", "prepend": "a" * 100_000}}, "prepend of"),
    "a hundred steps": ({"normalizer": sequence("normalizers", *[{"type": "NFC"}] * 100)}, "64 steps"),
    "a long expression": (
        {"pre_tokenizer": {"type": "Split", "pattern": {"Regex": "(a|b)" * 10_000}, "behavior": "Isolated"}},
        "expression of",
    ),
    "a prompt a hundred thousand times": (
        {"post_processor": {"type": "TemplateProcessing", "single": [PIECE] * 100_000, "special_tokens": {}}},
        "repeats texts",
    ),
    "a prompt ten times, six times over": (
        {"post_processor": sequence("processors", *[{"type": "TemplateProcessing", "single": [PIECE] * 10}] * 6)},
        "repeats texts",
    ),
    "a mark of a million tokens": (
        {"post_processor": {"single": [PIECE], "special_tokens": {"x": {"ids": [1] * 1000}}}},
        "repeats texts",
    ),
    "a long added token": ({"added_tokens": [{"id": 5, "content": "z" * 10_000_000}]}, "a token of"),
    "a long token": ({"model": {"vocab": {"a": 1, "z" * 20_000: 2}}}, "a token of"),
    "a long piece": ({"model": {"vocab": [["a", -1.0], ["z" * 20_000, -2.0]]}}, "a token of"),
}


@pytest.mark.parametrize("way", HOSTILE)
def test_a_tokenizer_that_asks_for_too_much_is_refused(way: str, tiny_folder: Path, tmp_path: Path) -> None:
    changes, words = HOSTILE[way]
    folder = Path(shutil.copytree(tiny_folder, tmp_path / "m"))
    file = folder / "tokenizer.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), **changes}))
    failed = opened_folder(folder)
    assert isinstance(failed, ModelFailed)
    assert words in failed.problem.sentence


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("tokenizer_config.json", {"added_tokens_decoder": {"5": {"content": "z" * 20_000}}}),
        ("tokenizer_config.json", {"extra_special_tokens": ["z" * 20_000]}),
        ("tokenizer_config.json", {"bos_token": {"content": "z" * 20_000}}),
        ("added_tokens.json", {"z" * 20_000: 5}),
        ("special_tokens_map.json", {"eos_token": "z" * 20_000}),
        ("vocab.json", {"z" * 20_000: 5}),
    ],
)
def test_a_token_without_end_is_refused_wherever_it_stands(
    name: str, content: dict[str, Any], tiny_folder: Path, tmp_path: Path
) -> None:
    folder = Path(shutil.copytree(tiny_folder, tmp_path / "m"))
    (folder / name).write_text(json.dumps(content))
    failed = opened_folder(folder)
    assert isinstance(failed, ModelFailed)
    assert failed.problem.sentence.startswith(f"{name} asks for")


def test_a_long_template_is_no_token(tiny_folder: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(tiny_folder, tmp_path / "m"))
    file = folder / "tokenizer_config.json"
    settings = json.loads(file.read_text())
    settings["chat_template"] += "{# " + "a comment " * 5_000 + "#}"
    file.write_text(json.dumps(settings))
    assert isinstance(opened_folder(folder), LoadedModel)
    settings["chat_template"] = [{"name": "default", "template": settings["chat_template"]}]
    file.write_text(json.dumps(settings))
    assert isinstance(opened_folder(folder), LoadedModel)


def test_what_tokenizers_do_is_let_through() -> None:
    usual = [
        byte_level(),
        sentence_piece(),
        Tokenizer.from_file(str(GUIDE / "tokenizer.json")),
    ]
    busy = sentence_piece()
    busy.normalizer = normalizers.Sequence(
        [
            *(normalizers.Replace(*pair) for pair in (("``", '"'), ("''", '"'), ("\u2026", "..."), (" ", "\u2581"))),
            *(normalizers.NFKD(), normalizers.Lowercase(), normalizers.StripAccents(), normalizers.Prepend("\u2581")),
            normalizers.Replace(pattern=Regex(" {2,}"), content=" "),
        ]
    )
    busy.decoder = decoders.Sequence([decoders.Replace("\u2581", " "), decoders.ByteFallback(), decoders.Fuse()])
    for tokenizer in (*usual, busy):
        check_tokenizer(json.loads(tokenizer.to_str()))
    check_tokenizer({"normalizer": {"precompiled_charsmap": charsmap(b"x" * 33)}})


@pytest.mark.parametrize("odd", [None, [], 7, "x", {"a": {}}])
def test_what_makes_no_sense_is_left_to_whoever_reads_it(odd: Any) -> None:
    check_tokenizer(odd)
    for name in ("normalizer", "pre_tokenizer", "post_processor", "decoder", "model", "added_tokens"):
        check_tokenizer({name: odd})
        check_tokenizer({name: {"normalizers": odd, "pattern": odd, "content": odd, "single": odd, "vocab": odd}})
        check_tokenizer({name: {"special_tokens": {"x": odd, "y": {"ids": odd}}, "precompiled_charsmap": "%%%"}})
    check_tokenizer({"model": {"vocab": [odd, [odd]]}, "added_tokens": [odd, {"content": odd}]})


def test_every_refusal_is_a_sentence() -> None:
    for changes, words in HOSTILE.values():
        with pytest.raises(ModelError, match=words):
            check_tokenizer(changes)
