"""What the disk did not take when the program ended is in the database once there is room, whatever came between."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from app.conversation.database import Database
from app.conversation.faults import Fault, StoreError, store_error
from app.conversation.message import Message, new_id
from app.conversation.records import ViewState
from app.conversation.store import SAVED_NOW, STILL_UNSAVED, Store
from app.conversation.unsaved import UnsavedRecord, read_unsaved, unsaved_files
from app.protocol.chat import Attachment
from tests.conversation.builders import asked
from tests.seeds import chosen


class Disk:
    """A disk that is full or not."""

    is_full = False


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Disk:
    disk, writing = Disk(), Database.writing

    @contextmanager
    def refuse(database: Database) -> Iterator[None]:
        if disk.is_full:
            raise store_error(Fault.FULL, None)
        with writing(database):
            yield

    monkeypatch.setattr(Database, "writing", refuse)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return disk


def save_or_keep(store: Store, record: UnsavedRecord, save: Callable[[], object]) -> None:
    try:
        save()
    except StoreError:
        assert store.keep_for_next_start([record])


def left(store: Store, conversation_id: str) -> ViewState:
    found = (one for one in store.view_states.all() if one.conversation_id == conversation_id)
    return next(found, ViewState(conversation_id))


def type_some(store: Store, conversation_id: str, words: str, rng: random.Random) -> bool:
    """Go on from what the store has, in the composer or in an edit; returns whether that was with an attachment."""
    state = left(store, conversation_id)
    if rng.random() < 0.3:
        state = replace(state, editing=new_id(), aside=f"{state.aside} {state.draft}".strip(), draft=words)
    else:
        state = replace(state, draft=f"{state.draft} {words}".strip())
    attaches = rng.random() < 0.4
    if attaches:
        state = replace(state, attachments=(*state.attachments, Attachment(words, "text", "")))
    save_or_keep(store, state, lambda: store.view_states.save(state))
    return attaches


def go_on(store: Store, said: Message, words: str) -> None:
    """Have an answer go on from where the store has it."""
    (known,) = (one for one in store.messages.of(said.conversation_id) if one.id == said.id)
    now = replace(known, text=known.text + words, stop="length", ids=(*(known.ids or ()), 7), stats={"n": 1})

    def save() -> None:
        store.messages.reopen(said.id)
        store.messages.save_answer(now)

    save_or_keep(store, now, save)


def test_an_answer_that_went_on_comes_to_its_end_however_often_the_disk_is_full(tmp_path: Path, disk: Disk) -> None:
    """Where it went on in several ways, each is there. The end is that of the words: ids and figures come with them."""
    for seed in chosen(range(10)):
        disk.is_full = False
        rng, path = random.Random(seed), tmp_path / f"{seed}.sqlite"
        store = Store(path)
        _, _, answer = asked(store)
        store.messages.finish(answer.id, stop="length", text="<begun>", ids=[1, 2])
        store.close()
        said = []
        for run in range(rng.randint(1, 5)):
            disk.is_full = rng.random() < 0.7
            store = Store(path)
            disk.is_full = disk.is_full or rng.random() < 0.5
            said.append(f"<{run}>")
            go_on(store, answer, said[-1])
            store.close()
        disk.is_full = False
        Store(path).close()
        store = Store(path)
        answers = [one for one in store.messages.of(answer.conversation_id) if one.role == "assistant"]
        texts = [one.text for one in answers]
        assert all(any(one in text for text in texts) for one in said), f"seed {seed}"
        assert all(len(one.ids or ()) == one.text.count("<") + 1 and one.stats == {"n": 1} for one in answers)
        assert len(texts) <= len(said), f"seed {seed}"
        assert not [*read_unsaved(path)]
        store.close()


def test_no_word_is_lost_however_often_the_disk_is_full(tmp_path: Path, disk: Disk) -> None:
    """Each run goes on from what it finds; what another could not save waits, and that is told."""
    for seed in chosen(range(10)):
        disk.is_full = False
        rng, path = random.Random(seed), tmp_path / f"{seed}.sqlite"
        store = Store(path)
        homes = [asked(store)[0].id for _ in range(2)]
        store.close()
        typed: dict[str, list[str]] = {home: [] for home in homes}
        attached: dict[str, list[str]] = {home: [] for home in homes}
        for run in range(rng.randint(1, 6)):
            disk.is_full, is_kept = rng.random() < 0.7, any(file.exists() for file in unsaved_files(path))
            store = Store(path)
            assert store.notice == ((STILL_UNSAVED if disk.is_full else SAVED_NOW) if is_kept else None), f"seed {seed}"
            disk.is_full = disk.is_full or rng.random() < 0.5
            for home in rng.sample(homes, rng.randint(1, 2)):
                typed[home].append(f"<{run}>")
                if type_some(store, home, typed[home][-1], rng):
                    attached[home].append(typed[home][-1])
            store.close()
        disk.is_full = False
        store = Store(path)
        for home in homes:
            state = left(store, home)
            assert all(one in state.draft + state.aside for one in typed[home]), f"seed {seed}"
            names = [one.name for one in state.attachments + state.attachments_aside]
            assert sorted(names) == attached[home], f"seed {seed}"
        assert not [*read_unsaved(path)]
        store.close()


def test_an_answer_that_is_saved_beside_another_is_there_once_however_often_it_is_saved(tmp_path: Path) -> None:
    """As where the file could not be deleted, or the disk took only some of what it has."""
    with closing(Store(tmp_path / "conversations.sqlite")) as store:
        _, _, answer = asked(store)
        store.messages.finish(answer.id, stop="finished", text="It went on here.")
        kept = replace(answer, text="It went on elsewhere.", stop="finished")
        for _ in range(3):
            store.messages.save_kept(kept)
        texts = [one.text for one in store.messages.of(answer.conversation_id) if one.role == "assistant"]
        assert texts == ["It went on here.", "It went on elsewhere."]
