"""Buttons, painted in the states of the style: rest, hover, pressed, on, disabled. The focus ring is drawn around them.

They take the focus from the keyboard only, so that a click leaves the cursor in the composer. Space and Return press.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum, auto

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QKeyEvent, QKeySequence, QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from app.viewmodels.kit.plain_tips import plain_tip
from app.widgets.kit.drawing import draw_text, fill_rounded, smooth, stroke_rounded
from app.widgets.kit.icon_paths import Icon
from app.widgets.kit.style import Style
from app.widgets.kit.theme import Theme, translucent
from app.widgets.kit.typography import TextRole


class State(Enum):
    """States in which a control is painted."""

    REST = auto()
    HOVER = auto()
    PRESSED = auto()
    DISABLED = auto()


class Control(QAbstractButton):
    """A painted button. `ring_radius`: corner radius of the shape that the focus ring surrounds."""

    ring_radius = 7.0

    def __init__(self, style: Style, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._style = style
        self.setAccessibleName(name)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        style.changed.connect(self.updateGeometry)
        style.changed.connect(self.update)

    def setToolTip(self, tip: str) -> None:
        """Have these words as tooltip, whatever they look like."""
        super().setToolTip(plain_tip(tip))

    def setText(self, text: str) -> None:
        """Have these words, in which "&" is a letter and makes no key of the one after it."""
        super().setText(text)
        self.setShortcut(QKeySequence())

    @property
    def state(self) -> State:
        """The state to be painted now."""
        if not self.isEnabled():
            return State.DISABLED
        if self.isDown():
            return State.PRESSED
        return State.HOVER if self.underMouse() else State.REST

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.click()
        else:
            super().keyPressEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = smooth(QPainter(self))
        self._paint(painter, QRectF(self.rect()))
        painter.end()

    def _paint(self, painter: QPainter, rect: QRectF) -> None:
        raise NotImplementedError


class Button(Control):
    """A push button with words, and an icon before them if given. `is_default`: the one that Return would press."""

    spare = 12
    """Points that it can be narrower than its hint without a word being cut."""

    def __init__(
        self,
        style: Style,
        text: str,
        is_default: bool = False,
        icon: Icon | None = None,
        parent: QWidget | None = None,
        others: Sequence[str] = (),
    ) -> None:
        """others: words that it may come to have, for which it keeps room."""
        super().__init__(style, text, parent)
        self.setText(text)
        self._others = tuple(others)
        self.is_default = is_default
        self._icon = icon

    def set_text(self, text: str, icon: Icon | None = None) -> None:
        """Change the words, for the eye and for a screen reader, and the icon where one is given."""
        self._icon = icon or self._icon
        self.setText(text)
        self.setAccessibleName(text)
        self.updateGeometry()

    def sizeHint(self) -> QSize:
        text_style = self._style.text_style(TextRole.UI_MEDIUM)
        widest = max(text_style.width(words) for words in (self.text(), *self._others))
        return QSize(round(widest + 28 + self._lead()), self._style.typography.row)

    def _paint(self, painter: QPainter, rect: QRectF) -> None:
        theme, state = self._style.theme, self.state
        fill_rounded(painter, rect, 7, (default_fill if self.is_default else _plain_fill)(theme, state))
        if not self.is_default:
            stroke_rounded(painter, rect, 7, theme.line if state is State.DISABLED else theme.line2)
        color = theme.onaccent if self.is_default else theme.text
        self._paint_words(painter, rect, theme.text3 if state is State.DISABLED else color)

    def _lead(self) -> int:
        """Room for the icon before the words."""
        return self._style.typography.icon() + 4 if self._icon else 0

    def _paint_words(self, painter: QPainter, rect: QRectF, color: QColor) -> None:
        text_style = self._style.text_style(TextRole.UI_MEDIUM)
        lead = self._lead()
        width = min(text_style.width(self.text()), rect.width() - 16 - lead)
        left = rect.left() + (rect.width() - width - lead) / 2
        if self._icon:
            size = self._style.typography.icon()
            self._style.icons.paint(painter, self._icon, QPointF(left + size / 2 - 1, rect.center().y()), color, size)
        draw_text(painter, text_style, QRectF(left + lead, rect.top(), width, rect.height()), self.text(), color)


def default_fill(theme: Theme, state: State) -> QColor:
    """Return the fill of a default button: a little lighter under the pointer, darker while pressed."""
    return {
        State.REST: theme.accentfill,
        State.HOVER: theme.accentfill.lighter(106),
        State.PRESSED: theme.accentfill.darker(114),
        State.DISABLED: theme.fill2,
    }[state]


def _plain_fill(theme: Theme, state: State) -> QColor:
    return {
        State.REST: theme.raised,
        State.HOVER: theme.fill,
        State.PRESSED: theme.fill2,
        State.DISABLED: translucent(theme.raised, 0.0),
    }[state]


def _round_fill(theme: Theme, state: State) -> QColor:
    """Under a round button that is not the way forward. In the dark a composer's ground is nearly fill2."""
    if theme.is_dark:
        return {State.HOVER: theme.line2, State.PRESSED: theme.segment}.get(state, theme.track)
    return {State.HOVER: theme.track, State.PRESSED: theme.line2}.get(state, theme.fill2)


