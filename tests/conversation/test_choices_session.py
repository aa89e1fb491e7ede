"""Sessions at random: answers, forks and edits of them, answers that go on, undo, redo, refusals, kills, the trash.

At every moment each answer has choices of its first token ids, and no more, and they are those of these ids.
"""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from app.conversation import message_rows
from app.conversation.database import Database
from app.conversation.faults import Fault, StoreError, store_error
from app.conversation.kept_choices import NewChoices
from app.conversation.message import Message
from app.conversation.store import Store
from app.exchange import espalier
from app.protocol.choices import Candidate, Choice, pack, unpack
from tests.conversation.builders import asked
from tests.seeds import each_seed

_GIVEN = Choice(None, length=1)
Tokens = list[tuple[int, Choice | None]]
_PIECE = 5  # token ids in a row of the database


class Session:
    """A store, and what it must know of its answers."""

    def __init__(self, path: Path, rng: random.Random, monkeypatch: pytest.MonkeyPatch) -> None:
        self.rng, self.path, self.patch = rng, path, monkeypatch
        self.store = Store(path)
        self.conversation, self.question, _ = asked(self.store)
        self.known: dict[str, Tokens] = {}
        self.last = 0

    def act(self) -> None:
        actions = [self.answer, self.fork, self.go_on, self.go_on, self.undo, self.redo, self.kill, self.empty]
        self.rng.choice(actions)()

    def answer(self) -> None:
        """Write an answer, with alternatives or without."""
        self.write([], self.rng.random() < 0.8, None)

    def fork(self) -> None:
        """Write an answer that begins like another one, with a token of its own after that."""
        for like, tokens in self.some():
            at = self.rng.randrange(len(tokens))
            has_choices = self.rng.random() < 0.8
            before = [(one, (choice or _GIVEN) if has_choices else None) for one, choice in tokens[:at]]
            stood, choice = tokens[at]
            others: tuple[Candidate, ...] = ()
            is_known = all(one is not None for _, one in tokens[: at + 1])
            if is_known and choice is not None:
                others = choice.candidates
                if choice.share is not None:
                    others = (*others, Candidate(stood, choice.share, chr(stood)))
                others = tuple(sorted(others, key=lambda one: -one.share))
            fork = (self.fresh(), _GIVEN._replace(candidates=others) if has_choices else None)
            self.write([*before, fork], has_choices, like)

    def go_on(self) -> None:
        """Have an answer go on, with alternatives or without; it may be refused and tried again, or cut by a kill."""
        for answer_id, tokens in self.some():
            before = self.store.messages.reopen(answer_id)
            has_choices = self.rng.random() < 0.7
            given = [(one, choice or _GIVEN) if has_choices else (one, choice) for one, choice in tokens]
            self.known[answer_id] = []  # until it has ended
            own = [self.drawn(has_choices) for _ in range(self.rng.randrange(1, 9))]
            self.end(answer_id, given, own, has_choices, answer_id)
            self.store.record(self.store.messages.continued(before))

    def undo(self) -> None:
        self.store.undo()

    def redo(self) -> None:
        self.store.redo()

    def kill(self) -> None:
        """Go on in what is on the disk now, as after a kill between two commits."""
        copy = self.path.with_name(f"copy {self.rng.random()}.sqlite")
        for ending in ("", "-wal"):
            with suppress(FileNotFoundError):
                shutil.copyfile(f"{self.path}{ending}", f"{copy}{ending}")
        self.store.close()
        self.path, self.store = copy, Store(copy)

    def empty(self) -> None:
        """Empty the trash: nothing of what was taken back is left."""
        self.store.empty_trash()
        rows = self.store.database.rows("""SELECT message.id, tokens, (SELECT sum(length(ids)) / 4 FROM message_ids
            WHERE message = message.number), message.number FROM message WHERE stop IS NOT NULL""")
        for answer_id, tokens, stored, number in rows:
            assert tokens == stored, answer_id
            with self.store.database.reading():
                kept = self.store.messages._rows.choices(number)
            assert kept == self.store.messages.choices(answer_id)

    def some(self) -> Iterator[tuple[str, Tokens]]:
        """Yield one of the answers that can be seen and have ended, with its tokens as they are now."""
        seen = [one for one in self.store.messages.of(self.conversation.id) if one.id in self.known and one.ids]
        if seen:
            one = self.rng.choice(seen)
            yield one.id, self.known[one.id][: len(one.ids or ())]

    def write(self, given: Tokens, has_choices: bool, like: str | None) -> None:
        answer = Message.new(self.conversation.id, self.question.id, "assistant")
        self.store.record(self.store.messages.add(answer))
        own = [self.drawn(has_choices) for _ in range(self.rng.randrange(0 if given else 1, 9))]
        self.end(answer.id, given, own, has_choices, like)

    def end(self, answer_id: str, given: Tokens, own: Tokens, has_choices: bool, like: str | None) -> None:
        """End an answer, now and then at the second time, after one of its commits was refused."""
        ids = [token for token, _ in (*given, *own)]
        packed = pack([_GIVEN] * len(given) + [choice for _, choice in own if choice is not None])
        choices = NewChoices(packed, like) if has_choices else None
        stored = self.store.messages.progress_of(answer_id).length
        text = "".join(map(chr, ids))[stored:]

        def finish() -> None:
            self.store.messages.finish(answer_id, stop="finished", text=text, ids=ids, choices=choices)

        if self.rng.random() < 0.3:
            with self.refused(self.rng.randrange(1 + len(ids) // _PIECE)), suppress(StoreError):
                finish()
            if not self.store.messages.progress_of(answer_id).has_ended:
                assert self.store.messages.choices(answer_id) == b""
                finish()
        else:
            finish()
        self.known[answer_id] = [*given, *own]

    @contextmanager
    def refused(self, commits: int) -> Iterator[None]:
        """Refuse every commit after so many."""
        left, writing = iter(range(commits)), Database.writing

        @contextmanager
        def refusing(database: Database) -> Iterator[None]:
            with writing(database):
                yield
                if next(left, None) is None:
                    raise store_error(Fault.FULL, None)

        with self.patch.context() as patch:
            patch.setattr(Database, "writing", refusing)
            yield

    def drawn(self, has_choices: bool) -> tuple[int, Choice | None]:
        """A token, by its id the character that it says, and what it was drawn from."""
        token, rng = self.fresh(), self.rng
        shares = sorted((rng.randrange(50, 2_000) for _ in range(rng.randrange(4))), reverse=True)
        others = tuple(Candidate(10_000 + 10 * token + number, one, "w") for number, one in enumerate(shares))
        return token, Choice(rng.randrange(3_000, 9_900), others, length=1) if has_choices else None

    def fresh(self) -> int:
        self.last += 1
        return 0x100 + self.last

    def check(self) -> None:
        for one in self.store.messages.of(self.conversation.id):
            packed = self.store.messages.choices(one.id)
            found = unpack(packed) if packed else ()
            tokens = self.known.get(one.id, [])[: len(one.ids or ())]
            assert tuple(one.ids or ()) == tuple(token for token, _ in tokens)
            wanted = [choice for _, choice in tokens]
            until = wanted.index(None) if None in wanted else len(wanted)
            assert found == tuple(wanted[:until])

    def check_exchange(self) -> None:
        document = self.store.exports.export(self.conversation.id)
        read = espalier.read(espalier.write(document))
        assert read.choices == document.choices
        other = Store(None)
        edit = other.imports.add(read)
        assert edit.conversation_id is not None
        assert other.exports.export(edit.conversation_id).choices == document.choices
        other.close()


@each_seed(range(60))
def test_choices_are_those_of_the_token_ids_whatever_happens(
    tmp_path: Path, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(message_rows, "IDS_IN_A_PIECE", _PIECE)
        session = Session(tmp_path / "conversations.sqlite", random.Random(seed), monkeypatch)
        for _ in range(40):
            session.act()
            session.check()
        session.check_exchange()
        session.store.close()
