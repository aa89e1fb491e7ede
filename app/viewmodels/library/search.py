"""Searching what was said: while one types, in all conversations and all their branches."""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import lru_cache

from PySide6.QtCore import QObject, QTimer, Signal

from app.conversation.message import THOUGHT, Conversation
from app.conversation.search import Hit, SearchState
from app.conversation.store import Store
from app.conversation.terms import Term, terms_of, words_of
from app.viewmodels.kit.store_link import StoreLink
from app.viewmodels.library.library import Library
from app.viewmodels.library.line_model import LineModel, LineRow
from app.viewmodels.text import formatting
from app.viewmodels.text.branch_titles import quoted

WAIT_MS = 120
AGAIN_MS = 1000
MOST = 200
SOON = 200  # messages that may be missing from the index without a word about it
_MOST_TITLES = 20_000  # whose words are known from the search before
_LONGEST_NAME = 32  # characters of what the words were found in
_ROLES = {"user": "You: ", "assistant": "", "system": "Instructions: "}

Answer = tuple[list[Conversation], tuple[Hit, ...], SearchState]


class Search(QObject):
    """The words in the search field, and what was found.

    Properties: only the newest question's answer is shown; while messages are missing from the index it is asked again.

    Attributes: rows, what was found; sentence, what there is to say instead of or above it; is_active, whether
    something is looked for; in_thoughts, ids of messages where it was found in the thought. Signal: changed().
    """

    changed = Signal()

    def __init__(self, store: StoreLink, library: Library, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._store = store
        self._library = library
        self._text = ""
        self._asked = 0
        self.rows = LineModel(self)
        self.sentence = ""
        self.in_thoughts: frozenset[str] = frozenset()
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self.ask)

    @property
    def is_active(self) -> bool:
        """Whether the results are to be shown in place of the conversations."""
        return bool(self._text)

    @property
    def text(self) -> str:
        """The words that are looked for, "" for none."""
        return self._text

    def look_for(self, text: str) -> None:
        """Search for these words, a moment after the last key. Blanks end the search."""
        text = text.strip()
        if text == self._text:
            return
        self._text = text
        self._asked += 1
        if text:
            self._timer.start(WAIT_MS)
        else:
            self._timer.stop()
            self.sentence = ""
            self.rows.show(())
        self.changed.emit()

    def ask(self) -> None:
        """Ask the database now."""
        if not self._text:
            return
        self._asked += 1
        text, number, conversations = self._text, self._asked, self._library.conversations

        def find(store: Store) -> Answer:
            terms = terms_of(text)
            titled = [one for one in conversations if _is_titled(one, terms)]
            return titled, store.search.find(text, MOST), store.search.state

        def take(found: Answer) -> None:
            if number == self._asked:
                self._show(text, *found)

        self._store.do(find, take)

    def renew(self) -> None:
        """Search again: what is stored has changed."""
        if self._text:
            self._timer.start(WAIT_MS)

    def close(self) -> None:
        """Look for nothing any more, and show nothing that is still found."""
        self._text = ""
        self._asked += 1
        self._timer.stop()

    def _show(self, text: str, titled: Sequence[Conversation], hits: Sequence[Hit], state: SearchState) -> None:
        now = time.time()
        found = [*(_titled(one, now) for one in titled), *(_found(hit, now) for hit in hits)]
        self.in_thoughts = frozenset(hit.message_id for hit in hits if hit.attachment == THOUGHT)
        self.rows.show(found)
        self.sentence = _sentence(len(found), text, state)
        if state.is_available and state.left and state.problem is None:
            self._timer.start(AGAIN_MS)
        self.changed.emit()


def _sentence(found: int, text: str, state: SearchState) -> str:
    if state.problem is not None:
        return f"{state.problem.title}. {state.problem.sentence}"
    if state.is_available and state.left > SOON:
        return f"{formatting.plural(state.left, 'message')} still to be read; what is found so far is shown."
    if not found:
        return f"Nothing was found for {quoted(formatting.first_words(text))}."
    return f"The newest {formatting.number(MOST)} messages" if found >= MOST else ""


def _found(hit: Hit, now: float) -> LineRow:
    who = f"{formatting.first_words(hit.attachment, _LONGEST_NAME)}: " if hit.attachment else _ROLES[hit.role]
    ranges = tuple((start + len(who), end + len(who)) for start, end in hit.ranges)
    title = hit.title or "New conversation"
    return LineRow(
        hit.message_id, title, formatting.age(hit.created_at, now), who + hit.excerpt, ranges, hit.conversation_id
    )


def _is_titled(conversation: Conversation, terms: Sequence[Term]) -> bool:
    """Return whether words of a title begin with what is looked for: by the same words as messages are found by."""
    title = _words(conversation.title or "")
    return bool(terms) and all(f" {' '.join(term.words)}" in title for term in terms)


@lru_cache(_MOST_TITLES)
def _words(title: str) -> str:
    return "".join(f" {word.folded}" for word in words_of(title))


def _titled(conversation: Conversation, now: float) -> LineRow:
    age = formatting.age(conversation.updated_at, now)
    return LineRow("", conversation.title or "", age, "The conversation’s title", (), conversation.id)
