"""Several answers to one question: they are kept together, taken back together, and a crash leaves all or none."""

from __future__ import annotations

import random
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from app.conversation.message import Message
from app.conversation.store import Store
from tests.conversation.builders import asked
from tests.seeds import each_seed, some

ROOT = Path(__file__).parents[2]


def siblings(question: Message, count: int) -> list[Message]:
    return [Message.new(question.conversation_id, question.id, "assistant", model="f1") for _ in range(count)]


def answers_to(store: Store, question: Message) -> list[str]:
    return [one.id for one in store.messages.of(question.conversation_id) if one.parent_id == question.id]


def test_they_stand_in_their_order_and_are_one_step() -> None:
    store = Store(None)
    _, question, first = asked(store)
    store.messages.finish(first.id, stop="finished", text="One.")
    answers = siblings(question, 3)
    store.record(store.messages.add_answers(answers, answers[0].id))
    for answer in answers:
        store.messages.finish(answer.id, stop="finished", text="Another.")
    assert answers_to(store, question) == [first.id, *(answer.id for answer in answers)]
    assert store.messages.leaf_of(question.conversation_id) == answers[0].id
    store.undo()
    assert answers_to(store, question) == [first.id]
    store.redo()
    assert answers_to(store, question) == [first.id, *(answer.id for answer in answers)]


def test_the_path_stays_where_somebody_looks_elsewhere() -> None:
    store = Store(None)
    _, question, first = asked(store)
    store.messages.finish(first.id, stop="finished", text="One.")
    store.messages.add_answers(siblings(question, 2), None)
    assert store.messages.leaf_of(question.conversation_id) == first.id


def test_what_answers_no_one_question_is_refused_and_nothing_is_kept() -> None:
    store = Store(None)
    _, question, first = asked(store)
    for wrong in ([], [*siblings(question, 1), *siblings(first, 1)], [replace(question, id="0" * 32)] * 2):
        with pytest.raises(ValueError, match="not answers"):
            store.messages.add_answers(wrong, None)
    known = siblings(question, 1)[0]
    store.messages.add_answers([known], None)
    before = store.messages.of(question.conversation_id)
    with pytest.raises(Exception, match="UNIQUE"):
        store.messages.add_answers([*siblings(question, 2), known], None)
    assert store.messages.of(question.conversation_id) == before


def test_one_without_a_word_goes_again_and_the_step_takes_the_others_back() -> None:
    store = Store(None)
    _, question, first = asked(store)
    store.messages.finish(first.id, stop="finished", text="One.")
    silent, speaking = siblings(question, 2)
    store.record(store.messages.add_answers([silent, speaking], silent.id))
    store.messages.append_text(speaking.id, "A word.")
    store.discard(silent.id)
    assert store.messages.leaf_of(question.conversation_id) == question.id
    with pytest.raises(ValueError, match="has words"):
        store.discard(speaking.id)
    store.messages.finish(speaking.id, stop="finished")
    with pytest.raises(ValueError, match="still grows"):
        store.discard(speaking.id)
    store.undo()
    assert answers_to(store, question) == [first.id]
    store.redo()
    assert answers_to(store, question) == [first.id, speaking.id]


def test_where_none_has_a_word_there_is_no_step() -> None:
    store = Store(None)
    _, question, first = asked(store)
    store.messages.finish(first.id, stop="finished", text="One.")
    before = store.history.undoable
    answers = siblings(question, 3)
    store.record(store.messages.add_answers(answers, answers[0].id))
    for answer in answers:
        store.discard(answer.id)
    assert (store.history.undoable, answers_to(store, question)) == (before, [first.id])


WRITER = """
import sys
from pathlib import Path
from app.conversation.store import Store
from tests.conversation.builders import asked
from tests.conversation.test_siblings import siblings

store = Store(Path(sys.argv[1]))
while True:
    _, question, first = asked(store)
    store.messages.finish(first.id, stop="finished", text="One.")
    answers = siblings(question, 4)
    print(question.conversation_id, *(answer.id for answer in answers), flush=True)
    store.messages.add_answers(answers, answers[0].id)
    print("kept", flush=True)
"""


@each_seed(some(range(40), 6))
def test_a_crash_leaves_all_or_none(tmp_path: Path, seed: int) -> None:
    rng, path = random.Random(seed), tmp_path / "conversations.sqlite"
    for _ in range(5):
        with subprocess.Popen(
            [sys.executable, "-c", WRITER, str(path)], cwd=ROOT, stdout=subprocess.PIPE, text=True
        ) as child:
            assert child.stdout is not None
            told = [child.stdout.readline() for _ in range(rng.randint(1, 60))]
            child.kill()
            told += child.stdout.readlines()
        store = Store(path)
        for line, after in zip(told, [*told[1:], ""], strict=True):
            home, *ids = line.split()
            if len(ids) == 4:
                stored = [one.id for one in store.messages.of(home) if one.role == "assistant"][1:]
                assert stored in (ids, []) if after != "kept\n" else stored == ids
        store.close()
