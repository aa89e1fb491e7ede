"""The window of models: a page for those of this machine, one for those of servers, one for those that can be had."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QDialog, QStackedWidget, QWidget

from app.widgets.kit.dialogs import close_on_command
from app.widgets.kit.focus_ring import FocusRing
from app.widgets.kit.menu_keys import MenuKeys
from app.widgets.kit.pane import Pane
from app.widgets.kit.segmented import Segmented
from app.widgets.kit.style import Style

_SIZE, _LEAST = QSize(720, 560), QSize(600, 360)
_SELECTOR, _INSET = 400, 16


class ModelsWindow(QDialog):
    """Hosts the pages under a selector and draws their ground; it stands beside the main window and is deleted closed.

    Attributes: selector; current, the page in sight.
    """

    def __init__(self, style: Style, pages: Sequence[Pane], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._style = style
        self._pages = {page.id: page for page in pages}
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("Models")
        self.selector = Segmented(style, "Pages", [(page.id, page.title) for page in pages], self)
        self.selector.chosen.connect(self.show_page)
        self._stack = QStackedWidget(self)
        for page in pages:
            self._stack.addWidget(page)
        self._ring = FocusRing(style, self)
        self._menu_keys = MenuKeys(self)
        style.changed.connect(self._restyle)
        close_on_command(self)
        self._restyle()
        self.resize(_SIZE)
        self.show_page(pages[0].id)

    @property
    def current(self) -> Pane:
        """The page in sight."""
        return next(page for page in self._pages.values() if page is self._stack.currentWidget())

    def show_page(self, page_id: str) -> None:
        """Bring a page into sight, and the keyboard to its first stop. Raises KeyError for an id that no page has."""
        page = self._pages[page_id]
        self._stack.setCurrentWidget(page)
        self.selector.show_choice(page_id)
        if page.tab_order and not any(segment.hasFocus() for segment in self.selector.segments):
            page.tab_order[0].setFocus(Qt.FocusReason.OtherFocusReason)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def _restyle(self) -> None:
        """Leave room for the buttons of a page, whose words grow with the text."""
        width = max(_LEAST.width(), self._style.typography.scaled(_LEAST.width()))
        self.setMinimumSize(width, _LEAST.height())
        self._arrange()
        self.update()

    def _arrange(self) -> None:
        bar = self._style.typography.bar
        size = self.selector.sizeHint()
        width = min(self._style.typography.scaled(_SELECTOR), self.width() - 2 * _INSET)
        self.selector.setGeometry((self.width() - width) // 2, (bar - 1 - size.height()) // 2, width, size.height())
        self._stack.setGeometry(0, bar, self.width(), max(0, self.height() - bar))

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, bar = self._style.theme, self._style.typography.bar
        painter = QPainter(self)
        painter.fillRect(self.rect(), theme.panel)
        painter.fillRect(0, bar - 1, self.width(), 1, theme.line)
        painter.end()
