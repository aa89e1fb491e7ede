"""The page on which models are had: searched, looked at, downloaded and opened, by mouse and by keys."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLineEdit
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from app.hub.messages import KeepToken
from app.protocol.commands import LoadModel
from app.viewmodels.app import App
from app.viewmodels.hub.download import Stage
from app.viewmodels.hub.hub_state import DownloadRow
from app.viewmodels.kit.folders import Folders
from app.widgets.kit.style import Style
from app.widgets.kit.theme import DARK, LIGHT
from app.widgets.models.download_list import DownloadList
from app.widgets.models.get_models import GetModels
from app.widgets.models.hub_box import HubBox
from app.widgets.models.models_window import ModelsWindow
from app.widgets.window.main_window import MainWindow
from tests.fakes.engine import Script
from tests.hub.conftest import NAME
from tests.hub.server import COMMIT, Hub, Repo, serving
from tests.viewmodels.hub.conftest import STARTERS
from tests.widgets.pictures import picture

PATIENCE = 20_000
ROW = DownloadRow("https://hub/a/b", "b", "2.1 of 4.6\u00a0GB", 0.4, "Pause")


@pytest.fixture
def hub() -> Iterator[Hub]:
    with serving() as hub:
        hub.repos[NAME] = Repo()
        hub.found = [{"id": NAME, "tags": ["mlx", "safetensors"]}, {"id": "a/Other-2B", "tags": ["mlx", "safetensors"]}]
        yield hub


@pytest.fixture
def folders(tmp_path: Path) -> Folders:
    downloads, cache = str(tmp_path / "downloads.json"), str(tmp_path / "home" / ".cache" / "huggingface" / "hub")
    return Folders("/models/guide", "/caches/snapshots", downloads, str(STARTERS), cache)


@pytest.fixture
def page(qtbot: QtBot, hub: Hub, machine: Path, window: MainWindow, app: App) -> Iterator[GetModels]:
    app.hub.choose_hub(hub.address)
    window.do("models")
    (models,) = window.findChildren(ModelsWindow)
    models.show_page("get")
    qtbot.waitUntil(models.isActiveWindow)
    page = models.current
    assert isinstance(page, GetModels)
    yield page
    if isValid(models):
        models.close()


def titles(page: GetModels) -> list[str]:
    model = page.list.model()
    return [model.index(number, 0).data(Qt.ItemDataRole.DisplayRole) for number in range(model.rowCount())]


def search(qtbot: QtBot, page: GetModels, app: App, words: str) -> None:
    page.field.setFocus()
    qtbot.keyClicks(page.field, words)
    qtbot.keyClick(page.field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: not app.hub.state.now.is_searching, timeout=PATIENCE)
    app.catch_up()


def look_at_first(qtbot: QtBot, page: GetModels, app: App) -> None:
    qtbot.keyClick(page.field, Qt.Key.Key_Down)
    assert page.list.hasFocus()
    qtbot.keyClick(page.list, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: page.card.action_button.isVisible(), timeout=PATIENCE)


def test_everything_by_keys_from_the_search_to_the_open_model(
    qtbot: QtBot, page: GetModels, app: App, script: Script, tmp_path: Path
) -> None:
    assert len(titles(page)) > 10
    search(qtbot, page, app, "iny")
    assert titles(page) == ["Tiny-1B-4bit"]
    look_at_first(qtbot, page, app)
    assert page.card.action_button.text() == "Download"
    assert page.card.action_button.hasFocus()
    qtbot.keyClick(page.card.action_button, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: len(page.downloads.lines) == 1)
    qtbot.waitUntil(lambda: page.downloads.lines[0].action.text() == "Open", timeout=PATIENCE)
    assert page.list.hasFocus()
    page.downloads.lines[0].action.setFocus()
    qtbot.keyClick(page.downloads.lines[0].action, Qt.Key.Key_Space)
    folder = (
        tmp_path
        / "home"
        / ".cache"
        / "huggingface"
        / "hub"
        / "models--mlx-community--Tiny-1B-4bit"
        / "snapshots"
        / COMMIT
    )
    qtbot.waitUntil(
        lambda: any(isinstance(one, LoadModel) and one.path == str(folder) for one in script.commands), timeout=PATIENCE
    )
    app.catch_up()
    assert not page.downloads.isVisible()
    qtbot.waitUntil(lambda: any(row.name == "Tiny-1B-4bit" for row in app.model.list.state.now), timeout=PATIENCE)


def test_a_model_that_is_here_can_be_downloaded_again(
    qtbot: QtBot, page: GetModels, app: App, hub: Hub, tmp_path: Path
) -> None:
    search(qtbot, page, app, "iny")
    look_at_first(qtbot, page, app)
    assert not page.card.again_button.isVisible()
    qtbot.keyClick(page.card.action_button, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: bool(page.downloads.lines), timeout=PATIENCE)
    qtbot.waitUntil(lambda: page.downloads.lines[0].action.text() == "Open", timeout=PATIENCE)
    (weights,) = tmp_path.rglob("snapshots/*/model-00002-of-00002.safetensors")
    weights.write_bytes(bytes(weights.stat().st_size))
    look_at_first(qtbot, page, app)
    assert page.card.action_button.text() == "Open"
    qtbot.keyClick(page.card.action_button, Qt.Key.Key_Backtab)
    assert page.card.again_button.hasFocus()
    qtbot.keyClick(page.card.again_button, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: app.hub.downloads.list[0].stage is not Stage.READY, timeout=PATIENCE)
    qtbot.waitUntil(lambda: app.hub.downloads.list[0].stage is Stage.READY, timeout=PATIENCE)
    assert weights.read_bytes() == hub.repos[NAME].files[weights.name]


def test_typing_filters_and_asks_nobody(qtbot: QtBot, page: GetModels, app: App, hub: Hub) -> None:
    page.field.setFocus()
    qtbot.keyClicks(page.field, "llama 70b")
    app.catch_up()
    assert titles(page) == ["Llama-3.3-70B-Instruct-4bit"]
    qtbot.keyClick(page.field, Qt.Key.Key_Escape)
    app.catch_up()
    assert len(titles(page)) > 10
    assert not hub.asked


def test_escape_goes_back_step_by_step(qtbot: QtBot, page: GetModels, app: App) -> None:
    search(qtbot, page, app, "iny")
    look_at_first(qtbot, page, app)
    qtbot.keyClick(page.card.action_button, Qt.Key.Key_Escape)
    assert page.list.hasFocus()
    assert titles(page) == ["Tiny-1B-4bit"]
    qtbot.keyClick(page.list, Qt.Key.Key_Escape)
    app.catch_up()
    assert page.field.text() == ""
    qtbot.keyClick(page.list, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: not page.window().isVisible())


def test_a_search_that_fails_says_so_in_the_page(qtbot: QtBot, page: GetModels, app: App, hub: Hub) -> None:
    hub.misdeeds.append(lambda handler: handler.reply(500, b"") or True)
    search(qtbot, page, app, "x")
    assert "has a fault" in _said(page)
    hub.misdeeds.clear()
    page.field.clear()
    search(qtbot, page, app, "iny")
    assert "has a fault" not in _said(page)


def _said(page: GetModels) -> str:
    shown = page._shown_problem
    return shown.accessibleName() if shown is not None else ""


def test_the_tab_key_reaches_every_control(qtbot: QtBot, page: GetModels, app: App) -> None:
    search(qtbot, page, app, "iny")
    page.field.setFocus()
    reached = set()
    for _ in range(12):
        reached.add(QApplication.focusWidget())
        qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)
    assert {page.field, page.hub_button, page.list} <= reached


def test_the_window_may_be_closed_while_a_model_comes(
    qtbot: QtBot, page: GetModels, app: App, window: MainWindow
) -> None:
    search(qtbot, page, app, "iny")
    look_at_first(qtbot, page, app)
    page.card.action_button.click()
    page.window().close()
    assert app.state.now.activity.text.startswith("Downloading Tiny-1B-4bit")
    qtbot.waitUntil(lambda: app.hub.downloads.list[0].stage is Stage.READY, timeout=PATIENCE)
    assert app.notices.now.label == "Open"
    assert not app.state.now.activity.text.startswith("Downloading")


def test_the_token_is_hidden_and_forgotten(
    qtbot: QtBot, page: GetModels, app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[KeepToken] = []
    monkeypatch.setattr(app.hub._keeper, "ask", asked.append)
    page.hub_button.click()
    (box,) = page.findChildren(HubBox)
    assert box.token.echoMode() is QLineEdit.EchoMode.Password
    box.address.setText("ftp://x")
    box.token.setText(" hf_secret ")
    box.save()
    assert box.isVisible()
    assert asked == []
    box.address.setText("https://hub.example")
    box.save()
    assert not box.isVisible()
    assert box.token.text() == ""
    assert [(one.place.endpoint, one.token) for one in asked] == [("https://hub.example", "hf_secret")]
    assert app.hub.state.now.host == "hub.example"


def test_a_line_of_a_download_keeps_the_keyboard_and_its_place_while_it_changes(qtbot: QtBot, style: Style) -> None:
    downloads = DownloadList(style)
    qtbot.addWidget(downloads)
    downloads.resize(500, 200)
    downloads.show_rows([ROW, replace(ROW, key="https://hub/c/d", name="d")])
    line = downloads.lines[1]
    before = line.action.geometry()
    downloads.show_rows([replace(ROW, done=0.6), replace(ROW, key="https://hub/c/d", name="d", action="Resume")])
    assert downloads.lines[1] is line
    assert line.action.text() == "Resume"
    assert line.action.geometry() == before
    assert line.action.accessibleName() == "Resume d"
    downloads.show_rows([replace(ROW, key="https://hub/c/d", name="d")])
    assert downloads.lines == [line]
    downloads.show_rows([])
    assert downloads.isHidden()


def test_a_long_fault_takes_the_lines_that_it_needs(qtbot: QtBot, style: Style) -> None:
    downloads = DownloadList(style)
    qtbot.addWidget(downloads)
    downloads.resize(500, 200)
    downloads.show_rows([ROW])
    height = downloads.lines[0].sizeHint().height()
    downloads.show_rows([replace(ROW, line="The connection broke again and again. " * 4, is_bad=True)])
    assert downloads.lines[0].sizeHint().height() > height


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_it_is_painted_in_both_themes(qtbot: QtBot, page: GetModels, app: App, theme: object, style: Style) -> None:
    style.set_theme(theme)  # type: ignore[arg-type]
    app.hub.downloads.changed.emit()
    page.downloads.show_rows([ROW, replace(ROW, key="x", line="It broke.", is_bad=True)])
    QApplication.processEvents()
    assert picture(page).width() > 0
