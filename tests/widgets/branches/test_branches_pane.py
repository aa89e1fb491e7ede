"""The outline of branches by mouse and keys, over a scripted engine and a real database."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QAccessible, QColor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit
from pytestqt.qtbot import QtBot

from app.conversation.message import Message
from app.protocol.commands import WarmUp
from app.protocol.reports import Problem
from app.viewmodels.app import App
from app.viewmodels.branches import branch_model
from app.viewmodels.branches.branches_region import NO_BRANCHES, BranchesState
from app.viewmodels.warmth.warmth import Warmth, unreadable_warmth
from app.widgets.branches import branch_delegate, branch_foot
from app.widgets.branches.branches_pane import BranchesPane
from app.widgets.kit.drawing import draw_text
from app.widgets.kit.style import Style
from app.widgets.kit.theme import LIGHT
from app.widgets.kit.typography import TextRole
from tests.fakes.engine import Script
from tests.viewmodels.test_app import ask, texts
from tests.widgets.painted import painted_by
from tests.widgets.pictures import count, picture, show

Key, Held = Qt.Key, Qt.KeyboardModifier
NBSP = "\N{NO-BREAK SPACE}"


@pytest.fixture
def pane(qtbot: QtBot, style: Style, app: App) -> BranchesPane:
    """A trunk of ten messages; below it Two, which forks into Three and Four, and Five, which is open."""
    for number in range(5):
        ask(qtbot, app, f"One {number}")
    for text in ("Two", "Three"):
        ask(qtbot, app, text)
    fork(qtbot, app, "Three", "Four")
    fork(qtbot, app, "Two", "Five")
    pane = BranchesPane(style, app.branches)
    qtbot.addWidget(pane)
    show(pane, 352, 700)
    qtbot.waitUntil(pane.isActiveWindow)
    settle(app)
    pane.tree.setFocus()
    return pane


def settle(app: App) -> None:
    app.catch_up()
    QTest.qWait(0)


def fork(qtbot: QtBot, app: App, at: str, text: str) -> None:
    app.chat.open_draft.begin_edit(message(app, at).id)
    ask(qtbot, app, text)


def message(app: App, text: str) -> Message:
    tree = app.library.tree
    ids = [one.id for run in tree.runs().values() for one in tree.path_to(run.last_id)]
    return next(tree.message(one) for one in ids if tree.message(one).text == text)


def rows(pane: BranchesPane) -> list[str]:
    """Titles of all rows that are not put away, from above."""
    model = pane.tree.model()
    return [str(model.index(row, 0).data()).strip("“”") for row in range(model.rowCount())]


def at(pane: BranchesPane, title: str) -> QPoint:
    """The middle of a row."""
    return pane.tree.visualRect(pane.tree.model().index(rows(pane).index(title), 0)).center()


def current(pane: BranchesPane) -> str:
    return str(pane.tree.currentIndex().data()).strip("“”")


def press(pane: BranchesPane, app: App, key: Qt.Key, held: Qt.KeyboardModifier = Held.NoModifier) -> None:
    QTest.keyClick(pane.tree, key, held)
    settle(app)


def test_everything_is_open_at_first_and_the_open_branch_is_chosen(pane: BranchesPane) -> None:
    assert rows(pane) == ["One 0", "Two", "Three", "Four", "Five"]
    assert current(pane) == "Five"
    assert pane.foot.accessibleDescription().startswith("“Five”, ")


def test_arrows_choose_and_open_nothing_and_return_opens(pane: BranchesPane, app: App) -> None:
    press(pane, app, Key.Key_Up)
    press(pane, app, Key.Key_Space)
    assert (current(pane), texts(app)[-2]) == ("Four", "Five")
    assert pane.foot.accessibleDescription().startswith("“Four”, ")
    press(pane, app, Key.Key_Return)
    assert (current(pane), texts(app)[-2]) == ("Four", "Four")


def test_left_and_right_put_away_and_show_and_come_back_as_they_were(pane: BranchesPane, app: App) -> None:
    for key in (Key.Key_Up, Key.Key_Left):  # from Four to Two
        press(pane, app, key)
    assert current(pane) == "Two"
    press(pane, app, Key.Key_Left)
    assert rows(pane) == ["One 0", "Two", "Five"]
    pane.field.setText("Four")
    settle(app)
    pane.field.clear()
    settle(app)
    assert rows(pane) == ["One 0", "Two", "Five"]
    pane.tree.setCurrentIndex(pane.tree.model().index(0, 0))
    press(pane, app, Key.Key_Left, Held.AltModifier)
    assert rows(pane) == ["One 0"]
    press(pane, app, Key.Key_Right)
    assert rows(pane) == ["One 0", "Two", "Five"]
    press(pane, app, Key.Key_Right, Held.AltModifier)
    assert rows(pane) == ["One 0", "Two", "Three", "Four", "Five"]


def test_a_long_run_lists_its_questions_with_right_and_puts_them_away_with_left(pane: BranchesPane, app: App) -> None:
    pane.tree.setCurrentIndex(pane.tree.model().index(0, 0))
    press(pane, app, Key.Key_Right)
    assert rows(pane) == ["One 0", "One 1", "One 2", "One 3", "One 4", "Two", "Three", "Four", "Five"]
    press(pane, app, Key.Key_Down)
    press(pane, app, Key.Key_Return)
    assert current(pane) == "One 1"
    for _ in range(2):
        press(pane, app, Key.Key_Left)
    assert rows(pane) == ["One 0", "Two", "Three", "Four", "Five"]
    first = pane.tree.visualRect(pane.tree.model().index(0, 0))
    chip = pane.tree.delegate.chip(first, app.branches.model.rows[0])
    assert chip is not None
    QTest.mouseClick(pane.tree.viewport(), Qt.MouseButton.LeftButton, pos=chip.center().toPoint())
    settle(app)
    assert "One 4" in rows(pane)


def test_command_and_right_shows_one_branch_alone(pane: BranchesPane, app: App) -> None:
    press(pane, app, Key.Key_Up)
    press(pane, app, Key.Key_Left)
    assert not pane.back.isVisible()
    press(pane, app, Key.Key_Right, Held.ControlModifier)
    assert (rows(pane), current(pane)) == (["Two", "Three", "Four"], "Two")
    pane.back.click()
    settle(app)
    assert rows(pane) == ["One 0", "Two", "Three", "Four", "Five"]
    assert current(pane) == "Two"


def test_a_click_opens_and_a_click_on_the_arrow_puts_away(pane: BranchesPane, app: App) -> None:
    viewport = pane.tree.viewport()
    QTest.mouseClick(viewport, Qt.MouseButton.LeftButton, pos=at(pane, "Three"))
    settle(app)
    assert (current(pane), texts(app)[-2]) == ("Three", "Three")
    arrow = QPoint(round(pane.tree.trunk(1)), at(pane, "Two").y() - 8)
    QTest.mouseClick(viewport, Qt.MouseButton.LeftButton, pos=arrow)
    settle(app)
    assert rows(pane) == ["One 0", "Two", "Five"]
    assert texts(app)[-2] == "Three"


def test_a_screen_reader_opens_a_row(pane: BranchesPane, app: App) -> None:
    told = QAccessible.queryAccessibleInterface(pane.tree)
    for title in ("Three", "Four"):
        told.child(rows(pane).index(title)).actionInterface().doAction("Press")
        settle(app)
        assert (current(pane), texts(app)[-2]) == (title, title)


def test_a_branch_is_named_in_its_place(qtbot: QtBot, pane: BranchesPane, app: App, style: Style) -> None:
    press(pane, app, Key.Key_F2)
    editor = pane.tree.viewport().findChild(QLineEdit)
    assert isinstance(editor, QLineEdit)
    assert (editor.text(), editor.accessibleName()) == ("", "Name of the branch")
    QTest.keyClicks(editor, "cheaper")
    QTest.keyClick(editor, Key.Key_Return)
    qtbot.waitUntil(lambda: rows(pane)[-1] == "cheaper")
    assert (current(pane), texts(app)[-2]) == ("cheaper", "Five")
    pane.foot.rename.click()
    editor = pane.tree.viewport().findChild(QLineEdit)
    assert isinstance(editor, QLineEdit)
    style.set_text_size(24)
    assert editor.font() == style.text_style(TextRole.UI).font
    qtbot.waitUntil(lambda: editor.height() >= style.text_style(TextRole.UI).metrics.height())
    assert pane.tree.visualRect(pane.tree.currentIndex()).contains(editor.geometry().center())


def test_a_filter_is_typed_and_left_again(pane: BranchesPane, app: App) -> None:
    pane.field.setFocus()
    QTest.keyClicks(pane.field, "four")
    settle(app)
    assert rows(pane) == ["One 0", "Two", "Four"]
    QTest.keyClick(pane.field, Key.Key_Down)
    assert (pane.tree.hasFocus(), current(pane)) == (True, "Four")
    QTest.keyClick(pane.tree, Key.Key_Home)
    QTest.keyClick(pane.tree, Key.Key_Up)
    assert pane.field.hasFocus()
    QTest.keyClicks(pane.field, "nowhere")
    settle(app)
    assert rows(pane) == []
    assert "No branch has these words." in pane.accessibleDescription()


def test_branches_are_deleted_by_keys(qtbot: QtBot, pane: BranchesPane, app: App) -> None:
    press(pane, app, Key.Key_Up)
    with qtbot.waitSignal(app.library.edits.deletionAsked):  # it is not seen, so it is asked about
        press(pane, app, Key.Key_Delete)
    press(pane, app, Key.Key_Down)
    press(pane, app, Key.Key_Delete)
    qtbot.waitUntil(lambda: rows(pane) == ["One 0", "Three", "Four"])  # no fork leads to Two any more
    assert current(pane) == "Four"


def test_one_branch_says_how_there_come_to_be_more(qtbot: QtBot, pane: BranchesPane, app: App) -> None:
    app.library.new_conversation()
    ask(qtbot, app, "Alone")
    settle(app)
    assert rows(pane) == ["Alone"]
    assert NO_BRANCHES in pane.accessibleDescription()
    assert not pane.foot.compare.isEnabled()


def test_the_menu_of_a_row_has_all_that_can_be_done(pane: BranchesPane, app: App) -> None:
    menu = pane.menu(pane.tree.row_id)
    titles = [action.text() for action in menu.actions() if not action.isSeparator()]
    assert titles == [
        "Open Branch",
        "Rename",
        "Add to Favourites",
        "Show Only This Branch",
        "Show All Branches",
        "Compare…",
        "Warm Up",
        "Delete Branch",
    ]
    menu.close()


def test_a_branch_is_warmed_up_from_its_row_without_being_opened(
    qtbot: QtBot, pane: BranchesPane, app: App, script: Script
) -> None:
    (row,) = [one for one in app.branches.model._nodes if app.branches.model.row(one).title == "“Three”"]
    (warm_up,) = [entry for entry in pane.menu(row.id).actions() if entry.text() == "Warm Up"]
    before = app.library.tree.leaf_id
    warm_up.trigger()
    qtbot.waitUntil(lambda: any(isinstance(one, WarmUp) for one in script.commands))
    asked = next(one for one in script.commands if isinstance(one, WarmUp))
    assert [turn.text for turn in asked.turns][-2:] == ["Three", "You said: Three"]
    assert app.library.tree.leaf_id == before
    app.branches.can_warm_up = lambda: False  # as a server's engine does not
    assert "Warm Up" not in [entry.text() for entry in pane.menu(row.id).actions()]


def test_the_open_path_is_drawn_in_the_accent_and_nothing_else_is(pane: BranchesPane) -> None:
    image = picture(pane.tree)
    ratio = image.devicePixelRatio()

    def accents(title: str, level: int) -> int:
        row = pane.tree.visualRect(pane.tree.indexAt(at(pane, title)))
        x = pane.tree.trunk(level)
        left, right = round((x - 2) * ratio), round((x + 3) * ratio)
        found = 0
        for y in range(round((row.top() + 2) * ratio), round((row.bottom() - 2) * ratio)):
            found += any(image.pixelColor(column, y) == LIGHT.accentgfx for column in range(left, right))
        return found

    assert accents("Two", 0) > 30 * ratio  # the trunk goes past it, down to the open branch
    assert accents("Three", 1) == 0
    assert accents("Five", 0) > 5 * ratio
    assert count(image, QColor(LIGHT.line2)) > 0


def test_a_row_with_words_that_are_not_counted_shows_no_tokens(pane: BranchesPane, app: App) -> None:
    warmth = Warmth(382, 382, False, 3794, 0, None, 4096, is_warm=True)
    pictures = []
    for shown in (warmth, replace(warmth, has_more=True), replace(warmth, tokens=None)):
        app.branches.model._warmth_of = lambda _message_id, shown=shown: shown
        pictures.append(picture(pane.tree))
    assert pictures[1] == pictures[2] != pictures[0]


def test_the_bar_of_a_path_is_green_only_where_it_is_in_memory(pane: BranchesPane) -> None:
    """The legend below it has another bar for what is read from the disk, and another for what is cold."""
    warm = Warmth(382, 382, False, 3794, 0, None, 4096, is_warm=True)
    problem = Problem("The model’s template refuses this", "Nothing of it can be counted.")
    greens = []
    for warmth in (warm, replace(warm, is_from_disk=True), unreadable_warmth(problem, 4096)):
        pane.foot.show_state(BranchesState(warmth=warmth))
        greens.append(count(picture(pane.foot), LIGHT.accentgfx))
    assert greens[0] > pane.foot.width()
    assert greens[1:] == [0, 0]


@pytest.mark.parametrize("body", [10, 24])
def test_the_pane_holds_all_its_parts_at_any_text_size(pane: BranchesPane, style: Style, body: int) -> None:
    style.set_text_size(body)
    for width, height in ((300, 500), (352, 700), (640, 1000)):
        pane.resize(width, height)
        pane.grab()
        parts = [pane.field, pane.tree, *[pane.foot] * pane.foot.isVisible()]
        assert pane.foot.isVisible() or height == 500
        tops = [part.geometry().top() for part in parts]
        assert tops == sorted(tops)
        assert parts[-1].geometry().bottom() <= pane.height()
        if not pane.foot.isVisible():
            continue
        assert pane.tree.geometry().bottom() <= pane.foot.geometry().top()
        for button in pane.foot.buttons:
            assert QPointF(button.geometry().right(), 0).x() <= width
            assert button.width() >= button.sizeHint().width() - 1


def test_many_branches_stay_as_they_were_left_while_one_is_added(
    qtbot: QtBot, pane: BranchesPane, app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are listed in slices then; what the person sees of them stays."""
    monkeypatch.setattr(branch_model, "_MANY", 2)
    for key in (Key.Key_Up, Key.Key_Up, Key.Key_Left, Key.Key_Left):
        press(pane, app, key)
        qtbot.waitUntil(lambda: not app.branches.model.is_busy)
    assert (rows(pane), current(pane)) == (["One 0", "Two", "Five"], "Two")
    tree = app.library.tree
    tree.add(Message.new(tree.conversation_id, tree.path[1].id, "user", "Six"), select=False)
    app.library.state.refresh()
    qtbot.waitUntil(lambda: "Six" in rows(pane))
    assert current(pane) == "Two"
    assert {"Six", "Two", "Five"} < set(rows(pane))
    assert "Three" not in rows(pane)


