"""What a person wrote and was answered, brought to safety as the program ends, whatever the disk does."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from app.conversation.message import Message
from app.conversation.unsaved import UnsavedRecord
from app.protocol.reports import Problem
from app.viewmodels.chat.answer_saver import AnswerSaver
from app.viewmodels.chat.questions import Questions
from app.viewmodels.chat.view_states import ViewStates
from app.viewmodels.kit.store_link import StoreLink

logger = logging.getLogger(__name__)
_TITLE = "What you wrote last could not be saved"


class LastSave:
    """Saves every answer and every draft to its end: in the database, or else together in a file for the next start.

    Attribute: lost, what to tell of words that could be saved nowhere.
    """

    def __init__(
        self, store: StoreLink, questions: Questions, answer_saver: AnswerSaver, view_states: ViewStates
    ) -> None:
        self._store, self._questions = store, questions
        self._answer_saver, self._view_states = answer_saver, view_states
        self.lost: Problem | None = None

    def close(self) -> None:
        """Save every word, when nothing more is answered.

        Where the disk hangs, the rest is left to `keep_for_next_start`.
        """
        for has_room in (False, True):
            if has_room:
                self._store.do(lambda store: store.search.drop_index())
            self._answer_saver.save_rest()
            self._view_states.save()
            self._store.drain()
            if self._store.is_stuck or not self._unsaved:
                break
        else:
            self._keep(self._unsaved)
        self._view_states.close()

    def keep_for_next_start(self) -> None:
        """Put what a disk that hangs did not take into a file elsewhere."""
        records = self._unsaved
        if records:
            is_kept = self._store.keep_for_next_start(records)
            self._note(records, is_kept, "The disk does not answer. {} may not be there at the next start.")

    @property
    def _unsaved(self) -> tuple[UnsavedRecord, ...]:
        """The answers and drafts that the database has not taken: none where it takes nothing at all."""
        if self._store.is_read_only:
            return ()
        return *self._questions.unsaved_answers, *self._view_states.unsaved

    def _keep(self, records: Sequence[UnsavedRecord]) -> None:
        sentence = "Neither the conversations nor a file of its own had room for {}. They are lost."
        self._store.do(
            lambda store: store.keep_for_next_start(records),
            lambda is_kept: self._note(records, is_kept, sentence),
        )
        self._store.drain()

    def _note(self, records: Sequence[UnsavedRecord], is_kept: bool, sentence: str) -> None:
        """Note whether records are kept in a file. sentence: what is told where they are not."""
        length = sum(map(_length, records))
        characters = f"{length:,} characters"
        if is_kept:
            logger.critical("%d answers and drafts, %s, are kept in a file", len(records), characters)
            for question in self._questions.saving:
                question.let_go()
        else:
            logger.critical("%d answers and drafts, %s, could be saved nowhere", len(records), characters)
            self.lost = Problem(_TITLE, sentence.format(characters)) if length else None


def _length(record: UnsavedRecord) -> int:
    """Count the characters of a record: of words, and not of what was chosen."""
    if isinstance(record, Message):
        return len(record.text) + len(record.thinking)
    attached = sum(len(one.text) for one in record.attachments + record.attachments_aside)
    return len(record.draft) + len(record.aside) + attached
