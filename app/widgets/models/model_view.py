"""The list of models: rows of two lines, greyed where a model cannot be opened."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QContextMenuEvent, QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QListView, QStyle, QStyleOptionViewItem, QWidget

from app.viewmodels.kit.lists import AnyIndex, RowRole
from app.viewmodels.model.model_rows import ModelRow, ModelRows
from app.widgets.kit.drawing import draw_text, fill_rounded, smooth, wrapped
from app.widgets.kit.icon_paths import Icon
from app.widgets.kit.item_views import RowDelegate, set_up_view
from app.widgets.kit.row_focus import is_in_active_window
from app.widgets.kit.style import Style
from app.widgets.kit.typography import TextRole

_INNER, _ABOVE, _BETWEEN = 12, 4, 16
_MARK, _BAR = 14, 96
_LEAST_FIT, _HINT = 60, 20
_RIGHT = Qt.AlignmentFlag.AlignRight


class ModelDelegate(RowDelegate):
    """Paints the name with the source, and below them the details, or what is wrong, with what the model leaves."""

    def sizeHint(self, option: QStyleOptionViewItem, index: AnyIndex) -> QSize:
        return QSize(0, self._style.typography.two_line_row + 2 * _ABOVE)

    def paint_content(self, painter: QPainter, rect: QRectF, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        row: ModelRow = index.data(RowRole.ROW)
        rect.adjust(_INNER, _ABOVE + 3, -_INNER, -_ABOVE - 3)
        theme = self._style.theme
        is_selected = bool(option.state & QStyle.StateFlag.State_Selected)
        faint = theme.text2 if is_selected else theme.text3
        first = QRectF(rect.left(), rect.top(), rect.width(), rect.height() / 2)
        color = theme.accent if is_selected and is_in_active_window(option) else theme.text
        self._paint_name(painter, first, row, faint if row.reason else color, faint)
        self._paint_details(painter, first.translated(0, first.height()), row, faint)

    def _paint_name(self, painter: QPainter, rect: QRectF, row: ModelRow, color: QColor, faint: QColor) -> None:
        """Paint the name, marked where the model is in use, and at the right where it lies and when it was used."""
        name = self._style.text_style(TextRole.UI_MEDIUM)
        if row.is_current:
            at = QPointF(rect.left() + _MARK / 2 - 1, rect.center().y())
            self._style.icons.paint(painter, Icon.CHECK, at, self._style.theme.accentgfx, _MARK)
            rect = rect.adjusted(_MARK + 4, 0, 0, 0)
        taken = draw_text(painter, name, rect, row.name, color)
        side = "  ·  ".join(part for part in (row.source, row.age) if part)
        room = rect.adjusted(taken + _BETWEEN, 0, 0, 0)
        if room.width() >= _LEAST_FIT:
            draw_text(painter, self._style.text_style(TextRole.CAP), room, side, faint, _RIGHT)

    def _paint_details(self, painter: QPainter, rect: QRectF, row: ModelRow, faint: QColor) -> None:
        theme, small = self._style.theme, self._style.text_style(TextRole.SMALL)
        if row.stage:
            self._paint_progress(painter, rect, row)
        elif row.reason:
            draw_text(painter, small, rect, row.reason, faint)
        else:
            color = theme.warn if row.is_too_large else theme.text2
            wanted = min(
                small.width(row.fit), max(rect.width() / 2, rect.width() - small.width(row.details) - _BETWEEN)
            )
            fit = QRectF(rect.right() - wanted, rect.top(), wanted, rect.height())
            taken = draw_text(painter, small, fit, row.fit, color, _RIGHT) if row.fit else 0
            draw_text(painter, small, rect.adjusted(0, 0, -taken - _BETWEEN, 0), row.details, theme.text2)

    def _paint_progress(self, painter: QPainter, rect: QRectF, row: ModelRow) -> None:
        """Paint how far the opening is, with a bar where that can be measured."""
        theme, small = self._style.theme, self._style.text_style(TextRole.SMALL)
        if row.done is not None:
            bar = QRectF(rect.left(), rect.center().y() - 2, _BAR, 4)
            fill_rounded(painter, bar, 2, theme.track)
            bar.setWidth(max(4.0, _BAR * row.done))
            fill_rounded(painter, bar, 2, theme.accentgfx)
            rect = rect.adjusted(_BAR + 12, 0, 0, 0)
        draw_text(painter, small, rect, row.stage, theme.text2)


class ModelView(QListView):
    """Return or a double click opens a model that can be opened.

    Signals: chosen(ModelRow), to be opened; menuAsked(ModelRow, QPoint), the place on screen; left, Up was pressed in
    the first row.
    """

    chosen = Signal(object)
    menuAsked = Signal(object, QPoint)
    left = Signal()

    def __init__(self, style: Style, model: ModelRows, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._style, self._rows = style, model
        self._hint = ""
        self.setItemDelegate(ModelDelegate(style, self))
        self.setUniformItemSizes(True)
        set_up_view(self, style, "Models")
        self.setModel(model)
        self.doubleClicked.connect(self.choose)

    @property
    def row(self) -> ModelRow | None:
        """The current row, if there is one."""
        index = self.currentIndex()
        row: ModelRow | None = index.data(RowRole.ROW) if index.isValid() else None
        return row

    def select(self, number: int) -> None:
        """Make a row the current one and bring it into sight; without effect beyond the last."""
        if number < len(self._rows.rows):
            self.setCurrentIndex(self._rows.index(number))

    def choose(self) -> None:
        """Choose the current row, if it can be opened."""
        if self.row is not None and not self.row.reason:
            self.chosen.emit(self.row)

    def show_hint(self, hint: str) -> None:
        """Say something below the last row, "" for nothing."""
        self._hint = hint
        self.setAccessibleDescription(hint)
        self.viewport().update()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        count = len(self._rows.rows)
        top = self.visualRect(self._rows.index(count - 1)).bottom() + 1 if count else 0
        text_style, width = self._style.text_style(TextRole.UI), self.viewport().width() - 2 * _HINT
        painter = smooth(QPainter(self.viewport()))
        for number, line in enumerate(wrapped(text_style, self._hint, width) if self._hint else ()):
            rect = QRectF(_HINT, top + _INNER + number * text_style.line, width, text_style.line)
            draw_text(painter, text_style, rect, line, self._style.theme.text2)
        painter.end()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.choose()
        elif event.key() == Qt.Key.Key_Up and self.currentIndex().row() <= 0:
            self.left.emit()
        elif event.key() == Qt.Key.Key_Escape:
            event.ignore()
        else:
            super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Ask for the menu of the row under the mouse; from the keyboard, of the current one."""
        is_by_mouse = event.reason() is QContextMenuEvent.Reason.Mouse
        index = self.indexAt(event.pos()) if is_by_mouse else self.currentIndex()
        if index.isValid():
            rect = self.visualRect(index)
            at = event.globalPos() if is_by_mouse else self.viewport().mapToGlobal(rect.center())
            self.menuAsked.emit(index.data(RowRole.ROW), at)
