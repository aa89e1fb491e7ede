"""What a model thought before an answer: kept beside its words, whatever becomes of the file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from app.conversation.message import Conversation, Message
from app.conversation.rescue import rescue
from app.conversation.schema import MIGRATIONS, migrate
from app.conversation.store import Store
from app.conversation.unsaved import read_unsaved, write_unsaved
from tests.conversation.builders import asked, raw

OLD = 6  # versions of the schema before there were thoughts


def answered(store: Store, thinking: str = "pears and quinces", text: str = "Late ones.") -> Message:
    """An answer that came in pieces, thought and text, and has ended."""
    conversation, question, _ = asked(store)
    answer = Message.new(conversation.id, question.id, "assistant", model="f", model_name="Guide")
    store.messages.add(answer)
    for start in range(0, len(thinking), 5):
        store.messages.append_text(answer.id, "", thinking[start : start + 5])
    store.messages.append_text(answer.id, text)
    store.messages.finish(answer.id, stop="finished", stats={"thinking_tokens": 7, "thinking_seconds": 1.5})
    return replace(
        answer,
        text=text,
        thinking=thinking,
        stop="finished",
        stats={"thinking_tokens": 7, "thinking_seconds": 1.5},
    )


def stored(store: Store, answer: Message) -> Message:
    return store.messages.load(answer.conversation_id).message(answer.id)


def test_a_thought_grows_beside_the_text_and_is_there_after_a_restart(tmp_path: Path) -> None:
    store = Store(tmp_path / "conversations.sqlite")
    answer = answered(store)
    assert stored(store, answer) == answer
    store.close()
    store = Store(tmp_path / "conversations.sqlite")
    assert stored(store, answer) == answer
    assert answer.turn("f").thinking == "pears and quinces"
    store.close()


def test_what_was_saved_of_a_thought_is_not_saved_again() -> None:
    store = Store(None)
    conversation, question, _ = asked(store)
    answer = Message.new(conversation.id, question.id, "assistant")
    for thinking, text in (("so", ""), ("so it", ""), ("so it is", "La"), ("so it is", "Late")):
        answer = replace(answer, thinking=thinking, text=text)
        for _ in range(2):
            store.messages.save_answer(answer)
            assert stored(store, answer) == answer
            progress = store.messages.progress_of(answer.id)
            assert (progress.length, progress.thinking) == (len(text), len(thinking))
    store.close()


def test_the_words_of_a_thought_are_found_and_no_title_comes_from_them() -> None:
    store = Store(None)
    answer = answered(store, thinking="the medlar is not asked for")
    (hit,) = store.search.find("medlar")
    assert (hit.message_id, hit.attachment) == (answer.id, "Thought")
    assert hit.excerpt == "the medlar is not asked for"
    assert [hit.attachment for hit in store.search.find("late ones")] == [""]
    assert "medlar" not in (store.conversations.get(answer.conversation_id).title or "")
    store.close()


def test_an_old_file_opens_and_marks_in_its_words_stay(tmp_path: Path) -> None:
    path = tmp_path / "conversations.sqlite"
    path.touch()
    with raw(path) as old:
        migrate(old, None, MIGRATIONS[:OLD])
        old.execute("INSERT INTO conversation (id, title, created, updated) VALUES (?, 'Old', 1, 1)", ("a" * 32,))
        for number, (role, text) in enumerate([("user", "Which?"), ("assistant", "<think>so</think>")]):
            old.execute(
                "INSERT INTO message (id, conversation, parent, role, text, created) VALUES (?, 1, ?, ?, ?, 1)",
                (f"{number:032x}", number or None, role, text),
            )
        old.execute("INSERT INTO message_text (message, text) VALUES (2, ' Late')")
        old.commit()
    store = Store(path)
    last = store.messages.of("a" * 32)[-1]
    assert (last.text, last.thinking) == ("<think>so</think> Late", "")
    store.close()


def test_a_damaged_file_gives_its_thoughts_back(tmp_path: Path) -> None:
    path = tmp_path / "conversations.sqlite"
    store = Store(path)
    answer = answered(store)
    store.close()
    rescue(path)
    store = Store(path)
    assert stored(store, answer) == answer
    store.close()


def test_a_thought_goes_into_the_trash_and_comes_back(tmp_path: Path) -> None:
    store = Store(tmp_path / "conversations.sqlite")
    answer = answered(store)
    store.change(lambda store: store.trash.delete_message(answer.id))
    assert answer.id not in store.messages.load(answer.conversation_id)
    store.undo()
    assert stored(store, answer) == answer
    store.close()


def test_an_imported_conversation_has_its_thoughts() -> None:
    store = Store(None)
    answer = answered(store)
    document = store.exports.export(answer.conversation_id)
    other = Store(None)
    other.imports.add(document)
    assert [message.thinking for message in other.messages.of(answer.conversation_id)][-1] == answer.thinking
    store.close()
    other.close()


def test_what_could_not_be_saved_is_kept_with_its_thought(tmp_path: Path) -> None:
    conversation = Conversation.new()
    answer = replace(Message.new(conversation.id, None, "assistant"), text="Late", thinking="so")
    assert write_unsaved(tmp_path / "conversations.sqlite", [answer])
    ((_, found),) = read_unsaved(tmp_path / "conversations.sqlite")
    assert found == (answer,)


def test_only_an_answer_has_a_thought() -> None:
    question = Message.new(Conversation.new().id, None, "user", "Which?")
    with pytest.raises(ValueError, match="a thought"):
        replace(question, thinking="so")
