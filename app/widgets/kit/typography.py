"""Text roles: one QFont and its metrics for each, made once for a text size."""

from __future__ import annotations

import sys
from collections.abc import Callable
from enum import Enum
from functools import cache, lru_cache
from typing import Self

from PySide6.QtGui import QFont, QFontDatabase, QFontMetricsF

from app.protocol.dataclass import dataclass

BODY_SIZE = 14
SMALLEST_BODY, LARGEST_BODY = 10, 24
_SMALLEST = 9
_SHORT, _REMEMBERED = 200, 1024  # characters of a text whose width is remembered, and how many such texts


class TextRole(Enum):
    """Roles: pixels at the usual text size, weight, line height, and whether the pitch is fixed."""

    DISPLAY = (26, 600, 32, False)
    TITLE = (17, 600, 24, False)
    SUBTITLE = (15, 600, 22, False)
    HEADLINE = (13, 600, 18, False)
    BODY = (14, 400, 22, False)
    BODY_STRONG = (14, 600, 22, False)
    UI = (13, 400, 18, False)
    UI_MEDIUM = (13, 500, 18, False)
    SMALL = (12, 400, 16, False)
    SMALL_MEDIUM = (12, 500, 16, False)
    CAP = (11, 400, 14, False)
    CAP_MEDIUM = (11, 500, 14, False)
    CAP_STRONG = (11, 600, 14, False)
    CODE = (12, 400, 19, True)
    MONO = (11, 400, 14, True)


@dataclass(frozen=True, slots=True)
class TextStyle:
    """A role at the present text size, in points. line: the height of its line box. remembered: widths of texts."""

    font: QFont
    metrics: QFontMetricsF
    line: int
    ascent: float
    descent: float
    remembered: Callable[[str], float]

    @classmethod
    def of(cls, font: QFont, line: int) -> Self:
        """Measure a font."""
        metrics = QFontMetricsF(font)
        # Not the method itself: it is asked for its docstring, which takes PySide 30 ms to make of its signatures.
        remembered = lru_cache(_REMEMBERED)(lambda text: metrics.horizontalAdvance(text))
        return cls(font, metrics, line, metrics.ascent(), metrics.descent(), remembered)

    def width(self, text: str) -> float:
        """Return the points that a text takes on one line."""
        return self.remembered(text) if len(text) <= _SHORT else self.metrics.horizontalAdvance(text)


class Typography:
    """All roles at one text size, and the measures that grow with it.

    body: pixels of the body role, 10 to 24; every other role keeps its proportion to it. code_family: of the roles
    whose pitch is fixed, "" or one that is not installed for the system's own.
    """

    def __init__(self, body: int = BODY_SIZE, code_family: str = "") -> None:
        self.code_family = code_family
        self.body = min(LARGEST_BODY, max(SMALLEST_BODY, body))
        self.scale = self.body / BODY_SIZE
        self._text_styles: dict[TextRole, TextStyle] = {}

    def __getitem__(self, role: TextRole) -> TextStyle:
        text_style = self._text_styles.get(role)
        if text_style is None:
            text_style = self._text_styles[role] = self._make(role)
        return text_style

    def scaled(self, points: float) -> int:
        """Convert a measure at the usual text size to whole points at this one."""
        return round(points * self.scale)

    def icon(self, points: int = 16) -> int:
        """Return an icon's size beside text: grows with it up to half as large again, and never shrinks."""
        return round(points * min(1.5, max(1.0, self.scale)))

    @property
    def row(self) -> int:
        """Height of a row with one line, and of a button."""
        return self.scaled(18) + 10

    @property
    def two_line_row(self) -> int:
        """Height of a row with two lines."""
        return self.scaled(30) + 10

    @property
    def bar(self) -> int:
        """Height of the bars at the top of the window: two lines and their margins."""
        return self.scaled(34) + 18

    @property
    def foot(self) -> int:
        """Height of the lines at the foot of the window."""
        return self.scaled(14) + 14

    def _family(self, is_fixed: bool) -> str:
        is_chosen = is_fixed and bool(self.code_family) and QFontDatabase.hasFamily(self.code_family)
        return self.code_family if is_chosen else system_family(is_fixed)

    def _make(self, role: TextRole) -> TextStyle:
        pixels, weight, line, is_fixed = role.value
        font = QFont(self._family(is_fixed))
        font.setPixelSize(max(_SMALLEST, self.scaled(pixels)))
        font.setWeight(QFont.Weight(weight))
        font.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
        if is_fixed:
            font.setStyleHint(QFont.StyleHint.Monospace)
            font.setFixedPitch(True)
        else:
            font.setFeature(QFont.Tag("tnum"), 1)
        if role is TextRole.DISPLAY:
            font.setLetterSpacing(QFont.SpacingType.AbsoluteSpacing, -0.5 * self.scale)
        return TextStyle.of(font, self.scaled(line))


@cache
def system_family(is_fixed: bool) -> str:
    """Return the system's own family; off the Mac the nearest relative of its fonts, where one is installed.

    It is found once: going through all that are installed takes a millisecond or two.
    """
    kind = QFontDatabase.SystemFont.FixedFont if is_fixed else QFontDatabase.SystemFont.GeneralFont
    family = QFontDatabase.systemFont(kind).family()
    relative = "JetBrains Mono" if is_fixed else "Inter"
    if sys.platform != "darwin" and QFontDatabase.hasFamily(relative):
        return relative
    return family
