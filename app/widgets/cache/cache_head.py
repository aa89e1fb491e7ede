"""How full the cache is: its two budgets in words, their bars, the legend, and what memory it takes beside that."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.protocol.reports import Problem
from app.protocol.trie_view import TrieView
from app.viewmodels.cache import disk_text
from app.viewmodels.kit.differing import RunningSum
from app.viewmodels.text import formatting
from app.widgets.cache.cache_legend import Entry, Legend, entries, pinned_bytes
from app.widgets.kit.drawing import draw_text, smooth, wrapped
from app.widgets.kit.icon_paths import Icon
from app.widgets.kit.marks import paint_budget, paint_disk_budget
from app.widgets.kit.style import Style
from app.widgets.kit.typography import TextRole

_INSET = 16
_TOP, _BAR, _BOTTOM = 12, 8, 12
_TO_BAR, _TO_LEGEND, _TO_NOTE = 8, 10, 6
_MEMORY, _GAP = 0.68, 8
_ICON, _TO_TEXT = 12, 6


_BELIEVED = (
    "As far as is known from what it was sent and has reported. How much memory that takes is not told, and it may let "
    "go of it at any time."
)


class CacheHead(QWidget):
    """ "3.1 of 8.0 GB in memory" and "4.6 of 20 GB on disk", a bar to each, and what the bars are made of.

    Below stands why nothing goes to the disk, why nothing of it can be used, or how many of its files were lost. All of
    it is in the tooltip, with the folder of the files, and what the arrays take with their padding, which no budget
    counts. Of a server it says "What Studio should still hold", and has no bars.
    """

    def __init__(self, style: Style, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._style = style
        self._legend = Legend(style)
        self._view = TrieView(serial=0)
        self._folder = ""
        self._is_disk_awaited = False
        self._trouble: Problem | None = None
        self._cold = ""
        self._parts: tuple[Entry, ...] = ()
        self._pinned = RunningSum(pinned_bytes)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        style.changed.connect(self.updateGeometry)
        style.changed.connect(self.update)
        self._refresh()

    def show_view(self, view: TrieView) -> None:
        """Show the totals of a picture of the cache."""
        self._view = view
        self._pinned.follow(view.nodes)
        self._refresh()

    def show_disk(self, folder: str, trouble: Problem | None, is_awaited: bool = False) -> None:
        """Show where the files lie, "" for nowhere, and why none are written.

        is_awaited: the disk is to be used, so that it has its room before the engine has told anything.
        """
        self._folder, self._trouble, self._is_disk_awaited = folder, trouble, is_awaited
        self._refresh()

    def show_cold(self, cold: str) -> None:
        """Show why nothing of the open path can be reused although there are files on disk, "" for nothing to say."""
        self._cold = cold
        self._refresh()

    def _refresh(self) -> None:
        self._parts = () if self._view.place else entries(self._view, self._pinned.now, self._has_disk)
        parts = ", ".join(part.spoken for part in self._parts)
        disk = f", {disk_text.shares(self._view)[0]}" if self._has_disk else ""
        self.setAccessibleName(f"{self._title()}{disk}: {parts}" if parts else self._title())
        self.setAccessibleDescription(" ".join(self._sentences()))
        self.setToolTip("\n".join(self._sentences()))
        self.update()

    def _sentences(self) -> list[str]:
        view, lost = self._view, disk_text.dropped(self._view)
        if view.place:
            return [_BELIEVED]
        found = [f"{self._trouble.title}. {self._trouble.sentence}"] if self._trouble else []
        found += [self._cold] if self._cold else []
        found += [f"{lost}. {disk_text.DROPPED_MEANS}"] if lost else []
        kept = view.mlx_cache_bytes
        found += [formatting.buffers(view.live_allocated_bytes, view.live_bytes, kept, view.overhead_bytes)]
        found += [f"Cache files are in {self._folder}."] if self._folder else []
        return [sentence for sentence in found if sentence]

    @property
    def _has_disk(self) -> bool:
        """Whether there is a disk to speak of: one that is used, or should be."""
        view, is_awaited = self._view, self._is_disk_awaited and not self._view.serial
        return not view.place and bool(view.disk_allowed_bytes or view.disk_bytes or self._trouble or is_awaited)

    def _title(self) -> str:
        if self._view.place:
            return f"What {self._view.place} should still hold"
        used = self._view.live_bytes + self._view.paged_bytes
        if not self._view.budget_bytes:
            return f"{formatting.size(used)} in memory" if used else "Nothing in memory"
        return f"{formatting.share(used, self._view.budget_bytes)} in memory"

    def sizeHint(self) -> QSize:
        return QSize(300, self.heightForWidth(max(self.width(), 300)))

    def heightForWidth(self, width: int) -> int:
        """Return the points that everything takes within `width`."""
        room = width - 2 * _INSET
        if self._view.place:
            title, cap = (self._style.text_style(role).line for role in (TextRole.SMALL_MEDIUM, TextRole.CAP))
            return round(_TOP + title + _TO_NOTE + len(self._note_lines(room)) * cap + _BOTTOM)
        legend = self._legend.height(self._parts, room, self._disk_left(room))
        notes = 0
        if self._note:
            notes = len(self._note_lines(room)) * self._style.text_style(TextRole.CAP).line + _TO_NOTE
        titles = self._style.text_style(TextRole.SMALL_MEDIUM).line * (2 if self._is_stacked(room) else 1)
        return round(_TOP + titles + _TO_BAR + _BAR + _TO_LEGEND + legend + notes + _BOTTOM)

    def _disk_left(self, room: float) -> float:
        """Return where the disk's bar begins; the memory's takes all the room where there is none."""
        return (room - _GAP) * _MEMORY + _GAP if self._has_disk else room + _GAP

    def _is_stacked(self, room: float) -> bool:
        """Return whether the disk has a line of its own, because its share has no room beside the memory's."""
        small, medium = (self._style.text_style(role) for role in (TextRole.SMALL, TextRole.SMALL_MEDIUM))
        beside = room - medium.width(self._title()) - _GAP
        return self._has_disk and small.width(disk_text.shares(self._view)[-1]) > beside

    @property
    def _note(self) -> str:
        if self._view.place:
            return _BELIEVED
        return self._trouble.title if self._trouble else self._cold or disk_text.dropped(self._view)

    @property
    def _has_warning(self) -> bool:
        return self._trouble is not None and not self._view.place

    def _note_lines(self, room: float) -> list[str]:
        indent = self._style.typography.icon(_ICON) + _TO_TEXT if self._has_warning else 0
        return wrapped(self._style.text_style(TextRole.CAP), self._note, room - indent)

    # Drawing

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = smooth(QPainter(self))
        room = self.width() - 2 * _INSET
        line = QRectF(_INSET, _TOP, room, self._style.text_style(TextRole.SMALL_MEDIUM).line)
        line = self._paint_titles(painter, line)
        if self._view.place:
            self._paint_note(painter, line.bottom())
            painter.end()
            return
        bar = QRectF(_INSET, line.bottom() + _TO_BAR, room, _BAR)
        self._paint_bars(painter, bar)
        left = self._disk_left(room)
        legend = QRectF(_INSET, bar.bottom() + _TO_LEGEND, room, 0)
        legend.setHeight(self._legend.height(self._parts, room, left))
        self._legend.paint(painter, self._parts, legend, left)
        self._paint_note(painter, legend.bottom())
        painter.end()

    def _paint_titles(self, painter: QPainter, line: QRectF) -> QRectF:
        """Paint how full memory and disk are; returns the last line that this takes."""
        theme, small = self._style.theme, self._style.text_style(TextRole.SMALL)
        taken = draw_text(painter, self._style.text_style(TextRole.SMALL_MEDIUM), line, self._title(), theme.text)
        if not self._has_disk:
            return line
        if self._is_stacked(line.width()):
            below = line.translated(0, line.height())
            draw_text(painter, small, below, disk_text.shares(self._view)[0], theme.text2)
            return below
        rest = line.adjusted(taken + _GAP, 0, 0, 0)
        text = _fitting(disk_text.shares(self._view), small.width, rest.width())
        draw_text(painter, small, rest, text, theme.text2, Qt.AlignmentFlag.AlignRight)
        return line

    def _paint_bars(self, painter: QPainter, bar: QRectF) -> None:
        theme, view, left = self._style.theme, self._view, self._disk_left(bar.width())
        memory = QRectF(bar.left(), bar.top(), left - _GAP, bar.height())
        paint_budget(painter, theme, memory, view.live_bytes, view.paged_bytes, view.budget_bytes)
        if self._has_disk:
            disk = bar.adjusted(left, 0, 0, 0)
            paint_disk_budget(painter, theme, disk, view.disk_bytes, view.disk_allowed_bytes)

    def _paint_note(self, painter: QPainter, top: float) -> None:
        """Amber where something is to be put right."""
        if not self._note:
            return
        theme, cap = self._style.theme, self._style.text_style(TextRole.CAP)
        line = QRectF(_INSET, top + _TO_NOTE, self.width() - 2 * _INSET, cap.line)
        lines = self._note_lines(line.width())
        if self._has_warning:
            size = self._style.typography.icon(_ICON)
            center = QPointF(line.left() + size / 2, line.center().y())
            self._style.icons.paint(painter, Icon.WARN, center, theme.warn, size)
            line.setLeft(line.left() + size + _TO_TEXT)
        for text in lines:
            draw_text(painter, cap, line, text, theme.warn if self._has_warning else theme.text3)
            line.translate(0, cap.line)


def _fitting(texts: Sequence[str], width: Callable[[str], float], room: float) -> str:
    """Return the first that fits, or the last."""
    return next((text for text in texts if width(text) <= room), texts[-1])
