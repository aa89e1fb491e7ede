"""What the database has of an answer on its way there."""

from __future__ import annotations

from dataclasses import dataclass

from app.conversation.message import Message
from app.conversation.message_store import Ending, Progress
from app.conversation.store import Store

NOTHING = Progress(False, 0, False)


@dataclass(slots=True)
class StoredAnswer:
    """A count of what the database has of an answer. On the store's thread alone.

    progress: None where a request failed, so that the database has to be asked. begun: the answer as it had ended
    before it went on, until it grows again in the database; ending: how that ended, from then on until it ends again.
    """

    progress: Progress | None = NOTHING
    begun: Message | None = None
    ending: Ending | None = None

    def save_rest(self, store: Store, answer: Message, is_selected: bool, is_step: bool) -> Progress:
        """Store what the database does not have of an answer, in one commit; returns what it has then.

        An answer that went on is a step of undo when it has ended again.
        """
        before = self.progress or store.messages.progress_of(answer.id)
        self.progress = None
        if self.begun is not None and answer != self.begun and before.is_stored:
            self.ending = store.messages.reopen(answer.id)
            self.begun, before = None, before._replace(has_ended=False)
        edit = store.messages.save_answer(answer, before, is_selected)
        if edit is not None and is_step:
            store.record(edit)
        if self.ending is not None and answer.stop is not None:
            store.record(store.messages.continued(self.ending))
            self.ending = None
        self.progress = max(before, _progress_of(answer))
        return self.progress


def _progress_of(answer: Message) -> Progress:
    """Return the progress of an answer all of which is stored."""
    return Progress(True, len(answer.text), answer.stop is not None, len(answer.thinking))