def test_the_chosen_row_stays_in_sight_when_the_outline_has_less_room(pane: BranchesPane) -> None:
    tree = pane.tree
    assert current(pane) == "Five"
    for height in (150, 90, 60):
        tree.resize(tree.width(), height)
        assert tree.viewport().rect().contains(tree.visualRect(tree.currentIndex()))
    tree.verticalScrollBar().setValue(0)  # the person looks elsewhere
    tree.resize(tree.width(), 50)
    assert tree.verticalScrollBar().value() == 0


def test_many_answers_are_one_row_that_lists_them(qtbot: QtBot, pane: BranchesPane, app: App) -> None:
    tree = app.library.tree
    question = tree.path[0]
    for number in range(20):
        tree.add(Message.new(tree.conversation_id, question.id, "assistant", f"Answer {number}"), select=False)
    app.library.state.refresh()
    qtbot.waitUntil(lambda: f"20{NBSP}answers" in rows(pane))
    assert len(rows(pane)) == 7
    QTest.mouseClick(pane.tree.viewport(), Qt.MouseButton.LeftButton, pos=at(pane, f"20{NBSP}answers"))
    settle(app)
    assert [title for title in rows(pane) if title.startswith("Answer")] == [f"Answer {number}" for number in range(20)]
    assert current(pane) == f"20{NBSP}answers"
    assert not pane.foot.isVisible()
    press(pane, app, Key.Key_Return)
    assert len(rows(pane)) == 7
    press(pane, app, Key.Key_Right)
    assert len(rows(pane)) == 27
    press(pane, app, Key.Key_Left)
    press(pane, app, Key.Key_Left)
    assert (len(rows(pane)), current(pane)) == (7, "One 0")


