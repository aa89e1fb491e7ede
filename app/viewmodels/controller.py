"""The verbs of the window, and what each of them does to conversations, engine and models."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal

from app.conversation.message import Message, storable
from app.conversation.store_thread import StoreThread
from app.conversation.tree import MessageTree
from app.protocol.events import EngineFailed, EngineStarted, Event, Priced, TrieChanged
from app.protocol.reports import Problem, StopReason
from app.viewmodels import problem_cards, status_words, words
from app.viewmodels.asking import Asking
from app.viewmodels.chat_model import ChatModel
from app.viewmodels.chat_rows import rows_of, running_footer
from app.viewmodels.conversation_model import ConversationModel
from app.viewmodels.conversation_rows import conversation_rows
from app.viewmodels.drafts import Drafts
from app.viewmodels.library import Library
from app.viewmodels.model_desk import ModelDesk, ModelShelf
from app.viewmodels.path_prices import PathPrices
from app.viewmodels.prices import Prices
from app.viewmodels.runs import Run, Runs
from app.viewmodels.status import ProblemCard, Status
from app.viewmodels.status_view import Scene, status_values
from app.viewmodels.store_link import StoreLink
from app.viewmodels.trie_model import TrieModel
from app.viewmodels.versions import last_fork, last_question, question_of, version_beside
from app.worker.engine_host import EngineHost

TICK_MS = 250
MINUTE_MS = 60_000


class Controller(QObject):
    """Everything that can be done in the window.

    Attributes: `chat`, `conversations`, `trie`, the models of the three panes; `status`, all that stands around them.

    Signals: composerText(str), the composer shall hold exactly this; modelFolderWanted(), ask for a model's folder and
    call `open_model`; messageShown(str), bring this message into view; announced(str), have it said by a screen reader.
    """

    composerText = Signal(str)
    modelFolderWanted = Signal()
    messageShown = Signal(str)
    announced = Signal(str)

    def __init__(self, host: EngineHost, store: StoreThread, shelf: ModelShelf, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._host = host
        self._store = StoreLink(store, self)
        self._library = Library(self._store, self)
        self._models = ModelDesk(host, shelf, self)
        self._runs = Runs(host, self._store, self)
        self._asking = Asking(self._library, self._runs, self._models, self)
        self._queries = Prices(host.submit)
        self._prices = PathPrices(self._queries, self._models, self._runs, self)
        self._drafts = Drafts()
        self._open = self._library.begin()
        self._card: ProblemCard | None = None
        self._notice = ""
        self._hint = ""
        self._is_started = False
        self.chat = ChatModel(self)
        self.conversations = ConversationModel(self)
        self.trie = TrieModel(self)
        self.status = Status(self)
        self._tick = QTimer(self, interval=TICK_MS)
        self._minute = QTimer(self, interval=MINUTE_MS)
        self._connect()
        self._show_all()

    def _connect(self) -> None:
        self._host.happened.connect(self._on_event)
        self._library.changed.connect(self._show_conversations)
        self._library.opened.connect(self._on_opened)
        for source in (self._library.failed, self._runs.failed, self._store.failed):
            source.connect(self.warn)
        self._models.changed.connect(self._on_model_changed)
        self._runs.grew.connect(self._on_grew)
        self._runs.moved.connect(self._show_all)
        self._runs.stored.connect(self._on_answer_stored)
        self._asking.moved.connect(self._on_moved)
        self._asking.refused.connect(self._on_refused)
        self._asking.ended.connect(self._on_ended)
        self._prices.changed.connect(self._show_all)
        self._tick.timeout.connect(self._on_tick)
        self._minute.timeout.connect(self.refresh_ages)
        self._minute.start()

    # Beginning and end

    def start(self, model: str) -> None:
        """Read what is stored, open the conversation used last, and ask for this model."""
        self._store.do(lambda store: store.notice, self.warn)
        self._library.read_list(self._open_last)
        self.open_model(model)

    def close(self) -> None:
        """Stop what runs, save every word, end the engine's thread and then the store's."""
        self._asking.withdraw()
        for timer in (self._tick, self._minute):
            timer.stop()
        self._host.close()
        self._runs.abandon(None)
        self._store.close()

    # Verbs

    def send(self, text: str) -> None:
        """Say something at the end of the open path, or as another version of the question being edited."""
        text = storable(text)
        self._drafts.write(self._open, text)
        if not text.strip():
            self._say_hint(status_words.NOTHING_TO_SEND)
        elif self._asking.is_busy:
            self._drafts.send(self._open)
        else:
            self._send_draft(self._open)
        self._show_status()

    def stop(self) -> None:
        """End the answer within a token. Words that were to follow it stay in the composer."""
        self._drafts.hold(self._open)
        self._asking.withdraw()
        self._runs.stop()
        self._show_status()

    def begin_edit(self, message_id: str | None = None) -> None:
        """Put a question into the composer to be sent as another version; the old branch stays."""
        question = question_of(self.tree, message_id) if message_id else last_question(self.tree)
        if question is not None:
            self._card = None
            self._drafts.edit(self._open, question.id, question.text)
            self._show_draft()
            self._show_status()

    def cancel_edit(self) -> None:
        """Put back what stood in the composer before."""
        if self._drafts.of(self._open).editing is not None:
            self._drafts.cancel_edit(self._open)
            self._show_draft()
            self._show_status()

    def regenerate(self, message_id: str | None = None) -> None:
        """Ask for another answer beside this one, or for the first one to a question that has none."""
        at = message_id or self.tree.leaf_id
        question = question_of(self.tree, at) if at else None
        if question is None:
            return
        if self._asking.is_busy:
            self._say_hint("Answer Again waits until this answer has ended: press it then, or stop this one")
            return
        self._card = None
        self._asking.ask_again(question)

    def select_version(self, message_id: str | None, step: int) -> None:
        """Show the version that stands `step` to the right, and go down from there to where one last was."""
        message = self.tree.message(message_id) if message_id else last_fork(self.tree)
        target = version_beside(self.tree, message, step) if message else None
        if target is None:
            return
        self.tree.select(self.tree.leaf_below(target.id))
        self._save_path(self._open)
        self._on_moved(self._open)
        self.messageShown.emit(target.id)
        versions = self.tree.siblings(target.id)
        self.announced.emit(f"Version {versions.index(target) + 1} of {len(versions)}")

    def new_conversation(self) -> None:
        """Open a blank conversation. It is kept once something is said in it."""
        self._on_opened(self._library.begin())

    def open_conversation(self, conversation_id: str) -> None:
        """Show a conversation where it was left. An answer that is being written elsewhere goes on."""
        self._library.open(conversation_id)

    def open_model(self, path: str) -> None:
        """Load the model in this folder in place of the one in use."""
        self._card = None
        self._runs.stop()
        self._models.open(str(Path(path).expanduser().absolute()))

    def use_guide(self) -> None:
        """Load the built-in model."""
        self.open_model(self._models.guide)

    def restart_engine(self) -> None:
        """Start the engine again after it died, with the model it had."""
        self._card = None
        self._host.restart()
        self.open_model(self._models.path)

    def composer_changed(self, text: str) -> None:
        """What stands in the composer now; its price follows."""
        self._hint = ""
        self._drafts.write(self._open, storable(text))
        self._type()
        self._show_status()

    def warn(self, problem: Problem | None) -> None:
        """Say in the banner what is wrong but stands in nobody's way."""
        if problem is not None:
            self._notice = f"{problem.title}. {problem.sentence}"
            self.announced.emit(self._notice)
            self._show_status()

    def dismiss_notice(self) -> None:
        """Close the banner."""
        self._notice = ""
        self._show_status()

    def refresh_ages(self) -> None:
        """Bring "now" and "12 min" up to date."""
        self._show_conversations()

    def act(self, verb: str) -> None:
        """Do what a menu entry or a button of the problem card says. Verbs of the window alone are ignored."""
        actions: dict[str, Callable[[], None]] = {
            "new": self.new_conversation,
            "open_model": self.modelFolderWanted.emit,
            "use_guide": self.use_guide,
            "fork": self.begin_edit,
            "regenerate": self.regenerate,
            "previous": lambda: self.select_version(None, -1),
            "next": lambda: self.select_version(None, 1),
            "stop": self._escape,
            "restart": self.restart_engine,
            "dismiss": self._dismiss_card,
        }
        if verb in actions:
            actions[verb]()

    def _escape(self) -> None:
        if self._drafts.of(self._open).editing is not None:
            self.cancel_edit()
        else:
            self.stop()

    def _dismiss_card(self) -> None:
        self._card = None
        self._show_status()

    # What happens

    def _on_event(self, event: Event) -> None:
        if isinstance(event, Priced):
            self._queries.take(event)
        elif isinstance(event, TrieChanged):
            self.trie.show(event.view)
            self._prices.renew()
            self._show_status()
        elif isinstance(event, EngineStarted):
            self._is_started = True
            self._show_status()
        else:
            self._models.take(event)
            self._runs.take(event)
        if isinstance(event, EngineFailed):
            self._on_engine_failed(event.problem)

    def _on_engine_failed(self, problem: Problem) -> None:
        self._is_started = False
        self._runs.abandon(None)
        self._card = problem_cards.engine_failed(problem)
        self.announced.emit(problem.sentence)
        self._show_status()

    def _on_model_changed(self) -> None:
        if self._models.info is None:
            self._prices.forget()
        else:
            self._prices.show(self.tree)
        problem = self._models.problem
        if problem is not None:
            self._card = problem_cards.model_failed(problem, self._models.is_guide)
            self.announced.emit(problem.sentence)
        self._show_all()

    def _on_refused(self, message: Message, problem: Problem) -> None:
        """A question could not be stored: its words go back to where they were typed."""
        edited = next(iter(self._library.tree(message.conversation_id).children(message.parent_id)), None)
        self._drafts.give_back(message.conversation_id, message.text, edited.id if edited else None)
        if message.conversation_id == self._open:
            self._show_draft()
        self.warn(problem)

    def _on_opened(self, conversation_id: str) -> None:
        self._open = conversation_id
        self._hint = ""
        self._show_draft()
        self._on_moved(conversation_id)
        self._show_conversations()

    def _open_last(self) -> None:
        """After the list was read at the start: go on where the person left, unless something was typed already."""
        stored = [one for one in self._library.conversations if one.title]
        if stored and not self.chat.rows and not self._drafts.of(self._open).text:
            self._library.open(stored[0].id)

    def _on_moved(self, conversation_id: str) -> None:
        if conversation_id == self._open:
            self._prices.show(self.tree)
            self._type()
        self._set_ticking()
        self._show_all()
        self._show_conversations()

    def _on_grew(self, text: str) -> None:
        run = self._runs.current
        if run is not None:
            self.chat.append_tail(run.answer.id, text)

    def _on_tick(self) -> None:
        run = self._runs.current
        if run is not None and not run.is_reading:
            self.chat.set_tail_footer(run.answer.id, running_footer(run))
        self._show_status()

    def _on_answer_stored(self, _message_id: str) -> None:
        self._save_path(self._open)

    def _on_ended(self, run: Run, problem: Problem | None) -> None:
        self._library.read_list()
        if problem is not None:
            self._card = problem_cards.run_failed(problem)
            self._drafts.hold(run.answer.conversation_id)
            self.announced.emit(problem.sentence)
        elif run.answer.stop == StopReason.FINISHED:
            self.announced.emit(f"Answer finished, {words.tokens(run.tokens)}")
        else:
            self.announced.emit("Answer stopped")
        QTimer.singleShot(0, self._send_waiting)

    def _send_waiting(self) -> None:
        waiting = self._drafts.next_sent
        if waiting is not None and not self._asking.is_busy:
            self._send_draft(waiting)

    # How it is shown

    @property
    def tree(self) -> MessageTree:
        """The messages of the open conversation, to be read only."""
        return self._library.tree(self._open)

    def _send_draft(self, conversation_id: str) -> None:
        tree = self._library.tree(conversation_id)
        draft = self._drafts.take(conversation_id)
        self._asking.send(conversation_id, self._parent(tree, draft.editing), draft.text)
        if conversation_id == self._open:
            self._show_draft()

    def _parent(self, tree: MessageTree, editing: str | None) -> str | None:
        """What a question is said below: beside the one it replaces, else below the last answer of the path."""
        at = editing if editing is not None and editing in tree else tree.leaf_id
        if at is None:
            return None
        message = tree.message(at)
        return message.parent_id if message.role == "user" else message.id

    def _save_path(self, conversation_id: str) -> None:
        """Remember the end of the path; what the database does not know yet cannot be its end."""
        tree = self._library.tree(conversation_id)
        leaf = tree.leaf_id
        while leaf is not None and (self._asking.is_committing(leaf) or not self._runs.is_stored(leaf)):
            leaf = tree.message(leaf).parent_id
        if leaf is not None:
            self._library.save_path(conversation_id, leaf)

    def _say_hint(self, sentence: str) -> None:
        self._hint = sentence
        self.announced.emit(sentence)
        self._show_status()

    def _set_ticking(self) -> None:
        if self._runs.current is None:
            self._tick.stop()
        elif not self._tick.isActive():
            self._tick.start()

    def _type(self) -> None:
        draft = self._drafts.of(self._open)
        self._prices.type(self._parent(self.tree, draft.editing), draft.text)

    def _show_draft(self) -> None:
        self.composerText.emit(self._drafts.of(self._open).text)
        self._type()

    def _show_all(self) -> None:
        self.chat.show(rows_of(self.tree, self._runs.current, self._prices.places))
        self._show_status()

    def _show_conversations(self) -> None:
        run = self._runs.current
        writing = run.answer.conversation_id if run else None
        self.conversations.show(conversation_rows(self._library.conversations, self._open, writing, time.time()))
        self._show_status()

    def _show_status(self) -> None:
        scene = Scene(
            conversation=self._library.conversation(self._open),
            tree=self.tree,
            run=self._runs.current,
            models=self._models,
            asking=self._asking,
            prices=self._prices,
            draft=self._drafts.of(self._open),
            view=self.trie.view,
            is_started=self._is_started,
            hint=self._hint,
        )
        self.status.show(status_values(scene, self._card, self._notice))
