"""Where conversations lie, and what is marked in them."""

from __future__ import annotations

from app.conversation.edit import Edit, Operation
from app.conversation.message import checked_id, checked_title
from app.conversation.records import Folder
from app.conversation.trash import Trash


class FolderStore(Trash):
    """A store with folders, favourites, pins and names of branches. Everything here can be taken back."""

    def folders(self) -> tuple[Folder, ...]:
        """All folders that are not in the trash, in their order."""
        query = "SELECT id, name FROM folder WHERE trash IS NULL ORDER BY position, number"
        return tuple(Folder(*row) for row in self._rows(query))

    def create_folder(self, folder: Folder) -> Edit:
        """Add a folder after the others."""
        query = """INSERT INTO folder (id, name, position)
            VALUES (?, ?, (SELECT ifnull(max(position), -1) + 1 FROM folder WHERE trash IS NULL))"""
        with self._editing(Operation.FOLDER) as done:
            self._execute(query, checked_id(folder.id), checked_title(folder.name))
        return done.edit

    def rename_folder(self, folder_id: str, name: str) -> Edit:
        """Give a folder another name. ValueError for an empty one."""
        with self._editing(Operation.RENAME) as done:
            self._execute("UPDATE folder SET name = ? WHERE number = ?", checked_title(name), self._folder(folder_id))
        return done.edit

    def delete_folder(self, folder_id: str) -> Edit:
        """Put a folder into the trash; the conversations in it stay, in no folder."""
        with self._editing(Operation.DELETE) as done:
            self._hide({"folder": [self._folder(folder_id)]}, Operation.DELETE)
        return done.edit

    def move_conversation(self, conversation_id: str, folder_id: str | None) -> Edit:
        """Put a conversation into a folder, or into none."""
        with self._editing(Operation.MOVE) as done:
            folder = None if folder_id is None else self._folder(folder_id)
            self._mark("conversation", self._conversation(conversation_id), "folder", folder)
        return done.edit

    def mark_conversation(self, conversation_id: str, is_favourite: bool) -> Edit:
        """Make a conversation a favourite, or not."""
        with self._editing(Operation.FAVOURITE) as done:
            self._mark("conversation", self._conversation(conversation_id), "favourite", int(is_favourite))
        return done.edit

    def mark_message(self, message_id: str, is_favourite: bool) -> Edit:
        """Make the branch that comes to a message a favourite, or not."""
        with self._editing(Operation.FAVOURITE) as done:
            self._mark("message", self._message(message_id), "favourite", int(is_favourite))
        return done.edit

    def pin(self, message_id: str, is_pinned: bool) -> Edit:
        """Pin a message, or not."""
        with self._editing(Operation.PIN) as done:
            self._mark("message", self._message(message_id), "pinned", int(is_pinned))
        return done.edit

    def name_branch(self, message_id: str, name: str | None) -> Edit:
        """Give the branch that comes to a message a name, or take it away. ValueError for an empty one."""
        with self._editing(Operation.NAME) as done:
            checked = None if name is None else checked_title(name)
            self._mark("message", self._message(message_id), "name", checked)
        return done.edit

    def _mark(self, table: str, number: int, field: str, value: int | str | None) -> None:
        self._execute(f"UPDATE {table} SET {field} = ? WHERE number = ?", value, number)  # noqa: S608 (our own names)

    def _folder(self, folder_id: str) -> int:
        return self._number("SELECT number FROM folder WHERE id = ?", folder_id)
