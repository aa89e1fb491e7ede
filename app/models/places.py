"""The folders in which models lie without the person having said so: those of other programs, by their own rules.

Hugging Face: HF_HUB_CACHE, HF_HOME and XDG_CACHE_HOME, as huggingface_hub reads them (huggingface_hub/constants.py).
LM Studio: its home folder, which a file in the person's home may name, and the folder that its settings name.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from app.models.entry import Source
from app.models.ollama_store import store_folder
from app.protocol.dataclass import dataclass
from app.protocol.plain_files import read_plain

_LONGEST = 1 << 20


@dataclass(frozen=True, slots=True)
class ModelLocation:
    """A folder to be looked through for models."""

    source: Source
    root: Path


def all_places(
    guide: str, added: Sequence[str], environment: Mapping[str, str] = os.environ, home: Path | None = None
) -> list[ModelLocation]:
    """Return every place in which models may lie: the guide's first, then the added ones. May wait for a disk."""
    home = home or Path.home()
    found = [ModelLocation(Source.GUIDE, Path(guide)), *(ModelLocation(Source.ADDED, Path(folder)) for folder in added)]
    found.append(ModelLocation(Source.HUB, hub_cache(environment, home)))
    found += [ModelLocation(Source.LM_STUDIO, folder) for folder in lm_studio_folders(home)]
    return [*found, ModelLocation(Source.OLLAMA, store_folder(environment))]


def hub_cache(environment: Mapping[str, str], home: Path) -> Path:
    """Return the folder of the hub's cache."""
    above = environment.get("XDG_CACHE_HOME") or str(home / ".cache")
    hub_home = environment.get("HF_HOME") or os.path.join(above, "huggingface")
    named = environment.get("HF_HUB_CACHE") or environment.get("HUGGINGFACE_HUB_CACHE")
    return Path(os.path.expandvars(named or os.path.join(hub_home, "hub"))).expanduser()


def lm_studio_folders(home: Path) -> list[Path]:
    """Return the folders in which LM Studio keeps models."""
    homes = [home / ".lmstudio", home / ".cache" / "lm-studio"]
    pointed = _text(home / ".lmstudio-home-pointer").strip()
    if os.path.isabs(pointed):
        homes.insert(0, Path(pointed))
    found = [folder for each in homes for folder in (_downloads(each / "settings.json"), each / "models") if folder]
    return list(dict.fromkeys(found))


def _downloads(settings: Path) -> Path | None:
    try:
        values = json.loads(_text(settings) or "{}")
    except (ValueError, RecursionError):
        return None
    folder = values.get("downloadsFolder") if isinstance(values, dict) else None
    return Path(folder) if isinstance(folder, str) and os.path.isabs(folder) and "\0" not in folder else None


def _text(path: Path) -> str:
    try:
        return read_plain(path, _LONGEST).decode("utf-8")
    except (OSError, ValueError):
        return ""
