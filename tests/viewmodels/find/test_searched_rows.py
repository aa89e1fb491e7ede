"""Rows of several models, numbered through."""

from __future__ import annotations

import random

import pytest

from app.viewmodels.chat.chat_model import ChatModel
from app.viewmodels.find.searched_rows import SearchedRows
from tests.seeds import chosen
from tests.viewmodels.test_lists import message


def test_at_random_they_are_those_of_one_model_after_those_of_the_other(qapp: object) -> None:
    for seed in chosen(range(20)):
        dice = random.Random(seed)
        models = [ChatModel() for _ in range(4)]
        rows = SearchedRows(models[0])
        shown, heard = models[:1], list[int]()
        rows.exchanged.connect(heard.append)
        for step in range(30):
            heard.clear()
            before = [one.id for model in shown for one in model.rows]
            if dice.random() < 0.2:
                others = dice.sample(models, dice.randint(0, 4))
                assert rows.show(others) == (others != shown)
                shown, before = others, []
            else:
                model = dice.choice(models)
                kept = list(model.rows)[: dice.randint(0, len(model.rows))]
                model.show(
                    [*kept, *(message(f"{seed} {step} {at} {dice.random()}") for at in range(dice.randint(0, 3)))]
                )
            now = [one.id for model in shown for one in model.rows]
            assert [rows.id_of(at) for at in range(len(rows))] == now
            assert [rows[at].id for at in range(len(rows))] == now
            assert [rows.row_of(one) for one in now] == list(range(len(now)))
            first = next((at for at, (one, other) in enumerate(zip(before, now, strict=False)) if one != other), None)
            if before and (first is not None or len(before) != len(now)):
                first = min(len(before), len(now)) if first is None else first
                assert heard
                assert min(heard) <= first
        assert rows.row_of("none") == -1
        with pytest.raises(IndexError):
            rows.id_of(len(rows))


def test_what_grows_is_the_last_row_of_any_of_them(qapp: object) -> None:
    models = [ChatModel() for _ in range(3)]
    rows = SearchedRows(models[0])
    rows.show(models)
    for model, count in zip(models, (2, 0, 3), strict=True):
        model.show([message(f"{id(model)} {at}") for at in range(count)])
    assert rows.lasts == [1, 4]
    assert [rows.growing(at) is not None for at in range(5)] == [False, True, False, False, True]
    heard = list[bool]()
    rows.grew.connect(lambda: heard.append(True))
    models[2].append_tail(models[2].rows[2].id, "more")
    assert heard
    rows.show(models[:2])
    heard.clear()
    models[2].append_tail(models[2].rows[2].id, "more")
    assert not heard
