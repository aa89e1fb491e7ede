"""What comes with questions: stored with them, once for all that use it, and gone with the last of them."""

from __future__ import annotations

import random
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

from app.conversation.branch import Branch
from app.conversation.message import Conversation, Message, new_id
from app.conversation.records import ViewState
from app.conversation.schema import MIGRATIONS, VERSION_1, migrate
from app.conversation.store import Store
from app.conversation.unsaved import read_unsaved, write_unsaved
from app.protocol.chat import Attachment
from tests.conversation.builders import asked, attached, raw, words

REPORT = Attachment("report.pdf", "pdf", "Medlars keep until March. " * 400)
NOTES = Attachment("notes.md", "markdown", "# Quinces")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "conversations.sqlite"


def about(conversation: Conversation, text: str, *attachments: Attachment, parent: str | None = None) -> Message:
    return Message.new(conversation.id, parent, "user", text, attachments=attachments)


def stored_texts(store: Store) -> list[str]:
    return [row[0] for row in store.database.rows("SELECT text FROM attached_text ORDER BY number")]


def test_a_question_is_there_with_all_that_is_attached_in_its_order(path: Path) -> None:
    store, conversation = Store(path), Conversation.new()
    question = about(conversation, "Which keep?", REPORT, NOTES, replace(REPORT, name="again.txt", kind="text"))
    store.messages.begin(conversation, question)
    store.close()
    again = Store(path)
    assert again.messages.of(conversation.id) == (question,)
    assert Branch(again.messages.load(conversation.id).path, None)[0].attachments == question.attachments
    assert stored_texts(again) == [REPORT.text, NOTES.text]


def test_ten_branches_about_one_document_hold_it_once(path: Path) -> None:
    store, conversation = Store(path), Conversation.new()
    store.conversations.create(conversation)
    for number in range(10):
        store.messages.add(about(conversation, f"Question {number}", REPORT))
    assert stored_texts(store) == [REPORT.text]
    held = {id(message.attachments[0].text) for message in store.messages.of(conversation.id)}
    assert len(held) == 1


def test_a_text_goes_with_the_last_message_that_uses_it(path: Path) -> None:
    """Whatever is deleted for ever, in whatever order: what is still used is there, and nothing else."""
    rng = random.Random(3)
    store, conversation = Store(path), Conversation.new()
    store.conversations.create(conversation)
    pool = [Attachment(f"{number}.txt", "text", words(rng, 200)) for number in range(6)]
    for _ in range(40):
        if rng.random() < 0.5:
            parent = rng.choice([None, *[one.id for one in store.messages.of(conversation.id)]])
            chosen = tuple(rng.sample(pool, rng.randint(0, 3)))
            store.messages.add(about(conversation, "?", *chosen, parent=parent))
        elif known := store.messages.of(conversation.id):
            store.trash.delete_message(rng.choice(known).id)
            if rng.random() < 0.5:
                store.empty_trash()
                used = {one.text for message in store.messages.of(conversation.id) for one in message.attachments}
                assert set(stored_texts(store)) == used
    assert store.database.rows("PRAGMA foreign_key_check") == []


def test_undo_takes_a_question_back_with_what_is_attached_and_redo_brings_both() -> None:
    store, conversation = Store(None), Conversation.new()
    store.conversations.create(conversation)
    question = about(conversation, "Which keep?", REPORT)
    store.change(lambda it: it.messages.add(question))
    store.undo()
    assert store.messages.of(conversation.id) == ()
    store.redo()
    assert store.messages.of(conversation.id) == (question,)


def test_what_is_attached_never_changes(path: Path) -> None:
    store, conversation = Store(path), Conversation.new()
    store.messages.begin(conversation, about(conversation, "Which keep?", REPORT))
    for statement in (
        "UPDATE attached_text SET text = 'other'",
        "UPDATE message_attachment SET name = 'other'",
        "DELETE FROM attached_text",
    ):
        with raw(path) as other, pytest.raises(sqlite3.IntegrityError):
            other.execute(statement)


def test_only_a_question_has_attachments() -> None:
    with pytest.raises(ValueError, match="only a question"):
        Message.new(new_id(), None, "system", "Be brief", attachments=(NOTES,))
    with pytest.raises(ValueError, match="only a question"):
        Message.new(new_id(), new_id(), "assistant", "Yes", attachments=(NOTES,))


def test_a_question_that_cannot_be_stored_leaves_no_text(path: Path) -> None:
    store, conversation = Store(path), Conversation.new()
    question = about(conversation, "Which keep?", REPORT)
    store.messages.begin(conversation, question)
    with pytest.raises(ValueError, match="refuses"):
        store.messages.add(replace(question, attachments=(NOTES,)))
    assert stored_texts(store) == [REPORT.text]


