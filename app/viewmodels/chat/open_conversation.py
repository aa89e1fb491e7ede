"""From the open conversation and the answer under way to what the window says about them."""

from __future__ import annotations

from app.conversation.message import Message
from app.conversation.tree import MessageTree
from app.protocol.dataclass import dataclass
from app.protocol.events import CostEstimate
from app.protocol.reports import ModelInfo
from app.viewmodels.chat import chat_text
from app.viewmodels.chat.answer_plan import AnswerPlan
from app.viewmodels.chat.branch_costs import BranchCosts
from app.viewmodels.chat.chat_state import ChatState
from app.viewmodels.chat.context_choices import is_too_long, raised_limit
from app.viewmodels.chat.draft_attachments import chips_of
from app.viewmodels.chat.drafts import Draft
from app.viewmodels.chat.looked_at import LookedAt
from app.viewmodels.chat.question import Question
from app.viewmodels.chat.questions import Questions
from app.viewmodels.chat.versions import (
    Ending,
    answer_above,
    branch_name,
    branch_start,
    edited_answer,
    ending_of,
    is_edit_gone,
    is_end_open,
    last_fork,
    last_question,
    version_beside,
)
from app.viewmodels.kit.activity import Activity
from app.viewmodels.kit.problem_card import ProblemCard
from app.viewmodels.model.model_state import ModelState
from app.viewmodels.text import formatting
from app.viewmodels.text.branch_titles import quoted
from app.viewmodels.text.formatting import DOT
from app.viewmodels.warmth.price_text import price_sentence, unreadable
from app.viewmodels.warmth.warmth import warmth_from


