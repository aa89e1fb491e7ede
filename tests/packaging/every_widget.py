"""Walk every widget of every state of the window as a screen reader, the Tab key and an eye would, and tell the faults.

    PYTHONPATH=packaging python -m tests.packaging.every_widget [STATE ...]

The states are those of the pictures and a few more, each once: another size changes no name and no colour. A line to
each fault, then one with the classes of widgets that were seen.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Container, Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QAccessible, QAccessibleInterface, QFontMetricsF, QImage
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractScrollArea,
    QApplication,
    QLabel,
    QLineEdit,
    QMenu,
    QPlainTextEdit,
    QTextEdit,
    QWidget,
)
from tools import shots
from tools.gallery import waiting
from tools.gallery.scenes import SCENES, Scene, ask
from tools.gallery.stage import Stage

from app.main import application
from app.viewmodels.app import App
from app.viewmodels.library.conversation_model import ConversationModel
from app.widgets.kit.theme import DARK, LIGHT, Theme
from app.widgets.kit.typography import LARGEST_BODY
from app.widgets.window.about import AboutBox
from app.widgets.window.main_window import MainWindow

Role = QAccessible.Role
LEAST_CONTRAST = 4.5
MOST_ROWS = 40
STILL = 2  # turns without a difference: nothing here depends on the last pixel
SIZES = ("-large", "-narrow", "-wide", "-large-text")
# Of a channel's 256 values the light that it sends out, WCAG 2.2.
LINEAR = np.array([c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in np.arange(256) / 255])
SMALLEST, SHADOW = (880, 560), 40
FIRST_WORDS = ("You: ", "Answer: ", "System prompt: ")  # of a message, as the cache names its edges
QUOTED = ("“", "…")
FILES = {".pdf", ".csv"}
NOTHING = {Role.NoRole, Role.Client, Role.Border, Role.Pane}
ACTS = (QAbstractButton, QAbstractItemView, QLineEdit, QPlainTextEdit, QTextEdit)


def visible() -> list[QWidget]:
    """Return every widget in sight, of every window."""
    return [one for one in QApplication.allWidgets() if one.isVisible() and not one.visibleRegion().isEmpty()]


def title(widget: QWidget) -> str:
    """Name a widget for whoever reads of its fault."""
    words = widget.accessibleName() or (widget.text() if isinstance(widget, QAbstractButton | QLabel) else "")
    return f"{type(widget).__name__} {words!r} in {type(widget.parent()).__name__}"


def takes_keys(widget: QWidget) -> bool:
    return bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus) and widget.isEnabled()


# What a screen reader is told


def spoken(found: QAccessibleInterface) -> str:
    return found.text(QAccessible.Text.Name).strip()


def names(widgets: list[QWidget]) -> Iterator[str]:
    """Tell what acts, or the keyboard comes to, and says neither its name nor what it is."""
    for widget in widgets:
        if widget.focusProxy() is not None or not (isinstance(widget, ACTS) or takes_keys(widget)):
            continue
        found = QAccessible.queryAccessibleInterface(widget)
        if found is None or not spoken(found):
            yield f"has no name: {title(widget)}"
        elif found.role() in NOTHING:
            yield f"is a {found.role().name}: {title(widget)}"


def rows(widgets: list[QWidget]) -> Iterator[str]:
    """Tell rows of lists without words, and rows that say they are switched on and off when they are opened."""
    for view in widgets:
        found = QAccessible.queryAccessibleInterface(view) if isinstance(view, QAbstractItemView) else None
        for number in range(min(MOST_ROWS, found.childCount()) if found is not None else 0):
            row = found.child(number)
            if row is None or row.state().invisible:
                continue
            actions = row.actionInterface()
            if not spoken(row) and row.role() not in (Role.ColumnHeader, Role.RowHeader):
                yield f"row {number} has no words: {title(view)}"
            if actions is not None and "Toggle" in actions.actionNames():
                yield f"row {number} is toggled: {title(view)}"


# The keyboard


def stops(window: QWidget) -> list[QWidget]:
    """Return what Tab comes to in a window, in that order, and leave the focus nowhere.

    Qt's chain itself is not walked: PySide takes each widget that it returns for a child of the one before, with which
    it loses what belongs to it.
    """
    focused, found = window.focusWidget(), list[QWidget]()
    if focused is not None:
        focused.clearFocus()
    while window.focusNextPrevChild(True) and window.focusWidget() not in found:
        found.append(window.focusWidget())
    return found


def reached(window: QWidget, widgets: list[QWidget]) -> Iterator[str]:
    """Tell buttons and fields that Tab does not come to, and neighbours that it comes to against the order seen."""
    focused = window.focusWidget()  # a field for a name is gone as soon as it has not the keyboard
    order = stops(window)
    met = {*order, focused}
    for widget in widgets:
        is_act = isinstance(widget, QAbstractButton | QLineEdit) and widget.isEnabled() and widget.window() is window
        if is_act and widget not in met and widget.focusProxy() is None and not is_beside(widget, met):
            yield f"Tab does not come to it: {title(widget)}"
    for before, after in pairwise(order):
        if before.parentWidget() is after.parentWidget() and is_before(place(after), place(before)):
            yield f"Tab comes to it too late: {title(after)}, after {title(before)}"


def is_beside(widget: QWidget, met: Container[QWidget]) -> bool:
    """Whether the arrow keys lead to it from a neighbour that Tab comes to: one of several choices."""
    beside = widget.parentWidget().findChildren(QAbstractButton)
    return any(one in met for one in beside) and isinstance(widget, QAbstractButton) and widget.isCheckable()


def place(widget: QWidget) -> QRect:
    return QRect(widget.mapToGlobal(QPoint(0, 0)), widget.size())


def is_before(first: QRect, second: QRect) -> bool:
    """Whether one place is read before another: above it, or left of it in the same line."""
    if first.bottom() <= second.top():
        return first.left() < second.right() and second.left() < first.right()
    return second.top() < first.bottom() and first.top() < second.bottom() and first.right() <= second.left()


# What is seen


def words_of(widget: QWidget) -> str:
    if isinstance(widget, QLabel):
        return widget.text()
    return widget.text() if isinstance(widget, QAbstractButton) else ""


def contrasts(widgets: list[QWidget], theme: Theme) -> Iterator[str]:
    """Tell words that stand out too little from their ground, as they are painted."""
    mode = "dark" if theme.is_dark else "light"
    pictures: dict[QWidget, QImage] = {}
    for widget in widgets:
        is_whole = widget.visibleRegion().boundingRect() == widget.rect()
        if not words_of(widget).strip() or not widget.isEnabled() or not is_whole:
            continue
        window = widget.window()
        if window not in pictures:
            pictures[window] = window.grab().toImage()
        ratio = pictures[window].devicePixelRatio()
        part = QRect(widget.mapTo(window, QPoint(0, 0)) * ratio, widget.size() * ratio)
        found = contrast(pictures[window].copy(part))
        if 1.05 < found < LEAST_CONTRAST:
            yield f"stands out {found:.1f} to 1 ({mode}): {title(widget)}"


def contrast(image: QImage) -> float:
    """Return the contrast of what stands out most from the commonest colour of a picture."""
    image = image.convertToFormat(QImage.Format.Format_RGB32)
    pixels = np.frombuffer(image.constBits(), np.uint32).reshape(image.height(), -1)[:, : image.width()]
    colours, counts = np.unique(pixels, return_counts=True)
    linear = LINEAR[np.stack([colours >> 16 & 255, colours >> 8 & 255, colours & 255])]
    brightness = (0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]) + 0.05
    ground = brightness[counts.argmax()]
    return float(max(brightness.max() / ground, ground / brightness.min()))


# What has room


def cut(widgets: list[QWidget]) -> Iterator[str]:
    """Tell texts that are painted with an ellipsis and are neither a name nor somebody's first words."""
    texts, elided = set[str](), QFontMetricsF.elidedText

    def elided_and_noted(metrics: QFontMetricsF, text: str, *rest: Any) -> str:
        shown = elided(metrics, text, *rest)
        if shown != text:
            texts.add(text)
        return shown

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(QFontMetricsF, "elidedText", elided_and_noted)
        for window in {one.window() for one in widgets}:
            window.grab()
    for text in texts - set(conversations(widgets)):
        is_quoted = text.startswith(FIRST_WORDS) or any(mark in text for mark in QUOTED)
        if not is_quoted and Path(text).suffix not in FILES:
            yield f"is cut: {text!r}"