def test_drafts_come_back_with_what_is_attached(path: Path) -> None:
    """At random: what is stored last is what is there, and no text stays that nothing uses."""
    rng = random.Random(5)
    store = Store(path)
    conversation, _, _ = asked(store)
    homes = [conversation.id, *(new_id() for _ in range(3))]
    for _ in range(60):
        home = rng.choice(homes)
        state = ViewState(
            *(home, words(rng, rng.randint(0, 3)), None, "", None, 0.0, False),
            *(attached(rng), attached(rng)),
            is_blank=home != conversation.id,
        )
        store.view_states.save(state)
        kept = {one.conversation_id: one for one in store.view_states.all()}
        assert kept.get(home, ViewState(home, is_blank=state.is_blank)) == state
        used = {one.text for view in kept.values() for one in (*view.attachments, *view.attachments_aside)}
        assert set(stored_texts(store)) == used


def test_a_draft_that_is_sent_hands_its_attachments_to_the_question(path: Path) -> None:
    store = Store(path)
    conversation, question, _ = asked(store)
    aside = ViewState(conversation.id, "And?", question.id, "later", None, 0.0, True, (REPORT,), (NOTES,), window=1)
    store.view_states.save(aside)
    store.messages.add(about(conversation, "And?", REPORT))
    (left,) = store.view_states.all()
    assert (left.draft, left.attachments, left.attachments_aside) == ("later", (NOTES,), ())
    assert stored_texts(store) == [REPORT.text, NOTES.text]


def test_a_blank_conversations_draft_is_sent_with_it(path: Path) -> None:
    store, conversation = Store(path), Conversation.new()
    blank = ViewState(conversation.id, "And?", is_open=True, attachments=(REPORT,), window=2, is_blank=True)
    store.view_states.save(blank)
    store.messages.begin(conversation, about(conversation, "And?", REPORT))
    (left,) = store.view_states.all()
    assert left == ViewState(conversation.id, is_open=True, window=2)
    assert stored_texts(store) == [REPORT.text]


def test_a_draft_that_the_disk_refused_waits_with_its_attachments(path: Path) -> None:
    view = ViewState(new_id(), "And?", attachments=(REPORT,), attachments_aside=(NOTES,))
    question = about(Conversation.new(), "Which?", NOTES)
    assert write_unsaved(path, (view, question))
    ((_, records),) = read_unsaved(path)
    assert records == (view, question)


def test_words_of_attachments_are_found_and_the_hit_says_where() -> None:
    store, conversation = Store(None), Conversation.new()
    long = replace(REPORT, text="pear " * 20_000 + "The mulberry stands here. " + "pear " * 20_000)
    question = about(conversation, "What of the figs?", long, NOTES)
    store.messages.begin(conversation, question)
    while store.idle_step():
        pass
    for looked_for, where in (
        ("mulberry", "report.pdf"),
        ("Quinces", "notes.md"),
        ("figs", ""),
        ("notes.md", "notes.md"),
    ):
        (hit,) = store.search.find(looked_for)
        assert (hit.message_id, hit.attachment) == (question.id, where)
        low, high = hit.ranges[0]
        assert hit.excerpt[low:high].lower() in looked_for.lower()
    (hit,) = store.search.find("figs mulberry")
    assert hit.message_id == question.id


def test_an_old_database_takes_attachments(path: Path) -> None:
    for version in range(1, len(MIGRATIONS)):
        old = path.with_name(f"{version}.sqlite")
        with raw(old) as other:
            migrate(other, None, MIGRATIONS[:version])
        store, conversation = Store(old), Conversation.new()
        question = about(conversation, "Which keep?", REPORT)
        store.messages.begin(conversation, question)
        assert store.messages.of(conversation.id) == (question,)
        store.close()
    assert MIGRATIONS[0] is VERSION_1


def test_a_damaged_name_or_kind_keeps_no_conversation_from_opening(path: Path) -> None:
    store, conversation = Store(path), Conversation.new()
    store.messages.begin(conversation, about(conversation, "Which keep?", REPORT))
    store.close()
    with raw(path) as other:
        other.execute("DROP TRIGGER message_attachment_changed")
        other.execute("UPDATE message_attachment SET name = ?, kind = 'film'", (f" \n{'a ' * 300}",))
    (question,) = Store(path).messages.of(conversation.id)
    assert question.attachments[0].text == REPORT.text
    assert question.attachments[0].kind == "text"
