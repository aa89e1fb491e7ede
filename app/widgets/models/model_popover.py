"""The picker under the model chip: the models used lately, all others by typing, and the ways to still others."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRectF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.protocol.excerpts import first_words
from app.viewmodels.model.model_region import ModelRegion
from app.viewmodels.model.model_rows import ModelRow, ModelRows
from app.viewmodels.text.branch_titles import quoted
from app.widgets.kit.controls import Button
from app.widgets.kit.drawing import fill_rounded, smooth, stroke_rounded
from app.widgets.kit.search_field import SearchField
from app.widgets.kit.style import Style
from app.widgets.models.model_view import ModelView

_WIDTH, _RADIUS, _EDGE, _APART = 440, 10, 10, 8
_LATELY, _IN_SIGHT = 6, 7
LOOKING = "Looking for models…"


class ModelPopover(QWidget):
    """Without anything typed it lists the few models used last and the guide; with it, all that match.

    It goes when something is chosen or anything outside of it is pressed. Attributes: field, list, all_button,
    folder_button, server_button. Signal: asked(str), the id of a command.
    """

    asked = Signal(str)

    def __init__(self, style: Style, models: ModelRegion, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup | Qt.WindowType.FramelessWindowHint)
        self._style = style
        self._models = models
        self._rows = ModelRows(self)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setAttribute(Qt.WidgetAttribute.WA_TranslucentBackground)
        self.setAccessibleName("Choose a model")
        self.field = SearchField(style, "Filter models", "Filter", parent=self)
        self.list = ModelView(style, self._rows, self, is_chosen_by_click=True)
        self.all_button = Button(style, "All Models…", parent=self)
        self.folder_button = Button(style, "Open Folder…", parent=self)
        self.server_button = Button(style, "Add Server…", parent=self)
        self._stack()
        self.field.textChanged.connect(self._filter)
        self.field.escaped.connect(self.close)
        self.list.set_field(self.field, is_chosen_from=True)
        self.list.chosen.connect(self._open)
        self.all_button.clicked.connect(lambda: self._ask("models"))
        self.folder_button.clicked.connect(lambda: self._ask("open_model"))
        self.server_button.clicked.connect(lambda: self._ask("add_server"))
        models.list.state.changed.connect(self._refresh)
        models.list.search.ended.connect(self._refresh)
        models.list.look()
        self._refresh()

    def show_below(self, widget: QWidget) -> None:
        """Show it under a widget, within its screen, with the keyboard in the field."""
        at = widget.mapToGlobal(QPoint(0, widget.height() + 4))
        screen = widget.screen().availableGeometry()
        self.move(max(screen.left(), min(at.x(), screen.right() - self.width())), at.y())
        self.show()
        self.field.setFocus(Qt.FocusReason.PopupFocusReason)

    def _stack(self) -> None:
        foot = QHBoxLayout()
        foot.setSpacing(_APART)
        foot.addWidget(self.all_button)
        foot.addWidget(self.folder_button)
        foot.addWidget(self.server_button)
        foot.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, _EDGE, 0, _EDGE)
        column.setSpacing(_APART)
        above = QHBoxLayout()
        for row, inside in ((above, self.field), (foot, None)):
            row.setContentsMargins(_EDGE, 0, _EDGE, 0)
            if inside is not None:
                row.addWidget(inside)
        column.addLayout(above)
        column.addWidget(self.list, 1)
        column.addLayout(foot)

    def _refresh(self) -> None:
        """Show what is offered, on the row that one was on, in a window of its height."""
        text, known = self.field.text().strip(), self._models.list.state.now
        rows = [row for row in known if row.matches(text)] if text else _lately(known, self._models.current_model.guide)
        self._rows.show(rows)
        if not self.list.currentIndex().isValid():
            self.list.select(0)
        self.list.show_hint("" if rows else f"No model matches {quoted(first_words(text, 60))}." if known else LOOKING)
        count = min(max(1, len(rows)), _IN_SIGHT)
        self.list.setFixedHeight(
            count * max(1, self.list.sizeHintForRow(0)) if rows else self._style.typography.row + 16
        )
        self.setFixedWidth(self._style.typography.scaled(_WIDTH))
        self.adjustSize()

    def _filter(self) -> None:
        self._refresh()
        self.list.select(0)
        self.list.scrollToTop()

    def _open(self, row: ModelRow) -> None:
        self.close()
        self._models.open(row.id)

    def _ask(self, action_id: str) -> None:
        self.close()
        self.asked.emit(action_id)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Letters that nothing has a use for are meant for the filter; Escape closes."""
        if event.key() == Qt.Key.Key_Escape:
            self.close()
        elif not self.field.take_letter(event):
            super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = smooth(QPainter(self))
        fill_rounded(painter, QRectF(self.rect()), _RADIUS, self._style.theme.raised)
        stroke_rounded(painter, QRectF(self.rect()), _RADIUS, self._style.theme.line2)
        painter.end()


def _lately(known: tuple[ModelRow, ...], guide: str) -> list[ModelRow]:
    """Return the models used last, the one in use and the guide among them; others where there are few of those."""
    used = [row for row in known if (row.age or row.is_current) and not row.reason and row.id != guide]
    others = [row for row in known if row not in used and not row.reason and row.id != guide]
    return (used + others)[: _LATELY - 1] + [row for row in known if row.id == guide]
