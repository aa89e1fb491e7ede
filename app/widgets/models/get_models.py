"""The page on which models are looked for on a hub and downloaded."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QSizePolicy,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from app.viewmodels.hub.hub_region import HubRegion
from app.viewmodels.hub.hub_rows import HubRow
from app.viewmodels.hub.hub_state import Fact, HubState
from app.widgets.kit.controls import Button
from app.widgets.kit.drawing import draw_text, smooth
from app.widgets.kit.pane import Pane
from app.widgets.kit.search_field import SearchField
from app.widgets.kit.style import Style
from app.widgets.kit.typography import TextRole
from app.widgets.models.download_list import DownloadList
from app.widgets.models.hub_box import HubBox
from app.widgets.models.hub_view import HubView
from app.widgets.models.model_card import CardView, FactGroup

_EDGE, _APART, _INSET, _DOT = 16, 8, 12, 7
_RETURNS = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


class HubField(SearchField):
    """The field in which one types what to search for: typing filters, Return alone asks the hub. Signal: entered."""

    entered = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in _RETURNS and self.text().strip():
            self.entered.emit()
        else:
            super().keyPressEvent(event)


class HubHeading(QWidget):
    """The heading of the rows, and at the right whether something goes over the network just now."""

    def __init__(self, style: Style, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._style = style
        self._heading, self._online = "", ""
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        style.changed.connect(self.updateGeometry)
        style.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        return QSize(200, self._style.text_style(TextRole.SMALL_MEDIUM).line + 8)

    def show_words(self, heading: str, online: str) -> None:
        """Show both; no words for the network mean that there is none in use."""
        self._heading, self._online = heading, online
        self.setAccessibleName(heading)
        self.setAccessibleDescription(online or "Offline")
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, painter = self._style.theme, smooth(QPainter(self))
        rect, small = QRectF(self.rect()).adjusted(_EDGE + 4, 0, -_EDGE - 4, 0), self._style.text_style(TextRole.SMALL)
        words, color = (self._online, theme.accent) if self._online else ("Offline", theme.text3)
        taken = draw_text(painter, small, rect, words, color, Qt.AlignmentFlag.AlignRight)
        center = QPointF(rect.right() - taken - _DOT - 2, rect.center().y())
        painter.setPen(Qt.PenStyle.NoPen if self._online else theme.mute)
        painter.setBrush(theme.accentgfx if self._online else Qt.BrushStyle.NoBrush)
        painter.drawEllipse(center, _DOT / 2, _DOT / 2)
        rect.setRight(center.x() - 2 * _DOT)
        draw_text(painter, self._style.text_style(TextRole.SMALL_MEDIUM), rect, self._heading, theme.text2)
        painter.end()


class GetModels(Pane):
    """A field, the models, the one that is looked at in their place, and the downloads below.

    Attributes: field, hub_button, list, more_button, card, downloads.
    """

    id = "get"
    title = "Get Models"

    def __init__(self, style: Style, hub: HubRegion, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._style, self._hub = style, hub
        self.field = HubField(style, "Search models", "Filter, or press Return to search", parent=self)
        self.hub_button = Button(style, "Hub…", parent=self)
        self.list = HubView(style, hub.rows, self)
        self.more_button = Button(style, "Show More", parent=self)
        self.stop_button = Button(style, "Stop", parent=self)
        self.card = CardView(style, self)
        self.downloads = DownloadList(style, self)
        self._heading = HubHeading(style, self)
        self._problem = QVBoxLayout()
        self._shown_problem: FactGroup | None = None
        self._pages = QStackedWidget(self)
        self._stack()
        self._connect()
        hub.show()
        self._refresh()

    @property
    def tab_order(self) -> Sequence[QWidget]:
        """The field and the list, or the model that is looked at; then the downloads."""
        card = self.card
        if self._pages.currentWidget() is card:
            buttons = (card.action_button, card.again_button, card.token_button, card.back_button)
            return *buttons, *self.downloads.tab_order
        return self.field, self.hub_button, self.list, self.more_button, *self.downloads.tab_order

    def _stack(self) -> None:
        above = QHBoxLayout()
        above.setContentsMargins(_EDGE, _INSET, _EDGE, 4)
        above.setSpacing(_APART)
        above.addWidget(self.field)
        above.addWidget(self.stop_button)
        above.addWidget(self.hub_button)
        foot = QHBoxLayout()
        foot.setContentsMargins(_EDGE, 4, _EDGE, _APART)
        foot.addWidget(self.more_button)
        foot.addStretch(1)
        self._problem.setContentsMargins(_EDGE, 4, _EDGE, 4)
        search = QWidget(self)
        column = QVBoxLayout(search)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(above)
        column.addWidget(self._heading)
        column.addLayout(self._problem)
        column.addWidget(self.list, 1)
        column.addLayout(foot)
        self._search_page = search
        self._pages.addWidget(search)
        self._pages.addWidget(self.card)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        whole.addWidget(self._pages, 1)
        whole.addSpacing(1)  # of the line above the downloads
        whole.addWidget(self.downloads)

    def _connect(self) -> None:
        hub = self._hub
        self.field.textChanged.connect(hub.filter)
        self.field.entered.connect(lambda: hub.search(self.field.text()))
        self.field.escaped.connect(lambda: self.window().close())
        self.list.set_field(self.field)
        self.list.chosen.connect(self._look_at)
        self.more_button.clicked.connect(hub.show_more)
        self.stop_button.clicked.connect(hub.stop_search)
        self.hub_button.clicked.connect(self.ask_for_hub)
        self.card.left.connect(self._leave)
        self.card.acted.connect(hub.act)
        self.card.againAsked.connect(hub.fetch_again)
        self.card.tokenAsked.connect(self.ask_for_hub)
        self.downloads.acted.connect(hub.act_on)
        self.downloads.cancelled.connect(hub.downloads.cancel)
        hub.state.changed.connect(self._refresh)

    def ask_for_hub(self) -> None:
        """Ask for another hub, or for an access token."""
        HubBox(self._style, self._hub, self).open()

    # What changes

    def _refresh(self) -> None:
        now = self._hub.state.now
        self._heading.show_words(now.heading, now.online)
        self.list.show_hint(now.empty)
        self.more_button.setVisible(now.has_more)
        self.stop_button.setVisible(now.is_searching)
        self.downloads.show_rows(now.downloads)
        self._show_problem(now)
        self._show_card(now)

    def _show_problem(self, now: HubState) -> None:
        """Say in a frame over the list why the search found nothing."""
        if self._shown_problem is not None:
            self._shown_problem.hide()
            self._shown_problem.deleteLater()
            self._shown_problem = None
        if now.problem is not None:
            said = (Fact("", now.problem.title, True), Fact("", now.problem.sentence))
            self._shown_problem = FactGroup(self._style, said, self._search_page)
            self._problem.addWidget(self._shown_problem)

    def _show_card(self, now: HubState) -> None:
        was_shown = self._pages.currentWidget() is self.card
        if now.card is not None:
            self.card.show_card(now.card, now.online)
        self._pages.setCurrentWidget(self._search_page if now.card is None else self.card)
        if was_shown and now.card is None:
            self.list.take_focus()
        elif now.card is not None and (not was_shown or self.card.back_button.hasFocus()):
            button = self.card.action_button if now.card.action and now.card.can_act else self.card.back_button
            button.setFocus(Qt.FocusReason.OtherFocusReason)

    # What the person does

    def _look_at(self, row: HubRow) -> None:
        self._hub.look_at(row.name)

    def _leave(self) -> None:
        self._hub.leave()
        self._hub.state.catch_up()

    def paintEvent(self, event: QPaintEvent) -> None:
        if self.downloads.isVisible():
            painter = QPainter(self)
            painter.fillRect(0, self.downloads.y() - 1, self.width(), 1, self._style.theme.line)
            painter.end()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Letters that nothing has a use for are meant for the field; Escape goes back, then closes the window."""
        is_card = self._pages.currentWidget() is self.card
        if event.key() == Qt.Key.Key_Escape and is_card:
            self._leave()
        elif event.key() == Qt.Key.Key_Escape and self._hub.state.now.is_searching:
            self._hub.stop_search()
        elif event.key() == Qt.Key.Key_Escape and self.field.text():
            self.field.clear()
        elif is_card or not self.field.take_letter(event):
            super().keyPressEvent(event)
