"""Trees of rows: what is shown anew against what Qt's views are told."""

from __future__ import annotations

import random
from typing import NamedTuple

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtTest import QAbstractItemModelTester

from app.viewmodels.kit.lists import RowRole
from app.viewmodels.kit.trees import KeyedTreeModel
from tests.seeds import each_seed


class Fruit(NamedTuple):
    id: str
    parent_id: str | None
    label: str


class FruitModel(KeyedTreeModel[Fruit]):
    def text(self, node: Fruit, role: int) -> object:
        return node.label if role == Qt.ItemDataRole.DisplayRole else None


def shown(model: FruitModel, parent: QModelIndex, parent_id: str | None = None) -> list[Fruit]:
    """What a view sees, in order."""
    found = []
    for row in range(model.rowCount(parent)):
        index = model.index(row, 0, parent)
        fruit: Fruit = index.data(RowRole.ROW)
        assert (fruit.parent_id, index.data()) == (parent_id, fruit.label)
        assert model.index_of(fruit.id) == index
        assert model.parent(index) == parent
        found += [fruit, *shown(model, index, fruit.id)]
    return found


def grown(rng: random.Random) -> dict[str, str | None]:
    """A tree of forty nodes, as the parent of each: a parent has the lower number."""
    return {str(number): rng.choice([None, *map(str, range(number))]) for number in range(40)}


def picture(rng: random.Random, parents: dict[str, str | None]) -> list[Fruit]:
    """Some of the nodes, each below the next above it that is there too: as if others had been left out."""
    kept = {one for one in parents if rng.random() < rng.choice([0.3, 0.9])}
    fruits: dict[str | None, list[Fruit]] = {}
    for one in sorted(kept, key=int):
        above = parents[one]
        while above is not None and above not in kept:
            above = parents[above]
        fruits.setdefault(above, []).append(Fruit(one, above, f"fruit {rng.randrange(3)}"))
    found: list[Fruit] = []
    waiting = fruits.get(None, [])[::-1]
    while waiting:
        found.append(waiting.pop())
        waiting += fruits.get(found[-1].id, [])[::-1]
    return found


@each_seed(range(5))
def test_any_picture_follows_any_other_and_what_stays_is_followed(qapp: object, seed: int) -> None:
    rng, model = random.Random(seed), FruitModel()
    tester = QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Warning)
    parents = grown(rng)
    resets: list[str] = []
    model.modelReset.connect(lambda: resets.append("reset"))
    for _ in range(8):
        before = {fruit.id: QPersistentModelIndex(model.index_of(fruit.id)) for fruit in shown(model, QModelIndex())}
        fruits = picture(rng, parents)
        model.show(fruits)
        assert shown(model, QModelIndex()) == fruits == list(model.nodes())
        for fruit in fruits:
            if fruit.id in before:
                assert before[fruit.id].isValid()
                assert before[fruit.id].data(RowRole.ROW) == fruit
    assert not resets
    del tester


def test_new_nodes_come_in_with_all_that_hangs_below_them(qapp: object) -> None:
    """A view that opens what comes in has one call for each, and not one for each row of a large tree."""
    model = FruitModel()
    told: list[int] = []
    model.rowsInserted.connect(lambda _parent, first, last: told.append(last - first + 1))
    model.show([Fruit("a", None, ""), Fruit("b", "a", ""), Fruit("c", "b", ""), Fruit("d", None, "")])
    assert told == [2]
    model.show([])
    assert (model.rowCount(), list(model.nodes())) == (0, [])
