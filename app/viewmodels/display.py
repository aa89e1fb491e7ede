"""What is shown: the models of the panes and the states, brought up to date from the parts behind them."""

from __future__ import annotations

import time

from PySide6.QtCore import QObject, QTimer

from app.conversation.tree import MessageTree
from app.viewmodels.app_state import AppState
from app.viewmodels.chat.chat_model import ChatModel
from app.viewmodels.chat.chat_rows import ChatRows, running_footer
from app.viewmodels.chat.chat_state import ChatState
from app.viewmodels.chat.open_conversation import OpenConversation
from app.viewmodels.chat.question import Question
from app.viewmodels.kit.live_state import LiveState
from app.viewmodels.kit.problem_card import ProblemCard
from app.viewmodels.library.conversation_model import ConversationModel
from app.viewmodels.library.conversation_rows import Shown, blank_title, conversation_rows
from app.viewmodels.library.library_state import LibraryState
from app.viewmodels.parts import Parts
from app.viewmodels.text.formatting import first_words

TICK_MS = 250
MINUTE_MS = 60_000


class Display(QObject):
    """Holds what views look at. `folded`: ids of the folders that show nothing.

    Attributes: chat, conversations; chat_state, library_state, and state, of the whole window; open_id, the
    conversation that is shown.
    """

    chat_state: LiveState[ChatState]
    library_state: LiveState[LibraryState]
    state: LiveState[AppState]

    def __init__(self, parts: Parts, parent: QObject) -> None:
        super().__init__(parent)
        self._parts = parts
        self._open_id = parts.library.begin()
        self._cards: dict[str, ProblemCard] = {}
        self._hint = ""
        self.folded: set[str] = set()
        self._rows = ChatRows()
        self.chat = ChatModel(self)
        self.conversations = ConversationModel(self)
        self._tick = QTimer(self, interval=TICK_MS)
        self._tick.timeout.connect(self._show_figures)
        self._minute = QTimer(self, interval=MINUTE_MS)
        self._minute.timeout.connect(self.show_conversations)
        self._minute.start()
        self._make_states()

    def _make_states(self) -> None:
        parts = self._parts
        self.library_state = LiveState(self._library_now, self)
        self.library_state.follow(parts.library.changed, parts.changes.recorded, parts.store.historyChanged)
        self.chat_state = LiveState(self._chat_now, self)
        self.chat_state.follow(self.library_state.staled, parts.model.state.staled, parts.prices.changed)
        self.chat_state.follow(parts.generations.moved, parts.question_queue.moved, parts.views.changed)
        self.state = LiveState(self._all_now, self)
        self.state.follow(self.chat_state.staled, self.library_state.staled, parts.settings.changed)
        self.state.follow(parts.cache.state.staled, parts.model.state.staled)

    @property
    def open_id(self) -> str:
        """The conversation that is shown."""
        return self._open_id

    @open_id.setter
    def open_id(self, conversation_id: str) -> None:
        self._open_id = conversation_id
        self._hint = ""
        self.library_state.refresh()

    @property
    def tree(self) -> MessageTree:
        """The messages of the open conversation."""
        return self._parts.library.tree(self.open_id)

    @property
    def card(self) -> ProblemCard | None:
        """What stands in the way in the open conversation."""
        return self._parts.model.state.now.card or self._cards.get(self.open_id)

    def put_card(self, conversation_id: str, card: ProblemCard) -> None:
        """Have a problem stand in the way of one conversation, until it is dropped there."""
        self._cards[conversation_id] = card
        self.chat_state.refresh()

    def drop_cards_of_questions(self) -> None:
        """Another model may do what the one before could not."""
        self._cards.clear()
        self.chat_state.refresh()

    def drop_card(self) -> None:
        """Take away what stands in the way in the open conversation."""
        if self._parts.model.state.now.card is not None:
            self._parts.model.dismiss_card()
        else:
            self._cards.pop(self.open_id, None)
            self.chat_state.refresh()

    def show_hint(self, sentence: str) -> None:
        """Have a sentence at the composer's foot; "" for none."""
        self._hint = sentence
        self.chat_state.refresh()

    def close(self) -> None:
        """Nothing changes by itself any more."""
        self._tick.stop()
        self._minute.stop()

    def show_rows(self) -> None:
        """After anything that may concern the open path."""
        parts = self._parts
        self.chat.show(self._rows.of(self.tree, parts.questions.at_engine_in(self.open_id), parts.prices.residencies))
        if not parts.questions.at_engine:
            self._tick.stop()
        elif not self._tick.isActive():
            self._tick.start()

    def show_conversations(self) -> None:
        """After anything that may concern the list; once a minute for the ages."""
        writing = frozenset(question.conversation_id for question in self._parts.questions.at_engine)
        known = self._parts.library.conversations
        blank = blank_title(len(known) <= 1, self._parts.model.current_model.is_guide)
        folded = frozenset(self.folded)
        shown = Shown(self.open_id, writing, blank, time.time(), self._parts.library.folders, folded)
        self.conversations.show(conversation_rows(known, shown))

    def show_text(self, answer_id: str, text: str) -> None:
        """An answer under way has grown."""
        if self.tree.is_on_path(answer_id):
            self.chat.append_tail(answer_id, text)

    def _chat_now(self) -> ChatState:
        parts = self._parts
        model = parts.model.current_model
        return OpenConversation(
            conversation=parts.library.conversation(self.open_id),
            is_first=len(parts.library.conversations) <= 1,
            tree=self.tree,
            model=parts.model.state.now,
            info=model.info,
            can_ask=model.to_ask is not None,
            question=self._answered,
            questions=parts.questions,
            prices=parts.prices,
            draft=parts.drafts.of(self.open_id),
            hint=self._hint,
            card=self.card,
            elsewhere=self._writing_title,
        ).state()

    def _library_now(self) -> LibraryState:
        parts = self._parts
        found = parts.library.conversation(self.open_id)
        return LibraryState(
            open_id=self.open_id,
            open_folder=(found.folder_id or "") if found is not None else "",
            is_favourite=found is not None and found.is_favourite,
            folders=parts.library.folders,
            undo=parts.changes.undo_words,
            redo=parts.changes.redo_words,
        )

    def _all_now(self) -> AppState:
        parts = self._parts
        return AppState(
            self.chat_state.now,
            self.library_state.now,
            parts.cache.state.now,
            parts.model.state.now,
            parts.settings.values,
        )

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

    def _show_figures(self) -> None:
        """Figures of the answer under way: a few times a second, and not with each word."""
        self.chat_state.refresh()
        question = self._parts.questions.at_engine_in(self.open_id)
        if question is not None and not question.is_reading and self.tree.is_on_path(question.held_id):
            self.chat.set_tail_footer(question.held_id, running_footer(question))
