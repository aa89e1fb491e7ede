"""How conversations were left, in which window: what is saved last is there, and earlier versions lose nothing."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest

from app.conversation.message import EDITED, Conversation, Message, new_id
from app.conversation.records import ViewState
from app.conversation.rescue import rescue
from app.conversation.schema import MIGRATIONS, migrate
from app.conversation.store import Store
from app.protocol.chat import Attachment
from tests.conversation.builders import asked, raw, words
from tests.seeds import chosen

BEFORE_WINDOWS = 10


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "conversations.sqlite"


class Left:
    """The states that were saved, as they must be found."""

    def __init__(self) -> None:
        self.states: dict[str, ViewState] = {}

    def save(self, *states: ViewState) -> None:
        for state in states:
            if state.is_open:
                self._close(state.window)
            self.states.pop(state.conversation_id, None)
            if not state.is_empty:
                self.states[state.conversation_id] = state

    def _close(self, window: int | None) -> None:
        for one in [one for one in self.states.values() if one.is_open and one.window == window]:
            kept = window if one.is_blank else None
            self.states[one.conversation_id] = ViewState(
                one.conversation_id, one.draft, window=kept, is_blank=one.is_blank
            )


def test_a_window_shows_one_conversation_whatever_is_saved_in_which_order(path: Path) -> None:
    for seed in chosen(range(3)):
        rng, store, left = random.Random(seed), Store(path.with_name(f"{seed}.sqlite")), Left()
        stored = [asked(store)[0].id for _ in range(4)]
        homes = stored + [new_id() for _ in range(4)]
        for _ in range(40):
            states = []
            shown = rng.sample(homes, 3)
            for number in rng.sample([1, 2, 3], rng.randint(1, 3)):
                home = shown[number - 1]
                is_blank, is_open = home not in stored, rng.random() < 0.7
                window = number if is_open or is_blank else None
                states.append(ViewState(home, words(rng, 1), is_open=is_open, window=window, is_blank=is_blank))
            store.view_states.save(*states)
            left.save(*states)
            found = {one.conversation_id: one for one in store.view_states.all()}
            assert {one.conversation_id: one.draft for one in found.values()} == {
                one.conversation_id: one.draft for one in left.states.values()
            }
            opened = [(one.window, one.conversation_id) for one in found.values() if one.is_open]
            assert sorted(opened) == sorted(
                (one.window, one.conversation_id) for one in left.states.values() if one.is_open
            )
            assert len({window for window, _ in opened}) == len(opened)
        store.close()


def test_two_windows_exchange_their_conversations(path: Path) -> None:
    store = Store(path)
    one, other = asked(store)[0].id, asked(store)[0].id
    for first, second in ((one, other), (other, one)):
        store.view_states.save(ViewState(first, is_open=True, window=1), ViewState(second, is_open=True, window=2))
        shown = {state.window: state.conversation_id for state in store.view_states.all()}
        assert shown == {1: first, 2: second}


def test_a_blank_conversation_that_begins_stays_where_it_is_open(path: Path) -> None:
    store, begun, beside = Store(path), Conversation.new(), Conversation.new()
    store.view_states.save(
        ViewState(begun.id, "Pears?", is_open=True, window=3, is_blank=True),
        ViewState(beside.id, "Pears?", window=1, is_blank=True),
    )
    store.messages.begin(begun, Message.new(begun.id, None, "user", "Pears?"))
    store.messages.begin(beside, Message.new(beside.id, None, "user", "Plums?"))
    assert set(store.view_states.all()) == {
        ViewState(begun.id, is_open=True, window=3),
        ViewState(beside.id, "Pears?"),
    }


def test_what_is_gone_for_ever_is_forgotten(path: Path) -> None:
    store = Store(path)
    store.view_states.save(ViewState(gone := new_id(), "a secret", window=1, is_blank=True))
    store.view_states.save(ViewState(gone, "a secret", is_open=True, window=1), ViewState(new_id(), "another"))
    assert store.view_states.all() == ()


def test_what_lies_in_the_trash_is_shown_nowhere_and_keeps_how_it_was_left_until_it_is_gone(path: Path) -> None:
    store = Store(path)
    home, question, answer = asked(store)
    store.messages.finish(answer.id, stop="finished", text="These.")
    left = ViewState(
        *(home.id, "And which not?", question.id, "Another day", question.id, 4.0),
        is_open=True,
        attachments=(Attachment("1.txt", "text", "one"),),
        attachments_aside=(Attachment("2.txt", "text", "two"),),
        settings='{"answers": 3}',
        window=2,
    )
    store.view_states.save(left)
    store.trash.delete_conversation(home.id)
    closed = replace(left, is_open=False, window=None)
    assert store.view_states.all() == (closed,)
    store.view_states.save(closed)
    store.trash.restore(store.trash.entries()[0].number)
    assert store.view_states.all() == (closed,)
    store.trash.delete_conversation(home.id)
    store.empty_trash()
    assert store.view_states.all() == ()


def left_by_one_window(path: Path) -> str:
    """Fill a database of the version before there were several windows; returns the conversation that was open."""
    home = new_id()
    with raw(path) as old:
        migrate(old, None, MIGRATIONS[:BEFORE_WINDOWS])
        old.execute("INSERT INTO conversation (id, title, created, updated) VALUES (?, 'Pears', 1, 1)", (home,))
        state = "INSERT INTO view_state (conversation, draft, aside, offset, is_open) VALUES (?, ?, '', 0, ?)"
        old.execute(state, (None, "an older draft", 0))
        old.execute(state, (1, "And plums?", 1))
        old.execute(state, (None, "the blank one", 0))
    return home


def test_an_upgraded_database_opens_its_conversation_in_the_first_window_with_every_draft(path: Path) -> None:
    home = left_by_one_window(path)
    store = Store(path)
    older, state, blank = store.view_states.all()
    assert state == ViewState(home, "And plums?", is_open=True, window=1)
    assert (older.draft, older.is_blank, older.window) == ("an older draft", True, None)
    assert (blank.draft, blank.is_blank, blank.window, blank.is_open) == ("the blank one", True, 1, False)
    begun = Conversation(older.conversation_id, None, 1.0, 1.0)
    store.messages.begin(begun, Message.new(begun.id, None, "user", "an older draft"))
    assert [one.draft for one in store.view_states.all()] == ["", "And plums?", "the blank one"]


def test_a_rescued_database_of_one_window_keeps_every_draft(path: Path) -> None:
    home = left_by_one_window(path)
    rescue(path)
    found = {one.draft: one for one in Store(path).view_states.all()}
    assert set(found) == {"an older draft", "And plums?", "the blank one"}
    assert found["And plums?"] == ViewState(home, "And plums?", is_open=True, window=1)


def test_an_edit_of_a_thought_alone_takes_no_draft_away(path: Path) -> None:
    """Its text is empty, as a draft may be beside which other words wait."""
    store = Store(path)
    conversation, _, answer = asked(store)
    state = ViewState(conversation.id, "", answer.id, "Words that wait", is_open=True, window=1)
    store.view_states.save(state)
    edit = replace(answer.edit("", None, "stopped"), id=new_id(), thinking="Hmm", stats={EDITED: 3})
    store.messages.add(edit)
    assert store.view_states.all() == (state,)
    store.close()
