"""Every mark, control, text role, icon and colour on one sheet, in each of its states."""

from __future__ import annotations

from typing import get_args

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from app.protocol.trie_view import Residency
from app.viewmodels.cache.rows import RESIDENCY_NAMES
from app.widgets.chat.messages.version_switcher import VersionSwitcher
from app.widgets.kit.controls import Button, Control, RoundButton, State, ToolButton
from app.widgets.kit.drawing import draw_text, fill_rounded, smooth, stroke_rounded
from app.widgets.kit.icon_paths import Icon
from app.widgets.kit.marks import paint_budget, paint_cost, paint_disc, paint_pill, paint_warmth
from app.widgets.kit.style import Style
from app.widgets.kit.theme import translucent
from app.widgets.kit.typography import TextRole
from app.widgets.window.context_gauge import ContextGauge
from app.widgets.window.model_chip import ModelChip

_WORDS: dict[Residency, str] = {**RESIDENCY_NAMES, "disk": "On disk"}
_STATES = (*State, "focus")
_LEFT, _MIDDLE, _RIGHT = 40, 440, 1010
_ROLES = (
    "window", "sidebar", "panel", "raised", "line", "line2", "fill", "fill2", "track", "ghost", "mute", "text3",
    "text2", "text", "soft", "softline", "accentgfx", "accentfill", "accent", "code", "warnbg", "warn", "errbg", "err",
)  # fmt: skip


