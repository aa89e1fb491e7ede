"""The inspector: one of several panes under its title, or under a selector where there are several."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QStackedWidget, QWidget

from app.widgets.kit.drawing import draw_text, fill_ground, smooth
from app.widgets.kit.icon_paths import Icon
from app.widgets.kit.pane import Pane, PaneState
from app.widgets.kit.segmented import Segmented
from app.widgets.kit.style import Style
from app.widgets.kit.typography import TextRole

_INSET = 16


class Inspector(QWidget):
    """Hosts the panes and draws their ground. Of one pane the title is shown, of several a selector.

    Attributes: selector; current, the pane that is shown or would be, None without any. Signal: changed(), another
    pane is shown.
    """

    changed = Signal()

    def __init__(self, style: Style, panes: Sequence[Pane], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self._style = style
        self._panes = {pane.id: pane for pane in panes}
        self._offered = list(self._panes)
        self._wanted = next(iter(self._panes), "")
        self.setAccessibleName("Inspector")
        self.setMinimumWidth(300)
        self.setMaximumWidth(640)
        self.selector = Segmented(style, "Panes", [(pane.id, pane.title) for pane in panes], self, _icons(panes))
        self.selector.chosen.connect(self.show_pane)
        self._stack = QStackedWidget(self)
        for pane in panes:
            self._stack.addWidget(pane)
        style.changed.connect(self._arrange)
        style.changed.connect(self.update)
        self._refresh()

    def sizeHint(self) -> QSize:
        return QSize(352, 560)

    @property
    def current(self) -> Pane | None:
        """The pane in sight: the one that was chosen, or the first that there is."""
        if self._wanted in self._offered:
            return self._panes[self._wanted]
        return self._panes[self._offered[0]] if self._offered else None

    def has(self, pane_id: str) -> bool:
        """Return whether there is a pane of this id."""
        return pane_id in self._panes

    def offers(self, pane_id: str) -> bool:
        """Return whether the engine has what a pane shows."""
        return pane_id in self._offered

    def show_pane(self, pane_id: str) -> None:
        """Bring a pane into sight. Raises KeyError for an id that no pane has."""
        self._wanted = self._panes[pane_id].id
        self._refresh()
        self.changed.emit()

    def offer(self, has_ability: Callable[[str], bool]) -> bool:
        """Offer the panes whose needs the engine meets; returns whether there are any."""
        offered = [pane.id for pane in self._panes.values() if has_ability(pane.needs)]
        if offered != self._offered:
            self._offered = offered
            self._refresh()
            self.changed.emit()
        return bool(offered)

    @property
    def tab_order(self) -> Sequence[QWidget]:
        """The widgets that the keyboard stops at: the selector, then those of each pane.

        Each pane itself stands before its own: what it makes later comes after it.
        """
        return [*self.selector.segments, *(stop for pane in self._panes.values() for stop in (pane, *pane.tab_order))]

    def states(self) -> Mapping[str, PaneState]:
        """Return how the person leaves the panes, by their ids."""
        return {pane.id: pane.state() for pane in self._panes.values()}

    def restore(self, pane_id: str, states: Mapping[str, PaneState]) -> None:
        """Take the pane that was in sight and how all of them were left; what no pane is called is passed over."""
        for pane in self._panes.values():
            pane.restore(states.get(pane.id, {}))
        if pane_id in self._panes:
            self.show_pane(pane_id)

    def _refresh(self) -> None:
        current = self.current
        for segment in self.selector.segments:
            segment.setVisible(segment.choice in self._offered)
        if current is not None:
            self._stack.setCurrentWidget(current)
            self.selector.show_choice(current.id)
        self._stack.setVisible(current is not None)
        self.selector.setVisible(len(self._offered) > 1)
        self._arrange()
        self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._arrange()

    def _arrange(self) -> None:
        bar = self._style.typography.bar
        height = self.selector.sizeHint().height()
        self.selector.setGeometry(_INSET, (bar - 1 - height) // 2, self.width() - 2 * _INSET, height)
        self._stack.setGeometry(0, bar, self.width(), max(0, self.height() - bar))

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, bar = self._style.theme, self._style.typography.bar
        painter = smooth(QPainter(self))
        fill_ground(painter, self, theme.panel)
        painter.fillRect(0, 0, 1, self.height(), theme.line)
        painter.fillRect(1, bar - 1, self.width() - 1, 1, theme.line)
        if self.current is not None and self.selector.isHidden():
            title = QRectF(_INSET, 0, self.width() - 2 * _INSET, bar - 1)
            draw_text(painter, self._style.text_style(TextRole.HEADLINE), title, self.current.title, theme.text)
        painter.end()


def _icons(panes: Sequence[Pane]) -> dict[str, Icon]:
    return {pane.id: pane.icon for pane in panes if pane.icon is not None}
