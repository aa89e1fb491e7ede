"""The cache in the inspector: the prefix trie with its budget and totals, and what the cache did lately."""

from __future__ import annotations

import time
from collections.abc import Sequence
from operator import attrgetter

from PySide6.QtCore import QPoint, QRectF, Qt, Signal
from PySide6.QtGui import QHideEvent, QPainter, QPaintEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QWidget

from app.protocol.reports import Problem
from app.protocol.trie_view import TrieNodeView
from app.viewmodels.cache.event_model import EventModel
from app.viewmodels.cache.trie_model import TrieModel
from app.viewmodels.edges.edge_region import EdgeState, Home
from app.viewmodels.kit.differing import RunningSum
from app.viewmodels.kit.live_state import LiveState
from app.viewmodels.text import formatting
from app.widgets.cache.cache_head import CacheHead
from app.widgets.cache.empty_cache import EmptyCache
from app.widgets.cache.event_section import EventSection
from app.widgets.cache.row_actions import OthersLine, RowActions, choose_home, row_menu
from app.widgets.cache.trie_delegate import Clock
from app.widgets.cache.trie_tree import TrieTree
from app.widgets.kit.change_detector import ChangeDetector
from app.widgets.kit.drawing import draw_text, smooth
from app.widgets.kit.icon_paths import Icon
from app.widgets.kit.pane import Pane, PaneState
from app.widgets.kit.style import Style
from app.widgets.kit.typography import TextRole

_INSET = 16


