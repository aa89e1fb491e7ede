from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QMimeData, QRectF, Qt, QUrl
from PySide6.QtGui import QColor, QGuiApplication, QInputMethodEvent, QPainter
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

import app.widgets.chat.attachment_strip as attachment_strip
from app.viewmodels.chat.chat_state import ChatState
from app.viewmodels.chat.chat_text import CONTEXT_FULL, LIMIT_REACHED, ONLY_KEPT
from app.viewmodels.chat.draft_attachments import LONG_PASTE, AttachmentChip
from app.widgets.chat.composer import SHADOW_ROOM, Composer
from app.widgets.kit.style import Style
from app.widgets.kit.theme import DARK, LIGHT
from app.widgets.kit.typography import TextRole, TextStyle
from tests.fakes.shown import Shown
from tests.widgets.pictures import count, picture, show

READY = ChatState(placeholder="Ask anything", send_price="12 tokens to read", send_parts=(30, 10))


@pytest.fixture
def state(qapp: object) -> Shown[ChatState]:
    return Shown(READY)


@pytest.fixture
def composer(qtbot: QtBot, style: Style, state: Shown[ChatState]) -> Composer:
    composer = Composer(style, state)
    qtbot.addWidget(composer)
    show(composer, 680 + 2 * SHADOW_ROOM, 92 + 2 * SHADOW_ROOM)
    composer.edit.setFocus()
    return composer


@pytest.mark.parametrize("told", [LIMIT_REACHED, CONTEXT_FULL])
def test_what_can_be_done_with_a_full_context_is_not_cut_in_a_narrow_window(style: Style, told: str) -> None:
    """In the narrowest window the card is 470 points wide, 60 of them the bar's, 112 the buttons'."""
    assert style.text_style(TextRole.SMALL).width(told) < 470 - 2 * 16 - 60 - 112


def test_return_hands_over_what_is_written_and_leaves_it_there(qtbot: QtBot, composer: Composer) -> None:
    qtbot.keyClicks(composer.edit, "hello")
    with qtbot.waitSignal(composer.submitted) as heard:
        qtbot.keyClick(composer.edit, Qt.Key.Key_Return)
    assert heard.args == ["hello"]
    assert composer.text == "hello"
    with qtbot.waitSignal(composer.submitted):
        qtbot.keyClick(composer.edit, Qt.Key.Key_Enter, Qt.KeyboardModifier.KeypadModifier)


@pytest.mark.parametrize("modifier", [Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.AltModifier])
def test_shift_return_breaks_the_line(qtbot: QtBot, composer: Composer, modifier: Qt.KeyboardModifier) -> None:
    qtbot.keyClicks(composer.edit, "a")
    with qtbot.assertNotEmitted(composer.submitted):
        qtbot.keyClick(composer.edit, Qt.Key.Key_Return, modifier)
    qtbot.keyClicks(composer.edit, "b")
    assert composer.text == "a\nb"


def test_return_within_an_input_method_does_not_send(qtbot: QtBot, composer: Composer) -> None:
    QApplication.sendEvent(composer.edit, QInputMethodEvent("にほ", []))
    with qtbot.assertNotEmitted(composer.submitted):
        qtbot.keyClick(composer.edit, Qt.Key.Key_Return)
    done = QInputMethodEvent()
    done.setCommitString("日本")
    QApplication.sendEvent(composer.edit, done)
    with qtbot.waitSignal(composer.submitted) as heard:
        qtbot.keyClick(composer.edit, Qt.Key.Key_Return)
    assert heard.args == ["日本"]


def test_every_change_is_told(qtbot: QtBot, composer: Composer) -> None:
    heard: list[str] = []
    composer.changed.connect(heard.append)
    qtbot.keyClicks(composer.edit, "ab")
    assert heard == ["a", "ab"]


def test_what_is_pasted_comes_in_plain(composer: Composer) -> None:
    data = QMimeData()
    data.setHtml("<b>bold</b> <img src='file:///x.png'>")
    data.setText("bold")
    composer.edit.insertFromMimeData(data)
    assert composer.text == "bold"
    assert "font-weight:700" not in composer.edit.toHtml()
    assert "img" not in composer.edit.toHtml()


def test_files_are_not_typed(composer: Composer) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile("/models/x")])
    data.setText("file:///models/x")
    assert not composer.edit.canInsertFromMimeData(data)


