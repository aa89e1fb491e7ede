"""The sidebar: the conversations, or what a search has found, between its head and the trash."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QWidget

from app.viewmodels.kit.action import Actions
from app.viewmodels.library.conversation_model import ConversationModel
from app.viewmodels.library.search import Search
from app.widgets.kit.action_button import ActionButton, native_keys
from app.widgets.kit.drawing import draw_text, fill_ground, smooth, wrapped
from app.widgets.kit.icon_paths import Icon
from app.widgets.kit.own_keys import claim_key
from app.widgets.kit.search_field import SearchField
from app.widgets.kit.style import Style
from app.widgets.kit.typography import TextRole
from app.widgets.sidebar.conversation_list import ConversationList
from app.widgets.sidebar.line_list import LineList


class Sidebar(QWidget):
    """Head with hide and new, the search field, the conversations or what was found, and the trash at the foot.

    Signals: asked(str) a command's id; chosen(str) a conversation's id; found(LineRow), what a search led to; left, the
    person goes back to writing.
    """

    asked = Signal(str)
    chosen = Signal(str)
    found = Signal(object)
    left = Signal()

    def __init__(
        self,
        style: Style,
        conversations: ConversationModel,
        search: Search,
        actions: Actions,
        parent: QWidget | None = None,
    ) -> None:
        """actions: those of its buttons and its field, "sidebar", "new", "trash" and "find_everywhere"."""
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self._style = style
        self._search = search
        self.setAccessibleName("Sidebar")
        self.setMinimumWidth(200)
        self.setMaximumWidth(360)
        self.hide_button = ActionButton(style, Icon.SIDEBAR, actions["sidebar"], is_on_fill=True, parent=self)
        self.new_button = ActionButton(style, Icon.NEW, actions["new"], is_on_fill=True, parent=self)
        self.field = SearchField(
            style, "Search conversations", keys=native_keys(actions["find_everywhere"]), parent=self
        )
        self.list = ConversationList(style, conversations, self)
        self.results = LineList(style, search.rows, "Search results", self)
        self.settings_button = ActionButton(style, Icon.SETTINGS, actions["preferences"], is_on_fill=True, parent=self)
        self.trash_button = ActionButton(style, Icon.TRASH, actions["trash"], is_on_fill=True, parent=self)
        self._connect()
        self._refresh()

    def _connect(self) -> None:
        for button in (self.hide_button, self.new_button, self.settings_button, self.trash_button):
            button.asked.connect(self.asked)
        self.list.chosen.connect(self.chosen)
        self.list.left.connect(self.left)
        self.field.textChanged.connect(self._search.look_for)
        self.field.wentDown.connect(self._go_down)
        self.field.entered.connect(self._go_down)
        self.field.escaped.connect(self.left)
        self.results.left.connect(self.field.take_focus)
        self.results.chosen.connect(self.found)
        self._search.changed.connect(self._refresh)
        self._style.changed.connect(self._restyle)

    @property
    def is_gone_through(self) -> bool:
        """Whether a list was last used by the keyboard, rather than the mouse, or several rows are selected."""
        return self.list.row_focus.is_shown or self.results.row_focus.is_shown or bool(self.list.several)

    def sizeHint(self) -> QSize:
        return QSize(248, 560)

    def event(self, event: QEvent) -> bool:
        """Keep Escape from the menus while something is looked for: it ends the search and stops no answer."""
        return claim_key(event, Qt.Key.Key_Escape, when=lambda: self._search.is_active) or super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """End the search with Escape among the results."""
        if event.key() == Qt.Key.Key_Escape and self._search.is_active:
            self.field.clear()
            self.list.setFocus(Qt.FocusReason.ShortcutFocusReason)
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._arrange()

    def _go_down(self) -> None:
        if self._search.is_active:
            self.results.take_focus()
        else:
            self.list.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _refresh(self) -> None:
        """Show what was found while something is looked for."""
        is_active = self._search.is_active
        had_focus = self.results.hasFocus() and not is_active
        self.results.setVisible(is_active)
        self.list.setVisible(not is_active)
        if had_focus:
            self.list.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.field.setAccessibleDescription(self._search.sentence)
        self._arrange()
        self.update()

    def _restyle(self) -> None:
        self._arrange()
        self.update()

    @property
    def _lines(self) -> list[str]:
        """Return what there is to say about the search, in lines as wide as the pane."""
        sentence = self._search.sentence
        return wrapped(self._style.text_style(TextRole.SMALL), sentence, self.width() - 40) if sentence else []

    @property
    def _top(self) -> int:
        """Return where the list begins."""
        return self._style.typography.bar + 4 + self._style.typography.row + 8

    def _arrange(self) -> None:
        head, right, row = self._style.typography.bar, self.width() - 14, self._style.typography.row
        self.new_button.setGeometry(right - 28, head // 2 - 14, 28, 28)
        self.hide_button.setGeometry(right - 60, head // 2 - 14, 28, 28)
        self.field.setGeometry(12, head + 4, self.width() - 25, row)
        foot = self.height() - 36
        self.settings_button.setGeometry(12, foot + 2, 28, 28)
        self.trash_button.setGeometry(44, foot + 2, 28, 28)
        said = len(self._lines) * self._style.text_style(TextRole.SMALL).line + 12 if self._lines else 0
        self.list.setGeometry(QRect(0, self._top, self.width() - 1, foot - self._top))
        self.results.setGeometry(QRect(0, self._top + said, self.width() - 1, foot - self._top - said))

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, text_style = self._style.theme, self._style.text_style(TextRole.SMALL)
        painter = smooth(QPainter(self))
        fill_ground(painter, self, theme.sidebar)
        painter.fillRect(self.width() - 1, 0, 1, self.height(), theme.line)
        for number, line in enumerate(self._lines):
            rect = QRectF(20, self._top + 4 + number * text_style.line, self.width() - 40, text_style.line)
            draw_text(painter, text_style, rect, line, theme.text2)
        painter.end()
