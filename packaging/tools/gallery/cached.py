"""What is done in the Cache pane: a message's rows, other conversations, a warm up, an eviction, many rows."""

from __future__ import annotations

from dataclasses import replace
from itertools import cycle
from typing import TYPE_CHECKING

from app.protocol.events import TrieChanged
from app.protocol.trie_view import Residency

if TYPE_CHECKING:
    from app.viewmodels.app import App
    from app.widgets.window.main_window import MainWindow

_MANY = 40
_RESIDENCIES: tuple[Residency, ...] = ("memory", "memory", "disk", "none")


def select_message(app: App, window: MainWindow) -> None:
    """Make the last question the current message of the chat."""
    window.chat.view.show_message(app.library.tree.path[-2].id)


def show_others(app: App, window: MainWindow) -> None:
    """Give the edges of other conversations rows, and choose one."""
    app.edges.show_others(True)
    last = app.cache_rows.trie_model.shown.nodes[-1]
    window.cache.tree.setCurrentIndex(app.cache_rows.trie_model.index_of(last.id))


def warm_up(app: App, window: MainWindow) -> None:
    """Warm the open branch up."""
    select_message(app, window)
    window.do("warm_up")


def is_warming(app: App) -> bool:
    """Return whether a warm up has come some way."""
    return bool(app.edges.state.now.done)


def evict(app: App, window: MainWindow) -> None:
    """Evict the row of the current message."""
    select_message(app, window)
    window.do("evict_row")


def is_evicted(app: App) -> bool:
    """Return whether the eviction was told of."""
    return app.notices.now.text.startswith("Evicted")


def show_many(app: App, window: MainWindow) -> None:
    """Have forty edges, with the rows of a message marked."""
    view = app.cache.view
    first, residencies = view.nodes[0], cycle(_RESIDENCIES)
    own = [node for node in view.nodes if not node.owners]
    more = [
        replace(
            *(own[-1],),
            id=500 + number,
            parent_id=first.id if number % 3 == 0 else 500 + number - 1,
            start=first.end + 90 * (number % 3),
            end=first.end + 90 * (number % 3) + 90,
            label=f"What about day {number + 1}, and where to stay",
            role="assistant" if number % 3 == 1 else "user",
            residency=next(residencies),
        )
        for number in range(_MANY - len(own))
    ]
    app.cache.take(TrieChanged(replace(view, nodes=(*view.nodes, *more))))
    app.edges.select_message("")
    select_message(app, window)
    app.edges.select_message(app.library.tree.path[-2].id)
