"""Answers that went on: taken back and done again, with every word, token id and figure of each time."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from app.conversation.edit import Operation
from app.conversation.faults import StoreError
from app.conversation.message import Message
from app.conversation.store import Store
from tests.conversation.builders import asked, words
from tests.seeds import each_seed


def end(store: Store, answer_id: str, said: Message, rng: random.Random, has_ids: bool = True) -> Message:
    """Let an answer grow by a few pieces and end; `said`: how it stood."""
    ids = (*(said.ids or ()), *(rng.randrange(2**32) for _ in range(rng.choice([1, 9, 5000])))) if has_ids else None
    for _ in range(rng.randint(0, 3)):
        store.messages.append_text(answer_id, words(rng, 2), rng.choice(["", words(rng, 1)]))
    store.messages.finish(
        answer_id, text=words(rng, 1), stop=rng.choice(["length", "stopped"]), ids=ids, stats={"n": 1}
    )
    return read(store, said)


def read(store: Store, said: Message) -> Message:
    (found,) = (one for one in store.messages.of(said.conversation_id) if one.id == said.id)
    return found


def go_on(store: Store, said: Message, rng: random.Random, has_ids: bool = True) -> Message:
    ending = store.messages.reopen(said.id)
    now = end(store, said.id, said, rng, has_ids)
    store.record(store.messages.continued(ending))
    return now


@each_seed(range(20))
def test_an_answer_goes_back_and_forth_between_its_ends(tmp_path: Path, seed: int) -> None:
    """At random: what is undone is as it was, what is done again is as it had become, in the file and the search."""
    rng, path = random.Random(seed), tmp_path / "conversations.sqlite"
    store = Store(path)
    _, _, begun = asked(store)
    states, at = [end(store, begun.id, begun, rng)], 0
    for _ in range(12):
        turn = rng.choice(["on", "undo", "redo"])
        if turn == "on":
            states = [*states[: at + 1], go_on(store, states[at], rng)]
            at += 1
        elif turn == "undo":
            at -= (is_done := store.undo() is not None)
            assert is_done or at == 0
        else:
            at += (is_done := store.redo() is not None)
            assert is_done or at == len(states) - 1
        assert read(store, begun) == states[at]
        assert store.messages.progress_of(begun.id).length == len(states[at].text)
    store.close()
    again = Store(path)
    assert read(again, begun) == states[at]
    assert again.database.rows("PRAGMA integrity_check") == [("ok",)]
    again.close()


def test_what_was_taken_back_is_neither_found_nor_kept_when_the_trash_is_emptied(tmp_path: Path) -> None:
    store = Store(tmp_path / "conversations.sqlite")
    _, _, begun = asked(store)
    store.messages.finish(begun.id, text="Pears", stop="length", ids=(1,))
    ending = store.messages.reopen(begun.id)
    store.messages.append_text(begun.id, " and mirabelles", "Plums?")
    store.messages.finish(begun.id, text=" keep.", stop="finished", ids=(1, 2, 3))
    store.record(store.messages.continued(ending))
    assert [hit.message_id for hit in store.search.find("mirabelles")] == [begun.id]
    result = store.undo()
    assert result is not None
    assert (result.edit.operation, result.trees[0].message(begun.id).text) == (Operation.CONTINUE, "Pears")
    assert (result.trees[0].message(begun.id).ids, result.trees[0].message(begun.id).thinking) == ((1,), "")
    assert store.search.find("mirabelles") == ()
    store.redo()
    assert [hit.message_id for hit in store.search.find("mirabelles")] == [begun.id]
    store.undo()
    store.empty_trash()
    assert store.redo() is None
    assert read(store, begun).text == "Pears"
    store.close()
    assert [one.name for one in tmp_path.iterdir() if one.is_file() and b"mirabelles" in one.read_bytes()] == []


def test_what_was_taken_back_stays_so_in_a_file_that_is_rescued(tmp_path: Path) -> None:
    path, rng = tmp_path / "conversations.sqlite", random.Random(2)
    store = Store(path)
    _, _, begun = asked(store)
    before = end(store, begun.id, begun, rng)
    go_on(store, before, rng)
    store.undo()
    store.close()
    data = bytearray(path.read_bytes())
    data[:16] = bytes(16)
    path.write_bytes(data)
    rescued = Store(path)
    assert rescued.notice is not None
    assert read(rescued, begun) == before
    rescued.close()


def test_ids_that_were_lost_while_it_went_on_are_left_out_and_no_word_is(tmp_path: Path) -> None:
    """An answer that failed has no ids, and one that went on from words alone has others."""
    for ids in (None, (7, 8)):
        store, rng = Store(None), random.Random(1)
        _, _, begun = asked(store)
        before = end(store, begun.id, begun, rng)
        ending = store.messages.reopen(begun.id)
        store.messages.finish(begun.id, text=" on", stop="failed", ids=ids)
        store.record(store.messages.continued(ending))
        store.undo()
        now = read(store, begun)
        assert (now.text, now.thinking, now.stop, now.stats) == (
            before.text,
            before.thinking,
            before.stop,
            before.stats,
        )
        assert now.ids is None
        store.redo()
        assert read(store, begun).ids == ids
        store.close()


def test_nothing_is_taken_back_from_an_answer_under_way() -> None:
    store, rng = Store(None), random.Random(1)
    conversation, _, begun = asked(store)
    went_on = go_on(store, end(store, begun.id, begun, rng), rng)
    with pytest.raises(StoreError):
        store.undo(frozenset({conversation.id}))
    assert read(store, begun) == went_on
    assert store.undo(frozenset({"other"})) is not None
    store.close()
