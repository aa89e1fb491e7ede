"""The search for the messages that an edge of the trie holds, in a conversation that may not be open."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress

from PySide6.QtCore import QObject

from app.conversation.branch import Branch
from app.conversation.message import Message
from app.conversation.store import Store
from app.conversation.tree import MessageTree
from app.protocol.dataclass import dataclass
from app.protocol.events import CostEstimate
from app.protocol.trie_view import TrieNodeView
from app.viewmodels.edges.path_edges import PathEdges
from app.viewmodels.kit.store_link import StoreLink
from app.viewmodels.library.library import Library
from app.viewmodels.model.current_model import CurrentModel
from app.viewmodels.warmth.cost_queries import CostQueries


@dataclass(frozen=True, slots=True)
class Found:
    """A message that an edge holds the beginning of, if there is one, and the path to the last one that it holds.

    Of an edge that is looked for as pinned, the path to the message that a person has pinned.
    """

    conversation_id: str
    message: Message
    path: tuple[Message, ...]


Then = Callable[[Found | None], None]


class MessageFinder(QObject):
    """Asks the engine where the branches of a conversation run, until one runs along the edge that is looked for.

    One search goes on at a time; a newer one takes the place of an older, which is answered no more.
    """

    def __init__(
        self,
        store: StoreLink,
        library: Library,
        current_model: CurrentModel,
        cost_queries: CostQueries,
        edges: Callable[[], Mapping[int, TrieNodeView]],
        purpose: str,
        parent: QObject | None = None,
    ) -> None:
        """edges: returns those of the picture that is shown, by their ids. purpose: of the queries that are asked."""
        super().__init__(parent)
        self._store, self._library, self._current_model = store, library, current_model
        self._cost_queries, self._edges, self._purpose = cost_queries, edges, purpose
        self._search = 0

    def find(self, conversation_id: str, edge_ids: frozenset[int], then: Then, pinned_only: bool = False) -> None:
        """Call `then` with the messages of a conversation that these edges hold, None where it has none.

        conversation_id: "" for none, as of an edge whose conversations are all deleted. pinned_only: look
        at the branches to messages that a person has pinned.
        """
        self._search += 1
        search = self._search

        def look(tree: MessageTree | None) -> None:
            if search == self._search:
                ends = iter(()) if tree is None else _ends(tree, pinned_only)
                self._ask_next(search, tree, ends, edge_ids, then, pinned_only)

        tree = self._library.tree_of(conversation_id)
        if tree is not None or not conversation_id:
            look(tree)
            return

        def load(store: Store) -> MessageTree | None:
            with suppress(LookupError):  # deleted since
                return store.messages.load(conversation_id)
            return None

        self._store.do(load, look, lambda _problem: look(None))

    def _ask_next(
        self,
        search: int,
        tree: MessageTree | None,
        ends: Iterator[str],
        edge_ids: frozenset[int],
        then: Then,
        pinned_only: bool,
    ) -> None:
        """Ask for the next branch, beyond those that cannot be read, and that are deleted meanwhile."""
        end = next((one for one in ends if tree is not None and one in tree), None)
        if tree is None or end is None or self._current_model.info is None:
            then(None)
            return
        path = tree.path_to(end)
        branch = Branch(path, self._current_model.fingerprint)

        def go_on() -> None:
            if search == self._search:
                self._ask_next(search, tree, ends, edge_ids, then, pinned_only)

        def take(priced: CostEstimate) -> None:
            if search != self._search:
                return
            along = PathEdges.of(path, priced, self._edges())
            held = along.on(edge_ids)
            if pinned_only and along.ids & edge_ids:  # also where they hold the template's tokens after it alone
                held = [*held, path[-1]]
            if held and held[-1].id in tree:
                then(Found(tree.conversation_id, along.named_by(edge_ids) or held[0], tree.path_to(held[-1].id)))
            else:
                go_on()

        self._cost_queries.ask(self._purpose, branch, take, branch.options, refused=lambda _event: go_on())


def _ends(tree: MessageTree, pinned_only: bool) -> Iterator[str]:
    """Give the ends of branches, that of the selected path first; or the messages that are pinned."""
    if pinned_only:
        yield from (one.id for one in tree.pinned)
        return
    if tree.leaf_id is not None:
        yield tree.leaf_id
    for run in tree.runs().values():
        if not run.children and run.last_id != tree.leaf_id:
            yield run.last_id
