"""A hub without a network, for the pictures of the page on which models are had."""

from __future__ import annotations

from dataclasses import replace

from app.hub.found import Found
from app.hub.messages import Arrived, Description, Failed, Listed, Ready, Reply, Request
from app.viewmodels.hub.download import Download, Stage
from app.viewmodels.hub.hub_region import HubRegion

HUB = "https://huggingface.co"
CACHE = "/Users/ana/.cache/huggingface/hub"
_GB = 10**9
_NAMES = (
    ("mlx-community/Qwen3-4B-Instruct-2507-4bit", 4, 4, 2.27, "apache-2.0", 184_000, 92, 1_754_000_000),
    ("mlx-community/Qwen3-8B-4bit", 8, 4, 4.62, "apache-2.0", 96_400, 41, 1_745_900_000),
    ("mlx-community/Qwen3-30B-A3B-Instruct-2507-4bit", 30, 4, 17.2, "apache-2.0", 88_100, 120, 1_753_900_000),
    ("mlx-community/Qwen3-235B-A22B-4bit", 235, 4, 132.3, "apache-2.0", 9_020, 33, 1_746_000_000),
    ("someone/Qwen3-8B-German-mxfp4", 8, 4, 4.4, "", 312, 2, 1_759_000_000),
    ("Qwen/Qwen3-0.6B", 0.6, 16, 1.5, "apache-2.0", 2_410_000, 830, 1_747_000_000),
)
FOUND = tuple(
    Found(name, name.partition("/")[0], downloads, likes, float(day), licence, int(size * _GB), int(count * _GB), bits)
    for name, count, bits, size, licence, downloads, likes, day in _NAMES
)
DESCRIPTION = Description(
    name=FOUND[1].name,
    commit="ab" * 20,
    licence="apache-2.0",
    licence_link="https://huggingface.co/Qwen/Qwen3-8B/blob/main/LICENSE",
    updated=FOUND[1].updated,
    is_gated=False,
    architecture="qwen3",
    reason="",
    files=("config.json", "generation_config.json", "merges.txt", "model.safetensors", "tokenizer.json", "vocab.json"),
    bytes=4_619_000_000,
    missing=4_619_000_000,
    free=212_400_000_000,
    is_room=True,
    folder=CACHE,
    path="",
)
OFFLINE = Failed(
    "huggingface.co cannot be reached",
    "No connection to huggingface.co could be made. Check that this computer is online, and try again.",
    True,
)
GATED = Failed(
    "Access must be granted first",
    "The authors of meta-llama/Llama-3.2-3B grant access one by one. Ask for it on huggingface.co, then try again. "
    "An access token of an account that may see it helps.",
    False,
    True,
)
BROKEN = Failed(
    "The checksum does not match",
    "model-00002-of-00004.safetensors arrived twice with another content than huggingface.co says it has, and is not "
    "kept.",
)


class SilentHub:
    """A hub that answers what it is told to. It takes the place of a region's processes."""

    def __init__(self, hub: HubRegion) -> None:
        self._hub = hub
        self._seconds = 0.0
        vars(hub.downloads.rate)["_clock"] = lambda: self._seconds
        for process in (hub._asker, hub.downloads._process, hub.downloads._cleaner):
            process.ask = _ignore  # type: ignore[method-assign]

    def answer(self, reply: Reply) -> None:
        """Answer a search, or a look at a model."""
        self._hub._asker.replied.emit(reply)

    def search(self, text: str) -> None:
        """Find some models."""
        self._hub.search(text)
        self.answer(Listed(text, "", FOUND, f"{HUB}/api/models?cursor=x"))

    def download(self) -> None:
        """Have one download that is ready, one that failed, one that runs, and two that rest."""
        downloads = self._hub.downloads
        names = ("Llama-3.2-1B-Instruct-4bit", "Phi-4-4bit", "Qwen3-8B-4bit", "Mistral-7B-Instruct-v0.3-4bit")
        sizes = (0.71, 8.26, 4.62, 4.08)
        for name, size in zip(names, sizes, strict=True):
            downloads.add(Download(f"mlx-community/{name}", "ab" * 20, HUB, int(size * _GB)))
        emit = downloads._process.replied.emit
        emit(Ready(f"{CACHE}/models--mlx-community--Llama-3.2-1B-Instruct-4bit/snapshots/x"))
        emit(Arrived(5_100_000_000, 8_260_000_000, "model-00002-of-00004.safetensors"))
        emit(BROKEN)
        for step in range(6):
            self._seconds = float(step)
            emit(Arrived(2_200_000_000 + step * 38_000_000, 4_619_000_000, "model.safetensors"))
        downloads.list[:2] = [downloads.list[1]]
        paused = replace(downloads.list[-1], done=1_300_000_000, stage=Stage.PAUSED)
        downloads.list[-1:] = [paused]
        downloads.changed.emit()


def _ignore(_request: Request) -> None:
    """Ask nobody."""
