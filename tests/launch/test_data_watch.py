"""Conversations that are taken away while the program runs."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from functools import partial
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.conversation.store_thread import StoreThread
from app.launch.data_watch import DataWatch, Identity
from app.main import Program
from app.protocol.reports import Problem


@pytest.fixture
def store() -> Iterator[StoreThread]:
    with StoreThread(None) as thread:
        yield thread


def test_a_file_that_leaves_and_comes_back(qtbot: QtBot, store: StoreThread, tmp_path: Path) -> None:
    path = tmp_path / "data" / "conversations.db"
    path.parent.mkdir()
    path.write_text("words")
    looks: list[Future[Identity]] = []

    def submit(look: Callable[[object], Identity]) -> Future[Identity]:
        looks.append(store.submit(look))
        return looks[-1]

    def wait_for_looks() -> None:
        """The next look is taken when what the one before found has been compared."""
        wanted = len(looks) + 3
        qtbot.waitUntil(lambda: len(looks) >= wanted)

    watch = DataWatch(path, submit, every_ms=1)
    told: list[Problem] = []
    watch.left.connect(told.append)
    watch.returned.connect(told.append)
    wait_for_looks()
    assert told == []
    path.parent.rename(tmp_path / "elsewhere")
    qtbot.waitUntil(lambda: len(told) == 1)
    assert str(path) in told[0].sentence
    wait_for_looks()
    (tmp_path / "elsewhere").rename(path.parent)
    qtbot.waitUntil(lambda: told[1:] == told[:1])
    (path.parent / "other").write_text("another file under its name")
    (path.parent / "other").replace(path)
    qtbot.waitUntil(lambda: len(told) == 3)
    watch.close()
    watch.deleteLater()


def test_a_file_that_never_was_is_not_missed(qtbot: QtBot, store: StoreThread, tmp_path: Path) -> None:
    watch = DataWatch(tmp_path / "never", store.submit, every_ms=5)
    with qtbot.assertNotEmitted(watch.left, wait=60):
        pass
    watch.close()
    watch.deleteLater()


@pytest.fixture
def looks_often(monkeypatch: pytest.MonkeyPatch) -> None:
    """Before there is a program: nobody waits for the next look."""
    monkeypatch.setattr("app.main.DataWatch", partial(DataWatch, every_ms=20))


def test_the_window_says_that_the_data_folder_is_gone_and_goes_on(
    qtbot: QtBot, looks_often: None, program: Program, data_folder: Path, tmp_path: Path
) -> None:
    app = program.app
    qtbot.waitUntil(lambda: app.state.now.activity.text.startswith("Ready"), timeout=60_000)
    shutil.move(data_folder, tmp_path / "trash")
    qtbot.waitUntil(lambda: "not where they were" in app.notices.now.text, timeout=20_000)
    app.notices.info("Saved as Pears.md.")
    assert "not where they were" in app.notices.now.text  # whatever else is told
    assert program.window.chat.banner.isVisible()
    words: list[str] = []
    app.chat.open_draft.textReplaced.connect(words.append)
    app.chat.requests.send("What is a branch?")
    qtbot.waitUntil(lambda: words[-1:] == ["What is a branch?"], timeout=20_000)
    assert "not where they were" in app.notices.now.text
    shutil.move(tmp_path / "trash", data_folder)
    qtbot.waitUntil(lambda: app.notices.now.text == "", timeout=20_000)
    app.chat.requests.send("What is a branch?")
    qtbot.waitUntil(
        lambda: len(app.chat.chat_model.rows) == 2 and not app.chat.chat_model.rows[1].is_streaming, timeout=60_000
    )
    assert app.chat.chat_model.rows[1].text
