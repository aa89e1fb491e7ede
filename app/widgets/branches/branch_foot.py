"""Below the outline: the row that is chosen, its price, what can be done with it, and what the bars mean."""

from __future__ import annotations

from PySide6.QtCore import QRect, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QWidget

from app.viewmodels.branches.branches_region import BranchesState
from app.widgets.kit.button_rows import GAP, arrange_buttons, button_rows
from app.widgets.kit.controls import Button
from app.widgets.kit.drawing import draw_text, has_room, smooth, wrapped
from app.widgets.kit.icon_paths import Icon
from app.widgets.kit.marks import paint_warmth
from app.widgets.kit.style import Style
from app.widgets.kit.typography import TextRole

_INSET, _BAR = 16, 22
_MARKS = (("warm", 1.0, False), ("part warm", 0.5, False), ("on disk", 1.0, True), ("cold", 0.0, False))


class BranchFoot(QWidget):
    """Title and price of the chosen row, how much of its path is held, and three buttons.

    Attributes: rename, compare, delete.
    """

    def __init__(self, style: Style, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._style = style
        self._now = BranchesState()
        self.rename = Button(style, "Rename", icon=Icon.EDIT, parent=self)
        self.compare = Button(style, "Compare…", icon=Icon.COMPARE, parent=self)
        self.delete = Button(style, "Delete", icon=Icon.TRASH, parent=self)
        self.setAccessibleName("Chosen branch")
        style.changed.connect(self._arrange)
        style.changed.connect(self.update)

    @property
    def buttons(self) -> tuple[Button, ...]:
        """The buttons in their order."""
        return self.rename, self.compare, self.delete

    def show_state(self, now: BranchesState) -> None:
        """Show what is chosen."""
        self._now = now
        title = "" if now.chosen is None else now.chosen.title
        self.setAccessibleDescription(", ".join(part for part in (title, now.price, now.held, now.used) if part))
        self._arrange()
        self.update()

    def heightForWidth(self, width: int) -> int:
        top = self._buttons_top(width)
        rows = button_rows(self.buttons, width - 2 * _INSET)
        return round(top + len(rows) * (self._style.typography.row + GAP) + 8)

    def sizeHint(self) -> QSize:
        return QSize(352, self.heightForWidth(352))

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._arrange()

    def _price_lines(self, width: float) -> list[str]:
        """Return the price, in lines of its own where it has no room beside the title."""
        text_style = self._style.text_style(TextRole.UI)
        title = "" if self._now.chosen is None else self._now.chosen.title
        taken = min(self._style.text_style(TextRole.HEADLINE).width(title), width / 2)
        if taken + 12 + text_style.width(self._now.price) <= width:
            return []
        return wrapped(text_style, self._now.price, width)

    def _bar_top(self, width: float) -> float:
        ui = self._style.text_style(TextRole.UI).line
        return 12 + ui + len(self._price_lines(width - 2 * _INSET)) * ui + 8

    def _buttons_top(self, width: float) -> float:
        return self._bar_top(width) + 4 + 6 + self._style.text_style(TextRole.CAP).line + 12

    def _arrange(self) -> None:
        top, height = round(self._buttons_top(self.width())), self._style.typography.row
        arrange_buttons(self.buttons, QRect(_INSET, top, self.width() - 2 * _INSET, height))

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, now, width = self._style.theme, self._now, self.width() - 2 * _INSET
        painter = smooth(QPainter(self))
        painter.fillRect(1, 0, self.width() - 1, 1, theme.line)
        ui, cap = self._style.text_style(TextRole.UI), self._style.text_style(TextRole.CAP)
        line, lines = QRectF(_INSET, 12, width, ui.line), self._price_lines(width)
        taken = 0.0
        if not lines:
            taken = draw_text(painter, ui, line, now.price, theme.text2, Qt.AlignmentFlag.AlignRight) + 12
        title, headline = "" if now.chosen is None else now.chosen.title, self._style.text_style(TextRole.HEADLINE)
        room = line.adjusted(0, 0, -taken, 0)
        if now.apart and not has_room(headline, title, room.width()):
            title = now.apart
        draw_text(painter, headline, room, title, theme.text)
        for words in lines:
            line.translate(0, ui.line)
            draw_text(painter, ui, line, words, theme.text2)
        top = self._bar_top(self.width())
        warmth = now.warmth
        if warmth is not None:
            share = warmth.cached / warmth.total if warmth.total else 0.0
            paint_warmth(painter, theme, QRectF(_INSET, top, width, 4), share, warmth.is_from_disk)
        under = QRectF(_INSET, top + 10, width, cap.line)
        if draw_text(painter, cap, under, now.held, theme.text2) + cap.width(now.used) + 8 <= width:
            draw_text(painter, cap, under, now.used, theme.text2, Qt.AlignmentFlag.AlignRight)
        painter.end()


class WarmthLegend(QWidget):
    """The four bars and what they mean, in one line or more."""

    def __init__(self, style: Style, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._style = style
        self.setAccessibleName("The bars: full, warm; part filled, part warm; three blocks, on disk; a thin line, cold")
        style.changed.connect(self.update)

    def heightForWidth(self, width: int) -> int:
        return round(self._places(width)[-1][1]) + self._line + 14

    @property
    def _line(self) -> int:
        return self._style.text_style(TextRole.CAP).line

    def _places(self, width: float) -> list[tuple[float, float]]:
        """Return the left upper corner of each entry."""
        left, top, found = float(_INSET), 0.0, list[tuple[float, float]]()
        for word, _, _ in _MARKS:
            taken = _BAR + 6 + self._style.text_style(TextRole.CAP).width(word)
            if found and left + taken > width - _INSET:
                left, top = float(_INSET), top + self._line + 4
            found.append((left, top))
            left += taken + 14
        return found

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, text_style = self._style.theme, self._style.text_style(TextRole.CAP)
        painter = smooth(QPainter(self))
        for (word, share, is_on_disk), (left, top) in zip(_MARKS, self._places(self.width()), strict=True):
            middle = top + self._line / 2
            paint_warmth(painter, theme, QRectF(left, middle - 2, _BAR, 4), share, is_on_disk)
            rect = QRectF(left + _BAR + 6, top, self.width(), self._line)
            draw_text(painter, text_style, rect, word, theme.text2)
        painter.end()
