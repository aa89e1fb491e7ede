"""What has a name or a pin is found in all conversations, and not in the trash."""

from __future__ import annotations

from app.conversation.message import Conversation, Message
from app.conversation.store import Store


def test_names_and_pins_of_all_conversations_are_told() -> None:
    store = Store(None)
    homes = [Conversation.new(title) for title in ("One", "Two")]
    first = [Message.new(home.id, None, "user", f"words of {home.title} " + "x" * 300) for home in homes]
    for home, message in zip(homes, first, strict=True):
        store.messages.begin(home, message)
    answer = Message.new(homes[1].id, first[1].id, "assistant", "an answer")
    store.messages.add(answer)
    store.messages.append_text(answer.id, " that grew")
    assert store.messages.marked() == ()
    store.messages.name_branch(first[0].id, "A name")
    store.messages.pin(answer.id, True)
    told = store.messages.marked()
    assert [(one.message_id, one.title, one.name, one.is_pinned) for one in told] == [
        (answer.id, store.conversations.get(homes[1].id).title, None, True),
        (first[0].id, store.conversations.get(homes[0].id).title, "A name", False),
    ]
    assert told[0].words.startswith("an answer")
    assert len(told[1].words) == 200
    store.trash.delete_conversation(homes[0].id)
    assert [one.message_id for one in store.messages.marked()] == [answer.id]
    store.close()
