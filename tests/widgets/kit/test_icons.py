from __future__ import annotations

import pytest
from PySide6.QtCore import QPointF
from PySide6.QtGui import QColor, QIcon

from app.widgets.kit.icon_paths import Icon
from app.widgets.kit.icons import IconCache
from app.widgets.kit.style import Style
from app.widgets.kit.theme import DARK, LIGHT
from tests.widgets.pictures import count, painted


@pytest.mark.parametrize("icon", list(Icon))
def test_each_icon_is_drawn_in_its_colour(style: Style, icon: Icon) -> None:
    image = style.icons.pixmap(icon, QColor("#ff0000"), 32).toImage()
    drawn = [image.pixelColor(x, y) for x in range(32) for y in range(32) if image.pixelColor(x, y).alpha() > 250]
    assert len(drawn) > 20
    assert all(color.red() > 250 and color.green() < 5 for color in drawn)


def test_no_icon_is_drawn_twice_under_two_names() -> None:
    assert len({icon.value for icon in Icon}) == len(Icon)


def test_a_rendered_icon_is_kept(style: Style) -> None:
    cache = IconCache()
    first = cache.pixmap(Icon.FORK, LIGHT.text2, 16, 2.0)
    assert cache.pixmap(Icon.FORK, LIGHT.text2, 16, 2.0) is first
    assert cache.pixmap(Icon.FORK, LIGHT.text, 16, 2.0) is not first
    assert len(cache) == 2


def test_size_is_in_points(style: Style) -> None:
    pixmap = style.icons.pixmap(Icon.FORK, LIGHT.text, 16, 2.0)
    assert (pixmap.width(), pixmap.deviceIndependentSize().width()) == (32, 16)


def test_painting_centres_the_icon(style: Style) -> None:
    image = painted(40, 40, lambda painter, _: style.icons.paint(painter, Icon.STOP, QPointF(20, 20), LIGHT.text))
    assert image.pixelColor(20, 20) == LIGHT.text
    assert count(image.copy(0, 0, 11, 40), LIGHT.text) == 0


def test_an_icon_for_menus_has_its_states(style: Style) -> None:
    icon = style.icons.icon(Icon.STOP, LIGHT)
    shown = {
        mode: icon.pixmap(16, mode).toImage().pixelColor(8, 8).name()
        for mode in (QIcon.Mode.Normal, QIcon.Mode.Active, QIcon.Mode.Disabled)
    }
    assert shown == {
        QIcon.Mode.Normal: LIGHT.text2.name(),
        QIcon.Mode.Active: LIGHT.text.name(),
        QIcon.Mode.Disabled: LIGHT.ghost.name(),
    }


def test_another_theme_forgets_the_old_pixmaps(style: Style) -> None:
    style.icons.pixmap(Icon.FORK, LIGHT.text)
    style.set_theme(DARK)
    assert len(style.icons) == 0
