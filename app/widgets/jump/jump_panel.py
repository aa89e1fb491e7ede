"""The panel at the window's top in which one types where to go."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QListView, QStyle, QStyleOptionViewItem, QWidget

from app.protocol.excerpts import first_words
from app.viewmodels.jump.jump import Jump, JumpKind, JumpRow
from app.viewmodels.kit.lists import AnyIndex, RowRole
from app.viewmodels.text.branch_titles import quoted
from app.widgets.kit.drawing import draw_text, fill_rounded, smooth, stroke_rounded, whole_parts
from app.widgets.kit.icon_paths import Icon
from app.widgets.kit.item_views import RowDelegate, set_up_view
from app.widgets.kit.row_focus import is_in_active_window
from app.widgets.kit.search_field import SearchField
from app.widgets.kit.shadow import paint_shadow
from app.widgets.kit.style import Style
from app.widgets.kit.typography import TextRole

_WIDTH, _RADIUS, _EDGE, _APART, _TOP = 560, 12, 12, 8, 64
_SHADOW, _DOWN = 34, 12
_IN_SIGHT, _INNER, _ICON, _LEAST_DETAIL = 10, 10, 14, 90
_RETURN = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
_ICONS = {
    JumpKind.CONVERSATION: Icon.DOCUMENT,
    JumpKind.BRANCH: Icon.FORK,
    JumpKind.PIN: Icon.PIN,
    JumpKind.COMMAND: Icon.RIGHT,
    JumpKind.SEARCH: Icon.FIND,
}


class JumpDelegate(RowDelegate):
    """Paints the sign of a place, its title, and at the right where it is or its keys."""

    def sizeHint(self, option: QStyleOptionViewItem, index: AnyIndex) -> QSize:
        return QSize(0, self._style.typography.row)

    def paint_content(self, painter: QPainter, rect: QRectF, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        row: JumpRow = index.data(RowRole.ROW)
        theme, is_selected = self._style.theme, bool(option.state & QStyle.StateFlag.State_Selected)
        color = theme.accent if is_selected and is_in_active_window(option) else theme.text
        faint = theme.text2 if is_selected else theme.text3
        line = rect.adjusted(_INNER, 0, -_INNER, 0)
        size, tint = self._style.typography.icon(_ICON), theme.text2 if row.is_enabled else theme.ghost
        icon = QPointF(line.left() + size / 2, line.center().y())
        self._style.icons.paint(painter, _ICONS[row.kind], icon, tint, size)
        line.setLeft(line.left() + size + _APART)
        title = self._style.text_style(TextRole.UI_MEDIUM if is_selected else TextRole.UI)
        taken = draw_text(painter, title, line, row.title, color if row.is_enabled else theme.text3)
        room = line.adjusted(taken + 2 * _APART, 0, 0, 0)
        if room.width() >= _LEAST_DETAIL:
            small = self._style.text_style(TextRole.CAP)
            draw_text(painter, small, room, row.detail, faint, Qt.AlignmentFlag.AlignRight)


class JumpField(SearchField):
    """The field, in which the keys that go through the list are passed on to it.

    Signals: rowsMeant(), a key comes that is about the rows for what was typed; enteredApart(), Return with the Option
    key.
    """

    rowsMeant = Signal()
    enteredApart = Signal()

    def __init__(self, style: Style, parent: QWidget) -> None:
        super().__init__(style, "Jump to", "Jump to a conversation, branch, pin or command", parent=parent)
        self.list: QListView | None = None

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Go through the list with the arrows and by pages; Escape closes whatever was typed."""
        keys = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown)
        if event.key() in (*keys, *_RETURN):
            self.rowsMeant.emit()
        if event.key() in keys and self.list is not None:
            self.list.keyPressEvent(event)
        elif event.key() == Qt.Key.Key_Escape:
            self.escaped.emit()
        elif event.key() in _RETURN and event.modifiers() & Qt.KeyboardModifier.AltModifier:
            self.enteredApart.emit()
        else:
            super().keyPressEvent(event)


