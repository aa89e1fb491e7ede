"""Where the open conversation does not fit the model's context: what is refused, and the ways on."""

from __future__ import annotations

from dataclasses import replace

from app.protocol.events import CostEstimate
from app.protocol.reports import ModelInfo
from app.viewmodels.chat import chat_text, question_card
from app.viewmodels.chat.branch_costs import BranchCosts
from app.viewmodels.chat.context_choices import (
    ContextChoices,
    context_choices,
    is_too_long,
    kept_branch,
    raised_limit,
)
from app.viewmodels.chat.drafts import Drafts
from app.viewmodels.chat.open_branch import OpenBranch
from app.viewmodels.chat.open_draft import OpenDraft
from app.viewmodels.chat.problem_cards import ProblemCards
from app.viewmodels.kit.notices import Notices
from app.viewmodels.kit.problem_card import ProblemCard
from app.viewmodels.library.library_region import LibraryRegion
from app.viewmodels.model.current_model import CurrentModel
from app.viewmodels.text import formatting


class ContextOverflow:
    """Judges the open conversation by what it is known to cost, and does what the buttons of its card say."""

    def __init__(
        self,
        library: LibraryRegion,
        current_model: CurrentModel,
        branch_costs: BranchCosts,
        drafts: Drafts,
        open_draft: OpenDraft,
        cards: ProblemCards,
        open_branch: OpenBranch,
        notices: Notices,
    ) -> None:
        self._library, self._current_model, self._branch_costs = library, current_model, branch_costs
        self._drafts, self._open_draft, self._cards = drafts, open_draft, cards
        self._open_branch, self._notices = open_branch, notices

    @property
    def card(self) -> ProblemCard | None:
        """The card in the composer's place, with what can be done where its question is known not to fit."""
        card, info, priced = self._cards.now, self._current_model.info, self._branch_costs.path
        leaf = self._library.tree.leaf_id
        if card is None or info is None or priced is None or not card.message_id or card.message_id != leaf:
            return card
        choices = self._choices
        if choices is None or self._branch_costs.sending is not None or not is_too_long(priced, info.context_length):
            return card
        raised = raised_limit(priced, info)
        ways = question_card.does_not_fit(priced, info.context_length, choices, raised, card.message_id)
        return replace(ways, title=card.title, sentence=card.sentence)

    def refuses(self, text: str) -> bool:
        """Return whether words are known not to fit, which is said with what can be done where there is something."""
        priced, info = self._branch_costs.sending, self._current_model.info
        if priced is None or info is None or self._branch_costs.words != text:
            return False
        if not is_too_long(priced, info.context_length):
            return False
        self._refuse(priced, info)
        return True

    def edit_earlier(self) -> None:
        """Edit an earlier question, from which on there is room in the model's context."""
        choices = self._choices
        if choices is not None and choices.earlier_id is not None:
            self._open_draft.begin_edit(choices.earlier_id)

    def raise_limit(self) -> None:
        """Have the model read as much as is needed. What is in the composer, or waits for an answer, stays there."""
        info, costs = self._current_model.info, self._branch_costs
        if info is None:
            return
        limits = (raised_limit(priced, info) for priced in (costs.sending, costs.path) if priced is not None)
        tokens = next((tokens for tokens in limits if tokens), 0)
        if not tokens:
            return
        self._cards.dismiss()
        is_all = tokens >= info.own_context and not info.usual_context
        self._current_model.limit_context(info.path, None if is_all else tokens)
        costs.renew()
        again = " Its server loads it again for that." if info.usual_context else ""
        self._notices.info(f"{info.name} reads at most {formatting.tokens(tokens)} now.{again}")

    def leave_out_oldest(self) -> None:
        """Go on in a new branch without the oldest turns, as many as make room; the whole one stays beside it."""
        choices, tree = self._choices, self._library.tree
        if choices is None or choices.kept_from is None or self._open_branch.is_busy:
            return
        is_draft = self._branch_costs.sending is not None
        copies = kept_branch(self._open_draft.path_above if is_draft else tree.path, choices)
        self._cards.dismiss()
        self._drafts.leave_edit(tree.conversation_id)
        told, changes = f"New branch: {choices.branch_name}.", self._library.changes
        changes.make(
            lambda store: store.messages.add_branch(copies),
            lambda _result: self._notices.info(told, undo_step=changes.step),
            self._notices.error,
        )

    @property
    def _choices(self) -> ContextChoices | None:
        """The ways on where the composer's words, or else the question that ends the path, are too long."""
        info, costs = self._current_model.info, self._branch_costs
        if info is None:
            return None
        if costs.sending is not None and is_too_long(costs.sending, info.context_length):
            draft = self._open_draft
            return context_choices(draft.path_above, costs.sending, info.context_length, draft.length)
        if costs.path is not None and is_too_long(costs.path, info.context_length):
            return context_choices(self._library.tree.path, costs.path, info.context_length)
        return None

    def _refuse(self, priced: CostEstimate, info: ModelInfo) -> None:
        choices, raised = self._choices or ContextChoices(None, None), raised_limit(priced, info)
        if choices.kept_from is None and choices.earlier_id is None and not raised:
            self._open_draft.say(chat_text.does_not_fit(priced, info.context_length))
            return
        card = question_card.does_not_fit(priced, info.context_length, choices, raised)
        self._cards.put(self._library.open_id, card)
        self._notices.announce(card.sentence)
