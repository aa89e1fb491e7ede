"""Branches that the list of conversations shows."""

from __future__ import annotations

from app.conversation.message import Conversation, Message
from app.conversation.message_store import LISTED
from app.conversation.store import Store


def test_named_branches_and_favourites_are_listed_but_for_what_lies_in_the_trash() -> None:
    store = Store(None)
    kept, gone = Conversation.new("Trip"), Conversation.new("Gone")
    for one in (kept, gone):
        store.conversations.create(one)
    made = [Message.new(one.id, None, "user", text) for one in (kept, gone) for text in ("a", "b", "c", "d")]
    for message in made:
        store.messages.add(message)
    for message in made[:2] + made[4:5]:
        store.messages.name_branch(message.id, f"name of {message.text}")
    store.messages.mark_favourite(made[2].id, is_favourite=True)
    store.messages.mark_favourite(made[1].id, is_favourite=True)
    store.trash.delete_message(made[0].id)
    store.trash.delete_conversation(gone.id)
    listed = [(one.conversation_id, one.name, one.is_favourite, one.words) for one in store.messages.listed_branches()]
    assert listed == [(kept.id, "name of b", True, "b"), (kept.id, "", True, "c")]
    store.close()


def test_listing_branches_reads_no_other_messages() -> None:
    store = Store(None)
    plan = " ".join(str(row[-1]) for row in store.database.rows(f"EXPLAIN QUERY PLAN {LISTED}"))
    assert "message_listed" in plan
    store.close()
