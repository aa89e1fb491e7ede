"""The page of the settings about what the program keeps on the disk, and how it is deleted."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from PySide6.QtCore import QObject, QTimer

from app.conversation.kept_copies import kept_copies
from app.viewmodels.cache import disk_text
from app.viewmodels.cache.cache_region import CacheRegion
from app.viewmodels.hub.download import Download, Stage
from app.viewmodels.hub.hub_region import HubRegion
from app.viewmodels.kit.folders import Folders
from app.viewmodels.kit.settings import ServerState, Settings, SettingsValues
from app.viewmodels.library.library_region import LibraryRegion
from app.viewmodels.library.trash_list import EMPTY_TITLE
from app.viewmodels.preferences.disk_usage import DiskUsage, PathsOf, delete_logs
from app.viewmodels.preferences.rows import Buttons, Group, Handlers, Question, Row, RowButton
from app.viewmodels.servers.server_rows import where_of
from app.viewmodels.text import formatting

OFFLINE = (
    "Espalier is offline. It asks the network for something only when you search a hub for models or download one, and "
    "sends no word of yours anywhere, nor how you use it."
)
WITH_SERVERS = (
    "Espalier asks the network for something only when you search a hub for models or download one, and when you look "
    "at a server that you added or use a model of it. What you write to such a model goes to its server, with the "
    "conversation before it, and nowhere else. What you delete here may stay in the memory of that server until it "
    "needs the room or ends. How you use Espalier is told to nobody."
)
API_IS_ON = (
    "The local API is on: programs of this computer that have its token ask the open model. Of your conversations they "
    "are told nothing."
)
_AGAIN_MS = 700  # until what was deleted is gone
_CONVERSATIONS = (
    "They go into the trash, where they stay for 30 days, and Undo brings all of them back. Empty the trash to be rid "
    "of them for ever."
)
_COPIES = (
    "They were kept when the file of the conversations was damaged, or brought up to date. The conversations "
    "themselves stay as they are."
)
_DOWNLOADS = "What has arrived of models that are not complete is deleted. Complete models stay."
_LOGS = "What went wrong in earlier runs can then not be looked up any more. No word of a conversation stands there."


class PrivacyPage(QObject):
    """Places on the disk, with their sizes; each can be emptied after a question. Attribute: usage."""

    id = "privacy"
    title = "Privacy"

    def __init__(
        self,
        settings: Settings,
        folders: Folders,
        library: LibraryRegion,
        cache: CacheRegion,
        hub: HubRegion,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._settings, self._folders = settings, folders
        self._library, self._cache, self._hub = library, cache, hub
        self.usage = DiskUsage(self)
        self._timer = QTimer(self, singleShot=True, interval=_AGAIN_MS)
        self._timer.timeout.connect(self.show)

    @property
    def groups(self) -> tuple[Group, ...]:
        """Return what the page shows now."""
        words = self._conversations(), self._trash(), *self._copies()
        values = self._settings.values
        state = *self._snapshots(), self._downloads(), *map(_server, values.servers), *self._logs()
        return Group("Your Words", words), Group("What the Program Keeps", state, network_note(values))

    @property
    def handlers(self) -> Handlers:
        """Return what its rows do."""
        library = self._library
        deletions: dict[str, Callable[[], object]] = {
            "delete_conversations": library.edits.delete_all,
            "empty_trash": library.trash_list.empty,
            "delete_copies": library.trash_list.drop_copies,
            "delete_snapshots": self._cache.delete_files,
            "delete_downloads": self._delete_downloads,
            "delete_logs": self._delete_logs,
        }
        return {name: self._then_again(delete) for name, delete in deletions.items()}

    def show(self) -> None:
        """Measure everything, without waiting for it."""
        self._library.trash_list.read()
        self.usage.measure(self._places)

    @property
    def _places(self) -> dict[str, PathsOf]:
        database, logs, snapshots = self._folders.database, self._folders.logs, self._cache.disk_cache.folder
        places: dict[str, PathsOf] = {}
        if database:
            places["conversations"] = lambda: [Path(f"{database}{ending}") for ending in ("", "-wal", "-shm")]
            places["copies"] = lambda: kept_copies(Path(database))
        if snapshots:
            places["snapshots"] = lambda: [Path(snapshots)]
        if logs:
            places["logs"] = lambda: [Path(logs)]
        return places

    def _then_again(self, delete: Callable[[], object]) -> Callable[[str, str], object]:
        """Return what deletes and, when that is done, measures again."""

        def act(_id: str, _value: str) -> None:
            delete()
            self._timer.start()

        return act

    def _conversations(self) -> Row:
        count = sum(1 for one in self._library.library.conversations if self._library.library.is_stored(one.id))
        what = formatting.plural(count, "conversation")
        question, can_delete = Question(f"Delete {what}?", _CONVERSATIONS, "Delete"), count > 0 and not self._refusal
        return Buttons(
            id="conversations",
            title=what,
            detail=self._refusal or self._told("conversations", self._folders.database),
            buttons=(_button("delete_conversations", "Delete…", "Delete all conversations", question, can_delete),),
        )

    def _trash(self) -> Row:
        trash = self._library.trash_list
        count = len(trash.rows.rows)
        question = Question(EMPTY_TITLE, trash.empty_sentence, "Empty Trash")
        can_empty = count > 0 and not self._refusal
        return Buttons(
            id="trash",
            title=f"Trash: {formatting.plural(count, 'entry', 'entries')}" if count else "Trash: empty",
            detail=self._refusal or "In the same file as the conversations. What lies there goes after 30 days.",
            buttons=(_button("empty_trash", "Empty…", "Empty the trash", question, can_empty),),
        )

    @property
    def _refusal(self) -> str:
        """Say why no word can be deleted; nothing where it can."""
        return self._library.state.now.refusal

    def _copies(self) -> Iterable[Row]:
        usage = self.usage.usages.get("copies")
        if usage is None or not usage.files:
            return ()
        question = Question("Delete the copies of the conversations?", _COPIES, "Delete")
        button = _button("delete_copies", "Delete…", "Delete the copies of the conversations", question)
        detail = f"{self._told('copies', str(Path(self._folders.database).parent))}. They go after 30 days."
        return (Buttons(id="copies", title="Copies of the conversations", detail=detail, buttons=(button,)),)

    def _snapshots(self) -> Iterable[Row]:
        folder = self._cache.disk_cache.folder
        if not folder:
            return ()
        question = Question(disk_text.DELETE_TITLE, disk_text.deletion(self._cache.view, folder), "Delete")
        button = _button("delete_snapshots", "Delete…", "Delete cached state", question)
        title = "Cached state: the tokens of your prompts"
        return (Buttons(id="snapshots", title=title, detail=self._told("snapshots", folder), buttons=(button,)),)

    def _downloads(self) -> Row:
        waiting = self._unfinished
        size = formatting.size(sum(one.done for one in waiting)) if waiting else ""
        question = Question("Give up these downloads?", _DOWNLOADS, "Give Up")
        count = formatting.plural(len(waiting), "download")
        return Buttons(
            id="downloads",
            title=f"Unfinished downloads: {count}" if waiting else "Unfinished downloads: none",
            detail=f"{size} have arrived." if waiting else "Complete models are listed under File > Models.",
            buttons=(_button("delete_downloads", "Give Up…", "Give downloads up", question, bool(waiting)),),
        )

    def _logs(self) -> Iterable[Row]:
        if not self._folders.logs:
            return ()
        question = Question("Delete the log and the crash reports?", _LOGS, "Delete")
        button = _button("delete_logs", "Delete…", "Delete the log", question)
        detail = self._told("logs", self._folders.logs)
        return (Buttons(id="logs", title="Log and crash reports", detail=detail, buttons=(button,)),)

    def _told(self, name: str, place: str) -> str:
        usage = self.usage.usages.get(name)
        return f"{formatting.size(usage.bytes)} in {place}" if usage is not None else place

    @property
    def _unfinished(self) -> list[Download]:
        return [one for one in self._hub.downloads.list if one.stage is not Stage.READY]

    def _delete_downloads(self) -> None:
        for one in self._unfinished:
            self._hub.downloads.cancel(one.key)

    def _delete_logs(self) -> None:
        folder = Path(self._folders.logs)
        self.usage.measure(self._places, first=lambda: delete_logs(folder))


def network_note(values: SettingsValues) -> str:
    """Say what goes to the network, and to other programs, with these settings."""
    note = WITH_SERVERS if values.servers else OFFLINE
    return f"{note} {API_IS_ON}" if values.is_api_on else note


def _server(server: ServerState) -> Row:
    """Return what is kept of a server."""
    key = "its key, if it has one, lies in the system’s keychain, or without one in a file that only you can read"
    detail = f"{where_of(server)}. The settings hold its address; {key}."
    return Buttons(id=f"server:{server.id}", title=f"Server: {server.name}", detail=detail, buttons=())


def _button(button_id: str, title: str, spoken: str, question: Question, is_enabled: bool = True) -> RowButton:
    return RowButton(id=button_id, title=title, spoken=spoken, is_enabled=is_enabled, question=question)
