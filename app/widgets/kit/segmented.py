"""A row of buttons of which one is on, in one frame."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QSizePolicy, QWidget

from app.widgets.kit.controls import Control, State
from app.widgets.kit.drawing import draw_text, fill_rounded, smooth, stroke_rounded
from app.widgets.kit.icon_paths import Icon
from app.widgets.kit.style import Style
from app.widgets.kit.typography import TextRole

_RADIUS, _INSET = 7, 2


class Segment(Control):
    """One of the buttons. `choice`: what it stands for."""

    ring_radius = 5.0

    def __init__(self, style: Style, choice: str, title: str, parent: QWidget, icon: Icon | None = None) -> None:
        super().__init__(style, title, parent)
        self.choice = choice
        self._icon, self._is_short = icon, False
        self.setText(title)
        self.setCheckable(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    @property
    def is_short(self) -> bool:
        """Whether the icon stands in the place of the title."""
        return self._is_short

    def shorten(self, is_short: bool) -> None:
        """Show the icon, if there is one, in the place of the title, which a tooltip tells then."""
        is_short = is_short and self._icon is not None
        if is_short != self._is_short:
            self._is_short = is_short
            self.setToolTip(self.text() if is_short else "")
            self.updateGeometry()
            self.update()

    @property
    def whole_width(self) -> int:
        """Points that the title takes with the room around it."""
        return round(self._style.text_style(TextRole.UI_MEDIUM).width(self.text()) + 16)

    def sizeHint(self) -> QSize:
        width = round(self._style.typography.icon()) + 16 if self._is_short else self.whole_width
        return QSize(width, self._style.typography.row - 2 * _INSET)

    def _paint(self, painter: QPainter, rect: QRectF) -> None:
        theme, is_on = self._style.theme, self.isChecked()
        if is_on:
            fill_rounded(painter, rect, self.ring_radius, theme.segment)
        elif self.state is not State.REST:
            fill_rounded(painter, rect, self.ring_radius, theme.track)
        if self._is_short and self._icon is not None:
            size = self._style.typography.icon()
            self._style.icons.paint(painter, self._icon, rect.center(), theme.text, size)
            return
        text_style = self._style.text_style(TextRole.UI_MEDIUM if is_on else TextRole.UI)
        width = min(text_style.width(self.text()), rect.width())
        words = QRectF(rect.center().x() - width / 2, rect.top(), width, rect.height())
        draw_text(painter, text_style, words, self.text(), theme.text)


class Segmented(QWidget):
    """Chooses one of a few. Tab comes to the one that is on, the arrows lead to the others. `chosen` carries it.

    Where the titles have no room beside each other, icons stand for those that are not on.
    """

    chosen = Signal(str)

    def __init__(
        self,
        style: Style,
        name: str,
        choices: Sequence[tuple[str, str]],
        parent: QWidget | None = None,
        icons: Mapping[str, Icon] | None = None,
    ) -> None:
        """name: for screen readers. choices: each with its title. icons: of the choices that have one."""
        super().__init__(parent)
        self._style = style
        self.setAccessibleName(name)
        self.segments = [Segment(style, choice, title, self, (icons or {}).get(choice)) for choice, title in choices]
        self._group = QButtonGroup(self)
        row = QHBoxLayout(self)
        row.setContentsMargins(_INSET, _INSET, _INSET, _INSET)
        row.setSpacing(0)
        for segment in self.segments:
            self._group.addButton(segment)
            row.addWidget(segment, 1)
            segment.toggled.connect(self._choose)
        style.changed.connect(self._restyle)

    def show_choice(self, choice: str) -> None:
        """Have one of them on, without `chosen`."""
        was_blocked = self.blockSignals(True)
        for segment in self.segments:
            segment.setChecked(segment.choice == choice)
        self.blockSignals(was_blocked)
        self._arrange()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def _restyle(self) -> None:
        self._arrange()
        self.update()

    def _arrange(self) -> None:
        """Shorten the segments that are not on where all titles do not fit."""
        offered = [segment for segment in self.segments if not segment.isHidden()]
        has_room = sum(segment.whole_width for segment in offered) <= self.width() - 2 * _INSET
        for segment in self.segments:
            segment.shorten(not has_room and not segment.isChecked())

    def _choose(self, is_on: bool) -> None:
        on = self._group.checkedButton()
        for segment in self.segments:
            segment.setFocusPolicy(Qt.FocusPolicy.TabFocus if segment is on else Qt.FocusPolicy.NoFocus)
        self._arrange()
        if is_on and isinstance(on, Segment):
            self.chosen.emit(on.choice)

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, painter = self._style.theme, smooth(QPainter(self))
        fill_rounded(painter, QRectF(self.rect()), _RADIUS, theme.fill2)
        if theme.outline.alpha():
            stroke_rounded(painter, QRectF(self.rect()), _RADIUS, theme.outline)
        painter.end()
