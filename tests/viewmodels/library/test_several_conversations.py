"""What is done to several conversations at once is one step of undo."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from pytestqt.qtbot import QtBot

from app.conversation.edit import Edit
from app.conversation.faults import Fault, store_error
from app.conversation.trash import Trash
from app.viewmodels.app import App
from tests.fakes.engine import Script
from tests.seeds import each_seed
from tests.viewmodels.library.test_import_export import notice
from tests.viewmodels.library.test_library_region import at_rest
from tests.viewmodels.test_app import ask, ready, wait_for_text


def filed(app: App) -> dict[str, str]:
    """Every conversation that there is, with the folder that it lies in."""
    names = {one.id: one.name for one in app.library.library.folders}
    return {one.title: names.get(one.folder_id or "", "") for one in app.library.library.conversations if one.title}


def ids_of(app: App, titles: list[str]) -> list[str]:
    return [one.id for one in app.library.library.conversations if one.title in titles]


@each_seed(range(4))
def test_any_of_them_are_filed_or_deleted_at_once_and_come_back_at_once(qtbot: QtBot, app: App, seed: int) -> None:
    random, edits = Random(seed), app.library.edits
    ready(qtbot, app)
    all_titles = [f"{seed}: {number}" for number in range(5)]
    for title in all_titles:
        app.library.new_conversation()
        ask(qtbot, app, title)
    edits.create_folder(f"Home {seed}")
    at_rest(qtbot, app)
    for number in range(8):
        before = filed(app)
        chosen = random.sample(sorted(set(before) & set(all_titles)), random.randint(1, 5))
        home = next(one for one in app.library.library.folders if one.name == f"Home {seed}")
        kind = random.choice(("move", "take out", "delete", "new folder"))
        expected = dict(before)
        if kind in ("move", "take out"):
            edits.move_all(ids_of(app, chosen), home.id if kind == "move" else None)
            expected.update(dict.fromkeys(chosen, home.name if kind == "move" else ""))
        elif kind == "delete":
            edits.delete_conversations(ids_of(app, chosen))
            expected = {title: folder for title, folder in before.items() if title not in chosen}
        else:
            edits.create_folder(f"New {seed}.{number}", *ids_of(app, chosen))
            expected.update(dict.fromkeys(chosen, f"New {seed}.{number}"))
        at_rest(qtbot, app)
        assert filed(app) == expected, kind
        if expected != before:
            app.act("undo")
            at_rest(qtbot, app)
            assert filed(app) == before, kind
            if kind != "delete" and random.random() < 0.5:
                app.act("redo")
                at_rest(qtbot, app)
                assert filed(app) == expected, kind


def test_none_of_several_is_deleted_while_one_of_them_is_answered(qtbot: QtBot, app: App, script: Script) -> None:
    ask(qtbot, app, "One")
    app.library.new_conversation()
    script.answers["Long?"], script.hold = " ".join(map(str, range(40))), 10
    app.chat.requests.send("Long?")
    wait_for_text(qtbot, app)
    app.library.edits.delete_conversations([one.id for one in app.library.library.conversations])
    at_rest(qtbot, app)
    assert set(filed(app)) == {"One", "Long?"}


def test_whoever_takes_a_deletion_of_several_back_is_where_they_were(qtbot: QtBot, app: App) -> None:
    for title in ("One", "Two", "Three"):
        app.library.new_conversation()
        ask(qtbot, app, title)
    for title in ("One", "Two", "Three"):
        (at,) = ids_of(app, [title])
        app.library.open(at)
        at_rest(qtbot, app)
        app.library.edits.delete_all()
        at_rest(qtbot, app)
        assert not filed(app)
        app.act("undo")
        at_rest(qtbot, app)
        assert app.library.open_id == at
        assert set(filed(app)) == {"One", "Two", "Three"}


def test_those_that_are_chosen_are_written_to_one_archive(qtbot: QtBot, app: App, tmp_path: Path) -> None:
    for title in ("One", "Two", "Three"):
        app.library.new_conversation()
        ask(qtbot, app, title)
    app.library.edits.create_folder("Home", *ids_of(app, ["One"]))
    app.library.edits.create_folder("Other", *ids_of(app, ["Three"]))
    at_rest(qtbot, app)
    app.library.import_export.export_all(str(tmp_path / "some.zip"), ids_of(app, ["One", "Two"]))
    assert notice(qtbot, app, "saved as").startswith("2")
    before = filed(app)
    app.library.edits.delete_all()
    at_rest(qtbot, app)
    app.library.import_export.import_file(str(tmp_path / "some.zip"), copies=True)
    notice(qtbot, app, "imported")
    assert filed(app) == {title: before[title] for title in ("One", "Two")}


def test_where_the_disk_fills_up_between_two_of_them_none_is_deleted(
    qtbot: QtBot, app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    ready(qtbot, app)
    titles = ["Pears", "Apples", "Quinces"]
    for title in titles:
        app.library.new_conversation()
        ask(qtbot, app, title)
    at_rest(qtbot, app)
    offered, delete = app.library.state.now.undo, Trash.delete_conversation
    found = ids_of(app, titles)

    def refuse_last(trash: Trash, conversation_id: str) -> Edit:
        if conversation_id == found[-1]:
            raise store_error(Fault.FULL, None)
        return delete(trash, conversation_id)

    monkeypatch.setattr(Trash, "delete_conversation", refuse_last)
    app.library.edits.delete_conversations(found)
    at_rest(qtbot, app)
    assert app.workspace.store.call(lambda store: store.trash.entries()) == ()
    assert sorted(filed(app)) == sorted(titles)
    assert app.library.state.now.undo == offered
