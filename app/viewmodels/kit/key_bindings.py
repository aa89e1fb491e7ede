"""The shortcuts of all commands: those of the table, and what a person has put in their place.

Properties: no key means two commands; a key that the system or a text field needs is taken by no command whose own key
it is not; whatever the settings hold, every command is there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from PySide6.QtCore import QKeyCombination, QObject, Qt, Signal
from PySide6.QtGui import QKeySequence

from app.viewmodels.kit.action import AnyAction
from app.viewmodels.kit.settings import Settings

# Qt's "Ctrl" is the Command key of a Mac, its "Meta" the Control key there.
_OF_THE_SYSTEM = {
    "Ctrl+H": "hides the program",
    "Ctrl+Alt+H": "hides all other programs",
    "Ctrl+M": "puts the window into the Dock",
    "Ctrl+Alt+M": "puts all windows into the Dock",
    "Ctrl+Q": "quits the program",
    "Ctrl+Shift+Q": "logs out",
    "Meta+Ctrl+Q": "locks the screen",
    "Ctrl+`": "goes to the next window",
    "Ctrl+Shift+`": "goes to the window before",
    "Meta+Ctrl+F": "fills the screen",
    "Ctrl+Tab": "goes to another program",
    "Ctrl+Shift+Tab": "goes to another program",
    "Ctrl+Space": "opens Spotlight",
    "Ctrl+Alt+Space": "opens a search of the Finder",
    "Meta+Space": "changes the keyboard",
    "Meta+Ctrl+Space": "shows the emoji",
    "Ctrl+Alt+Escape": "ends programs by force",
    "Ctrl+Alt+D": "shows or hides the Dock",
    "Ctrl+Shift+3": "takes a picture of the screen",
    "Ctrl+Shift+4": "takes a picture of the screen",
    "Ctrl+Shift+5": "takes a picture of the screen",
    "Ctrl+?": "opens the Help menu",
    "Ctrl+Shift+/": "opens the Help menu",
    **{f"Meta+{arrow}": "goes among the desktops" for arrow in ("Up", "Down", "Left", "Right")},
}
_OF_TEXT_FIELDS = (
    *("Ctrl+A", "Ctrl+C", "Ctrl+V", "Ctrl+X", "Ctrl+Z", "Ctrl+Shift+Z", "Ctrl+Backspace", "Ctrl+Delete"),
    *(
        f"{modifiers}+{key}"
        for modifiers in ("Ctrl", "Alt", "Ctrl+Shift", "Alt+Shift")
        for key in ("Up", "Down", "Left", "Right")
    ),
    *(f"Meta+{letter}" for letter in "ABDEFHKNOPTVY"),
)
_NO_KEYS = (Qt.Key(0), Qt.Key.Key_unknown, Qt.Key.Key_Control, Qt.Key.Key_Shift, Qt.Key.Key_Alt, Qt.Key.Key_Meta)
_COMMANDS = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.MetaModifier
_LONGEST = 40  # characters of a shortcut

_RESERVED = {QKeySequence(keys).toString(): f"The system {what} with it." for keys, what in _OF_THE_SYSTEM.items()}
_RESERVED |= {QKeySequence(keys).toString(): "Text fields need it." for keys in _OF_TEXT_FIELDS}


class KeyBindings(QObject):
    """Says which keys each command has, and changes them in the settings.

    Attribute: actions, the commands by id, each with the keys that it has now.

    Signal: changed(), some command has other keys.
    """

    changed = Signal()

    actions: Mapping[str, AnyAction]

    def __init__(self, table: Sequence[AnyAction], settings: Settings, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._table, self._settings = {one.id: one for one in table}, settings
        self.actions = _Bound(self)
        self._chosen = settings.values.keys
        self._bound = self._resolve()
        settings.changed.connect(self._follow)

    def action(self, action_id: str) -> AnyAction:
        """Return a command with the keys that it has now. Raises KeyError for an id that is in no table."""
        return self._bound[action_id]

    def ids(self) -> Iterator[str]:
        """Return the ids of all commands, in the order of the table."""
        return iter(self._table)

    def is_changed(self, action_id: str) -> bool:
        """Return whether a command has other keys than in the table. Raises KeyError for an id that is in none."""
        return self._bound[action_id].keys != self._table[action_id].keys

    def problem_of(self, action_id: str, keys: str) -> str:
        """Say why a command cannot have these keys, "" where it can. keys: portable, as Qt writes them."""
        wanted = normal_keys(keys)
        if wanted in self._own_keys(action_id):
            return self._taken(action_id, wanted)
        return _unfit(wanted) or self._taken(action_id, wanted)

    def assign(self, action_id: str, keys: str) -> str:
        """Give a command these keys in place of all that it had, "" for none. Returns why not, "" where it was done."""
        if keys:
            problem = self.problem_of(action_id, keys)
            if problem:
                return problem
        self._choose({**self._settings.values.keys, action_id: normal_keys(keys)})
        return ""

    def reset(self, action_id: str) -> str:
        """Give a command the keys of the table again. Returns why not, "" where it was done."""
        for keys in self._own_keys(action_id):
            taken = self._taken(action_id, keys)
            if taken:
                return taken
        self._choose({one: keys for one, keys in self._settings.values.keys.items() if one != action_id})
        return ""

    def reset_all(self) -> None:
        """Give all commands the keys of the table again."""
        self._settings.update(keys={})

    def _choose(self, keys: Mapping[str, str]) -> None:
        """Keep what is about commands of the table: a file may hold others, and more than can be kept."""
        self._settings.update(keys={one: keys[one] for one in self._table if one in keys})

    def _own_keys(self, action_id: str) -> tuple[str, ...]:
        return tuple(map(normal_keys, self._table[action_id].keys))

    def _taken(self, action_id: str, keys: str) -> str:
        """Say which other command has these keys, "" where none has."""
        for one in self._bound.values():
            if one.id != action_id and keys in map(normal_keys, one.keys):
                return f"{native(keys)} belongs to “{one.title}”."
        return ""

    def _follow(self) -> None:
        if self._settings.values.keys == self._chosen:
            return
        self._chosen = self._settings.values.keys
        before, self._bound = self._bound, self._resolve()
        if self._bound != before:
            self.changed.emit()

    def _resolve(self) -> dict[str, AnyAction]:
        """Return every command with its keys: what was chosen comes before what the table says."""
        chosen: dict[str, str] = {}
        taken: set[str] = set()
        for action_id, keys in self._chosen.items():
            wanted = normal_keys(keys)
            if action_id not in self._table or wanted in taken:
                continue
            if not keys or wanted in self._own_keys(action_id) or not _unfit(wanted):
                chosen[action_id] = wanted
                taken |= {wanted} - {""}
        return {one.id: replace(one, keys=_keys_of(one, chosen, taken)) for one in self._table.values()}


class _Bound(Mapping[str, AnyAction]):
    """The commands as they are bound when they are looked up."""

    def __init__(self, bindings: KeyBindings) -> None:
        self._bindings = bindings

    def __getitem__(self, action_id: str) -> AnyAction:
        return self._bindings.action(action_id)

    def __iter__(self) -> Iterator[str]:
        return self._bindings.ids()

    def __len__(self) -> int:
        return len(list(self._bindings.ids()))


def normal_keys(keys: str) -> str:
    """Return keys as Qt writes them portably, "" for what is no key, or several one after another."""
    sequence = QKeySequence(keys[:_LONGEST])
    is_key = sequence.count() == 1 and _combination(sequence).key() not in _NO_KEYS
    return sequence.toString() if is_key else ""


def _combination(sequence: QKeySequence) -> QKeyCombination:
    found: QKeyCombination = sequence[0]  # type: ignore[index]  # PySide declares no indexing
    return found


def native(keys: str) -> str:
    """Return keys as this system writes them."""
    return QKeySequence(keys).toString(QKeySequence.SequenceFormat.NativeText)


def _keys_of(action: AnyAction, chosen: Mapping[str, str], taken: set[str]) -> tuple[str, ...]:
    if action.id in chosen:
        return (chosen[action.id],) if chosen[action.id] else ()
    return tuple(keys for keys in action.keys if normal_keys(keys) not in taken)


def _unfit(keys: str) -> str:
    """Say why no command can have these keys, "" where one can."""
    if not keys:
        return "This is no key that can be used."
    if keys in _RESERVED:
        return f"{native(keys)} cannot be used. {_RESERVED[keys]}"
    combination = _combination(QKeySequence(keys))
    is_function_key = Qt.Key.Key_F1 <= combination.key() <= Qt.Key.Key_F35
    if not is_function_key and not combination.keyboardModifiers() & _COMMANDS:
        return f"{native(keys)} writes or moves in text. Add {native('Ctrl+X')[:-1]}."
    return ""
