from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from typing import cast

import pytest
from PySide6.QtCore import QEvent, QModelIndex, Qt
from PySide6.QtGui import QAccessible, QHelpEvent
from PySide6.QtTest import QAbstractItemModelTester
from PySide6.QtWidgets import QApplication, QToolTip, QTreeView
from pytestqt.qtbot import QtBot

from app.protocol.trie_view import Residency
from app.viewmodels.cache.trie_model import TrieModel
from app.viewmodels.kit.lists import ROOT, AnyIndex
from app.widgets.cache import trie_delegate
from app.widgets.cache.trie_delegate import TrieDelegate, figures
from app.widgets.cache.trie_lines import TrieLines
from app.widgets.cache.trie_tree import TrieTree
from app.widgets.kit.marks import paint_pill, pill_width
from app.widgets.kit.style import Style
from app.widgets.kit.theme import DARK, LIGHT, Theme
from app.widgets.kit.typography import TextRole
from tests.seeds import each_seed
from tests.viewmodels.cache.growing import Growing
from tests.widgets.pictures import count, on_screen, picture, show
from tests.widgets.samples import NODES, NOW, node, on_disk, view


@pytest.fixture
def model(qapp: object) -> TrieModel:
    model = TrieModel()
    model.show(view())
    return model


@pytest.fixture
def tree(qtbot: QtBot, style: Style, model: TrieModel) -> Iterator[TrieTree]:
    tree = TrieTree(style, model, lambda: NOW)
    qtbot.addWidget(tree)
    tester = QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Warning)
    show(tree, 352, 460)
    qtbot.waitUntil(tree.isActiveWindow)
    yield tree
    tester.deleteLater()


def shown_rows(tree: QTreeView) -> list[int]:
    """Ids of all rows from above, as far as they are open."""
    found, index = [], tree.model().index(0, 0)
    while index.isValid():
        found.append(index.internalId())
        index = tree.indexBelow(index)
    return found


def test_every_row_is_open_from_the_start_and_after_changes(tree: TrieTree, model: TrieModel) -> None:
    assert shown_rows(tree) == [1, 2, 3, 4, 5, 6, 7, 8]
    model.show(view(*NODES, node(9, 8, 96, 200, "one"), node(10, 9, 200, 300, "two"), serial=2))
    assert shown_rows(tree) == [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]


def test_lines_and_discs_follow_whatever_becomes_of_the_trie(tree: TrieTree, model: TrieModel) -> None:
    trie = Growing(random.Random(4))
    for _ in range(80):
        trie.change()
        for number in trie.rng.sample(sorted(trie.nodes), min(2, len(trie.nodes))):
            trie.nodes[number] = replace(trie.nodes[number], residency=trie.rng.choice(["live", "disk"]))
        model.show(trie.view())
        wanted = TrieLines(trie.view())
        assert [tree._lines.position(number) for number in trie.nodes] == [wanted.position(one) for one in trie.nodes]
        assert tree._lines.deepest == wanted.deepest


@each_seed(range(6))
def test_what_is_seen_is_what_would_be_painted_anew(qtbot: QtBot, style: Style, seed: int) -> None:
    """Rows that nothing has changed are not painted again, and look as if they were."""
    model, trie = TrieModel(), Growing(random.Random(seed))
    tree = TrieTree(style, model, lambda: NOW)
    qtbot.addWidget(tree)
    show(tree, 352, 460)
    for _ in range(60):
        if trie.rng.random() < 0.4 or not trie.nodes:
            trie.change()
        number = trie.rng.choice(sorted(trie.nodes)) if trie.nodes else 0
        if number:
            changes = {"residency": trie.rng.choice(["live", "disk", "memory"]), "bytes": trie.rng.randrange(9_000_000)}
            trie.nodes[number] = replace(trie.nodes[number], **changes)
        model.show(trie.view())
        for _ in range(3):
            QApplication.processEvents()
        assert on_screen(tree) == picture(tree)


@pytest.mark.parametrize("is_heard", [False, True])
def test_states_that_differ_have_no_place_looked_for_unless_a_screen_reader_is_told(
    qtbot: QtBot, style: Style, monkeypatch: pytest.MonkeyPatch, is_heard: bool
) -> None:
    monkeypatch.setattr("app.widgets.cache.trie_tree.QAccessible.isActive", lambda: is_heard)
    asked: list[AnyIndex] = []

    class Noting(TrieModel):
        def parent(self, index: AnyIndex = ROOT) -> QModelIndex:  # type: ignore[override]  # QObject has one too
            asked.append(index)
            return super().parent(index)

    model = Noting()
    model.show(view())
    tree = TrieTree(style, model, lambda: NOW)
    qtbot.addWidget(tree)
    show(tree, 352, 460)
    QApplication.processEvents()
    asked.clear()
    model.show(view(*(replace(one, residency="disk") for one in NODES), serial=2))
    assert bool(asked) is is_heard
    tree.close()