def conversations(widgets: list[QWidget]) -> Iterator[str]:
    """Return the titles and names of branches that the sidebar lists."""
    for one in widgets:
        model = one.model() if isinstance(one, QAbstractItemView) else None
        if isinstance(model, ConversationModel):
            yield from (model.index(row, 0).data() for row in range(model.rowCount()))


def outside(widgets: list[QWidget]) -> Iterator[str]:
    """Tell widgets that reach out of their parents by more than a shadow, and pages wider than what shows them."""
    for widget in widgets:
        parent = widget.parentWidget()
        if parent is None or widget.isWindow() or isinstance(widget, QMenu):
            continue
        area = parent.parentWidget()
        if isinstance(area, QAbstractScrollArea):
            is_inside = area.horizontalScrollBar().isVisible() or widget.width() <= parent.width()
        else:
            is_inside = parent.rect().adjusted(-SHADOW, -SHADOW, SHADOW, SHADOW).contains(widget.geometry())
        if not is_inside:
            yield f"reaches out of {type(parent).__name__}: {title(widget)}"


def examine(scene: Scene) -> tuple[set[str], set[str]]:
    """Return the faults of a state, and the classes of what was seen in it."""
    faults, seen = set[str](), set[str]()
    with (
        tempfile.TemporaryDirectory() as folder,
        shots.standing(scene, LIGHT, Path(folder), STILL) as (main_window, style),
    ):
        widgets = visible()
        seen |= {name for one in QApplication.allWidgets() if one.isVisible() for name in classes(one)}
        faults |= {*names(widgets), *rows(widgets)}
        faults |= set(contrasts(widgets, LIGHT))
        style.set_theme(DARK)
        waiting.turn()
        faults |= set(contrasts(visible(), DARK))
        style.set_text_size(LARGEST_BODY)
        for size in (scene.size, SMALLEST):
            main_window.resize(*size)
            for _ in range(3):
                waiting.turn()
            widgets = [one for one in visible() if one.window().windowType() is not Qt.WindowType.Popup]
            faults |= {*cut(widgets), *outside(widgets)}
        style.set_text_size(scene.body)
        main_window.resize(*scene.size)
        for _ in range(3):
            waiting.turn()
        widgets = visible()
        for window in {one.window() for one in widgets}:
            if not isinstance(window, QMenu):
                faults |= set(reached(window, widgets))  # the last, since it takes the keyboard from what it goes with
    return faults, seen


