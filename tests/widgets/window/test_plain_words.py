"""Words of a person or a model are shown as they are, wherever they stand, and change nothing of what is around them.

None is read as HTML, none turns the direction of the text after it, and no letter of a name becomes a key.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QHelpEvent
from PySide6.QtGui import Qt as QtText
from PySide6.QtWidgets import QAbstractButton, QAbstractItemView, QApplication, QLabel, QToolTip, QWidget
from pytestqt.qtbot import QtBot

from app.viewmodels.app import App
from app.viewmodels.kit.plain_tips import plain_tip
from app.widgets.chat.messages.links import ask_and_open
from app.widgets.window.main_window import MainWindow
from tests.fakes.engine import Script
from tests.seeds import each_seed
from tests.widgets.window.test_main_window import ask

_HTML = "<img src='file:///etc/hosts'><b>b</b>"
_TURNING = "\u202e\u2067\0"
_NAME = f"{_HTML} {_TURNING}R&D שלום"
_ODD = ["<b>", "</p>", "&amp;", "&", "%1", "\u202e", "é", "👩‍👧", "\u0301", "a\tb", "\ufffe", "<", ">", "word", " "]


def is_plain(text: str) -> bool:
    """Whether Qt shows no more of it than its letters."""
    return not QtText.mightBeRichText(text) or (text.startswith("<qt>") and "<" not in bare(text))


def bare(text: str) -> str:
    return text.removeprefix("<qt>").removesuffix("</qt>").replace("<br>", "\n")


@each_seed(range(20))
def test_a_tip_says_what_it_was_given(qapp: QApplication, seed: int) -> None:
    draw = random.Random(seed)
    words = "".join(draw.choices(_ODD, k=12))
    label = QLabel(plain_tip(words))
    assert is_plain(label.text())
    assert ("<" in words) == label.text().startswith("<qt>")
    label.deleteLater()


def test_what_looks_like_html_is_nowhere_read_as_that(
    qtbot: QtBot, window: MainWindow, app: App, script: Script, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tips: list[str] = []
    monkeypatch.setattr(QToolTip, "showText", lambda _at, text, *_rest: tips.append(text))
    script.answers[_HTML] = f"{_HTML}{_TURNING} it says"
    file = tmp_path / "<b>b<img src=x>.txt"
    file.write_text(_HTML)
    ask(qtbot, window, app, _HTML)
    window.do("fork")
    ask(qtbot, window, app, f"{_HTML} two")
    app.library.edits.rename(app.library.open_id, _NAME)
    app.library.edits.create_folder(_NAME)
    app.library.edits.name_branch(app.chat.chat_model.rows[-2].id, _NAME)
    qtbot.waitUntil(lambda: app.state.now.chat.branch.endswith("R&D שלום"))
    app.catch_up()
    app.chat.attachments.attach_files([str(file)])
    qtbot.waitUntil(lambda: len(app.chat.state.now.attachments) == 1)
    for command in ("inspector", "branches", "settings", "map", "compare"):
        window.do(command)
        app.catch_up()
        look_at_all(window)
    window.inspector.show_pane("cache")
    look_at_all(window)
    box = ask_and_open(_HTML, window)
    look_at_all(box)
    box.reject()
    assert any("img" in tip for tip in tips), "some tip says such words"
    assert [tip for tip in tips if not is_plain(tip)] == []


_SPOKEN = Qt.ItemDataRole.AccessibleTextRole


def turns(words: str) -> bool:
    """Whether anything in them turns the direction of the text after it, or cannot be seen."""
    return not set(words).isdisjoint(_TURNING)


def look_at_all(window: QWidget) -> None:
    """Every widget's tip and label, and the tip of each row of every list."""
    for widget in (window, *window.findChildren(QWidget)):
        assert is_plain(widget.toolTip()), widget
        said = [widget.toolTip(), widget.windowTitle(), widget.accessibleName(), widget.accessibleDescription()]
        assert [words for words in said if turns(words)] == [], widget
        assert [one.text() for one in widget.actions() if turns(one.text()) or "R&D" in one.text()] == [], widget
        if isinstance(widget, QAbstractButton):
            assert not turns(widget.text()), widget
            assert widget.shortcut().isEmpty() or "R&D" not in widget.text(), widget
        if isinstance(widget, QLabel):
            assert not turns(widget.text()), widget
            assert widget.textFormat() is Qt.TextFormat.PlainText or is_plain(widget.text()), widget.text()
    for view in window.findChildren(QAbstractItemView):
        if view.isVisible() and view.model() is not None:
            for number in range(min(view.model().rowCount(), 20)):
                index = view.model().index(number, 0)
                tip = index.data(Qt.ItemDataRole.ToolTipRole)
                assert tip is None or is_plain(str(tip)), tip
                for role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole, _SPOKEN):
                    assert not turns(str(index.data(role))), (view, index.data(role))
                at = view.visualRect(index).center()
                event = QHelpEvent(QEvent.Type.ToolTip, at, view.viewport().mapToGlobal(at))
                QApplication.sendEvent(view.viewport(), event)