def test_a_split_keeps_the_selection_on_its_edge(tree: TrieTree, model: TrieModel) -> None:
    tree.setCurrentIndex(model.index_of(7))
    upper = node(20, 1, 412, 1000, "Explain a KV cache")
    lower = replace(NODES[6], parent_id=20, start=1000)
    other = node(21, 20, 1000, 1300, "to a gardener")
    model.show(view(*NODES[:6], upper, lower, other, NODES[7], serial=2))
    assert tree.currentIndex() == model.index_of(7)
    assert [index.internalId() for index in tree.selectedIndexes()] == [7]
    assert shown_rows(tree) == [1, 2, 3, 4, 5, 6, 20, 7, 21, 8]


def test_where_no_row_stays_none_is_chosen_and_the_new_ones_are_open(tree: TrieTree, model: TrieModel) -> None:
    chosen: list[int] = []
    tree.chosen.connect(chosen.append)
    tree.setCurrentIndex(model.index_of(3))
    model.show(view(node(20, None, 0, 9, "one"), node(21, 20, 9, 20, "two"), node(22, 21, 20, 30, "three"), serial=2))
    assert chosen == [3, 0]
    assert not tree.currentIndex().isValid()
    assert shown_rows(tree) == [20, 21, 22]


def test_changes_elsewhere_keep_the_selection(tree: TrieTree, model: TrieModel) -> None:
    tree.setCurrentIndex(model.index_of(8))
    model.show(view(*(each for each in NODES if each.id != 3), serial=2))
    assert tree.currentIndex() == model.index_of(8)


def test_rows_are_forty_high_and_grow_with_the_text(tree: TrieTree, model: TrieModel, style: Style) -> None:
    assert tree.visualRect(model.index_of(4)).height() == 40
    style.set_text_size(21)
    tree.grab()
    assert tree.visualRect(model.index_of(4)).height() == 55


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_each_state_is_painted_without_a_warning(tree: TrieTree, style: Style, model: TrieModel, theme: Theme) -> None:
    style.set_theme(theme)
    residencies: tuple[Residency, ...] = ("live", "memory", "none")
    pictures = set()
    for serial, residency in enumerate(residencies, start=2):
        model.show(view(*(replace(each, residency=residency) for each in NODES), serial=serial))
        pictures.add(picture(tree).bits().tobytes())
    assert len(pictures) == 3


def test_the_active_path_alone_is_drawn_in_accent(tree: TrieTree, model: TrieModel) -> None:
    trunk = picture(tree).copy(22, 28, 8, 10)
    assert count(trunk, LIGHT.accentgfx) > 12
    model.show(view(*(replace(each, residency="none", bytes=0) for each in NODES), serial=2))
    assert count(picture(tree), LIGHT.accentgfx) == 0


def test_selection_hover_and_focus_can_be_seen(qtbot: QtBot, tree: TrieTree, model: TrieModel) -> None:
    plain = picture(tree)
    tree.setCurrentIndex(model.index_of(8))
    selected = picture(tree)
    assert count(selected, LIGHT.soft) > count(plain, LIGHT.soft) + 5000
    qtbot.mouseMove(tree.viewport(), tree.visualRect(model.index_of(6)).center())
    assert picture(tree) != selected
    tree.clearFocus()
    tree.setFocus(Qt.FocusReason.TabFocusReason)
    assert count(picture(tree), LIGHT.accentgfx) > count(selected, LIGHT.accentgfx) + 400


def test_the_keyboard_walks_through_all_rows(qtbot: QtBot, tree: TrieTree, model: TrieModel) -> None:
    tree.setCurrentIndex(model.index_of(1))
    for _ in range(3):
        qtbot.keyClick(tree, Qt.Key.Key_Down)
    assert tree.currentIndex() == model.index_of(4)
    qtbot.keyClick(tree, Qt.Key.Key_End)
    assert tree.currentIndex() == model.index_of(8)
    qtbot.keyClick(tree, Qt.Key.Key_Left)
    assert shown_rows(tree) == [1, 2, 3, 4, 5, 6, 7, 8]


def test_a_screen_reader_hears_level_tokens_bytes_and_state(tree: TrieTree, model: TrieModel) -> None:
    said = tree.model().data(model.index_of(5), Qt.ItemDataRole.AccessibleTextRole)
    assert isinstance(said, str)
    for part in ("Level 3", "459", "37", "in memory", "With the children"):
        assert part in said
    assert tree.accessibleName()