def classes(widget: QWidget) -> Iterator[str]:
    for one in type(widget).__mro__:
        if one.__module__.startswith("app."):
            yield f"{one.__module__}.{one.__qualname__}"


def _open_acknowledgements(_app: App, window: MainWindow) -> None:
    window.do("about")
    window.findChild(AboutBox).show_acknowledgements()


def _scroll_away(app: App, window: MainWindow) -> None:
    ask("And then?")(app, window)
    waiting.wait("it is written", lambda: bool(app.chat.chat_model.rows[-1].text))
    bar = window.chat.view.verticalScrollBar()
    bar.setValue(bar.minimum())


def _write_elsewhere(app: App, window: MainWindow) -> None:
    ask("And then?")(app, window)
    waiting.wait("it is written", lambda: bool(app.chat.chat_model.rows[-1].text))
    app.library.new_conversation()


def _hold_elsewhere(app: App, window: MainWindow) -> None:
    app.library.new_conversation()
    window.cache.empty.tell(others=True, is_on_server=False)


EMPTY = next(scene for scene in SCENES if scene.name == "empty")
MORE = (
    Scene("naming", Stage, then=lambda _app, window: window.do("name_branch")),
    Scene("renaming", Stage, then=lambda _app, window: window.do("rename")),
    Scene("about", Stage, then=_open_acknowledgements),
    Scene("pill", Stage, then=_scroll_away),
    Scene("elsewhere", Stage, then=_write_elsewhere),
    replace(EMPTY, name="held-elsewhere", then=_hold_elsewhere),
)


def main() -> None:
    _app = application()
    QApplication.setCursorFlashTime(0)
    QAccessible.setActive(True)
    all_seen = set[str]()
    waiting.PATIENCE = 300.0
    states = [scene for scene in (*SCENES, *MORE) if not scene.name.endswith(SIZES)]
    for scene in states:
        if not sys.argv[1:] or scene.name in sys.argv[1:]:
            faults, seen = examine(scene)
            all_seen |= seen
            for fault in sorted(faults):
                sys.stdout.write(f"{scene.name}: {fault}\n")
    sys.stdout.write(f"{json.dumps(sorted(all_seen))}\n")


if __name__ == "__main__":
    main()
