"""Random operations on a store, and everything that is in it, to compare."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from app.conversation.edit import Edit
from app.conversation.message import Conversation, Message
from app.conversation.records import Folder
from app.conversation.store import Store
from tests.conversation.builders import attached, words

_DUMPS = {
    "folder": "SELECT id, name, position, trash IS NULL FROM folder ORDER BY number",
    "conversation": """SELECT one.id, title, one.created, updated, used, one.favourite, folder.id, message.id,
        one.trash IS NULL FROM conversation AS one LEFT JOIN folder ON folder.number = folder
        LEFT JOIN message ON message.number = leaf ORDER BY one.number""",
    "message": """SELECT one.id, one.conversation, parent, role, text, one.created, visited, model, model_name, tokens,
        stats, stop, name, pinned, one.favourite, sampling, one.trash IS NULL AND conversation.trash IS NULL
        FROM message AS one JOIN conversation ON conversation.number = one.conversation ORDER BY one.number""",
    "text": "SELECT * FROM message_text ORDER BY number",
    "ids": "SELECT * FROM message_ids ORDER BY number",
    "choices": "SELECT * FROM message_choices ORDER BY number",
    "attachments": "SELECT * FROM message_attachment ORDER BY number",
    "attached": "SELECT * FROM attached_text ORDER BY number",
}
Dump = dict[str, list[tuple[Any, ...]]]


def dump(store: Store) -> Dump:
    """All that is stored, row by row; what lies in the trash ends with 0, where other rows have 1."""
    return {table: store.database.connection.execute(query).fetchall() for table, query in _DUMPS.items()}


def check_same(now: Dump, then: Dump) -> None:
    """All that was there is as it was. What was added since cannot be seen."""
    for table, rows in now.items():
        assert rows[: len(then[table])] == then[table]
        if table in ("folder", "conversation", "message"):
            assert not any(row[-1] for row in rows[len(then[table]) :])


class Hand:
    """Somebody who does things at random."""

    def __init__(self, store: Store, seed: int) -> None:
        self.store = store
        self.rng = random.Random(seed)

    def act(self) -> Edit:
        """One thing that can be taken back."""
        conversation = self._any_conversation()
        if conversation is None or self.rng.random() < 0.05:
            return self.store.conversations.create(Conversation.new(self.rng.choice([None, "Fruit"])))
        actions: list[tuple[int, Callable[[str], Edit]]] = [
            (10, self._ask),
            (8, self._answer),
            (2, self._answer_several_times),
            (4, self._delete),
            (1, self._prune),
            (1, self.store.trash.delete_conversation),
            (2, lambda it: self.store.conversations.rename(it, words(self.rng, 3))),
            (2, lambda it: self.store.conversations.mark_favourite(it, self.rng.random() < 0.5)),
            (2, self._move),
            (3, self._mark),
            (2, self._folder),
            (1, self._restore),
            (1, lambda it: self.store.imports.add(self.store.exports.export(it))),
        ]
        weights = [weight for weight, _ in actions]
        return self.rng.choices([action for _, action in actions], weights)[0](conversation)

    def wander(self) -> None:
        """Something that is no step of the history: another path, or an answer that grows."""
        conversation = self._any_conversation()
        known = () if conversation is None else self.store.messages.of(conversation)
        if conversation is None or not known:
            return
        if self.rng.random() < 0.7:
            self.store.messages.select_path(conversation, self.rng.choice([None, *[message.id for message in known]]))
        else:
            answer = Message.new(conversation, self.rng.choice(known).id, "assistant")
            self.store.messages.add(answer, select=self.rng.random() < 0.5)
            self.store.messages.append_text(answer.id, "Quince. ")
            self.store.messages.finish(answer.id, stop="finished", ids=(1, 2))

    def _any_conversation(self) -> str | None:
        known = self.store.conversations.all()
        return self.rng.choice(known).id if known else None

    def _any_message(self, conversation: str) -> str | None:
        return self.rng.choice([None, *[message.id for message in self.store.messages.of(conversation)]])

    def _ask(self, conversation: str) -> Edit:
        parent, text = self._any_message(conversation), words(self.rng, 5)
        question = Message.new(conversation, parent, "user", text, attachments=attached(self.rng))
        return self.store.messages.add(question, select=self.rng.random() < 0.8)

    def _answer(self, conversation: str) -> Edit:
        answer = Message.new(conversation, self._any_message(conversation), "assistant", words(self.rng, 9), model="f1")
        answer = replace(answer, ids=(1, 2, 3), stop="finished", stats={"rate": 3.5}, sampling={"temperature": 0.5})
        return self.store.messages.add(answer, select=self.rng.random() < 0.8)

    def _answer_several_times(self, conversation: str) -> Edit:
        """Answers of which those that get no word are discarded, as when their writing ends."""
        question = self._any_message(conversation)
        answers = [Message.new(conversation, question, "assistant") for _ in range(self.rng.randint(2, 4))]
        edit = self.store.messages.add_answers(answers, self.rng.choice([None, answers[0].id]))
        for answer in answers[1:]:
            if self.rng.random() < 0.5:
                self.store.messages.append_text(answer.id, "Quince. ")
                self.store.messages.finish(answer.id, stop="finished")
            else:
                edit = edit.without("message", self.store.messages.discard(answer.id))
        self.store.messages.finish(answers[0].id, stop="finished")
        return edit

    def _delete(self, conversation: str) -> Edit:
        message = self._any_message(conversation)
        return self._ask(conversation) if message is None else self.store.trash.delete_message(message)

    def _prune(self, conversation: str) -> Edit:
        return self.store.trash.prune(conversation)

    def _move(self, conversation: str) -> Edit:
        folders = [None, *[folder.id for folder in self.store.folders.all()]]
        return self.store.conversations.move(conversation, self.rng.choice(folders))

    def _mark(self, conversation: str) -> Edit:
        message = self._any_message(conversation)
        if message is None:
            return self._ask(conversation)
        is_on = self.rng.random() < 0.6
        return self.rng.choice(
            [
                lambda: self.store.messages.mark_favourite(message, is_on),
                lambda: self.store.messages.pin(message, is_on),
                lambda: self.store.messages.name_branch(message, words(self.rng, 2) if is_on else None),
            ]
        )()

    def _folder(self, _conversation: str) -> Edit:
        folders = [folder.id for folder in self.store.folders.all()]
        if not folders or self.rng.random() < 0.4:
            return self.store.folders.create(Folder.new(words(self.rng, 2)))
        folder = self.rng.choice(folders)
        return self.rng.choice(
            [
                lambda: self.store.folders.rename(folder, words(self.rng, 2)),
                lambda: self.store.trash.delete_folder(folder),
            ]
        )()

    def _restore(self, conversation: str) -> Edit:
        entries = self.store.trash.entries()
        return self.store.trash.restore(self.rng.choice(entries).number) if entries else self._ask(conversation)
