from __future__ import annotations

from typing import Any, cast

import pytest
from PySide6.QtWidgets import QApplication

from app.widgets.kit.typography import BODY_SIZE, TextRole, Typography


@pytest.fixture
def usual(qapp: QApplication) -> Typography:
    return Typography()


def test_roles_have_their_sizes_and_lines(usual: Typography) -> None:
    assert usual[TextRole.BODY].font.pixelSize() == BODY_SIZE
    assert (usual[TextRole.CAP].font.pixelSize(), usual[TextRole.CAP].line) == (11, 14)
    assert (usual.row, usual.two_line_row, usual.bar, usual.foot) == (28, 40, 52, 28)


def test_a_font_is_made_once(usual: Typography) -> None:
    assert usual[TextRole.UI] is usual[TextRole.UI]


@pytest.mark.parametrize("role", [role for role in TextRole if not role.value[3]])
def test_digits_are_equally_wide_so_that_figures_do_not_move(usual: Typography, role: TextRole) -> None:
    assert usual[role].width("1111") == usual[role].width("8888")


def test_code_is_set_in_a_fixed_pitch(usual: Typography) -> None:
    assert usual[TextRole.CODE].width("iiii") == usual[TextRole.CODE].width("MMMM")


@pytest.mark.parametrize(("asked", "given"), [(3, 10), (10, 10), (17, 17), (24, 24), (90, 24)])
def test_the_text_size_stays_in_its_range(qapp: QApplication, asked: int, given: int) -> None:
    assert Typography(asked)[TextRole.BODY].font.pixelSize() == given


def test_every_role_follows_the_text_size(qapp: QApplication) -> None:
    usual, large = Typography(14), Typography(21)
    for role in TextRole:
        assert large[role].font.pixelSize() == round(usual[role].font.pixelSize() * 1.5)
        assert large[role].line >= 1.4 * usual[role].line
    assert large.row == 27 + 10


def test_the_smallest_text_is_still_legible(qapp: QApplication) -> None:
    assert min(Typography(10)[role].font.pixelSize() for role in TextRole) >= 8


def test_widths_are_those_of_the_font_and_few_are_remembered(usual: Typography) -> None:
    style = usual[TextRole.UI]
    texts = [f"{number} words " * (number % 20) for number in range(3000)]
    assert [style.width(text) for text in texts] == [style.metrics.horizontalAdvance(text) for text in texts]
    kept = cast(Any, style.remembered).cache_info()
    assert kept.currsize == kept.maxsize
    assert kept.misses < len(texts)
