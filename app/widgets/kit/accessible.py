"""What screen readers are told of lists and trees whose rows are painted, where Qt's own words are too few.

Qt tells of such a row that it can be toggled, and of nothing within it. Here a row is pressed, which is to click on it,
and may have parts, such as the paragraphs of a message. Qt keeps what it was once given by its address: so each object
lives until Qt has been told that it goes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, NamedTuple

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject, QRect, Qt
from PySide6.QtGui import (
    QAccessible,
    QAccessibleActionInterface,
    QAccessibleAnnouncementEvent,
    QAccessibleInterface,
)
from PySide6.QtWidgets import QAbstractItemView, QAccessibleWidget, QTreeView, QWidget

Role = QAccessible.Role
Found = Any
"""What Qt's virtual functions return: an object or None, for which PySide's stubs have another type."""

_PRESS = "Press"  # QAccessibleActionInterface::pressAction
_INCREASE, _DECREASE = "Increase", "Decrease"


class RowPart(NamedTuple):
    """A part of a row. words: what it says; rect: its place in the view's viewport; both when they are asked for.

    press: what pressing it does, where it can be pressed.
    """

    role: Role
    words: Callable[[], str]
    rect: Callable[[], QRect]
    press: Callable[[], object] | None = None


Parts = Callable[[int], Sequence[RowPart]]
Press = Callable[[QModelIndex], object]
Steps = Callable[[int], object]

_told: dict[QObject, AccessibleView | AccessibleStop] = {}  # of each widget what Qt was given


def announce(widget: QWidget, words: str) -> None:
    """Have a screen reader say this."""
    QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(widget, words))


def speak_rows(view: QAbstractItemView, parts: Parts | None = None, press: Press | None = None) -> None:
    """Have the rows of a list or a tree told one by one.

    parts: what a row is made of, by its number. press: what a click on a row does in a view that takes the mouse by
    itself; of every other one Qt's signals tell.
    """

    def make() -> AccessibleView:
        if isinstance(view, QTreeView):
            return AccessibleTree(view, parts, press)
        return AccessibleView(view, parts, press)

    _speak(view, make)


def speak_as(widget: QWidget, role: Role, steps: Steps | None = None) -> None:
    """Have a widget of the program's own told as what it is. steps: goes to the next (+1) or the one before (-1)."""
    _speak(widget, lambda: AccessibleStop(widget, role, steps))


class _Teller(QObject):
    """Makes what Qt is to tell of the widget that it belongs to."""

    def __init__(self, widget: QWidget, make: Callable[[], AccessibleView | AccessibleStop]) -> None:
        super().__init__(widget)
        self.make = make


def _speak(widget: QWidget, make: Callable[[], AccessibleView | AccessibleStop]) -> None:
    _install()
    old = _teller(widget)
    if old is None:
        _Teller(widget, make)
    else:
        old.make = make


def _teller(widget: QWidget) -> _Teller | None:
    return widget.findChild(_Teller, options=Qt.FindChildOption.FindDirectChildrenOnly)


@cache
def _install() -> None:
    QAccessible.installFactory(_made)


def _made(_class_name: str, widget: QObject) -> QAccessibleInterface | None:
    """Return what Qt is to tell of a widget; it asks until it is told, and then no more."""
    teller = _teller(widget) if isinstance(widget, QWidget) else None
    if teller is None:
        return None
    _told[widget] = made = teller.make()
    widget.destroyed.connect(made.end)
    return made


class _Actions(QAccessibleActionInterface):
    """Do what Qt calls by these names."""

    def __init__(self, runs: dict[str, Callable[[], object]]) -> None:
        super().__init__()
        self._runs = runs

    def actionNames(self) -> list[str]:
        return list(self._runs)

    def doAction(self, name: str) -> None:
        if name in self._runs:
            self._runs[name]()

    def keyBindingsForAction(self, name: str) -> list[str]:
        return []


class AccessibleStop(QAccessibleWidget):
    """A widget that the keyboard comes to, told as what it is."""

    def __init__(self, widget: QWidget, role: Role, steps: Steps | None) -> None:
        super().__init__(widget, role)
        self._widget = widget
        self._actions = _Actions({_INCREASE: lambda: steps(1), _DECREASE: lambda: steps(-1)}) if steps else None

    def interface_cast(self, kind: QAccessible.InterfaceType) -> Found:
        if kind is QAccessible.InterfaceType.ActionInterface:
            return self._actions
        return None

    def end(self) -> None:
        """Forget it; Qt has already."""
        _told.pop(self._widget, None)


