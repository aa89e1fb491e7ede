"""Within a message: from passage to passage by keys, with words for whoever listens, and a tree for screen readers."""

from __future__ import annotations

import gc
import random
from itertools import pairwise

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QPointF, QRect, Qt
from PySide6.QtGui import QAccessible, QGuiApplication
from PySide6.QtWidgets import QApplication, QToolTip
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from app.viewmodels.actions import BY_ID
from app.viewmodels.chat.chat_model import ChatModel
from app.viewmodels.chat.chat_state import ChatState
from app.viewmodels.chat.rows import Segment, SegmentKind
from app.viewmodels.kit.plain_tips import plain_tip
from app.widgets.chat.messages import passage_cursor
from app.widgets.chat.messages.message_body import MessageBody, TextPoint
from app.widgets.chat.messages.passage_cursor import spoken
from app.widgets.chat.messages.view import ChatView
from app.widgets.kit import accessible
from app.widgets.kit.formulas import Formulas
from app.widgets.kit.style import Style
from tests.fakes.shown import Shown
from tests.seeds import each_seed
from tests.widgets.chat.sample_messages import answer, question
from tests.widgets.pictures import show

Role = QAccessible.Role
Name = QAccessible.Text.Name
EVERY_KIND = """# The plan

It holds for **four** days.

- by train
- by tram

> Take the early one.

| day | place | price |
|-----|-------|------:|
| Tue | Alfama | 0 |
| Wed | Sintra | 10 |

```python
print("a")
print("b")
```

Then $x^2$ and home."""
SAID = [
    "Heading 1: The plan",
    "It holds for four days.",
    "List, 2 items: - by train\n- by tram",
    "Quotation: Take the early one.",
    "Table, 3 columns, 3 rows: day, place, price\n"
    "day: Tue, place: Alfama, price: 0\nday: Wed, place: Sintra, price: 10",
    'Code, python, 2 lines: print("a")\nprint("b")',
    "Then $x^2$ and home.",
]
# Of a table each row by itself.
PARTS = [*SAID[:4], *SAID[4].split("\n"), *SAID[5:]]
PIECES = [
    *("# Title", "one two", "- a\n- b\n  - c", "1. x\n2. y", "> said\n> again", "|a|b|\n|-|-|\n|1|2|", "a  \nb", "---"),
    *("```js\nlet a\n\nlet b\n```", "```\nhalf", "text\n```py\nx\n```\nmore", "## H\nright below", "$$\nx\n$$"),
    "[^1]: note",
]


@pytest.fixture(autouse=True)
def _no_drawings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Formulas stay as they are written: whether a process draws them in time is another test's."""
    monkeypatch.setattr(Formulas, "is_known", lambda _self, _tex, is_display: False)
    monkeypatch.setattr(Formulas, "drawing", lambda _self, _tex, is_display: None)


def said(body: MessageBody) -> list[str]:
    return [spoken(body, one).replace("\u00a0", " ") for one in body.passages()]


def body_of(text: str, style: Style) -> MessageBody:
    body = MessageBody([Segment(SegmentKind.MARKDOWN, text)], style)
    body.set_width(500)
    return body


def test_each_says_what_it_is_and_its_words(style: Style) -> None:
    assert said(body_of(EVERY_KIND, style)) == SAID


@each_seed(range(60))
def test_no_word_is_left_out_or_said_twice(style: Style, seed: int) -> None:
    rng = random.Random(seed)
    body = body_of("\n\n".join(rng.choices(PIECES, k=rng.randint(0, 8))), style)
    pieces = [body.selected_text(TextPoint(*one.first), TextPoint(*one.last)) for one in body.passages()]
    assert "".join("".join(pieces).split()) == "".join(body.selected_text(*body.all_of_it()).split())
    assert all(one.strip() for one in pieces)


@each_seed(range(30))
def test_an_answer_that_has_grown_says_what_it_says_when_it_comes_whole(style: Style, seed: int) -> None:
    rng = random.Random(seed)
    text = "\n\n".join(rng.choices(PIECES, k=6))
    growing, at = body_of("", style), 0
    while at < len(text):
        at += rng.randint(1, 12)
        growing.set_segments([Segment(SegmentKind.MARKDOWN, text[:at])])
        growing.settle(0, 4000)
        growing.passages()
    assert said(growing) == said(body_of(text, style))


# By keys


@pytest.fixture
def view(qtbot: QtBot, style: Style) -> ChatView:
    chat = ChatModel()
    view = ChatView(style, chat, Shown(ChatState(can_fork=True, can_regenerate=True)), BY_ID)
    qtbot.addWidget(view)
    show(view, 840, 300)
    chat.show(
        [question("q1", "Where to?"), answer("a1", EVERY_KIND), question("q2", "And then?"), answer("a2", "Home.")]
    )
    QApplication.processEvents()
    return view


