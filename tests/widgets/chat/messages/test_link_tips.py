"""Where a link leads is seen before it is pressed."""

from __future__ import annotations

from PySide6.QtCore import QPointF
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.viewmodels.actions import BY_ID
from app.viewmodels.chat.chat_model import ChatModel
from app.viewmodels.chat.chat_state import ChatState
from app.widgets.chat.messages.footer_tips import FooterTips
from app.widgets.chat.messages.view import ChatView
from app.widgets.kit.style import Style
from tests.fakes.shown import Shown
from tests.widgets.chat.sample_messages import answer, question
from tests.widgets.pictures import show


def test_a_link_says_its_address_under_the_mouse_and_its_figures_their_settings(qtbot: QtBot, style: Style) -> None:
    chat = ChatModel()
    view = ChatView(style, chat, Shown(ChatState()), BY_ID)
    qtbot.addWidget(view)
    show(view, 840, 400)
    chat.show([question("q"), answer("a", "[everything here](https://example.org/x?y=1) and more")])
    QApplication.processEvents()
    tips, item = FooterTips(view, lambda message_id: f"settings of {message_id}"), view.layout_of_rows.item(1)
    row = QPointF(view.row_rect(1).topLeft())
    line = row + item.text.topLeft() + QPointF(0, 8)
    assert tips.tip(line + QPointF(10, 0)) == "https://example.org/x?y=1"
    assert tips.tip(line + QPointF(160, 0)) == ""
    assert tips.tip(row + item.footer.center()) == "settings of a"
