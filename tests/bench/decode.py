"""Decoding through the engine against mlx-lm's own generator: the same model in memory, prompt and tokens, by turns.

Run as `python -m tests.bench.decode`; writes build/bench/decode.json. Both write one long answer, a few tokens each by
turns, so that whatever else the machine does meets both alike. The step of the engine's loop is timed as a whole, with
its events and its pictures of the trie. The same is done on models so small that most of a token is its choice, by
vocabulary and by what is set: mlx-lm is given the same settings, and draws from other random numbers. And it is done
once more where the engine says of each token what else could have stood: on models with random weights, which are sure
of none, that is the most there can be to say.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import mlx.core as mx
from mlx.utils import tree_flatten
from mlx_lm.generate import generation_stream, stream_generate
from mlx_lm.sample_utils import make_logits_processors, make_sampler
from mlx_lm.utils import load_tokenizer

from app.engine.loop import EngineLoop
from app.engine.model import LoadedModel
from app.prompting.logit_bias import biased_ids
from app.protocol.chat import Sampling, Turn
from app.protocol.commands import Generate, LoadModel, Shutdown
from app.protocol.events import Event, TextDelta
from tests.bench.models import GUIDE, SIZES, random_model
from tests.bench.report import machine, say, write
from tests.fakes.tiny_tokenizer import BARE, byte_level

LEAST = 0.98  # of mlx-lm's speed
SLICE = 8  # tokens that are written in one turn
_QUESTION = Turn("user", "Tell me a story about a fox and the other fox.")
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
SMALL: dict[str, Any] = {**LARGE, **SIZES, "num_hidden_layers": 2}
VOCABULARIES = (1_000, 32_000, 152_000)
LARGE_VOCABULARIES = VOCABULARIES[1:]
GREEDY = Sampling(temperature=0.0)
SETTINGS = {
    "greedy": GREEDY,
    "temperature and top-p": Sampling(temperature=1.0, top_p=0.95),
    "everything": Sampling(
        temperature=1.0,
        top_p=0.95,
        top_k=40,
        min_p=0.02,
        xtc_probability=0.5,
        repetition_penalty=1.1,
        presence_penalty=0.2,
        frequency_penalty=0.2,
        penalty_range=20,
        logit_bias=(("a", 1.0), ("e", -1.0)),
    ),
}


@dataclass(frozen=True, slots=True)
class Pair:
    """Milliseconds for a token, one way after the other. ratio: of the engine's speed to mlx-lm's."""

    model: str
    engine_ms: float
    mlx_lm_ms: float
    ratio: float


@dataclass(frozen=True, slots=True)
class Choice:
    """Milliseconds for a token, medians, on a small model with this vocabulary. ratio: the median of the pairs'."""

    vocabulary: int
    settings: str
    engine_ms: float
    mlx_lm_ms: float
    ratio: float


class Bench:
    """An engine with one model open, and mlx-lm's generator on that very model. Neither heeds end tokens."""

    def __init__(self, name: str, folder: Path, sampling: Sampling = GREEDY, *, alternatives: bool = False) -> None:
        self._name, self._sampling, self._alternatives = name, sampling, alternatives
        self._is_writing = False
        self._loop = EngineLoop(self._keep)
        self._loop.submit(LoadModel(str(folder)))
        while self._loop.step():
            pass
        if self._loop.open_model is None:
            raise RuntimeError(f"{folder} was not opened")
        self._model: LoadedModel = self._loop.open_model.model
        self._model.codec.stop_ids = frozenset()
        self._tokenizer: Any = load_tokenizer(folder)  # type: ignore[no-untyped-call]
        self._tokenizer.eos_token_ids = ()

    def pairs(self, count: int) -> list[Pair]:
        """Both write an answer to the same prompt, a few tokens each by turns; who goes first changes every time."""
        ways = [self._by_engine(_QUESTION, count), self._by_mlx_lm(_QUESTION, count)]
        for way in ways:
            _advance(way, 1)
        return [self._pair(ways, number % 2) for number in range(count)]

    def close(self) -> None:
        self._loop.submit(Shutdown())
        self._loop.step()

    def _pair(self, ways: list[Iterator[None]], first: int) -> Pair:
        seconds = [0.0, 0.0]
        for index in (first, 1 - first):
            seconds[index] = _advance(ways[index], SLICE)
        engine, other = (each / SLICE * 1e3 for each in seconds)
        return Pair(self._name, round(engine, 3), round(other, 3), round(other / engine, 4))

    def _by_engine(self, turn: Turn, count: int) -> Iterator[None]:
        """Each step is a token, once the prompt is read."""
        sampling = replace(self._sampling, seed=1, max_tokens=_tokens(count))
        self._loop.submit(Generate(1, (turn,), sampling, owner="bench", alternatives=self._alternatives))
        while self._loop.step():
            if self._is_writing:
                yield

    def _by_mlx_lm(self, turn: Turn, count: int) -> Iterator[None]:
        prompt = list(self._model.prompts.build((turn,)).ids)
        model: Any = lambda tokens, cache: self._model.forward(tokens, cache)  # noqa: E731
        chosen: Any = {"max_tokens": _tokens(count), "prompt_cache": self._model.new_caches(), **self._as_mlx_lm()}
        for _ in stream_generate(model, self._tokenizer, prompt, **chosen):
            yield

    def _as_mlx_lm(self) -> dict[str, Any]:
        """The settings as mlx-lm takes them."""
        chosen, codec = self._sampling, self._model.codec
        within = chosen.penalty_range or 20
        sampler = make_sampler(
            temp=chosen.temperature,
            top_p=chosen.top_p,
            min_p=chosen.min_p,
            top_k=chosen.top_k,
            xtc_probability=chosen.xtc_probability,
            xtc_threshold=chosen.xtc_threshold,
            xtc_special_tokens=list(codec.plain("\n")),
        )
        processors = make_logits_processors(
            logit_bias=biased_ids(codec, chosen.logit_bias) or None,
            repetition_penalty=chosen.repetition_penalty if chosen.repetition_penalty != 1 else None,
            repetition_context_size=within,
            presence_penalty=chosen.presence_penalty,
            presence_context_size=within,
            frequency_penalty=chosen.frequency_penalty,
            frequency_context_size=within,
        )
        return {"sampler": sampler, "logits_processors": processors}

    def _keep(self, event: Event) -> None:
        self._is_writing = self._is_writing or isinstance(event, TextDelta)


