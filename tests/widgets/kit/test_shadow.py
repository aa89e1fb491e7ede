from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QImage

from app.widgets.kit.shadow import paint_shadow
from tests.widgets.pictures import painted

SHAPE = QRectF(40, 30, 120, 60)
SHAPE_INSIDE = QRectF(30, 30, 80, 60)  # of a picture of 140 by 120


def shadow() -> QImage:
    return painted(200, 120, lambda painter, _rect: paint_shadow(painter, SHAPE, 12, 14, 3, QColor(0, 0, 0, 60)))


def darkness(image: QImage, x: int, y: int) -> int:
    return 255 - image.pixelColor(x, y).lightness()


def test_it_fades_with_the_distance_on_every_side() -> None:
    image = shadow()
    below = [darkness(image, 100, y) for y in range(91, 107)]
    beside = [darkness(image, x, 60) for x in range(39, 26, -1)]
    for fading in (below, beside):
        assert fading[0] > 5
        assert fading == sorted(fading, reverse=True)
        assert fading[-1] <= 2


def test_it_lies_below_and_is_even_from_left_to_right() -> None:
    image = shadow()
    assert darkness(image, 100, 95) > darkness(image, 100, 24)
    assert [darkness(image, x, 95) for x in range(200)] == [darkness(image, 199 - x, 95) for x in range(200)]


def test_it_is_even_on_all_sides_and_keeps_its_colour() -> None:
    """One quarter is computed: the others are its mirror images, for odd and even sizes alike."""
    green = QColor(0, 200, 0, 255)
    for radius, blur in ((0, 3), (5, 4), (12, 14), (7, 1)):
        image = painted(140, 120, lambda p, _rect, r=radius, b=blur: paint_shadow(p, SHAPE_INSIDE, r, b, 0, green))  # type: ignore[misc]
        assert image == image.flipped(Qt.Orientation.Horizontal), (radius, blur)
        assert image == image.flipped(Qt.Orientation.Vertical), (radius, blur)
        pixel = image.pixelColor(70, 29)
        assert pixel.red() == pixel.blue() < pixel.green(), (radius, blur)


def test_nothing_is_drawn_where_the_shape_will_be() -> None:
    assert darkness(shadow(), 100, 60) == 0
