"""The models that this engine can open, told when it starts: the list of models is judged by it."""

from __future__ import annotations

import pkgutil

from mlx_lm import models
from mlx_lm.utils import MODEL_ARCHITECTURE_REMAPPING, MODEL_REMAPPING

from app.engine.memory import machine_memory
from app.protocol.memory import ModelSupport


def model_support() -> ModelSupport:
    """Return the types that mlx-lm has a module for, by their own names and by its tables, and this machine's memory.

    No module is imported: one that wants a package which is missing is refused when it is opened.
    """
    modules = {module.name for module in pkgutil.iter_modules(models.__path__)}
    types = modules | {name for name, module in MODEL_REMAPPING.items() if module in modules}
    types |= {name for (name, _), module in MODEL_ARCHITECTURE_REMAPPING.items() if module in modules}
    return ModelSupport(frozenset(types), machine_memory())
