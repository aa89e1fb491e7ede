"""What the database has of an answer on its way there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from app.conversation.kept_choices import NewChoices
from app.conversation.message import Message
from app.conversation.message_store import Ending, Progress
from app.conversation.store import Store

NOTHING = Progress(False, 0, False)


@dataclass(slots=True)
class StoredSiblings:
    """Answers to one question that are written together, as the database has them. On the store's thread alone.

    kept: ids of those that are stored: all of them in one commit with the first word of any, but for those that had
    ended without one.
    """

    kept: frozenset[str] = frozenset()

    def keep(
        self,
        store: Store,
        answers: Sequence[Message],
        selected_id: str | None,
        is_step: bool,
        whole: Mapping[str, NewChoices],
    ) -> None:
        """Store these answers without their words, one after the other; nothing where that is done.

        selected_id: of the one that the selected path then ends with, None for none. is_step: they can be undone.
        whole: choices of those, by their ids, that are stored with all there is of them.
        """
        if not self.kept and not store.messages.progress_of(answers[0].id).is_stored:
            new = [answer if answer.id in whole else _empty(answer) for answer in answers]
            edit = store.messages.add_answers(new, selected_id, whole)
            if is_step:
                store.record(edit)
        self.kept = self.kept or frozenset(answer.id for answer in answers)

    def discard(self, store: Store, answer_id: str) -> None:
        """Take an answer away that has ended without a word, if it is stored. Doing it again changes nothing.

        The database is asked: a commit may have been made that was said to be refused.
        """
        if store.messages.progress_of(answer_id).is_stored:
            store.discard(answer_id)
        self.kept -= {answer_id}


@dataclass(slots=True)
class StoredAnswer:
    """A count of what the database has of an answer. On the store's thread alone.

    progress: None where a request failed, so that the database has to be asked. begun: the answer as it had ended
    before it went on, until it grows again in the database; ending: how that ended, from then on until it ends again.
    siblings: those that it is written together with, itself included; None for one that is written alone.
    """

    progress: Progress | None = NOTHING
    begun: Message | None = None
    ending: Ending | None = None
    siblings: StoredSiblings | None = None

    def save_rest(
        self, store: Store, answer: Message, is_selected: bool, is_step: bool, choices: NewChoices | None = None
    ) -> Progress:
        """Store what the database does not have of an answer, in one commit; returns what it has then.

        An answer that went on is a step of undo when it has ended again. choices: of one that has ended.
        """
        before = self.progress or store.messages.progress_of(answer.id)
        self.progress = None
        if self.siblings is not None and answer.id in self.siblings.kept and not before.is_stored:
            before = Progress(True, 0, False)
        if self.begun is not None and answer != self.begun and before.is_stored:
            self.ending = store.messages.reopen(answer.id)
            self.begun, before = None, before._replace(has_ended=False)
        edit = store.messages.save_answer(answer, before, is_selected, choices)
        if edit is not None and is_step:
            store.record(edit)
        if self.ending is not None and answer.stop is not None:
            store.record(store.messages.continued(self.ending))
            self.ending = None
        self.progress = max(before, _progress_of(answer))
        return self.progress


def _empty(answer: Message) -> Message:
    return replace(answer, text="", thinking="", stop=None, ids=None, stats=None)


def _progress_of(answer: Message) -> Progress:
    """Return the progress of an answer all of which is stored."""
    return Progress(True, len(answer.text), answer.stop is not None, len(answer.thinking))
