"""Folders, in which conversations are filed."""

from __future__ import annotations

from app.conversation.database import Database
from app.conversation.edit import Edit, Operation
from app.conversation.message import checked_id, checked_title
from app.conversation.records import Folder


class FolderStore:
    """Folders in the order in which they were made. Every edit here can be undone."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def all(self) -> tuple[Folder, ...]:
        """Return the folders that are not in the trash, in their order."""
        query = "SELECT id, name FROM folder WHERE trash IS NULL ORDER BY position, number"
        return tuple(Folder(*row) for row in self._db.rows(query))

    def create(self, folder: Folder) -> Edit:
        """Add a folder after the others."""
        query = """INSERT INTO folder (id, name, position)
            VALUES (?, ?, (SELECT ifnull(max(position), -1) + 1 FROM folder WHERE trash IS NULL))"""
        with self._db.editing(Operation.FOLDER) as done:
            self._db.execute(query, checked_id(folder.id), checked_title(folder.name))
        return done.edit

    def rename(self, folder_id: str, name: str) -> Edit:
        """Give a folder another name. ValueError for an empty one."""
        with self._db.editing(Operation.RENAME) as done:
            number = self._db.folder_number(folder_id)
            self._db.execute("UPDATE folder SET name = ? WHERE number = ?", checked_title(name), number)
        return done.edit
