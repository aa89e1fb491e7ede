"""Drawings of formulas come from their process, once each, and whatever happens to it nobody waits for ever."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from PySide6.QtGui import QColor, QImage, QPainter
from pytestqt.qtbot import QtBot

from app.processes import line_process
from app.widgets.kit.formulas import Formulas, _drawing_of
from tests.widgets.pictures import count


@pytest.fixture
def formulas(qapp: object) -> Iterator[Formulas]:
    formulas = Formulas()
    yield formulas
    formulas.close()


def wait_for(qtbot: QtBot, formulas: Formulas, *all_tex: str) -> None:
    qtbot.waitUntil(
        lambda: sum(formulas.is_known(tex, is_display=False) for tex in all_tex) == len(all_tex), timeout=30_000
    )


def test_a_formula_is_asked_for_once_and_kept(qtbot: QtBot, formulas: Formulas) -> None:
    told = []
    formulas.drawn.connect(lambda: told.append(1))
    assert not formulas.is_known("x^2", is_display=False)
    assert formulas.drawing("x^2", is_display=False) is None
    wait_for(qtbot, formulas, "x^2", r"\frac{a")
    drawing = formulas.drawing("x^2", is_display=False)
    assert drawing is not None
    assert 0.5 < drawing.width < 2
    assert 0.5 < drawing.ascent < 1.5
    assert formulas.drawing(r"\frac{a", is_display=False) is None
    qtbot.waitUntil(lambda: bool(told))


def test_a_drawing_has_the_colour_it_is_given(qtbot: QtBot, formulas: Formulas) -> None:
    wait_for(qtbot, formulas, "x")
    drawing = formulas.drawing("x", is_display=False)
    assert drawing is not None
    image = QImage(40, 40, QImage.Format.Format_RGB32)
    image.fill(QColor("#191b1a"))
    painter = QPainter(image)
    drawing.paint(painter, image.rect().toRectF(), QColor("#e4e7e4"))
    painter.end()
    assert count(image, QColor("#e4e7e4")) > 20


def test_a_formula_that_takes_for_ever_is_given_up_and_the_next_one_drawn(qtbot: QtBot, formulas: Formulas) -> None:
    endless = "{" * 60 + "x" + "}" * 60
    wait_for(qtbot, formulas, endless, "y")
    assert formulas.drawing(endless, is_display=False) is None
    assert formulas.drawing("y", is_display=False) is not None


def test_a_process_that_cannot_be_started_leaves_every_formula_as_it_is(
    qtbot: QtBot, formulas: Formulas, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(line_process, "child_command", lambda flag: ["/nowhere/python", flag])
    many = [f"x_{number}" for number in range(20)]
    wait_for(qtbot, formulas, *many)
    assert all(formulas.drawing(tex, is_display=False) is None for tex in many)


def test_it_ends_when_nothing_was_asked_for_a_while(qtbot: QtBot, formulas: Formulas) -> None:
    formulas._idle.setInterval(1)
    wait_for(qtbot, formulas, "x")
    qtbot.waitUntil(lambda: not formulas._process.is_running)
    wait_for(qtbot, formulas, "y")
    assert formulas.drawing("y", is_display=False) is not None


@pytest.mark.parametrize(
    "line",
    [b"", b"{", b"[]", b"{}", b'{"svg": 1}', b'{"svg": ""}', b'{"svg": "<svg"}', b'{"svg": "<svg/>"}', b"\xff"]
    + [
        json.dumps({"svg": f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box}"/>'}).encode()
        for box in ("0 0 0 0", "0 0 -1 5", "0 0 1e9 5", "0 -1e9 5 5", "nan nan nan nan")
    ],
)
def test_an_answer_that_makes_no_sense_is_no_drawing(qapp: object, line: bytes) -> None:
    assert _drawing_of(line) is None
