from __future__ import annotations

import pytest
from PySide6.QtCore import QPointF
from PySide6.QtGui import QColor, QImage

from app.protocol.trie_view import Residency
from app.widgets.chat.rail import paint_fork, paint_line, version_at
from app.widgets.kit.style import Style
from app.widgets.kit.theme import LIGHT
from tests.widgets.pictures import count, painted

CENTER = QPointF(60, 40)


def line(residency: Residency) -> QImage:
    return painted(20, 100, lambda painter, _rect: paint_line(painter, LIGHT, 10, 0, 100, residency))


def fork(style: Style, version: int, residencies: tuple[Residency, ...]) -> QImage:
    return painted(120, 80, lambda painter, _rect: paint_fork(painter, style, CENTER, version, residencies))


def inked(image: QImage, left: int, right: int) -> bool:
    """Whether anything is drawn between two abscissas at the height of the discs."""
    ground = image.pixelColor(0, 0)
    return any(image.pixelColor(x, y) != ground for x in range(left, right) for y in range(34, 46))


@pytest.mark.parametrize("residency", ["live", "memory"])
def test_solid_where_it_is_held(residency: Residency) -> None:
    assert count(line(residency), LIGHT.accentgfx) == 200


def test_dotted_and_grey_where_it_must_be_computed() -> None:
    image = line("none")
    assert count(image, LIGHT.accentgfx) == 0
    gaps = sum(image.pixelColor(10, y) == image.pixelColor(0, 0) for y in range(100))
    assert 20 < gaps < 80


def test_the_dots_of_neighbouring_rows_join() -> None:
    """Each row draws its piece of the line; together they are one line."""
    whole = line("none")

    def pieces(painter: object, _rect: object) -> None:
        paint_line(painter, LIGHT, 10, 0, 37, "none")  # type: ignore[arg-type]
        paint_line(painter, LIGHT, 10, 37, 100, "none")  # type: ignore[arg-type]

    assert abs(count(painted(20, 100, pieces), LIGHT.mute) - count(whole, LIGHT.mute)) < 12


def test_earlier_versions_stand_left_and_later_ones_right(style: Style) -> None:
    first, last = fork(style, 1, ("live", "memory")), fork(style, 2, ("live", "memory"))
    assert (inked(first, 36, 52), inked(first, 68, 84)) == (False, True)
    assert (inked(last, 36, 52), inked(last, 68, 84)) == (True, False)


def test_of_many_versions_the_nearest_have_discs_and_the_rest_a_number(style: Style) -> None:
    image = fork(style, 3, ("live",) * 9)
    assert inked(image, 68, 84)
    assert inked(image.copy(0, -17, 120, 80), 84, 112)  # the number, as high as the arm
    assert not inked(image, 84, 112)
    assert count(image, LIGHT.accentgfx) < 2 * 60


def test_a_disc_is_found_where_it_is_painted() -> None:
    """Those of other versions, to either side; this version's own leads nowhere."""
    center = QPointF(50, 40)
    assert version_at(center, 2, 3, QPointF(34, 41)) == (QPointF(34, 40), 0)
    assert version_at(center, 2, 3, QPointF(66, 36)) == (QPointF(66, 40), 2)
    assert version_at(center, 2, 3, center) is None
    assert version_at(center, 1, 3, QPointF(34, 40)) is None
    assert version_at(center, 3, 9, QPointF(66, 40)) == (QPointF(66, 40), 3)
    assert version_at(center, 3, 9, QPointF(82, 40)) is None
    assert version_at(center, 2, 0, QPointF(34, 40)) is None


def test_no_disc_and_no_number_stands_where_the_name_of_the_message_does(style: Style) -> None:
    """The name begins 32 points right of the rail, half a line above the disc's middle."""
    for versions in range(2, 13):
        for version in range(1, versions + 1):
            name = fork(style, version, ("live",) * versions).copy(60 + 30, 40 - 7, 30, 14)
            assert count(name, QColor("#ffffff")) == name.width() * name.height(), (version, versions)