class JumpPanel(QWidget):
    """A field and the places that fit. Closes when one is chosen, with Escape, or when anything outside is pressed.

    At its foot stands what the row costs that the mouse is over, else the one that the arrows came to.

    Attributes: field, which keeps the keyboard; list; price, at the foot. Signal: lookedAt(JumpRow), its price is to be
    shown.
    """

    lookedAt = Signal(object)

    def __init__(self, style: Style, jump: Jump, price_of: Callable[[JumpRow], str] | None, parent: QWidget) -> None:
        """price_of: says what a row costs, "" where that is not known; None for an engine that prices nothing."""
        hints = Qt.WindowType.FramelessWindowHint | Qt.WindowType.NoDropShadowWindowHint
        super().__init__(parent, Qt.WindowType.Popup | hints)
        self._style, self._jump, self._price_of, self._window = style, jump, price_of, parent
        self._shown: JumpRow | None = None
        self.price = ""
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setAttribute(Qt.WidgetAttribute.WA_TranslucentBackground)
        self.setAccessibleName("Jump to")
        self.field = JumpField(style, self)
        self.list = QListView(self)
        self.list.setItemDelegate(JumpDelegate(style, self.list))
        self.list.setUniformItemSizes(True)
        set_up_view(self.list, style, "Places")
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.setModel(jump.rows)
        self.field.list = self.list
        self.field.textChanged.connect(jump.look_for)
        self.field.rowsMeant.connect(jump.settle)
        self.field.escaped.connect(self.close)
        self.field.entered.connect(lambda: self._choose(self.list.currentIndex()))
        self.field.enteredApart.connect(lambda: self._choose(self.list.currentIndex(), in_new_window=True))
        self.list.clicked.connect(self._choose)
        self.list.selectionModel().currentChanged.connect(self._come_to)
        self.list.setMouseTracking(True)
        self.list.entered.connect(self._look_at)
        self.list.viewport().installEventFilter(self)
        jump.changed.connect(self._refresh)
        style.changed.connect(self._lay_out)
        jump.begin()

    def show_over(self) -> None:
        """Show it at the top of its window, in the middle, with the keyboard in the field."""
        self._place()
        if self._shown is not None:
            self.lookedAt.emit(self._shown)
        self.show()
        self.field.setFocus(Qt.FocusReason.PopupFocusReason)

    def _refresh(self) -> None:
        """Make the first row that can be chosen the current one, in a panel of the rows' height.

        A search is that only where nothing is found: in the place of a command that is off nobody has asked for it.
        """
        rows = self._jump.rows.rows
        is_search = len(rows) == 1 and rows[0].kind is JumpKind.SEARCH
        places = (at for at, row in enumerate(rows) if row.is_enabled and row.kind is not JumpKind.SEARCH)
        first = 0 if is_search else next(places, -1)
        if first >= 0:
            self.list.setCurrentIndex(self._jump.rows.index(first))
            self.list.scrollToTop()
        self.setAccessibleDescription("" if rows and not is_search else self._nothing)
        self._look_at(self.list.currentIndex())
        self._lay_out()

    def _lay_out(self) -> None:
        """Give the panel the height of its rows in the present size of text, and keep it in the window's middle."""
        rows = self._jump.rows.rows
        count = max(1, min(len(rows), _IN_SIGHT))
        row = self._style.typography.row
        width = min(self._style.typography.scaled(_WIDTH), self._window.width() - 2 * _EDGE)
        height = 2 * _EDGE + row + _APART + count * row + self._foot
        self.resize(width + 2 * _SHADOW, height + 2 * _SHADOW)
        card = self._card
        self.field.setGeometry(card.left() + _EDGE, card.top() + _EDGE, width - 2 * _EDGE, row)
        self.list.setGeometry(card.left() + 4, card.top() + _EDGE + row + _APART, width - 8, count * row)
        self._place()
        self.update()

    def _place(self) -> None:
        window = self._window
        self.move(window.mapToGlobal(QPoint((window.width() - self.width()) // 2, _TOP - _SHADOW + _DOWN)))

    @property
    def _card(self) -> QRect:
        return self.rect().adjusted(_SHADOW, _SHADOW, -_SHADOW, -_SHADOW)

    @property
    def _foot(self) -> int:
        """Return the height of the line for a price, which is kept free while none is known."""
        return 0 if self._price_of is None else self._style.text_style(TextRole.SMALL).line + _APART

    @property
    def _nothing(self) -> str:
        text = first_words(self._jump.text, 60)
        return f"Nothing is called {quoted(text)}." if text else "Type where to go."

    def _choose(self, index: AnyIndex, *, in_new_window: bool = False) -> None:
        row: JumpRow | None = index.data(RowRole.ROW) if index.isValid() else None
        if row is not None and row.is_enabled:
            self.close()
            self._jump.go(row, in_new_window=in_new_window)

    def _come_to(self, current: AnyIndex) -> None:
        """Have the row said that the arrows came to: the keyboard itself stays in the field."""
        self._look_at(current)
        row = self._shown
        if row is not None and self.isVisible():
            told = ", ".join(part for part in (row.spoken, self.price) if part)
            QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, told))

    def _look_at(self, index: AnyIndex) -> None:
        """Show what a row costs."""
        row: JumpRow | None = index.data(RowRole.ROW) if index.isValid() else None
        if row != self._shown:
            self._shown = row
            if row is not None:
                self.lookedAt.emit(row)
            self.renew_price()

    def renew_price(self) -> None:
        """Show what the row costs that is looked at, as it is known now."""
        price = "" if self._shown is None or self._price_of is None else self._price_of(self._shown)
        if price != self.price:
            self.price = price
            self.field.setAccessibleDescription(price)
            self.update()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Show the price of the current row again when the mouse leaves the others."""
        if event.type() == QEvent.Type.Leave:
            self._look_at(self.list.currentIndex())
        return False

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Letters are meant for the field; Escape closes."""
        if event.key() == Qt.Key.Key_Escape:
            self.close()
        elif not self.field.take_letter(event):
            super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, card = self._style.theme, QRectF(self._card)
        painter = smooth(QPainter(self))
        paint_shadow(painter, card, _RADIUS, _SHADOW - _DOWN, _DOWN, theme.shadow)
        fill_rounded(painter, card, _RADIUS, theme.raised)
        stroke_rounded(painter, card, _RADIUS, theme.line2)
        if not self._jump.rows.rows:
            words = QRectF(self.list.geometry()).adjusted(_EDGE, 0, -_EDGE, 0)
            draw_text(painter, self._style.text_style(TextRole.UI), words, self._nothing, theme.text2)
        elif self.price:
            foot = QRectF(card).adjusted(_EDGE + _INNER, 0, -_EDGE - _INNER, -_EDGE)
            small = self._style.text_style(TextRole.SMALL)
            foot.setTop(foot.bottom() - small.line)
            price = whole_parts(small, f"{self.price[:1].upper()}{self.price[1:]}", foot.width(), ", ", ": ")
            draw_text(painter, small, foot, price, theme.text2)
        painter.end()
