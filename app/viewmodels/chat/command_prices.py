"""What each command costs that has something computed: the price of going on from where it begins.

Properties: nothing is asked before somebody looks; a price that is told is what the engine told last, or none is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtCore import QObject, Signal

from app.conversation.branch import Branch
from app.conversation.message import Message
from app.conversation.tree import MessageTree
from app.protocol.chat import PromptOptions
from app.protocol.events import CostEstimate, CostRefused
from app.viewmodels.chat.settings_region import SettingsRegion
from app.viewmodels.chat.versions import answer_at, last_answer, last_question, question_of
from app.viewmodels.library.library_region import LibraryRegion
from app.viewmodels.model.current_model import CurrentModel
from app.viewmodels.warmth.cost_queries import CostQueries
from app.viewmodels.warmth.price_card import PricedBranch, following_branch
from app.viewmodels.warmth.price_text import price_sentence
from app.viewmodels.warmth.warmth import Warmth, unreadable_warmth, warmth_from
from app.viewmodels.warmth.warmth_index import WarmthIndex

AGAIN = "ask_again"
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

PRICED = (*_BEGINS, AGAIN)
"""The ids of commands that have something computed."""


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
        self._again: tuple[tuple[str, PromptOptions], Warmth | None] | None = None
        warmth.changed.connect(self.changed)

    def branch(self, action_id: str, message_id: str | None = None) -> PricedBranch | None:
        """Return the branch that a command goes on from; None where nothing comes before, and for other commands.

        message_id: of the message that it is about, None for the one that it takes by itself.
        """
        tree, begins = self._library.tree, _BEGINS.get(action_id)
        if action_id == "repeat_answer" and not message_id:
            shown = self._settings.answer()
            message_id = None if shown is None else shown.id
        at = None if begins is None else begins(tree, message_id)
        return None if at is None else following_branch(tree, at)

    def price(self, action_id: str, message_id: str | None = None) -> str:
        """Say what a command costs, "" while that is not known, which it is asked for then, and where it is nothing."""
        info = self._current_model.info
        if info is None or (info.capabilities is not None and not info.capabilities.cost_estimates):
            return ""
        warmth = self._warmth_of(action_id, message_id)
        return "" if warmth is None else price_sentence(warmth)

    def hurry(self, action_id: str, message_id: str | None = None) -> None:
        """Have the price of a command asked for before all others: somebody looks at it."""
        branch = self.branch(action_id, message_id)
        if branch is not None:
            self._warmth.hurry(branch.message_id, branch.conversation_id)

    def renew(self) -> None:
        """Have asked again what is not followed: the cache may differ since somebody looked last."""
        self._again = None

    def _warmth_of(self, action_id: str, message_id: str | None) -> Warmth | None:
        if action_id == AGAIN:
            return self._warmth_of_again()
        branch = self.branch(action_id, message_id)
        return None if branch is None else self._warmth.warmth_of(branch.message_id, branch.conversation_id)

    # The last question once more, with what was changed

    def _warmth_of_again(self) -> Warmth | None:
        """Return what the last question costs with what was chosen for the next one: another prompt from its start."""
        tree = self._library.tree
        question = last_question(tree)
        if question is None:
            return None
        said = self._settings.chosen.told_next(self._library.open_id, question.id)
        words = Message.new(
            *(tree.conversation_id, question.parent_id, "user", question.text),
            attachments=question.attachments,
            instructions=said.instructions,
            thinks=said.thinks,
        )
        path = () if question.parent_id is None else tree.path_to(question.parent_id)
        branch = Branch(path, self._current_model.fingerprint, None, words)
        key = question.id, branch.options
        if self._again is None or self._again[0] != key:
            self._again = key, None
            self._ask_again(key, branch)
        return self._again[1]

    def _ask_again(self, key: tuple[str, PromptOptions], branch: Branch) -> None:
        info = self._current_model.info
        context = 0 if info is None else info.context_length

        def take(priced: CostEstimate) -> None:
            self._take_again(key, warmth_from(priced, 0, context))

        def refuse(event: CostRefused) -> None:
            self._take_again(key, None if event.problem is None else unreadable_warmth(event.problem, context))

        self._cost_queries.ask(AGAIN, branch, take, branch.options, refused=refuse)

    def _take_again(self, key: tuple[str, PromptOptions], warmth: Warmth | None) -> None:
        if self._again is not None and self._again[0] == key:
            self._again = key, warmth
            self.changed.emit()
