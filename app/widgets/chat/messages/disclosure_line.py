"""The line that stands for a thought or an attachment: "Thought for 12 s · 214 tokens". A press opens and folds it."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from app.viewmodels.chat.rows import AttachmentRow, ThoughtRow
from app.widgets.kit.controls import Control, State
from app.widgets.kit.drawing import draw_text, fill_rounded, smooth
from app.widgets.kit.icon_paths import Icon
from app.widgets.kit.style import Style
from app.widgets.kit.typography import TextRole

_MARK, _SIDE, _ABOVE = 12, 6, 3
# Points by which the ground of the line stands out of the text's edge.
OVERHANG = _SIDE


class DisclosureLine(Control):
    """A disclosure triangle and what is told of a thought, or of an attachment.

    Left folds it, Right opens it; Space and Return do both.
    """

    ring_radius = 6.0

    def __init__(self, style: Style, parent: QWidget) -> None:
        super().__init__(style, "", parent)
        self._row: ThoughtRow | AttachmentRow = ThoughtRow("")
        self.setCheckable(True)
        self.setAccessibleDescription("Space opens it and folds it again.")

    def show_row(self, row: ThoughtRow | AttachmentRow) -> None:
        """Stand for a thought, or for an attachment, as it is now."""
        if row.title != self._row.title:
            self.updateGeometry()
        self._row = row
        self.setChecked(row.is_open)
        name = row.spoken[:1].upper() + row.spoken[1:]
        if name != self.accessibleName():  # a screen reader says it each time it is set
            self.setAccessibleName(name)
        self.update()

    def sizeHint(self) -> QSize:
        text_style = self._style.text_style(TextRole.SMALL)
        width = round(text_style.width(self._row.title)) + self._lead + _SIDE
        return QSize(width, text_style.line + 2 * _ABOVE)

    @property
    def _is_attachment(self) -> bool:
        return isinstance(self._row, AttachmentRow)

    @property
    def _lead(self) -> int:
        """Points before the words."""
        return self._mark + 2 * _SIDE + (self._mark + _SIDE if self._is_attachment else 0)

    @property
    def _mark(self) -> int:
        return self._style.typography.icon(_MARK)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def nextCheckState(self) -> None:
        """Stay as it is: whoever hears the press opens or folds what it stands for, and then this is told."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        wanted = {Qt.Key.Key_Left: False, Qt.Key.Key_Right: True}.get(Qt.Key(event.key()))
        if wanted is None:
            super().keyPressEvent(event)
        elif wanted != self._row.is_open:
            self.click()

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, rect, state = self._style.theme, QRectF(self.rect()), self.state
        painter = smooth(QPainter(self))
        if state in (State.HOVER, State.PRESSED):
            fill_rounded(painter, rect, self.ring_radius, theme.fill2 if state is State.PRESSED else theme.fill)
        size, middle = self._mark, rect.center().y()
        mark = QPointF(_SIDE + size / 2, middle)
        self._style.icons.paint(painter, Icon.FOLD if self._row.is_open else Icon.RIGHT, mark, theme.text2, size)
        if self._is_attachment:
            icon = QPointF(2 * _SIDE + size * 1.5, middle)
            self._style.icons.paint(painter, Icon.DOCUMENT, icon, theme.text2, size)
        line = rect.adjusted(self._lead, 0, 0, 0)
        draw_text(painter, self._style.text_style(TextRole.SMALL), line, self._row.title, theme.text2)
        painter.end()
