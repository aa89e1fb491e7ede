"""No file of a model folder can stop or fill the process that reads it."""

from __future__ import annotations

import json
import os
import socket
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from app.prompting.problems import ModelError
from app.tokenizing import model_files
from app.tokenizing.model_files import check_files, read_bytes, read_json
from tests.engine.bench import opened_folder
from tests.fakes.model_folder import write_model_folder

NAMES = (
    "config.json",
    "generation_config.json",
    "tokenizer.json",
    "tokenizer_config.json",
    "tokenizer.model",
    "chat_template.json",
    "chat_template.jinja",
    "additional_chat_templates/tools.jinja",
    "special_tokens_map.json",
    "added_tokens.json",
    "vocab.json",
    "merges.txt",
    "model.safetensors.index.json",
    "model-00002-of-00002.safetensors",
    "hf_quant_config.json",
    "spiece.model",
    "emoji.json",
)


def a_socket(path: Path) -> None:
    """Bind one by a short name: addresses of sockets are short."""
    here = Path.cwd()
    os.chdir(path.parent)
    try:
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(path.name)
    finally:
        os.chdir(here)


def a_device(path: Path) -> None:
    path.symlink_to("/dev/zero")


NO_FILES: dict[str, Callable[[Path], object]] = {
    "pipe": os.mkfifo,
    "folder": Path.mkdir,
    "socket": a_socket,
    "device": a_device,
}


@pytest.mark.parametrize("kind", NO_FILES)
def test_what_is_no_file_is_refused_in_the_place_of_any(tmp_path: Path, kind: str) -> None:
    for at, name in enumerate(NAMES):
        path = tmp_path / str(at) / name
        path.parent.mkdir(parents=True)
        NO_FILES[kind](path)
        with pytest.raises(ModelError, match="not a regular file"):
            check_files(tmp_path / str(at))
        with pytest.raises(ModelError, match="not a regular file"):
            read_bytes(path)


@pytest.mark.parametrize("kind", ["pipe", "socket", "device"])
def test_it_is_refused_by_any_other_name_too(tmp_path: Path, kind: str) -> None:
    NO_FILES[kind](tmp_path / "bpe.codes")
    with pytest.raises(ModelError, match="not a regular file"):
        check_files(tmp_path)


def test_links_to_files_folders_and_broken_links_are_nothing_wrong(tmp_path: Path) -> None:
    blob = tmp_path / "blobs" / "0123"
    blob.parent.mkdir()
    blob.write_bytes(b"{}")
    folder = tmp_path / "snapshot"
    (folder / "onnx").mkdir(parents=True)
    (folder / "config.json").symlink_to(blob)
    (folder / "notes.txt").symlink_to(tmp_path / "gone")
    check_files(folder)
    assert read_json(folder / "config.json") == {}


@pytest.mark.parametrize("name", [name for name in NAMES if "safetensors" not in name or "index" in name])
def test_a_file_of_gigabytes_is_refused_unread(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    with path.open("wb") as file:
        file.truncate(3 << 30)  # holes: takes no room
    with pytest.raises(ModelError, match=r"is of 3\.2\sGB"):
        check_files(tmp_path)
    with pytest.raises(ModelError, match="more than any model has"):
        read_bytes(path)


def test_many_files_that_are_large_together_are_refused(tmp_path: Path) -> None:
    for at in range(8):
        with (tmp_path / f"{at}.json").open("wb") as file:
            file.truncate(100 << 20)
    with pytest.raises(ModelError, match="more than any model has"):
        check_files(tmp_path)


def test_a_folder_of_very_many_files_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model_files, "_MOST_ENTRIES", 5)
    for at in range(6):
        (tmp_path / f"{at}.png").touch()
    with pytest.raises(ModelError, match="more than 5 files"):
        check_files(tmp_path)


@pytest.mark.parametrize(
    "data",
    [
        b"[" * 100_000 + b"]" * 100_000,
        b"[" * 100_000,
        b'{"a":' * 100_000 + b"1" + b"}" * 100_000,
        b"[" * 65 + b"]" * 65,
        b"[{}" + b",[]" * 4_000_000 + b"]",
        b"[0" + b",0" * 9_000_000 + b"]",
    ],
    ids=["nested", "never closed", "objects", "just too deep", "many lists", "many numbers"],
)
def test_json_that_would_fill_the_memory_is_not_parsed(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "config.json").write_bytes(data)
    with pytest.raises(ModelError, match=r"nested too deeply, or holds too many|more than any model"):
        read_json(tmp_path / "config.json")
    (tmp_path / "config.json").rename(tmp_path / "special_tokens_map.json")
    with pytest.raises(ModelError, match=r"nested too deeply, or holds too many|more than any model"):
        check_files(tmp_path)


def test_every_file_that_is_opened_is_one_whose_size_was_looked_at(tmp_path: Path) -> None:
    """Whichever library opens it, and whichever class the tokenizer says it is of."""
    names = {"GPTNeoXJapaneseTokenizer", "LlamaTokenizer", "Qwen2Tokenizer", "XLNetTokenizer", "BertTokenizer"}
    folder = write_model_folder(tmp_path / "m")
    for name in NAMES:
        (folder / name).parent.mkdir(exist_ok=True)
        if "safetensors" not in name and not (folder / name).exists():
            (folder / name).write_text("{}" if name.endswith(".json") else "")
    seen: set[str] = set()
    is_heard = [True]

    def hear(event: str, arguments: tuple[object, ...]) -> None:
        if is_heard and event == "open" and str(arguments[0]).startswith(str(folder)):
            seen.add(Path(str(arguments[0])).name)

    sys.addaudithook(hear)
    for name in sorted(names):
        settings = {"tokenizer_class": name, "eos_token": "<|end|>"}
        (folder / "tokenizer_config.json").write_text(json.dumps(settings))
        opened_folder(folder)
    is_heard.clear()
    assert {"config.json", "tokenizer_config.json", "special_tokens_map.json", "model.safetensors"} <= seen
    assert {name for name in seen if model_files._largest(name) is None} == {"model.safetensors"}
