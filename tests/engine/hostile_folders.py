"""Model folders that are made to stop, end or fill the process that opens them, and a process that opens each.

`python -m tests.engine.hostile_folders FOLDER` opens all of them one after another beside a sound model, in memory that
ends soon, and prints what became of each as JSON.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import struct
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from app.protocol.commands import LoadModel
from app.protocol.events import ModelFailed, ModelReady
from tests.engine.bench import Bench, user
from tests.fakes.model_folder import write_model_folder

GIB = 1 << 30
MOST_STEPS = 5000
OPENS = "opens"

Builder = Callable[[Path], object]


def _config(file: str = "config.json", **changes: Any) -> Builder:
    def build(folder: Path) -> None:
        path = folder / file
        path.write_text(json.dumps({**(json.loads(path.read_text()) if path.exists() else {}), **changes}))

    return build


def _pipe(name: str) -> Builder:
    def build(folder: Path) -> None:
        (folder / name).unlink(missing_ok=True)
        (folder / name).parent.mkdir(exist_ok=True)
        os.mkfifo(folder / name)

    return build


def _link(name: str, to: str) -> Builder:
    def build(folder: Path) -> None:
        (folder / name).unlink(missing_ok=True)
        (folder / name).symlink_to(to)

    return build


def _write(name: str, content: bytes) -> Builder:
    return lambda folder: (folder / name).write_bytes(content)


def _sparse(name: str) -> Builder:
    def build(folder: Path) -> None:
        with (folder / name).open("wb") as file:
            file.truncate(8 * GIB)

    return build


def _tensors(change: Callable[[list[dict[str, Any]], int], object]) -> Builder:
    """Change the entries of the header of the weights, given how long their data is."""

    def build(folder: Path) -> None:
        path = folder / "model.safetensors"
        data = path.read_bytes()
        end = 8 + struct.unpack("<Q", data[:8])[0]
        header = json.loads(data[8:end])
        change([entry for name, entry in header.items() if name != "__metadata__"], len(data) - end)
        text = json.dumps(header).encode()
        path.write_bytes(struct.pack("<Q", len(text)) + text + data[end:])

    return build


def _all_the_same(entries: list[dict[str, Any]], length: int) -> None:
    for entry in entries:
        entry["data_offsets"] = [0, length]


def _fractions(entries: list[dict[str, Any]], _: int) -> None:
    for entry in entries:
        entry["data_offsets"] = [float(at) for at in entry["data_offsets"]]


def _beyond(entries: list[dict[str, Any]], length: int) -> None:
    entries[0]["data_offsets"] = [length, 1 << 50]


def _small_vocabulary(folder: Path) -> None:
    path = folder / "tokenizer.json"
    tokenizer = json.loads(path.read_text())
    vocabulary = tokenizer["model"]["vocab"]
    vocabulary[max(vocabulary, key=vocabulary.__getitem__)] = 5_000_000
    path.write_text(json.dumps(tokenizer))


def _many_files(folder: Path) -> None:
    for at in range(10_001):
        (folder / f"{at}.png").touch()


def _unlimited(folder: Path) -> None:
    path = folder / "config.json"
    config = json.loads(path.read_text())
    del config["max_position_embeddings"]
    path.write_text(json.dumps(config))
    _config("tokenizer_config.json", model_max_length=float("inf"))(folder)


NO_FOLDER = "Not a model folder"
CLOSED = "The model cannot be opened"
SENSELESS = "The model's configuration makes no sense"
WEIGHTS = "The model's weights cannot be read"
NESTED = b"[" * 100_000 + b"]" * 100_000

# What is wrong: how it is built, and the title that it gets.
HOSTILE: dict[str, tuple[Builder, str]] = {
    "a pipe for the configuration": (_pipe("config.json"), NO_FOLDER),
    "a pipe for the settings": (_pipe("generation_config.json"), NO_FOLDER),
    "a pipe for the tokenizer": (_pipe("tokenizer.json"), NO_FOLDER),
    "a pipe for a tokenizer of another kind": (_pipe("tokenizer.model"), NO_FOLDER),
    "a pipe for added tokens": (_pipe("added_tokens.json"), NO_FOLDER),
    "a pipe for the template": (_pipe("chat_template.jinja"), NO_FOLDER),
    "a pipe for one more template": (_pipe("additional_chat_templates/a.jinja"), NO_FOLDER),
    "a pipe for one more weight file": (_pipe("model-2.safetensors"), NO_FOLDER),
    "a device for the tokenizer": (_link("tokenizer_config.json", "/dev/zero"), NO_FOLDER),
    "a device for the weights": (_link("model.safetensors", "/dev/zero"), NO_FOLDER),
    "a link to itself": (_link("tokenizer_config.json", "tokenizer_config.json"), "The model cannot be read"),
    "very many files": (_many_files, NO_FOLDER),
    "gigabytes of a configuration": (_sparse("config.json"), CLOSED),
    "gigabytes of a tokenizer": (_sparse("tokenizer.json"), CLOSED),
    "gigabytes of a template": (_sparse("chat_template.jinja"), CLOSED),
    "a nested configuration": (_write("config.json", NESTED), CLOSED),
    "a nested tokenizer": (_write("tokenizer_config.json", NESTED), CLOSED),
    "a configuration of lists": (_write("config.json", b"[[]" + b",[]" * 5_000_000 + b"]"), CLOSED),
    "architectures that are numbers": (_config(architectures=[1, 2]), "The model's configuration is damaged"),
    "an infinite rope factor": (_config(rope_scaling={"type": "linear", "factor": float("inf")}), SENSELESS),
    "a billion layers": (_config(num_hidden_layers=10**9), SENSELESS),
    "very many kinds of layers": (_config(layer_types=["full_attention"] * 500_000), SENSELESS),
    "a size of terabytes": (_config(hidden_size=1 << 20, intermediate_size=1 << 20), CLOSED),
    "a size of very many digits": (_config(hidden_size=10**400), SENSELESS),
    "no heads": (_config(num_attention_heads=0), SENSELESS),
    "heads below zero": (_config(num_key_value_heads=-4), SENSELESS),
    "a billion heads": (_config(num_attention_heads=10**9), SENSELESS),
    "millions of end tokens": (_config(eos_token_id=[7] * 2_000_000), SENSELESS),
    "millions of end tokens in the settings": (
        _config("generation_config.json", eos_token_id=[7] * 2_000_000),
        SENSELESS,
    ),
    "quantization that is a list": (_config(quantization=[4]), SENSELESS),
    "tensors that are all the same": (_tensors(_all_the_same), WEIGHTS),
    "tensors at fractions": (_tensors(_fractions), WEIGHTS),
    "a tensor beyond the file": (_tensors(_beyond), "The model is incomplete"),
    "a header beyond the file": (_write("model.safetensors", b"\xff" * 8 + b"{}"), WEIGHTS),
    "an index that leaves the folder": (
        _config("model.safetensors.index.json", weight_map={"a": "../../b.safetensors"}),
        CLOSED,
    ),
    "a vocabulary beyond the model": (_small_vocabulary, "The tokenizer and the model do not fit together"),
    "a context without end": (_unlimited, OPENS),
    "a template that writes nothing": (
        _config("tokenizer_config.json", chat_template="{{ '' }}"),
        "The model's chat template writes nothing",
    ),
}


def outcome_of(bench: Bench, folder: Path) -> str:
    """Open a folder in a bounded number of steps, and return the title of what it was refused with."""
    begin = len(bench.events)
    bench.loop.submit(LoadModel(str(folder)))
    for _ in range(MOST_STEPS):
        if not bench.loop.step():
            break
    else:
        return "does not end"
    told = [event for event in bench.events[begin:] if isinstance(event, ModelReady | ModelFailed)]
    return " and ".join(event.problem.title if isinstance(event, ModelFailed) else OPENS for event in told)


def main(place: Path) -> dict[str, tuple[str, bool]]:
    """Open all hostile folders, each beside a sound model that is asked something afterwards."""
    sound = write_model_folder(place / "sound")
    bench = Bench()
    bench.open(sound)
    bench.ask(user("hi"))
    found = {}
    _limit_memory()
    for name, (build, _) in HOSTILE.items():
        folder = Path(shutil.copytree(sound, place / "hostile"))
        build(folder)
        title = outcome_of(bench, folder)
        found[name] = (title, bool(bench.ask(user("hi")).finished.ids))
        shutil.rmtree(folder)
        if title == OPENS:
            bench.open(sound)
    return found


def _limit_memory() -> None:
    """Let the process grow by one gigabyte from here, where the system can hold it to that."""
    with suppress(OSError, ValueError):
        used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + GIB, used + GIB))


if __name__ == "__main__":
    sys.stdout.write(json.dumps(main(Path(sys.argv[1]))))
