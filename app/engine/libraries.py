"""The import of mlx-lm, without what that does to the process."""

from __future__ import annotations

import importlib
import resource


def import_mlx_lm() -> None:
    """Import mlx-lm without letting it change how many files may be open.

    It sets that limit while it is imported, and raises ValueError where the system allows fewer: then nothing could be
    opened at all. `app.launch.environment` has asked for what there is.
    """
    original = resource.setrlimit
    resource.setrlimit = lambda *_: None
    try:
        importlib.import_module("mlx_lm.utils")
    finally:
        resource.setrlimit = original
