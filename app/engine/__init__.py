"""The engine: a Qt-free loop of small steps that opens models and answers branches, on the one thread that uses MLX.

Importing it imports MLX and mlx-lm, which takes about a second: only the model's thread does.
"""

from app.engine.libraries import import_mlx_lm

import_mlx_lm()

from app.engine.loop import EngineLoop  # noqa: E402

__all__ = ["EngineLoop"]
