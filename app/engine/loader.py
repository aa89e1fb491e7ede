"""The opening of a model in small steps, so that the loop can answer, and give up, in between."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import AbstractContextManager, ExitStack
from datetime import datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any, TypeVar

import mlx.core as mx
from mlx.nn.layers.base import Module
from mlx.utils import tree_flatten
from mlx_lm.models.cache import make_prompt_cache
from mlx_lm.tokenizer_utils import TokenizerWrapper
from mlx_lm.utils import load_tokenizer, maybe_set_recommended_wired_limit

from app.engine.adapter import Adapter, apply_adapter, check_adapter
from app.engine.build import build_model
from app.engine.default_sampling import default_sampling
from app.engine.fingerprint import fingerprint, state_fingerprint
from app.engine.folder import ModelFolder
from app.engine.kv_bits import KV_BITS, quantized_caches
from app.engine.memory import Memory, check_room, limit_mlx_cache, machine_memory
from app.engine.model import LoadedModel
from app.engine.source import checked_source
from app.engine.step_memory import sizes_of
from app.engine.task import Task
from app.engine.vocabulary import check_prompts, check_vocabulary, embedding_rows, position_rows
from app.models.context import context_length, limited_context
from app.prompting.border import foreign_code
from app.prompting.codec import Codec
from app.prompting.problems import NO_CONTEXT_LIMIT, ModelError
from app.prompting.prompt import prompt_builder
from app.prompting.steps import Steps
from app.prompting.template import ChatTemplate, chat_template
from app.protocol.commands import CONTEXT_LIMIT, LoadModel
from app.protocol.events import ModelFailed, ModelLoading
from app.protocol.figures import size
from app.protocol.reports import Problem
from app.tokenizing.template_sources import default_source
from app.tokenizing.tokenizer_trial import tried

# Weights read in one step: about a tenth of a second from a fast disk.
_STEP_BYTES = 256 << 20
_USUAL_HEADS = 64
_NOT_QUANTIZED = "Its KV cache is kept in all bits: its layers do not allow fewer."

T = TypeVar("T")


class Opening(Task[LoadedModel | ModelFailed]):
    """The opening of one model, by its folder or as "ollama:NAME:TAG".

    progress: the stage that comes next. weight_bytes: 0 until everything that can be known without the weights is known
    to be sound; reading them is next.
    """

    def __init__(self, command: LoadModel, memory: Memory | None = None, now: datetime | None = None) -> None:
        """Prepare to open a model. `now`: the date that templates print while the model is open."""
        super().__init__()
        self.path = command.path
        self.progress = ModelLoading(command.path, "Opening")
        self.weight_bytes = 0
        self.memory = memory or machine_memory()
        self._kv_bits = command.kv_bits
        self._context_limit = command.context_limit
        self._adapter_path = command.adapter
        self._adapter: Adapter | None = None
        self._now = now or datetime.now().astimezone()

    def _refusal(self, problem: Problem) -> ModelFailed:
        return ModelFailed(self.path, problem)

    def _work(self) -> Generator[None, None, None]:
        for stage, fraction in self._stages():
            self.progress = ModelLoading(self.path, stage, fraction)
            yield

    def _stages(self) -> Iterator[tuple[str, float | None]]:
        """Yield each stage before it is begun, with the fraction of the weights that is read."""
        yield "Checking the model", None
        if not CONTEXT_LIMIT.allows(self._context_limit):
            raise ModelError(*NO_CONTEXT_LIMIT)
        with ExitStack() as left_open:
            with checked_source(self.path) as folder:
                if self._adapter_path:
                    self._adapter = check_adapter(Path(self._adapter_path))
                check_room(folder.weight_bytes, self.memory)
                limit_mlx_cache(self.memory)
                yield "Reading the tokenizer", None
                if folder.has_risky_tokenizer:
                    yield from _at_stage("Reading the tokenizer", tried(folder.path))
                tokenizer = _tokenizer(folder)
                yield "Building the model", 0.0
                with _misfit():
                    model, config = build_model(folder)
                    if self._adapter is not None:
                        apply_adapter(model, self._adapter)
                template = chat_template(tokenizer, self._now)
                left_open.callback(template.close)
                trial = self._put_together(folder, tokenizer, template, model, config)
                whole = yield from _at_stage("Trying the chat template", trial)
            self.weight_bytes = whole.weight_bytes
            yield "Reading the weights", 0.0
            for fraction in _read_weights(model):
                yield "Reading the weights", fraction
            maybe_set_recommended_wired_limit()
            self.outcome = whole
            left_open.pop_all()

    def _put_together(
        self,
        folder: ModelFolder,
        tokenizer: TokenizerWrapper,
        template: ChatTemplate,
        model: Module,
        config: dict[str, Any],
    ) -> Steps[LoadedModel]:
        """Put the model and all around it together, before its weights are read: what can be wrong is found by now."""
        with _misfit():
            rows = embedding_rows(model)
        check_vocabulary(tokenizer, rows)
        codec = Codec(tokenizer, template.source, rows)
        prompts = yield from prompt_builder(codec, template)
        yield from check_prompts(prompts)
        leaves = _leaves(model)
        weight_bytes = sum(leaf.nbytes for _, leaf in leaves)
        check_room(weight_bytes, self.memory)  # they may be stored in fewer bits than they are computed with
        quantized = quantized_caches(model, self._kv_bits) if self._kv_bits in KV_BITS else None
        new_caches = quantized or (lambda: make_prompt_cache(model))
        try:
            name = fingerprint(folder, self._adapter)
            state_name = state_fingerprint(folder, name, leaves, new_caches(), self._adapter)
        except OSError as error:
            raise _unreadable(folder, error) from error
        stated = context_length(config, _tokenizer_length(tokenizer))
        own_context = limited_context(stated, position_rows(model))
        return LoadedModel(
            path=self.path,
            name=folder.name,
            detail=_detail(config, weight_bytes, self._kv_bits if quantized else None, self._adapter),
            fingerprint=name,
            state_fingerprint=state_name,
            own_context=own_context,
            context_length=limited_context(own_context, self._context_limit),
            weight_bytes=weight_bytes,
            memory=self.memory,
            sizes=sizes_of([leaf.shape for _, leaf in leaves], _heads(config), rows),
            forward=lambda tokens, caches: model(tokens, cache=caches),
            new_caches=new_caches,
            codec=codec,
            prompts=prompts,
            sampling=default_sampling(folder.generation),
            kv_bits=self._kv_bits if quantized else None,
            adapter=self._adapter_path,
            note=_NOT_QUANTIZED if self._kv_bits and not quantized else "",
        )


def _at_stage(stage: str, steps: Steps[T]) -> Generator[tuple[str, None], None, T]:
    """Yield this stage at each step, and return what the steps come to."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            value: T = end.value
            return value
        yield stage, None


