"""The branches of the open conversation in the inspector: an outline, a filter above it, and what is chosen below."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QPoint, QRectF, Qt, Signal
from PySide6.QtGui import QHideEvent, QKeyEvent, QPainter, QPaintEvent, QRegion, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QMenu, QWidget

from app.viewmodels.branches.branches_region import BranchesRegion
from app.widgets.branches.branch_delegate import BETWEEN, INSET, WARMTH
from app.widgets.branches.branch_foot import BranchFoot, WarmthLegend
from app.widgets.branches.branch_tree import BranchTree
from app.widgets.kit.controls import ToolButton
from app.widgets.kit.drawing import draw_text, smooth, wrapped
from app.widgets.kit.icon_paths import Icon
from app.widgets.kit.own_keys import claim_key
from app.widgets.kit.pane import Pane
from app.widgets.kit.refused import refuse
from app.widgets.kit.search_field import SearchField
from app.widgets.kit.style import Style
from app.widgets.kit.typography import TextRole

_TOP, _BACK = 10, 24
_LEAST_TREE = 100


class BranchesPane(Pane):
    """From above: title and totals, filter, the outline or what there is to say instead, the chosen row, the legend.

    Attributes: back, field, tree, foot, legend. Signal: left, the person goes back to writing.
    """

    left = Signal()

    id = "branches"
    title = "Branches"
    icon = Icon.FORK

    def __init__(self, style: Style, region: BranchesRegion, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._style, self._region = style, region
        self.setAccessibleName(self.title)
        self.back = ToolButton(style, Icon.LEFT, "Show All Branches", size=_BACK, icon_size=14, parent=self)
        self.field = SearchField(style, "Filter branches", "Filter branches", parent=self)
        self.tree = BranchTree(style, region, self)
        self.foot = BranchFoot(style, self)
        self.legend = WarmthLegend(style, self)
        self._connect()
        self._refresh()

    def _connect(self) -> None:
        region, tree, foot = self._region, self.tree, self.foot
        self.back.clicked.connect(lambda: region.hoist(""))
        self.field.textChanged.connect(region.look_for)
        self.field.wentDown.connect(self._go_down)
        self.field.entered.connect(self._go_down)
        self.field.escaped.connect(self.left)
        tree.wentUp.connect(self.field.take_focus)
        tree.left.connect(self.left)
        tree.menuAsked.connect(self._show_menu)
        foot.rename.clicked.connect(lambda: self._do(tree.edit_name))
        foot.compare.clicked.connect(lambda: self._do(region.compare))
        foot.delete.clicked.connect(lambda: self._do(region.delete))
        region.model.shown.connect(self._arrange)
        region.state.changed.connect(self._refresh)
        self._style.changed.connect(self._restyle)

    @property
    def tab_order(self) -> Sequence[QWidget]:
        return self.back, self.field, self.field.clear_button, self.tree, *self.foot.buttons

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._region.wake()
        self._refresh()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._region.rest()

    def _is_narrowed(self) -> bool:
        """Return whether not all branches are listed: some are filtered out, or one is shown alone."""
        return bool(self.field.text() or self._region.state.now.top)

    def event(self, event: QEvent) -> bool:
        """Keep Escape from the menus while not all branches are listed: it lists them, and stops no answer."""
        return claim_key(event, Qt.Key.Key_Escape, when=self._is_narrowed) or super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Escape ends the filter, else the view of one branch; with all branches listed, it is left to the window."""
        if event.key() != Qt.Key.Key_Escape or not self._is_narrowed():
            super().keyPressEvent(event)
        elif self.field.text():
            self.field.clear()
        else:
            self._region.hoist("")

    def menu(self, row_id: str) -> QMenu:
        """Return what can be done with a row, as a menu that is deleted when it is closed."""
        region, row = self._region, self._region.model.row_of(row_id)
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.setToolTipsVisible(True)
        menu.addAction("Open Branch", lambda: region.open(row_id))
        rename = menu.addAction("Rename", lambda: self.tree.edit_name(row_id))
        is_favourite = row is not None and row.is_favourite
        title = "Remove from Favourites" if is_favourite else "Add to Favourites"
        favourite = menu.addAction(title, lambda: region.mark(row_id))
        menu.addSeparator()
        menu.addAction("Show Only This Branch", lambda: region.hoist(row_id))
        menu.addAction("Show All Branches", lambda: region.hoist("")).setEnabled(bool(region.state.now.top))
        menu.addSeparator()
        menu.addAction("Compare…", lambda: region.compare(row_id)).setEnabled(self.foot.compare.isEnabled())
        if region.can_warm_up():
            menu.addAction("Warm Up", lambda: region.warm_up(row_id)).setToolTip(self._price_of(row_id))
        delete = menu.addAction("Delete Branch", lambda: region.delete(row_id))
        for entry in (rename, favourite, delete):
            refuse(entry, region.state.now.refusal)
        return menu

    def _price_of(self, row_id: str) -> str:
        now = self._region.state.now
        return now.price if now.chosen is not None and now.chosen.id == row_id else ""

    def _show_menu(self, row_id: str, at: QPoint) -> None:
        self.menu(row_id).popup(at)

    def _do(self, act: Callable[[str], object]) -> None:
        chosen = self._region.state.now.chosen
        if chosen is not None:
            act(chosen.id)

    def _go_down(self) -> None:
        """Come to the outline by the keyboard; while it is filtered, to the first row that is met."""
        model, tree = self._region.model, self.tree
        met = next((node.id for node in model.rows if node.is_met), "")
        if self.field.text() and met:
            tree.setCurrentIndex(model.index_of(met))
        elif not tree.currentIndex().isValid():
            tree.setCurrentIndex(model.index(0, 0))
        tree.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _refresh(self) -> None:
        now = self._region.state.now
        self.foot.show_state(now)
        self.foot.compare.setEnabled(now.can_compare)
        for button in (self.foot.rename, self.foot.delete):
            refuse(button, now.refusal)
        self.back.setVisible(bool(now.top))
        self.setAccessibleDescription(", ".join(part for part in (now.title, now.summary, now.hint) if part))
        self._arrange()
        self.update(QRegion(self.rect()).subtracted(self.tree.geometry()))  # rows are painted where they differ

    def _restyle(self) -> None:
        self._arrange()
        self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._arrange()

    @property
    def _head(self) -> QRectF:
        return QRectF(INSET, _TOP, self.width() - 2 * INSET, self._style.typography.scaled(18))

    @property
    def _title(self) -> str:
        return self._region.state.now.top or self._region.state.now.title

    @property
    def _is_in_two_lines(self) -> bool:
        """Whether the totals have no room beside the title, of which a good part is to be seen."""
        now, width = self._region.state.now, self.width() - 2 * INSET - (_BACK if self._region.state.now.top else 0)
        title = min(self._style.text_style(TextRole.HEADLINE).width(self._title), 0.4 * width)
        return title + 12 + self._style.text_style(TextRole.UI).width(now.summary) > width

    @property
    def _head_bottom(self) -> float:
        return self._head.bottom() + (self._head.height() if self._is_in_two_lines else 0)

    @property
    def _captions_top(self) -> float:
        return self._head_bottom + 10 + self._style.typography.row + 8

    def _arrange(self) -> None:
        width, row = self.width(), self._style.typography.row
        head = self._head
        self.back.setGeometry(INSET - 6, round(head.center().y()) - _BACK // 2, _BACK, _BACK)
        self.field.setGeometry(INSET, round(self._head_bottom) + 10, width - 2 * INSET, row)
        top = round(self._captions_top + self._style.text_style(TextRole.CAP).line + 4)
        legend = self.legend.heightForWidth(width)
        self.legend.setGeometry(0, self.height() - legend, width, legend)
        room = self.height() - top
        foot = self.foot.heightForWidth(width)
        self.foot.setVisible(self._region.state.now.chosen is not None and room - foot >= _LEAST_TREE)
        foot = 0 if self.foot.isHidden() else foot
        self.legend.setVisible(room - foot - legend >= _LEAST_TREE)
        room = max(0, room - foot - (0 if self.legend.isHidden() else legend))
        hint = self._hint_height
        height = min(room, self.tree.rows_height + (0 if hint else 8))
        self.tree.setGeometry(0, top, width, height)
        self.foot.setGeometry(0, top + min(room, height + hint), width, foot)

    @property
    def _hint_lines(self) -> list[str]:
        hint = self._region.state.now.hint
        return wrapped(self._style.text_style(TextRole.UI), hint, self.width() - 2 * INSET) if hint else []

    @property
    def _hint_height(self) -> int:
        lines = self._hint_lines
        return len(lines) * self._style.text_style(TextRole.UI).line + 24 if lines else 0

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, now, head = self._style.theme, self._region.state.now, self._head
        painter = smooth(QPainter(self))
        ui, cap = self._style.text_style(TextRole.UI), self._style.text_style(TextRole.CAP)
        left = head.adjusted(_BACK - 2, 0, 0, 0) if now.top else head
        if self._is_in_two_lines:
            draw_text(painter, ui, head.translated(0, head.height()), now.summary, theme.text2)
        else:
            taken = draw_text(painter, ui, left, now.summary, theme.text2, Qt.AlignmentFlag.AlignRight)
            left.setRight(left.right() - taken - 12)
        draw_text(painter, self._style.text_style(TextRole.HEADLINE), left, self._title, theme.text)
        line = QRectF(INSET, self._captions_top, self.width() - 2 * INSET, cap.line)
        draw_text(painter, cap, line, "branch", theme.text3)
        warm = draw_text(painter, cap, line, "warm", theme.text3, Qt.AlignmentFlag.AlignRight)
        line.setRight(line.right() - max(WARMTH + BETWEEN, warm + 8))
        draw_text(painter, cap, line, "tokens", theme.text3, Qt.AlignmentFlag.AlignRight)
        below = self.tree.geometry().bottom() + 13
        for number, sentence in enumerate(self._hint_lines):
            line = QRectF(INSET, below + number * ui.line, self.width() - 2 * INSET, ui.line)
            draw_text(painter, ui, line, sentence, theme.text2)
        painter.end()