def test_figures_leave_bytes_out_where_nothing_is_held() -> None:
    assert figures(NODES[1]) == ["412–3\u202f412", "3\u202f000 tok", "240\u00a0MB"]
    assert len(figures(NODES[5])) == 2


def test_a_very_deep_trie_keeps_room_for_words(qtbot: QtBot, style: Style) -> None:
    nodes = []
    for number in range(1, 120, 2):
        parent = number - 2 if number > 1 else None
        nodes.append(node(number, parent, number, number + 1, "trunk", "live"))
    sides = {number: node(number + 1, number - 2, number, number + 1, "side") for number in range(3, 120, 2)}
    ordered = _depth_first([*nodes, *sides.values()])
    model = TrieModel()
    model.show(view(*ordered))
    tree = TrieTree(style, model, lambda: NOW)
    qtbot.addWidget(tree)
    show(tree, 300, 400)
    assert max(tree.text_left(each.id) for each in ordered) < 300 - 100 + 160
    assert tree.horizontalScrollBar().maximum() == 0
    picture(tree)


def _depth_first(nodes: list) -> list:
    children: dict = {}
    for each in nodes:
        children.setdefault(each.parent_id, []).append(each)
    ordered, at = [], list(reversed(children[None]))
    while at:
        each = at.pop()
        ordered.append(each)
        at.extend(reversed(children.get(each.id, [])))
    return ordered


def hover_text(tree: TrieTree, index: QModelIndex) -> str:
    """What a tooltip over this row says."""
    at = tree.visualRect(index).center()
    event = QHelpEvent(QEvent.Type.ToolTip, at, tree.viewport().mapToGlobal(at))
    QApplication.sendEvent(tree.viewport(), event)
    text = QToolTip.text()
    QToolTip.hideText()
    return text


def test_a_row_that_is_cut_says_the_rest_in_a_tooltip(qtbot: QtBot, tree: TrieTree, model: TrieModel) -> None:
    tree.resize(640, 460)
    assert hover_text(tree, model.index_of(4)) == ""
    tree.resize(300, 460)
    text = hover_text(tree, model.index_of(4))
    assert text.startswith("Make it cheaper, under 300 euros each\n3\u202f412–3\u202f794")
    assert text.endswith("Live  ·  now")


def test_the_tree_starts_without_a_selection(tree: TrieTree) -> None:
    assert tree.currentIndex() == QModelIndex() or not tree.selectedIndexes()


def test_an_edge_on_disk_says_so_and_how_much(tree: TrieTree, model: TrieModel) -> None:
    edge = on_disk(NODES[4])
    model.show(view(*NODES[:4], edge, *NODES[5:], serial=2))
    spoken = model.index_of(5).data(Qt.ItemDataRole.AccessibleTextRole)
    assert "37\u00a0MB, on disk" in spoken
    assert figures(edge)[-1] == "37\u00a0MB"
    assert "On disk" in cast(TrieDelegate, tree.itemDelegate()).whole(edge)


def test_an_edge_in_memory_tells_of_its_file(tree: TrieTree) -> None:
    edge = replace(NODES[2], disk_bytes=34_000_000)
    assert "On disk too, 34\u00a0MB" in cast(TrieDelegate, tree.itemDelegate()).whole(edge)
    assert "On disk" not in cast(TrieDelegate, tree.itemDelegate()).whole(NODES[2])


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_a_pin_stands_after_the_name_and_is_said(tree: TrieTree, model: TrieModel, style: Style, theme: Theme) -> None:
    style.set_theme(theme)
    row = tree.visualRect(model.index_of(8))
    before = picture(tree.viewport()).copy(row)
    model.show(view(*NODES[:7], replace(NODES[7], is_pinned=True), serial=2))
    after = picture(tree.viewport()).copy(row)
    name = round(style.text_style(TextRole.UI).width(NODES[7].label))
    changed = [x for x in range(before.width()) if any(before.pixel(x, y) != after.pixel(x, y) for y in range(20))]
    assert changed
    assert 6 <= max(changed) - min(changed) <= 12
    assert min(changed) > name
    assert "pinned" in model.index_of(8).data(Qt.ItemDataRole.AccessibleTextRole)


def test_a_long_name_leaves_room_for_the_pin(tree: TrieTree, model: TrieModel, style: Style) -> None:
    long = replace(NODES[7], label="Reply only with JSON " * 5, is_pinned=True)
    model.show(view(*NODES[:7], long, serial=2))
    row = tree.visualRect(model.index_of(8))
    pinned = picture(tree.viewport()).copy(row)
    model.show(view(*NODES[:7], replace(long, is_pinned=False), serial=3))
    assert picture(tree.viewport()).copy(row) != pinned
    pill = row.width() - 16 - round(pill_width(style, "In memory", "memory"))
    assert picture(tree.viewport()).copy(row).copy(pill, 0, 200, 40) == pinned.copy(pill, 0, 200, 40)


