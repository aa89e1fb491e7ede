"""What is shown: the models of the panes and the status, brought up to date from the parts behind them."""

from __future__ import annotations

import time

from PySide6.QtCore import QObject, QTimer

from app.conversation.tree import MessageTree
from app.protocol.events import Capabilities
from app.protocol.trie_view import TrieView
from app.viewmodels.cache.event_model import EventModel
from app.viewmodels.cache.trie_model import TrieModel
from app.viewmodels.chat.chat_model import ChatModel
from app.viewmodels.chat.chat_rows import ChatRows, running_footer
from app.viewmodels.chat.problem_cards import ProblemCard
from app.viewmodels.chat.question import Question
from app.viewmodels.library.conversation_model import ConversationModel
from app.viewmodels.library.conversation_rows import Shown, blank_title, conversation_rows
from app.viewmodels.parts import Parts
from app.viewmodels.status import Status
from app.viewmodels.status_view import Scene, status_values
from app.viewmodels.text.formatting import first_words

TICK_MS = 250
MINUTE_MS = 60_000


class Display(QObject):
    """Holds what views look at. `folded`: ids of the folders that show nothing.

    Attributes: chat, conversations, trie, events, status; open_id, the conversation that is shown; program_card, a
    problem that stands in the way of every conversation; hint, a sentence for the composer's foot; is_engine_up,
    whether the engine's libraries are imported; capabilities, what the engine can do, None before that is known.
    """

    def __init__(self, parts: Parts, parent: QObject) -> None:
        super().__init__(parent)
        self._parts = parts
        self.open_id = parts.library.begin()
        self.program_card: ProblemCard | None = None
        self._cards: dict[str, ProblemCard] = {}
        self.hint = ""
        self.folded: set[str] = set()
        self.is_engine_up = False
        self.capabilities: Capabilities | None = None
        self._rows = ChatRows()
        self.chat = ChatModel(self)
        self.conversations = ConversationModel(self)
        self.trie = TrieModel(self)
        self.events = EventModel(self)
        self.status = Status(self)
        self._tick = QTimer(self, interval=TICK_MS)
        self._tick.timeout.connect(self.show_status)
        self._minute = QTimer(self, interval=MINUTE_MS)
        self._minute.timeout.connect(self.show_conversations)
        self._minute.start()

    @property
    def tree(self) -> MessageTree:
        """The messages of the open conversation."""
        return self._parts.library.tree(self.open_id)

    @property
    def card(self) -> ProblemCard | None:
        """What stands in the way in the open conversation."""
        return self.program_card or self._cards.get(self.open_id)

    def put_card(self, conversation_id: str, card: ProblemCard) -> None:
        """Have a problem stand in the way of one conversation, until it is dropped there."""
        self._cards[conversation_id] = card

    def drop_cards_of_questions(self) -> None:
        """Another model may do what the one before could not."""
        self._cards.clear()

    def drop_card(self) -> None:
        """Take away what stands in the way in the open conversation."""
        if self.program_card is not None:
            self.program_card = None
        else:
            self._cards.pop(self.open_id, None)

    def close(self) -> None:
        """Nothing changes by itself any more."""
        self._tick.stop()
        self._minute.stop()

    def show_all(self) -> None:
        """After anything that may concern the open path."""
        parts = self._parts
        self.chat.show(self._rows.of(self.tree, parts.questions.at_engine_in(self.open_id), parts.prices.residencies))
        self._set_ticking()
        self.show_status()

    def show_conversations(self) -> None:
        """After anything that may concern the list; once a minute for the ages."""
        writing = frozenset(question.conversation_id for question in self._parts.questions.at_engine)
        known = self._parts.library.conversations
        blank = blank_title(len(known) <= 1, self._parts.models.is_guide)
        folded = frozenset(self.folded)
        shown = Shown(self.open_id, writing, blank, time.time(), self._parts.library.folders, folded)
        self.conversations.show(conversation_rows(known, shown))
        self.show_status()

    def show_text(self, answer_id: str, text: str) -> None:
        """An answer under way has grown."""
        if self.tree.is_on_path(answer_id):
            self.chat.append_tail(answer_id, text)

    def forget_cache(self) -> None:
        """The model is closed, and what was held for it is gone."""
        if self.trie.view.nodes:
            self.trie.show(TrieView(serial=0))
        self.events.clear()

    def show_status(self) -> None:
        """After anything else."""
        parts = self._parts
        self._show_figures()
        scene = Scene(
            conversation=parts.library.conversation(self.open_id),
            is_first=len(parts.library.conversations) <= 1,
            tree=self.tree,
            question=self._answered,
            models=parts.models,
            cache=parts.cache,
            disk=parts.disk,
            questions=parts.questions,
            prices=parts.prices,
            draft=parts.drafts.of(self.open_id),
            view=self.trie.view,
            is_engine_up=self.is_engine_up,
            capabilities=self.capabilities,
            hint=self.hint,
            undo=parts.changes.undo_words,
            redo=parts.changes.redo_words,
            writing_title=self._writing_title,
            settings=parts.settings.values,
        )
        self.status.show(status_values(scene, self.card, parts.notices.now))

    @property
    def _answered(self) -> Question | None:
        """What the engine line is about: the question at the engine of the open conversation, else of another one."""
        questions = self._parts.questions
        return questions.at_engine_in(self.open_id) or next(iter(questions.at_engine), None)

    @property
    def _writing_title(self) -> str:
        question = self._answered
        if question is None or question.conversation_id == self.open_id:
            return ""
        known = self._parts.library.conversation(question.conversation_id)
        return first_words(known.title) if known is not None and known.title else "another conversation"

    def _set_ticking(self) -> None:
        if not self._parts.questions.at_engine:
            self._tick.stop()
        elif not self._tick.isActive():
            self._tick.start()

    def _show_figures(self) -> None:
        """Figures of the answer under way: a few times a second, and not with each word."""
        question = self._parts.questions.at_engine_in(self.open_id)
        if question is not None and not question.is_reading and self.tree.is_on_path(question.held_id):
            self.chat.set_tail_footer(question.held_id, running_footer(question))