@pytest.fixture
def heard(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    words: list[str] = []
    monkeypatch.setattr(passage_cursor, "announce", lambda _view, text: words.append(text.replace("\u00a0", " ")))
    return words


ALL = ["Where to?", *SAID, "And then?", "Home."]


def test_option_with_the_arrows_goes_through_all_passages_and_back(
    qtbot: QtBot, view: ChatView, heard: list[str]
) -> None:
    alt = Qt.KeyboardModifier.AltModifier
    view.setCurrentIndex(view.model().index(0, 0))
    for place, words in enumerate([*ALL, None]):
        qtbot.keyClick(view, Qt.Key.Key_Down, alt)
        if words is None:
            assert len(heard) == len(ALL), "below the last one there is nothing"
            break
        assert heard[-1] == words
        assert view.currentIndex().row() == (0 if place == 0 else 1 if place <= len(SAID) else place - len(SAID) + 1)
        view.copy()
        bare = words.split(": ", 1)[-1] if words in SAID and place not in (2, 7) else words
        for column in ("day: ", "place: ", "price: "):
            bare = bare.replace(column, "")
        assert bare.replace(", ", "\t").split() == QGuiApplication.clipboard().text().replace(", ", "\t").split()
    for words in reversed(ALL[:-1]):
        qtbot.keyClick(view, Qt.Key.Key_Up, alt)
        assert heard[-1] == words


def test_the_passage_that_was_come_to_is_in_sight(qtbot: QtBot, view: ChatView, heard: list[str]) -> None:
    view.setCurrentIndex(view.model().index(0, 0))
    for way in [Qt.Key.Key_Down] * (len(ALL) + 1) + [Qt.Key.Key_Up] * len(ALL):
        qtbot.keyClick(view, way, Qt.KeyboardModifier.AltModifier)
        number = view.currentIndex().row()
        first, last = view.pointer.selection.of(number) or pytest.fail("nothing is selected")
        (found,) = (
            one for one in view.layout_of_rows.item(number).body.passages() if (one.first, one.last) == (first, last)
        )
        rect = view.passages._rect(number, found)
        assert rect.top() >= 0
        assert rect.bottom() <= view.viewport().height() or rect.height() > view.viewport().height() - 100


def test_option_with_left_and_right_scrolls_a_table_whose_words_would_be_torn(
    qtbot: QtBot, view: ChatView, style: Style
) -> None:
    head, cells = "|".join(["Considerations"] * 12), "|".join(["unmistakably"] * 12)
    chat = view.model()
    assert isinstance(chat, ChatModel)
    chat.show([question("q"), answer("a", f"|{head}|\n|{'-|' * 12}\n|{cells}|\n")])
    QApplication.processEvents()
    view.setFocus()
    view.setCurrentIndex(chat.index(1))
    qtbot.keyClick(view, Qt.Key.Key_Down, Qt.KeyboardModifier.AltModifier)
    laid = view.layout_of_rows.item(1).body._split()[0]
    assert laid.scrolled == 0
    qtbot.keyClick(view, Qt.Key.Key_Right, Qt.KeyboardModifier.AltModifier)
    assert laid.scrolled > 0
    for _ in range(20):
        qtbot.keyClick(view, Qt.Key.Key_Right, Qt.KeyboardModifier.AltModifier)
    assert laid.scrolled == laid.overhang(view.layout_of_rows.item(1).text.width())
    for _ in range(20):
        qtbot.keyClick(view, Qt.Key.Key_Left, Qt.KeyboardModifier.AltModifier)
    assert laid.scrolled == 0


# What screen readers are told


def test_a_message_has_its_passages_as_parts(view: ChatView) -> None:
    found = QAccessible.queryAccessibleInterface(view)
    assert found.childCount() == 4
    message = found.child(1)
    assert message.role() is Role.Grouping
    assert "message 2 of 4" in message.text(Name)
    parts = [message.child(number) for number in range(message.childCount())]
    assert [part.text(Name).replace("\u00a0", " ") for part in parts] == PARTS
    assert [part.role() for part in parts] == [Role.Heading] + [Role.StaticText] * 8
    rects = [part.rect() for part in parts]
    assert all(above.bottom() <= below.top() + 1 for above, below in pairwise(rects))
    assert all(message.rect().adjusted(-1, -1, 1, 1).contains(rect) for rect in rects)
    assert message.childAt(rects[0].center().x(), rects[0].center().y()).text(Name) == parts[0].text(Name)
    assert [message.indexOfChild(part) for part in parts] == list(range(9))


@each_seed(range(6))
def test_what_is_held_of_rows_that_go_is_not_valid_any_more_and_does_no_harm(view: ChatView, seed: int) -> None:
    rng, held = random.Random(seed), []
    QAccessible.setActive(True)
    for turn in range(12):
        count = rng.randint(0, 6)
        view._chat.show([answer(f"{rng.random()}", rng.choice(PIECES)) for _ in range(count)])
        if rng.random() < 0.5:
            QApplication.processEvents()
        found = QAccessible.queryAccessibleInterface(view)
        assert found.childCount() == count
        held += [found.child(number) for number in range(count)]
        held += [one.child(0) for one in held if one.isValid() and one.childCount()]
        if turn % 4 == 3:
            gc.collect()  # which takes long where many tests ran before
        for one in rng.sample(held, min(len(held), 20)):
            assert isinstance(one.text(Name), str)
            assert isinstance(one.rect(), QRect)
            one.state()
            one.childCount()
    QAccessible.setActive(False)


def test_a_view_that_goes_takes_all_of_it_away(qtbot: QtBot, style: Style) -> None:
    for _ in range(3):
        chat = ChatModel()
        view = ChatView(style, chat, Shown(ChatState()), BY_ID)
        chat.show([answer("a1", EVERY_KIND)])
        found = QAccessible.queryAccessibleInterface(view)
        message = found.child(0)
        part = message.child(0)
        assert part.isValid()
        del found
        view.deleteLater()
        del view
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        gc.collect()
        assert not [one for one in accessible._told if not isValid(one)]


# Links

LINKED = """See [the **whole** map](https://example.org/map) or <https://example.org/b>.

| day | place |
|-----|-------|
| Tue | [Sintra](https://example.org/sintra) |

- by [tram](mailto:tram@example.org)"""
ADDRESSES = [
    "https://example.org/map",
    "https://example.org/b",
    "https://example.org/sintra",
    "mailto:tram@example.org",
]
LINKS_SAID = [
    "Link: the whole map, https://example.org/map",
    "Link: https://example.org/b",
    "Link: Sintra, https://example.org/sintra",
    "Link: tram, mailto:tram@example.org",
]


@pytest.fixture
def linked(qtbot: QtBot, view: ChatView) -> ChatView:
    view._chat.show([question("q", "[no link](https://example.org)"), answer("a", LINKED)])
    QApplication.processEvents()
    view.activateWindow()
    view.setFocus()
    qtbot.waitUntil(view.hasFocus)
    view.setCurrentIndex(view.model().index(1, 0))
    return view


def test_tab_goes_from_link_to_link_and_return_asks_about_the_one_it_is_on(
    qtbot: QtBot, linked: ChatView, heard: list[str]
) -> None:
    asked: list[str] = []
    linked.linkAsked.connect(asked.append)
    qtbot.keyClick(linked, Qt.Key.Key_Return)
    assert asked == []
    for address in ADDRESSES:
        qtbot.keyClick(linked, Qt.Key.Key_Tab)
        assert linked.hasFocus()
        assert QToolTip.text() == plain_tip(address)
        qtbot.keyClick(linked, Qt.Key.Key_Return)
    assert (heard, asked) == (LINKS_SAID, ADDRESSES)
    for _ in ADDRESSES[1:]:
        qtbot.keyClick(linked, Qt.Key.Key_Backtab, Qt.KeyboardModifier.ShiftModifier)
    assert heard[len(ADDRESSES) :] == LINKS_SAID[-2::-1]
    qtbot.keyClick(linked, Qt.Key.Key_Backtab, Qt.KeyboardModifier.ShiftModifier)
    assert linked.hasFocus(), "before the first link stands the message itself"
    qtbot.keyClick(linked, Qt.Key.Key_Return)
    assert asked == ADDRESSES, "which is not a link"


def test_tab_leaves_the_message_after_its_last_link_and_where_it_has_none(qtbot: QtBot, linked: ChatView) -> None:
    for _ in ADDRESSES:
        qtbot.keyClick(linked, Qt.Key.Key_Tab)
    qtbot.keyClick(linked, Qt.Key.Key_Tab)
    qtbot.waitUntil(lambda: not linked.hasFocus())
    linked.setFocus()
    linked.setCurrentIndex(linked.model().index(0, 0))
    qtbot.keyClick(linked, Qt.Key.Key_Tab)
    qtbot.waitUntil(lambda: not linked.hasFocus())


def test_tab_goes_on_from_the_passage_that_was_come_to(qtbot: QtBot, linked: ChatView, heard: list[str]) -> None:
    for _ in range(2):
        qtbot.keyClick(linked, Qt.Key.Key_Down, Qt.KeyboardModifier.AltModifier)
    qtbot.keyClick(linked, Qt.Key.Key_Tab)
    assert heard[-1] == LINKS_SAID[2]


def test_a_screen_reader_finds_each_link_after_its_passage_and_presses_it(linked: ChatView) -> None:
    asked: list[str] = []
    linked.linkAsked.connect(asked.append)
    message = QAccessible.queryAccessibleInterface(linked).child(1)
    parts = [message.child(number) for number in range(message.childCount())]
    links = [part for part in parts if part.role() is Role.Link]
    assert [f"Link: {part.text(Name)}" for part in links] == LINKS_SAID
    assert [parts.index(part) for part in links] == [1, 2, 5, 7]
    for part in links:
        part.actionInterface().doAction("Press")
    assert asked == ADDRESSES
    assert parts[0].interface_cast(QAccessible.InterfaceType.ActionInterface) is None, "words are not pressed"


NOTED = "\n\n".join(
    [
        "First[^two] and [forged](footnote:1) and [^gone].",
        "And again[^two].",
        *(f"Paragraph {number}." for number in range(80)),
        "Last[^1].\n\n[^1]: The first note.\n[^Two]: The other note.",
    ]
)


@pytest.fixture
def noted(linked: ChatView) -> ChatView:
    linked._chat.show([question("q"), answer("a", NOTED)])
    QApplication.processEvents()
    linked.setCurrentIndex(linked.model().index(1, 0))
    return linked


def is_selection_in_sight(view: ChatView) -> bool:
    body, selected = view.layout_of_rows.item(1).body, view.pointer.selection.of(1)
    assert selected is not None
    y = view.row_rect(1).top() + view.layout_of_rows.item(1).text.top() + body.line_top(selected[0])
    return 0 <= y < view.viewport().height()


def test_return_on_a_footnote_goes_to_the_note_and_back(qtbot: QtBot, noted: ChatView, heard: list[str]) -> None:
    asked: list[str] = []
    noted.linkAsked.connect(asked.append)
    noted.verticalScrollBar().setValue(0)
    qtbot.keyClick(noted, Qt.Key.Key_Tab)
    assert QToolTip.text() == "Two The other note."
    for _ in range(2):
        qtbot.keyClick(noted, Qt.Key.Key_Return)
        assert noted.pointer.selected_text() == "Two"
        assert noted.verticalScrollBar().value() > 0
        assert is_selection_in_sight(noted)
        qtbot.keyClick(noted, Qt.Key.Key_Return)
        assert is_selection_in_sight(noted)
    assert heard == ["Link: Footnote two", *["Two The other note.", "Firsttwo and forged and [^gone]."] * 2]
    for _ in range(2):
        qtbot.keyClick(noted, Qt.Key.Key_Tab)
    assert heard[-1] == "Link: Footnote two"
    for _ in range(2):
        qtbot.keyClick(noted, Qt.Key.Key_Return)
    assert heard[-2:] == ["Two The other note.", "And againtwo."], "back to the place that was left"
    assert asked == []


def test_a_click_on_a_footnote_goes_to_the_note_and_nothing_that_is_written_does(qtbot: QtBot, noted: ChatView) -> None:
    asked: list[str] = []
    noted.linkAsked.connect(asked.append)

    def click(words: str) -> None:
        item = noted.layout_of_rows.item(1)
        links = {item.body.selected_text(TextPoint(*one.first), TextPoint(*one.last)): one for one in item.body.links()}
        found = links[words]
        laid = item.body._lay_out(found.first[0])
        text_block = laid.document.findBlock(found.first[1])
        line = text_block.layout().lineAt(0)
        x = line.cursorToX(found.first[1] - text_block.position())[0] + 2
        at = QPointF(x, item.body.line_top(TextPoint(*found.first)) + 10) + item.text.topLeft()
        place = at.toPoint() + noted.row_rect(1).topLeft()
        qtbot.mouseClick(noted.viewport(), Qt.MouseButton.LeftButton, pos=place)

    noted.verticalScrollBar().setValue(0)
    click("forged")
    assert (asked, noted.verticalScrollBar().value()) == (["footnote:1"], 0)
    click("two")
    assert noted.verticalScrollBar().value() > 0
    assert is_selection_in_sight(noted)
    assert asked == ["footnote:1"], "no address is asked about"


def test_a_screen_reader_finds_footnotes_as_links_that_it_presses(noted: ChatView) -> None:
    message = QAccessible.queryAccessibleInterface(noted).child(1)
    parts = [message.child(number) for number in range(message.childCount())]
    links = [part for part in parts if part.role() is Role.Link]
    assert [part.text(Name) for part in links] == [
        *("Footnote two", "forged, footnote:1", "Footnote two", "Footnote 1", "Back to the text", "Back to the text")
    ]
    noted.verticalScrollBar().setValue(0)
    links[3].actionInterface().doAction("Press")
    assert is_selection_in_sight(noted)
    assert noted.pointer.selected_text() == "¹"
