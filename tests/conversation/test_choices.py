"""What the tokens of an answer were chosen from: kept with its end, and handed on to what begins like it."""

from __future__ import annotations

import random
import zlib
from dataclasses import replace
from pathlib import Path

import pytest

from app.conversation.kept_choices import KnownAnswer, NewChoices, inherited
from app.conversation.message import Message
from app.conversation.store import Store
from app.protocol.choices import MOST_CANDIDATES, Candidate, Choice, pack, unpack
from app.protocol.reports import StopReason
from tests.conversation.builders import asked
from tests.seeds import each_seed

GIVEN = Choice(None, length=1)


def drawn(rng: random.Random, token: int, length: int = 1) -> Choice:
    """A token that was drawn, with some that could have stood."""
    others = sorted((rng.randrange(50, 2_000) for _ in range(rng.randrange(4))), reverse=True)
    candidates = tuple(Candidate(1_000 * token + number, one, f"w{number}") for number, one in enumerate(others))
    return Choice(rng.randrange(3_000, 9_900), candidates, length=length)


def finished(store: Store, question: Message, ids: list[int], choices: list[Choice], like: str | None = None) -> str:
    """An answer with these token ids, a letter each."""
    answer = Message.new(question.conversation_id, question.id, "assistant")
    store.messages.add(answer)
    text = "".join(chr(ord("a") + token % 26) for token in ids)
    new = NewChoices(pack(choices), like)
    store.messages.finish(answer.id, stop="finished", text=text, ids=ids, choices=new)
    return answer.id


def of(store: Store, answer_id: str) -> tuple[Choice, ...]:
    return unpack(store.messages.choices(answer_id))


@each_seed(range(10))
def test_forks_of_forks_know_what_their_beginnings_were_chosen_from(tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    path = tmp_path / "conversations.sqlite"
    store = Store(path)
    _, question, _ = asked(store)
    ids = [rng.randrange(1, 26) for _ in range(12)]
    known = {finished(store, question, ids, choices := [drawn(rng, one) for one in ids]): (ids, choices)}
    assert of(store, next(iter(known))) == tuple(choices)
    for _ in range(8):
        like, (ids, before) = rng.choice(list(known.items()))
        at, token = rng.randrange(len(ids)), rng.randrange(30, 60)
        rest = [rng.randrange(1, 26) for _ in range(rng.randrange(5))]
        own = [drawn(rng, one) for one in rest]
        fork = [*ids[:at], token, *rest]
        known_choices = [*before[:at], of(store, like)[at]]
        made = finished(store, question, fork, [GIVEN] * (at + 1) + own, like)
        found = of(store, made)
        assert found[:at] == tuple(known_choices[:at])
        assert found[at + 1 :] == tuple(own)
        assert (found[at].share, found[at].length) == (None, 1)
        others = {one.id for one in found[at].candidates}
        assert others == {one.id for one in before[at].candidates} | (
            {ids[at]} if before[at].share is not None else set()
        )
        stood = [one.text for one in found[at].candidates if one.id == ids[at]]
        assert stood in ([], [chr(ord("a") + ids[at] % 26)])
        known[made] = (fork, list(found))
        if rng.random() < 0.3:
            store.close()
            store = Store(path)
    assert {answer: of(store, answer) for answer in known} == {one: tuple(found) for one, (_, found) in known.items()}
    store.close()


def test_an_answer_that_goes_on_keeps_what_its_beginning_was_chosen_from() -> None:
    store, rng = Store(None), random.Random(1)
    _, question, _ = asked(store)
    first, second = [drawn(rng, one) for one in (1, 2)], [drawn(rng, 3)]
    answer = finished(store, question, [1, 2], first)
    before = store.messages.reopen(answer)
    new = NewChoices(pack([GIVEN, GIVEN, *second]), answer)
    store.messages.finish(answer, stop="finished", text="d", ids=(1, 2, 3), choices=new)
    assert of(store, answer) == (*first, *second)
    edit = store.messages.continued(before)
    store.messages.turn_back(edit)
    assert of(store, answer)[:2] == tuple(first)
    store.close()


@pytest.mark.parametrize(("ids", "stay"), [((1, 2, 3), True), ((4, 2, 3), False)], ids=["same ids", "other ids"])
def test_without_alternatives_an_answer_goes_on_with_those_it_had(ids: tuple[int, ...], stay: bool) -> None:
    store, rng = Store(None), random.Random(1)
    _, question, _ = asked(store)
    first = [drawn(rng, one) for one in (1, 2)]
    answer = finished(store, question, [1, 2], first)
    store.messages.reopen(answer)
    store.messages.finish(answer, stop="finished", text="d", ids=ids)
    assert store.messages.choices(answer) == (pack(first) if stay else b"")
    store.close()


def test_an_answer_that_is_stored_whole_has_its_choices_in_the_same_commit() -> None:
    store = Store(None)
    _, question, _ = asked(store)
    answer = Message.new(question.conversation_id, question.id, "assistant")
    ended = replace(answer, text="ab", ids=(1, 2), stop=str(StopReason.FINISHED))
    store.messages.save_answer(ended, choices=NewChoices(pack([GIVEN, GIVEN])))
    assert of(store, ended.id) == (GIVEN, GIVEN)
    assert store.messages.choices_bytes() > 0
    other = replace(ended, id=Message.new(question.conversation_id, question.id, "assistant").id)
    store.messages.save_answer(other)
    assert store.messages.with_choices(question.conversation_id) == {ended.id}
    assert store.messages.with_choices("0" * 32) == frozenset()
    store.close()


@pytest.mark.parametrize(
    "stored",
    [b"x", zlib.compress(pack([GIVEN] * 2))[:-3], zlib.compress(bytes(1 << 24))],
    ids=["no deflate", "cut off", "far too long"],
)
def test_damaged_choices_are_none(stored: bytes) -> None:
    store = Store(None)
    _, question, _ = asked(store)
    answer = finished(store, question, [1, 2], [GIVEN, GIVEN])
    store.database.connection.execute("UPDATE message_choices SET choices = ?", (stored,))
    assert store.messages.choices(answer) == b""
    other = finished(store, question, [1, 3], [GIVEN, GIVEN], answer)
    assert of(store, other) == (GIVEN, GIVEN)
    store.close()


def test_a_question_has_none() -> None:
    store = Store(None)
    _, question, _ = asked(store)
    assert store.messages.choices(question.id) == b""
    with pytest.raises(LookupError):
        store.messages.choices("0" * 32)
    store.close()


def test_the_token_that_stood_there_stays_among_eight() -> None:
    others = tuple(Candidate(number, 900 - number, "") for number in range(MOST_CANDIDATES))
    known = KnownAnswer([50], [Choice(1_000, others, length=1)], "é", "")
    (found,) = inherited([Choice(None, length=2)], [3], known)
    assert len(found.candidates) == MOST_CANDIDATES
    assert found.candidates[0] == Candidate(50, 1_000, "é")
    assert all(one.id != 3 for one in found.candidates)
