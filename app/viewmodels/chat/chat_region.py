"""The open conversation: what is typed, asked, answered and shown there, and how conversations are left."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer, Signal

from app.protocol.events import CostEstimate, CostRefused, Event, TextKind, TrieChanged
from app.viewmodels.chat.answering import Answering
from app.viewmodels.chat.branch_costs import BranchCosts
from app.viewmodels.chat.chat_model import ChatModel
from app.viewmodels.chat.chat_requests import ChatRequests
from app.viewmodels.chat.chat_rows import ChatRows, Marks, running_footer
from app.viewmodels.chat.chat_state import ChatState
from app.viewmodels.chat.command_prices import CommandPrices
from app.viewmodels.chat.context_overflow import ContextOverflow
from app.viewmodels.chat.draft_attachments import DraftAttachments
from app.viewmodels.chat.looked_at import LookedAt
from app.viewmodels.chat.open_branch import OpenBranch
from app.viewmodels.chat.open_conversation import OpenConversation
from app.viewmodels.chat.open_draft import OpenDraft
from app.viewmodels.chat.problem_cards import ProblemCards
from app.viewmodels.chat.question import Question
from app.viewmodels.chat.settings_region import SettingsRegion
from app.viewmodels.chat.unfolded import Unfolded
from app.viewmodels.kit.live_state import LiveState
from app.viewmodels.kit.notices import Notices
from app.viewmodels.kit.settings import Settings
from app.viewmodels.kit.store_link import StoreLink
from app.viewmodels.library.library_region import LibraryRegion
from app.viewmodels.model.model_region import ModelRegion
from app.viewmodels.text import formatting
from app.viewmodels.warmth.cost_queries import CostQueries
from app.viewmodels.warmth.price_text import price_sentence
from app.viewmodels.warmth.warmth_index import WarmthIndex
from app.worker.engine_host import EngineHost

TICK_MS, NEARLY_MS = 500, 150  # between the figures of an answer; less than that before them others may bring them


class ChatRegion(QObject):
    """Has questions asked and answered in the open conversation, and shows its path.

    A verb belongs to the part that it is about. Attributes with verbs: requests, all that a model is asked for;
    open_branch, which branch is shown and what becomes of it; open_draft and attachments, what stands in the composer;
    cards and context_overflow, what stands in its place; settings, for the next answers; unfolded.

    Attributes: state; chat_model, the rows of the open path; drafts, questions, question_queue, generations,
    answer_saver, open_paths, branch_costs, view_states; warmth, of branches and conversations; prices, of commands.

    Signals: left(), what is shown is about to be another conversation: call `remember_scroll`; anchorWanted(str,
    float), have this message at the top, with so many points of it above.
    """

    left = Signal()
    anchorWanted = Signal(str, float)

    state: LiveState[ChatState]

    def __init__(
        self,
        host: EngineHost,
        store: StoreLink,
        answering: Answering,
        library: LibraryRegion,
        model: ModelRegion,
        warmth: WarmthIndex,
        notices: Notices,
        settings: Settings,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._library, self._model, self._notices, self._answering = library, model, notices, answering
        self.warmth, current_model = warmth, model.current_model
        self.drafts, self.questions, self.view_states = answering.drafts, answering.questions, answering.view_states
        self.question_queue, self.generations = answering.question_queue, answering.generations
        self.answer_saver, self.open_paths = answering.answer_saver, answering.open_paths
        questions = self.questions
        self._rows = ChatRows()
        self._looked_at = LookedAt()
        self.unfolded = Unfolded(self)
        self.cards = ProblemCards(library, model, answering.cards, self)
        self.chat_model = ChatModel(self)
        self.cost_queries = CostQueries(host.submit)
        self.settings = SettingsRegion(
            *(library, current_model, questions, self.drafts, answering.chosen, self.cost_queries, settings), self
        )
        self.open_branch = OpenBranch(library, current_model, questions, self.open_paths, notices, self)
        self.attachments = DraftAttachments(
            *(library, self.drafts, answering.attachment_reader, self.cards, notices), self
        )
        self.branch_costs = BranchCosts(self.cost_queries, current_model, questions, self)
        self.open_draft = OpenDraft(
            *(library, answering, self.attachments, self.settings, self.branch_costs),
            *(self.cards, self.open_branch, notices, self),
        )
        self.context_overflow = ContextOverflow(
            *(library, current_model, self.branch_costs, self.drafts),
            *(self.open_draft, self.cards, self.open_branch, notices),
        )
        self._tick = QTimer(self, interval=TICK_MS)
        self._tick.timeout.connect(self._show_figures)
        self.state = LiveState(self._state, self)
        self.state.follow_states(library.state, model.state, self.settings.state)
        self.state.follow(self.branch_costs.changed, self.cards.changed, self.open_draft.hinted)
        self.state.follow(self.generations.moved, self.question_queue.moved, answering.chosen.planned)
        self.requests = ChatRequests(
            *(store, library, model, self.state, answering, self.settings),
            *(self.attachments, self.open_draft, self.open_branch, self.context_overflow),
            *(self.cards, notices, self),
        )
        self.prices = CommandPrices(library, warmth, self.cost_queries, current_model, self.settings, self)
        library.conversation_model.describe(
            lambda conversation_id: price_sentence(warmth.warmth_of_conversation(conversation_id))
        )
        self._connect()

    def _connect(self) -> None:
        library, queue = self._library, self.question_queue
        self.view_states.changed.connect(self._follow_view)
        self.generations.grew.connect(self._show_text)
        self.generations.moved.connect(self._show_rows)
        self.unfolded.changed.connect(self._show_rows)
        self.open_branch.moved.connect(self._on_gone)
        self.open_draft.textReplaced.connect(self._show_rows)
        self.branch_costs.changed.connect(self._show_rows)
        self.branch_costs.pathPriced.connect(self.warmth.note_path)
        queue.moved.connect(self._on_moved)
        queue.ended.connect(self.branch_costs.renew)
        library.words = lambda: self.open_draft.now.text
        library.left.connect(self.left)
        library.opened.connect(self._on_opened)
        library.moved.connect(self._on_moved)
        library.reached.connect(self._on_reached)
        self._model.current_model.changed.connect(self._on_model_changed)

    # Beginning and end

    @property
    def has_begun(self) -> bool:
        """Whether something was typed, opened or asked for in this window."""
        return bool(self.chat_model.rows or self.open_draft.now.text or self._library.has_chosen)

    def restore(self, conversation_id: str = "") -> None:
        """Go on where the person left. conversation_id: of the one to open, "" for the blank one.

        What is typed or asked before that one is read goes on, in the blank one.
        """
        if conversation_id:
            self.open_draft.show()  # words of the blank one, which what is typed now follows
            blank, words = self._library.tree, self.open_draft.now.text
            self._library.reopen(conversation_id, lambda: len(blank) > 0 or self.open_draft.now.text != words)
        else:
            self._on_model_changed()  # it may have been open before the window
            self._on_opened(self._open_id)

    def remember_scroll(self, message_id: str, offset: float) -> None:
        """Remember where the open conversation is scrolled to: the message at the top, "" at the end, points above."""
        self.view_states.scroll(self._open_id, (message_id, offset) if message_id else None)

    def close(self) -> None:
        """Ask nothing any more; what is asked already goes on."""
        self.left.emit()
        self._tick.stop()

    def take(self, event: Event) -> None:
        """Follow an event of the engine, if it is about what branches cost."""
        if isinstance(event, CostEstimate | CostRefused):
            self.cost_queries.take(event)
        elif isinstance(event, TrieChanged):
            self.branch_costs.renew()
            self.settings.renew_price()
            if self._tick.isActive() and self._tick.remainingTime() <= NEARLY_MS:
                self._tick.start()
                self._show_figures()  # with the picture: the window is brought up to date once for both

    # What is shown

    @property
    def looked_at(self) -> LookedAt:
        """The messages that commands are about; one that is gone is not looked at any more."""
        tree = self._library.tree
        return LookedAt(*(one if one is not None and one in tree else None for one in self._looked_at))

    def look_at(self, looked_at: LookedAt) -> None:
        """Have commands be about these messages."""
        if looked_at != self._looked_at:
            self._looked_at = looked_at
            self.state.refresh()

    @property
    def _open_id(self) -> str:
        return self._library.open_id

    @property
    def _answered(self) -> Question | None:
        """The question that the engine reads or answers: that of the open path, else another one."""
        return self.questions.at_engine_on(self._library.tree) or next(iter(self.questions.at_engine), None)

    def _state(self) -> ChatState:
        library, model = self._library, self._model.current_model
        answered = self._answered
        return OpenConversation(
            title=self._title(self._open_id) or library.state.now.blank_title,
            tree=library.tree,
            model=self._model.state.now,
            info=model.info,
            can_ask=model.to_ask is not None,
            question=answered,
            questions=self.questions,
            branch_costs=self.branch_costs,
            draft=self.open_draft.now,
            reading=self.attachments.reading(self._open_id),
            hint=self.open_draft.hint,
            card=self.context_overflow.card,
            elsewhere="" if answered is None else self._elsewhere(answered),
            can_ask_again=self.settings.state.now.can_ask_again,
            plan=self._answering.chosen.plan(self._open_id),
            most_answers=self.question_queue.most_at_once,
            presets=tuple(one.name for one in self._answering.chosen.presets.all),
            refusal=library.state.now.refusal,
            looked_at=self.looked_at,
        ).state()

    def _title(self, conversation_id: str) -> str:
        known = self._library.library.conversation(conversation_id)
        return (known.title or "") if known is not None else ""

    def _short_title(self, conversation_id: str) -> str:
        title = self._title(conversation_id)
        return formatting.first_words(title) if title else "another conversation"

    def _elsewhere(self, question: Question) -> str:
        """Return where a question was asked, by a title or by its own words; "" on the open path."""
        if question.held_id == self._library.tree.leaf_id:
            return ""
        if question.conversation_id != self._open_id:
            return self._short_title(question.conversation_id)
        return formatting.first_words(question.message.text) or "another branch"

    def _show_rows(self) -> None:
        """Show the open path at once: what comes next may be about one of its messages."""
        at_engine = self.questions.at_engine_on(self._library.tree)
        residencies = self.branch_costs.residencies if self._model.state.now.has("cost_estimates") else None
        self.chat_model.show(
            self._rows.of(
                self._library.tree,
                at_engine,
                residencies,
                self.unfolded.ids,
                self.branch_costs.attachment_tokens,
                self._marks,
            )
        )
        if not self.questions.at_engine:
            self._tick.stop()
        elif not self._tick.isActive():
            self._tick.start()

    @property
    def _marks(self) -> Marks:
        unanswered = self.questions.unanswered(self._library.tree)
        edited = "" if self.open_draft.now.is_after else self.open_draft.now.editing or ""
        return Marks(edited, "" if unanswered is None else unanswered.id)

    def _show_text(self, answer_id: str, text: str, kind: TextKind) -> None:
        """Put new text after an answer under way or its thought, where it is shown."""
        if self._library.tree.is_on_path(answer_id):
            self.chat_model.append_tail(answer_id, text, kind)

    def _show_figures(self) -> None:
        """Figures of the answer under way: a few times a second, and not with each word."""
        self.state.refresh()
        question = self.questions.at_engine_on(self._library.tree)
        if question is not None and not question.is_reading:
            self.chat_model.set_tail_figures(
                question.held_id, running_footer(question), question.thinking_seconds, question.thinking_tokens
            )

    # What happens

    def _on_model_changed(self) -> None:
        if self._model.current_model.info is None:
            self.branch_costs.forget()
        else:
            self.branch_costs.show(self._library.tree)
            self.open_draft.price()
        self._show_rows()

    def _on_opened(self, conversation_id: str) -> None:
        self.open_draft.turn_to()
        self.settings.turn_to()
        self._on_moved(conversation_id)
        self.view_states.change(conversation_id)
        anchor = self.view_states.anchor(conversation_id)
        if anchor is not None:
            self.anchorWanted.emit(*anchor)

    def _on_reached(self, message_id: str) -> None:
        """Show a message that was looked for; where the words stand in its thought, that is opened."""
        if message_id in self._library.search.in_thoughts:
            self.unfolded.open_part(message_id)
        self.open_branch.show(message_id)

    def _on_gone(self, conversation_id: str) -> None:
        """Follow a person to another path, also beyond where a new branch was to begin."""
        self.open_draft.leave_end()
        self._on_moved(conversation_id)

    def _on_moved(self, conversation_id: str) -> None:
        """Follow a conversation whose tree or path is another one, or whose answer began or ended."""
        if conversation_id == self._open_id:
            self.open_draft.keep_end()
            self.branch_costs.show(self._library.tree)
            self.open_draft.price()
            self.settings.follow()
        self.warmth.follow()
        self._library.state.refresh()
        self._show_rows()

    def _follow_view(self, conversation_id: str) -> None:
        """Follow what stands in the composer, unless that is of another window."""
        if conversation_id == self._open_id:
            self.state.refresh()
