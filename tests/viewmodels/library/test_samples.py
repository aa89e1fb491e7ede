"""A new database begins with a conversation to look at, once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.exchange import read_file
from app.launch.paths import sample
from app.viewmodels.app import App
from app.viewmodels.kit.settings import Settings
from app.viewmodels.library.folds import Folds
from app.viewmodels.library.samples import SAMPLE_ID

MakeApp = Callable[..., App]


def titles(app: App) -> list[tuple[str, str]]:
    app.catch_up()
    model = app.library.conversation_model
    return [(row.section, row.title) for row in model.rows]


def settle(qtbot: QtBot, app: App) -> None:
    """Wait until the store has done all it was asked."""
    done: list[object] = []
    app.library._store.do(lambda store: None, done.append)
    qtbot.waitUntil(lambda: bool(done))
    app.library.library.read_list(lambda: done.append(None))
    qtbot.waitUntil(lambda: len(done) == 2)


def test_a_new_database_begins_with_the_sample(qtbot: QtBot, make_app: MakeApp) -> None:
    app = make_app()
    settle(qtbot, app)
    app.library.add_sample(sample())
    qtbot.waitUntil(lambda: ("Samples", "A trip, planned three ways") in titles(app))
    assert app.library.state.now.blank_title == "Welcome to Espalier"
    assert app.library.open_id != SAMPLE_ID
    assert not app.library.state.now.undo
    assert app.notices.now.text == ""


def test_it_has_three_named_branches(qtbot: QtBot) -> None:
    (document,) = read_file(sample()).documents
    assert document.conversation.id == SAMPLE_ID
    assert [message.name for message in document.messages if message.name] == [
        "cheaper",
        "with the children",
        "by bicycle",
    ]


def sample_rows(app: App) -> list[str]:
    return [title for section, title in titles(app) if section == "Samples"]


def test_its_branches_are_in_sight_until_they_are_folded(qtbot: QtBot, make_app: MakeApp) -> None:
    app = make_app()
    settle(qtbot, app)
    app.library.add_sample(sample())
    branches = ["cheaper", "with the children", "by bicycle"]
    qtbot.waitUntil(lambda: sample_rows(app) == ["A trip, planned three ways", *branches])
    app.library.fold(SAMPLE_ID, True)
    assert sample_rows(app) == ["A trip, planned three ways"]
    app = make_app()
    settle(qtbot, app)
    app.library.add_sample(sample())
    settle(qtbot, app)
    assert sample_rows(app) == ["A trip, planned three ways"]


def test_its_branches_stay_folded_in_another_database(qtbot: QtBot, make_app: MakeApp, settings: Settings) -> None:
    Folds(settings).fold(SAMPLE_ID, True)
    app = make_app()
    settle(qtbot, app)
    app.library.add_sample(sample())
    qtbot.waitUntil(lambda: sample_rows(app) == ["A trip, planned three ways"])


def test_it_is_not_there_again_once_it_was_deleted(qtbot: QtBot, make_app: MakeApp) -> None:
    app = make_app()
    settle(qtbot, app)
    app.library.add_sample(sample())
    qtbot.waitUntil(lambda: len(sample_rows(app)) == 4)
    app.library.edits.delete_conversation(SAMPLE_ID)
    qtbot.waitUntil(lambda: not sample_rows(app))
    for _ in range(2):
        app = make_app()
        settle(qtbot, app)
        app.library.add_sample(sample())
        settle(qtbot, app)
        assert [title for _, title in titles(app)] == ["Welcome to Espalier"]


def test_a_database_that_was_there_does_not_get_it(qtbot: QtBot, make_app: MakeApp) -> None:
    settle(qtbot, make_app())
    app = make_app()
    settle(qtbot, app)
    app.library.add_sample(sample())
    settle(qtbot, app)
    assert not sample_rows(app)


@pytest.mark.parametrize("content", [None, b"", b"{", b'{"format": "espalier conversation", "version": 1}'])
def test_a_file_that_is_missing_or_damaged_is_nobodys_business(
    qtbot: QtBot, make_app: MakeApp, tmp_path: Path, content: bytes | None
) -> None:
    file = tmp_path / "sample.espalier"
    if content is not None:
        file.write_bytes(content)
    app = make_app()
    settle(qtbot, app)
    app.library.add_sample(file)
    settle(qtbot, app)
    assert app.notices.now.text == ""
