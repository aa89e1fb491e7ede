"""Makes `guide_model` importable: it lives beside the program, not in it."""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]
sys.path.insert(0, str(ROOT / "packaging"))