@dataclass(frozen=True, slots=True)
class OpenConversation:
    """Source of the chat's state: the open conversation, and what bears on it.

    info: of the model in use; can_ask: it takes questions now. question: at the engine, that of the open path if there
    is one; elsewhere: where the other one was asked, a title or its own words, "" for that of the open path. reading:
    the name of a file that is being read for the draft, or "". hint: a sentence for the composer's foot. can_ask_again,
    plan, most_answers, presets, refusal: as in ChatState. card: a problem that stands in the way here. looked_at:
    messages that commands are about.
    """

    title: str
    tree: MessageTree
    model: ModelState
    info: ModelInfo | None
    can_ask: bool
    question: Question | None
    questions: Questions
    branch_costs: BranchCosts
    draft: Draft
    reading: str
    hint: str
    card: ProblemCard | None
    elsewhere: str
    can_ask_again: bool = False
    plan: AnswerPlan = AnswerPlan()
    most_answers: int = 1
    presets: tuple[str, ...] = ()
    refusal: str = ""
    looked_at: LookedAt = LookedAt()

    def state(self) -> ChatState:
        """Return what the window says about this conversation, and what can be done in it."""
        start = branch_start(self.tree)
        path, is_greeting = self.branch_costs.path, self.is_empty and self.model.is_guide and not self.refusal
        return ChatState(
            title=self.title,
            branch=branch_name(self.tree),
            is_favourite_branch=start is not None and start.is_favourite,
            subtitle=self._subtitle,
            warmth=None if path is None else chat_text.warmth(path),
            is_on_disk=path is not None and path.is_on_disk,
            context_used=self._context_used,
            has_residencies=self.model.has("cost_estimates"),
            model_name=self.model.name,
            activity=self._activity,
            card=self.card,
            greeting=chat_text.GREETING if is_greeting else "",
            suggestions=chat_text.SUGGESTIONS if is_greeting else (),
            branch_price=self._branch_price,
            placeholder=self._placeholder,
            send_price=self._send_price,
            send_parts=self._send_parts,
            attachments=chips_of(self.draft.attachments, self.branch_costs.attached),
            attaching=self.reading,
            editing=self._editing,
            editing_id=self.draft.editing if self._editing is not None and self.draft.editing else "",
            is_editing=self.draft.editing is not None,
            branches_after=answer_above(self.tree, self.draft) is not None,
            edits_answer=self._edited_answer is not None,
            is_empty=self.is_empty,
            is_writing=self.is_writing,
            is_answering=self.question is not None,
            is_waiting=self.draft.is_sent,
            is_too_long=self.overflow is not None,
            answers=min(self.plan.count, self.most_answers),
            most_answers=self.most_answers,
            has_ladder=self.plan.has_ladder,
            answer_presets=tuple(name if name in self.presets else "" for name in self.plan.presets),
            presets=self.presets,
            can_send=self._can_send,
            can_answer=self.unanswered is not None and not (self.has_words or self.draft.attachments),
            has_unanswered=self.questions.unanswered(self.tree) is not None,
            can_continue=self._can_continue,
            ending=self._ending,
            is_full=not self._has_room,
            can_stop=self.is_writing or self.questions.is_busy_on(self.tree) or self.model.is_loading,
            can_fork=last_question(self.tree) is not None,
            can_regenerate=self._can_regenerate,
            goes_on=self._goes_on,
            can_edit_answer=any(one.role == "assistant" and one.parent_id for one in reversed(self.tree.path)),
            can_prune=bool(self.tree.forks),
            can_show_answers=any(one.role == "assistant" for one in self.tree.forks),
            can_show_previous=self._has_version_beside(-1),
            can_show_next=self._has_version_beside(1),
            can_ask_again=self.can_ask_again,
            can_pin=self._can_pin,
            can_unpin=self.info is not None and self.question is None and any(one.is_pinned for one in self.tree.path),
            refusal=self.refusal,
        )

    @property
    def is_empty(self) -> bool:
        """Return whether nothing has been said here."""
        return not len(self.tree)

    @property
    def is_writing(self) -> bool:
        """Return whether the answer under way is that of the open path."""
        return self.question is not None and not self.elsewhere

    @property
    def has_words(self) -> bool:
        """Return whether there is something to be sent in the composer."""
        return bool(self.draft.text.strip())

    @property
    def unanswered(self) -> Message | None:
        """Return the question that ends the open path and that nobody answers or is about to."""
        return self.questions.unanswered(self.tree) if self.draft.editing is None else None

    @property
    def _can_continue(self) -> bool:
        """Whether the answer at the end of the path was cut, another model did not write it, and there is room."""
        leaf = None if self.tree.leaf_id is None else self.tree.message(self.tree.leaf_id)
        if self.refusal or self.questions.is_busy_on(self.tree) or self.draft.editing is not None:
            return False
        goes_on = self.info is None or leaf is None or self.info.goes_on_after(leaf.text)
        return goes_on and self._ending is Ending.CUT and self._has_room

    @property
    def _ending(self) -> Ending | None:
        """The kind of message that ends the path, for the model in use; None without either."""
        leaf = None if self.tree.leaf_id is None else self.tree.message(self.tree.leaf_id)
        return None if leaf is None or self.info is None else ending_of(self.tree, leaf, self.info.fingerprint)

    @property
    def _has_room(self) -> bool:
        """Whether the path leaves room in the model's context; as far as is known."""
        path = self.branch_costs.path
        return path is None or self.info is None or not is_too_long(path, self.info.context_length)

    @property
    def _goes_on(self) -> bool:
        """Whether the model in use can be made to go on inside an answer; as far as is known."""
        return self.info is None or self.info.goes_on

    @property
    def overflow(self) -> CostEstimate | None:
        """Return what sending the composer's words would cost, where they do not fit the model's context."""
        priced = self.branch_costs.sending
        is_over = priced is not None and self.info is not None and is_too_long(priced, self.info.context_length)
        return priced if is_over and (self.has_words or self.draft.attachments) else None

    @property
    def _can_send(self) -> bool:
        if self.reading or self.refusal:
            return False
        if not self.has_words:
            return self.unanswered is not None and not self.draft.attachments
        return not self.draft.is_sent and self.overflow is None

    @property
    def _can_regenerate(self) -> bool:
        """Whether the open branch has a question to which no answer is under way."""
        return last_question(self.tree) is not None and not self.questions.is_busy_on(self.tree)

    def _has_version_beside(self, step: int) -> bool:
        """Return whether the message that is looked at, else the last fork, has a version so many to the right."""
        looked_at = self.looked_at.fork
        fork = last_fork(self.tree) if looked_at is None else self.tree.message(looked_at)
        return fork is not None and version_beside(self.tree, fork, step) is not None

    @property
    def _branch_price(self) -> str:
        path, refusal = self.branch_costs.path, self.branch_costs.unreadable
        if self.info is None or self.is_writing:
            return ""
        if refusal is not None:
            return unreadable(refusal)
        return "" if path is None else price_sentence(warmth_from(path, 0, self.info.context_length))

    @property
    def _can_pin(self) -> bool:
        path = self.branch_costs.path
        is_at_rest = self.info is not None and not self.is_empty and self.question is None
        return is_at_rest and (path is None or path.pinned < max(path.request.cached, 1))

    @property
    def _activity(self) -> Activity | None:
        if self.question is not None:
            together = self.questions.at_engine_in(self.question.conversation_id)
            return chat_text.answer_activity(self.question, self.elsewhere, together)
        if self.model.is_loading and self.questions.waiting and not self.can_ask:
            loading = self.model.activity
            return Activity(loading.text + DOT + chat_text.ANSWERED_LATER, loading.done)
        return None

    @property
    def _subtitle(self) -> str:
        if self.is_empty:
            return "The guide answers here" if self.model.is_guide else "Nothing has been said yet"
        if not self.model.has("cost_estimates"):
            return ""
        if self.question is not None and self.is_writing:
            return chat_text.running_subtitle(self.question)
        return "" if self.branch_costs.path is None else chat_text.subtitle(self.branch_costs.path)

    @property
    def _context_used(self) -> int | None:
        """Tokens of the open path, with the answer under way; None where nobody tells."""
        question, request = self.question, self.question.request if self.question is not None else None
        if question is not None and request is not None and request.is_known and self.is_writing:
            return request.total + question.tokens
        if self.branch_costs.path is not None:
            return self.branch_costs.path.request.total
        return 0 if self.is_empty or self.model.has("cost_estimates") else chat_text.tokens_told(self.tree.path)

    @property
    def _placeholder(self) -> str:
        if self.is_writing:
            return "You can go on writing; Esc stops"
        if self.unanswered is not None:
            return "Return has the question answered"
        if self.draft.attachments:
            return "Ask about what is attached"
        if answer_above(self.tree, self.draft) is not None:
            return "Ask something else from here"
        if self.draft.editing is not None:
            return "Another version of the " + ("answer" if self._edited_answer is not None else "question")
        if self.is_empty:
            return "Ask the guide anything about Espalier" if self.model.is_guide else "Ask anything"
        return "Ask, or edit a question to fork from it"

    @property
    def _send_price(self) -> str:
        if self.hint:
            return self.hint
        if self.refusal and not self.is_writing:
            return self.refusal
        if is_edit_gone(self.tree, self.draft):
            return chat_text.EDITED_GONE
        if self.draft.is_sent:
            return chat_text.SENDS_HERE if is_end_open(self.tree, self.draft) else chat_text.SENDS_ELSEWHERE
        if self.overflow is not None and self.info is not None:
            raised = raised_limit(self.overflow, self.info)
            return chat_text.does_not_fit(self.overflow, self.info.context_length, raised)
        if self.elsewhere and self.questions.is_waiting_in(self.tree.conversation_id):
            return f"Answered after the one in {quoted(self.elsewhere)}"
        if self.reading:
            return f"Reading {self.reading}…"
        return self._price_of_words if self.has_words or self.draft.attachments else self._price_of_path

    @property
    def _price_of_words(self) -> str:
        if self.is_writing:
            is_edit = self._edited_answer is not None
            return chat_text.STILL_WRITING if is_edit else "Return sends it when this answer ends"
        if self._edited_answer is not None and not self._goes_on:
            return chat_text.ONLY_KEPT
        if not self.can_ask:
            return "Answered when the model is ready"
        if self.branch_costs.unsendable is not None:
            return chat_text.cannot_be_read(self.branch_costs.unsendable)
        costs = self.branch_costs
        if costs.is_for_several and self.draft.editing is None:
            return self._price_of_asking_all
        price = chat_text.price_of_sending(costs.sending) if costs.sending else ""
        return _as_version(self.unanswered, price)

    @property
    def _price_of_asking_all(self) -> str:
        """Say what asking all answers costs that stand beside each other, or that one of them has no room."""
        at_ends, info, together = self.branch_costs.at_ends, self.info, self.branch_costs.together
        for priced in at_ends.values():
            if info is not None and is_too_long(priced, info.context_length):
                return chat_text.does_not_fit(priced, info.context_length)
        return "" if together is None else chat_text.price_of_asking(together, len(at_ends))

    @property
    def _price_of_path(self) -> str:
        path = self.branch_costs.path
        if self.unanswered is not None:
            return DOT.join(part for part in (chat_text.NOT_ANSWERED, self._branch_price) if part)
        if self.question is not None:
            return ""
        if path is None:
            problem = self.branch_costs.unreadable
            return "" if problem is None else chat_text.cannot_be_read(problem)
        if self.info is not None and is_too_long(path, self.info.context_length):
            return chat_text.LIMIT_REACHED if raised_limit(path, self.info) else chat_text.CONTEXT_FULL
        return chat_text.price_of_path(path)

    @property
    def _send_parts(self) -> tuple[int, int] | None:
        """(reused, computed) tokens of what the price speaks of."""
        is_sending = self.has_words or bool(self.draft.attachments)
        is_for_several = self.branch_costs.is_for_several and self.draft.editing is None
        words = self.branch_costs.together if is_for_several else self.branch_costs.sending
        priced = words if is_sending else self.branch_costs.path
        if priced is None:
            return None
        if priced is self.branch_costs.path and priced.is_warm:
            return priced.request.total, 0
        return priced.request.cached, priced.request.left

    @property
    def _edited_answer(self) -> Message | None:
        return edited_answer(self.tree, self.draft)

    @property
    def _editing(self) -> str | None:
        at = self.draft.editing
        return (
            formatting.plain_words(self.tree.message(at).text) or "No words"
            if at is not None and at in self.tree
            else None
        )


def _as_version(question: Message | None, price: str) -> str:
    """Say that words after a question that nobody answered become another version of it."""
    if question is None:
        return price
    version = f"another version of {quoted(formatting.plain_words(question.text) or 'No words')}"
    return f"{price}{DOT}{version}" if price else version[:1].upper() + version[1:]