def test_an_address_of_the_web_is_typed(composer: Composer) -> None:
    """A browser copies and drags it as an address and as text."""
    data = QMimeData()
    data.setUrls([QUrl("https://a.b/c")])
    data.setText("https://a.b/c")
    assert composer.edit.canInsertFromMimeData(data)
    QGuiApplication.clipboard().setMimeData(data)
    assert composer.edit.canPaste()
    composer.edit.paste()
    assert composer.text == "https://a.b/c"


def test_escape_is_told(qtbot: QtBot, composer: Composer) -> None:
    with qtbot.waitSignal(composer.escaped):
        qtbot.keyClick(composer.edit, Qt.Key.Key_Escape)


def test_show_text_replaces_everything_and_puts_the_cursor_at_the_end(qtbot: QtBot, composer: Composer) -> None:
    qtbot.keyClicks(composer.edit, "old")
    heard: list[str] = []
    composer.changed.connect(heard.append)
    composer.show_text("new\nwords")
    assert heard == ["new\nwords"], "once: whoever hears it prices the words"
    qtbot.keyClicks(composer.edit, "!")
    assert composer.text == "new\nwords!"
    assert composer.edit.text_height == 2 * 22
    composer.show_text("")
    composer.edit.undo()
    assert composer.text == ""


def test_it_grows_with_its_text_up_to_a_limit(qtbot: QtBot, composer: Composer) -> None:
    assert composer.wanted_height(300) == 90
    with qtbot.waitSignal(composer.grew):
        composer.show_text("1\n2\n3")
    assert composer.wanted_height(300) == 90 + 2 * 22
    composer.show_text("\n" * 100)
    assert composer.wanted_height(300) == 300


