"""What each command costs that has something computed: the price of going on from where it begins.

Properties: nothing is asked before somebody looks; a price that is told is what the engine told last, or none is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from PySide6.QtCore import QObject, Signal

from app.conversation.branch import Branch
from app.conversation.message import Message
from app.conversation.tree import MessageTree
from app.protocol.chat import PromptOptions
from app.protocol.events import CostEstimate, CostRefused
from app.viewmodels.chat.settings_region import SettingsRegion
from app.viewmodels.chat.versions import answer_at, last_answer, last_fork, last_question, question_of, version_of
from app.viewmodels.library.library_region import LibraryRegion
from app.viewmodels.model.current_model import CurrentModel
from app.viewmodels.warmth.cost_queries import CostQueries
from app.viewmodels.warmth.price_card import PricedBranch, beginning_branch, following_branch, version_branch
from app.viewmodels.warmth.price_text import price_sentence
from app.viewmodels.warmth.warmth import Warmth, unreadable_warmth, warmth_from
from app.viewmodels.warmth.warmth_index import WarmthIndex

AGAIN = "ask_again"
_FORK = "fork"
_STEPS = {"previous": -1, "next": 1}
_NO_WORDS = "?"  # what comes before a question has a price before there are words to it
_FEW = 32  # tokens of these, with what a template sets around them
_Begins = Callable[[MessageTree, str | None], str | None]


def _before_question(tree: MessageTree, message_id: str | None) -> str | None:
    question = question_of(tree, message_id) if message_id else last_question(tree)
    return None if question is None else question.parent_id


def _after_question(tree: MessageTree, message_id: str | None) -> str | None:
    at = message_id or tree.leaf_id
    question = question_of(tree, at) if at else None
    return None if question is None else question.id


def _answer(tree: MessageTree, message_id: str | None) -> Message | None:
    return answer_at(tree, message_id) if message_id else last_answer(tree)


def _before_answer(tree: MessageTree, message_id: str | None) -> str | None:
    answer = _answer(tree, message_id)
    return None if answer is None else answer.parent_id


def _after_answer(tree: MessageTree, message_id: str | None) -> str | None:
    answer = _answer(tree, message_id)
    return None if answer is None else answer.id


def _at_end(tree: MessageTree, _message_id: str | None) -> str | None:
    return tree.leaf_id


_BEGINS: Mapping[str, _Begins] = {
    "fork": _before_question,
    "regenerate": _after_question,
    "branch_here": _after_answer,
    "answer": _after_question,
    "continue": _at_end,
    "edit_answer": _before_answer,
    "repeat_answer": _before_answer,
}
"""Where each command goes on from: the last message of that branch, None where nothing comes before."""

PRICED = (*_BEGINS, AGAIN, *_STEPS)
"""The ids of commands that have something computed, or lead to where that is so as soon as one goes on from there."""


class CommandPrices(QObject):
    """Finds the prices of commands in the open conversation, and asks for them where somebody looks.

    Signal: changed(), any of them may differ.
    """

    changed = Signal()

    def __init__(
        self,
        library: LibraryRegion,
        warmth: WarmthIndex,
        cost_queries: CostQueries,
        current_model: CurrentModel,
        settings: SettingsRegion,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._library, self._warmth, self._cost_queries = library, warmth, cost_queries
        self._current_model, self._settings = current_model, settings
        self._alone: dict[str, tuple[tuple[str, PromptOptions], Warmth | None]] = {}
        warmth.changed.connect(self.changed)

    def branch(self, action_id: str, message_id: str | None = None) -> PricedBranch | None:
        """Return the branch that a command goes on from or leads to; None where there is none, and for other commands.

        message_id: of the message that it is about, None for the one that it takes by itself. A command that begins
        before the first message has a branch without one.
        """
        tree, begins, info = self._library.tree, _BEGINS.get(action_id), self._current_model.info
        if action_id == "edit_answer" and info is not None and not info.goes_on:
            return None  # the text is kept, and nothing computed
        if action_id in _STEPS:
            return self._version(tree, message_id, _STEPS[action_id])
        if action_id == "repeat_answer" and not message_id:
            shown = self._settings.answer()
            message_id = None if shown is None else shown.id
        at = None if begins is None else begins(tree, message_id)
        if at is not None:
            return following_branch(tree, at)
        is_first = action_id == _FORK and self._first_question(message_id) is not None
        return beginning_branch(tree.conversation_id) if is_first else None

    def price(self, action_id: str, message_id: str | None = None) -> str:
        """Say what a command costs, "" while that is not known, which it is asked for then, and where it is nothing."""
        info = self._current_model.info
        if info is None or (info.capabilities is not None and not info.capabilities.cost_estimates):
            return ""
        warmth = self.warmth(action_id, message_id)
        return "" if warmth is None else price_sentence(warmth)

    def hurry(self, action_id: str, message_id: str | None = None) -> None:
        """Have the price of a command asked for before all others: somebody looks at it."""
        branch = self.branch(action_id, message_id)
        if branch is not None and branch.message_id:
            self._warmth.hurry(branch.message_id, branch.conversation_id)

    def renew(self) -> None:
        """Have asked again what is not followed: the cache may differ since somebody looked last."""
        self._alone.clear()

    def warmth(self, action_id: str, message_id: str | None = None) -> Warmth | None:
        """Return what is known of the branch of a command, None while nothing is: it is asked for then."""
        if action_id == AGAIN:
            question = last_question(self._library.tree)
            return None if question is None else self._warmth_alone(AGAIN, question)
        first = self._first_question(message_id) if action_id == _FORK else None
        if first is not None:
            return self._warmth_alone(_FORK, first)
        branch = self.branch(action_id, message_id)
        return None if branch is None else self._warmth.warmth_of(branch.message_id, branch.conversation_id)

    def _first_question(self, message_id: str | None) -> Message | None:
        """Return the question that is edited where nothing comes before it, else None."""
        tree = self._library.tree
        question = question_of(tree, message_id) if message_id else last_question(tree)
        return question if question is not None and question.parent_id is None else None

    def _version(self, tree: MessageTree, message_id: str | None, step: int) -> PricedBranch | None:
        """Return the branch of the version beside a message, or beside the fork nearest to the end of the path."""
        last = last_fork(tree)
        at = message_id or ("" if last is None else last.id)
        return version_branch(tree, at, version_of(tree.siblings(at), at) + step) if at in tree else None

    # Questions that end no branch: the last one with what was changed, the first one before it says anything

    def _warmth_alone(self, action_id: str, question: Message) -> Warmth | None:
        """Return what a question costs with what was chosen for the next one, for which its prompt may be another."""
        tree = self._library.tree
        said = self._settings.chosen.told_next(self._library.open_id, question.id)
        is_again = action_id == AGAIN
        words = Message.new(
            *(tree.conversation_id, question.parent_id, "user", question.text if is_again else _NO_WORDS),
            attachments=question.attachments if is_again else (),
            instructions=said.instructions,
            thinks=said.thinks,
        )
        path = () if question.parent_id is None else tree.path_to(question.parent_id)
        branch = Branch(path, self._current_model.fingerprint, None, words)
        key = question.id, branch.options
        if action_id not in self._alone or self._alone[action_id][0] != key:
            self._alone[action_id] = key, None
            self._ask_alone(action_id, key, branch)
        return self._alone[action_id][1]

    def _ask_alone(self, action_id: str, key: tuple[str, PromptOptions], branch: Branch) -> None:
        info = self._current_model.info
        context = 0 if info is None else info.context_length

        def take(priced: CostEstimate) -> None:
            warmth = warmth_from(priced, 0, context)
            is_held = action_id == _FORK and warmth.fits and warmth.left <= _FEW
            self._take_alone(action_id, key, replace(warmth, is_warm=True) if is_held else warmth)

        def refuse(event: CostRefused) -> None:
            is_told = event.problem is not None and action_id == AGAIN
            told = unreadable_warmth(event.problem, context) if is_told and event.problem is not None else None
            self._take_alone(action_id, key, told)

        self._cost_queries.ask(action_id, branch, take, branch.options, refused=refuse)

    def _take_alone(self, action_id: str, key: tuple[str, PromptOptions], warmth: Warmth | None) -> None:
        if self._alone.get(action_id, (None, None))[0] == key:
            self._alone[action_id] = key, warmth
            self.changed.emit()
