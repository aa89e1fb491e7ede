"""Asking and answering in all conversations, whichever window they are open in, or none."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer

from app.protocol.events import EngineFailed, EngineStarted, Event
from app.protocol.reports import Problem
from app.viewmodels.chat import chat_text, question_card
from app.viewmodels.chat.answer_saver import AnswerSaver
from app.viewmodels.chat.attachment_reader import AttachmentReader
from app.viewmodels.chat.chat_answers import ChatAnswers
from app.viewmodels.chat.chosen_settings import ChosenSettings
from app.viewmodels.chat.drafts import Drafts
from app.viewmodels.chat.generations import Generations
from app.viewmodels.chat.last_save import LastSave
from app.viewmodels.chat.open_paths import OpenPaths
from app.viewmodels.chat.outbox import Outbox
from app.viewmodels.chat.problem_cards import CardsByConversation
from app.viewmodels.chat.question import Outcome, Question
from app.viewmodels.chat.question_queue import QuestionQueue
from app.viewmodels.chat.questions import Questions
from app.viewmodels.chat.sending_consent import SendingConsent
from app.viewmodels.chat.view_states import ViewStates
from app.viewmodels.kit.notices import Notices
from app.viewmodels.kit.problem_card import ProblemCard
from app.viewmodels.kit.settings import Settings
from app.viewmodels.kit.store_link import StoreLink
from app.viewmodels.library.stored_conversations import StoredConversations
from app.viewmodels.model.current_model import CurrentModel
from app.viewmodels.text import formatting
from app.worker.engine_host import EngineHost


class Answering(QObject):
    """Takes drafts to the engine and its answers to the database, and says what became of them.

    An answer goes on whatever windows show.

    Attributes: drafts and chosen, the words and the settings of each conversation; attachment_reader, of files
    for them; outbox, drafts that are sent; questions, question_queue, generations, answer_saver, what is asked and
    answered; open_paths, where each path ends; cards, of questions that are not answered yet; consent, to their being
    sent to a server; view_states, how conversations are left; last_save, of all this as the program ends.
    """

    def __init__(
        self,
        host: EngineHost,
        store: StoreLink,
        stored: StoredConversations,
        current_model: CurrentModel,
        notices: Notices,
        settings: Settings,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._stored, self._notices, self._current_model = stored, notices, current_model
        library = stored.library
        self.drafts = Drafts()
        self.attachment_reader = AttachmentReader(self.drafts, library, notices, self)
        self.questions = questions = Questions()
        self.cards = CardsByConversation(current_model, self)
        self.chosen = ChosenSettings(store, library, current_model, settings, self)
        self.answer_saver = AnswerSaver(store, questions, library.is_on_path, self)
        self.generations = Generations(
            host, questions, self.answer_saver, lambda: settings.values.keeps_alternatives, self
        )
        self.consent = SendingConsent(questions, current_model, self.chosen.all, self.cards, settings, self)
        self.question_queue = QuestionQueue(
            *(questions, library, self.generations, self.answer_saver, current_model),
            *(self.chosen.sampling, self.chosen.of_preset, self.consent.is_given, self),
        )
        self.open_paths = OpenPaths(library, stored.changes, questions, self.question_queue, self)
        self.outbox = Outbox(stored, questions, self.question_queue, self.drafts, self.chosen, self)
        self.view_states = ViewStates(store, stored, self.drafts, self.chosen.all, self)
        self.last_save = LastSave(store, questions, self.answer_saver, self.view_states)
        stored.wait_for(ChatAnswers(questions, self.answer_saver, self.open_paths))
        stored.removed.connect(self.drafts.hold)
        self.answer_saver.failed.connect(notices.keep_telling)
        self.answer_saver.mended.connect(notices.withdraw)
        self.consent.given.connect(self.question_queue.answer_next)
        self.consent.asked.connect(self._on_asked)
        self.question_queue.moved.connect(self.consent.follow)
        self.question_queue.begun.connect(self._on_begun)
        self.question_queue.refused.connect(self._on_refused)
        self.question_queue.ended.connect(self._on_ended)

    def take(self, event: Event) -> None:
        """Follow an event of the engine, if it is about answers."""
        if isinstance(event, EngineStarted):
            self.question_queue.most_at_once = event.capabilities.lanes
        elif isinstance(event, EngineFailed):
            self.generations.abandon()
        else:
            self.generations.take(event)

    def is_writing(self) -> bool:
        """Return whether the engine reads or answers a question."""
        return bool(self.questions.at_engine)

    def close(self) -> None:
        """Save every word, when the engine has ended."""
        self.generations.abandon()
        self.last_save.close()

    def _on_begun(self) -> None:
        self._notices.announce("Reading the question")

    def _on_refused(self, question: Question) -> None:
        """Put the words of a question that could not be stored back to where they were typed."""
        self.outbox.give_back(question)
        self._notices.error(question.problem)

    def _on_ended(self, question: Question) -> None:
        if question.answer is not None and question.is_kept:
            self._stored.library.use(question.conversation_id, question.answer.created_at)
        if not question.is_kept and self.drafts.of(question.conversation_id).end in (
            question.held_id,
            question.message.id,
        ):
            self.drafts.hold(question.conversation_id)  # there is no answer that they could follow
        if question.problem is not None:
            self._on_failed(question, question.problem)
        elif question.outcome is Outcome.ANSWERED:
            self._notices.announce(f"{chat_text.answer_name(question)} finished, {formatting.tokens(question.tokens)}")
        else:
            self._notices.announce(f"{chat_text.answer_name(question)} stopped")
        QTimer.singleShot(0, self.outbox.send_waiting)

    def _on_failed(self, question: Question, problem: Problem) -> None:
        """Put a card where a question could not be answered, and tell of it where that is not seen."""
        conversation_id = question.conversation_id
        self.drafts.hold(conversation_id)
        info = self._current_model.info
        if info is not None and info.place:
            goes_on = question.is_kept and info.goes_on_after(question.text)
            card = question_card.server_failed(problem, question.message.id, goes_on)
        else:
            card = question_card.question_failed(problem, question.message.id)
        self.cards.put(conversation_id, card)
        self._tell(conversation_id, problem)

    def _on_asked(self, conversation_id: str, card: ProblemCard) -> None:
        """Say that a question waits for the person, where its card is not seen too."""
        self._tell(conversation_id, Problem(card.title, card.sentence))

    def _tell(self, conversation_id: str, problem: Problem) -> None:
        if self._stored.is_open(conversation_id):
            self._notices.announce(problem.sentence)
        else:
            known = self._stored.library.conversation(conversation_id)
            title = formatting.first_words((known.title if known is not None else "") or "") or "Another conversation"
            self._notices.error(Problem(f"{title}: {problem.title}", problem.sentence))