@pytest.mark.parametrize("body", [14, 24])
@pytest.mark.parametrize("deepest", [1, 2, 3, 4, 6, 9, 40])
def test_levels_stand_as_far_apart_as_a_few_of_them_can_at_any_text_size(
    pane: BranchesPane, style: Style, monkeypatch: pytest.MonkeyPatch, body: int, deepest: int
) -> None:
    """Two or three levels are told apart at a glance; many take no more of the words than those do."""
    style.set_text_size(body)
    pane.resize(352, 700)
    pane.grab()
    monkeypatch.setattr(pane.tree._branches, "deepest", deepest)
    trunks = [pane.tree.trunk(level) for level in range(deepest + 1)]
    steps = [after - before for before, after in pairwise(trunks)]
    assert steps[0] >= {1: 18, 2: 18, 3: 12}.get(deepest, 6)
    assert trunks[-1] <= max(trunks[0] + 36, pane.tree.trunk(0) + pane.tree._room)


def test_the_totals_are_painted_without_the_outline(pane: BranchesPane, app: App) -> None:
    """What is said around the rows is known a moment after them, and is told far more often than they change."""

    def tell() -> None:
        app.branches.state._told = None
        app.branches.state.tell()

    tries = [painted_by(tell, [pane, pane.foot, pane.tree.viewport()]) for _ in range(5)]
    assert [pane, pane.foot] in tries, "what comes by itself, as warmth does, may paint the outline now and then"
    shown = pane.foot.accessibleDescription()
    tell()
    assert pane.foot.accessibleDescription() == shown