class ToolButton(Control):
    """An icon that acts. `name` is spoken and, with `tip`, shown as its tooltip; checkable ones stay on.

    stands_out: on fill2 also at rest, while the icon can act, and easier to see while it cannot; for Stop.
    is_on_fill: it lies on the sidebar or another surface of fill's colour, so that hovering takes the next darker one.
    """

    ring_radius = 6.0

    def __init__(
        self,
        style: Style,
        icon: Icon,
        name: str,
        tip: str = "",
        size: int = 28,
        icon_size: int = 16,
        stands_out: bool = False,
        is_on_fill: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(style, name, parent)
        self.setToolTip(tip or name)
        self._icon = icon
        self._side = size
        self._icon_size = icon_size
        self._stands_out = stands_out
        self._is_on_fill = is_on_fill

    def show_icon(self, icon: Icon) -> None:
        """Show another icon."""
        self._icon = icon
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(self._side, self._side)

    def _paint(self, painter: QPainter, rect: QRectF) -> None:
        theme, state = self._style.theme, self.state
        is_on = self.isChecked() or self._stands_out
        rest = theme.fill2 if is_on else translucent(theme.fill, 0.0)
        hover = theme.fill2 if is_on or self._is_on_fill else theme.fill
        fill = {State.REST: rest, State.HOVER: hover, State.PRESSED: theme.track}
        if state in fill:
            fill_rounded(painter, rect, self.ring_radius, fill[state])
        color = theme.text if is_on or state is State.PRESSED else theme.text2
        if state is State.DISABLED:
            color = theme.mute if self._stands_out and theme.is_dark else theme.ghost
        size = min(self._style.typography.icon(self._icon_size), self._side - 4)
        self._style.icons.paint(painter, self._icon, rect.center(), color, size)


class RoundButton(Control):
    """The one round button of a composer: an icon on the accent, or on fill2 when it is not the way forward."""

    def __init__(
        self, style: Style, icon: Icon, name: str, tip: str = "", size: int = 28, parent: QWidget | None = None
    ) -> None:
        super().__init__(style, name, parent)
        self.setToolTip(tip or name)
        self._icon = icon
        self._side = size
        self._is_accented = True
        self.ring_radius = size / 2

    def show_action(self, icon: Icon, name: str, tip: str, is_accented: bool) -> None:
        """Become another action, as Send becomes Stop."""
        self._icon, self._is_accented = icon, is_accented
        self.setAccessibleName(name)
        self.setToolTip(tip)
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(self._side, self._side)

    def _paint(self, painter: QPainter, rect: QRectF) -> None:
        theme, state, radius = self._style.theme, self.state, rect.height() / 2
        fill = _round_fill(theme, state)
        color = theme.text3 if state is State.DISABLED else theme.text
        if self._is_accented and state is not State.DISABLED:
            fill, color = default_fill(theme, state), theme.onaccent
        fill_rounded(painter, rect, radius, fill)
        self._style.icons.paint(
            painter, self._icon, rect.center(), color, min(self._style.typography.icon(), self._side - 8), 1.7
        )