def _parsing(title: str, sentence: str) -> AbstractContextManager[None]:
    """Turn whatever a library raises about a file into a ModelError. `sentence` has a place for the library's words."""
    return foreign_code(lambda words: ModelError(title, sentence.replace("{}", words)))


def _tokenizer(folder: ModelFolder) -> TokenizerWrapper:
    try:
        return _load_tokenizer(folder)
    except ModelError:
        # transformers checks all of config.json on the way, by rules of its own that models which run here break. The
        # tokenizer needs the model's type of it.
        return _load_tokenizer(folder, config=SimpleNamespace(model_type=folder.config["model_type"]))


def _load_tokenizer(folder: ModelFolder, **options: object) -> TokenizerWrapper:
    options |= {"trust_remote_code": False, "local_files_only": True}
    if (source := default_source(folder.path)) is not None:
        options["chat_template"] = source
    with _parsing(
        "The model's tokenizer cannot be read",
        "Its tokenizer files do not make sense: {} Copy or download them again.",
    ):
        tokenizer: TokenizerWrapper = load_tokenizer(folder.path, options, _stop_ids(folder))
    return tokenizer


def _stop_ids(folder: ModelFolder) -> list[int] | None:
    """Return the end tokens that config.json and generation_config.json name; None when neither does.

    mlx-lm lets the second replace the first; both end an answer here.
    """
    text_config = folder.config.get("text_config")
    parts = [folder.config, text_config if isinstance(text_config, dict) else {}, folder.generation]
    ids: set[int] = set()
    for part in parts:
        named = part.get("eos_token_id")
        ids |= {item for item in (named if isinstance(named, list) else [named]) if isinstance(item, int)}
    return sorted(ids) or None


def _misfit() -> AbstractContextManager[None]:
    return _parsing(
        "The model cannot be opened",
        "Its weights and its configuration do not fit together: {} Copy or download the folder again.",
    )


def _read_weights(model: Module) -> Iterator[float]:
    """Read the weights in steps; yields the fraction that is in memory."""
    leaves = _leaves(model)
    total = sum(leaf.nbytes for _, leaf in leaves) or 1
    done = waiting = 0
    batch: list[mx.array] = []
    for _, leaf in leaves:
        batch.append(leaf)
        waiting += leaf.nbytes
        if waiting >= _STEP_BYTES:
            mx.eval(batch)
            done, waiting, batch = done + waiting, 0, []
            yield done / total
    mx.eval(batch)
    yield 1.0


def _leaves(model: Any) -> list[tuple[str, mx.array]]:
    leaves: Any = tree_flatten(model.parameters())
    return list(leaves)


def _tokenizer_length(tokenizer: TokenizerWrapper) -> int | None:
    length = getattr(tokenizer, "model_max_length", None)
    return int(length) if isinstance(length, int | float) and 0 < length < 1e15 else None


def _heads(config: dict[str, Any]) -> int:
    """Attention heads, as far as the configuration says; else as many as large models have."""
    text_config = config.get("text_config")
    found = (text_config if isinstance(text_config, dict) else config).get("num_attention_heads")
    return found if isinstance(found, int) and found > 0 else _USUAL_HEADS


def _detail(config: dict[str, Any], weight_bytes: int, kv_bits: int | None, adapter: Adapter | None) -> str:
    """Bits and size, as "4-bit, 1.9 GB", bits of the KV cache, if they are fewer than all, and the adapter's name."""
    quantization = config.get("quantization")
    bits = quantization.get("bits") if isinstance(quantization, dict) else None
    kind = f"{bits}-bit" if bits else str(config.get("torch_dtype") or config.get("dtype") or "")
    kv_cache = f"{kv_bits}-bit KV cache (approximate)" if kv_bits else ""
    added = f"with {adapter.name}" if adapter else ""
    return ", ".join(part for part in (kind, size(weight_bytes), added, kv_cache) if part)


def _unreadable(folder: ModelFolder, error: OSError) -> ModelError:
    return ModelError("The model cannot be read", f"{folder.name}: {error.strerror or error}. Check the folder.")
