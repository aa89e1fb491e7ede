"""The rows of a comparison: a list that both columns scroll with."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from itertools import chain, takewhile

from PySide6.QtCore import QModelIndex, QObject, QPointF, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QContextMenuEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPalette, QResizeEvent
from PySide6.QtWidgets import QListView, QMenu, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from app.viewmodels.comparison.comparison import Comparison, ComparisonState
from app.viewmodels.kit.lists import AnyIndex, ListModel, RowRole
from app.widgets.chat.comparison.compared_blocks import ComparedBlocks
from app.widgets.chat.comparison.comparison_rows import (
    ComparisonRow,
    RowKind,
    pair_rows,
    shared_rows,
    shared_title,
    spoken_row,
    thought_rows,
)
from app.widgets.chat.comparison.copied_side import copied_side
from app.widgets.kit.clipboard import copy_text
from app.widgets.kit.drawing import draw_text, smooth
from app.widgets.kit.icon_paths import Icon
from app.widgets.kit.item_views import menu_target, set_up_view
from app.widgets.kit.row_focus import RowFocus, paint_row_ring
from app.widgets.kit.style import Style
from app.widgets.kit.typography import TextRole

# What is made of rows before the window is shown again, in characters and in rows.
_SLICE, _SLICE_ROWS = 60_000, 64
# Rows whose documents are kept: many times what is in sight.
_MOST_LAID = 120
EDGE, GUTTER, _WIDEST = 16, 22, 680
_ABOVE_HEAD, _BELOW_HEAD, _BELOW_BLOCK = 16, 6, 12
_COPIES = {RowKind.HEAD: "Copy Message", RowKind.THOUGHT: "Copy Thought"}


def columns(rect: QRectF) -> tuple[QRectF, QRectF]:
    """Return where the texts of both sides stand between the edges of a row, or of what stands above the rows."""
    beside = 3 * EDGE + 2 * GUTTER
    side = min((rect.width() - beside) / 2, float(_WIDEST))
    left = rect.left() + (rect.width() - beside - 2 * side) / 2 + EDGE + GUTTER
    return (
        QRectF(left, rect.top(), side, rect.height()),
        QRectF(left + side + EDGE + GUTTER, rect.top(), side, rect.height()),
    )


class ComparisonModel(ListModel[ComparisonRow]):
    """Rows of what is compared, made some at a time. Attribute: is_open, the messages in common are shown."""

    def __init__(self, comparison: Comparison, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._comparison = comparison
        self._shown: ComparisonState | None = None
        self._rows: list[ComparisonRow] = []
        self._thoughts: set[ComparisonRow] = set()  # rows of which what was thought is shown
        self._to_come: Iterator[ComparisonRow] = iter(())
        self.is_open = False
        self._timer = QTimer(self, interval=0)
        self._timer.timeout.connect(self._make_some)
        comparison.state.changed.connect(self._show)
        self._show()

    @property
    def rows(self) -> Sequence[ComparisonRow]:
        return self._rows

    def text(self, number: int, role: int) -> str | None:
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return spoken_row(self._rows[number], is_open=self.is_row_open(self._rows[number]))
        return None

    def is_row_open(self, row: ComparisonRow) -> bool:
        """Return whether what a row stands for is shown below it."""
        return self.is_open if row.kind is RowKind.SHARED else row in self._thoughts

    def toggle(self, number: int = 0) -> None:
        """Show what a row stands for, or fold it: the messages that both sides begin with, or what was thought."""
        row = self._rows[number]
        if row.kind is RowKind.SHARED and row.count:
            self.is_open = not self.is_open
            self._begin(self._comparison.state.now)
        elif row.kind is RowKind.THOUGHT:
            self._toggle_thought(number, row)

    def _toggle_thought(self, number: int, row: ComparisonRow) -> None:
        first = number + 1
        if row in self._thoughts:
            self._thoughts.remove(row)
            count = len(list(takewhile(lambda one: one.is_of_thought, self._rows[first:])))
            self.beginRemoveRows(QModelIndex(), first, first + count - 1)
            del self._rows[first : first + count]
            self.endRemoveRows()
        else:
            self._thoughts.add(row)
            made = list(thought_rows(row))
            self.beginInsertRows(QModelIndex(), first, first + len(made) - 1)
            self._rows[first:first] = made
            self.endInsertRows()
        self.dataChanged.emit(self.index(number), self.index(number))

    def _show(self) -> None:
        now = self._comparison.state.now
        if now != self._shown:
            self._begin(now)

    def _begin(self, now: ComparisonState) -> None:
        self._shown = now
        shared = shared_rows(iter(self._comparison.shared_messages())) if self.is_open else iter(())
        first = [ComparisonRow(RowKind.SHARED, count=now.shared)] if now.is_open else []
        self.beginResetModel()
        self._rows = first
        self._thoughts.clear()
        self.endResetModel()
        self._to_come = chain(shared, pair_rows(iter(now.pairs)))
        self._make_some()
        self._timer.start()

    def _make_some(self) -> None:
        made: list[ComparisonRow] = []
        size = 0
        for row in self._to_come:
            made.append(row)
            size += row.size
            if size > _SLICE or len(made) >= _SLICE_ROWS:
                break
        if not made:
            self._timer.stop()
            return
        self.beginInsertRows(QModelIndex(), len(self._rows), len(self._rows) + len(made) - 1)
        self._rows += made
        self.endInsertRows()


class ComparisonDelegate(QStyledItemDelegate):
    """Measures and paints rows; what it has laid out is kept for those that were asked for last.

    Attribute: side, of both columns the one that the keyboard is in, 0 or 1.
    """

    def __init__(self, style: Style, view: QListView, model: ComparisonModel) -> None:
        super().__init__(view)
        self._style, self._view, self._model = style, view, model
        self._focus = RowFocus(view)
        self._heights: dict[ComparisonRow, int] = {}
        self._laid: OrderedDict[ComparisonRow, ComparedBlocks] = OrderedDict()
        self._width = 0
        self.side = 0
        model.modelAboutToBeReset.connect(self.forget)
        style.changed.connect(self.forget)

    def forget(self) -> None:
        """Measure everything again."""
        self._heights.clear()
        self._laid.clear()

    def renew_formulas(self) -> bool:
        """Take in the formulas of which it is known now how they are drawn; returns whether there were any."""
        renewed = [row for row, laid in self._laid.items() if laid.renew_formulas()]
        for row in renewed:
            self._heights.pop(row, None)
        return bool(renewed)

    def sizeHint(self, option: QStyleOptionViewItem, index: AnyIndex) -> QSize:
        width = self._view.viewport().width()
        if width != self._width:
            self._heights.clear()
            self._width = width
        row: ComparisonRow = index.data(RowRole.ROW)
        height = self._heights.get(row)
        if height is None:
            height = self._heights[row] = self._measure(row, width)
        return QSize(width, height)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        row: ComparisonRow = index.data(RowRole.ROW)
        rect = QRectF(option.rect)
        painter.save()
        smooth(painter)
        if row.kind is RowKind.SHARED:
            self._paint_shared(painter, rect, row)
        elif row.kind is RowKind.THOUGHT:
            self._paint_thought(painter, rect, row)
        elif row.kind is RowKind.HEAD:
            self._paint_head(painter, rect, row, is_first=index.row() == 1)
        else:
            self._paint_blocks(painter, rect, row)
        if option.state & QStyle.StateFlag.State_HasFocus and self._focus.is_shown:
            paint_row_ring(painter, self._style, self._ring(rect, row))
        painter.restore()

    def _ring(self, rect: QRectF, row: ComparisonRow) -> QRectF:
        """Return where the ring of the keyboard stands: around the side that it is in, or around the whole row."""
        if row.kind is RowKind.SHARED or row.is_shared:
            return rect.adjusted(4, 0, -4, 0)
        return columns(rect)[self.side].adjusted(-GUTTER, 0, 6, 0)

    def _measure(self, row: ComparisonRow, width: int) -> int:
        scaled = self._style.typography.scaled
        if row.kind is RowKind.SHARED:
            return self._style.typography.row + 2 * scaled(6)
        if row.kind is RowKind.HEAD:
            return scaled(_ABOVE_HEAD) + self._style.text_style(TextRole.SMALL_MEDIUM).line + scaled(_BELOW_HEAD)
        if row.kind is RowKind.THOUGHT:
            return self._style.text_style(TextRole.SMALL).line + scaled(_BELOW_BLOCK)
        column = self._columns(QRectF(0, 0, width, 0), row)[0]
        return round(self._blocks(row).height(column.width()) + 0.5) + scaled(_BELOW_BLOCK)

    def _columns(self, rect: QRectF, row: ComparisonRow) -> Sequence[QRectF]:
        left, right = columns(rect)
        if not row.is_shared:
            return left, right
        whole = left.united(right)
        width = min(whole.width(), float(_WIDEST))
        return (QRectF(left.left(), rect.top(), width, rect.height()),)

    def is_marked(self, row: ComparisonRow) -> bool:
        """Return whether something of a row is marked as different: what is written otherwise may be shown alike."""
        return row.is_different and (row.kind is not RowKind.BLOCK or self._blocks(row).has_marks)

    def _blocks(self, row: ComparisonRow) -> ComparedBlocks:
        laid = self._laid.get(row)
        if laid is None:
            laid = self._laid[row] = ComparedBlocks(row, self._style)
            if len(self._laid) > _MOST_LAID:
                self._laid.popitem(last=False)
        self._laid.move_to_end(row)
        return laid

    def _paint_shared(self, painter: QPainter, rect: QRectF, row: ComparisonRow) -> None:
        theme, text_style = self._style.theme, self._style.text_style(TextRole.SMALL)
        left = columns(rect)[0].left()
        if row.count:
            at = QPointF(left - GUTTER / 2 - 2, rect.center().y())
            self._paint_arrow(painter, at, is_open=self._model.is_open)
        words = QRectF(left, rect.top(), rect.right() - left - EDGE, rect.height())
        draw_text(painter, text_style, words, shared_title(row.count), theme.text2)

    def _paint_thought(self, painter: QPainter, rect: QRectF, row: ComparisonRow) -> None:
        theme, text_style = self._style.theme, self._style.text_style(TextRole.SMALL)
        for title, side in zip(row.titles, self._columns(rect, row), strict=False):
            if title:
                words = QRectF(side.left(), rect.top(), side.width(), text_style.line)
                at = QPointF(side.left() - GUTTER / 2 - 2, words.center().y())
                self._paint_arrow(painter, at, is_open=self._model.is_row_open(row))
                draw_text(painter, text_style, words, title, theme.text2)

    def _paint_arrow(self, painter: QPainter, at: QPointF, *, is_open: bool) -> None:
        icon, size = Icon.FOLD if is_open else Icon.RIGHT, self._style.typography.icon(12)
        self._style.icons.paint(painter, icon, at, self._style.theme.text2, size)

    def _paint_head(self, painter: QPainter, rect: QRectF, row: ComparisonRow, *, is_first: bool) -> None:
        theme, text_style = self._style.theme, self._style.text_style(TextRole.SMALL_MEDIUM)
        sides = self._columns(rect, row)
        if not row.is_shared:
            painter.fillRect(QRectF(sides[0].left(), rect.top(), sides[1].right() - sides[0].left(), 1), theme.line)
        for name, side in zip(row.names, sides, strict=False):
            below = self._style.typography.scaled(_BELOW_HEAD)
            words = QRectF(side.left(), rect.bottom() - below - text_style.line, side.width(), text_style.line)
            draw_text(painter, text_style, words, name, theme.text2)

    def _paint_blocks(self, painter: QPainter, rect: QRectF, row: ComparisonRow) -> None:
        laid, sides = self._blocks(row), self._columns(rect, row)
        palette = QPalette()
        palette.setColor(QPalette.ColorRole.Text, self._style.theme.text)
        laid.paint(painter, sides, palette)
        if laid.is_different:
            for sign, height, side in zip("−+", laid.heights, sides, strict=True):
                if height:
                    self._paint_sign(painter, QRectF(side.left() - GUTTER, rect.top(), GUTTER, height), sign)

    def _paint_sign(self, painter: QPainter, gutter: QRectF, sign: str) -> None:
        """Tell a paragraph that has none like it beside it: a bar, and above it the sign of its side."""
        theme, text_style = self._style.theme, self._style.text_style(TextRole.CAP_STRONG)
        color = theme.text2 if sign == "−" else theme.accent
        line = self._style.text_style(TextRole.BODY).line
        draw_text(painter, text_style, QRectF(gutter.left() + 2, gutter.top(), 10, line), sign, color)
        bar = theme.mute if sign == "−" else theme.accentgfx
        painter.fillRect(QRectF(gutter.right() - 8, gutter.top() + 2, 2, gutter.height() - 4), bar)


class ComparisonList(QListView):
    """Shows the rows of a comparison. Laying out takes slices, however many there are.

    Signal: resized(), the columns have another width.
    """

    resized = Signal()

    def __init__(self, style: Style, comparison: Comparison, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._style = style
        set_up_view(self, style, "Comparison")
        self.setSelectionMode(QListView.SelectionMode.NoSelection)
        # A bar that came and went with the rows laid out so far would change their width, and all begin again.
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
        self.setLayoutMode(QListView.LayoutMode.Batched)
        self.setBatchSize(3)
        self.setResizeMode(QListView.ResizeMode.Adjust)
        self._rows = ComparisonModel(comparison, self)
        self.setModel(self._rows)
        self._delegate = ComparisonDelegate(style, self, self._rows)
        self.setItemDelegate(self._delegate)
        self._rows.modelReset.connect(self._stay_in_sight)
        style.formulas.drawn.connect(self._renew_formulas)
        self._stay_in_sight()

    @property
    def comparison_model(self) -> ComparisonModel:
        """The model of the rows."""
        return self._rows

    def step_difference(self, step: int) -> bool:
        """Take the keyboard to the next paragraph that differs, or with -1 to the one before; they go round.

        Return whether there is another one.
        """
        number, rows = self.currentIndex().row(), self._rows.rows
        around = [*range(number + 1, len(rows)), *range(max(0, number))]
        found = next((one for one in around[::step] if self._delegate.is_marked(rows[one])), None)
        if found is not None:
            self.setFocus(Qt.FocusReason.ShortcutFocusReason)
            self.setCurrentIndex(self._rows.index(found))
        return found is not None

    def copy(self, *, as_markdown: bool = False) -> bool:
        """Copy what the side says that the keyboard is in: its paragraph, or from a head its message.

        False where it says nothing.
        """
        row = self._row_at(self.currentIndex())
        text = "" if row is None else copied_side(row, self._delegate.side, self._style, as_markdown=as_markdown)
        if text:
            copy_text(text, self)
        return bool(text)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Open a menu about the side of a row under the mouse, or that the keyboard is in."""
        index, at = menu_target(self, event)
        row = self._row_at(index)
        if event.reason() is QContextMenuEvent.Reason.Mouse:
            self._take_side(event.pos().x())
        if row is not None and copied_side(row, self._delegate.side, self._style):
            self.setCurrentIndex(index)
            menu = QMenu(self)
            menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
            menu.addAction(_COPIES.get(row.kind, "Copy Paragraph"), self.copy)
            menu.addAction("Copy as Markdown", lambda: self.copy(as_markdown=True))
            menu.popup(at)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Go from row to row, but first through a row that is higher than what is in sight; sideways to a side."""
        key, step = event.key(), {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}.get(Qt.Key(event.key()), 0)
        if event.modifiers() & (Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier):
            super().keyPressEvent(event)
        elif step:
            self._go(step)
        elif key in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            self._go_sideways(is_left=key == Qt.Key.Key_Left)
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self._toggle(self.currentIndex())
        elif key == Qt.Key.Key_Escape:
            event.ignore()
        else:
            super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._take_side(round(event.position().x()))
        super().mousePressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        if event.button() is Qt.MouseButton.LeftButton:
            self._toggle(self.indexAt(event.position().toPoint()))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.scheduleDelayedItemsLayout()
        self.resized.emit()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the line between both sides below the rows."""
        left, right = columns(QRectF(self.viewport().rect()))
        painter = QPainter(self.viewport())
        middle = (left.right() + right.left() - GUTTER) / 2 + 4
        painter.fillRect(
            QRectF(round(middle), self._end_of_shared(), 1, self.viewport().height()), self._style.theme.line
        )
        painter.end()
        super().paintEvent(event)

    def _end_of_shared(self) -> int:
        """Return where the rows end that stand across both columns, in points of the viewport."""
        rows = self._rows.rows
        first = next(
            (number for number, row in enumerate(rows) if row.kind is not RowKind.SHARED and not row.is_shared), 0
        )
        return max(0, self.visualRect(self._rows.index(first)).top()) if first else self.viewport().height()

    def _go(self, step: int) -> None:
        bar, rect = self.verticalScrollBar(), self.visualRect(self.currentIndex())
        is_beyond = rect.bottom() > self.viewport().height() if step > 0 else rect.top() < 0
        following = self._rows.index(self.currentIndex().row() + step)
        if is_beyond or not following.isValid():
            bar.setValue(bar.value() + step * 2 * self._style.text_style(TextRole.BODY).line)
        else:
            self.setCurrentIndex(following)

    def _go_sideways(self, *, is_left: bool) -> None:
        """Go to the other side; on the line for the messages in common, fold or unfold them."""
        row = self._row_at(self.currentIndex())
        if row is not None and row.kind is RowKind.SHARED:
            if self._rows.is_open == is_left:
                self._toggle(self.currentIndex())
        else:
            self._choose_side(0 if is_left else 1)

    def _take_side(self, x: int) -> None:
        self._choose_side(int(x >= columns(QRectF(self.viewport().rect()))[1].left() - GUTTER))

    def _choose_side(self, side: int) -> None:
        self._delegate.side = side
        self.viewport().update()

    def _row_at(self, index: AnyIndex) -> ComparisonRow | None:
        row: ComparisonRow | None = index.data(RowRole.ROW) if index.isValid() else None
        return row

    def _toggle(self, index: AnyIndex) -> None:
        row = self._row_at(index)
        if row is not None:
            self._rows.toggle(index.row())

    def _renew_formulas(self) -> None:
        if self._delegate.renew_formulas():
            self.scheduleDelayedItemsLayout()
            self.viewport().update()

    def _stay_in_sight(self) -> None:
        self.setCurrentIndex(self._rows.index(0))
