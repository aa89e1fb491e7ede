"""From everything that is going on to what the window says about it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from app.conversation.message import Conversation, Message
from app.conversation.tree import MessageTree
from app.protocol.events import Capabilities, CostEstimate
from app.protocol.trie_view import TrieView
from app.viewmodels import status_text
from app.viewmodels.actions import ACTIONS
from app.viewmodels.cache import disk_text
from app.viewmodels.cache.branch_checks import BranchChecks
from app.viewmodels.cache.disk_cache import DiskCache
from app.viewmodels.chat.branch_costs import BranchCosts
from app.viewmodels.chat.drafts import Draft
from app.viewmodels.chat.problem_cards import ProblemCard
from app.viewmodels.chat.question import Question
from app.viewmodels.chat.questions import Questions
from app.viewmodels.chat.versions import last_fork, version_beside
from app.viewmodels.kit.action import Action
from app.viewmodels.kit.notices import Notice
from app.viewmodels.kit.settings import SettingsValues
from app.viewmodels.library.conversation_rows import blank_title
from app.viewmodels.model.current_model import CurrentModel
from app.viewmodels.status import StatusValues
from app.viewmodels.text import formatting
from app.viewmodels.text.formatting import DOT

if TYPE_CHECKING:
    from app.viewmodels.controller import Controller


@dataclass(frozen=True, slots=True)
class Scene:
    """What the status is told from.

    question: what the engine reads or answers, of the open conversation if it is one of that; writing_title: its
    conversation, where that is not shown.
    """

    conversation: Conversation | None
    is_first: bool
    tree: MessageTree
    question: Question | None
    models: CurrentModel
    cache: BranchChecks
    disk: DiskCache
    questions: Questions
    prices: BranchCosts
    draft: Draft
    view: TrieView
    is_engine_up: bool
    capabilities: Capabilities | None  # of the engine there is or was last; None before the first has told
    hint: str
    undo: str = ""
    redo: str = ""
    writing_title: str = ""
    settings: SettingsValues = field(default_factory=SettingsValues)

    @property
    def is_empty(self) -> bool:
        """Whether nothing has been said in the open conversation."""
        return not len(self.tree)

    @property
    def unanswered(self) -> Message | None:
        """The question that ends the open path and that nobody answers or is about to."""
        leaf = None if self.tree.leaf_id is None else self.tree.message(self.tree.leaf_id)
        is_open = leaf is not None and leaf.role == "user" and leaf.id not in self.questions.held
        return leaf if is_open and self.draft.editing is None else None

    @property
    def overflow(self) -> CostEstimate | None:
        """The price of sending the composer's words where they do not fit the model's context."""
        priced, info = self.prices.sending, self.models.info
        is_over = priced is not None and info is not None and priced.request.total >= info.context_length
        return priced if is_over and self.draft.text.strip() else None

    @property
    def is_shown_writing(self) -> bool:
        """Whether the answer under way belongs to the open conversation."""
        return self.question is not None and self.question.conversation_id == self.tree.conversation_id

    @property
    def is_favourite(self) -> bool:
        """Whether the open conversation is a favourite."""
        return self.conversation is not None and self.conversation.is_favourite

    @property
    def is_busy(self) -> bool:
        """Whether an answer is being written in the open conversation, or is about to be."""
        return self.questions.is_busy_in(self.tree.conversation_id)

    @property
    def can_stop(self) -> bool:
        """Whether there is an answer in the open conversation to be stopped or no longer waited for."""
        return self.is_shown_writing or self.questions.is_waiting_in(self.tree.conversation_id)

    @property
    def can_send(self) -> bool:
        """Whether Return would have something said or answered."""
        if not self.draft.text.strip():
            return self.unanswered is not None
        return not self.draft.is_sent and self.overflow is None

    def has_version_beside(self, step: int) -> bool:
        """Whether the last fork of the open path has a version so many to the right."""
        fork = last_fork(self.tree)
        return fork is not None and version_beside(self.tree, fork, step) is not None

    def has(self, ability: str) -> bool:
        """Return whether the engine has an ability, as far as is known; true of "", which all have."""
        return not ability or self.capabilities is None or bool(getattr(self.capabilities, ability))

    @property
    def has_cached_branch(self) -> bool:
        """Whether there is a branch, and a model that may hold something of it."""
        return self.models.info is not None and not self.is_empty

    @property
    def can_pin(self) -> bool:
        """Whether there may be something of the open branch to keep that no pin keeps yet."""
        path = self.prices.path
        is_at_rest = self.has_cached_branch and self.question is None
        return is_at_rest and (path is None or path.pinned < max(path.request.cached, 1))

    @property
    def can_unpin(self) -> bool:
        """Whether a pin keeps something of the open branch."""
        return self.question is None and self.prices.path is not None and self.prices.path.pinned > 0


def _is_checked(action: Action[Controller, Scene], scene: Scene) -> bool:
    if action.setting:
        return bool(getattr(scene.settings, action.setting))
    return action.is_checked is not None and action.is_checked(scene)


def status_values(scene: Scene, card: ProblemCard | None, notice: Notice) -> StatusValues:
    """Everything the window says around its panes."""
    models, fraction = scene.models, status_text.engine_bar(scene.question, scene.models)
    path = scene.prices.path
    is_greeting = scene.is_empty and models.is_guide
    return StatusValues(
        title=_title(scene),
        subtitle=_subtitle(scene),
        warmth=None if path is None else status_text.warmth(path),
        is_on_disk=path is not None and path.is_on_disk,
        model_name=models.name,
        model_detail=_model_detail(models),
        model_missing=models.problem is not None,
        context_used=_context_used(scene),
        context_length=models.info.context_length if models.info else 0,
        can_stop=scene.can_stop,
        is_writing=scene.is_shown_writing,
        engine_line=_engine_line(scene),
        engine_fraction=fraction[0],
        engine_cached=fraction[1],
        cache_line=status_text.cache_line(scene.view),
        placeholder=_placeholder(scene),
        send_price=_send_price(scene),
        send_parts=_send_parts(scene),
        can_answer=scene.unanswered is not None and not scene.draft.text.strip(),
        is_waiting=scene.draft.is_sent,
        editing=_editing(scene),
        problem=card,
        notice=notice.text,
        is_notice_good=notice.is_good,
        notice_label=notice.label,
        undo=scene.undo,
        redo=scene.redo,
        disk_trouble=disk_text.trouble(scene.view, scene.has("disk_cache") and scene.disk.serves(models.info)),
        greeting=status_text.GREETING if is_greeting else "",
        suggestions=status_text.SUGGESTIONS if is_greeting else (),
        enabled=frozenset(one.id for one in ACTIONS if scene.has(one.needs) and one.is_enabled(scene)),
        checked=frozenset(action.id for action in ACTIONS if _is_checked(action, scene)),
    )


def _engine_line(scene: Scene) -> str:
    if scene.cache.is_checking and scene.question is None:
        return status_text.CHECKING
    is_asked = bool(scene.questions.waiting) and scene.models.to_ask is None
    line = status_text.engine_line(scene.question, scene.models, is_asked, scene.is_engine_up)
    return f"{line}{DOT}in “{scene.writing_title}”" if scene.writing_title else line


def _title(scene: Scene) -> str:
    known = scene.conversation
    if known is not None and known.title:
        return known.title
    return blank_title(scene.is_first, scene.models.is_guide)


def _subtitle(scene: Scene) -> str:
    if scene.is_empty:
        return "The guide answers here" if scene.models.is_guide else "Nothing has been said yet"
    if scene.question is not None and scene.is_shown_writing:
        return status_text.running_subtitle(scene.question)
    return "" if scene.prices.path is None else status_text.subtitle(scene.prices.path)


def _model_detail(models: CurrentModel) -> str:
    """Beside the name: what it is when it is loaded, else what became of it."""
    if models.info is not None:
        return "built in" if models.is_guide else models.info.detail
    if models.problem is not None:
        return "not loaded"
    return "loading" if models.loading is not None else ""


def _context_used(scene: Scene) -> int:
    """Tokens of the open path, with the answer under way."""
    question = scene.question
    if question is not None and scene.is_shown_writing and question.request is not None:
        return question.request.total + question.tokens
    return scene.prices.path.request.total if scene.prices.path else 0


def _placeholder(scene: Scene) -> str:
    if scene.is_shown_writing:
        return "You can go on writing; Esc stops"
    if scene.unanswered is not None:
        return "Return has the question answered"
    if scene.draft.editing is not None:
        return "Another version of the question"
    if scene.is_empty:
        return "Ask the guide anything about Espalier" if scene.models.is_guide else "Ask anything"
    return "Ask, or edit a question to fork from it"


def _send_price(scene: Scene) -> str:
    if scene.hint:
        return scene.hint
    has_words = bool(scene.draft.text.strip())
    if scene.draft.is_sent:
        return "Sends when this answer ends"
    if scene.overflow is not None and scene.models.info is not None:
        return status_text.does_not_fit(scene.overflow, scene.models.info.context_length)
    if scene.writing_title and scene.questions.is_waiting_in(scene.tree.conversation_id):
        return f"Answered after the one in “{scene.writing_title}”"
    if has_words and scene.is_shown_writing:
        return "Return sends it when this answer ends"
    if has_words and scene.models.to_ask is None:
        return "Answered when the model is ready"
    if has_words:
        price = status_text.price_of_sending(scene.prices.sending) if scene.prices.sending else ""
        return _as_version(scene.unanswered, price)
    if scene.unanswered is not None:
        return status_text.NOT_ANSWERED
    if scene.question is not None or scene.prices.path is None:
        return ""
    info = scene.models.info
    if info is not None and scene.prices.path.request.total >= info.context_length:
        return status_text.CONTEXT_FULL
    return status_text.price_of_path(scene.prices.path)


def _as_version(question: Message | None, price: str) -> str:
    """What is said after a question that nobody answered becomes another version of it."""
    if question is None:
        return price
    version = f"another version of “{formatting.first_words(question.text)}”"
    return f"{price}{DOT}{version}" if price else version[:1].upper() + version[1:]


def _send_parts(scene: Scene) -> tuple[int, int] | None:
    """(reused, computed) tokens of what the price speaks of."""
    priced = scene.prices.sending if scene.draft.text.strip() else scene.prices.path
    if priced is None:
        return None
    if priced is scene.prices.path and priced.is_warm:
        return priced.request.total, 0
    return priced.request.cached, priced.request.left


def _editing(scene: Scene) -> str | None:
    at = scene.draft.editing
    return formatting.first_words(scene.tree.message(at).text) if at is not None and at in scene.tree else None
