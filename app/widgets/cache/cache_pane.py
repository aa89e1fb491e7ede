"""The cache in the inspector: the prefix trie with its budget and totals, and what the cache did lately."""

from __future__ import annotations

import time
from collections.abc import Sequence

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QWidget

from app.protocol.reports import Problem
from app.viewmodels.cache.event_model import EventModel
from app.viewmodels.cache.trie_model import TrieModel
from app.viewmodels.text import formatting
from app.widgets.cache.cache_head import CacheHead
from app.widgets.cache.empty_cache import EmptyCache
from app.widgets.cache.event_section import EventSection
from app.widgets.cache.trie_delegate import Clock
from app.widgets.cache.trie_tree import TrieTree
from app.widgets.kit.change_detector import ChangeDetector
from app.widgets.kit.drawing import draw_text, smooth
from app.widgets.kit.pane import Pane, PaneState
from app.widgets.kit.style import Style
from app.widgets.kit.typography import TextRole

_INSET = 16


class CachePane(Pane):
    """From above: budget, the tree or what stands for it while it is empty, events, totals.

    Attributes: head, tree, empty, events.
    """

    id = "cache"
    title = "Cache"
    needs = "trie"

    def __init__(
        self,
        style: Style,
        trie: TrieModel,
        events: EventModel,
        clock: Clock = time.time,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._style = style
        self._trie = trie
        self._changes = ChangeDetector()
        self.setAccessibleName(self.title)
        self.head = CacheHead(style, self)
        self.tree = TrieTree(style, trie, clock, self)
        self.empty = EmptyCache(style, self)
        self.events = EventSection(style, events, self)
        self.events.changed.connect(self._arrange)
        trie.viewChanged.connect(self._refresh)
        style.changed.connect(self._restyle)
        self._refresh()

    @property
    def tab_order(self) -> Sequence[QWidget]:
        return self.tree, self.events.head, self.events.list

    def state(self) -> PaneState:
        return {"events_height": self.events.rows_height, "is_log_shown": self.events.is_open}

    def restore(self, state: PaneState) -> None:
        self.events.restore(int(state.get("events_height", 0)), bool(state.get("is_log_shown", True)))

    def show_disk(self, folder: str, trouble: Problem | None) -> None:
        """Show where the cache's files lie, "" for nowhere, and why none are written."""
        if self._changes.has_changed(folder, trouble):
            self.head.show_disk(folder, trouble)
            self._arrange()
            self.update()

    @property
    def totals(self) -> str:
        """Edges and tokens in words, for example "11 edges · 12 408 tokens"."""
        nodes = self._trie.view.nodes
        return formatting.DOT.join(
            (formatting.plural(len(nodes), "edge"), formatting.tokens(sum(node.tokens for node in nodes)))
        )

    def _refresh(self) -> None:
        view = self._trie.view
        self.head.show_view(view)
        self.tree.setVisible(bool(view.nodes))
        self.empty.setVisible(not view.nodes)
        self.setAccessibleDescription(self.totals)
        self._arrange()
        self.update()

    def _restyle(self) -> None:
        self._arrange()
        self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._arrange()

    def _arrange(self) -> None:
        width = self.width()
        self.head.setGeometry(0, 0, width, self.head.heightForWidth(width))
        top = self.head.geometry().bottom() + 2
        foot = self.height() - self._style.typography.foot
        events = self.events.height_within(foot - top)
        self.events.setVisible(events > 0)
        self.events.setGeometry(0, foot - events, width, events)
        height = foot - top - events
        self.empty.setGeometry(0, top, width, height)
        self.tree.setGeometry(0, top + 8, width, height - 8)

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, foot = self._style.theme, self._style.typography.foot
        painter = smooth(QPainter(self))
        for y in (self.head.geometry().bottom() + 1, self.height() - foot):
            painter.fillRect(1, y, self.width() - 1, 1, theme.line)
        line = QRectF(_INSET, self.height() - foot + 1, self.width() - 2 * _INSET, foot - 1)
        if self._trie.view.nodes:
            draw_text(painter, self._style.text_style(TextRole.CAP), line, self.totals, theme.text2)
        painter.end()
