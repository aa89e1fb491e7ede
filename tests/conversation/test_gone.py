"""Deleted means gone: the very bytes are looked for in every file of the folder."""

from __future__ import annotations

import os
import random
import time
from dataclasses import replace
from pathlib import Path

import pytest

from app.conversation.faults import Fault, StoreError
from app.conversation.kept_choices import NewChoices
from app.conversation.kept_copies import DAY
from app.conversation.message import Conversation, Message
from app.conversation.records import Document, Folder
from app.conversation.schema import PAGE_SIZE, VERSION_1, VERSION_2, migrate
from app.conversation.store import Store
from app.conversation.trash import THIRTY_DAYS
from app.protocol.chat import Attachment
from app.protocol.choices import Candidate, Choice, pack
from tests.conversation.builders import asked, fails, filled, raw
from tests.seeds import chosen

SECRET = "xylophonequince"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "conversations.sqlite"


def holding(folder: Path, word: str = SECRET) -> list[str]:
    """Files that hold a word, in any case."""
    files = sorted(file for file in folder.rglob("*") if file.is_file())
    return [file.name for file in files if word.encode() in file.read_bytes().lower()]


def tell_secrets(store: Store) -> tuple[Conversation, Message]:
    """The secret stands in a title, a long question, what is attached to it, a streamed answer, its name, its figures
    and its choices."""
    conversation = Conversation.new(f"Title {SECRET}")
    store.conversations.create(conversation)
    question = Message.new(conversation.id, None, "user", f"{'pear ' * 3000} {SECRET} {'quince ' * 3000}")
    attached = Attachment(f"{SECRET}.txt", "text", f"{'pear ' * 3000} {SECRET} {'quince ' * 3000}")
    question = replace(question, attachments=(attached, replace(attached, text=SECRET)))
    store.messages.add(question)
    answer = Message.new(conversation.id, question.id, "assistant", sampling={"stop": SECRET})
    store.messages.add(answer)
    for _ in range(40):
        store.messages.append_text(answer.id, f"The {SECRET} of the garden. " + "leaf " * 50)
    choices = NewChoices(pack([Choice(5_000, (Candidate(7, 900, SECRET),))]))
    store.messages.finish(answer.id, stop="finished", ids=range(9000), stats={"word": SECRET}, choices=choices)
    store.messages.name_branch(answer.id, f"Name {SECRET}")
    for number in range(30):  # so that pages of the index are merged and split
        store.messages.add(Message.new(conversation.id, answer.id, "user", f"{SECRET} {number} " + "twig " * 100))
    assert store.search.find(SECRET)
    return conversation, question


@pytest.mark.parametrize("whole", [True, False])
def test_after_the_trash_is_emptied_no_file_holds_the_word(path: Path, whole: bool) -> None:
    store = Store(path)
    asked(store, "Which pears keep?")
    conversation, question = tell_secrets(store)
    if whole:
        store.trash.delete_conversation(conversation.id)
    else:
        store.conversations.rename(conversation.id, "Something else")
        store.trash.delete_message(question.id)
    assert holding(path.parent)
    assert store.search.find(SECRET) == ()
    assert store.empty_trash() == 32
    assert holding(path.parent) == []
    assert store.trash.entries() == ()
    assert len(store.search.find("pears")) == 1
    store.close()
    assert holding(path.parent) == []
    again = Store(path)
    assert again.notice is None
    assert len(again.search.find("pears")) == 1
    again.close()


def test_what_lay_in_the_trash_before_a_restart_is_gone_too(path: Path) -> None:
    store = Store(path)
    conversation, _ = tell_secrets(store)
    folder = Folder.new(f"Folder {SECRET}")
    store.folders.create(folder)
    store.trash.delete_folder(folder.id)
    store.trash.delete_conversation(conversation.id)
    store.close()
    store = Store(path)
    assert store.empty_trash() == 32
    assert holding(path.parent) == []
    store.close()


def at_day(path: Path, monkeypatch: pytest.MonkeyPatch, day: float, began: float) -> tuple[int, ...]:
    """What lies in the trash after a start on this day: how many messages each entry has."""
    monkeypatch.setattr(time, "time", lambda: began + day * DAY)
    store = Store(path)
    found = tuple(entry.messages for entry in store.trash.entries())
    assert all(0.0 <= store.trash.now - entry.at < THIRTY_DAYS for entry in store.trash.entries())
    store.close()
    return found


