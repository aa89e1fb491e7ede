"""Every way in which a model folder can be wrong gets a sentence, and nothing in it is ever run."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from app.engine.folder import architecture, check_folder
from app.prompting.problems import ModelError
from app.protocol.events import ModelFailed, ModelReady
from tests.engine.bench import Bench


@pytest.fixture
def folder(tiny_folder: Path, tmp_path: Path) -> Path:
    """A good folder of the test's own, to be spoilt."""
    return Path(shutil.copytree(tiny_folder, tmp_path / "spoilt"))


def set_config(folder: Path, **changes: Any) -> None:
    file = folder / "config.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), **changes}))


def write(name: str, content: bytes) -> Callable[[Path], object]:
    return lambda folder: (folder / name).write_bytes(content)


def drop(name: str) -> Callable[[Path], object]:
    return lambda folder: (folder / name).unlink()


def cut(name: str, length: int) -> Callable[[Path], object]:
    return lambda folder: os.truncate(folder / name, length)


def only_pickles(folder: Path) -> None:
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")


def missing_shard(folder: Path) -> None:
    index = {"weight_map": {"a": "model.safetensors", "b": "model-00002-of-00002.safetensors"}}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))


def outside_shard(folder: Path) -> None:
    index = {"weight_map": {"a": "model.safetensors", "b": "../b.safetensors", "c": "/etc/passwd"}}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))


SPOILT: dict[str, tuple[Callable[[Path], object], str]] = {
    "no configuration": (drop("config.json"), "has no config.json"),
    "configuration not JSON": (write("config.json", b"{ nope"), "config.json is not valid JSON"),
    "configuration not text": (write("config.json", b"\xff\xfe\x00"), "config.json is not valid JSON"),
    "configuration a list": (write("config.json", b"[1]"), "does not say which type"),
    "no model type": (write("config.json", b"{}"), "does not say which type"),
    "type that wants another package": (lambda f: set_config(f, model_type="olmo"), "only with a package"),
    "unknown type": (lambda f: set_config(f, model_type="mammoth9"), "no model of type “mammoth9”"),
    "type that is a path": (lambda f: set_config(f, model_type="..utils"), "no model of type"),
    "module without a model": (lambda f: set_config(f, model_type="cache"), "no model of type “cache”"),
    **{
        f"architectures {odd!r}": (lambda f, odd=odd: set_config(f, architectures=odd), "that are not names")
        for odd in ([1, 2], {"a": 1}, 7, [["Llama"]], [None], True, ["Llama", {}])
    },
    "settings that are a list": (write("generation_config.json", b"[1]"), "generation_config.json holds no settings"),
    "settings that are no text": (write("generation_config.json", b"\xff\xfe"), "generation_config.json holds no"),
    "index that names a file outside": (outside_shard, "outside of the folder, "),
    "own code": (lambda f: set_config(f, model_file="evil.py"), "never runs code"),
    "no weights": (drop("model.safetensors"), "has no model*.safetensors"),
    "only pickles": (only_pickles, "Python pickles"),
    "other format": (lambda f: (f / "model.safetensors").rename(f / "model.gguf"), "GGUF"),
    "missing shard": (missing_shard, "model-00002-of-00002.safetensors"),
    "empty weights": (cut("model.safetensors", 0), "cut short"),
    "weights cut in the prefix": (cut("model.safetensors", 5), "not a safetensors file"),
    "weights cut in the header": (cut("model.safetensors", 100), "cut short"),
    "weights cut in the data": (cut("model.safetensors", 60_000), "cut short"),
    "weights of something else": (write("model.safetensors", b"\x20" + b"\0" * 7 + b"x" * 64), "not a safetensors"),
    "weights that are no header": (write("model.safetensors", b"PK\x03\x04" + b"\xff" * 64), "not a safetensors"),
    "no tokenizer": (drop("tokenizer.json"), "no tokenizer.json"),
    **{
        f"only {name}": (lambda f, name=name: (f / "tokenizer.json").rename(f / name), f"only tokenizer is {name},")
        for name in ("tekken.json", "tiktoken.model", "qwen.tiktoken")
    },
    "tokenizer not JSON": (write("tokenizer.json", b"{"), "tokenizer.json is not valid JSON"),
    "tokenizer of something else": (write("tokenizer.json", b'{"a": 1}'), "tokenizer"),
    "sizes that do not fit": (lambda f: set_config(f, hidden_size=32), "do not fit together"),
    "layers that are not there": (lambda f: set_config(f, num_hidden_layers=9), "do not fit together"),
    "sizes of the wrong type": (lambda f: set_config(f, num_hidden_layers="many"), "num_hidden_layers"),
    "tokenizer of an unknown kind": (
        lambda f: (f / "tokenizer.json").write_text(
            json.dumps({**json.loads((f / "tokenizer.json").read_text()), "model": {"type": "Nope"}})
        ),
        "tokenizer files do not make sense",
    ),
    "broken template": (
        lambda f: write("tokenizer_config.json", b'{"chat_template": "{% if %}", "tokenizer_class": '
                        b'"PreTrainedTokenizerFast", "eos_token": "<|end|>"}')(f),
        "cannot be read",
    ),
}  # fmt: skip


