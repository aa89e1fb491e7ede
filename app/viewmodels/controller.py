"""The verbs of the window, and what each of them does to conversations, engine and models."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial

from PySide6.QtCore import QObject, QTimer, Signal

from app.conversation.branch import Branch
from app.conversation.message import Message, storable
from app.conversation.records import ViewState
from app.conversation.store_thread import StoreThread
from app.conversation.tree import MessageTree
from app.protocol.chat import Turn
from app.protocol.events import (
    CostEstimate,
    EngineFailed,
    Event,
    TrieChanged,
)
from app.protocol.reports import Problem
from app.viewmodels import parts
from app.viewmodels.actions import run_of
from app.viewmodels.app_state import AppState
from app.viewmodels.archive import Archive
from app.viewmodels.cache.cache_region import CacheRegion
from app.viewmodels.chat import chat_text, draft_limits, question_card
from app.viewmodels.chat.chat_state import ChatState
from app.viewmodels.chat.question import Outcome, Question
from app.viewmodels.chat.versions import last_fork, last_question, parent_for, question_of, version_beside, version_of
from app.viewmodels.display import Display
from app.viewmodels.kit.folders import Folders
from app.viewmodels.kit.live_state import LiveState
from app.viewmodels.kit.notices import Notices
from app.viewmodels.kit.settings import Settings
from app.viewmodels.library.library_state import LibraryState
from app.viewmodels.model.model_region import ModelRegion
from app.viewmodels.text import formatting
from app.worker.engine_host import EngineHost


class Controller(QObject):
    """Everything that can be done in the window.

    Attributes: `chat` and `conversations`, the models of two panes; `chat_state`, `library_state`, and `state`, of the
    whole window; `settings`, `folders` and `notices`; `model` and `cache`, the regions of those; `archive`, the verbs
    about what is stored.

    Signals: composerText(str), the composer shall hold exactly this; messageShown(str), bring this message into view;
    logWanted(), show where the log lies; left(), what is shown is about to be another conversation: call
    `remember_scroll`; anchorWanted(str, float), have this message at the top, with so many points of it above.
    """

    composerText = Signal(str)
    messageShown = Signal(str)
    logWanted = Signal()
    left = Signal()
    anchorWanted = Signal(str, float)

    settings: Settings
    folders: Folders
    notices: Notices
    model: ModelRegion
    cache: CacheRegion
    chat_state: LiveState[ChatState]
    library_state: LiveState[LibraryState]
    state: LiveState[AppState]
    archive: Archive

    def __init__(
        self,
        host: EngineHost,
        store: StoreThread,
        settings: Settings,
        folders: Folders,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._parts = parts.build(host, store, settings, folders, self)
        self.settings, self.folders = settings, folders
        self.notices = self._parts.notices
        self.model, self.cache = self._parts.model, self._parts.cache
        self._library, self._models = self._parts.library, self._parts.model.current_model
        self._questions, self._question_queue = self._parts.questions, self._parts.question_queue
        self._generations, self._answer_saver = self._parts.generations, self._parts.answer_saver
        self._prices, self._drafts, self._views = self._parts.prices, self._parts.drafts, self._parts.views
        self._display = display = Display(self._parts, self)
        self.chat, self.conversations = display.chat, display.conversations
        self.chat_state, self.library_state, self.state = display.chat_state, display.library_state, display.state
        self.archive = Archive(self._parts, display, self)
        self._connect()
        display.show_conversations()

    def _connect(self) -> None:
        display = self._display
        self._parts.host.happened.connect(self._on_event)
        self._library.changed.connect(display.show_conversations)
        self._library.opened.connect(self._on_opened)
        store = self._parts.store
        for source in (self._library.failed, self._answer_saver.failed, store.failed, store.slowed):
            source.connect(self.notices.error)
        for over in (self._answer_saver.mended, store.eased):
            over.connect(self.notices.withdraw)
        self._models.changed.connect(self._on_model_changed)
        self._models.ready.connect(self._on_model_ready)
        self._generations.grew.connect(display.show_text)
        self._generations.moved.connect(display.show_rows)
        self._question_queue.moved.connect(self._on_moved)
        self._question_queue.begun.connect(self._on_begun)
        self._question_queue.refused.connect(self._on_refused)
        self._question_queue.ended.connect(self._on_ended)
        self._prices.changed.connect(display.show_rows)
        self._parts.changes.recorded.connect(self._send_waiting)
        self.archive.opened.connect(self._on_opened)
        self.archive.moved.connect(self._on_moved)
        self.archive.reached.connect(self.messageShown)

    @property
    def tree(self) -> MessageTree:
        """The messages of the open conversation, to be read only."""
        return self._display.tree

    @property
    def open_turns(self) -> Sequence[Turn]:
        """The open branch without the answer that is being written; nothing without a model."""
        if self._models.info is None:
            return ()
        return Branch(self._questions.settled(self.tree.path), self._models.fingerprint)

    # Beginning and end

    def start(self, model: str, reopens: bool = True) -> None:
        """Read what is stored, go on where the person left, and ask for this model.

        reopens: False leaves every conversation closed; the drafts are there all the same.
        """
        self.cache.start()
        self._parts.store.do(lambda store: store.notice, self.notices.add_error)
        self._parts.store.do(lambda store: store.emptied, self._release)
        self._library.read_list()
        self._parts.store.do(lambda store: store.view_states.all(), partial(self._restore, reopens), self.notices.error)
        self.model.open(model)

    def tell_ended_badly(self, has_crashed: bool, reopens: bool) -> None:
        """Say that the run before was not closed; nothing waits for an answer to that."""
        self.notices.warn(chat_text.ended_badly(has_crashed, reopens), "Show Log", self.logWanted.emit)

    def start_without(self, suspect: str, model: str, reopens: bool = True) -> None:
        """Start with another model than one that the program did not live through, and say so."""
        self.start(model, reopens)
        self.model.suspect(suspect)

    def _release(self, conversation_ids: Iterable[str]) -> None:
        """Something of these conversations is gone for ever: the cached state goes as well."""
        for conversation_id in conversation_ids:
            self.cache.disk_cache.release(conversation_id)

    def close(self) -> None:
        """Stop what runs, save every word, end the engine's thread and then the store's."""
        self.left.emit()
        self._questions.close()
        self._display.close()
        self._parts.host.close()
        self.model.close()
        self._generations.abandon()
        self._answer_saver.close()
        self._views.close()
        self._library.close()
        self.archive.close()  # before the database, which what is being written is still read from
        self._parts.store.close()
        if self._parts.store.is_stuck:
            self._answer_saver.keep_for_next_start(self._views.unsaved)

    @property
    def is_stuck(self) -> bool:
        """Whether a thread hangs, after `close`: the process must end without waiting for threads."""
        return self._parts.host.is_stuck or self._parts.store.is_stuck or self.archive.exchange.is_stuck

    @property
    def lost(self) -> Problem | None:
        """What to tell, after `close`, of words that could be saved nowhere, or of a file that was not written."""
        return self._answer_saver.lost or self.archive.exchange.lost

    # Verbs

    def send(self, text: str) -> None:
        """Say something at the end of the open path, or as another version of the question being edited."""
        text = storable(text)
        self._drafts.write(self._open_id, text)
        if not text.strip():
            self._answer_the_end()
        elif overflow := self._overflow(text):
            self._say_hint(overflow)
        elif self._questions.is_busy_in(self._open_id) or self._parts.changes.is_pending:
            self._drafts.send(self._open_id)
        else:
            self._send_draft(self._open_id)

    def _answer_the_end(self) -> None:
        """Nothing was typed: have a question answered that ends the path, if there is one."""
        if self.chat_state.now.can_answer:
            self.regenerate(self.tree.leaf_id)
        else:
            self._say_hint(chat_text.NOTHING_TO_SEND)

    def _overflow(self, text: str) -> str:
        """Why this text is known not to fit the model's context, or nothing."""
        priced, info = self._prices.sending, self._models.info
        if priced is None or info is None or self._prices.words != text:
            return ""
        is_over = priced.request.total >= info.context_length
        return chat_text.does_not_fit(priced, info.context_length) if is_over else ""

    def stop(self) -> None:
        """End the answer in the open conversation within a token. Words that were to follow it stay in the composer."""
        self._drafts.hold(self._open_id)
        self._question_queue.withdraw(self._open_id)
        self._generations.stop(self._open_id)
        self.chat_state.refresh()

    def begin_edit(self, message_id: str | None = None) -> None:
        """Put a question into the composer, to be sent as another version, and into view; the old branch stays."""
        question = question_of(self.tree, message_id) if message_id else last_question(self.tree)
        excess = draft_limits.excess(question.text) if question is not None else ""
        if excess:
            self.notices.error(Problem("Too long to edit", f"The question was not opened: {excess}. Ask it in parts."))
        elif question is not None:
            self._display.drop_card()
            self._edit(question)
            self._show_draft()
            self.messageShown.emit(question.id)

    def _edit(self, question: Message) -> None:
        """Have this question in the composer. One that is there already stays as it is: words were typed in it."""
        begun = self._drafts.of(self._open_id)
        if begun.editing != question.id:
            is_there = begun.editing is not None and begun.editing in self.tree
            original = self.tree.message(begun.editing).text if begun.editing and is_there else ""
            self._drafts.edit(self._open_id, question.id, question.text, is_changed=begun.text != original)

    def cancel_edit(self) -> None:
        """Put back what stood in the composer before."""
        if self._drafts.of(self._open_id).editing is not None:
            self._drafts.cancel_edit(self._open_id)
            self._show_draft()

    def regenerate(self, message_id: str | None = None) -> None:
        """Ask for another answer beside this one, or for the first one to a question that has none."""
        at = message_id or self.tree.leaf_id
        question = question_of(self.tree, at) if at else None
        if question is None:
            return
        if self._questions.is_busy_in(self._open_id) or self._parts.changes.is_pending:
            self._say_hint(chat_text.STILL_WRITING)
            return
        self._display.drop_card()
        self._question_queue.ask_again(question)

    def select_version(self, message_id: str | None, step: int) -> None:
        """Show the version that stands `step` to the right, and go down from there to where one last was."""
        tree = self.tree
        if message_id is not None and message_id not in tree:
            return
        message = tree.message(message_id) if message_id else last_fork(tree)
        target = version_beside(tree, message, step) if message else None
        if target is None:
            return
        self._show_branch(target.id)
        versions = tree.siblings(target.id)
        self.notices.announce(f"Version {version_of(versions, target.id) + 1} of {len(versions)}")

    def new_conversation(self) -> None:
        """Open a blank conversation. It is kept once something is said in it."""
        self._on_opened(self._library.begin())

    def open_conversation(self, conversation_id: str) -> None:
        """Show a conversation where it was left. An answer that is being written elsewhere goes on."""
        self._library.open(conversation_id)

    def composer_changed(self, text: str) -> None:
        """What stands in the composer now; its price follows."""
        self._display.show_hint("")
        self._drafts.write(self._open_id, storable(text))
        self._price_draft()

    def remember_scroll(self, message_id: str, offset: float) -> None:
        """Where the open conversation is scrolled to: the message at the top, "" at the end, and points above."""
        self._views.scroll(self._open_id, (message_id, offset) if message_id else None)

    def act(self, action_id: str) -> None:
        """Do what a menu entry, or a button of a card or a notice, says. Raises KeyError where nobody says what."""
        run_of(self, action_id)()

    def stop_or_cancel_edit(self) -> None:
        """Put an edit back that was begun, else end the answer."""
        if self._drafts.of(self._open_id).editing is not None:
            self.cancel_edit()
        else:
            self.stop()

    def dismiss_card(self) -> None:
        """Take away the card that stands in the way, and change nothing else."""
        self._display.drop_card()

    def edit_failed(self) -> None:
        """Edit the question that the card in the open conversation is about, on the branch where it stands."""
        card = self._display.card
        if card is not None and card.message_id in self.tree:
            self._show_branch(card.message_id)
            self.begin_edit(card.message_id)

    # What happens

    def _on_event(self, event: Event) -> None:
        self.model.take(event)
        self.cache.take(event)
        if isinstance(event, CostEstimate):
            self._parts.queries.take(event)
        elif isinstance(event, TrieChanged):
            self._prices.renew()
        elif isinstance(event, EngineFailed):
            self._generations.abandon()
            self.model.tell_failure(event.problem)
        else:
            self._generations.take(event)

    def _on_model_changed(self) -> None:
        if self._models.info is None:
            self._prices.forget()
        else:
            self._prices.show(self.tree)
            self._price_draft()
        self._display.show_rows()
        self._display.show_conversations()

    def _on_model_ready(self) -> None:
        self._display.drop_cards_of_questions()

    def _on_begun(self) -> None:
        self.notices.announce("Reading the question")

    def _on_refused(self, question: Question) -> None:
        """A question could not be stored: its words go back to where they were typed."""
        message, conversation_id = question.message, question.conversation_id
        beside = next(iter(self._library.tree(conversation_id).children(message.parent_id)), None)
        self._drafts.give_back(conversation_id, message.text, beside.id if beside else None)
        if conversation_id == self._open_id:
            self._show_draft()
        if question.problem is not None:
            self.notices.error(question.problem)

    def _on_opened(self, conversation_id: str) -> None:
        self.left.emit()
        self._display.open_id = conversation_id
        self._show_draft()
        self._on_moved(conversation_id)
        self._views.show(conversation_id)
        anchor = self._views.anchor(conversation_id)
        if anchor is not None:
            self.anchorWanted.emit(*anchor)

    def _restore(self, reopens: bool, states: tuple[ViewState, ...]) -> None:
        """Go on where the person left, unless something was typed or opened already."""
        blank = self._library.begin()
        has_begun = bool(self.chat.rows or self._drafts.of(self._open_id).text)
        open_id = self._views.restore(states, blank)
        stored = [one.id for one in self._library.conversations if one.id != blank]
        if has_begun or not reopens or not stored or open_id == blank:
            self._views.show(self._open_id)
            self._show_draft()
        else:
            self._library.open(open_id if open_id in stored else stored[0])

    def _on_moved(self, conversation_id: str) -> None:
        if conversation_id == self._open_id:
            self.chat_state.refresh()
            self._prices.show(self.tree)
            self._price_draft()
        self._display.show_rows()
        self._display.show_conversations()

    def _on_ended(self, question: Question) -> None:
        self._library.read_list()
        self._prices.renew()
        if question.problem is not None:
            self._on_failed(question.message, question.problem)
        elif question.outcome is Outcome.ANSWERED:
            self.notices.announce(f"Answer finished, {formatting.tokens(question.tokens)}")
        else:
            self.notices.announce("Answer stopped")
        QTimer.singleShot(0, self._send_waiting)

    def _send_waiting(self) -> None:
        for waiting in self._drafts.sent:
            if not self._questions.is_busy_in(waiting) and not self._parts.changes.is_pending:
                self._send_draft(waiting)

    # Steps that several of these take

    def _show_branch(self, message_id: str) -> None:
        """Go to the branch through a message, where one last was below it, unless it is shown."""
        tree = self.tree
        if not tree.is_on_path(message_id):
            tree.select(tree.leaf_below(message_id))
            self._parts.paths.save(self._open_id)
            self._on_moved(self._open_id)
        self.messageShown.emit(message_id)

    @property
    def _open_id(self) -> str:
        return self._display.open_id

    def _send_draft(self, conversation_id: str) -> None:
        tree = self._library.tree(conversation_id)
        draft = self._drafts.take(conversation_id)
        self._question_queue.send(conversation_id, parent_for(tree, draft.editing), draft.text)
        if conversation_id == self._open_id:
            self._show_draft()

    def _say_hint(self, sentence: str) -> None:
        self._display.show_hint(sentence)
        self.notices.announce(sentence)

    def _on_failed(self, message: Message, problem: Problem) -> None:
        """A question could not be answered: that stands in the way there, and is told where it is not seen."""
        conversation_id = message.conversation_id
        self._drafts.hold(conversation_id)
        self._display.put_card(conversation_id, question_card.question_failed(problem, message.id))
        if conversation_id == self._open_id:
            self.notices.announce(problem.sentence)
        else:
            known = self._library.conversation(conversation_id)
            title = formatting.first_words(known.title) if known is not None and known.title else "Another conversation"
            self.notices.error(Problem(f"{title}: {problem.title}", problem.sentence))

    def _show_draft(self) -> None:
        self.composerText.emit(self._drafts.of(self._open_id).text)
        self._price_draft()

    def _price_draft(self) -> None:
        draft = self._drafts.of(self._open_id)
        self._prices.type(parent_for(self.tree, draft.editing), draft.text)
