from __future__ import annotations

import re
from pathlib import Path

import pytest
from PySide6.QtGui import QColor, QPalette

import app.widgets
from app.widgets.kit.theme import DARK, LIGHT, Theme, palette, translucent

SURFACES = ("window", "sidebar", "panel", "raised", "fill", "fill2", "soft", "code")
THEMES = (LIGHT, DARK, LIGHT.with_increased_contrast(), DARK.with_increased_contrast())
TEXT_PAIRS = [
    *((text, surface) for text in ("text", "text2", "text3", "accent") for surface in SURFACES),
    *((ink, "code") for ink in ("keyword", "string", "number", "comment", "name")),
    ("onaccent", "accentfill"),
    ("warn", "warnbg"),
    ("text", "warnbg"),
    ("err", "errbg"),
    ("text", "errbg"),
    ("err", "panel"),
    ("warn", "window"),
    ("text", "segment"),
]
MARK_PAIRS = [
    (mark, pane) for mark in ("accentgfx", "mute") for pane in ("window", "sidebar", "panel", "raised", "soft", "track")
]


def luminance(color: QColor) -> float:
    """Relative luminance, WCAG 2.2."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in color.getRgbF()[:3]]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(theme: Theme, first: str, second: str) -> float:
    """Contrast of two roles, WCAG 2.2."""
    light, dark = sorted((luminance(getattr(theme, role)) for role in (first, second)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("theme", THEMES)
def test_text_reaches_four_and_a_half_to_one_wherever_it_stands(theme: Theme) -> None:
    too_low = [(pair, round(ratio, 2)) for pair in TEXT_PAIRS if (ratio := contrast(theme, *pair)) < 4.5]
    assert not too_low


@pytest.mark.parametrize("theme", THEMES)
def test_marks_reach_three_to_one_wherever_they_stand(theme: Theme) -> None:
    too_low = [(pair, round(ratio, 2)) for pair in MARK_PAIRS if (ratio := contrast(theme, *pair)) < 3]
    assert not too_low


def test_the_contrast_formula_gives_its_known_ends() -> None:
    assert contrast(LIGHT, "window", "window") == pytest.approx(1)
    assert (luminance(QColor("white")) + 0.05) / (luminance(QColor("black")) + 0.05) == pytest.approx(21)


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_increased_contrast_draws_outlines_and_strengthens_what_is_faint(theme: Theme) -> None:
    strong = theme.with_increased_contrast()
    assert theme.outline.alpha() == 0
    assert strong.outline.alpha() == 255
    assert strong.text3 == theme.text
    assert strong.ghost == theme.mute
    assert contrast(strong, "line2", "window") > contrast(theme, "line2", "window")


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_the_palette_takes_its_colours_from_the_theme(theme: Theme) -> None:
    made = palette(theme)
    role = QPalette.ColorRole
    assert made.color(role.Highlight) == theme.soft
    assert made.color(role.HighlightedText) == theme.accent
    assert made.color(role.Accent) == theme.accentfill
    assert made.color(role.PlaceholderText) == theme.text3
    assert made.color(QPalette.ColorGroup.Disabled, role.Text) == theme.text3


def test_a_translucent_colour_is_a_copy() -> None:
    faint = translucent(LIGHT.accentgfx, 0.5)
    assert faint.alpha() == 128
    assert LIGHT.accentgfx.alpha() == 255


def test_colours_are_written_down_in_the_theme_alone() -> None:
    folder = Path(app.widgets.__file__).parent
    literal = re.compile(r"[\"']#[0-9a-fA-F]{3,8}\b|GlobalColor\.(?!transparent)|QColor\(\d")
    found = [path.name for path in folder.rglob("*.py") if literal.search(path.read_text(encoding="utf-8"))]
    assert found == ["theme.py"]
