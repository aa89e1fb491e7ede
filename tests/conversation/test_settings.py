"""Settings: what holds from a question on is stored with it; what was not used yet lies with the draft."""

from __future__ import annotations

import random
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from app.conversation.branch import Branch
from app.conversation.message import Conversation, Message, new_id
from app.conversation.records import Preset, ViewState
from app.conversation.rescue import rescue
from app.conversation.schema import MIGRATIONS, migrate
from app.conversation.store import Store
from app.conversation.tree import MessageTree
from app.conversation.unsaved import read_unsaved, write_unsaved
from app.protocol.chat import PromptOptions
from tests.conversation.builders import asked, raw, told, words

RULE = "Answer in one word."


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "conversations.sqlite"


def question(conversation: Conversation, text: str = "Which?", instructions: str | None = RULE) -> Message:
    return Message.new(conversation.id, None, "user", text, instructions=instructions, thinks=False)


def test_a_question_is_there_with_what_holds_from_it_on(path: Path) -> None:
    store, conversation = Store(path), Conversation.new()
    first = question(conversation)
    store.messages.begin(conversation, first)
    store.close()
    assert Store(path).messages.of(conversation.id) == (first,)


def test_instructions_hold_until_another_question_changes_them() -> None:
    """On each branch by itself: what its last questions say that say anything."""
    outcomes = set()
    for seed in range(60):
        rng = random.Random(seed)
        tree = MessageTree(Conversation.new().id)
        holds: dict[str | None, PromptOptions] = {None: PromptOptions()}
        for _ in range(25):
            parent = rng.choice(list(holds))
            if rng.random() < 0.3 and parent is not None:
                message = Message.new(tree.conversation_id, parent, "assistant")
                holds[message.id] = holds[parent]
            else:
                thinks = rng.choice([None, True, False])
                message = Message.new(tree.conversation_id, parent, "user", "?", instructions=told(rng), thinks=thinks)
                before = holds[parent]
                holds[message.id] = PromptOptions(
                    before.instructions if message.instructions is None else message.instructions,
                    before.thinking if thinks is None else thinks,
                )
            tree.add(message)
        for at, expected in holds.items():
            if at is not None:
                path = tree.path_to(at)
                shared = rng.randint(0, len(path))
                assert Branch(path, None).options == expected, seed
                assert Branch(path, None, shared, *path[shared:]).options == expected, seed
                outcomes.add((expected.instructions is None, expected.instructions == "", expected.thinking))
    assert len(outcomes) == 9


def test_only_a_question_says_what_holds() -> None:
    conversation, _, answer = asked(Store(None))
    for wrong in ({"instructions": RULE}, {"thinks": True}):
        with pytest.raises(ValueError, match="from a question on"):
            replace(answer, **wrong)
        with pytest.raises(ValueError, match="from a question on"):
            Message(**{**asdict(Message.new(conversation.id, None, "system", "Be kind.")), **wrong})


def test_what_was_not_used_yet_is_there_again(path: Path) -> None:
    store = Store(path)
    conversation, _, _ = asked(store)
    blank = ViewState(new_id(), settings='{"a": 1}', is_blank=True)
    states = {ViewState(conversation.id, settings='{"instructions": "ü"}'), blank}
    for state in states:
        store.view_states.save(state)
    store.close()
    store = Store(path)
    assert set(store.view_states.all()) == states
    store.view_states.save(ViewState(conversation.id, settings="{}"), replace(blank, settings=""))
    assert store.view_states.all() == (ViewState(conversation.id, settings="{}"),)


def test_what_a_hanging_disk_did_not_take_is_kept_elsewhere(path: Path) -> None:
    conversation = Conversation.new()
    records = (question(conversation), ViewState(conversation.id, "Words", settings='{"a": 1}'))
    assert write_unsaved(path, records)
    ((_, found),) = read_unsaved(path)
    assert found == records


def test_a_search_finds_instructions_and_says_where() -> None:
    store, conversation = Store(None), Conversation.new()
    first = question(conversation, "Which pears keep?", "Answer like a gardener in Kent.")
    store.messages.begin(conversation, first)
    (hit,) = store.search.find("gardener")
    assert (hit.message_id, hit.attachment) == (first.id, "Instructions")
    (hit,) = store.search.find("pears")
    assert hit.attachment == ""


def test_presets_are_saved_replaced_renamed_and_deleted(path: Path) -> None:
    rng = random.Random(4)
    store, expected = Store(path), {}
    for _ in range(120):
        name, other = words(rng, 1), words(rng, 1)
        action = rng.choice(["save", "save", "rename", "delete", "restart"])
        if action == "save":
            expected[name] = {"temperature": rng.random(), "stop": [words(rng, 2)]}
            store.presets.save(Preset(name, expected[name]))
        elif action == "rename":
            store.presets.rename(name, other)
            if name in expected:
                expected[other] = expected.pop(name)
        elif action == "delete":
            store.presets.delete(name)
            expected.pop(name, None)
        else:
            store.close()
            store = Store(path)
        assert {one.name: one.sampling for one in store.presets.all()} == expected
    with pytest.raises(ValueError, match="1 to 200"):
        store.presets.save(Preset(" ", {}))


def test_old_databases_take_settings(path: Path) -> None:
    for version in range(1, len(MIGRATIONS)):
        old = path.with_name(f"{version}.sqlite")
        with raw(old) as other:
            migrate(other, None, MIGRATIONS[:version])
        store, conversation = Store(old), Conversation.new()
        first = question(conversation)
        store.messages.begin(conversation, first)
        store.presets.save(Preset("Mine", {}))
        assert store.messages.of(conversation.id) == (first,)
        store.close()


def test_of_a_damaged_database_settings_are_rescued(path: Path) -> None:
    store, conversation = Store(path), Conversation.new()
    first = question(conversation)
    store.messages.begin(conversation, first)
    store.presets.save(Preset("Mine", {"top_k": 3}))
    store.view_states.save(ViewState(conversation.id, settings='{"a": 1}'))
    store.close()
    rescue(path)
    store = Store(path)
    assert store.messages.of(conversation.id) == (first,)
    assert store.presets.all() == (Preset("Mine", {"top_k": 3}),)
    assert store.view_states.all()[0].settings == '{"a": 1}'