class ComponentSheet(QWidget):
    """1440 x 900. Real controls, put into their states by hand; marks painted by their own functions."""

    def __init__(self, style: Style) -> None:
        super().__init__()
        self._style = style
        self._rings: list[Control] = []
        self.resize(QSize(1440, 900))
        self._add_buttons()
        self._add_small_controls()
        self._add_toolbar_parts()

    def _add_toolbar_parts(self) -> None:
        for row, (name, detail, is_missing) in enumerate((("Qwen3 8B", "4-bit", False), ("Phi-4", "not found", True))):
            chip = ModelChip(self._style, self)
            chip.show_model(name, detail, is_missing)
            chip.adjustSize()
            chip.move(_MIDDLE, 548 + row * 40)
        for row, used in enumerate((3794, 30_100)):
            gauge = ContextGauge(self._style, self)
            gauge.show_context(used, 32_768)
            gauge.adjustSize()
            gauge.move(_MIDDLE + 220, 548 + row * 40)

    def _add_buttons(self) -> None:
        for column, state in enumerate(_STATES):
            for row, is_default in enumerate((True, False)):
                button = Button(self._style, "Keep" if is_default else "Evict", is_default, parent=self)
                button.setGeometry(_MIDDLE + column * 104, 146 + row * 40, 92, 28)
                self._put(button, state)

    def _add_small_controls(self) -> None:
        for column, state in enumerate(_STATES):
            button = ToolButton(self._style, Icon.FORK, "Fork", parent=self)
            button.setGeometry(_MIDDLE + column * 44, 268, 28, 28)
            self._put(button, state)
            send = RoundButton(self._style, Icon.SEND, "Send", parent=self)
            send.setGeometry(_MIDDLE + column * 44, 308, 28, 28)
            self._put(send, state)
        for column, version in enumerate((2, 1)):
            switcher = VersionSwitcher(self._style, self)
            switcher.show_version(version, 3)
            switcher.adjustSize()
            switcher.move(_MIDDLE + 264 + column * 96, 271)

    def _put(self, control: Control, state: State | str) -> None:
        control.setEnabled(state is not State.DISABLED)
        control.setAttribute(Qt.WidgetAttribute.WA_UnderMouse, state is State.HOVER)
        control.setDown(state is State.PRESSED)
        if state == "focus":
            self._rings.append(control)

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = self._style.theme
        painter = smooth(QPainter(self))
        painter.fillRect(self.rect(), theme.panel)
        self._words(painter, _LEFT, 28, "Espalier: marks and components", TextRole.DISPLAY)
        line = "Discs say where. Bars say how much. One accent. Every state has a shape and a word."
        self._words(painter, _LEFT, 64, line, TextRole.BODY, "text2")
        for control in self._rings:
            ring = QRectF(control.geometry()).adjusted(-3, -3, 3, 3)
            stroke_rounded(painter, ring, control.ring_radius + 3, translucent(theme.accentgfx, 0.8), 3)
        self._paint_discs(painter, 116)
        self._paint_bars(painter, 290)
        self._paint_type(painter, 480)
        self._caption(painter, _MIDDLE, 116, "Buttons: rest, hover, pressed, disabled, focus")
        self._caption(painter, _MIDDLE, 240, "Tool and round buttons, switchers, pills")
        self._paint_pills(painter, 360)
        self._paint_rows(painter, 400)
        self._caption(painter, _MIDDLE, 516, "Model and context; amber from 90 %")
        self._caption(painter, _MIDDLE, 636, "Cost: reused, computed, to go")
        for row, parts in enumerate(((512, 1328, 1172), (3412, 168, 0))):
            paint_cost(painter, theme, QRectF(_MIDDLE, 668 + row * 24, 512, 8), *parts)
        below = self._paint_icons(painter, 116)
        self._paint_colors(painter, below + 32)
        painter.end()

    def _words(self, painter: QPainter, x: float, y: float, text: str, role: TextRole, color: str = "text") -> float:
        text_style = self._style.text_style(role)
        return draw_text(
            painter, text_style, QRectF(x, y, 900, text_style.line), text, getattr(self._style.theme, color)
        )

    def _caption(self, painter: QPainter, x: float, y: float, text: str) -> None:
        self._words(painter, x, y + 3, text, TextRole.CAP_STRONG, "text3")

    def _paint_discs(self, painter: QPainter, y: int) -> None:
        self._caption(painter, _LEFT, y, "Where: discs")
        for row, where in enumerate(get_args(Residency)):
            middle = y + 40 + row * 28
            paint_disc(painter, self._style.theme, QPointF(_LEFT + 8, middle), where)
            self._words(painter, _LEFT + 28, middle - 9, _WORDS[where], TextRole.UI_MEDIUM)

    def _paint_bars(self, painter: QPainter, y: int) -> None:
        theme = self._style.theme
        self._caption(painter, _LEFT, y, "How much: bars")
        kinds = ((1.0, False, "Warm"), (0.6, False, "Part warm"), (1.0, True, "On disk"), (0.0, False, "Cold"))
        for row, (share, is_on_disk, word) in enumerate(kinds):
            top = y + 38 + row * 28
            paint_warmth(painter, theme, QRectF(_LEFT, top, 22, 4), share, is_on_disk)
            self._words(painter, _LEFT + 36, top - 7, word, TextRole.UI_MEDIUM)
        top = y + 38 + 4 * 28
        paint_cost(painter, theme, QRectF(_LEFT, top, 48, 4), 9, 1)
        self._words(painter, _LEFT + 60, top - 6, "reused + computed", TextRole.SMALL, "text2")
        paint_budget(painter, theme, QRectF(_LEFT + 200, top - 2, 130, 8), 1, 3, 8)

    def _paint_type(self, painter: QPainter, y: int) -> None:
        self._caption(painter, _LEFT, y, "Type")
        y += 28
        for role in TextRole:
            pixels, _, line, is_fixed = role.value
            name = role.name.capitalize().replace("_", " ").replace("Ui", "UI")
            sample = "def fork(at):" if is_fixed else "3\u202f412 tokens"
            self._words(painter, _LEFT, y, f"{name} {pixels}/{line}  {sample}", role)
            y += self._style.text_style(role).line + 5

    def _paint_pills(self, painter: QPainter, y: int) -> None:
        left = float(_MIDDLE)
        for where, word in _WORDS.items():
            width = self._style.text_style(TextRole.CAP_MEDIUM).width(word) + (0 if where == "none" else 14)
            paint_pill(painter, self._style, left + width, y, word, where)
            left += width + 12

    def _paint_rows(self, painter: QPainter, y: int) -> None:
        theme, text_style = self._style.theme, self._style.text_style(TextRole.UI)
        self._caption(painter, _MIDDLE, y, "Rows: rest, hover, selected, selected in an inactive window, focus")
        grounds = (None, theme.fill2, theme.soft, theme.fill2, theme.soft)
        for column, ground in enumerate(grounds):
            rect = QRectF(_MIDDLE + (column % 3) * 174, y + 28 + column // 3 * 40, 162, 28)
            if ground is not None:
                fill_rounded(painter, rect, 6, ground)
            if column == 4:
                stroke_rounded(painter, rect, 6, theme.accentgfx, 2)
            color = theme.accent if ground is theme.soft else theme.text
            draw_text(painter, text_style, rect.adjusted(12, 0, -12, 0), "Trip plan", color)

    def _paint_icons(self, painter: QPainter, y: int) -> int:
        """Paint all icons; return where they end."""
        theme = self._style.theme
        self._caption(painter, _RIGHT, y, "Icons: 16 grid, 1.35 stroke, round caps")
        for number, icon in enumerate(Icon):
            x, top = _RIGHT + number % 6 * 65, y + 40 + number // 6 * 50
            self._style.icons.paint(painter, icon, QPointF(x + 29, top), theme.text, 18)
            rect = QRectF(x - 3, top + 12, 64, 16)
            name = icon.name.lower()
            draw_text(
                painter, self._style.text_style(TextRole.CAP), rect, name, theme.text3, Qt.AlignmentFlag.AlignHCenter
            )
        return y + 40 + (len(Icon) + 5) // 6 * 50 - 14

    def _paint_colors(self, painter: QPainter, y: int) -> None:
        theme = self._style.theme
        self._caption(painter, _RIGHT, y, "Colour roles")
        for number, role in enumerate(_ROLES):
            x, top = _RIGHT + number % 4 * 98, y + 30 + number // 4 * 50
            color = getattr(theme, role)
            fill_rounded(painter, QRectF(x, top, 24, 24), 6, color)
            stroke_rounded(painter, QRectF(x, top, 24, 24), 6, theme.line2)
            self._words(painter, x + 32, top - 3, role, TextRole.CAP_MEDIUM)
            self._words(painter, x + 32, top + 12, color.name(), TextRole.MONO, "text3")
