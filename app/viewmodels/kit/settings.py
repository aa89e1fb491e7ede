"""What a person chose, from one start to the next: a small file that is written whole and never half."""

from __future__ import annotations

import json
import logging
import os
import time
import weakref
from collections.abc import Mapping
from dataclasses import asdict, field, fields, replace
from pathlib import Path
from typing import Any, TypedDict, Unpack

from PySide6.QtCore import QObject, Signal

from app.protocol.commands import CONTEXT_LIMIT
from app.protocol.dataclass import dataclass
from app.protocol.deadline import DeadlineCaller
from app.protocol.plain_files import UnfitFileError, read_plain, write_whole
from app.protocol.references import LONGEST_NAME, ServerModel, server_model
from app.protocol.servers import Server

logger = logging.getLogger(__name__)

DEFAULT_BUDGET = "default"
GUIDE = "guide"
"""What stands for the folder of the built-in model, which lies elsewhere in each version."""

MOST_MODELS = 1000  # of a server
PATIENCE = 1.0  # seconds that the window waits for the disk
LARGEST = 1_000_000  # bytes of the file
_LONGEST_TEXT, MOST_ENTRIES, _LARGEST_NUMBER = 10_000, 100, 100_000
_LATEST = 1 << 40  # seconds since the epoch
_MOST_BITS = 32
API_PORTS = (1024, 65535)  # those below need more rights than the program has
_RANGES = {"body_size": (6, 72), "number": (1, 1000), "api_port": API_PORTS}  # points; windows


