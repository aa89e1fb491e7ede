"""What the pages of models have in common: a field that filters a list, and below it what can be done with a row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.protocol.reports import Problem
from app.viewmodels.model.model_region import ModelRegion
from app.viewmodels.model.model_rows import ModelRow
from app.widgets.kit.controls import Button
from app.widgets.kit.pane import Pane
from app.widgets.kit.search_field import SearchField
from app.widgets.kit.style import Style
from app.widgets.kit.text_label import TextLabel
from app.widgets.kit.two_line_list import TwoLineList
from app.widgets.kit.typography import TextRole

_EDGE, _APART, _INSET = 16, 8, 12


class ListPage(Pane):
    """A page whose list is filtered by typing. A subclass says what is in it, and what its buttons do.

    Attributes: field, list, stop_button, open_button; problem, which says why something was not done.
    """

    list: TwoLineList[ModelRow]

    def __init__(self, style: Style, models: ModelRegion, filtered: str, parent: QWidget | None) -> None:
        """filtered: what the field is for, for screen readers."""
        super().__init__(parent)
        self._style, self._models = style, models
        self._asked_for = ""  # a model that is opened from here
        self.field = SearchField(style, filtered, "Filter", parent=self)
        self.problem = TextLabel(style, "", TextRole.SMALL, False, self)
        self.problem.setWordWrap(True)
        self.problem.hide()
        self.stop_button = Button(style, "Stop", parent=self)
        self.open_button = Button(style, "Open", is_default=True, parent=self)

    # What a subclass says

    @property
    def at_left(self) -> Sequence[Button]:
        """The buttons at the left of the foot."""
        raise NotImplementedError

    @property
    def is_busy(self) -> bool:
        """Whether something goes on that Stop and Escape end."""
        raise NotImplementedError

    def stop(self) -> None:
        """End what goes on."""
        raise NotImplementedError

    def refresh(self) -> None:
        """Show the rows that match what is typed, on the row that one was on."""
        raise NotImplementedError

    def refresh_buttons(self) -> None:
        """Show what can be done with the selected row."""
        raise NotImplementedError

    def choose(self, row: ModelRow) -> None:
        """Do what Return does with a row."""
        raise NotImplementedError

    def show_menu(self, row: ModelRow, at: QPoint) -> None:
        """Show the menu of a row at a place on screen."""
        raise NotImplementedError

    # What is the same

    @property
    def tab_order(self) -> Sequence[QWidget]:
        """The field, the list, and the buttons from the left."""
        return self.field, self.list, *self.at_left, self.stop_button, self.open_button

    def set_up(self) -> None:
        """Place everything and connect it, once the subclass has its list and its buttons."""
        self._stack()
        for before, after in pairwise(self.tab_order):
            self.setTabOrder(before, after)
        self.field.textChanged.connect(self._filter)
        self.field.escaped.connect(lambda: self.window().close())
        self.list.set_field(self.field, is_chosen_from=True)
        self.list.chosen.connect(self.choose)
        self.list.menuAsked.connect(self.show_menu)
        self.list.selectionModel().currentChanged.connect(self.refresh_buttons)
        self.stop_button.clicked.connect(self.stop)
        self.open_button.clicked.connect(lambda: self.act(self.choose))
        self._models.current_model.kept.connect(self.tell)
        self._models.current_model.changed.connect(self._tell_missing)
        self._models.current_model.ready.connect(self._leave)
        self.refresh()

    def open(self, model: str, adapter: str | None = None) -> None:
        """Open a model. The window is closed as soon as it is open; where it cannot be, that is said here."""
        self.problem.hide()
        self._asked_for = model
        self._models.open(model, adapter)

    def _leave(self) -> None:
        if self._asked_for == self._models.current_model.path:
            self.window().close()

    def act(self, act: Callable[[ModelRow], object]) -> None:
        """Do something with the selected row, where there is one."""
        row = self.list.row
        if row is not None:
            act(row)

    def tell(self, problem: Problem) -> None:
        """Say why something was not done, or what came of it, where it was asked for."""
        self.problem.setText(f"{problem.title}. {problem.sentence}")
        self.problem.show()

    def _tell_missing(self) -> None:
        problem = self._models.current_model.problem
        if problem is not None:
            self.tell(problem)

    def _filter(self) -> None:
        self.refresh()
        self.list.select(0)
        self.list.scrollToTop()

    def _stack(self) -> None:
        above = QHBoxLayout()
        above.setContentsMargins(_EDGE, _INSET, _EDGE, _APART)
        above.addWidget(self.field)
        said = QHBoxLayout()
        said.setContentsMargins(_EDGE, _APART, _EDGE, 0)
        said.addWidget(self.problem)
        foot = QHBoxLayout()
        foot.setContentsMargins(_EDGE, _INSET, _EDGE, _INSET)
        foot.setSpacing(_APART)
        for button in self.at_left:
            foot.addWidget(button)
        foot.addStretch(1)
        foot.addWidget(self.stop_button)
        foot.addWidget(self.open_button)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(above)
        column.addWidget(self.list, 1)
        column.addLayout(said)
        column.addLayout(foot)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Letters that nothing has a use for are meant for the filter; Escape clears it, then closes the window."""
        if event.key() == Qt.Key.Key_Escape and self.is_busy:
            self.stop()
        elif event.key() == Qt.Key.Key_Escape and self.field.text():
            self.field.clear()
        elif not self.field.take_letter(event):
            super().keyPressEvent(event)
