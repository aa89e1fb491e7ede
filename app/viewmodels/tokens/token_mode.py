"""Token mode: an answer shown by its tokens, gone through by keys, and forked where something else could have stood."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

from PySide6.QtCore import QObject, QTimer, Signal

from app.conversation.message import Message
from app.viewmodels.chat.answering import Answering
from app.viewmodels.chat.branch_costs import DEBOUNCE_MS
from app.viewmodels.chat.open_branch import OpenBranch
from app.viewmodels.chat.versions import answer_at
from app.viewmodels.kit.live_state import LiveState
from app.viewmodels.kit.notices import Notices
from app.viewmodels.kit.store_link import StoreLink
from app.viewmodels.library.library_region import LibraryRegion
from app.viewmodels.text import formatting
from app.viewmodels.tokens.answer_tokens import AnswerTokens, answer_tokens
from app.viewmodels.tokens.token_price import Price, TokenPrices
from app.viewmodels.tokens.token_state import TokenRow, TokenState, deed_of, rows_of, title_of

MOST_WAYS = 8
OWN_WORDS = "fork with these words"
NO_ANSWER = "There is no answer on this branch yet."
GROWING = "Possible as soon as this answer has ended."
ONE_WAY = "Nothing else is known here that could have stood in its place."
UNKNOWN = "It was written without alternatives: Settings > General keeps what else the model would have said."


class Forks(Protocol):
    """Verbs that begin another answer at a token of an answer."""

    def fork_at(self, message_id: str, position: int, ids: Sequence[int]) -> None:
        """Have an answer written for each of these tokens, that begins as this one does up to there."""

    def write_at(self, message_id: str, position: int, text: str) -> None:
        """Have an answer written that begins as this one does up to there, and with these words then."""


class TokenMode(QObject):
    """Shows one answer of the open path by its tokens.

    Attributes: state; tokens, of the answer that is shown, None while there is none; known, ids of the answers of the
    open conversation of which it is stored what their tokens were chosen from.

    Signals: opened(), the tokens of another answer are shown, or of none; moved(), another token is looked at, which
    shall be seen.
    """

    opened = Signal()
    moved = Signal()

    state: LiveState[TokenState]

    def __init__(
        self,
        library: LibraryRegion,
        answering: Answering,
        open_branch: OpenBranch,
        forks: Forks,
        prices: TokenPrices,
        store: StoreLink,
        notices: Notices,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._library, self._questions, self._forks = library, answering.questions, forks
        self._saver = answering.answer_saver
        self._prices, self._store, self._notices = prices, store, notices
        self.known: frozenset[str] = frozenset()
        self.tokens: AnswerTokens | None = None
        self._message_id = ""
        self._position, self._chosen = -1, -1
        self._rows: tuple[TokenRow, ...] = ()
        self._price = Price()
        self._typed: str | None = None  # own words, while they are typed
        self._rest = QTimer(self, singleShot=True, interval=DEBOUNCE_MS)
        self._rest.timeout.connect(self._ask_words)
        self._is_closed = False
        self.state = LiveState(self._state, self)
        library.opened.connect(self._on_opened)
        for moved in (library.moved, open_branch.moved, answering.question_queue.moved):
            moved.connect(self._on_moved)
        answering.question_queue.ended.connect(self._on_ended)
        prices.outdated.connect(self._ask_again)

    def stop(self) -> None:
        """Show nothing any more: the window is closed."""
        self._leave()
        self._is_closed = True

    # Which answer

    def can_open(self, message_id: str | None = None) -> bool:
        """Return whether it is known of an answer what its tokens were chosen from."""
        answer = self._answer(message_id)
        return answer is not None and answer.id in self.known and not self.is_written(answer.id)

    @property
    def has_answer(self) -> bool:
        """Whether there is an answer on the open path."""
        return self._answer(None) is not None

    def is_written(self, message_id: str | None = None) -> bool:
        """Return whether an answer is being written."""
        answer = self._answer(message_id)
        return answer is not None and answer.id in self._questions.held

    def toggle(self, message_id: str | None = None) -> None:
        """Show an answer by its tokens, the last one of the open path by default, or as text again."""
        if self._message_id and message_id in (None, self._message_id):
            self.close()
        else:
            self.open(message_id)

    def open(self, message_id: str | None = None) -> None:
        """Show an answer by its tokens; what it was chosen from is read from the database."""
        answer = self._answer(message_id)
        if answer is None or not self.can_open(answer.id):
            self._notices.refuse(NO_ANSWER if answer is None else GROWING if self.is_written(answer.id) else UNKNOWN)
            return
        self._leave()
        self._message_id = answer.id
        self.state.refresh()
        self._store.do(lambda store: (answer, answer_tokens(answer, store.messages.choices(answer.id))), self._take)

    def close(self) -> None:
        """Show the answer as text again."""
        if self._message_id:
            self._leave()
            self.opened.emit()
            self.state.refresh()

    # Which token

    def step(self, by: int, *, every: bool = False) -> None:
        """Go to the token so many further on where something else might well have stood; with `every`, to any."""
        if self.tokens is not None:
            self.point(self.tokens.next(self._position, by, every=every))

    def point(self, position: int) -> None:
        """Look at a token."""
        tokens = self.tokens
        if tokens is None or not 0 <= position < len(tokens):
            return
        self._position, self._rows = position, rows_of(tokens, position)
        self._choose(next((at for at, row in enumerate(self._rows) if not row.is_there), 0))
        self.moved.emit()

    def look_away(self) -> None:
        """Look at no token."""
        if self._position >= 0:
            self._position, self._chosen, self._rows = -1, -1, ()
            self._drop()
            self.state.refresh()
            self.moved.emit()

    def choose(self, by: int) -> None:
        """Go to the alternative so many further down."""
        if self._rows:
            self._choose(min(max(self._chosen + by, 0), len(self._rows) - 1))

    def choose_row(self, number: int) -> None:
        """Go to an alternative by its number from 0 on."""
        if 0 <= number < len(self._rows):
            self._choose(number)

    # What becomes of it

    def fork(self) -> None:
        """Have another answer written that goes on with the alternative that is chosen."""
        if 0 <= self._chosen < len(self._rows):
            self._begin([self._rows[self._chosen].id])

    def fork_ways(self, count: int) -> None:
        """Have an answer written for each of so many of the likeliest tokens of this place, or as many as are known."""
        if len(self._rows) > 1:
            self._begin([row.id for row in self._rows][: max(2, min(count, MOST_WAYS))])
        elif self._rows:
            self._notices.refuse(ONE_WAY)

    def write(self, words: str) -> None:
        """Have another answer written that goes on with these words, in the place of the token.

        They are set apart from what is before them as the token is.
        """
        if self.tokens is not None and self._position >= 0 and words.strip():
            self._forks.write_at(self._message_id, self._position, self._set_apart(self.tokens, words))

    def type(self, words: str | None) -> None:
        """Tell what going on with own words would cost, while these are typed; None when they are typed no more."""
        if self.tokens is None or self._position < 0 or words == self._typed:
            return
        had_price = bool(self._typed and self._typed.strip())
        self._typed = words
        self._rest.stop()
        if words is None:
            self._choose(self._chosen)
            return
        if not words.strip() or not had_price:
            self._drop_price()
        if words.strip():
            self._rest.start()
        self.state.refresh()

    def _ask_again(self) -> None:
        """Ask for the price of what is chosen or typed with the model that is open now."""
        if self.tokens is None or self._position < 0:
            return
        if self._typed is None:
            self._choose(self._chosen)
            return
        self._drop_price()
        if self._typed.strip():
            self._ask_words()
        self.state.refresh()

    def _drop_price(self) -> None:
        self._price = Price()
        self._prices.drop()

    def _ask_words(self) -> None:
        if self.tokens is not None and self._position >= 0 and self._typed:
            words = self._set_apart(self.tokens, self._typed)
            self._prices.ask_words(self.tokens, self._position, words, self._take_price)

    def _set_apart(self, tokens: AnswerTokens, words: str) -> str:
        old = tokens.text(self._position)
        return words if words[:1].isspace() else old[: len(old) - len(old.lstrip())] + words

    @property
    def ways(self) -> int:
        """The number of ways to go on from here."""
        return min(len(self._rows), MOST_WAYS)

    def _begin(self, ids: Sequence[int]) -> None:
        """Ask for it. The answer is left with its path, unless nothing can be asked now."""
        self._forks.fork_at(self._message_id, self._position, ids)

    # How it follows

    def _answer(self, message_id: str | None) -> Message | None:
        tree = self._library.tree
        if message_id is not None:
            return answer_at(tree, message_id) if message_id in tree else None
        if self._message_id in tree:
            return tree.message(self._message_id)
        return next((one for one in reversed(tree.path) if one.role == "assistant"), None)

    def _choose(self, number: int) -> None:
        self._chosen, self._price, self._typed = number, Price(), None
        self._rest.stop()
        tokens = self.tokens
        if tokens is not None:
            self._prices.ask(tokens, self._position, self._rows[number], self._take_price)
        self.state.refresh()

    def _take_price(self, price: Price) -> None:
        self._price = price
        self.state.refresh()

    def _take(self, found: tuple[Message, AnswerTokens | None]) -> None:
        answer, tokens = found
        if answer.id != self._message_id:
            return
        if tokens is None:
            self.close()
            return
        self.tokens = tokens
        self.opened.emit()
        self.point(max(0, tokens.next(-1, 1, every=False)))
        self.state.refresh()

    def _leave(self) -> None:
        self._message_id, self.tokens = "", None
        self._position, self._chosen, self._rows = -1, -1, ()
        self._drop()

    def _drop(self) -> None:
        self._typed = None
        self._rest.stop()
        self._prices.drop()

    def _on_opened(self, conversation_id: str) -> None:
        self.known = frozenset()
        self._on_moved(conversation_id)

    def _on_moved(self, conversation_id: str) -> None:
        """Leave an answer that is not on the path any more or is written on."""
        if conversation_id != self._library.open_id:
            return
        if self._message_id and not self._is_there:
            self.close()
        self._ask_known()
        self.state.refresh()

    def _on_ended(self, _question: object) -> None:
        self._saver.when_saved(self._ask_known)

    def _ask_known(self) -> None:
        """Find out of which answers it is stored."""
        if self._is_closed:
            return
        conversation_id = self._library.open_id
        take = self._take_known
        self._store.do(lambda store: (conversation_id, store.messages.with_choices(conversation_id)), take)

    @property
    def _is_there(self) -> bool:
        """Whether the answer is on the path as it was."""
        tree, shown = self._library.tree, self.tokens
        if self._message_id not in tree or not tree.is_on_path(self._message_id):
            return False
        return shown is None or tree.message(self._message_id).ids == shown.answer.ids

    def _take_known(self, found: tuple[str, frozenset[str]]) -> None:
        conversation_id, known = found
        if not self._is_closed and conversation_id == self._library.open_id and known != self.known:
            self.known = known
            self.state.refresh()

    def _state(self) -> TokenState:
        tokens = self.tokens
        state = TokenState(self._message_id, bool(self._message_id) and tokens is None)
        if tokens is None or self._position < 0:
            return state
        there = next(row for row in self._rows if row.is_there)
        return replace(
            state,
            position=self._position,
            title=title_of(there),
            place=f"token {formatting.number(self._position + 1)} of {formatting.number(len(tokens))}",
            rows=self._rows,
            chosen=self._chosen,
            deed=deed_of(self._rows[self._chosen]) if self._typed is None else OWN_WORDS,
            price=self._price.words,
            note=self._price.note or ("" if len(self._rows) > 1 or self._typed is not None else ONE_WAY),
            is_written=self._typed is not None,
        )
