"""The description, for the window, of an open model and of the libraries under it."""

from __future__ import annotations

from app.engine.model import LoadedModel
from app.kvcache.prefix_cache import PrefixCache
from app.prompting.thinking_switch import thinking_switch
from app.protocol.reports import ModelInfo
from app.protocol.versions import package_version

_PACKAGES = ("espalier", "mlx", "mlx-lm", "tokenizers", "transformers")


def versions() -> tuple[tuple[str, str], ...]:
    """Return name and version of the packages that an answer depends on, those without metadata left out."""
    found = ((name, package_version(name)) for name in _PACKAGES)
    return tuple((name, version) for name, version in found if version)


def describe(model: LoadedModel, cache: PrefixCache) -> ModelInfo:
    """Describe an open model as the window shows it."""
    return ModelInfo(
        path=model.path,
        name=model.name,
        detail=model.detail,
        fingerprint=model.fingerprint,
        context_length=model.context_length,
        weight_bytes=model.weight_bytes,
        layers=cache.layer_counts(),
        is_reusable=not cache.unsupported,
        note=_note(model, cache),
        sampling=model.sampling,
        thinks=model.prompts.switch.is_usually_on,
        thinking=thinking_switch(model.prompts.switch, model.prompts.template, model.codec.thinking),
        kv_bits=model.kv_bits,
        adapter=model.adapter,
        own_context=model.own_context,
    )


def _note(model: LoadedModel, cache: PrefixCache) -> str:
    """Return what a person should know of this model, in sentences; empty for most."""
    notes = [model.note] if model.note else []
    if cache.unsupported:
        notes.append(f"Its cache kind {cache.unsupported} is not supported yet: nothing is reused.")
    if model.prompts.template.is_plain:
        notes.append("It has no chat template: it is asked to continue a plain transcript.")
    elif not model.prompts.takes_instructions:
        notes.append("It has no place for a system prompt: that is put before the first question.")
    return " ".join(notes)