@pytest.mark.parametrize("way", SPOILT)
def test_a_spoilt_folder_gets_a_sentence_and_the_next_one_opens(folder: Path, tiny_folder: Path, way: str) -> None:
    spoil, words = SPOILT[way]
    spoil(folder)
    bench = Bench()
    failed = bench.open(folder)
    assert isinstance(failed, ModelFailed)
    assert words in failed.problem.sentence
    assert failed.problem.title
    assert failed.problem.sentence.endswith((".", "!"))
    assert isinstance(bench.open(tiny_folder), ModelReady)


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="There is no folder"):
        check_folder(tmp_path / "nowhere")


@pytest.mark.parametrize("missing", [1, 1_000, 200_000])
def test_what_is_there_of_weights_that_are_cut_short_is_told_in_another_figure_than_what_should_be(
    folder: Path, missing: int
) -> None:
    weights = folder / "model.safetensors"
    length = weights.stat().st_size
    cut("model.safetensors", length - missing)(folder)
    with pytest.raises(ModelError, match="cut short") as caught:
        check_folder(folder)
    there, whole = caught.value.problem.sentence.split(": ")[1].split(" are there")[0].split(" of ")
    assert there != whole.removesuffix(" bytes")


def test_a_file_is_no_folder(tiny_folder: Path) -> None:
    with pytest.raises(ModelError, match="is a file"):
        check_folder(tiny_folder / "model.safetensors")


def test_nothing_of_the_folder_is_run(folder: Path, tmp_path: Path) -> None:
    """Whatever the configurations point at, Python files beside the weights stay text."""
    proof = tmp_path / "ran"
    for name in ("tokenization_mine.py", "modeling_mine.py", "configuration_mine.py"):
        (folder / name).write_text(f"open({str(proof)!r}, 'w').write('x')\n")
    settings = folder / "tokenizer_config.json"
    auto_map = {"AutoTokenizer": ["tokenization_mine.Mine"] * 2, "AutoConfig": "configuration_mine.Mine"}
    settings.write_text(json.dumps({**json.loads(settings.read_text()), "auto_map": auto_map}))
    set_config(folder, auto_map=auto_map | {"AutoModelForCausalLM": "modeling_mine.Mine"})
    Bench().open(folder)
    settings.write_text(json.dumps({**json.loads(settings.read_text()), "tokenizer_class": "Mine"}))
    Bench().open(folder)
    assert not proof.exists()


@pytest.mark.parametrize("named", [None, [], "", "LlamaForCausalLM", ["LlamaForCausalLM", "Other"]])
def test_architectures_may_be_absent_one_or_several(folder: Path, named: object) -> None:
    set_config(folder, architectures=named)
    assert isinstance(Bench().open(folder), ModelReady)


def test_mlx_lms_own_tables_decide_the_architecture() -> None:
    assert architecture({"model_type": "mistral"}) == "llama"
    assert architecture({"model_type": "lfm2"}) == "lfm2"
    assert (
        architecture({"model_type": "bailing_hybrid", "architectures": ["BailingMoeV3ForCausalLM"]}) == "bailing_moe_v3"
    )
