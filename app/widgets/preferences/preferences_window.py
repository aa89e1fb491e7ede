"""The window of the settings: pages under a toolbar of icons, each change at once, without OK."""

from __future__ import annotations

from itertools import pairwise

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QButtonGroup, QDialog, QMessageBox, QWidget

from app.viewmodels.preferences.preferences import PageState, Preferences
from app.viewmodels.preferences.rows import RowButton
from app.widgets.kit.clipboard import copy_text
from app.widgets.kit.controls import Control, State
from app.widgets.kit.dialogs import close_on_command, folder_dialog, question_box
from app.widgets.kit.drawing import draw_text, fill_rounded
from app.widgets.kit.focus_ring import FocusRing
from app.widgets.kit.icon_paths import Icon
from app.widgets.kit.style import Style
from app.widgets.kit.typography import TextRole
from app.widgets.preferences.page_view import PageView

_WIDTH, _HEIGHT, _LEAST = 680, 600, 360
_ICON, _AROUND, _APART = 20, 28, 4
_ICONS = {
    "general": Icon.SETTINGS,
    "appearance": Icon.APPEARANCE,
    "models": Icon.MODEL,
    "cache": Icon.CACHE,
    "shortcuts": Icon.KEYBOARD,
    "api": Icon.API,
    "privacy": Icon.PRIVACY,
}


class PageButton(Control):
    """An icon with the title of a page under it. `page_id`: the page."""

    def __init__(self, style: Style, page_id: str, title: str, parent: QWidget) -> None:
        super().__init__(style, title, parent)
        self.page_id = page_id
        self.setText(title)
        self.setCheckable(True)

    def sizeHint(self) -> QSize:
        typography, cap = self._style.typography, self._style.text_style(TextRole.CAP_MEDIUM)
        return QSize(round(cap.width(self.text())) + _AROUND, typography.icon(_ICON) + cap.line + 16)

    def _paint(self, painter: QPainter, rect: QRectF) -> None:
        theme, is_on = self._style.theme, self.isChecked()
        if is_on:
            fill_rounded(painter, rect, self.ring_radius, theme.soft)
        elif self.state is not State.REST:
            fill_rounded(painter, rect, self.ring_radius, theme.fill2)
        color, size = theme.accent if is_on else theme.text2, self._style.typography.icon(_ICON)
        self._style.icons.paint(painter, _ICONS[self.page_id], QPointF(rect.center().x(), 6 + size / 2), color, size)
        words = QRectF(rect.left(), 8 + size, rect.width(), rect.height() - size - 12)
        text_style = self._style.text_style(TextRole.CAP_MEDIUM)
        draw_text(painter, text_style, words, self.text(), color, Qt.AlignmentFlag.AlignHCenter)


class PreferencesWindow(QDialog):
    """Beside the main window, deleted when it is closed. Attributes: buttons, by the ids of their pages; page."""

    def __init__(self, style: Style, preferences: Preferences, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._style, self._preferences = style, preferences
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.buttons = {one.id: PageButton(style, one.id, one.title, self) for one in preferences.pages}
        self._group = QButtonGroup(self)
        self.page = PageView(style, self)
        self._box: QMessageBox | None = None
        self._ring = FocusRing(style, self)
        for button in self.buttons.values():
            self._group.addButton(button)
            button.clicked.connect(self._show_chosen)
        self.page.acted.connect(preferences.act)
        self.page.pressed.connect(self._press)
        self.page.changed.connect(self._set_tab_order)
        preferences.state.changed.connect(self._refresh)
        self.finished.connect(preferences.close)
        style.changed.connect(self._restyle)
        close_on_command(self)
        self._restyle()
        self.resize(self.minimumWidth(), _HEIGHT)
        self._refresh()
        self.buttons[preferences.state.now.id].setFocus(Qt.FocusReason.OtherFocusReason)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Return in a field is about the field, and presses no button of the window."""
        if event.key() not in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            super().keyPressEvent(event)

    def _show_chosen(self) -> None:
        chosen = self._group.checkedButton()
        if isinstance(chosen, PageButton):
            chosen.setFocus(Qt.FocusReason.OtherFocusReason)  # what was typed in a field holds when it is left
            self._preferences.show_page(chosen.page_id)
            self._refresh()

    def _refresh(self) -> None:
        now: PageState = self._preferences.state.now
        self.setWindowTitle(now.title)
        self.buttons[now.id].setChecked(True)
        self.page.show_page(now)

    def _press(self, button: RowButton) -> None:
        """Do what a button says, after its question and with the folder that it asks for."""
        if button.copies:
            copy_text(button.copies, self)
        elif button.question is None:
            self._go_on(button)
        elif self._box is None:
            asked = button.question
            self._box = question_box(asked.title, asked.sentence, self)
            role = QMessageBox.ButtonRole.ActionRole if button.folder_title else QMessageBox.ButtonRole.DestructiveRole
            self._box.addButton(asked.button, role).clicked.connect(lambda: self._go_on(button))
            self._box.destroyed.connect(self._forget_box)
            self._box.open()

    def _go_on(self, button: RowButton) -> None:
        if button.folder_title:
            dialog = folder_dialog(button.folder_title, lambda path: self._preferences.act(button.id, path), self)
            dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
            dialog.open()
        else:
            self._preferences.act(button.id)

    def _forget_box(self) -> None:
        self._box = None

    def _set_tab_order(self) -> None:
        for before, after in pairwise([*self.buttons.values(), *self.page.stops]):
            QWidget.setTabOrder(before, after)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    @property
    def _bar(self) -> int:
        return max(button.sizeHint().height() for button in self.buttons.values()) + 16

    def _restyle(self) -> None:
        wanted = sum(button.sizeHint().width() + _APART for button in self.buttons.values()) + 40
        self.setMinimumSize(max(_WIDTH, wanted), _LEAST)
        self._arrange()
        self.update()

    def _arrange(self) -> None:
        sizes = [button.sizeHint() for button in self.buttons.values()]
        left = (self.width() - sum(one.width() for one in sizes) - _APART * (len(sizes) - 1)) // 2
        for button, size in zip(self.buttons.values(), sizes, strict=True):
            button.setGeometry(left, 8, size.width(), size.height())
            left += size.width() + _APART
        self.page.setGeometry(0, self._bar, self.width(), max(0, self.height() - self._bar))

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, painter = self._style.theme, QPainter(self)
        painter.fillRect(self.rect(), theme.panel)
        painter.fillRect(0, self._bar - 1, self.width(), 1, theme.line)
        painter.end()
