"""What can be done with a conversation or a folder: the menu under the mouse, and the folders in the menu bar."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QWidget

from app.viewmodels.library.library_region import NEW_FOLDER, LibraryRegion
from app.viewmodels.library.rows import ConversationRow
from app.viewmodels.text import formatting
from app.widgets.kit.refused import refuse


def row_menu(
    row: ConversationRow,
    library: LibraryRegion,
    rename: Callable[[str], None],
    open_in_new_window: Callable[[str], None],
    export: Callable[[], object],
    parent: QWidget,
) -> QMenu:
    """Return a menu for one row of the sidebar, which is deleted when it is closed. export: asks where it goes."""
    menu, edits = _menu(parent), library.edits

    def change(title: str, act: Callable[[], object]) -> None:
        entry = menu.addAction(title, act)
        entry.setEnabled(row.can_change)
        refuse(entry, library.state.now.refusal)

    change("Rename", lambda: rename(row.id))
    favourite = "Remove from Favourites" if row.is_favourite else "Add to Favourites"
    if row.is_branch:
        change(favourite, lambda: edits.mark_branch(row.id, not row.is_favourite))
        menu.addSeparator()
        change("Delete Branch", lambda: library.delete_row(row))
        return menu
    if row.is_folder:
        menu.addSeparator()
        change("Delete Folder", lambda: edits.delete_folder(row.id))
        return menu
    menu.addAction("Open in New Window", lambda: open_in_new_window(row.id)).setEnabled(row.can_change)
    menu.addSeparator()
    change(favourite, lambda: edits.mark(row.id))
    folders = menu.addMenu("Move to Folder")
    folders.setEnabled(row.can_change)
    fill_folders(folders, (row.id,), library)
    menu.addAction("Export…", export).setEnabled(row.can_change)
    menu.addSeparator()
    change("Delete Conversation", lambda: edits.delete_conversation(row.id))
    return menu


def several_menu(
    conversation_ids: tuple[str, ...], library: LibraryRegion, export: Callable[[], None], parent: QWidget
) -> QMenu:
    """Return a menu for several conversations, which is deleted when it is closed."""
    menu = _menu(parent)
    count = formatting.plural(len(conversation_ids), "Conversation")
    fill_folders(menu.addMenu(f"Move {count} to Folder"), conversation_ids, library)
    menu.addAction(f"Export {count}…", export)
    menu.addSeparator()
    delete = menu.addAction(f"Delete {count}", lambda: library.edits.delete_conversations(conversation_ids))
    refuse(delete, library.state.now.refusal)
    return menu


def _menu(parent: QWidget) -> QMenu:
    menu = QMenu(parent)
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    menu.setToolTipsVisible(True)
    return menu


def fill_folders(menu: QMenu, conversation_ids: tuple[str, ...], library: LibraryRegion) -> None:
    """Fill a menu with all folders, the one that these conversations lie in ticked, and a way to a new one.

    Where nothing can be changed, the menu itself says so.
    """
    menu.clear()
    refuse(menu.menuAction(), library.state.now.refusal)
    found = (library.library.conversation(one) for one in conversation_ids)
    homes = {one.folder_id for one in found if one is not None}
    edits = library.edits
    _add(menu, "No Folder", homes <= {None}, partial(edits.move_all, conversation_ids, None))
    for folder in library.state.now.folders:
        _add(menu, folder.name, homes == {folder.id}, partial(edits.move_all, conversation_ids, folder.id))
    menu.addSeparator()
    menu.addAction("New Folder", lambda: edits.create_folder(NEW_FOLDER, *conversation_ids))


def _add(menu: QMenu, title: str, is_ticked: bool, act: Callable[[], None]) -> None:
    action = menu.addAction(title.replace("&", "&&"))
    action.setMenuRole(QAction.MenuRole.NoRole)
    action.setCheckable(True)
    action.setChecked(is_ticked)
    action.triggered.connect(lambda: act())
