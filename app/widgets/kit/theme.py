"""The colour roles, light and dark: the only place with colours.

The values keep a contrast of at least 4.5:1 for text and 3:1 for marks on every surface they may stand on; the tests
compute it.
"""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtGui import QColor, QPalette

from app.protocol.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Theme:
    """One colour for each role. A QColor can be changed in place: never do so, take `translucent` or a copy.

    window: chat; panel: inspector; raised: composer, popovers, plain buttons. line: separators; line2: outlines of
    controls and idle tree lines. fill: the person's message, hover; fill2: pills, pressed. track: empty part of a bar.
    ghost: disabled icons, fork arms; mute: dotted rail, computed share. text, text2, text3: body, labels, figures.
    accent: as text; accentfill with onaccent: default button; accentgfx: discs, bars, rail, focus ring; soft: selected
    row. outline: around fills and pills, transparent unless contrast is increased. shadow: black at its strength.
    """

    is_dark: bool
    window: QColor
    sidebar: QColor
    panel: QColor
    raised: QColor
    line: QColor
    line2: QColor
    fill: QColor
    fill2: QColor
    track: QColor
    ghost: QColor
    mute: QColor
    text: QColor
    text2: QColor
    text3: QColor
    accent: QColor
    accentfill: QColor
    onaccent: QColor
    accentgfx: QColor
    soft: QColor
    softline: QColor
    code: QColor
    codeline: QColor
    warn: QColor
    warnbg: QColor
    warnline: QColor
    err: QColor
    errbg: QColor
    errline: QColor
    keyword: QColor
    string: QColor
    number: QColor
    comment: QColor
    name: QColor
    segment: QColor
    shadow: QColor
    outline: QColor

    def with_increased_contrast(self) -> Theme:
        """Return a copy of this theme for people who ask the system for more contrast."""
        return replace(
            self,
            line=self.line2,
            line2=self.mute,
            ghost=self.mute,
            text2=self.text,
            text3=self.text,
            outline=self.mute,
        )


def translucent(color: QColor, alpha: float) -> QColor:
    """Return a copy of the colour at `alpha`, 0 to 1."""
    copy = QColor(color)
    copy.setAlphaF(alpha)
    return copy


def _colors(**roles: str) -> dict[str, QColor]:
    return {role: QColor(value) for role, value in roles.items()}


LIGHT = Theme(
    is_dark=False,
    shadow=translucent(QColor("#000000"), 0.16),
    outline=translucent(QColor("#000000"), 0.0),
    **_colors(
        window="#ffffff",
        sidebar="#f3f4f1",
        panel="#fafaf8",
        raised="#ffffff",
        line="#e3e5e0",
        line2="#d2d5cf",
        fill="#f3f4f1",
        fill2="#e9ebe6",
        track="#e1e4de",
        ghost="#b4bab4",
        mute="#79807b",
        text="#1b1e1c",
        text2="#545a56",
        text3="#626864",
        accent="#1e6f47",
        accentfill="#237a50",
        onaccent="#ffffff",
        accentgfx="#2f8f5f",
        soft="#e2efe7",
        softline="#bfdccb",
        code="#f6f7f4",
        codeline="#e6e8e3",
        warn="#855300",
        warnbg="#fdf3df",
        warnline="#ebd5a5",
        err="#b3261e",
        errbg="#fcecea",
        errline="#f0c9c5",
        keyword="#8a2d72",
        string="#1e6f47",
        number="#8f4a00",
        comment="#626864",
        name="#22558f",
        segment="#ffffff",
    ),
)

DARK = Theme(
    is_dark=True,
    shadow=translucent(QColor("#000000"), 0.55),
    outline=translucent(QColor("#000000"), 0.0),
    **_colors(
        window="#191b1a",
        sidebar="#212422",
        panel="#1e201f",
        raised="#282b29",
        line="#2e3230",
        line2="#414643",
        fill="#232624",
        fill2="#2d312e",
        track="#363b38",
        ghost="#5c635e",
        mute="#8a918c",
        text="#e4e7e4",
        text2="#b1b7b2",
        text3="#9aa19c",
        accent="#76cf9f",
        accentfill="#2b7d55",
        onaccent="#ffffff",
        accentgfx="#52b481",
        soft="#22372c",
        softline="#335643",
        code="#212422",
        codeline="#2e3230",
        warn="#e8b65a",
        warnbg="#332a18",
        warnline="#57451f",
        err="#ff8f85",
        errbg="#3a2220",
        errline="#5e3330",
        keyword="#e59bd0",
        string="#8fd6ae",
        number="#e8b77a",
        comment="#9aa19c",
        name="#93bdf2",
        segment="#4a504c",
    ),
)


def palette(theme: Theme) -> QPalette:
    """Return the theme for Qt's own parts: text fields, menus, scroll bars, message boxes."""
    role = QPalette.ColorRole
    result = QPalette()
    for where, color in (
        (role.Window, theme.window),
        (role.Base, theme.window),
        (role.AlternateBase, theme.fill),
        (role.Text, theme.text),
        (role.WindowText, theme.text),
        (role.ButtonText, theme.text),
        (role.Button, theme.raised),
        (role.ToolTipBase, theme.raised),
        (role.ToolTipText, theme.text),
        (role.Highlight, theme.soft),
        (role.HighlightedText, theme.accent),
        (role.Accent, theme.accentfill),
        (role.PlaceholderText, theme.text3),
        (role.Mid, theme.line2),
        (role.Midlight, theme.line),
        (role.Light, theme.raised),
        (role.Dark, theme.mute),
        (role.Link, theme.accent),
        (role.LinkVisited, theme.accent),
    ):
        result.setColor(where, color)
    for where in (role.Text, role.WindowText, role.ButtonText):
        result.setColor(QPalette.ColorGroup.Disabled, where, theme.text3)
    return result


def field_palette(theme: Theme) -> QPalette:
    """Return the theme for a field of text: no ground, which is painted, and a selection whose words keep their colour.

    What it does not set is that of the application.
    """
    role = QPalette.ColorRole
    result = QPalette()
    for where, color in (
        (role.Base, translucent(theme.raised, 0.0)),
        (role.Text, theme.text),
        (role.PlaceholderText, theme.text3),
        (role.Highlight, theme.softline),
        (role.HighlightedText, theme.text),
    ):
        result.setColor(where, color)
    return result