def test_the_state_gives_way_to_the_words_of_a_row_and_is_said_in_the_tooltip(
    tree: TrieTree, model: TrieModel, style: Style, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not both have room with large text; the disc shows the state as well."""
    said: list[str] = []
    monkeypatch.setattr(trie_delegate, "paint_pill", lambda *given: (said.append(given[4]), paint_pill(*given))[1])
    there = [replace(one, residency="believed") for one in NODES]
    model.show(view(*there, serial=2))
    for body, width, is_said in ((14, 352, True), (24, 352, False), (24, 700, True)):
        style.set_text_size(body)
        show(tree, width, 460)
        said.clear()
        picture(tree.viewport())
        assert ("Should be there" in said) == is_said, body
    show(tree, 300, 460)
    assert "Should be there" in hover_text(tree, model.index_of(1))


# What screen readers are told


def test_a_row_is_pressed_and_not_toggled_and_says_its_words_now(tree: TrieTree, model: TrieModel) -> None:
    rng, found = random.Random(7), QAccessible.queryAccessibleInterface(tree)
    chosen: list[int] = []
    tree.chosen.connect(chosen.append)
    picked: list[int] = []
    tree.picked.connect(lambda: picked.append(tree.currentIndex().internalId()))
    nodes = [*NODES]
    for turn in range(8):
        rows = [found.child(number) for number in range(1, found.childCount())]
        ids = shown_rows(tree)
        words = [model.index_of(one).data(Qt.ItemDataRole.AccessibleTextRole) for one in ids]
        assert [row.text(QAccessible.Text.Name) for row in rows] == words
        assert all(row.role() is QAccessible.Role.ListItem for row in rows)
        assert all(row.actionInterface().actionNames() == ["Press"] for row in rows)
        place = rng.randrange(len(ids))
        rows[place].actionInterface().doAction("Press")
        assert chosen[-1] == ids[place] == tree.currentIndex().internalId()
        assert picked == chosen, "as a click does, and only where another row was chosen"
        assert [found.indexOfChild(row) for row in rows] == list(range(1, len(rows) + 1))
        at = rows[place].rect().center()
        assert found.childAt(at.x(), at.y()).text(QAccessible.Text.Name) == words[place]
        nodes = [*nodes, node(20 + turn, rng.choice(nodes).id, 200, 300, f"more {turn}")]
        model.show(view(*nodes, serial=turn + 2))


def test_who_chooses_a_row_by_any_means_is_told_of_and_a_program_that_does_is_not(
    qtbot: QtBot, tree: TrieTree, model: TrieModel
) -> None:
    rng, picked = random.Random(5), list[int]()
    tree.picked.connect(lambda: picked.append(tree.currentIndex().internalId()))
    found = QAccessible.queryAccessibleInterface(tree)
    ids = shown_rows(tree)
    wanted = list[int]()
    for _ in range(60):
        before, row = tree.currentIndex().internalId(), rng.choice(ids)
        is_person = True
        match rng.randrange(5):
            case 0:
                tree.come_to(row, is_chosen=True)
                is_person = False
            case 1:
                qtbot.mouseClick(
                    tree.viewport(), Qt.MouseButton.LeftButton, pos=tree.visualRect(model.index_of(row)).center()
                )
            case 2:
                found.child(1 + ids.index(row)).actionInterface().doAction("Press")
                assert tree.hasFocus(), "as after a click"
            case 3:
                qtbot.keyClick(tree, rng.choice([Qt.Key.Key_Down, Qt.Key.Key_Up, Qt.Key.Key_End, Qt.Key.Key_Home]))
            case _:
                qtbot.keyClick(tree, Qt.Key.Key_Shift)
        now = tree.currentIndex().internalId()
        wanted += [now] if is_person and now != before else []
        assert picked == wanted


def test_the_row_that_the_keyboard_comes_to_is_the_child_that_qt_speaks_of(qtbot: QtBot, tree: TrieTree) -> None:
    found = QAccessible.queryAccessibleInterface(tree)
    tree.setFocus()
    qtbot.waitUntil(tree.hasFocus)
    heads = 0 if tree.header() is None else 1  # Qt counts the header, also one that is hidden
    for place, row in enumerate(shown_rows(tree)):
        tree.setCurrentIndex(cast(TrieModel, tree.model()).index_of(row))
        assert found.indexOfChild(found.focusChild()) == place + heads
        assert found.child(place + heads).state().focused
    assert found.child(0).role() is QAccessible.Role.ColumnHeader
