"""Presets: settings of sampling that a person has given a name."""

from __future__ import annotations

import json

from app.conversation.database import Database
from app.conversation.message import checked_title
from app.conversation.records import Preset


class PresetStore:
    """The presets of all conversations, in the order in which they were made."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def all(self) -> tuple[Preset, ...]:
        """Return all presets."""
        rows = self._db.rows("SELECT name, sampling FROM preset ORDER BY number")
        return tuple(Preset(name, json.loads(sampling)) for name, sampling in rows)

    def save(self, preset: Preset) -> None:
        """Keep a preset, in place of one of this name. ValueError for an empty name."""
        query = """INSERT INTO preset (name, sampling) VALUES (?, ?)
            ON CONFLICT (name) DO UPDATE SET sampling = excluded.sampling"""
        sampling = json.dumps(dict(preset.sampling), ensure_ascii=False, allow_nan=False)
        with self._db.writing():
            self._db.execute(query, checked_title(preset.name), sampling)

    def rename(self, name: str, new_name: str) -> None:
        """Give a preset another name, in place of one that has it. Nothing happens where there is none."""
        with self._db.writing():
            if name != new_name and self._db.execute("SELECT 1 FROM preset WHERE name = ?", name).fetchone():
                self._db.execute("DELETE FROM preset WHERE name = ?", new_name)
                self._db.execute("UPDATE preset SET name = ? WHERE name = ?", checked_title(new_name), name)

    def delete(self, name: str) -> None:
        """Delete a preset, if there is one of this name."""
        with self._db.writing():
            self._db.execute("DELETE FROM preset WHERE name = ?", name)
