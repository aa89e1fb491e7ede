"""Whoever listens, goes by Tab, or sees little finds every widget of every state that there is a picture of.

A new widget is met when its state has a picture; one that is in none fails here.
"""

from __future__ import annotations

import importlib
import json
import os
import pkgutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QWidget

import app.widgets

ROOT = Path(__file__).parents[2]
LONGEST = 1200  # seconds, beside much other work
pytestmark = pytest.mark.timeout(LONGEST + 60)

# Menus and what is only there while something is dragged: neither takes the keyboard.
NOT_MET = {
    "app.widgets.chat.messages.message_menu.MessageMenu",
    "app.widgets.window.budget_menu.BudgetMenu",
    "app.widgets.window.drop.DropOutline",
}


@pytest.fixture(scope="module")
def told() -> tuple[list[str], set[str]]:
    """Return the faults of all states, and the classes of the widgets that were met."""
    command, known = [sys.executable, "-m", "tests.packaging.every_widget"], os.environ | {"PYTHONPATH": "packaging"}
    done = subprocess.run(command, cwd=ROOT, env=known, capture_output=True, text=True, timeout=LONGEST, check=False)
    assert done.returncode == 0, done.stderr
    *faults, seen = done.stdout.splitlines()
    return faults, set(json.loads(seen))


def subclasses(base: type) -> Iterator[type]:
    for one in base.__subclasses__():
        yield one
        yield from subclasses(one)


def test_each_is_named_and_reached_and_stands_out(told: tuple[list[str], set[str]]) -> None:
    faults, _seen = told
    assert faults == []


def test_each_class_of_widgets_is_met(told: tuple[list[str], set[str]]) -> None:
    _faults, seen = told
    for module in pkgutil.walk_packages(app.widgets.__path__, "app.widgets."):
        importlib.import_module(module.name)
    ours = {f"{one.__module__}.{one.__qualname__}" for one in subclasses(QWidget) if one.__module__.startswith("app.")}
    assert ours - seen == NOT_MET
