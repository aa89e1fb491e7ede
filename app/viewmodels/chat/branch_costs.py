"""What the cache holds of the open path and of the versions beside it, and what sending the composer's words costs."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from itertools import islice
from operator import itemgetter

from PySide6.QtCore import QObject, QTimer, Signal

from app.conversation.branch import Branch
from app.conversation.message import Message
from app.conversation.tree import MessageTree
from app.protocol.chat import Turn
from app.protocol.events import CostEstimate, CostRefused, TurnResidency
from app.protocol.reports import Problem, Source
from app.protocol.trie_view import Residency
from app.viewmodels.chat.drafts import Attachments
from app.viewmodels.chat.prompt_settings import Told
from app.viewmodels.chat.questions import Questions
from app.viewmodels.chat.versions import version_of
from app.viewmodels.model.current_model import CurrentModel
from app.viewmodels.warmth.cost_queries import BegunAnswer, CostQueries

PATH, SENDING = "path", "sending"
MOST_SIBLINGS = 8
_NO_WORDS = "?"  # what is attached has a price before there are words to it
DEBOUNCE_MS = 150
WRITING_MS = 1000
SLOW = 1.0  # seconds for an answer, from which on it is asked for less often
REST = 10  # times what an answer took: for so long the engine writes on before it is asked again


class BranchCosts(QObject):
    """Asks the engine whenever the answer may differ, and not more often than it can matter.

    Attributes: `residencies`, of each message that was asked about; `path`, the open path's price, and
    `sending`, that of the composer's words, both None while unknown; `unreadable` and `unsendable`, why these cannot be
    read, None where they can; `at_ends`, the price of the words after each of several messages they would all follow.

    Signals: changed(); pathPriced(object, object), the messages of the open path as they were asked about, and their
    `CostEstimate`, whether it differs or not.
    """

    changed = Signal()
    pathPriced = Signal(object, object)

    def __init__(
        self,
        cost_queries: CostQueries,
        current_model: CurrentModel,
        questions: Questions,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._cost_queries = cost_queries
        self._current_model = current_model
        self._questions = questions
        self._tree: MessageTree | None = None
        self._below: str | None = None
        self._words = ""
        self._attachments: Attachments = ()
        self._edited: Message | None = None
        self._told = Told()
        self.residencies: dict[str, Residency] = {}
        self.attachment_tokens: dict[str, tuple[int, ...]] = {}
        self.path: CostEstimate | None = None
        self.sending: CostEstimate | None = None
        self._ends: tuple[str, ...] = ()
        self.at_ends: dict[str, CostEstimate] = {}
        self.unreadable: Problem | None = None
        self.unsendable: Problem | None = None
        self._path_timer = QTimer(self, singleShot=True)
        self._path_timer.timeout.connect(self._ask_path)
        self._sending_timer = QTimer(self, singleShot=True, interval=DEBOUNCE_MS)
        self._sending_timer.timeout.connect(self._ask_sending)

    @property
    def words(self) -> str:
        """The words in the composer, as `sending` prices them or is about to."""
        return self._words

    def show(self, tree: MessageTree) -> None:
        """Price the path of this tree from now on."""
        if tree is not self._tree:
            self.path = self.unreadable = None
        self._tree = tree
        self._path_timer.start(0)

    def type(
        self, parent_id: str | None, text: str, attachments: Attachments = (), edited: Message | None = None
    ) -> None:
        """Price these words in the composer with what is attached, after the path to the message they would follow.

        edited: the answer that they are an edit of, which would go on from them.
        """
        said = (parent_id, text, attachments, edited and edited.id)
        if said != (self._below, self._words, self._attachments, self._edited and self._edited.id):
            is_same = attachments == self._attachments and edited is self._edited
            is_priced = (bool(text.strip()) or bool(attachments)) and is_same
            self._below, self._words, self._attachments, self._edited = parent_id, text, attachments, edited
            if not is_priced:
                self._forget_sending()
            self._sending_timer.start()

    def ask_at(self, ends: tuple[str, ...]) -> None:
        """Price the words in the composer after each of these messages too: they would be said to all of them."""
        if ends != self._ends:
            for gone in self._ends:
                self._cost_queries.drop(f"{SENDING} {gone}")
            self._ends = ends
            self._forget_sending()
            self._sending_timer.start()
            self.changed.emit()

    @property
    def is_for_several(self) -> bool:
        """Whether the words in the composer would follow several messages, and not the open path alone."""
        return bool(self._ends) and self._edited is None

    @property
    def together(self) -> CostEstimate | None:
        """The price of saying the words to all of several, None while it is not known of each."""
        if not self._ends or len(self.at_ends) < len(self._ends):
            return None
        found = [self.at_ends[one] for one in self._ends]
        requests, seconds = [one.request for one in found], [one.seconds for one in found]
        first = requests[0]
        request = replace(
            max(requests, key=lambda one: list(Source).index(one.source)),
            total=sum(one.total for one in requests),
            seen=sum(one.seen for one in requests),
            matched=sum(one.matched for one in requests),
            cached=sum(one.cached for one in requests),
            reason=first.reason,
            diverged_at=None,
        )
        known = [one for one in seconds if one is not None]
        return CostEstimate(0, request, (), sum(known) if len(known) == len(seconds) else None)

    def _forget_sending(self) -> None:
        self.sending = self.unsendable = None
        self.at_ends = {}

    @property
    def attached(self) -> tuple[int, ...]:
        """Tokens of each attachment in the composer, in order; empty while unknown."""
        return self.sending.turns[-1].attached if self.sending is not None and self.sending.turns else ()

    def tell(self, said: Told) -> None:
        """Price the words in the composer with what their question says beside them."""
        if said != self._told:
            self._told = said
            self._forget_sending()
            self._sending_timer.start()

    def renew(self) -> None:
        """Ask again, as the cache differs: at once when nothing runs, now and then while an answer is being written."""
        is_idle = not self._questions.at_engine
        if is_idle or not self._path_timer.isActive():
            self._path_timer.start(0 if is_idle else self._writing_ms)
        if is_idle and not self._sending_timer.isActive():
            self._sending_timer.start()

    @property
    def _writing_ms(self) -> int:
        """Milliseconds between two queries while an answer is written, which the pricing of a long branch holds up."""
        took = self._cost_queries.took
        return WRITING_MS if took < SLOW else round(1000 * REST * took)

    def forget(self) -> None:
        """Drop all that was known: there is another model, or none."""
        self._cost_queries.drop_all()
        self.residencies.clear()
        self.attachment_tokens.clear()
        self.path = self.unreadable = None
        self._forget_sending()
        self.changed.emit()

    def _ask_path(self) -> None:
        tree = self._tree
        if tree is None or self._current_model.info is None:
            return
        path = self._questions.settled(tree.path)
        fingerprint = self._current_model.fingerprint
        branch = Branch(path, fingerprint)
        if not branch:
            self._cost_queries.drop(PATH)
            self.path = self.unreadable = None
            self.changed.emit()
            return
        self._cost_queries.ask(PATH, branch, partial(self._take_path, path), branch.options, refused=self._refuse_path)
        for sibling in self._siblings(tree):
            branch = Branch(tree.path, fingerprint, tree.depth(sibling.id), sibling)
            self._cost_queries.ask(sibling.id, branch, partial(self._take_sibling, sibling), branch.options)

    def _ask_sending(self) -> None:
        text = self._words if self._words.strip() else _NO_WORDS if self._attachments else ""
        is_shown = not self._questions.at_engine and bool(text)
        if self._tree is None or self._current_model.info is None or not is_shown:
            return
        if self._edited is not None:
            path = () if self._below is None or self._below not in self._tree else self._tree.path_to(self._below)
            self._ask_edit(Branch(path, self._current_model.fingerprint), self._edited)
            return
        attachments = self._attachments
        branch = self._said_after(self._tree, self._below, text)
        take = partial(self._take_sending, self._words, attachments)
        refused = partial(self._refuse_sending, self._words, attachments)
        self._cost_queries.ask(SENDING, branch, take, branch.options, refused=refused)
        for end in self._ends:
            if end in self._tree:
                branch = self._said_after(self._tree, end, text)
                take = partial(self._take_at_end, end, self._words, attachments)
                self._cost_queries.ask(f"{SENDING} {end}", branch, take, branch.options, refused=refused)

    def _said_after(self, tree: MessageTree, below: str | None, text: str) -> Branch:
        """Return the branch of the words in the composer, said after a message with what is attached."""
        path = () if below is None or below not in tree else tree.path_to(below)
        home, attachments, said = tree.conversation_id, self._attachments, self._told
        words = Message.new(
            *(home, below, "user", text),
            attachments=attachments,
            instructions=said.instructions,
            thinks=said.thinks,
        )
        return Branch(path, self._current_model.fingerprint, len(path), words)

    def _ask_edit(self, branch: Branch, edited: Message) -> None:
        """Ask what it costs to go on from an edited answer. branch: to its question."""
        begun = BegunAnswer(
            Turn("assistant", self._words, thinking=edited.thinking),
            edited.turn(self._current_model.fingerprint).ids or (),
        )
        take = partial(self._take_sending, self._words, ())
        refused = partial(self._refuse_sending, self._words, ())
        self._cost_queries.ask(SENDING, branch, take, branch.options, begun, refused=refused)

    def _take_path(self, path: tuple[Message, ...], priced: CostEstimate) -> None:
        self.pathPriced.emit(path, priced)
        differs = _figures(priced) != _figures(self.path)
        self.path, self.unreadable = priced, None
        if self._note(path, priced.turns) or differs:
            self.changed.emit()

    def _refuse_path(self, event: CostRefused) -> None:
        self.path, self.unreadable = None, event.problem
        self.changed.emit()

    def _take_sibling(self, sibling: Message, priced: CostEstimate) -> None:
        """Take the price of a sibling; what comes before it lies on the path, and is known from there."""
        if self._note((sibling,), priced.turns[-1:]):
            self.changed.emit()

    def _note(self, messages: tuple[Message, ...], turns: tuple[TurnResidency, ...]) -> bool:
        """Remember where each message's state is; returns whether anything differs from what was known."""
        found = {message.id: turn.residency for message, turn in zip(messages, turns, strict=False)}
        differs = not found.items() <= self.residencies.items()
        self.residencies.update(found)
        attached = {message.id: turn.attached for message, turn in zip(messages, turns, strict=False) if turn.attached}
        differs = differs or not attached.items() <= self.attachment_tokens.items()
        self.attachment_tokens.update(attached)
        return differs

    def _take_sending(self, text: str, attachments: Attachments, priced: CostEstimate) -> None:
        if (text, attachments) == (self._words, self._attachments):
            self.sending, self.unsendable = priced, None
            self.changed.emit()

    def _take_at_end(self, end: str, text: str, attachments: Attachments, priced: CostEstimate) -> None:
        if (text, attachments) == (self._words, self._attachments) and end in self._ends:
            self.at_ends[end] = priced
            self.changed.emit()

    def _refuse_sending(self, text: str, attachments: Attachments, event: CostRefused) -> None:
        if (text, attachments) == (self._words, self._attachments):
            self.sending, self.unsendable = None, event.problem
            self.changed.emit()

    def _siblings(self, tree: MessageTree) -> list[Message]:
        """List versions beside the path, not more than can be asked about in a moment.

        Those right beside it come first, of which each has a disc of its own, and of these those nearest to its end.
        """
        writing = {question.held_id for question in self._questions.at_engine}
        found: list[tuple[int, int, Message]] = []  # how far beside, and how far from the end
        for above, fork in enumerate(fork for fork in reversed(tree.forks) if fork.id not in writing):
            versions = tree.siblings(fork.id)
            own = version_of(versions, fork.id)
            found += [(abs(number - own), above, one) for number, one in enumerate(versions) if number != own]
        said = (one for *_, one in sorted(found, key=itemgetter(0, 1)) if one.id not in writing and not one.is_wordless)
        return list(islice(said, MOST_SIBLINGS))


def _figures(priced: CostEstimate | None) -> tuple[object, ...] | None:
    """Return what is told of a branch as a whole, without its turns."""
    if priced is None:
        return None
    marks = (priced.is_far_too_long, priced.is_warm, priced.is_on_disk)
    return (priced.request, priced.seconds, priced.pinned, *marks)
