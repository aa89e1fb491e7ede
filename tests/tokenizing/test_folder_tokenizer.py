"""A folder's tokenizer is read without its model, as an engine reads it, and by one thread at a time."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from app.prompting.codec import Codec
from app.prompting.problems import ModelError
from app.prompting.steps import finish
from app.tokenizing.folder_tokenizer import FolderTokenizer, read_tokenizer

GUIDE = Path(__file__).parents[2] / "resources" / "models" / "guide"


def read(folder: Path) -> FolderTokenizer:
    return finish(read_tokenizer(folder))


def test_it_has_what_prompts_need() -> None:
    found = read(GUIDE)
    codec = Codec(found, found.get_chat_template())
    text = "Say <|end|>, \U0001f98a!"
    assert codec.decode(codec.plain(text)) == text
    assert codec.special_ids.isdisjoint(codec.plain(text))
    assert not codec.special_ids.isdisjoint(codec.markup(text))
    assert (codec.rows, codec.stop_ids) == (found.rows, {found.get_vocab()["<|end|>"]})


def test_what_ends_an_answer_is_named_by_any_of_its_settings(tmp_path: Path) -> None:
    folder = tmp_path / "guide"
    shutil.copytree(GUIDE, folder)
    (folder / "generation_config.json").write_text(json.dumps({"eos_token_id": [5, True, "x", 7]}), encoding="utf-8")
    assert read(folder).eos_token_ids >= {5, 7}
    (folder / "generation_config.json").write_text("[", encoding="utf-8")
    assert 5 not in read(folder).eos_token_ids


def test_settings_of_its_model_that_break_the_library_are_left_out(tmp_path: Path) -> None:
    folder = tmp_path / "guide"
    shutil.copytree(GUIDE, folder)
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    (folder / "config.json").write_text(json.dumps({**config, "num_hidden_layers": "many"}), encoding="utf-8")
    assert read(folder).rows == read(GUIDE).rows


@pytest.mark.parametrize("name", ["\0", "x" * 5000, "no such folder"])
def test_a_folder_that_is_not_there_costs_a_sentence(tmp_path: Path, name: str) -> None:
    with pytest.raises(ModelError):
        read(tmp_path / name)


def test_it_is_used_on_several_threads() -> None:
    """Its library notes in one place how it is to encode: as plain text, or with control tokens."""
    found, failed = read(GUIDE), list[BaseException]()
    end = found.get_vocab()["<|end|>"]

    def work(number: int) -> None:
        try:
            for at in range(500):
                text, is_plain = f"{number} words {at} <|end|>", (number + at) % 2 == 0
                ids = found.encode(text, add_special_tokens=False, split_special_tokens=is_plain)
                assert (end in ids) != is_plain
                assert found.decode(ids, skip_special_tokens=False, clean_up_tokenization_spaces=False) == text
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed


def test_it_brings_no_mlx() -> None:
    lines = (
        "import sys; from pathlib import Path; from app.prompting.steps import finish",
        "from app.tokenizing.folder_tokenizer import read_tokenizer; import app.remote.engine",
        f"finish(read_tokenizer(Path({str(GUIDE)!r})))",
        "sys.exit(any(name.split('.')[0] in ('mlx', 'mlx_lm') for name in sys.modules))",
    )
    assert subprocess.run([sys.executable, "-c", "\n".join(lines)], cwd=GUIDE.parents[2], check=False).returncode == 0
