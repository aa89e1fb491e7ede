"""The middle of the window: toolbar, notice, messages or welcome, composer, status line."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QApplication, QStackedWidget, QVBoxLayout, QWidget

from app.protocol.reports import Problem
from app.viewmodels.actions import enabled
from app.viewmodels.app import App
from app.viewmodels.chat.text_marks import TextMark
from app.viewmodels.find.find import Find
from app.viewmodels.text import formatting
from app.widgets.chat.attachment_sheet import show_attachment
from app.widgets.chat.cards import NoticeBanner
from app.widgets.chat.composer_area import ComposerArea
from app.widgets.chat.messages.footer_tips import FooterTips
from app.widgets.chat.messages.links import ask_and_open
from app.widgets.chat.messages.marked_text import shown_texts
from app.widgets.chat.messages.view import ChatView
from app.widgets.chat.tokens.token_cursor import TokenCursor
from app.widgets.chat.welcome import WelcomeView
from app.widgets.find.find_bar import FindBar
from app.widgets.kit.letters import is_letter
from app.widgets.kit.own_keys import claim_key
from app.widgets.kit.style import Style
from app.widgets.window.status_line import StatusLine
from app.widgets.window.toolbar import Toolbar

if TYPE_CHECKING:
    from app.widgets.chat.comparison.comparison_view import ComparisonView
    from app.widgets.chat.lanes.lanes_view import LanesView

_SCROLL_KEPT_MS = 200


class ChatPane(QWidget):
    """Hands what the person does to the app, and the app's words to the composer.

    Signals: escaped, Escape was pressed and there is nothing to stop; comparisonMade(the view of two branches);
    lanesMade(the view of answers beside each other).

    Attributes: toolbar, find_bar, banner, view, welcome, composer_area, composer, status_line; tokens, of an answer in
    token mode; comparison, of two branches, and lanes, answers beside each other, None before the first.
    """

    escaped = Signal()
    lanesMade = Signal(object)
    comparisonMade = Signal(object)

    def __init__(self, style: Style, app: App, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._app, self._style = app, style
        state = app.chat.state
        self.toolbar = Toolbar(style, app.state, self)
        self.find_bar = FindBar(style, app.find, app.keys.actions, self)
        self.find_bar.hide()
        self.banner = NoticeBanner(style, app.notices, self, app.number)
        self.view = ChatView(style, app.chat.chat_model, state, app.keys.actions, self)
        self.welcome = WelcomeView(style, state, self)
        self.composer_area = ComposerArea(style, state, self)
        self.composer = self.composer_area.composer
        self.status_line = StatusLine(style, app.state, self)
        self.tokens = TokenCursor(style, self.view, app.tokens)
        self.comparison: ComparisonView | None = None
        self.lanes: LanesView | None = None
        self._pages = QStackedWidget(self)
        # A path that is exchanged is empty for a moment: the page is chosen when that is over.
        self._page_timer = QTimer(self, singleShot=True, interval=0)
        self._page_timer.timeout.connect(self._choose_page)
        self._scroll_timer = QTimer(self, singleShot=True, interval=_SCROLL_KEPT_MS)
        self._scroll_timer.timeout.connect(self._remember_scroll)
        self._stack()
        self._connect(app)
        self._choose_page()

    def _stack(self) -> None:
        self._pages.addWidget(self.view)
        self._pages.addWidget(self.welcome)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.toolbar)
        column.addWidget(self.find_bar)
        column.addWidget(self.banner)
        column.addWidget(self._pages, 1)
        column.addWidget(self.composer_area)
        column.addWidget(self.status_line)

    def _connect(self, app: App) -> None:
        chat, view, composer = app.chat.chat_model, self.view, self.composer
        for change in (chat.rowsInserted, chat.rowsRemoved, chat.modelReset):
            change.connect(self._page_timer.start)
        view.versionAsked.connect(app.chat.open_branch.select_version)
        view.editAsked.connect(app.chat.open_draft.begin_edit)
        view.againAsked.connect(app.chat.requests.regenerate)
        view.thoughtPressed.connect(app.chat.unfolded.toggle_thought)
        view.attachmentPressed.connect(app.chat.unfolded.toggle_attachment)
        view.linkAsked.connect(self._ask_about_link)
        view.copy_work.copied.connect(lambda count: self.mention(f"Copied {formatting.plural(count, 'message')}."))
        composer.submitted.connect(self._send)
        composer.wentOn.connect(self._go_on_from)
        composer.changed.connect(app.chat.open_draft.write)
        composer.edit.pasteRefused.connect(self._warn_of_paste)
        composer.edit.longPasted.connect(self._attach_pasted)
        composer.edit.unfolded.connect(app.chat.attachments.unfold_text)
        composer.continueAsked.connect(app.resume)
        composer.answersChosen.connect(app.chat.requests.choose_count)
        composer.ladderChosen.connect(app.chat.requests.choose_ladder)
        composer.presetChosen.connect(app.chat.requests.choose_preset)
        composer.removed.connect(app.chat.attachments.detach)
        composer.opened.connect(self._open_attachment)
        composer.stopAsked.connect(lambda: app.act("stop"))
        composer.escaped.connect(self._escape)
        composer.editCancelled.connect(app.chat.open_draft.cancel_edit)
        app.chat.open_draft.textReplaced.connect(composer.show_text)
        app.chat.open_branch.messageShown.connect(self._show_message)
        app.chat.open_draft.editBegun.connect(view.show_head)
        app.chat.anchorWanted.connect(self._show_anchor)
        app.chat.left.connect(self._remember_scroll)
        view.verticalScrollBar().valueChanged.connect(self._remember_scroll_soon)
        self.status_line.placeAsked.connect(app.library.go_to)
        self.status_line.stopAsked.connect(app.workspace.api.stop_answers)
        FooterTips(view, app.chat.settings.summary)
        view.branchNamed.connect(app.branches.name)
        view.deleteAsked.connect(app.chat.open_branch.delete_message)
        self.welcome.asked.connect(self._ask)
        app.comparison.state.changed.connect(self._show_comparison)
        app.lanes.state.changed.connect(self._show_lanes)
        app.lanes.arranged.connect(self._search_what_is_shown)
        self._connect_find(app.find)

    def _connect_find(self, find: Find) -> None:
        find.shown_texts = shown_texts(self._style)
        self.view.marks_of = find.marks
        find.changed.connect(self._show_find_bar)
        find.marked.connect(self.view.viewport().update)
        find.hitWanted.connect(self._show_mark)
        self.find_bar.typed.connect(self._look_for)
        self.find_bar.closed.connect(self._close_find)

    @property
    def is_welcome_shown(self) -> bool:
        """Whether nothing has been said in the open conversation."""
        return self._pages.currentWidget() is self.welcome

    @property
    def _way_out(self) -> str:
        """Verb by which a card in the composer's place is left alone, "" where none may be."""
        card = self._app.chat.state.now.card
        return card.other_id if card is not None and card.other_id in ("dismiss", "keep_here") else ""

    @property
    def _is_dismissable(self) -> bool:
        """Whether a problem stands in the composer's place that typing takes away."""
        return self._way_out == "dismiss"

    @property
    def _is_comparing(self) -> bool:
        return self._app.comparison.state.now.is_open

    def _show_comparison(self) -> None:
        """Put the comparison into the chat's place, or the chat back; the keyboard goes with it where it was here."""
        was_shown = self.comparison is not None and self._pages.currentWidget() is self.comparison
        if self._is_comparing and self.comparison is None:
            self._make_comparison()
        if self._is_comparing == was_shown:
            return
        focused = QApplication.focusWidget()
        is_elsewhere = focused is not None and not self.isAncestorOf(focused)
        self._choose_page()
        if self._is_comparing and self.comparison is not None:
            self.comparison.list.setFocus()
        elif not is_elsewhere:
            self.composer_area.take_focus()

    def _make_comparison(self) -> None:
        """Make and import it when it is first used, because no start has to wait for it."""
        from app.widgets.chat.comparison.comparison_view import ComparisonView

        self.comparison = ComparisonView(self._style, self._app.comparison, self._app.keys.actions, self)
        self._pages.addWidget(self.comparison)
        for before, after in pairwise((self.view.pill, *self.comparison.tab_order)):
            QWidget.setTabOrder(before, after)
        self.comparisonMade.emit(self.comparison)

    def _show_lanes(self) -> None:
        """Put answers beside each other into the chat's place, or the chat back."""
        if self._app.lanes.state.now.is_open and self.lanes is None:
            self._make_lanes()
        self._choose_page()

    def _make_lanes(self) -> None:
        """Make and import the columns when they are first used. What is asked in one is done as in the chat."""
        from app.widgets.chat.lanes.lanes_view import LanesView

        app, view = self._app, self.view
        self.lanes = lanes = LanesView(
            *(self._style, app.lanes, app.chat.state, app.keys.actions, self.composer.edit), self
        )
        lanes.marks_of = app.find.marks
        app.find.marked.connect(lanes.show_marks)
        lanes.linkAsked.connect(view.linkAsked)
        lanes.editAsked.connect(view.editAsked)
        lanes.againAsked.connect(view.againAsked)
        lanes.deleteAsked.connect(view.deleteAsked)
        lanes.commandAsked.connect(view.commandAsked)
        lanes.menuMade.connect(view.menuMade)
        lanes.branchNamed.connect(view.branchNamed)
        lanes.currentMessageChanged.connect(view.currentMessageChanged)
        lanes.copied.connect(view.copy_work.copied)
        self._pages.addWidget(lanes)
        self.lanesMade.emit(lanes)

    @property
    def messages(self) -> ChatView:
        """The messages that commands are about: those of a column where answers stand beside each other."""
        return self.view if self._columns is None else self._columns.looked_at

    @property
    def has_columns(self) -> bool:
        """Return whether answers stand beside each other, and have room for it."""
        return self._columns is not None

    @property
    def _columns(self) -> LanesView | None:
        """The answers beside each other, where there are any and they have room."""
        has_room = self.lanes is not None and self.lanes.fits(self.width())
        return self.lanes if has_room and self._app.lanes.state.now.is_open else None

    def _choose_page(self) -> None:
        is_comparing = self._is_comparing and self.comparison is not None
        self.composer_area.setHidden(is_comparing)
        columns = self._columns
        self._app.chat.branch_costs.ask_at(() if columns is None else self._app.lanes.asked)
        self.composer.show_hint("" if columns is None else self._app.lanes.state.now.placeholder)
        self.composer_area.show_rail(columns is None)
        self._search_what_is_shown()
        if is_comparing and self.comparison is not None:
            self._pages.setCurrentWidget(self.comparison)
            return
        if columns is not None:
            self._pages.setCurrentWidget(columns)
            self.composer_area.set_centred(False)
            return
        is_empty = self._app.chat.chat_model.rowCount() == 0
        if is_empty and self.view.keyboard_row >= 0:
            self.composer.focus_text()
        self._pages.setCurrentWidget(self.welcome if is_empty else self.view)
        self.composer_area.set_centred(is_empty)

    def _ask(self, question: str) -> None:
        """Ask a question of the welcome page, whose buttons go; the keyboard goes on in the message field."""
        self.composer.focus_text()
        self._app.chat.requests.send(question)

    def _send(self, text: str) -> None:
        """Send the words and show the end: who says something wants to see it answered."""
        is_said = bool(text.strip())
        if is_said and self._columns is not None and not self._app.chat.state.now.is_editing:
            self._app.lanes.send(text)
            return
        if is_said:
            self.view.go_to_end()
        self._app.chat.requests.send(text)

    def _go_on_from(self, text: str) -> None:
        """Have the text of an answer go on, and show the end."""
        self.view.go_to_end()
        self._app.chat.requests.go_on_from(text)

    def _warn_of_paste(self, sentence: str) -> None:
        self._app.notices.error(Problem("Too long to paste", sentence))

    def _attach_pasted(self, text: str) -> None:
        if self._app.chat.attachments.edits_answer:
            self.composer.edit.put_in(text)
        elif self._app.chat.attachments.attach_text(text):
            self.composer.edit.note_folded(text)

    def _open_attachment(self, number: int) -> None:
        attachment = self._app.chat.attachments.of(number)
        if attachment is not None:
            show_attachment(self._style, attachment, self.window())

    def mention(self, text: str) -> None:
        """Say for a moment, under the chat, what was done without a trace."""
        self.status_line.mention(text)
        self._app.notices.announce(text)

    def copy(self, *, as_markdown: bool = False) -> bool:
        """Copy from what stands here, messages, answers or two branches. False where there is nothing to copy."""
        if self.lanes is not None and self.lanes.isVisible():
            view = self.lanes.view_with_keyboard
            return view is not None and view.copy(as_markdown=as_markdown)
        if self.comparison is None or not self.comparison.isVisible():
            return self.view.copy(as_markdown=as_markdown)
        return self.comparison.list.hasFocus() and self.comparison.list.copy(as_markdown=as_markdown)

    def find_next(self, step: int) -> None:
        """Go to the next place that was found or, with -1, the one before; of two branches, to what differs."""
        if self.comparison is not None and self.comparison.isVisible():
            if not self.comparison.list.step_difference(step):
                self._app.notices.refuse("Nothing else differs.")
        else:
            self._app.find.go(step)

    def _show_message(self, message_id: str) -> None:
        """Bring a message into sight, in the room that the composer's new text leaves.

        Where it stands above answers that are beside each other, these make way.
        """
        if not any(one.chat_model.row_of(message_id) >= 0 for one in self._app.lanes.rows):
            self._app.lanes.close()
            self._app.lanes.state.catch_up()
        layout = self.layout()
        if layout is not None:
            layout.activate()
        self.view.show_message(message_id)

    def open_find(self) -> None:
        """Open the bar in which words of the branch are looked for, or of all columns, with the keyboard in it."""
        self._app.find.open()
        self.find_bar.field.take_focus()

    def _look_for(self, text: str) -> None:
        self._app.find.look_for(text, (self._columns or self.view).first_row)

    def _search_what_is_shown(self) -> None:
        columns = [] if self._columns is None else [one.chat_model for one in self._app.lanes.rows]
        self._app.find.search_in(columns or [self._app.chat.chat_model])

    def _show_find_bar(self) -> None:
        """Show the bar or put it away."""
        self.find_bar.setVisible(self._app.find.is_open)

    def _close_find(self) -> None:
        """Go on in the chat, at the message one has come to."""
        had_keyboard = self.find_bar.isAncestorOf(QApplication.focusWidget() or self)
        self._app.find.close()
        if had_keyboard and self._columns is not None:
            self._columns.focus_marked()
        elif had_keyboard:
            (self.composer if self.is_welcome_shown else self.view).setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _show_mark(self, message_id: str, mark: TextMark) -> None:
        """Bring a place that was found into sight, in the room that the bars leave."""
        self._choose_page()
        layout = self.layout()
        if layout is not None:
            layout.activate()
        if self._columns is not None:
            self._columns.show_mark(message_id, mark)
        else:
            self.view.show_mark(message_id, mark)

    def _show_anchor(self, message_id: str, offset: float) -> None:
        """Scroll to where the conversation was left, in the chat's own size."""
        self._choose_page()
        layout = self.layout()
        if layout is not None:
            layout.activate()
        self.view.show_anchor(message_id, offset)

    def _remember_scroll_soon(self) -> None:
        """Have it remembered also where the program is killed and nobody leaves the conversation."""
        if not self._scroll_timer.isActive():
            self._scroll_timer.start()

    def _remember_scroll(self) -> None:
        self._app.chat.remember_scroll(*self.view.anchor())

    def _escape(self) -> None:
        if self._is_comparing:
            self._app.comparison.close()
        elif self._app.tokens.state.now.is_open:
            self._app.tokens.close()
        elif self._app.chat.state.now.is_editing:
            self._app.chat.open_draft.cancel_edit()
            self._app.catch_up()
        elif self._way_out:
            self._app.act(self._way_out)
        elif self._app.find.is_open:
            self._close_find()
        elif "stop" in enabled(self._app.state.now):
            self._app.act("stop")
        elif self._app.lanes.state.now.is_open:
            self._app.lanes.close()
        else:
            self.escaped.emit()

    def event(self, event: QEvent) -> bool:
        """Keep Escape from the menus where something stands open here that it ends before any answer."""
        return claim_key(event, Qt.Key.Key_Escape, when=self._has_nearer) or super().event(event)

    def _has_nearer(self) -> bool:
        is_editing, is_finding = self._app.chat.state.now.is_editing, self._app.find.is_open
        return self._app.tokens.state.now.is_open or is_editing or bool(self._way_out) or is_finding

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Letters that nothing here has a use for are typed into the composer; Escape works from everywhere."""
        if event.key() == Qt.Key.Key_Escape:
            self._escape()
        elif not self.take_letter(event):
            super().keyPressEvent(event)

    def take_letter(self, event: QKeyEvent) -> bool:
        """Type a letter into the composer, wherever the keyboard is. False for other keys, and where it cannot be."""
        if not is_letter(event) or not (self.composer.isVisible() or self._is_dismissable):
            return False
        if self._is_dismissable:
            self._app.act("dismiss")
        self.composer.edit.setFocus()
        self.composer.edit.insertPlainText(event.text())
        return True

    def _ask_about_link(self, address: str) -> None:
        ask_and_open(address, self.window())

    def resizeEvent(self, event: QResizeEvent) -> None:
        self.composer_area.set_pane_height(self.height())
        if self.lanes is not None:
            self._choose_page()
