"""The warmth of branches and conversations of all windows, by the ids of their messages and their own.

Properties: a warmth that is told is what the engine told last, and it is asked again after everything that can have
changed it, and after nothing else. One query is under way at a time, and while an answer is written the engine is left
alone for many times what it takes; so a question never waits for more than one of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import NamedTuple

from PySide6.QtCore import QObject, QTimer, Signal

from app.conversation.branch import Branch
from app.conversation.message import Message
from app.conversation.tree import MessageTree
from app.protocol.events import CostEstimate, CostRefused, Event, TrieChanged
from app.viewmodels.library.stored_conversations import StoredConversations
from app.viewmodels.model.current_model import CurrentModel
from app.viewmodels.warmth.closed_trees import ClosedTrees
from app.viewmodels.warmth.cost_queries import CAUTION, PATIENCE, CostQueries
from app.viewmodels.warmth.trie_changes import TrieChanges
from app.viewmodels.warmth.warmth import Warmth, unreadable_warmth, warmth_from

PURPOSE = "warmth"
MOST_UNASKED = 300  # branches of an open conversation that are priced before anybody looks them up
MOST_KNOWN = 2000  # branches and conversations
TELL_MS = 60  # between two changes that are told
WRITING_MS = 1000
# Times what a query took, before the next: while an answer is written, and of conversations that are not open.
REST_WRITING, REST_CLOSED = 40, 4
_NO_EDGE = -1  # of which every picture of the trie says that it may be another


class Target(NamedTuple):
    """A branch by the message that ends it; the path that a conversation is left on where there is none."""

    conversation_id: str
    message_id: str = ""


class _Stamp(NamedTuple):
    """State of a branch, as far as two of them can differ.

    Its last message that is complete and says something, how far that has come, and how many messages of the path come
    before its own row.
    """

    message_id: str
    length: int
    thinking: int
    stop: str | None
    first: int


@dataclass(slots=True)
class _Known:
    """A warmth, and what it depends on: a state of the branch and an edge of the trie. None where none was told."""

    stamp: _Stamp | None
    warmth: Warmth | None
    edge: int
    is_stale: bool = False


class WarmthIndex(QObject):
    """The warmths that are known, of branches and of conversations.

    Those of conversations that are open are asked for at once, others when they are looked up. Signal: changed(), any
    of it differs.
    """

    changed = Signal()

    def __init__(
        self,
        cost_queries: CostQueries,
        current_model: CurrentModel,
        stored: StoredConversations,
        closed_trees: ClosedTrees,
        settled: Callable[[tuple[Message, ...]], tuple[Message, ...]],
        is_writing: Callable[[], bool],
        parent: QObject | None = None,
    ) -> None:
        """settled: a path without an answer that is being written. is_writing: whether the engine has one under way."""
        super().__init__(parent)
        self._cost_queries, self._current_model, self._stored = cost_queries, current_model, stored
        self._closed_trees, self._settled, self._is_writing = closed_trees, settled, is_writing
        self._changes = TrieChanges()
        self._known: dict[Target, _Known] = {}
        self._wanted: dict[Target, None] = {}  # what was looked up and is not known as it is now, the latest last
        self._asked: Target | None = None
        self._looked_at: Target | None = None  # its tokens are counted however many there are
        self._has_moved = False  # messages or paths may be others than those that were priced
        self._rate: float | None = None  # tokens that are computed in a second
        self._gives_way = False
        self._model: tuple[str | None, int] = None, 0
        self._asking = QTimer(self, singleShot=True)
        self._asking.timeout.connect(self._ask_next)
        self._waiting = QTimer(self, singleShot=True)
        self._waiting.timeout.connect(self._give_up)
        self._telling = QTimer(self, singleShot=True, interval=TELL_MS)
        self._telling.timeout.connect(self.changed)
        closed_trees.read.connect(self._go_on)

    # What is known

    @property
    def is_believed(self) -> bool:
        """Whether all of it is believed of a server's cache."""
        info = self._current_model.info
        return info is not None and bool(info.place)

    def warmth_of(self, message_id: str, conversation_id: str) -> Warmth | None:
        """Return the warmth of the branch that ends with a message; None while it is not known.

        conversation_id: where the message was said. What is not known is asked for.
        """
        return self._look_up(Target(conversation_id, message_id))

    def warmth_of_branch(self, first_id: str, conversation_id: str) -> Warmth | None:
        """Return the warmth of the branch that begins with a message; None while it is not known.

        The messages of a conversation that is not open are read for its own warmth.
        """
        tree = self._tree_of(conversation_id)
        run = None if tree is None else tree.runs().get(first_id)
        return None if run is None else self._look_up(Target(conversation_id, run.last_id))

    def warmth_of_conversation(self, conversation_id: str) -> Warmth | None:
        """Return the warmth of the path that a conversation is left on; None while it is not known."""
        return self._look_up(Target(conversation_id))

    def end_of(self, message_id: str, conversation_id: str) -> str:
        """Return the message that going to another one leads down to; that one while its conversation is not here."""
        tree = self._tree_of(conversation_id)
        return message_id if tree is None or message_id not in tree else tree.leaf_below(message_id) or message_id

    def edge_of(self, message_id: str, conversation_id: str) -> int:
        """Return the last edge of the trie that a branch goes along, 0 while that is not known.

        message_id: "" for the path that its conversation is left on.
        """
        known = self._known.get(Target(conversation_id, message_id))
        return max(known.edge, 0) if known is not None else 0

    def hurry(self, message_id: str, conversation_id: str) -> None:
        """Ask for the warmth of a branch before all others, where it is not known: a person looks at its price.

        One that is far too long is counted, which nobody waits for until somebody looks.
        """
        self._looked_at = target = Target(conversation_id, message_id)
        self._mark_moved()
        known = self._known.get(target)
        if known is not None and known.warmth is not None and known.warmth.is_far_too_long:
            known.is_stale = True
        if self._is_open(target):
            self._wanted = {target: None} | self._wanted
            if self._asked is None and self._model[0] is not None:
                self._asking.start(0)

    def _look_up(self, target: Target) -> Warmth | None:
        self._mark_moved()
        known = self._known.get(target)
        if known is None or known.is_stale:
            self._wanted.setdefault(target)
            self._go_on()
        if known is None or known.warmth is None:
            return None
        # All times by the rate that was measured last: two branches of one length do not differ in it.
        seconds = known.warmth.left / self._rate if self._rate else known.warmth.seconds
        return replace(known.warmth, seconds=seconds, has_more=self._has_more(target, known))

    # What happens

    def take(self, event: Event) -> None:
        """Follow the cache: what a newer picture of the trie can have changed is asked again."""
        if isinstance(event, CostEstimate | CostRefused):
            self._cost_queries.take(event)
        elif isinstance(event, TrieChanged):
            self._changes.take(event.view)
            self._go_on()

    def follow(self) -> None:
        """Follow the conversations: which are open, and what was said in them. Called often, it costs no more."""
        self._has_moved = True
        self._go_on()

    def follow_model(self) -> None:
        """Follow the model: what was known of another one, or of another limit, is forgotten."""
        info = self._current_model.info
        model = (None, 0) if info is None else (info.fingerprint, info.context_length)
        if model == self._model:
            return
        if model[0] != self._model[0]:
            self._changes.forget()
            self._rate = None
        self._model = model
        self._known.clear()
        self._drop()
        self._telling.start()
        self._go_on()

    def note_path(self, path: Sequence[Message], priced: CostEstimate) -> None:
        """Take the price of the path of an open conversation, asked for besides, unless it has gone on since."""
        for target in self._of_whole_path(path[0].conversation_id) if path else ():
            stamp = self._stamp_of(target)
            if stamp is not None and stamp == _stamp(path[-1], stamp.first):
                self._note(target, stamp, priced)

    def close(self) -> None:
        """Ask and tell nothing any more."""
        self._model = None, 0
        self._closed_trees.close()
        for timer in (self._asking, self._waiting, self._telling):
            timer.stop()

    # What is asked

    def _go_on(self) -> None:
        """Ask on at once when nothing is written, else in a while; what rests after a query rests."""
        if self._asked is not None or self._model[0] is None:
            return
        is_writing = self._is_writing()
        if not self._asking.isActive() or (self._gives_way and not is_writing):
            self._rest(WRITING_MS if is_writing else 0)

    def _rest(self, milliseconds: float) -> None:
        self._gives_way = self._is_writing()
        self._asking.start(round(milliseconds))

    def _ask_next(self) -> None:
        if self._asked is not None or self._model[0] is None:
            return
        self._mark_moved()
        touched = self._changes.compare()
        if touched is not None:
            for known in self._known.values():
                known.is_stale = known.is_stale or touched.has(known.edge)
        for target in self._targets():
            if self._is_open(target) and self._ask(target):
                return

    def _mark_moved(self) -> None:
        """Note what is priced anew because something was said, or a path was gone to, since this was called last."""
        if self._has_moved:
            self._has_moved = False
            for target, known in self._known.items():
                known.is_stale = known.is_stale or self._has_gone_on(target, known)

    def _targets(self) -> Iterator[Target]:
        """Yield what may have to be asked: what was looked up, then open conversations, then others."""
        yield from tuple(self._wanted)
        stale = [target for target, known in self._known.items() if known.is_stale]
        homes = self._stored.open_ids
        for home in homes:
            tree = self._stored.library.tree_of(home)
            yield from () if tree is None else _shortest_first(tree, stale)
        if not self._is_writing():
            yield from (target for target in stale if target.conversation_id not in homes)

    def _is_open(self, target: Target) -> bool:
        known = self._known.get(target)
        return known is None or known.is_stale

    def _ask(self, target: Target) -> bool:
        """Ask for one; return whether it is under way."""
        stamp = self._stamp_of(target)
        if stamp is None:
            if self._stored.library.conversation(target.conversation_id) is None:
                self._wanted.pop(target, None)  # gone, or the list is not read yet
            elif not self._closed_trees.is_reading(target.conversation_id):
                self._leave(target)
            return False
        self._wanted.pop(target, None)
        self._asked = target
        branch = Branch(self._path(target, stamp), self._current_model.fingerprint)
        take = partial(self._take, target, stamp)
        is_exact = target == self._looked_at
        self._cost_queries.ask(
            PURPOSE, branch, take, branch.options, is_exact=is_exact, refused=partial(self._refuse, target, stamp)
        )
        self._waiting.start(round(1000 * max(PATIENCE, CAUTION * self._cost_queries.took)))
        return True

    def _take(self, target: Target, stamp: _Stamp, priced: CostEstimate) -> None:
        self._note(target, stamp, priced)
        for one in self._of_whole_path(target.conversation_id):
            found = self._stamp_of(one) if one != target and (one in self._known or one in self._wanted) else None
            if found is not None and found == stamp._replace(first=found.first):
                self._note(one, found, priced)
        self._ask_after(target)

    def _refuse(self, target: Target, stamp: _Stamp, refused: CostRefused) -> None:
        """Take the word that a branch cannot be read, until the cache differs: so may the memory that it needs."""
        if refused.problem is None:
            self._leave(target)
        else:
            self._put(target, _Known(stamp, unreadable_warmth(refused.problem, self._model[1]), _NO_EDGE))
        self._ask_after(target)

    def _ask_after(self, target: Target) -> None:
        """Ask on after a query was answered, and leave the engine time for others."""
        self._asked = None
        self._waiting.stop()
        took = 1000 * self._cost_queries.took
        if self._is_writing():
            self._rest(max(WRITING_MS, REST_WRITING * took))
        else:
            self._rest(took if target.conversation_id in self._stored.open_ids else REST_CLOSED * took)

    def _note(self, target: Target, stamp: _Stamp, priced: CostEstimate) -> None:
        if priced.seconds:
            self._rate = priced.request.left / priced.seconds
        warmth = replace(warmth_from(priced, stamp.first, self._model[1]), seconds=None)
        self._put(target, _Known(stamp, warmth, priced.edge))

    def _put(self, target: Target, known: _Known) -> None:
        known.is_stale = self._has_gone_on(target, known)
        before = self._known.pop(target, None)
        self._known[target] = known
        self._wanted.pop(target, None)
        while len(self._known) > MOST_KNOWN:
            del self._known[next(iter(self._known))]
        is_new = before is None or (before.warmth, before.stamp) != (known.warmth, known.stamp)
        if is_new and not self._telling.isActive():
            self._telling.start()

    def _give_up(self) -> None:
        """Leave a branch that gets no answer with the warmth that was told last, if any, until the cache differs."""
        target = self._asked
        self._drop()
        if target is not None:
            self._leave(target)
        self._go_on()

    def _leave(self, target: Target) -> None:
        self._wanted.pop(target, None)
        stamp, before = self._stamp_of(target), self._known.get(target)
        warmth = before.warmth if before is not None and before.stamp == stamp else None
        self._known[target] = _Known(stamp, warmth, _NO_EDGE)

    def _drop(self) -> None:
        self._asked = None
        self._waiting.stop()
        self._cost_queries.drop(PURPOSE)

    # Branches

    def _stamp_of(self, target: Target) -> _Stamp | None:
        """Return the state of a branch; None where there is none, or its messages are not here."""
        tree, message = self._tree_of(target.conversation_id), self._last_of(target)
        if tree is None or message is None:
            return None
        first = tree.depth(tree.run_of(message.id).first_id) if target.message_id else 0
        while message is not None and (message.is_wordless or not self._settled((message,))):
            message = None if message.parent_id is None else tree.message(message.parent_id)
        return None if message is None else _stamp(message, first)

    def _has_gone_on(self, target: Target, known: _Known) -> bool:
        """Return whether a branch is another than the one that was priced; of one that nobody opened, it is not."""
        is_here = self._stored.library.tree_of(target.conversation_id) is not None
        return is_here and self._stamp_of(target) != known.stamp

    def _has_more(self, target: Target, known: _Known) -> bool:
        """Return whether a branch has words that were not priced: of an answer that is being written, or has ended."""
        last = self._last_of(target)
        is_growing = last is not None and not self._settled((last,))
        return is_growing or self._has_gone_on(target, known)

    def _of_whole_path(self, conversation_id: str) -> tuple[Target, ...]:
        """Return what the path that a conversation is left on is known as: one price is that of both."""
        tree = self._tree_of(conversation_id)
        return () if tree is None else (Target(conversation_id), Target(conversation_id, tree.leaf_id or ""))

    def _path(self, target: Target, stamp: _Stamp) -> tuple[Message, ...]:
        tree = self._tree_of(target.conversation_id)
        return () if tree is None else tree.path_to(stamp.message_id)

    def _last_of(self, target: Target) -> Message | None:
        tree = self._tree_of(target.conversation_id)
        last_id = (target.message_id or tree.leaf_id) if tree is not None else None
        return None if tree is None or last_id is None or last_id not in tree else tree.message(last_id)

    def _tree_of(self, conversation_id: str) -> MessageTree | None:
        return self._stored.library.tree_of(conversation_id) or self._closed_trees.tree_of(conversation_id)


def _shortest_first(tree: MessageTree, stale: Iterable[Target]) -> list[Target]:
    """Return the branches of an open conversation but for its path, whose price is asked for besides."""
    home = tree.conversation_id
    found = [Target(home, run.last_id) for run in islice(tree.runs().values(), MOST_UNASKED)]
    found += [target for target in stale if target.conversation_id == home and target.message_id in tree]
    found = [target for target in found if target.message_id != tree.leaf_id]
    return sorted(found, key=lambda target: tree.depth(target.message_id))


def _stamp(last: Message, first: int) -> _Stamp:
    return _Stamp(last.id, len(last.text), len(last.thinking), last.stop, first)
