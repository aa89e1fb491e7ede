"""The conversations, the one used last first."""

from __future__ import annotations

from PySide6.QtCore import QItemSelectionModel, QModelIndex, QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QFrame, QListView, QWidget

from app.viewmodels.conversation_model import ConversationModel
from app.viewmodels.rows import ConversationRow, RowRole
from app.widgets.conversation_delegate import ConversationDelegate
from app.widgets.icon_paths import Icon
from app.widgets.look import Look
from app.widgets.row_focus import RowFocus
from app.widgets.slim_bar import use_slim_bar
from app.widgets.verb_button import VerbButton


class ConversationList(QListView):
    """Its selection is the open conversation. `chosen` carries the id of another one that the person turned to."""

    chosen = Signal(str)

    def __init__(self, look: Look, model: ConversationModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._delegate = ConversationDelegate(look)
        self._delegate.focus = RowFocus(self)
        self.setItemDelegate(self._delegate)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.viewport().setAutoFillBackground(False)
        self.setMouseTracking(True)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName("Conversations")
        use_slim_bar(self, look)
        self.setModel(model)
        look.changed.connect(self.scheduleDelayedItemsLayout)
        look.changed.connect(self.viewport().update)
        for change in (model.rowsInserted, model.rowsMoved, model.rowsRemoved, model.dataChanged, model.modelReset):
            change.connect(self._follow_model)
        self._follow_model()

    def indexAt(self, p: QPoint) -> QModelIndex:
        """The row under a point; the captions between sections belong to none."""
        index = super().indexAt(p)
        is_on_row = index.isValid() and self._delegate.row_rect(self.visualRect(index), index).contains(p)
        return index if is_on_row else QModelIndex()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        super().keyPressEvent(event)
        self._tell_choice()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        super().mousePressEvent(event)
        self._tell_choice()

    def _tell_choice(self) -> None:
        """Only keys and clicks choose: a current row also changes when rows come and go."""
        current = self.currentIndex()
        row: ConversationRow | None = current.data(RowRole.ROW) if current.isValid() else None
        if row is not None and not row.is_open:
            self.chosen.emit(row.id)

    def _follow_model(self) -> None:
        """Select the row that is open; nothing when none is."""
        model = self.model()
        for number in range(model.rowCount()):
            index = model.index(number, 0)
            if index.data(RowRole.ROW).is_open:
                if index != self.currentIndex() or not self.selectionModel().isSelected(index):
                    self.setCurrentIndex(index)
                return
        self.selectionModel().setCurrentIndex(QModelIndex(), QItemSelectionModel.SelectionFlag.Clear)


class Sidebar(QWidget):
    """Head with hide and new, below it the list. `asked` carries "sidebar" or "new"; `chosen` a conversation's id."""

    asked = Signal(str)
    chosen = Signal(str)

    def __init__(self, look: Look, conversations: ConversationModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self.setAccessibleName("Sidebar")
        self.setMinimumWidth(200)
        self.setMaximumWidth(360)
        self._hide = VerbButton(look, Icon.SIDEBAR, "sidebar", is_on_fill=True, parent=self)
        self._new = VerbButton(look, Icon.NEW, "new", is_on_fill=True, parent=self)
        self.list = ConversationList(look, conversations, self)
        for button in (self._hide, self._new):
            button.asked.connect(self.asked)
        self.list.chosen.connect(self.chosen)
        look.changed.connect(self._restyle)

    def sizeHint(self) -> QSize:
        return QSize(248, 560)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._arrange()

    def _restyle(self) -> None:
        self._arrange()
        self.update()

    def _arrange(self) -> None:
        head, right = self._look.type.bar, self.width() - 14
        self._new.setGeometry(right - 28, head // 2 - 14, 28, 28)
        self._hide.setGeometry(right - 60, head // 2 - 14, 28, 28)
        self.list.setGeometry(QRect(0, head + 4, self.width() - 1, self.height() - head - 4))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), self._look.theme.sidebar)
        painter.fillRect(self.width() - 1, 0, 1, self.height(), self._look.theme.line)
        painter.end()
