"""The window: three panes, the menu bar, and where each command goes."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import pairwise

from PySide6.QtCore import QByteArray, QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtGui import (
    QAccessible,
    QAccessibleAnnouncementEvent,
    QCloseEvent,
    QDragEnterEvent,
    QDragLeaveEvent,
    QDropEvent,
    QKeyEvent,
    QShowEvent,
)
from PySide6.QtWidgets import QApplication, QMainWindow, QWidget

from app.protocol.reports import Problem
from app.viewmodels.actions import ACTIONS, bound, checked, enabled, offered
from app.viewmodels.app import App
from app.viewmodels.cache import disk_text
from app.viewmodels.cache.budgets import disk_budget_of
from app.viewmodels.chat.versions import branch_start
from app.viewmodels.kit.settings import WindowState
from app.viewmodels.unavailable import tips
from app.widgets.branches.branches_pane import BranchesPane
from app.widgets.cache.cache_pane import CachePane
from app.widgets.kit.action_button import ActionButton, native_keys
from app.widgets.kit.change_detector import ChangeDetector
from app.widgets.kit.controls import Control
from app.widgets.kit.dialogs import ask_to_delete
from app.widgets.kit.focus_ring import FocusRing
from app.widgets.kit.menu_keys import MenuKeys
from app.widgets.kit.style import Style
from app.widgets.kit.typography import BODY_SIZE, LARGEST_BODY, SMALLEST_BODY
from app.widgets.map.map_pane import MapPane
from app.widgets.settings.settings_pane import SettingsPane
from app.widgets.sidebar.sidebar import Sidebar
from app.widgets.window.attach_commands import AttachCommands
from app.widgets.window.cache_commands import CacheCommands
from app.widgets.window.chat_pane import ChatPane
from app.widgets.window.copy_commands import CopyCommands
from app.widgets.window.drop import DropOutline, document, model_folder
from app.widgets.window.inspector import Inspector
from app.widgets.window.jump_commands import JumpCommands
from app.widgets.window.library_commands import LibraryCommands
from app.widgets.window.looked_at_messages import LookedAtMessages
from app.widgets.window.menus import Menus
from app.widgets.window.model_commands import ModelCommands
from app.widgets.window.preferences_commands import PreferencesCommands
from app.widgets.window.sides import Sides
from app.widgets.window.text_commands import TextCommands
from app.widgets.window.unavailable_keys import UnavailableKeys
from app.widgets.window.window_commands import WindowCommands, bring
from app.widgets.window.window_prices import WindowPrices

_LEAST = (880, 560)
_USUAL = (1440, 900)
SETTINGS_TAKEN = "The next answers are written with the settings of this one."
NO_ROOM = "The answers stand in columns as soon as the window has room for them: make it wider, or hide its sides."
SETTINGS_NOT_KNOWN = "The settings of this answer are not known: it came from elsewhere."
_KEYS = (QEvent.Type.ShortcutOverride, QEvent.Type.KeyPress)


class MainWindow(QMainWindow):
    """Shows what the app says, and hands it what the person does. It decides nothing and waits for nothing.

    Attributes: sidebar, chat, inspector; branches, cache, map and settings, panes of the inspector; sides, menus.

    Signal: documentOpened(str), a file of conversations was dropped or opened from outside.
    """

    documentOpened = Signal(str)

    def __init__(
        self, style: Style, app: App, state: WindowState, may_close: Callable[[], bool] = lambda: True
    ) -> None:
        """state: how the window was left, or how a new one begins. may_close: asked whenever it is to be closed."""
        super().__init__()
        self._style = style
        self._app = app
        self._about_commands, self._changes = ChangeDetector(), ChangeDetector()
        self._may_close = may_close
        self.sidebar = Sidebar(style, app.library.conversation_model, app.library.search, app.keys.actions)
        self.chat = ChatPane(style, app)
        self.branches = BranchesPane(style, app.branches)
        self.cache = CachePane(style, app.cache_rows.trie_model, app.cache.event_model, edges=app.edges.state)
        self.map = MapPane(style, app.map)
        self.settings = SettingsPane(style, app.chat)
        self.inspector = Inspector(style, [self.branches, self.cache, self.map, self.settings])
        self.sides = Sides(style, self.sidebar, self.chat, self.inspector, self)
        self.sides.keeps_escape = lambda: self._is_comparing() or app.find.is_open
        self.setCentralWidget(self.sides)
        self.menus = Menus(self.menuBar(), self.do, app.settings, app.keys)
        self.menus.pointedAt.connect(self.chat.status_line.show_tip)
        self.menus.opening.connect(self._catch_up)
        self._looked_at = LookedAtMessages(self.chat, app.chat, self)
        self._keys = UnavailableKeys(app, self.menus)
        self._outline = DropOutline(style, self)
        undo, redo = self.menus.actions["undo"], self.menus.actions["redo"]
        self._text = TextCommands(self.chat.composer.edit, app.library.state, app.notices, undo, redo, app.act)
        self._copies = CopyCommands(style, app, self.chat, self._text.copy)
        self._cached = CacheCommands(app, self.cache, self.chat, self._current)
        self._jumps = JumpCommands(style, app, self.do, self._about, lambda words: self._library.search(words), self)
        self._ring = FocusRing(style, self)
        self._menu_keys = MenuKeys(self)
        self._library = LibraryCommands(style, app, self.sidebar, self.sides, self)
        self._library.fill_folders(self.menus.folders)
        named = self.menus.actions["export"], self.menus.actions["delete_conversation"]
        self._library.name_entries(*named, self.menus.opening)
        priced = self.sidebar, self.chat, self.branches, self.cache
        self.prices = WindowPrices(style, app, self.menus, self._about, priced, self)
        self._attach = AttachCommands(app.chat.attachments, self.chat.composer, self.open_path, self)
        self._windows = WindowCommands(self.menus.window, self.menus.actions["full_screen"], self)
        self._preferences = PreferencesCommands(style, app, self)
        self._models = ModelCommands(style, app.model, app.hub, app.servers, self.do, self)
        self.chat.welcome.modelsAsked.connect(self._models.show_models)
        self._runs = bound(app, self._own_runs()) | self._models.of_cards
        self.chat.composer_area.acted.connect(lambda one: self.do(one) if one in self._runs else app.act(one))
        self.setMinimumSize(*_LEAST)
        self.setAcceptDrops(True)
        self.setAccessibleName("Espalier")
        self._connect()
        self._set_tab_order()
        self._restore(state)
        self._refresh()
        self._show_settings()
        self._show_keys()

    def state(self) -> WindowState:
        """Return how the person leaves the window, for the next time."""
        return WindowState(
            number=self._app.number,
            geometry=bytes(self.saveGeometry().toBase64().data()).decode("ascii"),
            splitter=self.sides.widths(),
            is_sidebar_shown=self.sides.is_wanted("sidebar"),
            is_inspector_shown=self.sides.is_wanted("inspector"),
            pane=self.inspector.current.id if self.inspector.current else "",
            panes=self.inspector.states(),
        )

    def do(self, action_id: str) -> None:
        """Carry out a command, whether from a menu, a key or a button."""
        self._runs[action_id]()
        self._refresh_checks()

    # Building

    def _own_runs(self) -> dict[str, Callable[[], object]]:
        """Commands that concern the window and its text fields alone, or the message that the keyboard is on."""
        composer, style = self.chat.composer, self._style
        return {
            "new": self._new,
            "close": self.close,
            "undo": self._text.undo,
            "redo": self._text.redo,
            "cut": self._text.cut,
            "paste": self._text.paste,
            "select_all": self._select_all,
            "bigger": lambda: self._choose_text_size(style.typography.body + 1),
            "smaller": lambda: self._choose_text_size(style.typography.body - 1),
            "actual_size": lambda: self._choose_text_size(BODY_SIZE),
            "find": self.chat.open_find,
            "find_next": partial(self.chat.find_next, 1),
            "find_previous": partial(self.chat.find_next, -1),
            "compose": self.chat.composer_area.take_focus,
            "send": composer.go_on_from,
            "fork": self._fork,
            "edit_answer": lambda: self._app.chat.open_draft.edit_answer(self._about("edit_answer")),
            "branch_here": lambda: self._app.chat.open_draft.begin_after(self._about("branch_here")),
            "regenerate": lambda: self._app.chat.requests.regenerate(self._about("regenerate")),
            "repeat_answer": lambda: self._app.chat.requests.repeat_answer(self._about("repeat_answer")),
            "answer_settings": lambda: self.show_answer_settings(self._current_answer()),
            "use_settings": self._use_settings,
            "tokens": lambda: self._show_tokens(self._looked_at.answer),
            "parent": partial(self._step, -1, "This is the first message of the branch."),
            "child": partial(self._step, 1, "This is the last message of the branch."),
            "delete_message": lambda: self._app.chat.open_branch.delete_message(self._current()),
            "previous": lambda: self._app.chat.open_branch.select_version(self._looked_at.fork, -1),
            "next": lambda: self._app.chat.open_branch.select_version(self._looked_at.fork, 1),
            "compare": self._compare,
            "answers": self._show_answers,
            "name_branch": lambda: self._name_branch(self._current()),
            "show_row": self._show_row,
            "delete_files": self._delete_files,
            "about": self._show_about,
            **{action.id: partial(self._toggle_pane, action.pane) for action in ACTIONS if action.pane},
            **self._attach.runs,
            **self._copies.runs,
            **self._cached.runs,
            **self._jumps.runs,
            **self._library.runs,
            **self._models.runs,
            **self._preferences.runs,
            **self._windows.runs,
        }

    def _connect(self) -> None:
        app, chat = self._app, self.chat
        self.sidebar.asked.connect(self.do)
        self.sidebar.chosen.connect(app.library.open)
        self.sidebar.list.branchChosen.connect(self._open_branch)
        self.sidebar.found.connect(app.find.open_result)
        app.find.resultShown.connect(self.sidebar.results.select)
        self.documentOpened.connect(app.library.import_file)
        self.sidebar.left.connect(self.chat.composer_area.take_focus)
        self.sidebar.field.escaped.connect(self._leave_pane)
        self.branches.left.connect(self._leave_pane)
        self.sides.left.connect(self._leave_pane)
        self.sides.keyboard_lost.connect(self._focus_composer)
        chat.toolbar.asked.connect(self.do)
        chat.escaped.connect(self.sides.close_overlay)
        chat.toolbar.chip.clicked.connect(lambda: self._models.show_picker(chat.toolbar.chip))
        chat.view.commandAsked.connect(self._do_with_answer)
        self.cache.asked.connect(self.do)
        self.cache.refused.connect(self._keys.tell)
        self.cache.othersAsked.connect(app.edges.show_others)
        self.cache.appeared.connect(app.edges.wake)
        self.cache.disappeared.connect(app.edges.rest)
        self.cache.tree.chosen.connect(app.edges.choose)
        self.cache.tree.menuAsked.connect(
            lambda at: self.cache.open_menu(at, app.edges.homes(app.edges.state.now.chosen))
        )
        app.edges.rowWanted.connect(self.cache.tree.come_to)
        app.edges.chosenByMessage.connect(lambda row: self.cache.tree.come_to(row, is_chosen=True))
        chat.view.currentMessageChanged.connect(app.edges.select_message)
        self.sides.changed.connect(self._refresh_checks)
        self.inspector.changed.connect(self._refresh_checks)
        self.inspector.changed.connect(self._fit_inspector)
        app.state.changed.connect(self._refresh)
        app.settings.changed.connect(self._show_settings)
        app.keys.changed.connect(self._show_keys)
        app.announced.connect(self.announce)
        app.modelFolderWanted.connect(self._models.choose_folder)
        app.library.cameForward.connect(self.come_forward)
        app.datesChanged.connect(self._style.changed)
        app.chat.open_draft.turnedTo.connect(self._come_to_composer)

    def _set_tab_order(self) -> None:
        """Lead Tab from the left to the right, from above downwards. The chat puts its messages' controls after it."""
        sidebar, chat = self.sidebar, self.chat
        page, composer_area = chat.welcome.page, chat.composer_area
        order: list[QWidget] = [sidebar.hide_button, sidebar.new_button, sidebar.field, sidebar.field.clear_button]
        order += [sidebar.list, sidebar.results, sidebar.settings_button, sidebar.trash_button]
        order += [*chat.toolbar.findChildren(Control)]
        find = chat.find_bar
        order += [find.field, find.field.clear_button, find.previous, find.next, find.close_button]
        order += [
            chat.banner.action,
            chat.banner.close_button,
            page,
            *page.chips,
            page.models_button,
            chat.view,
            chat.view.pill,
        ]
        composer = composer_area.composer
        order += [composer.cancel, composer.edit, composer.go_on, composer.keep]
        order += [composer.answers, composer.clip, composer.button]
        order += [composer_area.problem, composer_area.problem.action, composer_area.problem.other]
        order += self.inspector.tab_order
        for before, after in pairwise(order):
            QWidget.setTabOrder(before, after)

    def _restore(self, state: WindowState) -> None:
        self.resize(*_USUAL)
        if state.geometry:
            self.restoreGeometry(QByteArray.fromBase64(state.geometry.encode("ascii")))
        self.sides.restore(state.splitter, state.is_sidebar_shown, state.is_inspector_shown)
        self.inspector.restore(state.pane or self.cache.id, state.panes)
        self._refresh_checks()

    # What changes

    def _refresh(self) -> None:
        now = self._app.state.now
        is_disk_awaited = bool(now.cache.folder) and disk_budget_of(now.settings.disk_budget).bytes != 0
        self.cache.show_disk(now.cache.folder, now.cache.disk_trouble, is_disk_awaited)
        if not self._about_commands.has_changed(now.without_figures):
            return
        can, marked, present, told = enabled(now), checked(now), offered(now), tips(now)
        if not self._changes.has_changed(now.chat.title, can, marked, present, told):
            return
        self.setWindowTitle(now.chat.title)
        self.menus.show(can, marked, told)
        self.menus.offer(present)
        self.sides.offer("inspector", self.inspector.offer(now.model.has))
        self._text.renew()

    def _show_settings(self) -> None:
        values = self._app.settings.values
        self.menus.show_recent(values.recent_models, self._app.model.open)
        if values.body_size != self._style.typography.body:
            self._style.set_text_size(values.body_size)

    def _choose_text_size(self, body: int) -> None:
        """Keep a size of text; `_show_settings` makes it hold."""
        size = min(LARGEST_BODY, max(SMALLEST_BODY, body))
        self._app.settings.update(body_size=size)

    def _show_keys(self) -> None:
        """Have the tips of the window's buttons name the keys that hold now."""
        actions = self._app.keys.actions
        for button in self.findChildren(ActionButton):
            button.show_action(actions[button.action_id])
        self.sidebar.field.show_keys(native_keys(actions["find_everywhere"]))
        self.chat.composer.show_keys(native_keys(actions["continue"]), native_keys(actions["attach"]))

    def _refresh_checks(self) -> None:
        for action in ACTIONS:
            if action.pane:
                entry, pane = self.menus.actions[action.id], action.pane
                entry.setVisible(
                    self.inspector.offers(pane) if self.inspector.has(pane) else self.sides.is_offered(pane)
                )
                entry.setChecked(self._is_pane_shown(pane))
        sides = self.sides.is_shown("sidebar"), self.sides.is_shown("inspector")
        self.chat.toolbar.show_sides(*sides, is_inspector_offered=self.sides.is_offered("inspector"))

    def _fit_inspector(self) -> None:
        """Give the inspector the width that its pane is opened at."""
        current = self.inspector.current
        self.sides.widen("inspector", 0 if current is None else current.least_width)

    def _is_pane_shown(self, name: str) -> bool:
        """Return whether a side of the window is shown, or the inspector with this pane."""
        if not self.inspector.has(name):
            return self.sides.is_shown(name)
        current = self.inspector.current
        return self.sides.is_shown("inspector") and current is not None and current.id == name

    def _toggle_pane(self, name: str) -> None:
        """Show a side of the window or a pane of the inspector, or put it away."""
        if not self.inspector.has(name):
            self.sides.toggle(name)
            return
        if self._is_pane_shown(name) or not self.sides.is_shown("inspector"):
            self.sides.toggle("inspector")
        self.inspector.show_pane(name)

    def _do_with_answer(self, action_id: str, message_id: str) -> None:
        """Carry out a command of a message's menu."""
        runs: dict[str, Callable[[str], object]] = {
            "answer": self._app.chat.requests.regenerate,
            "branch_here": self._app.chat.open_draft.begin_after,
            "edit_answer": self._app.chat.open_draft.edit_answer,
            "repeat_answer": self._app.chat.requests.repeat_answer,
            "answer_settings": self.show_answer_settings,
            "use_settings": self._app.chat.settings.use_answer,
            "compare": self._app.comparison.open_beside,
            "tokens": self._show_tokens,
            "name_branch": self._name_branch,
            "continue": self._continue,
            "pin": partial(self._cached.pin, True),
            "unpin": partial(self._cached.pin, False),
        }
        runs[action_id](message_id)

    def _continue(self, message_id: str) -> None:
        """Have an answer go on, which becomes the end of the open path."""
        self._app.chat.open_branch.show(message_id)
        self._app.resume()

    def _show_tokens(self, message_id: str | None) -> None:
        """Show an answer by its tokens, in the chat, None for the last one of the open path."""
        app = self._app
        if message_id is not None and app.tokens.can_open(message_id):
            app.lanes.close()
            if not app.library.tree.is_on_path(message_id):
                app.chat.open_branch.show(message_id)
        app.tokens.toggle(message_id)

    def _open_branch(self, conversation_id: str, message_id: str) -> None:
        """Show a branch of any conversation."""
        if conversation_id == self._app.library.open_id:
            self._app.chat.open_branch.show(message_id)
        else:
            self._app.library.go_to(conversation_id, message_id)

    def _name_branch(self, message_id: str | None) -> None:
        """Have the branch named that a message lies in, None for the open one."""
        start = branch_start(self._app.library.tree, message_id)
        if start is not None:
            self._app.comparison.close()
            if not self.chat.messages.has(start.id):
                self._app.lanes.close()
                self._app.lanes.state.catch_up()
            self.chat.messages.edit_branch_name(start.id)

    def show_answer_settings(self, message_id: str | None) -> None:
        """Show how the tokens of an answer were chosen, None for the last one of the open path."""
        if not self._is_pane_shown("settings"):
            self._toggle_pane("settings")
        self.settings.show_answer(message_id)

    def announce(self, text: str) -> None:
        """Have a screen reader say this."""
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, text))

    def come_forward(self) -> None:
        """Come above all other windows, with the keyboard."""
        bring(self)

    def hand_over(self, other: MainWindow) -> None:
        """Have the windows that serve all main windows, and were opened from this one, stand beside another one."""
        pairs = ("preferences", self._preferences, other._preferences), ("models", self._models, other._models)
        for action_id, ours, theirs in pairs:
            if ours.shown is not None:
                at, size = ours.shown.pos(), ours.shown.size()
                ours.shown.close()
                other.do(action_id)
                if theirs.shown is not None:
                    theirs.shown.resize(size)
                    theirs.shown.move(at)

    def open_path(self, path: str) -> None:
        """Open what was dropped or opened from outside: the model in a folder, or a document."""
        folder = model_folder(path)
        if folder:
            self._app.model.open(folder)
        elif document(path):
            self.documentOpened.emit(document(path))
        else:
            sentence = f"{path} is neither a model’s folder nor a conversation, or it is not there any more."
            self._app.notices.error(Problem("Nothing was opened", sentence))

    def _come_to_composer(self) -> None:
        """Focus the composer, which has another draft, unless somebody goes through the conversations by keys."""
        if not self.sidebar.is_gone_through:
            self._focus_composer()

    def _leave_pane(self) -> None:
        """Go back to writing; what stands in the chat's place, or the side over it, is closed for that."""
        self._app.comparison.close()
        self.sides.close_overlay_with_keyboard()
        self.chat.composer_area.take_focus()

    def _focus_composer(self) -> None:
        """Focus the composer, unless a popup is open: taking the focus would activate this window under it."""
        if QApplication.activePopupWidget() is None:
            self.chat.composer_area.take_focus()

    # Commands that depend on where the keyboard is

    def _new(self) -> None:
        self._app.library.new_conversation()
        self._focus_composer()

    def _show_about(self) -> None:
        from app.widgets.window.about import show_about  # no start has to wait for it

        show_about(self._style, self)

    def _show_row(self) -> None:
        """Show the chosen row of the cache pane in the chat; where several conversations share it, one is chosen."""
        edges = self._app.edges
        homes = edges.homes(edges.state.now.chosen)
        home = self.cache.choose_home(homes) if len(homes) > 1 else ""
        if home or len(homes) < 2:
            edges.show_in_chat(home)

    def _delete_files(self) -> None:
        app = self._app
        what = disk_text.deletion(app.cache.view, app.cache.disk_cache.folder)
        ask_to_delete(disk_text.DELETE_TITLE, what, "Delete", app.cache.delete_files, self)

    def _select_all(self) -> None:
        view = self.chat.messages
        if self.sidebar.list.hasFocus():
            self.sidebar.list.pick_all()
        elif view.keyboard_row >= 0:
            view.pointer.select_all(view.keyboard_row)
        else:
            self._text.select_all()

    def _current(self) -> str | None:
        """Return the message that the keyboard is on; None lets the last one be taken."""
        view = self.chat.messages
        row = view.current_row() if view.keyboard_row >= 0 else None
        return None if row is None else row.id

    def _current_answer(self) -> str | None:
        """Return the answer that the keyboard is on, or on whose question it is; None lets the last one be taken."""
        view = self.chat.messages
        return view.answer_to_edit if view.keyboard_row >= 0 else None

    def _about(self, action_id: str) -> str | None:
        """Return the message that a command of the menu bar begins at; None lets it begin where it does by itself."""
        if action_id == "fork":
            return self.chat.messages.question_to_edit
        if action_id in ("edit_answer", "branch_here"):
            return self.chat.messages.answer_to_edit
        if action_id == "regenerate":
            return self._current()
        if action_id in ("previous", "next"):
            return self._looked_at.fork
        return self._current_answer() if action_id == "repeat_answer" else None

    def _step(self, by: int, at_end: str) -> None:
        """Take the keyboard to the message above or below. at_end: what is said where there is none."""
        if not self.chat.messages.step(by):
            self._app.notices.refuse(at_end)

    def _use_settings(self) -> None:
        is_known = self._app.chat.settings.use_answer(self._current_answer())
        if is_known:
            self._app.notices.info(SETTINGS_TAKEN)
        else:
            self._app.notices.refuse(SETTINGS_NOT_KNOWN)

    def _compare(self) -> None:
        """Compare the version that the keyboard is on with the one beside it, else the open branch; or close again.

        Of answers that stand beside each other, two are compared.
        """
        fork, is_open = self._looked_at.fork, self._app.comparison.state.now.is_open
        if self._app.lanes.state.now.is_open and not is_open:
            self._app.lanes.compare()
        elif fork is not None and not is_open:
            self._app.comparison.open_beside(fork)
        else:
            self._app.comparison.toggle()

    def _show_answers(self) -> None:
        """Show answers in columns, or the chat again. Where columns have no room that is said, and they come later."""
        lanes = self._app.lanes
        if self.chat.has_columns or not lanes.state.now.is_open:
            lanes.toggle()
            lanes.state.catch_up()  # columns are made when they are first shown
        if lanes.state.now.is_open and not self.chat.has_columns:
            self._app.notices.refuse(NO_ROOM)

    def _fork(self) -> None:
        self._app.chat.open_draft.begin_edit(self._about("fork"))

    # Events

    def _catch_up(self) -> None:
        """Have all that can be chosen be judged by what is true and looked at now."""
        self._looked_at.tell()
        self._app.catch_up()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Bring the window up to date before a key finds its command or its widget: many may come in one turn."""
        if event.type() in _KEYS:
            self._catch_up()
            if self.focusWidget() is None:
                self.sides.setFocus()  # where keys are heard that nothing else has a use for
        return isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress and self._keys.take(event)

    def _is_comparing(self) -> bool:
        return self._app.comparison.state.now.is_open

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Letters that nothing has a use for are meant for the message field.

        Escape closes a comparison or the find bar, and leads from the inspector back to writing.
        """
        is_escape = event.key() == Qt.Key.Key_Escape
        if is_escape and self._is_comparing():
            self._app.comparison.close()
        elif is_escape and self._app.find.is_open:
            self._app.find.close()
        elif is_escape and self.inspector.isAncestorOf(QApplication.focusWidget() or self):
            self._leave_pane()
        elif not self.chat.take_letter(event):
            super().keyPressEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.WindowStateChange:
            self._windows.show_state()
        elif event.type() == QEvent.Type.ActivationChange and self.isActiveWindow():
            self._app.come_to_front()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.windowHandle().installEventFilter(self)
        QTimer.singleShot(0, self._focus_composer)

    def closeEvent(self, event: QCloseEvent) -> None:
        """Close at once, unless whoever built the window has a question first: everything is saved already."""
        event.setAccepted(self._may_close())

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if self._attach.takes(event.mimeData()):
            event.acceptProposedAction()
            self._outline.cover(self.sides)

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        self._outline.hide()

    def dropEvent(self, event: QDropEvent) -> None:
        self._outline.hide()
        event.acceptProposedAction()
        self._attach.drop(event.mimeData(), event.position().toPoint())
