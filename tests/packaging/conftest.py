"""Makes what lies in packaging/ importable: it is beside the program, not in it."""

from __future__ import annotations

import sys
from pathlib import Path

PACKAGING = str(Path(__file__).parents[2] / "packaging")
if PACKAGING not in sys.path:
    sys.path.insert(0, PACKAGING)
