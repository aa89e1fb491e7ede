"""The page of the settings about the keys of all commands."""

from __future__ import annotations

from app.viewmodels.kit.action import AnyAction, Menu
from app.viewmodels.kit.key_bindings import KeyBindings, native
from app.viewmodels.preferences.rows import Buttons, Group, Handlers, KeyRow, Question, RowButton

_ALL = Question(
    "Give all commands their usual keys again?", "The keys that you chose are forgotten, of every command.", "Reset All"
)


class ShortcutsPage:
    """Every command with its keys, menu by menu."""

    id = "shortcuts"
    title = "Shortcuts"

    def __init__(self, keys: KeyBindings) -> None:
        self._keys = keys
        self._refused = "", ""

    @property
    def groups(self) -> tuple[Group, ...]:
        """Return what the page shows now."""
        actions = list(self._keys.actions.values())
        can_reset = any(self._keys.is_changed(one.id) for one in actions)
        reset = RowButton(id="reset_all", title="Reset All…", is_enabled=can_reset, question=_ALL)
        head = Buttons(
            id="all",
            title="Press a field, then the keys",
            detail="Escape leaves it as it was, Delete takes the keys away.",
            buttons=(reset,),
        )
        menus = [
            Group(menu.value, tuple(self._row(one) for one in actions if one.menu is menu))
            for menu in Menu
            if any(one.menu is menu for one in actions)
        ]
        return Group("Keys", (head,)), *menus

    @property
    def handlers(self) -> Handlers:
        """Return what its rows do."""
        return {"keys": self._assign, "reset_keys": self._reset, "reset_all": lambda _id, _value: self._reset_all()}

    def show(self) -> None:
        """Forget what was refused."""
        self._refused = "", ""

    def _row(self, action: AnyAction) -> KeyRow:
        refused, problem = self._refused
        return KeyRow(
            id=f"keys:{action.id}",
            title=action.title.rstrip("…"),
            keys="  ".join(map(native, action.keys)),
            reset_id=f"reset_keys:{action.id}",
            is_changed=self._keys.is_changed(action.id),
            problem=problem if refused == action.id else "",
        )

    def _assign(self, action_id: str, keys: str) -> None:
        self._refused = action_id, self._keys.assign(action_id, keys)

    def _reset(self, action_id: str, _value: str) -> None:
        self._refused = action_id, self._keys.reset(action_id)

    def _reset_all(self) -> None:
        self._refused = "", ""
        self._keys.reset_all()
