"""A model that another program keeps is found and opened with real key presses."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.model_folder import write_model_folder
from tests.scenarios.person import PATIENCE, Person, needs_display, sitting_down

pytestmark = [needs_display, pytest.mark.timeout(240)]
ELSEWHERE = ("HF_HOME", "HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE", "XDG_CACHE_HOME", "OLLAMA_MODELS")


@pytest.fixture
def person(tmp_path: Path) -> Iterator[Person]:
    models = tmp_path / ".lmstudio" / "models" / "someone"
    for seed, name in enumerate(("Apple", "Pear", "Plum")):
        write_model_folder(models / name, seed=seed)
    environment = {name: value for name, value in os.environ.items() if name not in ELSEWHERE} | {"HOME": str(tmp_path)}
    with sitting_down(tmp_path / "data", (sys.executable, "-m", "app"), environment) as someone:
        yield someone


def settings(person: Person) -> dict[str, Any]:
    file = next(person.data.glob("**/settings.json"), None)
    found: dict[str, Any] = {} if file is None else json.loads(file.read_text())
    return found


def wait_for_model(person: Person, name: str) -> None:
    end = time.monotonic() + PATIENCE
    while Path(settings(person).get("model", "")).name != name:
        assert time.monotonic() < end, f"{name} was not opened: {settings(person)}"
        time.sleep(0.1)


def test_a_model_is_filtered_and_opened_in_the_window_of_models(person: Person) -> None:
    person.start()
    main = person.xdotool("getwindowfocus").strip()
    person.type("What is a branch?")
    person.press("Return")
    person.wait_until(lambda saved: any(stop is not None for _, _, stop, _ in saved), "the answer of the guide")
    person.press("ctrl+shift+m")
    person.come_to("^Models$")
    person.type("pea")
    person.press("Return")
    wait_for_model(person, "Pear")
    person.xdotool("windowfocus", "--sync", main)
    assert person.quit() == 0
    used = settings(person)["models_used"]
    assert next(Path(path).name for path in used) == "Pear", used
