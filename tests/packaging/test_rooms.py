"""The drawing of the rooms shows them as they are, and rooms that know one another in a circle cannot be drawn."""

from __future__ import annotations

from pathlib import Path

import pytest
from tools.rooms import OUT, direct, drawn, knows, room_of, tiers

GRAPH = {"top": {"middle", "bottom"}, "middle": {"bottom"}, "beside": {"bottom"}, "bottom": set[str]()}


def test_the_drawing_is_that_of_the_imports() -> None:
    assert OUT.read_text(encoding="utf-8") == drawn(knows()), "the rooms have changed: run make rooms"


def test_an_arrow_that_a_longer_way_replaces_is_left_out() -> None:
    assert direct(GRAPH) == {"top": {"middle"}, "middle": {"bottom"}, "beside": {"bottom"}, "bottom": set()}


def test_each_room_stands_above_all_that_it_knows() -> None:
    assert tiers(GRAPH) == [["top"], ["beside", "middle"], ["bottom"]]


def test_rooms_in_a_circle_are_named() -> None:
    with pytest.raises(ValueError, match="in a circle: bottom, middle, top"):
        direct({**GRAPH, "bottom": {"top"}})


def test_imports_are_read_wherever_they_stand(tmp_path: Path) -> None:
    app = tmp_path / "app"
    for name, text in {
        "main.py": "def run():\n    from app.widgets.window.pane import Pane\n",
        "widgets/window/pane.py": "from app.protocol import values\nimport os\n",
        "protocol/values.py": "",
        "protocol/__init__.py": "",
    }.items():
        path = app / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    assert knows(app) == {"launch": {"widgets/window"}, "widgets/window": {"protocol"}, "protocol": set()}


def test_a_file_at_the_top_of_a_layer_is_in_no_region() -> None:
    packages = {"app.viewmodels", "app.viewmodels.chat"}
    assert room_of("app.viewmodels.actions", packages) == "viewmodels"
    assert room_of("app.viewmodels.chat.rows", packages) == "viewmodels/chat"
    assert room_of("app.main", packages) == "launch"
