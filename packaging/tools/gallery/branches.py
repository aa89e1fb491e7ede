"""Conversations with many branches for the pictures of the outline, and what a person does there."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from dataclasses import replace

from app.conversation.message import Conversation, Message, new_id
from app.conversation.store import Store
from app.viewmodels.app import App
from app.widgets.window.main_window import MainWindow
from tools.gallery.conversations import MODEL, MODEL_NAME, tokens

MINUTE, HOUR = 60.0, 3600.0
WORDS = ("cheaper", "by bus", "in spring", "with a dog", "shorter", "as a table", "for six", "without the museum")
Act = Callable[[App, MainWindow], None]


def name_branches(store: Store) -> None:
    """Name the branches of the trip, and have it grow some more, as in the drawing."""
    trip = next(one.id for one in store.conversations.all() if one.title == "Trip plan")
    said = {message.text: message for message in store.messages.of(trip)}
    by_words = {text[:12]: message for text, message in said.items()}
    train, cheap, children = (by_words[words] for words in ("By train ins", "Make it chea", "With the chi"))
    for message, name in ((train, "By train"), (cheap, "cheaper"), (children, "With the children")):
        store.messages.name_branch(message.id, name)
    leaf = store.messages.leaf_of(trip)
    plan = cheap.parent_id
    by_train, with_children = _answer_to(said, train), _answer_to(said, children)
    via = _say(store, trip, by_train, ("Go via Madrid and stay a night", "Then you arrive rested."), 12 * MINUTE)
    night = _say(store, trip, by_train, ("What about the night train?", "It does not run.") * 2, HOUR)
    store.messages.name_branch(via[0], "via Madrid")
    store.messages.name_branch(night[0], "the night train")
    _say(store, trip, with_children, ("Is the beach warm?", "Not in October."), 2 * HOUR)
    days = _say(store, trip, with_children, ("Day by day, please", "The first day is for the aquarium.") * 5, 2 * HOUR)
    final = _say(store, trip, days[-1], ("Write it down", "Here it is.", "Thanks, print it"), 2 * HOUR)
    store.messages.name_branch(final[0], "Final itinerary")
    store.messages.mark_favourite(final[0], is_favourite=True)
    _say(store, trip, days[-1], ("Could we leave on Thursday instead?", "Yes, by the early train."), 2 * HOUR)
    _say(store, trip, plan, ("What about Porto instead?", "Three days are enough for it."), 25 * HOUR)
    store.messages.select_path(trip, leaf)


def grow_wild(store: Store) -> None:
    """Add a conversation of 300 turns with 60 branches, most of which leave one long path."""
    rng = random.Random(12)
    conversation = Conversation(new_id(), "A novel, draft by draft", time.time(), time.time())
    store.conversations.create(conversation)
    trunk: list[str] = []
    for turn in range(240):
        words = (f"Chapter {turn // 8 + 1}: what happens in scene {turn % 8 + 1}?", "She opens the door and waits.")
        trunk += _say(store, conversation.id, trunk[-1] if trunk else None, words, HOUR)
    for number in range(60):
        name = f"{rng.choice(WORDS)}, {number + 1}"
        at = rng.randrange(1, len(trunk), 2)
        words = (f"Once more, {name}", "The door was never locked.") * rng.choice((1, 1, 1, 5))
        made = _say(store, conversation.id, trunk[at], words, MINUTE * (60 - number))
        if number % 3 == 0:
            store.messages.name_branch(made[0], name)
    store.messages.select_path(conversation.id, trunk[-1])


def answer_fifty_times(store: Store) -> None:
    """Add a conversation whose question has fifty answers, one with a name and one that was gone on from."""
    conversation = Conversation(new_id(), "A title for the poem", time.time(), time.time())
    store.conversations.create(conversation)
    (question,) = _say(store, conversation.id, None, ("Find a title for the poem about the harbour",), HOUR)
    made = [
        Message.new(conversation.id, question, "assistant", f"**Title {number}**: The Harbour") for number in range(50)
    ]
    for answer in made:
        store.messages.add(replace(answer, stop="finished"))
    store.messages.name_branch(made[20].id, "The Harbour in March")
    _say(store, conversation.id, made[33].id, ("Shorter, please", "Harbour."), MINUTE)
    store.messages.select_path(conversation.id, made[49].id)


def filter_by(words: str) -> Act:
    """Return what types words into the filter of the outline."""
    return lambda _app, window: window.branches.field.setText(words)


def hoist(name: str) -> Act:
    """Return what shows a named branch alone, with all that hangs below it."""
    return lambda app, _window: app.branches.hoist(_row_of(app, name))


def unfold(name: str) -> Act:
    """Return what lists the questions of a long branch, puts another one away, and names a third."""

    def act(app: App, _window: MainWindow) -> None:
        app.branches.unfold(_row_of(app, name), is_unfolded=True)
        app.branches.put_away(_row_of(app, "By train"), is_away=True)

    return act


def _row_of(app: App, name: str) -> str:
    model = app.branches.model
    return next(node.id for node in model.rows if model.row(node).title.strip("“”").startswith(name))


def _answer_to(said: dict[str, Message], question: Message) -> str:
    return next(one.id for one in said.values() if one.parent_id == question.id)


def _say(store: Store, owner: str, parent: str | None, texts: Sequence[str], ago: float) -> list[str]:
    """Add questions and answers, turn by turn; returns their ids."""
    made: list[str] = []
    for number, text in enumerate(texts):
        above, at = made[-1] if made else parent, time.time() - ago
        if number % 2:
            ids = tuple(range(tokens(text)))
            new = Message(
                *(new_id(), owner, above, "assistant", text, at, ids, MODEL, MODEL_NAME, {"tokens": len(ids)}),
                stop="finished",
            )
        else:
            new = Message(new_id(), owner, above, "user", text, at)
        store.messages.add(new)
        made.append(new.id)
    return made