def test_the_trash_empties_itself_after_thirty_days_and_not_before(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = Store(path)
    conversation, _ = tell_secrets(store)
    store.trash.delete_conversation(conversation.id)
    store.close()
    began = time.time()
    for day in (0.3, 6.0, 12.9, 13.2, 19.0, 25.0, 29.9):
        assert at_day(path, monkeypatch, day, began) == (32,)
    monkeypatch.setattr(time, "time", lambda: began + 30.1 * DAY)
    store = Store(path)
    assert store.trash.entries() == ()
    assert store.emptied == {conversation.id}
    store.close()
    assert holding(path.parent) == []


def test_a_clock_that_is_wrong_takes_a_week_at_most_and_never_adds_one(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The system's clock jumps both ways, by hours or by decades, and is put right again or not."""
    monkeypatch.undo()
    for seed in chosen(range(12)):
        rng = random.Random(seed)
        began, place = time.time(), path.with_name(f"{seed}.sqlite")
        store = Store(place)
        _, question, answer = asked(store)
        store.messages.finish(answer.id, stop="finished")
        store.trash.delete_message(question.id)
        store.close()
        day, wrong = 0.0, 0
        while at_day(place, monkeypatch, day, began):
            if wrong < 3 and rng.random() < 0.3:
                wrong += 1
                jump = rng.choice([-1, 1]) * 10 ** rng.uniform(-1, 5)
                if not at_day(place, monkeypatch, day + jump, began):
                    break
            day += rng.uniform(0.1, 6.0)
        assert 30 - 7 * wrong <= day <= 30 + 6 + 7 * wrong, f"seed {seed}: emptied after {day} days, {wrong} jumps"
        monkeypatch.undo()


def test_a_time_away_takes_a_week_of_the_thirty_days_at_most(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the trash says is what happens: with a clock that is right, so many days later and not before it is gone."""
    monkeypatch.undo()
    for seed in chosen(range(8)):
        dice, began, place = random.Random(seed), time.time(), path.with_name(f"{seed}.sqlite")
        store = Store(place)
        _, question, answer = asked(store)
        store.messages.finish(answer.id, stop="finished")
        store.trash.delete_message(question.id)
        store.close()
        day, left = 0.0, 30.0
        while left > 0:
            away = dice.choice([1.5, 6.5, 8.0, 90.0, 4000.0])
            day, left = day + away, left - min(away, 7.0)
            assert bool(at_day(place, monkeypatch, day, began)) == (left > 0), f"seed {seed}, day {day}"
        monkeypatch.undo()


def test_dates_from_a_file_are_shown_and_drive_no_clock(path: Path) -> None:
    store, now = Store(path), time.time()
    late = 252_971_856_000.0  # the year 9987
    conversation = replace(Conversation.new("Late"), created_at=late, updated_at=late)
    message = replace(Message.new(conversation.id, None, "user", "From a file"), created_at=late)
    store.imports.add(Document(conversation, (message,), leaf_id=message.id))
    assert store.messages.of(conversation.id)[0].created_at == late
    own, question, answer = asked(store, "Which pears keep?")
    store.messages.finish(answer.id, stop="finished")
    assert [one.id for one in store.conversations.all()] == [own.id, conversation.id]
    assert all(now <= one.updated_at <= time.time() for one in store.conversations.all())
    store.trash.delete_message(question.id)
    assert [0.0 <= store.trash.now - entry.at < 60.0 for entry in store.trash.entries()] == [True]
    old = replace(Conversation.new("Old"), updated_at=now - 9 * DAY)
    store.imports.add(Document(old))
    older = replace(Conversation.new("Older"), updated_at=now - 99 * DAY)
    store.imports.add(Document(older))
    between = replace(Conversation.new("Between"), updated_at=now - 50 * DAY)
    store.imports.add(Document(between))
    assert [one.id for one in store.conversations.all()] == [own.id, conversation.id, old.id, between.id, older.id]
    store.close()


def test_an_older_database_whose_dates_had_followed_one_from_a_file_is_mended(path: Path) -> None:
    late, now = 252_971_856_000.0, time.time()
    path.parent.mkdir(parents=True)
    with raw(path) as old:
        old.execute(f"PRAGMA page_size = {PAGE_SIZE}")
        migrate(old, None, (VERSION_1, VERSION_2))
        insert = "INSERT INTO conversation (id, title, created, updated) VALUES (?, ?, ?, ?)"
        rows = (("First", now - 5 * DAY), ("Before", now - 4 * DAY), ("Late", late), ("After", late + 1), ("Last", 3.0))
        for number, (title, updated) in enumerate(rows, 1):
            old.execute(insert, (f"{number:032x}", title, now, updated))
            created = late if title == "Late" else now - 2 * DAY if title == "After" else min(updated, now)
            old.execute(
                "INSERT INTO message (id, conversation, role, text, created) VALUES (?, ?, 'user', 'X', ?)",
                (f"{number + 10:032x}", number, created),
            )
        for at in (now - 40 * DAY, now - 3 * DAY, late + 2):
            entry = old.execute("INSERT INTO trash (at, operation) VALUES (?, 'delete')", (at,)).lastrowid
            old.execute(
                "INSERT INTO message (id, conversation, role, text, created, trash) VALUES (?, 1, 'user', 'X', 1.0, ?)",
                (f"{entry + 20:032x}", entry),
            )
    store = Store(path)
    found = {one.title: one.updated_at for one in store.conversations.all()}
    assert list(found) == ["After", "Late", "Before", "First", "Last"]  # the order stays
    assert found["After"] == pytest.approx(now - 2 * DAY)
    assert found["Late"] == pytest.approx(now, abs=60)
    assert found["Before"] == pytest.approx(now - 4 * DAY)
    assert [store.trash.now - entry.at for entry in store.trash.entries()] == pytest.approx([0, 3 * DAY], abs=60)
    store.close()


def test_what_is_deleted_while_the_clock_is_wrong_is_kept_for_its_thirty_days(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Store(path)
    _, question, answer = asked(store)
    store.messages.finish(answer.id, stop="finished")
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: 0.0)
    store.trash.delete_message(question.id)
    store.close()
    monkeypatch.setattr(time, "time", lambda: now + 60)
    store = Store(path)
    assert [entry.messages for entry in store.trash.entries()] == [2]
    store.close()


COPIES = (
    "conversations.version-1.sqlite",
    "conversations.version-2.part",
    "conversations.damaged-20260101-120000.sqlite",
    "conversations.damaged-20260101-120000.sqlite-wal",
    "conversations.sqlite.rescued-part",
    ".rescue-abc/old.sqlite",
)


def make_copies(folder: Path) -> None:
    for name in COPIES:
        file = folder / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(SECRET)


def test_emptying_the_trash_reaches_every_copy_of_the_database(path: Path) -> None:
    store = Store(path)
    conversation, _ = tell_secrets(store)
    make_copies(path.parent)
    store.trash.delete_conversation(conversation.id)
    store.empty_trash()
    assert store.kept_copies() == ()
    assert holding(path.parent) == []
    store.close()


def test_copies_of_the_database_are_kept_for_thirty_days(path: Path) -> None:
    Store(path).close()
    for age, kept in ((THIRTY_DAYS - 60, len(COPIES)), (THIRTY_DAYS + 60, 0), (-900 * DAY, len(COPIES))):
        make_copies(path.parent)
        then = time.time() - age
        for file in path.parent.iterdir():
            os.utime(file, (then, then))
        store = Store(path)
        assert len(store.kept_copies()) == kept
        assert all(file.stat().st_mtime <= time.time() for file in store.kept_copies())
        store.close()


def test_a_damaged_file_is_kept_for_thirty_days_from_when_it_was_found_so(path: Path) -> None:
    filled(path)
    damaged = bytearray(path.read_bytes())
    damaged[:100] = bytes(100)
    path.write_bytes(damaged)
    old = time.time() - 2 * THIRTY_DAYS
    os.utime(path, (old, old))
    for _ in range(2):
        store = Store(path)
        (kept,) = store.kept_copies()
        assert kept.read_bytes() == damaged
        store.close()


def test_another_programs_database_is_no_copy_and_stays(path: Path) -> None:
    path.parent.mkdir(parents=True)
    with raw(path) as other:
        other.execute("CREATE TABLE pears (name TEXT)")
    store = Store(path)
    assert store.notice is not None
    assert store.kept_copies() == ()
    store.empty_trash()
    (foreign,) = path.parent.glob("*.damaged-*")
    with raw(foreign) as other:
        assert other.execute("SELECT count(*) FROM pears").fetchone() == (0,)
    store.close()


def test_a_branch_of_thousands_of_messages_is_deleted_restored_and_gone() -> None:
    store = Store(None)
    conversation = Conversation.new("Long")
    messages: list[Message] = []
    for number in range(2500):
        messages.append(Message.new(conversation.id, messages[-1].id if messages else None, "user", f"Pear {number}"))
    store.imports.add(Document(conversation, tuple(messages), leaf_id=messages[-1].id))
    store.trash.delete_message(messages[2000].id)  # what hangs on a message of another entry goes with that
    edit = store.trash.delete_message(messages[1].id)
    store.trash.delete_message(messages[0].id)
    assert [entry.messages for entry in store.trash.entries()] == [1, 1999, 500]
    assert len(store.trash.revert(edit).changes) >= 2000
    assert len(store.messages.of(conversation.id)) == 2000
    store.trash.delete_conversation(conversation.id)
    assert store.empty_trash() == 2500
    assert store.trash.entries() == ()
    store.close()


def test_while_another_program_reads_the_person_is_told_that_traces_are_left(path: Path) -> None:
    store = Store(path, patience=0.01)
    conversation, _ = tell_secrets(store)
    with raw(path) as other:
        other.execute("BEGIN")
        other.execute("SELECT count(*) FROM message").fetchone()
        store.trash.delete_conversation(conversation.id)
        assert fails(store.empty_trash) is Fault.LOCKED
    store.empty_trash()
    assert holding(path.parent) == []
    store.close()


@pytest.mark.parametrize("how", ["removed", "moved", "replaced", "journal"])
def test_a_folder_that_is_taken_away_while_running_is_noticed_and_nothing_is_written_into_the_void(
    path: Path, tmp_path: Path, how: str
) -> None:
    store = Store(path)
    conversation, _, answer = asked(store)
    store.messages.append_text(answer.id, "Winter ")
    aside = tmp_path / "aside"
    if how == "removed":
        for file in path.parent.iterdir():
            file.unlink()
        path.parent.rmdir()
    elif how == "journal":
        Path(f"{path}-wal").rename(tmp_path / "wal")
    else:
        path.parent.rename(aside)
    if how == "replaced":
        Store(path).close()
    for attempt in (
        lambda: store.messages.append_text(answer.id, "pears."),
        lambda: store.messages.finish(answer.id, stop="finished"),
        lambda: store.conversations.rename(conversation.id, "Fruit"),
    ):
        with pytest.raises(StoreError) as caught:
            attempt()
        assert caught.value.fault is Fault.GONE
        assert str(path) in caught.value.problem.sentence
    assert store.messages.of(conversation.id)[1].text == "Winter "
    if how == "moved":  # and put back
        aside.rename(path.parent)
        store.messages.append_text(answer.id, "pears.")
        store.close()
        store = Store(path)
        assert store.messages.of(conversation.id)[1].text == "Winter pears."
    store.close()


def test_orders_stay_when_the_clock_is_put_back(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = Store(path)
    conversation, question, answer = asked(store)
    store.messages.finish(answer.id, stop="finished")
    monkeypatch.setattr(time, "time", lambda: 1000.0)
    later = [Message.new(conversation.id, question.id, "assistant", f"Later {number}") for number in range(3)]
    for message in later:
        store.messages.add(message)
        store.messages.finish(message.id, stop="finished")
    tree = store.messages.load(conversation.id)
    assert [message.id for message in tree.children(question.id)] == [answer.id, *[message.id for message in later]]
    assert [hit.message_id for hit in store.search.find("later")] == [message.id for message in reversed(later)]
    store.trash.delete_message(later[0].id)
    store.trash.delete_message(later[1].id)
    assert [entry.excerpt for entry in store.trash.entries()] == ["Later 1", "Later 0"]
    assert store.messages.of(conversation.id)[2] == replace(later[2], stop="finished")
    store.close()
