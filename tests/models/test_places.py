"""Where other programs keep models, by what they and the person have set."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from app.models.entry import Source
from app.models.places import ModelLocation, all_places, hub_cache, lm_studio_folders

HOME = Path("/home/ana")


@pytest.mark.parametrize(
    ("environment", "folder"),
    [
        ({}, "/home/ana/.cache/huggingface/hub"),
        ({"XDG_CACHE_HOME": "/c"}, "/c/huggingface/hub"),
        ({"HF_HOME": "/h", "XDG_CACHE_HOME": "/c"}, "/h/hub"),
        ({"HUGGINGFACE_HUB_CACHE": "/old", "HF_HOME": "/h"}, "/old"),
        ({"HF_HUB_CACHE": "/new", "HUGGINGFACE_HUB_CACHE": "/old"}, "/new"),
        ({"HF_HUB_CACHE": ""}, "/home/ana/.cache/huggingface/hub"),
    ],
)
def test_the_hubs_cache_is_where_its_library_has_it(environment: dict[str, str], folder: str) -> None:
    assert hub_cache(environment, HOME) == Path(folder)


def test_lm_studio_has_two_homes_or_one_that_it_names(tmp_path: Path) -> None:
    usual = [tmp_path / ".lmstudio" / "models", tmp_path / ".cache" / "lm-studio" / "models"]
    assert lm_studio_folders(tmp_path) == usual
    home = tmp_path / "elsewhere"
    home.mkdir()
    (tmp_path / ".lmstudio-home-pointer").write_text(f"{home}\n")
    (home / "settings.json").write_text(json.dumps({"downloadsFolder": "/Volumes/Big/models"}))
    assert lm_studio_folders(tmp_path) == [Path("/Volumes/Big/models"), home / "models", *usual]


@pytest.mark.parametrize("text", ["", "{", "[]", '{"downloadsFolder": 5}', '{"downloadsFolder": "a/b"}', "[" * 100_000])
def test_settings_that_say_nothing_are_passed_over(tmp_path: Path, text: str) -> None:
    (tmp_path / ".lmstudio").mkdir()
    (tmp_path / ".lmstudio" / "settings.json").write_text(text)
    (tmp_path / ".lmstudio-home-pointer").write_text("not absolute")
    assert len(lm_studio_folders(tmp_path)) == 2


def test_every_place_is_looked_at_once() -> None:
    found = all_places("/guide", ("/a", "/b"), {"OLLAMA_MODELS": "/o"}, HOME)
    assert found[:4] == [
        ModelLocation(Source.GUIDE, Path("/guide")),
        ModelLocation(Source.ADDED, Path("/a")),
        ModelLocation(Source.ADDED, Path("/b")),
        ModelLocation(Source.HUB, HOME / ".cache" / "huggingface" / "hub"),
    ]
    assert found[-1] == ModelLocation(Source.OLLAMA, Path("/o"))
    assert len(found) == len(set(found)) == 7