def test_lines_are_those_of_a_message(qtbot: QtBot, composer: Composer) -> None:
    for word in ("a", "日本語", "c"):
        qtbot.keyClicks(composer.edit, word) if word.isascii() else composer.edit.insertPlainText(word)
        qtbot.keyClick(composer.edit, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    assert composer.edit.text_height == 4 * 22


def test_send_becomes_stop_while_it_writes(qtbot: QtBot, composer: Composer, state: Shown[ChatState]) -> None:
    assert composer.button.accessibleName() == "Send"
    assert not composer.button.isEnabled()
    state.show(replace(READY, can_send=True))
    assert composer.button.isEnabled()
    with qtbot.waitSignal(composer.submitted):
        qtbot.mouseClick(composer.button, Qt.MouseButton.LeftButton)
    state.show(replace(READY, is_writing=True, can_stop=True))
    assert composer.button.accessibleName() == "Stop"
    with qtbot.waitSignal(composer.stopAsked):
        qtbot.mouseClick(composer.button, Qt.MouseButton.LeftButton)


def test_editing_shows_where_the_branch_begins_and_a_way_out(
    qtbot: QtBot, composer: Composer, state: Shown[ChatState]
) -> None:
    assert composer.cancel.isHidden()
    height = composer.wanted_height(300)
    with qtbot.waitSignal(composer.grew):
        state.show(replace(READY, editing="Make it cheaper"))
    assert composer.wanted_height(300) == height + 30
    with qtbot.waitSignal(composer.editCancelled):
        qtbot.mouseClick(composer.cancel, Qt.MouseButton.LeftButton)
    state.show(READY)
    assert composer.cancel.isHidden()
    assert composer.wanted_height(300) == height


def test_the_price_is_drawn_as_words_and_bar(composer: Composer, state: Shown[ChatState]) -> None:
    assert count(picture(composer), LIGHT.mute) > 10
    state.show(replace(READY, send_parts=None))
    assert count(picture(composer), LIGHT.mute) == 0
    assert composer.accessibleDescription() == "12 tokens to read"


def test_the_hint_goes_with_the_first_letter(qtbot: QtBot, composer: Composer) -> None:
    composer.button.setFocus()
    hinted = count(picture(composer.edit.viewport()), LIGHT.text3)
    qtbot.keyClicks(composer.edit, "a")
    assert hinted > 20
    assert count(picture(composer.edit.viewport()), LIGHT.text3) == 0


def test_theme_and_text_size(composer: Composer, style: Style) -> None:
    style.set_theme(DARK)
    assert count(picture(composer), DARK.raised) > 10_000
    style.set_text_size(20)
    assert composer.edit.line == 31
    composer.show_text("1\n2")
    assert composer.edit.text_height == 2 * composer.edit.line


def test_names_and_tab_order(qtbot: QtBot, composer: Composer, state: Shown[ChatState]) -> None:
    state.show(replace(READY, editing="x", can_send=True))
    assert [widget.accessibleName() for widget in (composer.edit, composer.button, composer.cancel)] == [
        "Message",
        "Send",
        "Cancel Edit",
    ]
    composer.edit.setFocus()
    qtbot.keyClick(composer.edit, Qt.Key.Key_Tab)
    assert composer.clip.hasFocus()
    qtbot.keyClick(composer.clip, Qt.Key.Key_Tab)
    assert composer.button.hasFocus()
    qtbot.keyClick(composer.button, Qt.Key.Key_Tab)
    assert composer.cancel.hasFocus()


def paste(composer: Composer, text: str) -> None:
    QApplication.clipboard().setText(text)
    composer.edit.paste_plain()


def test_a_long_text_is_handed_over_and_an_undo_puts_it_in(qtbot: QtBot, composer: Composer) -> None:
    long = "word " * (LONG_PASTE // 5 + 1)
    qtbot.keyClicks(composer.edit, "About this: ")
    for _ in range(2):
        data = QMimeData()
        data.setText(long)
        with qtbot.waitSignal(composer.edit.longPasted) as heard:
            composer.edit.insertFromMimeData(data)
        assert heard.args == [long]
        assert composer.text == "About this: "
        assert not composer.edit._is_fold_next
        composer.edit.note_folded(long)
        assert composer.edit.can_undo
        with qtbot.waitSignal(composer.edit.unfolded) as heard:
            qtbot.keyClick(composer.edit, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
        assert heard.args == [long]
        assert composer.text == f"About this: {long}"
        composer.edit.undo()
        assert composer.text == "About this: "


def test_what_was_typed_after_a_fold_is_taken_back_before_it(qtbot: QtBot, composer: Composer) -> None:
    composer.edit.note_folded("long")
    qtbot.keyClicks(composer.edit, "more")
    with qtbot.assertNotEmitted(composer.edit.unfolded):
        composer.edit.undo()
    assert composer.text == ""
    composer.edit.undo()
    assert composer.text == "long"
    composer.edit.note_folded("longer")
    composer.show_text("another draft")
    assert not composer.edit.can_undo


def test_a_folded_text_that_the_field_does_not_take_stays_attached(qtbot: QtBot, composer: Composer) -> None:
    composer.edit.note_folded("y" * 20_001)
    with qtbot.assertNotEmitted(composer.edit.unfolded), qtbot.waitSignal(composer.edit.pasteRefused):
        composer.edit.undo()
    assert composer.edit.can_undo


CHIPS = tuple(AttachmentChip(f"report {number}.pdf", "412\u00a0KB", "12\u202f000\u00a0tokens") for number in range(9))


def test_attachments_stand_above_the_words_and_are_opened_and_removed(
    qtbot: QtBot, composer: Composer, state: Shown[ChatState]
) -> None:
    before = composer.wanted_height(900)
    state.show(replace(READY, attachments=CHIPS[:2]))
    assert composer.wanted_height(900) > before
    first, second = composer.attachments.chips
    assert first.accessibleName() == "Attachment report 0.pdf, 412\u00a0KB, 12\u202f000\u00a0tokens"
    assert second.remove.accessibleName() == "Remove report 1.pdf"
    with qtbot.waitSignal(composer.opened) as heard:
        qtbot.keyClick(first, Qt.Key.Key_Return)
    assert heard.args == [0]
    with qtbot.waitSignal(composer.removed) as heard:
        qtbot.keyClick(second, Qt.Key.Key_Backspace)
    assert heard.args == [1]
    with qtbot.waitSignal(composer.removed) as heard:
        qtbot.mouseClick(first.remove, Qt.MouseButton.LeftButton)
    assert heard.args == [0]
    second.setFocus()
    state.show(replace(READY, attachments=CHIPS[1:2]))
    assert composer.attachments.chips[0].hasFocus()
    state.show(READY)
    assert composer.wanted_height(900) == before
    assert composer.attachments.isHidden()


def test_an_attachment_is_told_in_full_where_there_is_room(
    composer: Composer, state: Shown[ChatState], monkeypatch: pytest.MonkeyPatch
) -> None:
    room: list[float] = []

    def noting(painter: QPainter, style: TextStyle, rect: QRectF, text: str, color: QColor) -> None:
        room.append(rect.width() - style.width(text))

    monkeypatch.setattr(attachment_strip, "draw_text", noting)
    for name in ("a.c", "note.txt", "a report of some length.pdf"):
        for tokens in ("", "3\u00a0tokens", "12\u202f000\u00a0tokens"):
            room.clear()
            state.show(replace(READY, attachments=(AttachmentChip(name, "1\u00a0KB", tokens),)))
            chip = composer.attachments.chips[0]
            chip.resize(chip.sizeHint())
            chip.grab()
            assert min(room) > -0.5, (name, tokens)


def test_many_attachments_leave_room_for_the_words(composer: Composer, state: Shown[ChatState], style: Style) -> None:
    for width in (360, 720):
        state.show(replace(READY, attachments=CHIPS))
        show(composer, width, 400)
        assert composer.attachments.height() <= 3 * (style.typography.row + 6)
        assert composer.edit.y() >= composer.attachments.geometry().bottom()
        assert composer.edit.height() >= composer.edit.line
        room = composer.attachments.viewport().width()
        assert all(chip.geometry().right() <= room for chip in composer.attachments.chips)


def test_what_would_make_every_letter_wait_is_left_out_and_told(qtbot: QtBot, composer: Composer) -> None:
    paste(composer, "kept")
    for text, told in (
        ("word\n" * 200_000, "150\u202f000"),
        ("x" * 800_000, "150\u202f000"),
        ("y" * 20_001, "20\u202f000"),
    ):
        with qtbot.waitSignal(composer.edit.pasteRefused) as heard:
            paste(composer, text)
        assert told in heard.args[0]
        assert composer.text == "kept"
    paste(composer, "line\n" * 20_000)
    assert len(composer.text) == 100_004
    with qtbot.waitSignal(composer.edit.pasteRefused) as heard:
        paste(composer, "line\n" * 20_000)
    assert "besides the 100\u202f004" in heard.args[0]
    composer.edit.selectAll()
    paste(composer, "line\n" * 20_000)
    assert composer.text == "line\n" * 20_000


def test_a_line_grows_to_its_limit_and_no_further(composer: Composer) -> None:
    for _ in range(5):
        paste(composer, "x" * 8000)
    assert len(composer.text) == 16_000


def test_a_cut_answer_is_offered_to_go_on_until_something_is_typed(
    qtbot: QtBot, composer: Composer, state: Shown[ChatState]
) -> None:
    assert composer.go_on.isHidden()
    state.show(replace(READY, can_continue=True))
    assert composer.go_on.isVisible()
    assert composer.go_on.geometry().right() < composer.clip.x()
    with qtbot.waitSignal(composer.continueAsked):
        qtbot.keyClick(composer.go_on, Qt.Key.Key_Return)
    qtbot.keyClicks(composer.edit, "a")
    assert composer.go_on.isHidden()
    qtbot.keyClick(composer.edit, Qt.Key.Key_Backspace)
    composer.go_on.setFocus()
    state.show(READY)
    assert composer.go_on.isHidden()
    assert composer.edit.hasFocus()


def test_the_text_of_an_answer_is_kept_by_return_and_gone_on_from_by_the_button(
    qtbot: QtBot, composer: Composer, state: Shown[ChatState]
) -> None:
    state.show(replace(READY, editing="The plan", is_editing=True, edits_answer=True, can_send=True))
    qtbot.keyClicks(composer.edit, "So")
    assert not composer.keep.isHidden()
    assert composer.clip.isHidden()
    assert composer.button.accessibleName() == "Go On from Here"
    with qtbot.waitSignal(composer.submitted) as kept:
        qtbot.keyClick(composer.edit, Qt.Key.Key_Return)
    with qtbot.waitSignal(composer.submitted):
        qtbot.mouseClick(composer.keep, Qt.MouseButton.LeftButton)
    with qtbot.waitSignal(composer.wentOn) as gone_on, qtbot.assertNotEmitted(composer.submitted):
        qtbot.mouseClick(composer.button, Qt.MouseButton.LeftButton)
    assert (kept.args, gone_on.args) == (["So"], ["So"])
    state.show(replace(state.now, goes_on=False))
    assert not composer.button.isEnabled()
    assert composer.button.toolTip() == ONLY_KEPT
    assert composer.keep.isEnabled()
    state.show(replace(state.now, is_writing=True, can_stop=True))
    assert composer.button.isEnabled(), "it stops what is written"
    composer.keep.setFocus()
    state.show(READY)
    assert composer.keep.isHidden()
    assert composer.edit.hasFocus()