@dataclass(frozen=True, slots=True)
class WindowState:
    """A window as a person left it, to be found again the next time.

    number: which window it is, from 1. geometry: from QWidget.saveGeometry, base64, "" for the first time. splitter:
    widths of sidebar, chat and inspector in points, empty for the default. pane: id of the inspector's pane in sight,
    "" for the first. panes: how each was left, numbers and booleans by name.
    """

    number: int = 1
    geometry: str = ""
    splitter: tuple[int, ...] = ()
    is_sidebar_shown: bool = True
    is_inspector_shown: bool = True
    pane: str = ""
    panes: Mapping[str, Mapping[str, int]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ServerState:
    """A server that a person has added, and what it was when it was asked last.

    id, name, url, certificate, others, tokenizer, other_certificates: as of `protocol.servers.Server`. kind: what it
    is, as its people call that. models: how many tokens each reads at most, 0 where that is not known, by the server's
    name for it.
    """

    id: str = ""
    name: str = ""
    url: str = ""
    kind: str = ""
    models: Mapping[str, int] = field(default_factory=dict)
    certificate: str = ""
    others: tuple[str, ...] = ()
    tokenizer: str = ""
    other_certificates: tuple[str, ...] = ()

    @property
    def server(self) -> Server:
        """Return it as an engine is told of it."""
        own = self.id, self.name, self.url, self.certificate, self.others, self.tokenizer
        return Server(*own, self.other_certificates)


@dataclass(frozen=True, slots=True)
class SettingsValues:
    """Choices of a person, as one value.

    model: folder of the model to start with, "" for the guide. recent_models: folders, the last one first.
    suspect: folder of a model that was being opened, or in use, when the engine or the program died; "" for none.
    model_folders: looked through for models beside those of other programs. models_used: when each model was opened
    last, in seconds since the epoch, by what it was opened by. kv_bits: of the models whose KV cache is kept in fewer
    bits, by the same. adapters: folder of the adapter that is added to each, by the same. context_limits: how many
    tokens each reads at most, of those that read fewer than they could, by the same.
    preset: name of the settings of sampling that were chosen last, "" for the model's own. servers: those that were
    added, the last one last; their keys lie elsewhere.

    budget, disk_budget: how much memory and how much of the disk the cache may take, by the id of a `Budget`.
    keeps_every_fork: every state that can be gone back to is written to the disk.
    keeps_alternatives: what else could have stood at each of its tokens is kept with an answer.

    hub: address of the hub that models are had from, "" for the usual one. hub_tokens: hosts of the hubs for which the
    system's keychain keeps an access token.

    start_with: "last" or "new", the conversation that is open after a start. start_model: what it is answered by, ""
    for the model that was used last, `GUIDE`, or the folder of another one. start_preset: the preset of new
    conversations, "" for the one that was chosen last. asks_to_quit: a question comes before an answer is ended by
    quitting.

    is_api_on: other programs of this computer are answered. api_port: where they ask.

    date_language: what days are written in, "system" or the name of a locale.

    appearance: "system", "light" or "dark". body_size: text size of a message in points; every other role scales with
    it. code_font: a family of fixed pitch, "" for the system's.
    cache_folder: where cached state is written, "" for the usual place. keys: the shortcut of each command that has
    another one than in the table, "" for none. folded, unfolded: ids of rows of the sidebar.
    outline_closed: ids of the branches below which the outline lists nothing; outline_tops: of those that it lists
    alone, each in its conversation. settings_page: id of the page of the settings that was in sight.
    windows: those that are open, or were at the end, the one in front first; none for a first start.
    """

    model: str = ""
    recent_models: tuple[str, ...] = ()
    suspect: str = ""
    model_folders: tuple[str, ...] = ()
    models_used: Mapping[str, int] = field(default_factory=dict)
    kv_bits: Mapping[str, int] = field(default_factory=dict)
    adapters: Mapping[str, str] = field(default_factory=dict)
    context_limits: Mapping[str, int] = field(default_factory=dict)
    preset: str = ""
    servers: tuple[ServerState, ...] = ()
    budget: str = DEFAULT_BUDGET
    disk_budget: str = DEFAULT_BUDGET
    keeps_every_fork: bool = False
    keeps_alternatives: bool = True
    hub: str = ""
    hub_tokens: tuple[str, ...] = ()
    start_with: str = "last"
    start_model: str = ""
    start_preset: str = ""
    asks_to_quit: bool = False
    is_api_on: bool = False
    api_port: int = 11888
    date_language: str = "system"
    appearance: str = "system"
    body_size: int = 14
    code_font: str = ""
    cache_folder: str = ""
    keys: Mapping[str, str] = field(default_factory=dict)
    folded: tuple[str, ...] = ()
    unfolded: tuple[str, ...] = ()
    outline_closed: tuple[str, ...] = ()
    outline_tops: tuple[str, ...] = ()
    settings_page: str = ""
    windows: tuple[WindowState, ...] = ()


class SettingsChanges(TypedDict, total=False):
    """The fields of `SettingsValues`, any of which `Settings.update` takes by name."""

    model: str
    recent_models: tuple[str, ...]
    suspect: str
    model_folders: tuple[str, ...]
    models_used: Mapping[str, int]
    kv_bits: Mapping[str, int]
    adapters: Mapping[str, str]
    context_limits: Mapping[str, int]
    preset: str
    servers: tuple[ServerState, ...]
    budget: str
    disk_budget: str
    keeps_every_fork: bool
    keeps_alternatives: bool
    hub: str
    hub_tokens: tuple[str, ...]
    start_with: str
    start_model: str
    start_preset: str
    asks_to_quit: bool
    is_api_on: bool
    api_port: int
    date_language: str
    appearance: str
    body_size: int
    code_font: str
    cache_folder: str
    keys: Mapping[str, str]
    folded: tuple[str, ...]
    unfolded: tuple[str, ...]
    outline_closed: tuple[str, ...]
    outline_tops: tuple[str, ...]
    settings_page: str
    windows: tuple[WindowState, ...]


class Settings(QObject):
    """Settings and the file they live in: views bind to `changed`, and so does whoever tells the engine.

    A file that cannot be read is kept beside, with the time in its name, and the defaults hold. A file that cannot be
    written costs the choice, never the program. A folder that is moved while the program runs is followed.

    Signal: changed(object), the `SettingsValues` that hold from now on.
    """

    changed = Signal(object)

    def __init__(self, path: Path, parent: QObject | None = None) -> None:
        """Read the settings at `path`. Nothing is written before something is changed."""
        super().__init__(parent)
        self._folder = _opened(path.parent)
        self._name = str(path) if self._folder is None else path.name
        if self._folder is not None:
            weakref.finalize(self, os.close, self._folder)
        self._disk = DeadlineCaller("settings", PATIENCE)
        self._is_saved = True
        self._values = self._read()

    @property
    def values(self) -> SettingsValues:
        """Return all settings as they are at present."""
        return self._values

    def update(self, **changes: Unpack[SettingsChanges]) -> None:
        """Change some settings, save them, and tell who listens.

        Raises TypeError for a name that is no setting, ValueError for a value that could not be read back.
        """
        values = replace(self._values, **changes)
        if settings_from(json.loads(json.dumps(asdict(values)))) != values:
            raise ValueError(f"not to be read back: {values}")
        if values == self._values and self._is_saved:
            return
        has_changed = values != self._values
        self._values = values
        self._save()
        if has_changed:
            self.changed.emit(values)

    def is_on(self, name: str) -> bool:
        """Return the setting of this name. Raises KeyError where it is not a boolean one."""
        return _boolean(self._values, name)

    def toggle(self, name: str) -> None:
        """Turn a setting on or off. Raises KeyError where it is not a boolean one."""
        changes = {name: not _boolean(self._values, name)}
        self.update(**changes)  # type: ignore[arg-type] # the name was checked

    def _read(self) -> SettingsValues:
        try:
            return settings_from(json.loads(read_plain(self._name, LARGEST, self._folder)))
        except FileNotFoundError:
            return SettingsValues()
        except (UnfitFileError, ValueError, RecursionError) as error:
            logger.warning("settings not understood: %s", error)
            self._put_aside()
        except OSError as error:
            logger.warning("settings not read: %s", error)
        return SettingsValues()

    def _put_aside(self) -> None:
        beside = f"settings.broken-{time.strftime('%Y%m%d-%H%M%S')}.json"
        try:
            os.replace(self._name, beside, src_dir_fd=self._folder, dst_dir_fd=self._folder)
        except OSError as error:
            logger.warning("broken settings not kept: %s", error)

    def _save(self) -> None:
        """Write what holds. A disk that hangs is waited for only so long."""
        text = json.dumps(asdict(self._values), indent=2) + "\n"
        try:
            self._disk.call(lambda: write_whole(self._name, text, self._folder))
            self._is_saved = True
        except OSError as error:
            self._is_saved = False
            logger.warning("settings not saved: %s", error)


def _boolean(values: SettingsValues, name: str) -> bool:
    found = getattr(values, name, None)
    if not isinstance(found, bool):
        raise KeyError(name)
    return found


def _opened(folder: Path) -> int | None:
    """Return a descriptor of the folder: what is saved goes there, also when it is moved meanwhile."""
    try:
        return os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        logger.warning("the folder of the settings cannot be opened: %s", error)
        return None


def settings_from(found: Any) -> SettingsValues:
    """Return the values that JSON held, defaults for what is missing. Raises ValueError for a value of a wrong kind."""
    values = _known(SettingsValues, _upgraded(found))
    values["windows"] = tuple(_window_from(one) for one in values.get("windows", ()))
    if len({one.number for one in values["windows"]}) < len(values["windows"]):
        raise ValueError("two windows have the same number")
    values["servers"] = tuple(_server_from(one) for one in values.get("servers", ()))
    if len({one.id for one in values["servers"]}) < len(values["servers"]):
        raise ValueError("two servers have the same id")
    lists = "recent_models", "model_folders", "hub_tokens", "folded", "unfolded", "outline_closed", "outline_tops"
    for name in lists:
        values[name] = _all(str, values.get(name, ()))
    _require_times(values.get("models_used", {}))
    _require_bits(values.get("kv_bits", {}))
    _require_texts("adapters", values.get("adapters", {}))
    _require_limits(values.get("context_limits", {}))
    _require_texts("keys", values.get("keys", {}))
    return SettingsValues(**values)


def _upgraded(found: Any) -> Any:
    """Return what a version with one window wrote as this one writes it; the size of the text was the window's then."""
    window = found.get("window") if isinstance(found, dict) else None
    if not isinstance(window, dict) or "windows" in found:
        return found
    text = {"body_size": window["body_size"]} if "body_size" in window else {}
    return {**text, **found, "windows": [{**window, "number": 1}]}


def _window_from(found: Any) -> WindowState:
    values = _known(WindowState, found)
    values["splitter"] = _all(int, values.get("splitter", ()))
    _require_states(values.get("panes", {}))
    return WindowState(**values)


def _server_from(found: Any) -> ServerState:
    values = _known(ServerState, found)
    _require_contexts(values.get("models", {}))
    for name in ("others", "other_certificates"):
        values[name] = _all(str, values.get(name, ()))
    server = ServerState(**values)
    if server_model(ServerModel(server.id, "any").reference) is None or not server.url:
        raise ValueError(f"a server is written as {found!r:.100}")
    return server


def _known(kind: type[SettingsValues | WindowState | ServerState], found: Any) -> dict[str, Any]:
    """Return the entries that this version knows, of the kinds that their defaults have."""
    if not isinstance(found, dict):
        raise ValueError(f"{kind.__name__} is written as {type(found).__name__}")
    default = asdict(kind())
    values = {one.name: found[one.name] for one in fields(kind) if one.name in found}
    for name, value in values.items():
        wanted = list if isinstance(default[name], tuple) else type(default[name])
        if type(value) is not wanted:
            raise ValueError(f"{name} is written as {type(value).__name__}")
        _require_sense(name, value)
    return values


def _require_sense(name: str, value: Any) -> None:
    """Raises ValueError for numbers that no window has, and for text that can be neither a name nor written again."""
    lowest, highest = _RANGES.get(name, (0, _LARGEST_NUMBER))
    if isinstance(value, int) and not lowest <= value <= highest:
        raise ValueError(f"{name} is {value}")
    is_text = isinstance(value, str)
    if is_text and ("\0" in value or len(value) > _LONGEST_TEXT or not _is_whole(value)):
        raise ValueError(f"{name} is no text that can be used")
    if is_text and name == "geometry" and not value.isascii():
        raise ValueError("the geometry is no base64")
    if isinstance(value, list):
        for one in value[: MOST_ENTRIES + 1]:
            _require_sense("", one)
        if len(value) > MOST_ENTRIES:
            raise ValueError(f"{name} has {len(value)} entries")


def _require_states(panes: dict[str, Any]) -> None:
    """Raises ValueError for what is not the state of a few panes."""
    entries = [entry for state in panes.values() if isinstance(state, dict) for entry in state.items()]
    are_states = all(isinstance(state, dict) for state in panes.values())
    if not are_states or not all(isinstance(value, int) for _name, value in entries):
        raise ValueError(f"panes are written as {panes!r:.100}")
    _require_sense("panes", [*panes, *(name for name, _value in entries), *(value for _name, value in entries)])


def _require_contexts(models: dict[str, Any]) -> None:
    """Raises ValueError for what is not a count of tokens for each of some names."""
    if len(models) > MOST_MODELS or not all(_is_whole(name) and len(name) <= LONGEST_NAME for name in models):
        raise ValueError(f"a server has {len(models)} models")
    if not all(type(count) is int and 0 <= count <= CONTEXT_LIMIT.most for count in models.values()):
        raise ValueError("a model of a server reads no count of tokens")


def _require_times(times: dict[str, Any]) -> None:
    """Raises ValueError for what is not a time for each of a few names."""
    _require_sense("models_used", [*times])
    if not all(type(value) is int and 0 <= value <= _LATEST for value in times.values()):
        raise ValueError(f"times are written as {times!r:.100}")


def _require_bits(bits: dict[str, Any]) -> None:
    """Raises ValueError for what is not a number of bits for each of a few names."""
    _require_sense("kv_bits", [*bits])
    if not all(type(value) is int and 1 <= value <= _MOST_BITS for value in bits.values()):
        raise ValueError(f"bits are written as {bits!r:.100}")


def _require_limits(limits: dict[str, Any]) -> None:
    """Raises ValueError for what is not a context limit for each of a few names."""
    _require_sense("context_limits", [*limits])
    if not all(value is not None and CONTEXT_LIMIT.allows(value) for value in limits.values()):
        raise ValueError(f"limits are written as {limits!r:.100}")


def _require_texts(kind: str, texts: dict[str, Any]) -> None:
    """Raises ValueError for what is not a text for each of a few names."""
    _require_sense(kind, [*texts])
    if not all(isinstance(value, str) for value in texts.values()):
        raise ValueError(f"{kind} are written as {texts!r:.100}")
    _require_sense(kind, [*texts.values()])


def _is_whole(text: str) -> bool:
    """Return whether the text can be written: half of a pair of surrogates cannot."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _all(kind: type, values: Any) -> tuple[Any, ...]:
    if any(type(value) is not kind for value in values):
        raise ValueError(f"not all of {values!r:.100} is {kind.__name__}")
    return tuple(values)
