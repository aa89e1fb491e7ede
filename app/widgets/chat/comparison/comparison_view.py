"""The comparison of two branches, in the chat's place: which they are, and below that their rows."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QPoint, QRect, QRectF, QSize, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QMenu, QWidget

from app.viewmodels.comparison.comparison import ComparedBranch, Comparison, Side
from app.viewmodels.kit.action import Actions
from app.viewmodels.text.formatting import DOT
from app.widgets.chat.comparison.comparison_list import EDGE, ComparisonList, columns
from app.widgets.kit.action_button import native_keys
from app.widgets.kit.controls import Button, State, ToolButton
from app.widgets.kit.drawing import draw_text, fill_rounded, has_room, smooth, whole_parts
from app.widgets.kit.icon_paths import Icon
from app.widgets.kit.menu_button import MenuButton
from app.widgets.kit.style import Style
from app.widgets.kit.typography import TextRole

_SIDES: tuple[Side, Side] = ("left", "right")
_PAD = 8
_ABOVE, _NARROW = 6, 160  # points; below so many, which grow with the text, a chooser has a line of its own
_STEPS = (
    (Icon.LEFT, "Previous Difference", "Goes to the paragraph before that differs", "find_previous"),
    (Icon.RIGHT, "Next Difference", "Goes to the next paragraph that differs", "find_next"),
)


class BranchButton(MenuButton):
    """The branch of one side: its name, below it who answers there. `chosen` carries the last message of another."""

    chosen = Signal(str)

    def __init__(self, style: Style, side: Side, comparison: Comparison, parent: QWidget) -> None:
        super().__init__(style, f"Branch on the {side}", parent)
        self._side, self._comparison = side, comparison
        self._branch = ComparedBranch("", "")

    def show_branch(self, branch: ComparedBranch) -> None:
        """Stand for this branch."""
        self._branch = branch
        told = ", ".join(part for part in (branch.name, branch.detail) if part)
        self.setAccessibleName(f"Branch on the {self._side}: {told}")
        self.setToolTip("\n".join(part for part in (branch.name, branch.detail) if part))
        self.updateGeometry()
        self.update()

    def menu(self) -> QMenu:
        """Make the menu of all branches, the one of this side marked."""
        menu = QMenu(self)
        for one in self._comparison.branches():
            entry = menu.addAction(one.name.replace("&", "&&"), partial(self.chosen.emit, one.leaf_id))
            entry.setCheckable(True)
            entry.setChecked(one.leaf_id == self._branch.leaf_id)
        return menu

    def sizeHint(self) -> QSize:
        name, small = self._style.text_style(TextRole.HEADLINE), self._style.text_style(TextRole.CAP)
        width = max(name.width(self._branch.name), small.width(self._branch.detail)) + _PAD + self.sign_width
        return QSize(round(width) + 1, name.line + small.line + 8)

    def _paint(self, painter: QPainter, rect: QRectF) -> None:
        theme, state = self._style.theme, self.state
        if state in (State.HOVER, State.PRESSED):
            fill_rounded(painter, rect, self.ring_radius, theme.fill if state is State.HOVER else theme.fill2)
        name, small = self._style.text_style(TextRole.HEADLINE), self._style.text_style(TextRole.CAP)
        words = rect.adjusted(_PAD, 4, -self.sign_width, -4)
        if self._branch.detail:
            upper = QRectF(words.left(), words.top(), words.width(), name.line)
            lower = QRectF(words.left(), upper.bottom(), words.width(), small.line)
            detail = whole_parts(small, self._branch.detail, lower.width(), DOT)
            draw_text(painter, small, lower, detail, theme.text3)
        else:
            upper = words
        title = self._branch.name
        if self._branch.apart and not has_room(name, title, upper.width()):
            title = self._branch.apart
        taken = draw_text(painter, name, upper, title, theme.text)
        at = upper.center()
        at.setX(upper.left() + taken + self.sign_width / 2)
        self._paint_sign(painter, at, theme.text3)


class ComparisonView(QWidget):
    """Two branches beside each other. It takes the chat's place, so that the sides of the window stay as they are.

    Attributes: list; choosers and buttons, of the left and of the right side;
    previous and next, of the differences; close_button.
    """

    def __init__(self, style: Style, comparison: Comparison, actions: Actions, parent: QWidget | None = None) -> None:
        """actions: "find_previous" and "find_next", which go through the differences here."""
        super().__init__(parent)
        self._style, self._comparison = style, comparison
        self.setAccessibleName("Comparison of two branches")
        self.choosers = tuple(BranchButton(style, side, comparison, self) for side in _SIDES)
        self.buttons = tuple(Button(style, "Go On Here", parent=self) for _ in _SIDES)
        self.close_button = ToolButton(
            style, Icon.DISCARD, "Close Comparison", "Shows the chat again (Esc)", parent=self
        )
        self.list = ComparisonList(style, comparison, self)
        self.previous, self.next = (
            ToolButton(style, icon, name, f"{tip} ({native_keys(actions[action_id])})", parent=self)
            for icon, name, tip, action_id in _STEPS
        )
        self.previous.clicked.connect(partial(self.list.step_difference, -1))
        self.next.clicked.connect(partial(self.list.step_difference, 1))
        for side, chooser, button in zip(_SIDES, self.choosers, self.buttons, strict=True):
            chooser.chosen.connect(partial(comparison.choose, side))
            button.clicked.connect(partial(comparison.go_on, side))
            button.setAccessibleName(f"Go On with the Branch on the {side.capitalize()}")
            button.setToolTip("Shows this branch in the chat, where you can go on in it")
        self.close_button.clicked.connect(comparison.close)
        sides = (one for pair in zip(self.choosers, self.buttons, strict=True) for one in pair)
        stops = (*sides, self.previous, self.next, self.close_button)
        for before, after in zip(stops, (*stops[1:], self.list), strict=True):
            QWidget.setTabOrder(before, after)
        self.tab_order = (*stops, self.list)
        comparison.state.changed.connect(self._show)
        self.list.resized.connect(self._arrange)  # which comes later than its geometry where it was hidden
        style.changed.connect(self._arrange)
        style.changed.connect(self.update)
        self._show()

    def _show(self) -> None:
        now = self._comparison.state.now
        for chooser, branch in zip(self.choosers, (now.left, now.right), strict=True):
            if branch is not None:
                chooser.show_branch(branch)
        self._arrange()

    def _arrange(self) -> None:
        """Put each side's button beside its chooser, or below it where both have no room in one line."""
        line = max(self.choosers[0].sizeHint().height(), self.close_button.sizeHint().height())
        end = self.width() - EDGE // 2
        for tool in (self.close_button, self.next, self.previous):
            size = tool.sizeHint()
            end -= size.width()
            tool.setGeometry(end, _ABOVE + (line - size.height()) // 2, size.width(), size.height())
        wanted = self.buttons[0].sizeHint()
        sides = columns(QRectF(0, 0, self.list.viewport().width(), 0))
        beside = min(sides[1].right(), end - EDGE / 2) - sides[1].left() - wanted.width() - EDGE / 2
        is_stacked = beside < self._style.typography.scaled(_NARROW)
        head = _ABOVE + line + (wanted.height() + _PAD if is_stacked else 0) + _ABOVE
        for chooser, button, column in zip(self.choosers, self.buttons, sides, strict=True):
            left, right = round(column.left()) - _PAD, round(min(column.right(), end - EDGE / 2))
            if is_stacked:
                at = QPoint(round(column.left()), head - _ABOVE - wanted.height())
            else:
                at = QPoint(right - wanted.width(), _ABOVE + (line - wanted.height()) // 2)
            button.setGeometry(QRect(at, wanted))
            room = right - left if is_stacked else at.x() - EDGE // 2 - left
            chooser.setGeometry(left, _ABOVE, min(chooser.sizeHint().width() + 4, room), line)
        self.list.setGeometry(0, head, self.width(), max(0, self.height() - head))

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._arrange()

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = self._style.theme
        painter = smooth(QPainter(self))
        painter.fillRect(self.rect(), theme.window)
        painter.fillRect(QRectF(0, self.list.y() - 1, self.width(), 1), theme.line)
        painter.end()
