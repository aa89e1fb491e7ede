"""A document that comes again is recognised, whatever became of it since: none is there twice, and nothing is lost."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

import pytest

from app.conversation import staging
from app.conversation.edit import Edit
from app.conversation.message import Conversation, Message, new_id
from app.conversation.records import Document
from app.conversation.staging import Stage, StagedDocument
from app.conversation.store import Store
from tests.seeds import chosen

Said = tuple[tuple[str, str, str], ...]


@pytest.fixture(autouse=True)
def _small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(staging, "STEP", 0.0)
    monkeypatch.setattr(staging, "AT_ONCE", 2)
    monkeypatch.setattr(staging, "COMPARED", 3)


def document(rng: random.Random) -> Document:
    """A tree of few words, so that versions often say the same."""
    conversation = Conversation.new(rng.choice(["Pears", "Plums"]))
    messages: list[Message] = []
    for _ in range(rng.randint(1, 12)):
        parent = rng.choice([None, *messages])
        role = "assistant" if parent is not None and parent.role == "user" else "user"
        words = rng.choice(["ja", "nein", "ja, gern"])
        new = Message.new(conversation.id, parent and parent.id, role, words)
        messages.append(replace(new, stop="finished") if role == "assistant" else new)
    return Document(conversation, tuple(messages), (), rng.choice(messages).id)


def read_again(found: Document) -> Document:
    """The same as another program's export gives it: the messages have other ids each time."""
    ids = {message.id: new_id() for message in found.messages}
    messages = [replace(one, id=ids[one.id], parent_id=one.parent_id and ids[one.parent_id]) for one in found.messages]
    return replace(found, messages=tuple(messages), leaf_id=found.leaf_id and ids[found.leaf_id])


def said(messages: Iterable[Message]) -> Counter[Said]:
    """What is said in each message and above it."""
    paths: dict[str | None, Said] = {None: ()}
    for one in messages:
        paths[one.id] = (*paths[one.parent_id], (one.role, one.text, one.thinking))
    return Counter(path for message_id, path in paths.items() if message_id is not None)


def bring(store: Store, documents: Sequence[Document]) -> tuple[Stage, int]:
    """Have everything staged that is not here; returns how many messages are missing all the same, too."""
    stage, missing = Stage(), 0
    for one in documents:
        match = store.imports.match(stage, one)
        if match is None:
            coming = StagedDocument(one)
            while store.imports.stage(stage, coming):
                pass
            continue
        while store.imports.compare(stage, match):
            pass
        missing += match.missing
    return stage, missing


def publish(store: Store, stage: Stage) -> Edit | None:
    result = None if stage.is_empty else store.change(lambda known: known.imports.publish(stage))
    return None if result is None else result.edit


def test_at_random_nothing_is_there_twice_and_nothing_is_lost() -> None:
    for seed in chosen(range(30)):
        rng, store = random.Random(seed), Store(None)
        documents = {one.conversation.id: one for one in (document(rng) for _ in range(3))}
        ever = Counter[str]()
        for _ in range(40):
            act(rng, store, documents, ever, f"seed {seed}")
        store.close()


def act(rng: random.Random, store: Store, documents: dict[str, Document], ever: Counter[str], where: str) -> None:
    """Do one thing, imports most often. ever: counts what was deleted for ever."""
    live = [one.id for one in store.conversations.all()]
    shown = [message for one in live for message in store.messages.of(one)]
    verb = rng.choice(["import", "import", "import", "give up", "delete", "branch", "undo", "redo", "restore", "empty"])
    if verb == "import":
        wanted = [read_again(one) if rng.random() < 0.5 else one for one in rng.choices([*documents.values()], k=3)]
        before = contents(store)
        stage, missing = bring(store, wanted)
        edit = publish(store, stage)
        check(store, wanted, missing, ever, where)
        if edit is not None and rng.random() < 0.5:
            store.undo()
            assert contents(store) == before, where
            store.redo()
            check(store, wanted, missing, ever, where)
    elif verb == "give up":
        store.imports.unstage(bring(store, rng.choices([*documents.values()], k=2))[0])
        for _ in range(rng.randint(0, 5)):
            store.idle_step()
    elif verb == "delete" and live:
        store.change(lambda known: known.trash.delete_conversation(rng.choice(live)))
    elif verb == "branch" and shown:
        store.change(lambda known: known.trash.delete_message(rng.choice(shown).id))
    elif verb in ("undo", "redo"):
        store.undo() if verb == "undo" else store.redo()
    elif verb == "restore" and store.trash.entries():
        store.change(lambda known: known.trash.restore(rng.choice(known.trash.entries()).number))
    elif verb == "empty":
        ever["emptied"] += store.empty_trash()
    assert {one.id for one in store.conversations.all()} <= documents.keys(), where


def contents(store: Store) -> dict[str, Counter[Said]]:
    return {one.id: said(store.messages.of(one.id)) for one in store.conversations.all()}


def check(store: Store, wanted: Sequence[Document], missing: int, ever: Counter[str], where: str) -> None:
    """All that was wanted is seen, once, but for what was deleted for ever, which was told."""
    live, lacking = contents(store), 0
    for one in wanted:
        here, whole = live[one.conversation.id], said(one.messages)
        assert here <= whole, f"{where}: something is there twice"
        lacking += (whole - here).total()
    assert lacking == missing, where
    assert not missing or ever["emptied"], f"{where}: nothing was deleted for ever, and something is missing"


def test_an_answer_that_has_gone_on_is_recognised_in_what_was_read_again() -> None:
    store = Store(None)
    conversation = Conversation.new("Pears")
    question = Message.new(conversation.id, None, "user", "Which?")
    answer = replace(Message.new(conversation.id, question.id, "assistant", "Conference"), stop="length")
    found = Document(conversation, (question, answer), (), answer.id)
    longer = replace(found, messages=(question, replace(answer, text="Conference, and Comice")))
    store.imports.add(longer)
    for one in (found, read_again(found)):
        assert bring(store, [one]) == (Stage(), 0)
    other = replace(found, messages=(question, replace(answer, text="Comice")))
    assert bring(store, [read_again(other)])[1] == 1
    store.close()


def test_what_was_deleted_for_ever_while_a_file_was_read_is_refused_and_changes_nothing() -> None:
    store = Store(None)
    found = document(random.Random(1))
    edit = store.imports.add(found)
    store.trash.delete_conversation(str(edit.conversation_id))
    stage, _ = bring(store, [found, document(random.Random(2))])
    store.empty_trash()
    with pytest.raises(LookupError):
        store.imports.publish(stage)
    assert store.conversations.all() == ()
    store.close()
