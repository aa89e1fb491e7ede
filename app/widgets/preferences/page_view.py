"""A page of the settings: groups of rows in frames, as long as it has to be."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, QRectF, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QVBoxLayout, QWidget

from app.viewmodels.preferences.preferences import PageState
from app.viewmodels.preferences.rows import Group, Row
from app.widgets.kit.drawing import fill_rounded, smooth, stroke_rounded
from app.widgets.kit.slim_bar import use_slim_bar
from app.widgets.kit.style import Style
from app.widgets.kit.text_label import TextLabel
from app.widgets.kit.typography import TextRole
from app.widgets.preferences.row_widgets import Note, RowWidget, row_widget, shape_of

_INSET, _BETWEEN, _RADIUS, _ROW_INSET = 30, 22, 10, 14


class PageView(QScrollArea):
    """Shows a page, and another one in its place. Rows that are still there keep their widgets and the keyboard.

    Signals: acted(str, str), pressed(object), as of the rows; changed(), there are other stops for the keyboard.
    """

    acted = Signal(str, str)
    pressed = Signal(object)
    changed = Signal()

    def __init__(self, style: Style, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._style = style
        self._shape: tuple[object, ...] = ()
        self._rows: dict[str, RowWidget] = {}
        self._notes: list[Note] = []
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.viewport().setAutoFillBackground(False)
        use_slim_bar(self, style)

    @property
    def stops(self) -> Sequence[QWidget]:
        """The widgets that the keyboard stops at, from above."""
        return [stop for row in self._rows.values() for stop in row.stops]

    def row(self, row_id: str) -> RowWidget:
        """Return the widget of a row. Raises KeyError for an id that the page has not."""
        return self._rows[row_id]

    def show_page(self, page: PageState) -> None:
        """Show this page as it is now."""
        rows = [row for group in page.groups for row in group.rows]
        shape = (page.id, *(group.title for group in page.groups), *map(shape_of, rows))
        if shape != self._shape:
            is_other = not self._shape or self._shape[0] != page.id
            self._shape = shape
            self._build(page, is_other)
        for row in rows:
            self._rows[row.id].show_row(row)
        for note, group in zip(self._notes, page.groups, strict=True):
            note.say(group.note)

    def _build(self, page: PageState, is_other: bool) -> None:
        """Make all rows anew. is_other: another page is shown, from its top."""
        focused, at = self._focused_row(), self.verticalScrollBar().value()
        content = QWidget()
        content.setAutoFillBackground(False)
        content.setAccessibleName(page.title)
        layout = QVBoxLayout(content)
        layout.setContentsMargins(_INSET, _BETWEEN, _INSET, _BETWEEN)
        layout.setSpacing(_BETWEEN)
        self._rows, self._notes = {}, []
        for group in page.groups:
            layout.addWidget(self._group(group, content))
        layout.addStretch(1)
        self.setWidget(content)
        content.setAutoFillBackground(False)
        self._leave_room()
        for stop in self.stops:
            stop.installEventFilter(self)
        self.changed.emit()
        if not is_other:
            content.adjustSize()
            self.verticalScrollBar().setValue(at)
            if focused in self._rows and self._rows[focused].stops:
                self._rows[focused].stops[0].setFocus(Qt.FocusReason.OtherFocusReason)

    def _leave_room(self) -> None:
        """Take the scroll bar's room from the margin, so that pages with and without one are equally wide."""
        content = self.widget()
        layout = None if content is None else content.layout()
        if layout is not None:
            right = _INSET - (self.width() - self.viewport().width())
            layout.setContentsMargins(_INSET, _BETWEEN, right, _BETWEEN)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._leave_room()

    def _focused_row(self) -> str:
        return next((name for name, row in self._rows.items() if any(stop.hasFocus() for stop in row.stops)), "")

    def _group(self, group: Group, parent: QWidget) -> QWidget:
        box = QWidget(parent)
        box.setAccessibleName(group.title)
        column = QVBoxLayout(box)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addWidget(TextLabel(self._style, group.title, TextRole.HEADLINE, is_quiet=False, parent=box))
        frame = _Frame(self._style, box)
        for row in group.rows:
            frame.add(self._row(row, frame))
        column.addWidget(frame)
        note = Note(self._style, box)
        self._notes.append(note)
        column.addWidget(note)
        return box

    def _row(self, row: Row, parent: QWidget) -> RowWidget:
        made = self._rows[row.id] = row_widget(self._style, row, parent)
        made.acted.connect(self.acted)
        made.pressed.connect(self.pressed)
        return made

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Bring what the keyboard comes to into view."""
        if isinstance(watched, QWidget) and event.type() == QEvent.Type.FocusIn:
            self.ensureWidgetVisible(watched, 0, _INSET)
        return super().eventFilter(watched, event)


class _Frame(QWidget):
    """Rows under one another with lines between them."""

    def __init__(self, style: Style, parent: QWidget) -> None:
        super().__init__(parent)
        self._style = style
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(0)
        style.changed.connect(self.update)

    def add(self, row: QWidget) -> None:
        """Put a row below the others."""
        self._column.addWidget(row)

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, painter = self._style.theme, smooth(QPainter(self))
        fill_rounded(painter, QRectF(self.rect()), _RADIUS, theme.raised)
        stroke_rounded(painter, QRectF(self.rect()), _RADIUS, theme.line)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        for number in range(1, self._column.count()):
            item = self._column.itemAt(number)
            if item is not None:
                width = self.width() - 2 * _ROW_INSET
                painter.fillRect(_ROW_INSET, item.geometry().top(), width, 1, theme.line)
        painter.end()
