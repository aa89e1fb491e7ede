"""The open conversation: what is typed, asked, answered and shown there, and how conversations are left."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import QObject, QTimer, Signal

from app.conversation.message import Message, storable
from app.conversation.records import ViewState
from app.protocol.chat import Attachment
from app.protocol.events import CostEstimate, EngineFailed, Event, TextKind, TrieChanged
from app.protocol.reports import Problem
from app.viewmodels.chat import chat_text, draft_limits, question_card
from app.viewmodels.chat.answer_saver import AnswerSaver
from app.viewmodels.chat.answer_settings import answer_settings, sampling_of
from app.viewmodels.chat.branch_costs import BranchCosts
from app.viewmodels.chat.chat_answers import ChatAnswers
from app.viewmodels.chat.chat_model import ChatModel
from app.viewmodels.chat.chat_rows import ChatRows, running_footer
from app.viewmodels.chat.chat_state import ChatState
from app.viewmodels.chat.context_choices import ContextChoices, context_choices, kept_branch
from app.viewmodels.chat.cost_queries import CostQueries
from app.viewmodels.chat.draft_attachments import DraftAttachments
from app.viewmodels.chat.drafts import Drafts
from app.viewmodels.chat.generations import Generations
from app.viewmodels.chat.open_branch import OpenBranch
from app.viewmodels.chat.open_conversation import OpenConversation
from app.viewmodels.chat.open_paths import OpenPaths
from app.viewmodels.chat.question import Outcome, Question
from app.viewmodels.chat.question_queue import QuestionQueue
from app.viewmodels.chat.questions import Questions
from app.viewmodels.chat.settings_region import SettingsRegion
from app.viewmodels.chat.unfolded import Unfolded
from app.viewmodels.chat.versions import last_question, parent_for, question_of
from app.viewmodels.chat.view_states import ViewStates
from app.viewmodels.kit.live_state import LiveState
from app.viewmodels.kit.notices import Notices
from app.viewmodels.kit.problem_card import ProblemCard
from app.viewmodels.kit.settings import Settings
from app.viewmodels.kit.store_link import StoreLink
from app.viewmodels.library.library_region import LibraryRegion
from app.viewmodels.model.model_region import ModelRegion
from app.viewmodels.text import formatting
from app.worker.engine_host import EngineHost

TICK_MS = 250


class ChatRegion(QObject):
    """Has questions asked and answered in the open conversation, and shows its path.

    Attributes: state; chat_model, the rows of the open path; drafts, attachments, questions, question_queue,
    generations, answer_saver, open_paths, open_branch, branch_costs, view_states, unfolded; settings, for the next
    answers.

    Signals: composerText(str), the composer shall hold exactly this; left(), what is shown is about to be another
    conversation: call `remember_scroll`; anchorWanted(str, float), have this message at the top, with so many points of
    it above.
    """

    composerText = Signal(str)
    left = Signal()
    anchorWanted = Signal(str, float)

    state: LiveState[ChatState]

    def __init__(
        self,
        host: EngineHost,
        store: StoreLink,
        library: LibraryRegion,
        model: ModelRegion,
        notices: Notices,
        settings: Settings,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._library, self._model, self._notices = library, model, notices
        conversations, current_model = library.library, model.current_model
        self._cards: dict[str, ProblemCard] = {}
        self._hint = ""
        self._rows = ChatRows()
        self.unfolded = Unfolded(self)
        self.chat_model = ChatModel(self)
        self.drafts = Drafts()
        self.questions = questions = Questions()
        self.answer_saver = AnswerSaver(store, questions, conversations.is_on_path, self)
        self.generations = Generations(host, questions, self.answer_saver, self)
        self._cost_queries = CostQueries(host.submit)
        self.settings = SettingsRegion(
            store, library, current_model, questions, self.drafts, self._cost_queries, settings, self
        )
        self.question_queue = QuestionQueue(
            *(questions, conversations, self.generations, self.answer_saver, current_model, self.settings.sampling),
            self,
        )
        self.open_paths = OpenPaths(conversations, library.changes, questions, self.question_queue, self)
        self.open_branch = OpenBranch(library, current_model, questions, self.open_paths, notices, self)
        self.attachments = DraftAttachments(self.drafts, notices, self)
        self.branch_costs = BranchCosts(self._cost_queries, current_model, questions, self)
        self.view_states = ViewStates(store, conversations, self.drafts, self.settings.all, self)
        self._tick = QTimer(self, interval=TICK_MS)
        self._tick.timeout.connect(self._show_figures)
        self.state = LiveState(self._state, self)
        self.state.follow(library.state.staled, model.state.staled, self.branch_costs.changed, self.view_states.changed)
        self.state.follow(self.settings.state.staled)
        self.state.follow(self.generations.moved, self.question_queue.moved)
        library.wait_for(ChatAnswers(questions, self.answer_saver, self.open_paths))
        self._connect()

    def _connect(self) -> None:
        library, queue = self._library, self.question_queue
        self.attachments.changed.connect(self._on_attached)
        self.answer_saver.failed.connect(self._notices.error)
        self.answer_saver.mended.connect(self._notices.withdraw)
        self.generations.grew.connect(self._show_text)
        self.generations.moved.connect(self._show_rows)
        self.unfolded.changed.connect(self._show_rows)
        self.open_branch.moved.connect(self._on_moved)
        self.branch_costs.changed.connect(self._show_rows)
        queue.moved.connect(self._on_moved)
        queue.begun.connect(self._on_begun)
        queue.refused.connect(self._on_refused)
        queue.ended.connect(self._on_ended)
        self.settings.told.connect(self._price_draft)
        library.left.connect(self.left)
        library.opened.connect(self._on_opened)
        library.moved.connect(self._on_moved)
        library.removed.connect(self.drafts.hold)
        library.reached.connect(self._on_reached)
        library.changes.recorded.connect(self._send_waiting)
        self._model.current_model.changed.connect(self._on_model_changed)
        self._model.current_model.ready.connect(self._drop_cards)

    # Beginning and end

    def restore(self, states: tuple[ViewState, ...], reopens: bool) -> None:
        """Go on where the person left, unless something was typed or opened already.

        reopens: False leaves every conversation closed; the drafts are there all the same.
        """
        library = self._library.library
        blank = library.begin()
        has_begun = bool(self.chat_model.rows or self.drafts.of(self._open_id).text)
        open_id = self.view_states.restore(states, blank)
        stored = [one.id for one in library.conversations if one.id != blank]
        if has_begun or not reopens or not stored or open_id == blank:
            self.view_states.show(self._open_id)
            self._show_draft()
        else:
            library.open(open_id if open_id in stored else stored[0])

    def stop_asking(self) -> None:
        """Leave what waits unanswered, as the program ends, before its engine does."""
        self.left.emit()
        self.attachments.close()
        self.questions.close()
        self._tick.stop()

    def close(self) -> None:
        """Save every word, when the engine has ended."""
        self.generations.abandon()
        self.answer_saver.close()
        self.view_states.close()

    def keep_for_next_start(self) -> None:
        """Put what a disk that hangs did not take into a file elsewhere."""
        self.answer_saver.keep_for_next_start(self.view_states.unsaved)

    def take(self, event: Event) -> None:
        """Follow an event of the engine, if it is about answers, or about what branches cost."""
        if isinstance(event, CostEstimate):
            self._cost_queries.take(event)
        elif isinstance(event, TrieChanged):
            self.branch_costs.renew()
            self.settings.follow()
        elif isinstance(event, EngineFailed):
            self.generations.abandon()
        else:
            self.generations.take(event)

    # Verbs

    def send(self, text: str) -> None:
        """Say something at the end of the open path, or as another version of the question being edited."""
        text = storable(text)
        self.drafts.write(self._open_id, text)
        if self.attachments.reading(self._open_id):
            self._say_hint(chat_text.STILL_READING)
        elif not text.strip() and self.drafts.of(self._open_id).attachments:
            self._say_hint(chat_text.WORDS_NEEDED)
        elif not text.strip():
            self._answer_the_end()
        elif overflow := self._overflow(text):
            self._refuse(*overflow)
        elif self._is_busy(self._open_id):
            self.drafts.send(self._open_id)
        else:
            self._send_draft(self._open_id)

    def stop(self) -> None:
        """End the answer in the open conversation within a token. Words that were to follow it stay in the composer.

        Where there is none to end, the model that is being opened is given up.
        """
        if not self.questions.is_busy_in(self._open_id):
            self._model.stop_opening()
        self.drafts.hold(self._open_id)
        self.question_queue.withdraw(self._open_id)
        self.generations.stop(self._open_id)
        self.state.refresh()

    def begin_edit(self, message_id: str | None = None) -> None:
        """Put a question into the composer, to be sent as another version, and into view; the old branch stays."""
        tree = self._library.tree
        question = question_of(tree, message_id) if message_id else last_question(tree)
        excess = draft_limits.excess(question.text) if question is not None else ""
        if excess:
            self._notices.error(Problem("Too long to edit", f"The question was not opened: {excess}. Ask it in parts."))
        elif question is not None:
            self.dismiss_card()
            self._edit(question)
            self._show_draft()
            self.open_branch.messageShown.emit(question.id)

    def cancel_edit(self) -> None:
        """Put back what stood in the composer before."""
        if self.drafts.of(self._open_id).editing is not None:
            self.drafts.cancel_edit(self._open_id)
            self._show_draft()

    def stop_or_cancel_edit(self) -> None:
        """Put an edit back that was begun, else end the answer."""
        if self.drafts.of(self._open_id).editing is not None:
            self.cancel_edit()
        else:
            self.stop()

    def regenerate(self, message_id: str | None = None) -> None:
        """Ask for another answer beside this one, or for the first one to a question that has none."""
        tree = self._library.tree
        at = message_id or tree.leaf_id
        question = question_of(tree, at) if at else None
        if question is None:
            return
        if self._is_busy(self._open_id):
            self._say_hint(chat_text.STILL_WRITING)
            return
        self.dismiss_card()
        self.question_queue.ask_again(question)

    def ask_again_with_settings(self) -> None:
        """Ask the last question again, beside itself, with what was chosen to hold from the next one on."""
        question = last_question(self._library.tree)
        if question is None or not self.settings.state.now.can_ask_again:
            return
        if self._is_busy(self._open_id):
            self._say_hint(chat_text.STILL_WRITING)
            return
        self.dismiss_card()
        said = self.settings.take(self._open_id, question.id)
        self.question_queue.send(self._open_id, question.parent_id, question.text, question.attachments, said)

    def repeat_answer(self, message_id: str | None = None) -> None:
        """Ask for an answer's own question again, with the settings and the seed that it was written with."""
        answer = self.settings.answer(message_id)
        question = question_of(self._library.tree, answer.id) if answer is not None else None
        if answer is None or question is None:
            return
        now = answer_settings(answer, self._model.current_model.fingerprint, self._is_busy(self._open_id))
        if now.can_repeat:
            self.dismiss_card()
            self.question_queue.ask_again(question, sampling_of(answer))
        else:
            self._say_hint(now.note or chat_text.STILL_WRITING)

    def go_on(self) -> None:
        """Have the answer that ends the open path go on, where it ended before it was finished."""
        leaf = self._library.tree.leaf_id
        if leaf is not None and self.state.now.can_continue:
            self.dismiss_card()
            self.question_queue.go_on(self._library.tree.message(leaf))

    def composer_changed(self, text: str) -> None:
        """Take over what stands in the composer now; its price follows."""
        self._show_hint("")
        self.drafts.write(self._open_id, storable(text))
        self._price_draft()

    def attach_files(self, paths: Sequence[str]) -> None:
        """Have files come with the words in the composer."""
        self.dismiss_card()
        self.attachments.attach_files(self._open_id, paths)

    def attach_text(self, text: str) -> bool:
        """Have a text that was pasted come with the words in the composer. Returns whether that was possible."""
        return self.attachments.attach_text(self._open_id, storable(text))

    def attachment(self, number: int) -> Attachment | None:
        """Return what comes with the words in the composer, by its number from 0 on; None where it is gone."""
        attached = self.drafts.of(self._open_id).attachments
        return attached[number] if 0 <= number < len(attached) else None

    def unfold_text(self, text: str) -> None:
        """Let a pasted text come with the words no more: it is among them again."""
        self.attachments.take_back_text(self._open_id, storable(text))

    def detach(self, number: int) -> None:
        """Let what comes with the words in the composer go, by its number from 0 on."""
        self.attachments.detach(self._open_id, number)

    def remember_scroll(self, message_id: str, offset: float) -> None:
        """Remember where the open conversation is scrolled to: the message at the top, "" at the end, points above."""
        self.view_states.scroll(self._open_id, (message_id, offset) if message_id else None)

    def dismiss_card(self) -> None:
        """Take away the card that stands in the way, and change nothing else."""
        if self._model.state.now.card is not None:
            self._model.dismiss_card()
        else:
            self._cards.pop(self._open_id, None)
            self.state.refresh()

    def edit_failed(self) -> None:
        """Edit the question that the card in the open conversation is about, on the branch where it stands."""
        card = self.state.now.card
        if card is not None and card.message_id in self._library.tree:
            self.open_branch.show(card.message_id)
            self.begin_edit(card.message_id)

    def edit_earlier(self) -> None:
        """Edit an earlier question, from which on there is room in the model's context."""
        choices = self._choices
        if choices is not None and choices.earlier_id is not None:
            self.begin_edit(choices.earlier_id)

    def leave_out_oldest(self) -> None:
        """Go on in a new branch without the oldest turns, as many as make room; the whole one stays beside it."""
        choices, tree = self._choices, self._library.tree
        if choices is None or choices.kept_from is None or self._is_busy(self._open_id):
            return
        is_draft = self.branch_costs.sending is not None
        copies = kept_branch(self._path_below if is_draft else tree.path, choices)
        self.dismiss_card()
        self.drafts.leave_edit(self._open_id)
        told, changes = f"New branch: {choices.branch_name}.", self._library.changes
        changes.make(
            lambda store: store.messages.add_branch(copies),
            lambda _result: self._notices.info(told, undo_step=changes.step),
            self._notices.error,
        )

    # What is shown

    @property
    def _open_id(self) -> str:
        return self._library.open_id

    @property
    def _answered(self) -> Question | None:
        """The question that the engine reads or answers: that of the open conversation, else of another one."""
        return self.questions.at_engine_in(self._open_id) or next(iter(self.questions.at_engine), None)

    def _state(self) -> ChatState:
        library, model = self._library, self._model.current_model
        answered = self._answered
        is_elsewhere = answered is not None and answered.conversation_id != self._open_id
        return OpenConversation(
            title=self._title(self._open_id) or library.state.now.blank_title,
            tree=library.tree,
            model=self._model.state.now,
            info=model.info,
            can_ask=model.to_ask is not None,
            question=answered,
            questions=self.questions,
            branch_costs=self.branch_costs,
            draft=self.drafts.of(self._open_id),
            reading=self.attachments.reading(self._open_id),
            hint=self._hint,
            card=self._model.state.now.card or self._open_card(),
            elsewhere=self._short_title(answered.conversation_id) if answered and is_elsewhere else "",
            can_ask_again=self.settings.state.now.can_ask_again,
        ).state()

    def _title(self, conversation_id: str) -> str:
        known = self._library.library.conversation(conversation_id)
        return (known.title or "") if known is not None else ""

    def _short_title(self, conversation_id: str) -> str:
        title = self._title(conversation_id)
        return formatting.first_words(title) if title else "another conversation"

    def _show_rows(self) -> None:
        """Show the open path at once: what comes next may be about one of its messages."""
        at_engine = self.questions.at_engine_in(self._open_id)
        residencies = self.branch_costs.residencies if self._model.state.now.has("cost_estimates") else None
        self.chat_model.show(
            self._rows.of(
                self._library.tree,
                at_engine,
                residencies,
                self.unfolded.ids,
                self.branch_costs.attachment_tokens,
            )
        )
        if not self.questions.at_engine:
            self._tick.stop()
        elif not self._tick.isActive():
            self._tick.start()

    def _show_text(self, answer_id: str, text: str, kind: TextKind) -> None:
        """Put new text after an answer under way or its thought, where it is shown."""
        if self._library.tree.is_on_path(answer_id):
            self.chat_model.append_tail(answer_id, text, kind)

    def _show_figures(self) -> None:
        """Figures of the answer under way: a few times a second, and not with each word."""
        self.state.refresh()
        question = self.questions.at_engine_in(self._open_id)
        if question is not None and not question.is_reading and self._library.tree.is_on_path(question.held_id):
            self.chat_model.set_tail_figures(
                question.held_id, running_footer(question), question.thinking_seconds, question.thinking_tokens
            )

    def _show_draft(self) -> None:
        self.composerText.emit(self.drafts.of(self._open_id).text)
        self._price_draft()
        self.settings.follow()

    def _price_draft(self) -> None:
        draft = self.drafts.of(self._open_id)
        self.branch_costs.tell(self.settings.told_next(self._open_id, draft.editing))
        self.branch_costs.type(parent_for(self._library.tree, draft.editing), draft.text, draft.attachments)

    def _show_hint(self, sentence: str) -> None:
        self._hint = sentence
        self.state.refresh()

    def _say_hint(self, sentence: str) -> None:
        self._show_hint(sentence)
        self._notices.announce(sentence)

    def _drop_cards(self) -> None:
        """Drop the cards of all conversations: another model may do what the one before could not."""
        self._cards.clear()
        self.state.refresh()

    # Sending

    def _is_busy(self, conversation_id: str) -> bool:
        """Return whether nothing can be said now: an answer is under way, or the database changes the tree."""
        return self.questions.is_busy_in(conversation_id) or self._library.changes.is_pending

    def _answer_the_end(self) -> None:
        """Have the question answered that ends the path, if there is one: nothing was typed."""
        if self.state.now.can_answer:
            self.regenerate(self._library.tree.leaf_id)
        else:
            self._say_hint(chat_text.NOTHING_TO_SEND)

    def _refuse(self, priced: CostEstimate, context_length: int) -> None:
        """Say that the composer's words do not fit, with what can be done about that where there is something."""
        choices = self._choices
        if choices is None or (choices.kept_from is None and choices.earlier_id is None):
            self._say_hint(chat_text.does_not_fit(priced, context_length))
            return
        card = question_card.does_not_fit(priced, context_length, choices)
        self._cards[self._open_id] = card
        self.state.refresh()
        self._notices.announce(card.sentence)

    @property
    def _path_below(self) -> tuple[Message, ...]:
        """The messages that the composer's words would follow."""
        tree = self._library.tree
        parent = parent_for(tree, self.drafts.of(self._open_id).editing)
        return () if parent is None else tree.path_to(parent)

    @property
    def _choices(self) -> ContextChoices | None:
        """Return the ways on where the composer's words, or else the question that ends the path, are too long."""
        info, costs = self._model.current_model.info, self.branch_costs
        if info is None:
            return None
        if costs.sending is not None and costs.sending.request.total >= info.context_length:
            return context_choices(self._path_below, costs.sending, info.context_length)
        if costs.path is not None and costs.path.request.total >= info.context_length:
            return context_choices(self._library.tree.path, costs.path, info.context_length)
        return None

    def _open_card(self) -> ProblemCard | None:
        """Return the card of the open conversation, with what can be done where its question is known not to fit."""
        card, info, priced = self._cards.get(self._open_id), self._model.current_model.info, self.branch_costs.path
        leaf = self._library.tree.leaf_id
        if card is None or info is None or priced is None or not card.message_id or card.message_id != leaf:
            return card
        choices = self._choices
        is_too_long = priced.request.total >= info.context_length and self.branch_costs.sending is None
        if choices is None or not is_too_long:
            return card
        ways = question_card.does_not_fit(priced, info.context_length, choices, card.message_id)
        return replace(ways, title=card.title, sentence=card.sentence)

    def _overflow(self, text: str) -> tuple[CostEstimate, int] | None:
        """Return the cost of a text and how much fits, where it is known not to fit the model's context."""
        priced, info = self.branch_costs.sending, self._model.current_model.info
        if priced is None or info is None or self.branch_costs.words != text:
            return None
        return (priced, info.context_length) if priced.request.total >= info.context_length else None

    def _edit(self, question: Message) -> None:
        """Have this question in the composer. One that is there already stays as it is: words were typed in it."""
        begun, tree = self.drafts.of(self._open_id), self._library.tree
        if begun.editing != question.id:
            is_there = begun.editing is not None and begun.editing in tree
            original = tree.message(begun.editing) if begun.editing and is_there else None
            said = (original.text, original.attachments) if original else ("", ())
            is_changed = (begun.text, begun.attachments) != said
            self.drafts.edit(self._open_id, question.id, question.text, is_changed, question.attachments)

    def _send_draft(self, conversation_id: str) -> None:
        tree = self._library.library.tree(conversation_id)
        draft = self.drafts.take(conversation_id)
        parent, said = parent_for(tree, draft.editing), self.settings.take(conversation_id, draft.editing)
        self.question_queue.send(conversation_id, parent, draft.text, draft.attachments, said)
        if conversation_id == self._open_id:
            self._show_draft()

    def _send_waiting(self) -> None:
        for waiting in self.drafts.sent:
            if not self._is_busy(waiting):
                self._send_draft(waiting)

    # What happens

    def _on_model_changed(self) -> None:
        if self._model.current_model.info is None:
            self.branch_costs.forget()
        else:
            self.branch_costs.show(self._library.tree)
            self._price_draft()
        self._show_rows()

    def _on_begun(self) -> None:
        self._notices.announce("Reading the question")

    def _on_attached(self, conversation_id: str) -> None:
        if conversation_id == self._open_id:
            self._show_hint("")
            self._price_draft()

    def _on_opened(self, conversation_id: str) -> None:
        self._hint = ""
        self._show_draft()
        self.settings.turn_to()
        self._on_moved(conversation_id)
        self.view_states.show(conversation_id)
        anchor = self.view_states.anchor(conversation_id)
        if anchor is not None:
            self.anchorWanted.emit(*anchor)

    def _on_reached(self, message_id: str) -> None:
        """Show a message that was looked for; where the words stand in its thought, that is opened."""
        if message_id in self._library.search.in_thoughts:
            self.unfolded.open_thought(message_id)
        self.open_branch.messageShown.emit(message_id)

    def _on_moved(self, conversation_id: str) -> None:
        """Follow a conversation whose tree or path is another one, or whose answer began or ended."""
        if conversation_id == self._open_id:
            self.branch_costs.show(self._library.tree)
            self._price_draft()
            self.settings.follow()
        self._library.state.refresh()
        self._show_rows()

    def _on_refused(self, question: Question) -> None:
        """Put the words of a question that could not be stored back to where they were typed."""
        message, conversation_id = question.message, question.conversation_id
        beside = next(iter(self._library.library.tree(conversation_id).children(message.parent_id)), None)
        self.drafts.give_back(conversation_id, message.text, beside.id if beside else None, message.attachments)
        self.settings.give_back(conversation_id, message)
        if conversation_id == self._open_id:
            self._show_draft()
        self._notices.error(question.problem)

    def _on_ended(self, question: Question) -> None:
        if question.answer is not None and question.is_kept:
            self._library.library.use(question.conversation_id, question.answer.created_at)
        self.branch_costs.renew()
        if question.problem is not None:
            self._on_failed(question.message, question.problem)
        elif question.outcome is Outcome.ANSWERED:
            self._notices.announce(f"Answer finished, {formatting.tokens(question.tokens)}")
        else:
            self._notices.announce("Answer stopped")
        QTimer.singleShot(0, self._send_waiting)

    def _on_failed(self, message: Message, problem: Problem) -> None:
        """Put a card where a question could not be answered, and tell of it where that is not seen."""
        conversation_id = message.conversation_id
        self.drafts.hold(conversation_id)
        self._cards[conversation_id] = question_card.question_failed(problem, message.id)
        self.state.refresh()
        if conversation_id == self._open_id:
            self._notices.announce(problem.sentence)
        else:
            title = formatting.first_words(self._title(conversation_id)) or "Another conversation"
            self._notices.error(Problem(f"{title}: {problem.title}", problem.sentence))
