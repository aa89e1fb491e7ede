"""The page of servers and the window that adds one, by mouse and by keys, over scripted servers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from app.viewmodels.app import App
from app.viewmodels.kit.settings import ServerState, Settings
from app.widgets.models.models_window import ModelsWindow
from app.widgets.models.on_this_machine import OnThisMachine
from app.widgets.models.server_box import ServerBox
from app.widgets.models.servers_page import NOTHING, ServersPage
from app.widgets.window.main_window import MainWindow
from tests.remote.scripted import Script, serving
from tests.remote.test_certificates import OTHER, STUDIO


@pytest.fixture
def server() -> Iterator[Script]:
    with serving(Script(kind="vLLM")) as script:
        yield script


@pytest.fixture
def page(qtbot: QtBot, window: MainWindow) -> Iterator[ServersPage]:
    window.do("models")
    (models,) = window.findChildren(ModelsWindow)
    models.show_page("servers")
    page = models.current
    assert isinstance(page, ServersPage)
    qtbot.waitUntil(models.isActiveWindow)
    yield page
    models.close()


def add(settings: Settings, server: Script, *names: str) -> None:
    models = dict.fromkeys(names or ("tiny",), 2048)
    known = settings.values.servers
    settings.update(servers=(*known, ServerState(f"a{len(known)}", "Studio", server.address, "vLLM", models)))
    QApplication.processEvents()


def names(page: ServersPage) -> list[str]:
    return [row.name for row in page._rows.rows]


def box_of(page: ServersPage) -> ServerBox:
    return next(one for one in page.findChildren(ServerBox) if one.isVisible())


def test_a_server_is_added_by_keys_and_its_model_opened(
    qtbot: QtBot, window: MainWindow, app: App, server: Script
) -> None:
    window.do("add_server")
    (models,) = window.findChildren(ModelsWindow)
    page = models.current
    assert isinstance(page, ServersPage)
    assert page.list.accessibleDescription() == NOTHING
    box = box_of(page)
    qtbot.waitUntil(box.address.hasFocus)
    QTest.keyClicks(box.address, server.address)
    QTest.keyClick(box.address, Qt.Key.Key_Tab)
    qtbot.waitUntil(box.name.hasFocus)
    QTest.keyClicks(box.name, "Studio")
    QTest.keyClick(box.name, Qt.Key.Key_Return)
    assert box.save_button.text() == "Asking…"
    assert not box.save_button.isEnabled()
    qtbot.waitUntil(lambda: not page.findChildren(ServerBox))
    assert names(page) == ["Studio", "tiny"]
    assert not server.asked
    assert page.open_button.isEnabled(), "the model is selected, and Return opens it"
    QTest.keyClick(page.list, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: app.model.state.now.is_on_server and app.model.state.now.is_open)
    qtbot.waitUntil(lambda: window.chat.toolbar.chip.accessibleName() == "Model: tiny, on Studio")
    qtbot.waitUntil(lambda: not isValid(models))


def test_what_is_wrong_is_said_where_it_was_entered(qtbot: QtBot, page: ServersPage, server: Script) -> None:
    page.add_button.click()
    box = box_of(page)
    box.address.setText("http://models.example.com")
    box.save()
    assert "encrypted" in box._problem.text()
    box.address.setText("192.168.1.20:8000")
    assert "read along" in box._about.text()
    server.key = "secret"
    box.address.setText(server.address)
    box.save()
    qtbot.waitUntil(lambda: "asks for a key" in box._problem.text())
    assert box.isVisible()
    assert box.save_button.isEnabled()
    server.key = ""
    box.save()
    qtbot.waitUntil(lambda: not page.findChildren(ServerBox))
    assert names(page)[1:] == ["tiny"]


def test_closing_the_box_gives_up(qtbot: QtBot, page: ServersPage, app: App, server: Script) -> None:
    page.add_button.click()
    box = box_of(page)
    box.address.setText(server.address)
    box.save()
    QTest.keyClick(box, Qt.Key.Key_Escape)
    qtbot.wait(200)
    assert app.servers.state.now.looking == ""
    assert names(page) == []


def test_servers_are_filtered_with_their_models(page: ServersPage, settings: Settings, server: Script) -> None:
    add(settings, server, "org/Llama-70B", "org/Qwen-4B")
    add(settings, server, "Gemma")
    assert names(page) == ["Studio", "Llama-70B", "Qwen-4B", "Studio", "Gemma"]
    page.field.setText("qwen")
    assert names(page) == ["Studio", "Qwen-4B"]
    page.field.setText("studio")
    assert names(page) == ["Studio", "Llama-70B", "Qwen-4B", "Studio", "Gemma"]
    page.field.setText("zeppelin")
    assert names(page) == []
    assert "zeppelin" in page.list.accessibleDescription()


def test_a_server_is_looked_at_again_renamed_and_removed(
    qtbot: QtBot, page: ServersPage, app: App, settings: Settings, server: Script
) -> None:
    add(settings, server, "old")
    page.list.select(0)
    page.look_button.click()
    qtbot.waitUntil(lambda: names(page) == ["Studio", "tiny"])
    page.list.select(1)
    page.change_button.click()
    box = box_of(page)
    assert not box.address.isVisible()
    box.name.setText("Workshop")
    box.save()
    qtbot.waitUntil(lambda: names(page) == ["Workshop", "tiny"])
    app.model.open("server:a0/tiny")
    qtbot.waitUntil(lambda: app.model.state.now.is_on_server and app.model.state.now.is_open)
    page.remove_button.click()
    qtbot.waitUntil(lambda: app.model.state.now.is_guide and app.model.state.now.is_open)
    assert names(page) == []
    assert "Workshop was removed" in app.notices.now.text


def test_the_folder_of_a_tokenizer_is_chosen_typed_and_taken_away(
    qtbot: QtBot, page: ServersPage, settings: Settings, server: Script, tmp_path: Path
) -> None:
    page.add_button.click()
    box = box_of(page)
    assert box.choose_button.isVisible()
    box.tokenizer.setFocus()
    qtbot.waitUntil(box.tokenizer.hasFocus)
    QTest.keyClick(box.tokenizer, Qt.Key.Key_Tab)
    qtbot.waitUntil(box.choose_button.hasFocus)
    QTest.keyClick(box.choose_button, Qt.Key.Key_Space)
    (dialog,) = box.findChildren(QFileDialog)
    assert dialog.fileMode() is QFileDialog.FileMode.Directory
    dialog.filesSelected.emit([str(tmp_path)])
    dialog.close()
    assert box.tokenizer.text() == str(tmp_path)
    box.address.setText(server.address)
    box.save()
    qtbot.waitUntil(lambda: not page.findChildren(ServerBox))
    assert settings.values.servers[0].tokenizer == str(tmp_path)
    page.change_button.click()
    box = box_of(page)
    assert box.tokenizer.text() == str(tmp_path)
    box.tokenizer.setText("tiny")
    box.save()
    assert "whole path" in box._problem.text()
    box.tokenizer.clear()
    box.save()
    qtbot.waitUntil(lambda: not page.findChildren(ServerBox))
    assert settings.values.servers[0].tokenizer == ""


def test_no_folder_is_asked_for_where_it_makes_no_difference(
    page: ServersPage, settings: Settings, server: Script
) -> None:
    add(settings, server)
    settings.update(servers=(replace(settings.values.servers[0], kind="Ollama"),))
    QApplication.processEvents()
    page.list.select(0)
    page.change_button.click()
    box = box_of(page)
    assert not box.tokenizer.isVisible()
    assert not box.choose_button.isVisible()


def test_what_does_not_answer_is_told_on_the_page(
    qtbot: QtBot, page: ServersPage, settings: Settings, server: Script
) -> None:
    settings.update(servers=(ServerState("a0", "Gone", "http://127.0.0.1:9", "vLLM", {"tiny": 0}),))
    QApplication.processEvents()
    page.list.select(0)
    page.look_button.click()
    qtbot.waitUntil(lambda: "Gone cannot be reached" in page.problem.text())
    page.list.select(1)
    page.open_button.click()
    qtbot.waitUntil(lambda: page.problem.isVisible() and "Gone cannot be reached" in page.problem.text())


def test_models_of_servers_are_not_among_those_of_this_machine(
    window: MainWindow, page: ServersPage, settings: Settings, server: Script
) -> None:
    add(settings, server)
    here = page.window().findChild(OnThisMachine)
    assert isinstance(here, OnThisMachine)
    assert not [row for row in here._rows.rows if row.id.startswith("server:")]


def test_a_certificate_that_only_its_owner_speaks_for_is_trusted_by_hand(
    qtbot: QtBot, page: ServersPage, app: App, settings: Settings
) -> None:
    with serving(Script(kind="vLLM"), STUDIO) as server:
        page.add_button.click()
        box = box_of(page)
        box.address.setText(server.address)
        box.save()
        qtbot.waitUntil(lambda: box.trust_button.isVisible())
        digest = app.servers.state.now.certificate
        assert digest.upper() in box._problem.text().replace(":", "").replace("\n", "")
        assert not server.requests
        box.trust_button.click()
        qtbot.waitUntil(lambda: not page.findChildren(ServerBox))
        assert settings.values.servers[0].certificate == digest
        app.model.open(f"server:{settings.values.servers[0].id}/tiny")
        qtbot.waitUntil(lambda: app.model.state.now.is_on_server and app.model.state.now.is_open)
        address = server.address
    with serving(Script(kind="vLLM"), OTHER) as other:
        settings.update(servers=(replace(settings.values.servers[0], url=other.address),))
        page.list.select(0)
        page.look_button.click()
        qtbot.waitUntil(lambda: "shows another certificate" in page.problem.text())
        assert not other.requests
        assert other.address != address