def _tokens(count: int) -> int:
    """More than are timed, so that no turn holds an answer's end."""
    return (count + 1) * SLICE


def _advance(way: Iterator[None], count: int) -> float:
    """Seconds for so many tokens, with what was begun for the next one."""
    begun = time.perf_counter()
    for _ in range(count):
        next(way)
    mx.synchronize()
    mx.synchronize(generation_stream)
    return time.perf_counter() - begun


def write_model(folder: Path, sizes: dict[str, Any], vocabulary: int = 0) -> Path:
    """Write a model folder with random weights in these sizes, and tokens up to this number. Returns it."""
    tokenizer = json.loads(byte_level().to_str())
    known = byte_level().get_vocab_size()
    tokenizer["model"]["vocab"] |= {f"w{number}": number for number in range(known, vocabulary)}
    configuration = {**sizes, "vocab_size": max(known, vocabulary)}
    folder.mkdir(exist_ok=True)
    mx.save_safetensors(str(folder / "model.safetensors"), dict(tree_flatten(random_model(configuration).parameters())))
    settings = {"tokenizer_class": "PreTrainedTokenizerFast", "eos_token": "<|end|>", "chat_template": BARE}
    files = {"config.json": configuration, "tokenizer_config.json": settings, "tokenizer.json": tokenizer}
    for name, content in files.items():
        (folder / name).write_text(json.dumps(content), encoding="utf-8")
    return folder


def compare(
    name: str, folder: Path, count: int, sampling: Sampling = GREEDY, *, alternatives: bool = False
) -> list[Pair]:
    """Pairs on one model, after one that does not count."""
    bench = Bench(name, folder, sampling, alternatives=alternatives)
    pairs = bench.pairs(count + 1)[1:]
    bench.close()
    ours, theirs = median(pair.engine_ms for pair in pairs), median(pair.mlx_lm_ms for pair in pairs)
    ratio = median(pair.ratio for pair in pairs)
    say(f"{name}: {ratio:.3f} of mlx-lm's speed; {ours:.2f} and {theirs:.2f} ms a token, {count} pairs")
    return pairs


def choices(folder: Path, vocabularies: Sequence[int] = VOCABULARIES, count: int = 12) -> Iterator[Choice]:
    """Compare each of the settings on a small model with each of the vocabularies."""
    for vocabulary in vocabularies:
        path = write_model(folder / str(vocabulary), SMALL, vocabulary)
        for name, sampling in SETTINGS.items():
            pairs = compare(f"vocabulary of {vocabulary}, {name}", path, count, sampling)
            columns = zip(*((pair.engine_ms, pair.mlx_lm_ms, pair.ratio) for pair in pairs), strict=True)
            yield Choice(vocabulary, name, *(round(median(column), 3) for column in columns))


def with_alternatives(
    folder: Path, vocabularies: Sequence[int] = LARGE_VOCABULARIES, count: int = 24
) -> dict[str, float]:
    """Compare where alternatives are told: on the guide, which has 1,000 words, and on a small model with more."""
    found = {"1k": compare("guide, with alternatives", GUIDE, count, alternatives=True)}
    for vocabulary in vocabularies:
        path = write_model(folder / f"alternatives {vocabulary}", SMALL, vocabulary)
        name = f"vocabulary of {vocabulary}, with alternatives"
        found[f"{vocabulary // 1000}k"] = compare(name, path, count, alternatives=True)
    return {name: round(median(pair.ratio for pair in pairs), 3) for name, pairs in found.items()}


def main() -> int:
    """Compare on both models, and what choosing costs; 1 when the engine is slower than promised on either model, or
    where it tells of alternatives.
    """
    pairs = compare("guide", GUIDE, 60)
    with TemporaryDirectory() as folder:
        pairs += compare("random llama, 57 M", write_model(Path(folder) / "large", LARGE), 40)
        chosen = [asdict(choice) for choice in choices(Path(folder))]
        alternatives = with_alternatives(Path(folder))
    names = dict.fromkeys(pair.model for pair in pairs)
    medians = {name: median(pair.ratio for pair in pairs if pair.model == name) for name in names}
    content = {"ratio_median": median(pair.ratio for pair in pairs), "medians": medians, "machine": machine()}
    content |= {"alternatives": alternatives, "choices": chosen, "pairs": [asdict(pair) for pair in pairs]}
    write("decode.json", content)
    return 1 if min(*medians.values(), *alternatives.values()) < LEAST else 0


if __name__ == "__main__":
    sys.exit(main())
