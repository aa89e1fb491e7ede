"""Opening a model: what is known of it afterwards, and what it says while it opens."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import mlx.core as mx
import pytest

from app.engine import loader
from app.engine.fingerprint import fingerprint
from app.engine.folder import check_folder
from app.engine.memory import GIB, Memory
from app.engine.model import LoadedModel
from app.models.description import describe_folder
from app.models.entry import Source
from app.models.names import model_name
from app.prompting.problems import ModelError
from app.protocol.events import ModelFailed, ModelLoading, ModelReady
from app.protocol.figures import size
from tests.engine.bench import Bench, opened_folder, user
from tests.engine.conftest import GUIDE
from tests.fakes.model_folder import write_model_folder


def fingerprint_of(path: Path) -> str:
    return fingerprint(check_folder(path))


def test_the_guide_model_is_described() -> None:
    ready = Bench().open(GUIDE)
    assert isinstance(ready, ModelReady)
    info = ready.info
    assert info.context_length == json.loads((GUIDE / "config.json").read_text())["max_position_embeddings"]
    assert dict(info.layers).keys() == {"KVCache", "ArraysCache"}
    assert info.is_reusable
    assert info.weight_bytes > 1_000_000
    assert "MB" in info.detail
    assert info.note == ""


def test_the_list_of_models_says_of_a_model_what_is_said_of_it_when_it_is_open(
    tiny_folder: Path, mixed_folder: Path
) -> None:
    for folder in (tiny_folder, mixed_folder, GUIDE):
        ready = Bench().open(folder)
        assert isinstance(ready, ModelReady)
        entry = describe_folder(folder, Source.ADDED, folder.parent)
        assert entry.weight_bytes == ready.info.weight_bytes == check_folder(folder).weight_bytes
        assert size(entry.weight_bytes) in ready.info.detail


def test_loading_is_told_in_steps(tiny_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loader, "_STEP_BYTES", 1 << 14)
    bench = Bench()
    bench.open(tiny_folder)
    loading = [event for event in bench.events if isinstance(event, ModelLoading)]
    fractions = [event.fraction for event in loading if event.fraction is not None]
    assert len(fractions) > 3
    assert fractions == sorted(fractions)
    assert fractions[-1] == 1.0
    assert all(event.stage and event.path == str(tiny_folder) for event in loading)


def test_a_model_too_large_for_the_machine_is_refused_before_it_is_read(tiny_folder: Path) -> None:
    active = mx.get_active_memory()
    failed = opened_folder(tiny_folder, Memory(GIB, GIB // 4 + 1000))
    assert isinstance(failed, ModelFailed)
    assert "this machine can give them" in failed.problem.sentence
    assert mx.get_active_memory() == active


def test_all_named_end_tokens_end_an_answer(tiny_folder: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(tiny_folder, tmp_path / "m"))
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, "eos_token_id": 7}))
    (folder / "generation_config.json").write_text(json.dumps({"eos_token_id": [8, 9]}))
    model = opened_folder(folder)
    assert isinstance(model, LoadedModel)
    assert {7, 8, 9} <= model.codec.stop_ids
    assert model.codec.markup("<|end|>")[0] in model.codec.stop_ids


def test_a_model_is_called_as_its_folder_and_in_the_hubs_cache_as_its_repository(
    tiny_folder: Path, tmp_path: Path
) -> None:
    snapshot = tmp_path / "models--mlx-community--Tiny-4bit" / "snapshots" / "0123abcd"
    for folder, name in ((tmp_path / "My Model", "My Model"), (snapshot, "Tiny-4bit")):
        shutil.copytree(tiny_folder, folder)
        ready = Bench().open(folder)
        assert isinstance(ready, ModelReady)
        assert ready.info.name == name == model_name(str(folder)), "as in the list"


def test_a_fingerprint_stays_with_a_copy_and_changes_with_the_content(tiny_folder: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(tiny_folder, tmp_path / "elsewhere"))
    original = fingerprint_of(tiny_folder)
    assert fingerprint_of(folder) == original
    weights = folder / "model.safetensors"
    data = bytearray(weights.read_bytes())
    data[-1] ^= 1
    weights.write_bytes(data)
    seen = {original, fingerprint_of(folder)}
    for name in ("tokenizer.json", "tokenizer_config.json", "config.json"):
        with (folder / name).open("a") as file:
            file.write("\n")
        seen.add(fingerprint_of(folder))
    (folder / "chat_template.jinja").write_text("{{ messages[0].content }}")
    seen.add(fingerprint_of(folder))
    assert len(seen) == 6


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_a_folder_that_may_not_be_read_gets_a_sentence(tiny_folder: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(tiny_folder, tmp_path / "locked"))
    (folder / "model.safetensors").chmod(0)
    with pytest.raises(ModelError, match="permissions"):
        check_folder(folder)


@pytest.mark.parametrize(
    "broken",
    [
        {"rope_parameters": {"rope_type": "nope"}, "initializer_range": "small"},
        {"attention_dropout": "none"},
        {"pad_token_id": "x", "max_position_embeddings": None, "bos_token_id": [1]},
        {"torch_dtype": 7, "use_cache": "yes"},
    ],
    ids=str,
)
def test_what_transformers_refuses_of_a_configuration_keeps_no_model_from_opening(
    tiny_folder: Path, tmp_path: Path, broken: dict[str, object]
) -> None:
    """The tokenizer is the one that is read beside a configuration which it accepts."""
    folder = Path(shutil.copytree(tiny_folder, tmp_path / "m"))
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, **broken}))
    model, usual = opened_folder(folder), opened_folder(tiny_folder)
    assert isinstance(model, LoadedModel)
    assert isinstance(usual, LoadedModel)
    turns = (user("What is <|end|> to a fox?"),)
    assert model.prompts.build(turns).ids == usual.prompts.build(turns).ids
    assert model.codec.stop_ids == usual.codec.stop_ids


def test_a_model_without_a_template_says_so_and_answers(tmp_path: Path) -> None:
    bench = Bench()
    ready = bench.open(write_model_folder(tmp_path / "plain", template=None))
    assert isinstance(ready, ModelReady)
    assert "no chat template" in ready.info.note
    assert bench.ask(user("hi"), max_tokens=3).finished.ids