def test_versions_that_begin_alike_are_told_apart_where_their_titles_are_cut(
    qtbot: QtBot, pane: BranchesPane, app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever edits the end of a long question sees which is which; with room for all of it, all of it is there."""
    drawn: list[str] = []
    for module in (branch_delegate, branch_foot):
        monkeypatch.setattr(module, "draw_text", lambda *given: (drawn.append(given[3]), draw_text(*given))[1])
    begun, kinds = "Tell me, and leave out nothing that you know, a story about ", ("a wolf", "a hen")
    ask(qtbot, app, f"{begun}a wolf")
    fork(qtbot, app, f"{begun}a wolf", f"{begun}a hen")
    settle(app)
    whole = {f"“{begun}{kind}”" for kind in kinds}
    for width, shown in ((352, {f"“…about {kind}”" for kind in kinds}), (1200, whole)):
        show(pane, width, 900)
        for part in (pane.tree.viewport(), pane.foot):
            picture(part)
            assert {text for text in drawn if "about" in text} == shown
            shown = {title for title in shown if "hen" in title}  # the one that is open
            drawn.clear()
        assert {title.strip("“”") for title in whole} <= set(rows(pane)), "what is said of a row is never cut"


def test_a_question_is_told_apart_from_the_one_that_it_follows(
    qtbot: QtBot, pane: BranchesPane, app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever asks for one scene after the other in the same words sees which row is which."""
    drawn: list[str] = []
    monkeypatch.setattr(branch_delegate, "draw_text", lambda *given: (drawn.append(given[3]), draw_text(*given))[1])
    begun = "Write, in the voice of a sailor who is old, the scene "
    fork(qtbot, app, "Five", f"{begun}in the harbour")
    ask(qtbot, app, f"{begun}at sea")
    fork(qtbot, app, f"{begun}at sea", "Stop here")
    settle(app)
    show(pane, 352, 900)
    drawn.clear()
    picture(pane.tree.viewport())
    assert {text for text in drawn if "scene" in text} == {f"“{begun}in the harbour”", "“…the scene at sea”"}