class AccessibleView(QAccessibleWidget):
    """A list, with its rows."""

    def __init__(self, view: QAbstractItemView, parts: Parts | None, press: Press | None) -> None:
        super().__init__(view, Role.List)
        self.view = view
        self.parts = parts
        self.press = press
        self.is_gone = False
        self._rows: dict[int, AccessibleRow] = {}

    def row_count(self) -> int:
        """Return how many rows it has."""
        return 0 if self.is_gone or self.view.model() is None else self.view.model().rowCount()

    def index_of(self, number: int) -> QModelIndex:
        """Return a row by its number."""
        return self.view.model().index(number, 0)

    def number_of(self, index: QModelIndex) -> int:
        """Return the number of a row, -1 for none."""
        return index.row()

    def childCount(self) -> int:
        return self.row_count()

    def child(self, index: int) -> Found:
        return self.row(index)

    def row(self, index: int) -> AccessibleRow | None:
        """Return what is told of a row by its number, None outside."""
        if not 0 <= index < self.row_count():
            return None
        if index not in self._rows:
            self._rows[index] = AccessibleRow(self, index)
        return self._rows[index]

    def indexOfChild(self, child: QAccessibleInterface) -> int:
        return child.number if isinstance(child, AccessibleRow) else -1

    def childAt(self, x: int, y: int) -> Found:
        viewport = self.view.viewport()
        return self.row(self.number_of(self.view.indexAt(viewport.mapFromGlobal(QRect(x, y, 1, 1).topLeft()))))

    def focusChild(self) -> Found:
        return self.row(self.number_of(self.view.currentIndex())) if not self.is_gone and self.view.hasFocus() else None

    def end(self) -> None:
        """Have Qt forget the rows of a list that is gone."""
        self.is_gone = True
        for row in self._rows.values():
            row.end()
        self._rows.clear()
        _told.pop(self.view, None)


class _OpenRows(QObject):
    """The rows of a tree from above, as far as they are open; found out again after each change of them."""

    def __init__(self, tree: QTreeView) -> None:
        super().__init__(tree)
        self._tree = tree
        self._model: QAbstractItemModel | None = None
        self._rows: list[QModelIndex] | None = None
        tree.expanded.connect(self._forget)
        tree.collapsed.connect(self._forget)

    def rows(self) -> list[QModelIndex]:
        """Return them now."""
        model = self._tree.model()
        if model is not self._model:
            self._follow(model)
        if self._rows is None:
            self._rows, waiting = [], [QModelIndex()] if model is not None else []
            while waiting:
                index = waiting.pop()
                if index.isValid():
                    self._rows.append(index)
                if not index.isValid() or self._tree.isExpanded(index):
                    waiting += [model.index(row, 0, index) for row in reversed(range(model.rowCount(index)))]
        return self._rows

    def _follow(self, model: QAbstractItemModel) -> None:
        self._model, self._rows = model, None
        for going in (model.rowsAboutToBeRemoved, model.rowsAboutToBeMoved, model.rowsAboutToBeInserted):
            going.connect(self._forget)
        for come in (model.rowsRemoved, model.rowsMoved, model.rowsInserted, model.modelReset, model.layoutChanged):
            come.connect(self._forget)

    def _forget(self) -> None:
        self._rows = None


class AccessibleTree(AccessibleView):
    """A tree, with its open rows from above as those of a list, each of which says its level.

    What Qt tells of the rows of a tree itself cannot be replaced, and it has each of them toggled. When a row becomes
    the current one, Qt speaks of the child with its number and one for the header: so a header is told first.
    """

    def __init__(self, view: QTreeView, parts: Parts | None, press: Press | None) -> None:
        super().__init__(view, parts, press)
        self._open = _OpenRows(view)
        self._header: AccessibleHeader | None = None

    def row_count(self) -> int:
        return 0 if self.is_gone else len(self._open.rows())

    def index_of(self, number: int) -> QModelIndex:
        return self._open.rows()[number]

    def number_of(self, index: QModelIndex) -> int:
        rows = self._open.rows()
        return rows.index(index) if index in rows else -1

    def childCount(self) -> int:
        return 0 if self.is_gone else 1 + self.row_count()

    def child(self, index: int) -> Found:
        if index or self.is_gone:
            return self.row(index - 1)
        if self._header is None:
            self._header = AccessibleHeader(self)
        return self._header

    def indexOfChild(self, child: QAccessibleInterface) -> int:
        if isinstance(child, AccessibleRow):
            return child.number + 1
        return 0 if child is self._header else -1

    def end(self) -> None:
        """Have Qt forget the rows and the header of a tree that is gone."""
        if self._header is not None:
            self._header.end()
        super().end()


class _Piece(QAccessibleInterface):
    """Something within a list that is no widget."""

    def __init__(self, owner: AccessibleView) -> None:
        super().__init__()
        self.owner = owner
        self._id = QAccessible.registerAccessibleInterface(self)

    def object(self) -> Found:
        return None

    def window(self) -> Found:
        return None if self.owner.is_gone else self.owner.view.window().windowHandle()

    def childAt(self, x: int, y: int) -> Found:
        found = (self.child(number) for number in range(self.childCount()))
        return next((one for one in found if one is not None and one.rect().contains(x, y)), None)

    def setText(self, kind: QAccessible.Text, text: str) -> None:
        """Change nothing: words are told, not written."""

    def on_screen(self, rect: QRect) -> QRect:
        viewport = self.owner.view.viewport()
        return QRect(viewport.mapToGlobal(rect.topLeft()), rect.size())

    def end(self) -> None:
        """Have Qt forget it."""
        QAccessible.deleteAccessibleInterface(self._id)


