"""The words of a branch's row: name, messages and age, tokens, and how warm it is."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QAbstractItemModel, QEvent, QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QHelpEvent, QPainter
from PySide6.QtWidgets import QAbstractItemView, QLineEdit, QStyle, QStyleOptionViewItem, QWidget

from app.viewmodels.branches.branch_model import BranchModel
from app.viewmodels.branches.branch_rows import BranchRow
from app.viewmodels.branches.outline_nodes import LONG, OutlineNode
from app.viewmodels.kit.lists import AnyIndex, RowRole
from app.viewmodels.text import formatting
from app.viewmodels.text.branch_titles import quoted
from app.viewmodels.warmth.price_text import price_sentence
from app.widgets.kit.drawing import draw_text, has_room, stroke_rounded, whole_parts
from app.widgets.kit.icon_paths import Icon
from app.widgets.kit.item_views import RowDelegate
from app.widgets.kit.marks import paint_warmth
from app.widgets.kit.name_field import NameField
from app.widgets.kit.row_focus import is_in_active_window
from app.widgets.kit.style import Style
from app.widgets.kit.tips import show_tip
from app.widgets.kit.typography import TextRole

WARMTH, INSET, BETWEEN = 22, 16, 12
_TO_TEXT, _STAR, _CHIP_PAD = 10, 12, 7
PaintLines = Callable[[QPainter, QRectF, int], None]


class BranchDelegate(RowDelegate):
    """Paints the words of a branch right of the lines that lead to it, and has it named in its place."""

    def __init__(
        self,
        style: Style,
        view: QAbstractItemView,
        model: BranchModel,
        trunk: Callable[[int], float],
        paint_lines: PaintLines,
        is_unfolded: Callable[[str], bool],
    ) -> None:
        """trunk: abscissa of the lines of a level. is_unfolded: whether the questions of a run are listed."""
        super().__init__(style, view)
        self._model, self._trunk, self._paint_lines, self._is_unfolded = model, trunk, paint_lines, is_unfolded

    @property
    def hover(self) -> QColor:
        return self._style.theme.fill

    @property
    def tokens_width(self) -> float:
        """Points of the column of tokens."""
        return self._style.text_style(TextRole.UI).width("12 345")

    def figures_width(self) -> float:
        """Return the points that tokens and warmth take at the right of a row."""
        return INSET + WARMTH + BETWEEN + self.tokens_width

    def sizeHint(self, option: QStyleOptionViewItem, index: AnyIndex) -> QSize:
        return QSize(0, self._style.typography.two_line_row)

    def words(self, rect: QRect, node: OutlineNode) -> QRectF:
        """Return where the words of a row stand."""
        left = self._trunk(node.level) + _TO_TEXT + (_TO_TEXT if node.is_turn else 0)
        right = rect.right() + 1 - self.figures_width() - BETWEEN / 2
        return QRectF(left, rect.top() + 3, max(0.0, right - left), rect.height() - 7)

    def chip(self, rect: QRect, node: OutlineNode) -> QRectF | None:
        """Return where a long run or a group of them has the chip that unfolds it; None where there is none."""
        row = self._model.row(node)
        if node.is_turn or (row.count < LONG and not node.folded):
            return None
        text_style, words = self._style.text_style(TextRole.CAP), self.words(rect, node)
        room = words.width() - self._chip_beside
        width = text_style.width(self._on_chip(node, row, room)) + self._chip_beside
        height = text_style.line + 3
        top = words.center().y() - height / 2 if node.folded else words.bottom() - height + 2
        return QRectF(words.left(), top, min(width, words.width()), height)

    @property
    def _chip_beside(self) -> float:
        """Points of a chip beside its words."""
        return 2 * _CHIP_PAD + self._style.typography.icon(10) + 2

    def _on_chip(self, node: OutlineNode, row: BranchRow, room: float) -> str:
        """Say what a chip unfolds; where the words have no room, how many."""
        words = row.title if node.folded else formatting.plural(row.count, "message")
        is_cut = not node.folded and self._style.text_style(TextRole.CAP).width(words) > room
        return formatting.number(row.count) if is_cut else words

    def paint_content(self, painter: QPainter, rect: QRectF, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        node: OutlineNode = index.data(RowRole.ROW)
        row = self._model.row(node)
        is_selected = bool(option.state & QStyle.StateFlag.State_Selected)
        self._paint_lines(painter, QRectF(option.rect), index.row())
        words = self.words(option.rect, node)
        if not node.folded:
            self._paint_name(painter, words, node, row, is_selected and is_in_active_window(option))
        theme = self._style.theme
        faint = theme.text2 if is_selected else theme.text3
        self._paint_detail(painter, words, option.rect, node, row, faint)
        if not (node.is_turn or node.folded):
            self._paint_figures(painter, QRectF(option.rect), row, theme.text2)

    def _paint_name(
        self, painter: QPainter, words: QRectF, node: OutlineNode, row: BranchRow, is_accented: bool
    ) -> None:
        theme = self._style.theme
        text_style = self._style.text_style(TextRole.UI_MEDIUM if row.is_favourite else TextRole.UI)
        line = QRectF(words.left(), words.top(), words.width(), text_style.line - 1)
        if row.is_favourite:
            size = self._style.typography.icon(_STAR)
            center = QPointF(line.left() + size / 2, line.center().y() - 0.5)
            self._style.icons.paint(painter, Icon.STAR, center, theme.accentgfx, size)
            line.setLeft(line.left() + size + 5)
        color = theme.text if node.is_met else theme.text3
        title = row.title if has_room(text_style, row.title, line.width()) else self._model.apart(node.id) or row.title
        draw_text(painter, text_style, line, title, theme.accent if is_accented else color)

    def _paint_detail(
        self, painter: QPainter, words: QRectF, rect: QRect, node: OutlineNode, row: BranchRow, color: QColor
    ) -> None:
        text_style, chip = self._style.text_style(TextRole.CAP), self.chip(rect, node)
        line = QRectF(words.left(), words.bottom() - text_style.line - 1, words.width(), text_style.line + 1)
        if chip is None:
            detail = whole_parts(text_style, row.detail(self._model.clock()), line.width(), ", ")
            draw_text(painter, text_style, line, detail, color)
            return
        theme, size = self._style.theme, self._style.typography.icon(10)
        stroke_rounded(painter, chip, 5, theme.line2)
        icon = Icon.FOLD if self._is_unfolded(row.id) else Icon.RIGHT
        center = QPointF(chip.left() + _CHIP_PAD + size / 2 - 2, chip.center().y())
        self._style.icons.paint(painter, icon, center, theme.text2, size)
        inside = chip.adjusted(_CHIP_PAD + size + 1, 0, -_CHIP_PAD + 1, 0)
        draw_text(painter, text_style, inside, self._on_chip(node, row, words.width() - self._chip_beside), theme.text2)
        line = QRectF(
            chip.right() + 6, chip.center().y() - line.height() / 2, words.right() - chip.right() - 6, line.height()
        )
        age = formatting.ago(row.used_at, self._model.clock())
        if text_style.width(age) <= line.width():
            draw_text(painter, text_style, line, age, color)

    def _paint_figures(self, painter: QPainter, rect: QRectF, row: BranchRow, color: QColor) -> None:
        warmth = self._model.warmth(row)
        if warmth is None:
            return
        text_style, middle = self._style.text_style(TextRole.UI), rect.center().y()
        bar = QRectF(rect.right() - INSET - WARMTH, middle - 2, WARMTH, 4)
        paint_warmth(painter, self._style.theme, bar, warmth.share, warmth.is_on_disk)
        right = bar.left() - BETWEEN
        tokens = QRectF(right - self.tokens_width, rect.top(), self.tokens_width, rect.height())
        words = "" if warmth.row_tokens is None else formatting.number(warmth.row_tokens)
        draw_text(painter, text_style, tokens, words, color, Qt.AlignmentFlag.AlignRight)

    def helpEvent(
        self, event: QHelpEvent, view: QAbstractItemView, option: QStyleOptionViewItem, index: AnyIndex
    ) -> bool:
        """Show all words of a row in a tooltip, and what going on from its end costs."""
        node: OutlineNode | None = index.data(RowRole.ROW)
        if node is None or event.type() != QEvent.Type.ToolTip:
            return False
        row = self._model.row(node)
        if node.folded:
            return False
        lines = [row.title, *[quoted(row.words)] * bool(row.name and row.words), row.detail(self._model.clock())]
        lines += [] if node.is_turn else [price_sentence(self._model.warmth(row))]
        show_tip(event.globalPos(), "\n".join(lines), view)
        return True

    # Naming

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: AnyIndex) -> QWidget:
        """Return a field to be shown in the place of the name."""
        editor = NameField(self._style, "Name of the branch", parent)
        editor.setPlaceholderText("Name")
        return editor

    def updateEditorGeometry(self, editor: QWidget, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        node: OutlineNode = index.data(RowRole.ROW)
        words = self.words(option.rect, node)
        height = self._style.text_style(TextRole.UI).line + 4
        editor.setGeometry(QRectF(words.left() - 4, words.top() - 1, max(words.width(), 120) + 4, height).toRect())

    def setEditorData(self, editor: QWidget, index: AnyIndex) -> None:
        """Put the name into the field; what is typed meanwhile stays when the row changes."""
        if isinstance(editor, QLineEdit) and not editor.isModified():
            editor.setText(index.data(Qt.ItemDataRole.EditRole))
            editor.selectAll()

    def setModelData(self, editor: QWidget, model: QAbstractItemModel, index: AnyIndex) -> None:
        if isinstance(editor, QLineEdit):
            model.setData(index, editor.text(), Qt.ItemDataRole.EditRole)
