"""What can be done with a conversation or a folder: the menu under the mouse, and the folders in the menu bar."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QWidget

from app.viewmodels.library.library_region import NEW_FOLDER, LibraryRegion
from app.viewmodels.library.rows import ConversationRow


def row_menu(row: ConversationRow, library: LibraryRegion, rename: Callable[[str], None], parent: QWidget) -> QMenu:
    """Return a menu for one row of the sidebar, which is deleted when it is closed."""
    menu = QMenu(parent)
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    edits = library.edits
    menu.addAction("Rename", lambda: rename(row.id)).setEnabled(row.can_change)
    if row.is_branch:
        title = "Remove from Favourites" if row.is_favourite else "Add to Favourites"
        menu.addAction(title, lambda: edits.mark_branch(row.id, not row.is_favourite))
        menu.addSeparator()
        menu.addAction("Delete Branch", lambda: library.delete_row(row))
        return menu
    if row.is_folder:
        menu.addSeparator()
        menu.addAction("Delete Folder", lambda: edits.delete_folder(row.id))
        return menu
    title = "Remove from Favourites" if row.is_favourite else "Add to Favourites"
    menu.addAction(title, lambda: edits.mark(row.id)).setEnabled(row.can_change)
    folders = menu.addMenu("Move to Folder")
    folders.setEnabled(row.can_change)
    fill_folders(folders, row.id, row.folder_id, library)
    menu.addSeparator()
    menu.addAction("Delete Conversation", lambda: edits.delete_conversation(row.id)).setEnabled(row.can_change)
    return menu


def fill_folders(menu: QMenu, conversation_id: str, folder_id: str, library: LibraryRegion) -> None:
    """Fill a menu with all folders, the conversation's own ticked, and a way to a new one."""
    menu.clear()
    _add(menu, "No Folder", not folder_id, lambda: library.edits.move(conversation_id, None))
    for folder in library.state.now.folders:
        _add(menu, folder.name, folder.id == folder_id, partial(library.edits.move, conversation_id, folder.id))
    menu.addSeparator()
    menu.addAction("New Folder", lambda: library.edits.create_folder(NEW_FOLDER, conversation_id))


def _add(menu: QMenu, title: str, is_ticked: bool, act: Callable[[], None]) -> None:
    action = menu.addAction(title.replace("&", "&&"))
    action.setMenuRole(QAction.MenuRole.NoRole)
    action.setCheckable(True)
    action.setChecked(is_ticked)
    action.triggered.connect(lambda: act())