class _Leaf(_Piece):
    """Something that has nothing within it."""

    def childCount(self) -> int:
        return 0

    def child(self, index: int) -> Found:
        return None

    def indexOfChild(self, child: QAccessibleInterface) -> int:
        return -1


class AccessibleRow(_Piece):
    """A row, by its number: what it says changes with the model."""

    def __init__(self, parent: AccessibleView, number: int) -> None:
        super().__init__(parent)
        self.number = number
        self._actions = _Actions({_PRESS: self.press})
        self._pieces: dict[int, AccessiblePart] = {}

    @property
    def index(self) -> QModelIndex:
        return self.owner.index_of(self.number)

    def isValid(self) -> bool:
        return self.number < self.owner.row_count()

    def press(self) -> None:
        """Do what a click on the row does."""
        if not self.isValid():
            return
        view, index = self.owner.view, self.index
        if view.focusPolicy() & Qt.FocusPolicy.ClickFocus:
            view.setFocus(Qt.FocusReason.MouseFocusReason)
        view.setCurrentIndex(index)
        view.scrollTo(index)
        view.pressed.emit(index)
        view.clicked.emit(index)
        if self.owner.press is not None:
            self.owner.press(view.currentIndex())

    @property
    def parts(self) -> Sequence[RowPart]:
        parts = self.owner.parts
        return parts(self.number) if parts is not None and self.isValid() else ()

    def parent(self) -> Found:
        return self.owner

    def childCount(self) -> int:
        return len(self.parts)

    def child(self, index: int) -> Found:
        if not 0 <= index < self.childCount():
            return None
        if index not in self._pieces:
            self._pieces[index] = AccessiblePart(self, index)
        return self._pieces[index]

    def indexOfChild(self, child: QAccessibleInterface) -> int:
        return child.number if isinstance(child, AccessiblePart) else -1

    def role(self) -> Role:
        return Role.ListItem if self.owner.parts is None else Role.Grouping

    def rect(self) -> QRect:
        return self.on_screen(self.owner.view.visualRect(self.index)) if self.isValid() else QRect()

    def text(self, kind: QAccessible.Text) -> str:
        if kind is not QAccessible.Text.Name or not self.isValid():
            return ""
        return str(self.index.data(Qt.ItemDataRole.AccessibleTextRole) or self.index.data() or "")

    def state(self) -> QAccessible.State:
        state = QAccessible.State()
        if not self.isValid():
            state.invalid = 1
            return state
        is_current = self.owner.view.currentIndex() == self.index
        state.focusable = state.selectable = 1
        state.focused = int(is_current and self.owner.view.hasFocus())
        state.selected = int(is_current or self.owner.view.selectionModel().isSelected(self.index))
        state.invisible = int(not self.owner.view.isVisible())
        return state

    def interface_cast(self, kind: QAccessible.InterfaceType) -> Found:
        return self._actions if kind is QAccessible.InterfaceType.ActionInterface else None

    def end(self) -> None:
        """Have Qt forget it and its parts."""
        for piece in self._pieces.values():
            piece.end()
        super().end()


class AccessibleHeader(_Leaf):
    """The header of a tree, which nobody sees."""

    def isValid(self) -> bool:
        return not self.owner.is_gone

    def parent(self) -> Found:
        return self.owner

    def role(self) -> Role:
        return Role.ColumnHeader

    def rect(self) -> QRect:
        return QRect()

    def text(self, kind: QAccessible.Text) -> str:
        return ""

    def state(self) -> QAccessible.State:
        state = QAccessible.State()
        state.invisible = 1
        return state


class AccessiblePart(_Leaf):
    """A part of a row, by its number."""

    def __init__(self, row: AccessibleRow, number: int) -> None:
        super().__init__(row.owner)
        self.number = number
        self._row = row
        self._actions = _Actions({_PRESS: self.press})

    @property
    def _part(self) -> RowPart | None:
        parts = self._row.parts
        return parts[self.number] if self.number < len(parts) else None

    def press(self) -> None:
        """Do what a click on it does."""
        part = self._part
        if part is not None and part.press is not None:
            part.press()

    def interface_cast(self, kind: QAccessible.InterfaceType) -> Found:
        part, is_asked = self._part, kind is QAccessible.InterfaceType.ActionInterface
        return self._actions if is_asked and part is not None and part.press is not None else None

    def isValid(self) -> bool:
        return self._part is not None

    def parent(self) -> Found:
        return self._row

    def role(self) -> Role:
        part = self._part
        return Role.NoRole if part is None else part.role

    def rect(self) -> QRect:
        part = self._part
        return QRect() if part is None else self.on_screen(part.rect())

    def text(self, kind: QAccessible.Text) -> str:
        part = self._part
        return part.words() if part is not None and kind is QAccessible.Text.Name else ""

    def state(self) -> QAccessible.State:
        state = QAccessible.State()
        state.readOnly = 1
        state.invalid = int(self._part is None)
        return state
