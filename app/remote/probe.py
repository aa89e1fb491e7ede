"""What a server is, and which models it has: asked once when it is added, and again when a model of it is opened."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from typing import Any

from app.protocol.dataclass import dataclass
from app.protocol.references import LONGEST_NAME
from app.remote import kinds
from app.remote.client import Client
from app.remote.faults import ServerError, malformed
from app.remote.kinds import Kind

_MOST_MODELS = 1000
_MOST_CONTEXT = 1 << 30
_TOLD_CONTEXT = re.compile(r"^num_ctx\s+(\d{1,10})\s*$", re.ASCII | re.MULTILINE)
# A path that only one kind of server has, and what its answer holds there.
_SIGNS = (
    ("/props", "default_generation_settings", kinds.LLAMA),
    ("/get_model_info", "model_path", kinds.SGLANG),
    ("/api/version", "version", kinds.OLLAMA),
    ("/version", "version", kinds.VLLM),
)


@dataclass(frozen=True, slots=True)
class FoundModel:
    """A model on a server. context: how many tokens it reads at most, 0 where the server does not say. usual: for how
    many there is room where nobody asks for another number, 0 for all of them.
    """

    name: str
    context: int = 0
    usual: int = 0


@dataclass(frozen=True, slots=True)
class Found:
    """A server that was probed: its kind and its models.

    slots: how many conversations it keeps at a time, 0 where it does not say.
    """

    kind: Kind
    models: tuple[FoundModel, ...]
    slots: int = 0

    def model(self, name: str) -> FoundModel | None:
        """Return the model of this name."""
        return next((one for one in self.models if one.name == name), None)


async def look(client: Client) -> Found:
    """Ask a server what it is and has. Raises ServerError where it does not answer or is no server of models."""
    try:
        listed = await client.json("/v1/models")
        models = _models(client.server.name, listed)
    except ServerError as error:  # mlx_lm.server answers nothing where there is no folder of models on its disk
        if error.is_unreadable and await _is_mlx(client, {}):
            return Found(kinds.MLX, (FoundModel(kinds.MLX_DEFAULT),))
        raise
    answers = await asyncio.gather(*(_asked(client, path) for path, _, _ in _SIGNS), _asked(client, "/api/v0/models"))
    *signs, studio = answers
    for (_, sign, kind), answer in zip(_SIGNS, signs, strict=True):
        if sign in answer:
            return Found(kind, _with_contexts(models, _context_of(kind, answer)), _context(answer.get("total_slots")))
    if isinstance(studio.get("data"), list):
        return Found(kinds.LM_STUDIO, _with_contexts(models, _contexts_of_studio(studio)))
    return Found(kinds.MLX if await _is_mlx(client, listed) else kinds.OTHER, models)


async def look_closer(client: Client, kind: Kind, model: FoundModel) -> FoundModel:
    """Return a model with what its server tells when it is asked about that one alone, as Ollama does."""
    if kind.context is None:
        return model
    shown = await _asked(client, "/api/show", body={"model": model.name})
    own, told = _shown_context(shown.get("model_info")) or model.context, shown.get("parameters")
    found = _TOLD_CONTEXT.search(told) if isinstance(told, str) else None
    usual = (_context(int(found[1])) if found is not None else 0) or kind.context
    return FoundModel(model.name, own, min(usual, own) if own else usual)


def common(before: Found | None, found: Found, name: str) -> Found:
    """Return what several servers have in common, which are to run the same models.

    before: of those that were looked at already, None for none. name: of the one that was found. Raises ServerError
    where that is nothing.
    """
    if before is None:
        return found
    models = tuple(one for one in before.models if found.model(one.name) is not None)
    if found.kind is not before.kind or not models:
        raise ServerError(
            f"{name} is another server",
            "Several addresses are entered together where the same models run at each. Add this one by itself.",
        )
    return Found(before.kind, models, min(before.slots, found.slots))


async def _asked(client: Client, path: str, body: Mapping[str, Any] | None = None) -> Mapping[str, Any]:
    """Return what a path answers, {} where it is not there."""
    try:
        return await client.json(path, body=body)
    except ServerError:
        return {}


async def _is_mlx(client: Client, listed: Mapping[str, Any]) -> bool:
    """Return whether this is mlx_lm.server: it says that it is well, and names no owner of its models."""
    health = await _asked(client, "/health")
    data = listed.get("data")
    owners = [one.get("owned_by") for one in data if isinstance(one, dict)] if isinstance(data, list) else []
    return health.get("status") == "ok" and not any(owners)


def _models(name: str, listed: Mapping[str, Any]) -> tuple[FoundModel, ...]:
    data = listed.get("data")
    if not isinstance(data, list):
        raise malformed(name, "no list of models")
    found = [_model(one) for one in data[:_MOST_MODELS] if isinstance(one, dict)]
    return tuple({one.name: one for one in found if one is not None}.values())


def _model(entry: Mapping[str, Any]) -> FoundModel | None:
    name, meta = entry.get("id"), entry.get("meta")
    if not isinstance(name, str) or not name.isprintable() or not 0 < len(name) <= LONGEST_NAME:
        return None
    trained = meta.get("n_ctx_train") if isinstance(meta, dict) else None
    return FoundModel(name, _context(entry.get("max_model_len")) or _context(trained))


def _context_of(kind: Kind, answer: Mapping[str, Any]) -> int:
    """Return what llama.cpp has room for in one conversation, which may be less than the model can read."""
    settings = answer.get("default_generation_settings") if kind is kinds.LLAMA else None
    return _context(settings.get("n_ctx")) if isinstance(settings, dict) else 0


def _shown_context(info: object) -> int:
    """Return how many tokens Ollama says that a model can read, 0 where it does not."""
    family = info.get("general.architecture") if isinstance(info, dict) else None
    return _context(info.get(f"{family}.context_length")) if isinstance(info, dict) else 0


def _contexts_of_studio(answer: Mapping[str, Any]) -> Mapping[str, int]:
    found = {}
    for one in answer["data"][:_MOST_MODELS]:
        if isinstance(one, dict) and isinstance(one.get("id"), str):
            found[one["id"]] = _context(one.get("loaded_context_length")) or _context(one.get("max_context_length"))
    return found


def _with_contexts(models: tuple[FoundModel, ...], known: int | Mapping[str, int]) -> tuple[FoundModel, ...]:
    """Return the models with the contexts that are known better; one number is that of all."""
    contexts = known if isinstance(known, Mapping) else {one.name: known for one in models}
    return tuple(FoundModel(one.name, contexts.get(one.name) or one.context) for one in models)


def _context(value: object) -> int:
    is_count = isinstance(value, int) and not isinstance(value, bool)
    return value if is_count and isinstance(value, int) and 0 < value < _MOST_CONTEXT else 0
