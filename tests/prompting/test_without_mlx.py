"""Prompts are built without MLX: an engine that asks a server has no use for it."""

from __future__ import annotations

import subprocess
import sys

_TRIED = """
import importlib, pkgutil, sys
import app.prompting
for module in pkgutil.iter_modules(app.prompting.__path__, "app.prompting."):
    importlib.import_module(module.name)
print(sorted({name.partition(".")[0] for name in sys.modules} & {"mlx", "mlx_lm", "transformers", "numpy", "PySide6"}))
"""


def test_no_part_of_it_imports_mlx() -> None:
    done = subprocess.run([sys.executable, "-c", _TRIED], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.strip() == "[]"
