"""The commands about what is stored that need a dialog, a menu or the sidebar."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject, QPoint, SignalInstance
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QWidget

from app.viewmodels.app import App
from app.viewmodels.library.deletion import Deletion
from app.viewmodels.library.form import Form
from app.viewmodels.library.rows import ConversationRow
from app.viewmodels.text import formatting
from app.widgets.kit.dialogs import ask_to_delete
from app.widgets.kit.refused import refuse
from app.widgets.kit.style import Style
from app.widgets.sidebar.conversation_menu import fill_folders, row_menu, several_menu
from app.widgets.sidebar.sidebar import Sidebar
from app.widgets.sidebar.trash_box import show_trash
from app.widgets.window.file_dialogs import ask_where, ask_where_all, ask_which
from app.widgets.window.sides import Sides


class LibraryCommands(QObject):
    """Searching, renaming, files and the trash, for one window."""

    def __init__(self, style: Style, app: App, sidebar: Sidebar, sides: Sides, window: QWidget) -> None:
        super().__init__(window)
        self._app = app
        library = app.library
        self._style = style
        self._library = library
        self._sidebar = sidebar
        self._sides = sides
        self._window = window
        self._folders: QMenu | None = None
        sidebar.list.may_edit = library.edits.may_edit
        sidebar.list.is_elsewhere = lambda one: one in library.stored.open_elsewhere(library)
        sidebar.list.menuAsked.connect(self._show_menu)
        sidebar.list.deleteAsked.connect(library.delete_row)
        sidebar.list.foldAsked.connect(library.fold)
        sidebar.list.filed.connect(self._file)
        sidebar.list.severalDeleteAsked.connect(self._delete_several)
        library.folderMade.connect(self.rename)
        library.edits.deletionAsked.connect(self._ask_to_delete)

    @property
    def runs(self) -> dict[str, Callable[[], object]]:
        """Commands that the window carries out among conversations and files, by their ids."""
        library = self._library
        return {
            "find_everywhere": self._find,
            "rename": lambda: self.rename(library.open_id),
            "trash": lambda: show_trash(self._style, library.trash_list, self._window),
            "import": lambda: ask_which(library, self._window),
            "export_all": lambda: ask_where_all(library, self._window),
            "export": self._export_chosen,
            "delete_conversation": self._delete_chosen,
            "export_branch": lambda: self._export(Form.BRANCH),
            "export_tree": lambda: self._export(Form.TREE),
        }

    def fill_folders(self, menu: QMenu) -> None:
        """Offer the folders for the open conversation whenever this menu is shown."""

        def fill() -> None:
            several, library = self._sidebar.list.several, self._library
            fill_folders(menu, several or (library.open_id,), library)

        self._folders = menu
        menu.aboutToShow.connect(fill)
        self._library.state.changed.connect(self._follow)
        fill()

    def _follow(self) -> None:
        """Say of the folders, before they are shown, where none of them can be chosen."""
        if self._folders is not None:
            refuse(self._folders.menuAction(), self._library.state.now.refusal)

    def name_entries(self, export: QAction, delete: QAction, opening: SignalInstance) -> None:
        """Say in the menus how many conversations these two are about, or that a folder is what would be deleted.

        opening: tells that a menu is opened.
        """
        titles = export.text(), delete.text()

        def name() -> None:
            count = len(self._sidebar.list.several)
            several = formatting.plural(count, "Conversation")
            export.setText(f"Export {several}…" if count else titles[0])
            one = "Delete Folder" if self._folder else titles[1]
            delete.setText(f"Delete {several}" if count else one)

        self._sidebar.list.severalChanged.connect(name)
        opening.connect(name)

    def rename(self, row_id: str) -> None:
        """Let the person write into the row of a conversation or folder."""
        self._show_sidebar()
        self._sidebar.field.clear()
        self._sidebar.list.rename(row_id)

    def search(self, words: str) -> None:
        """Show where these words are in all conversations, with the keyboard in the field above."""
        self._find()
        self._sidebar.field.setText(words)

    def _find(self) -> None:
        self._show_sidebar()
        self._sidebar.field.take_focus()

    def _show_sidebar(self) -> None:
        if not self._sides.is_shown("sidebar"):
            self._sides.toggle("sidebar")

    def _show_menu(self, row: ConversationRow, at: QPoint) -> None:
        several = self._sidebar.list.several
        if row.id in several:
            several_menu(several, self._library, self._export_several, self._window).popup(at)
        else:
            export = partial(ask_where, self._library, row.id, Form.ESPALIER, self._window)
            row_menu(row, self._library, self.rename, self._app.open_in_new_window, export, self._window).popup(at)

    def _delete_chosen(self) -> None:
        """Delete the folder that the keyboard is on, else the conversations that are selected, else the open one."""
        edits = self._library.edits
        if self._folder:
            edits.delete_folder(self._folder)
            return
        edits.delete_conversations(self._sidebar.list.several or (self._library.open_id,))

    @property
    def _folder(self) -> str:
        """The folder that the keyboard is on in the sidebar, "" where it is elsewhere."""
        rows = self._sidebar.list
        is_alone = rows.hasFocus() and rows.row is not None and not rows.several
        return rows.row.id if is_alone and rows.row is not None and rows.row.is_folder else ""

    def _delete_several(self) -> None:
        self._library.edits.delete_conversations(self._sidebar.list.several)

    def _export_chosen(self) -> None:
        """Export the conversations that are selected as one archive, else the open one."""
        if self._sidebar.list.several:
            self._export_several()
        else:
            self._export(Form.ESPALIER)

    def _export_several(self) -> None:
        ask_where_all(self._library, self._window, self._sidebar.list.several)

    def _ask_to_delete(self, deletion: Deletion) -> None:
        """Say how much goes, before it does."""
        what = f"{deletion.sentence}. The trash keeps all of it for 30 days, and Undo brings it back."
        title = "Delete this message and what follows?" if deletion.message_id else "Delete all other branches?"
        ask_to_delete(title, what, "Delete", lambda: self._library.edits.delete(deletion), self._window)

    def _file(self, conversation_ids: tuple[str, ...], folder_id: str) -> None:
        """Put conversations that were dragged into a folder, or into none."""
        self._library.edits.move_all(conversation_ids, folder_id or None)

    def _export(self, form: Form) -> None:
        ask_where(self._library, self._library.open_id, form, self._window)
