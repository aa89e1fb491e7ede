"""The trie's model under random tries: splits, merges, branches that come and go; and a tester at every signal."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import pytest
from PySide6.QtCore import QAbstractItemModel, QItemSelectionModel, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtTest import QAbstractItemModelTester

from app.protocol.trie_view import TrieNodeView, TrieView
from app.viewmodels.cache.trie_model import TrieModel
from app.viewmodels.kit.lists import RowRole
from tests.seeds import each_seed
from tests.viewmodels.cache.growing import Growing, flat, node

FATAL = QAbstractItemModelTester.FailureReportingMode.Fatal


def shown(model: QAbstractItemModel, parent: QModelIndex | None = None) -> list[tuple[Any, list[Any]]]:
    """The rows below a parent, each with what hangs below it."""
    at = parent or QModelIndex()
    rows: list[tuple[Any, list[Any]]] = []
    for number in range(model.rowCount(at)):
        index = model.index(number, 0, at)
        rows.append((index.data(RowRole.ROW), shown(model, index)))
    return rows


def nested(view: TrieView, parent: int | None = None) -> list[tuple[Any, list[Any]]]:
    return [(one, nested(view, one.id)) for one in view.nodes if one.parent_id == parent]


@each_seed(range(12))
def test_any_sequence_of_views_is_followed(seed: int) -> None:
    """Without a reset while any row stays."""
    trie, model = Growing(random.Random(seed)), TrieModel()
    tester = QAbstractItemModelTester(model, FATAL)
    resets: list[None] = []
    model.modelReset.connect(lambda: resets.append(None))
    for _ in range(60):
        for _ in range(trie.rng.randint(1, 5)):
            trie.change()
        view = trie.view() if trie.rng.random() < 0.9 else TrieView(serial=0)
        stays = not {one.id for one in model.shown.nodes}.isdisjoint(one.id for one in view.nodes)
        resets.clear()
        model.show(view)
        assert shown(model) == nested(view)
        assert model.view is view
        assert not (resets and stays)
    tester.deleteLater()


def test_rows_of_which_none_stays_go_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """One below the other, as those of a long conversation are: a view asks for none of those above it."""
    model = TrieModel()
    model.show(TrieView(1, tuple(node(number, number - 1 or None) for number in range(1, 400))))
    held = [QPersistentModelIndex(model.index_of(number)) for number in range(1, 400)]
    asked: list[object] = []
    parent = TrieModel.parent
    monkeypatch.setattr(TrieModel, "parent", lambda self, *index: asked.append(index) or parent(self, *index))
    model.show(TrieView(2, (node(500, None),)))
    assert len(asked) < 1000
    assert not any(index.isValid() for index in held)
    assert shown(model) == [(node(500, None), [])]


def test_a_split_keeps_the_selection_on_the_lower_half() -> None:
    model = TrieModel()
    tester = QAbstractItemModelTester(model, FATAL)
    model.show(TrieView(1, (node(1, None), node(2, 1, 10, 40), node(3, 1, 10, 20))))
    selection = QItemSelectionModel(model)
    selection.setCurrentIndex(model.index_of(2), QItemSelectionModel.SelectionFlag.ClearAndSelect)
    upper = replace(node(4, 1, 10, 25))
    model.show(TrieView(2, (node(1, None), upper, node(2, 4, 25, 40), node(3, 1, 10, 20))))
    assert model.node(selection.currentIndex()) == node(2, 4, 25, 40)
    assert model.parent(selection.currentIndex()) == model.index_of(4)
    assert [index.internalId() for index in selection.selectedIndexes()] == [2]
    tester.deleteLater()


def test_unchanged_rows_are_left_alone() -> None:
    model = TrieModel()
    first = TrieView(1, (node(1, None), node(2, 1, 10, 40), node(3, 1, 10, 20)))
    model.show(first)
    touched: list[str] = []
    model.rowsInserted.connect(lambda: touched.append("in"))
    model.rowsRemoved.connect(lambda: touched.append("out"))
    model.rowsMoved.connect(lambda: touched.append("moved"))
    model.dataChanged.connect(lambda top: touched.append(f"changed {top.internalId()}"))
    model.show(TrieView(2, (*first.nodes[:2], replace(first.nodes[2], last_use=5))))
    assert touched == ["changed 3"]


def test_a_deep_trie_is_followed() -> None:
    """A chain as long as a thousand turns: deeper than Python recurses."""
    model = TrieModel()
    chain = [node(1, None), *(node(number, number - 1, number, number + 1) for number in range(2, 2000))]
    model.show(TrieView(1, tuple(chain)))
    kept = QPersistentModelIndex(model.index_of(1))
    model.show(TrieView(2, tuple(chain[:1])))
    assert model.rowCount(kept) == 0
    assert model.rowCount() == 1


def test_rows_speak() -> None:
    model = TrieModel()
    model.show(TrieView(1, (node(1, None, 0, 412), replace(node(2, 1, 412, 3412), bytes=240_000_000, label="Lisbon"))))
    spoken = model.index_of(2).data(Qt.ItemDataRole.AccessibleTextRole)
    assert spoken == "Level 2, tokens 412 to 3\u202f412, 3\u202f000\u00a0tokens, 240\u00a0MB, in memory: Lisbon"
    assert model.rowCount(model.createIndex(0, 1, 1)) == 0
    assert model.index(5, 0) == QModelIndex()


def test_a_large_view_costs_what_has_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 1,000 rows ten are used and one has a new row below it."""
    rng = random.Random(5)
    growing = Growing(rng)
    while len(growing.nodes) < 1_000:
        growing.grow()
    model = TrieModel()
    model.show(flat(growing))
    placed: list[int] = []
    place = TrieModel._place

    def counted(self: TrieModel, parent: int, children: list[TrieNodeView]) -> None:
        placed.append(parent)
        place(self, parent, children)

    monkeypatch.setattr(TrieModel, "_place", counted)
    told: list[object] = []
    model.dataChanged.connect(lambda first, last: told.append(first.data(RowRole.ROW)))
    used = rng.sample(sorted(growing.nodes), 10)
    for number in used:
        growing.nodes[number] = replace(growing.nodes[number], last_use=7)
    growing.grow()
    model.show(flat(growing))
    assert len(placed) == 1
    assert sorted(one.id for one in told if isinstance(one, TrieNodeView)) == sorted(used)
    assert model.view.nodes[0] in [one for one, _ in shown(model)]