class CachePane(Pane):
    """From above: budget, the tree or what stands for it while it is empty, the verbs of a row, events, totals.

    Attributes: head, tree, empty, others, row_actions, events. Signals: asked(str), the id of a command about a row;
    refused(str), of one that was asked for by keys and would do nothing now; othersAsked(bool), show the rows of other
    conversations or hide them; appeared(), disappeared().
    """

    asked = Signal(str)
    refused = Signal(str)
    othersAsked = Signal(bool)
    appeared = Signal()
    disappeared = Signal()

    id = "cache"
    title = "Cache"
    icon = Icon.CACHE
    needs = "trie"

    def __init__(
        self,
        style: Style,
        trie: TrieModel,
        events: EventModel,
        clock: Clock = time.time,
        parent: QWidget | None = None,
        edges: LiveState[EdgeState] | None = None,
    ) -> None:
        """edges: what can be done with rows; None for nothing."""
        super().__init__(parent)
        self._style = style
        self._trie = trie
        self._tokens = RunningSum[TrieNodeView](attrgetter("tokens"))
        self._changes, self._places = ChangeDetector(), ChangeDetector()
        self.setAccessibleName(self.title)
        self.head = CacheHead(style, self)
        self.tree = TrieTree(style, trie, clock, self)
        self.empty = EmptyCache(style, self)
        self.others = OthersLine(style, self)
        self.row_actions = RowActions(style, self)
        self.events = EventSection(style, events, self)
        self._edges = edges
        self.others.clicked.connect(self._ask_others)
        self.row_actions.asked.connect(self.asked)
        self.tree.shownInChat.connect(lambda: self._ask_if("show_row", self._now.can_show))
        self.tree.evicted.connect(lambda: self._ask_if("evict_row", self._now.can_evict))
        if edges is not None:
            edges.changed.connect(self._show_edges)
        self.events.changed.connect(self._arrange)
        trie.viewChanged.connect(self._show_trie)
        style.changed.connect(self._restyle)
        self._show_trie()

    @property
    def tab_order(self) -> Sequence[QWidget]:
        return self.tree, self.others, *self.row_actions.buttons, self.events.head, self.events.list

    def state(self) -> PaneState:
        return {"events_height": self.events.rows_height, "is_log_shown": self.events.is_open}

    def restore(self, state: PaneState) -> None:
        self.events.restore(int(state.get("events_height", 0)), bool(state.get("is_log_shown", True)))

    def show_disk(self, folder: str, trouble: Problem | None, is_awaited: bool = False) -> None:
        """Show where the cache's files lie, "" for nowhere, why none are written, and whether any are to be."""
        if self._changes.has_changed(folder, trouble, is_awaited):
            self.head.show_disk(folder, trouble, is_awaited)
            self._arrange()
            self.update()

    @property
    def _now(self) -> EdgeState:
        return self._edges.now if self._edges is not None else EdgeState()

    def _ask_others(self) -> None:
        self.othersAsked.emit(not self._now.shows_others)

    def _ask_if(self, command: str, is_possible: bool) -> None:
        (self.asked if is_possible else self.refused).emit(command)

    def _show_edges(self) -> None:
        now = self._now
        self.tree.mark(now.marked)
        self.tree.light(now.lit)
        self.row_actions.show_state(now)
        self.others.show_state(now)
        self.head.show_cold(now.cold)
        self._refresh()

    def open_menu(self, at: QPoint, homes: Sequence[Home]) -> None:
        """Open the menu of the chosen row at a place on screen."""
        menu = row_menu(self, self._now, homes, self.row_actions)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(at)

    def choose_home(self, homes: Sequence[Home]) -> str:
        """Have a person choose in which of several conversations the chosen row is shown; "" for none."""
        return choose_home(self, homes, self.row_actions.show_button.mapToGlobal(QPoint(0, 0)))

    @property
    def totals(self) -> str:
        """Edges and tokens in words, for example "11 edges · 12 408 tokens"."""
        if self._now.warming:
            return self._now.warming
        return self._totals

    def _show_trie(self) -> None:
        nodes = self._trie.shown.nodes
        self._tokens.follow(nodes)
        self._totals = formatting.DOT.join((formatting.plural(len(nodes), "edge"), formatting.tokens(self._tokens.now)))
        self.head.show_view(self._trie.view)
        self._refresh()

    def _refresh(self) -> None:
        shown = self._trie.shown.nodes
        self.tree.setVisible(bool(shown))
        self.empty.setVisible(not shown)
        self.empty.tell(others=bool(self._now.others.edges), is_on_server=bool(self._trie.view.place))
        self.others.setVisible(bool(self._now.others.edges))
        self.row_actions.setVisible(self._edges is not None and bool(shown))
        self.setAccessibleDescription(self.totals)
        self._arrange()
        foot = self._style.typography.foot
        self.update(0, self.height() - foot, self.width(), foot)  # the parts are painted where they differ

    def _restyle(self) -> None:
        self._arrange()
        self.update()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.appeared.emit()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.disappeared.emit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._arrange()

    def _arrange(self) -> None:
        width = self.width()
        self.head.setGeometry(0, 0, width, self.head.heightForWidth(width))
        top = self.head.geometry().bottom() + 2
        foot = self.height() - self._style.typography.foot
        is_here = bool(self._trie.shown.nodes) and not self._trie.view.place  # servers tell of no events
        events = self.events.height_within(foot - top, is_awaited=is_here)
        self.events.setVisible(events > 0)
        self.events.setGeometry(0, foot - events, width, events)
        bottom = foot - events
        for part in (self.row_actions, self.others):
            if not part.isHidden():
                height = part.heightForWidth(width) if part is self.row_actions else part.sizeHint().height()
                inset = 0 if part is self.row_actions else 8
                part.setGeometry(inset, bottom - height, width - 2 * inset, height)
                bottom -= height
        height = bottom - top
        self.empty.setGeometry(0, top, width, height)
        self.tree.setGeometry(0, top + 8, width, height - 8)
        parts = (self.head, self.events, self.row_actions, self.others, self.empty, self.tree)
        if self._places.has_changed(*((part.geometry().getRect(), part.isHidden()) for part in parts)):
            self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, foot = self._style.theme, self._style.typography.foot
        painter = smooth(QPainter(self))
        lines = [self.head.geometry().bottom() + 1, self.height() - foot]
        lines += [part.geometry().top() for part in (self.row_actions, self.others) if not part.isHidden()][:1]
        for y in lines:
            painter.fillRect(1, y, self.width() - 1, 1, theme.line)
        line = QRectF(_INSET, self.height() - foot + 1, self.width() - 2 * _INSET, foot - 1)
        if self._trie.view.nodes:
            draw_text(painter, self._style.text_style(TextRole.CAP), line, self.totals, theme.text2)
        painter.end()
