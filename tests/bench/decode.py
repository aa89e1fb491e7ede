"""Decoding through the engine against mlx-lm's own generator: the same model in memory, prompt and tokens, by turns.

Run as `python -m tests.bench.decode`; writes build/bench/decode.json. Each pair has a prompt of its own, so that the
engine writes a new answer every time, as it does for people; what is compared is the time from first to last token.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import mlx.core as mx
from mlx.utils import tree_flatten
from mlx_lm.generate import stream_generate
from mlx_lm.utils import load_tokenizer

from app.engine.loop import EngineLoop
from app.engine.model import LoadedModel
from app.protocol.chat import Sampling, Turn
from app.protocol.commands import Generate, LoadModel, Shutdown
from app.protocol.events import Event, RunFinished
from tests.bench.models import GUIDE, random_model
from tests.bench.report import machine, say, write
from tests.fakes.tiny_tokenizer import BARE, byte_level

LEAST = 0.98  # of mlx-lm's speed
PAIRS = 12
# 57 million parameters in float32: 20 to 60 ms a token on two cores
LARGE: dict[str, Any] = {
    "model_type": "llama",
    "hidden_size": 768,
    "intermediate_size": 2048,
    "num_hidden_layers": 8,
    "num_attention_heads": 12,
    "num_key_value_heads": 4,
    "rms_norm_eps": 1e-5,
    "max_position_embeddings": 4096,
}


@dataclass(frozen=True, slots=True)
class Pair:
    """Milliseconds for a token after the first, one after the other. ratio: of the engine's speed to mlx-lm's."""

    model: str
    tokens: int
    engine_ms: float
    mlx_lm_ms: float
    ratio: float
    is_same_text: bool


class Bench:
    """An engine with one model open, and mlx-lm's generator on that very model. Neither heeds end tokens."""

    def __init__(self, name: str, folder: Path, tokens: int) -> None:
        self._name, self._tokens = name, tokens
        self._last: Event | None = None
        self._loop = EngineLoop(self._keep)
        self._do(LoadModel(str(folder)))
        if self._loop.model is None:
            raise RuntimeError(f"{folder} was not opened: {self._last}")
        self._model: LoadedModel = self._loop.model
        self._model.codec.stop_ids = frozenset()
        self._tokenizer: Any = load_tokenizer(folder, eos_token_ids=[-1])  # type: ignore[no-untyped-call]
        self._runs = 0

    def pair(self, is_engine_first: bool) -> Pair:
        self._runs += 1
        turn = Turn("user", f"Tell me story number {self._runs} about the fox and the other fox.")
        ways: list[Callable[[Turn], tuple[float, tuple[int, ...]]]] = [self._by_engine, self._by_mlx_lm]
        if is_engine_first:
            engine, other = (way(turn) for way in ways)
        else:
            other, engine = (way(turn) for way in reversed(ways))
        return Pair(
            model=self._name,
            tokens=len(engine[1]),
            engine_ms=round(engine[0] * 1e3, 3),
            mlx_lm_ms=round(other[0] * 1e3, 3),
            ratio=round(other[0] / engine[0], 4),
            is_same_text=engine[1] == other[1],
        )

    def close(self) -> None:
        self._do(Shutdown())

    def _by_engine(self, turn: Turn) -> tuple[float, tuple[int, ...]]:
        """Seconds for a token, and the answer."""
        sampling = Sampling(temperature=0.0, seed=1, max_tokens=self._tokens)
        self._do(Generate(self._runs, (turn,), sampling, owner="bench"))
        if not isinstance(self._last, RunFinished):
            raise RuntimeError(f"no answer: {self._last}")
        return 1 / self._last.stats.rate, self._last.ids

    def _by_mlx_lm(self, turn: Turn) -> tuple[float, tuple[int, ...]]:
        prompt = list(self._model.prompts.build((turn,)).ids)
        caches, times, ids = self._model.new_caches(), [], []
        model: Any = lambda tokens, cache: self._model.forward(tokens, cache)  # noqa: E731
        for response in stream_generate(model, self._tokenizer, prompt, max_tokens=self._tokens, prompt_cache=caches):
            times.append(time.perf_counter())
            ids.append(int(response.token))
        return (times[-1] - times[0]) / (len(times) - 1), tuple(ids)

    def _do(self, command: LoadModel | Generate | Shutdown) -> None:
        self._loop.submit(command)
        while self._loop.step():
            pass

    def _keep(self, event: Event) -> None:
        self._last = event if not hasattr(event, "view") else self._last


def write_large(folder: Path) -> Path:
    """A model folder with random weights, in the size of `LARGE`. Returns it."""
    tokenizer = byte_level()
    configuration = {**LARGE, "vocab_size": tokenizer.get_vocab_size()}
    mx.save_safetensors(str(folder / "model.safetensors"), dict(tree_flatten(random_model(configuration).parameters())))
    tokenizer.save(str(folder / "tokenizer.json"))
    settings = {"tokenizer_class": "PreTrainedTokenizerFast", "eos_token": "<|end|>", "chat_template": BARE}
    for name, content in {"config.json": configuration, "tokenizer_config.json": settings}.items():
        (folder / name).write_text(json.dumps(content), encoding="utf-8")
    return folder


def compare(name: str, folder: Path, tokens: int) -> list[Pair]:
    """Alternating pairs on one model, after one that does not count."""
    bench = Bench(name, folder, tokens)
    bench.pair(is_engine_first=True)
    pairs = [bench.pair(is_engine_first=number % 2 == 0) for number in range(PAIRS)]
    bench.close()
    say(f"{name}: {median(pair.ratio for pair in pairs):.3f} of mlx-lm's speed, {pairs[0].engine_ms} ms a token")
    return pairs


def main() -> int:
    """Compare on both models; 1 when the engine is slower than promised on either."""
    pairs = compare("guide", GUIDE, tokens=160)
    with TemporaryDirectory() as folder:
        pairs += compare("random llama, 57 M", write_large(Path(folder)), tokens=48)
    medians = {
        name: median(p.ratio for p in pairs if p.model == name) for name in dict.fromkeys(p.model for p in pairs)
    }
    content = {"ratio_median": median(pair.ratio for pair in pairs), "medians": medians, "machine": machine()}
    write("decode.json", {**content, "pairs": [asdict(pair) for pair in pairs]})
    return 1 if min(medians.values()) < LEAST else 0


if __name__ == "__main__":
    sys.exit(main())
