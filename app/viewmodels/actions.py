"""Every command of the program: menus, keys and tool tips are made from this table, and what the guide model knows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from app.viewmodels import (
    actions_branch,
    actions_cache,
    actions_edit,
    actions_file,
    actions_help,
    actions_view,
    actions_window,
)
from app.viewmodels.action_row import Regions, Row
from app.viewmodels.app_state import AppState
from app.viewmodels.kit.action import Action, Submenu

Run = Callable[[], object]

TABLE: tuple[Row, ...] = (
    *actions_file.ROWS,
    *actions_edit.ROWS,
    *actions_view.ROWS,
    *actions_branch.ROWS,
    *actions_cache.ROWS,
    *actions_window.ROWS,
    *actions_help.ROWS,
)
"""The menus' entries, in their order."""

ACTIONS = tuple(row for row in TABLE if isinstance(row, Action))
SUBMENUS = tuple(row for row in TABLE if isinstance(row, Submenu))
BY_ID: Mapping[str, Action[Regions, AppState]] = {action.id: action for action in ACTIONS}

BUTTONS: Mapping[str, Callable[[Regions], object]] = {
    "restart": lambda app: app.model.restart_engine(),
    "open_anyway": lambda app: app.model.open_anyway(),
    "dismiss": lambda app: app.chat.cards.dismiss(),
    "ask_failed": lambda app: app.chat.requests.ask_failed(),
    "edit_failed": lambda app: app.chat.open_draft.edit_failed(),
    "edit_earlier": lambda app: app.chat.context_overflow.edit_earlier(),
    "raise_limit": lambda app: app.chat.context_overflow.raise_limit(),
    "leave_out_oldest": lambda app: app.chat.context_overflow.leave_out_oldest(),
    "send_to_server": lambda app: app.chat.requests.send_to_server(),
    "keep_here": lambda app: app.chat.requests.keep_here(),
}
"""What only a button of a card does, by its id."""


def offered(state: AppState) -> frozenset[str]:
    """Return the ids of the commands and submenus that the engine has a use for."""
    return frozenset(row.id for row in TABLE if state.model.has(row.needs))


def enabled(state: AppState) -> frozenset[str]:
    """Return the ids of the commands that would do something now."""
    return frozenset(one.id for one in ACTIONS if is_possible(one, state))


def is_possible(one: Action[Regions, AppState], state: AppState) -> bool:
    """Return whether a command would do something now."""
    is_covered = one.in_chat and state.is_comparing
    is_refused = one.writes and state.library.is_read_only
    return state.model.has(one.needs) and not is_covered and not is_refused and one.is_enabled(state)


def checked(state: AppState) -> frozenset[str]:
    """Return the ids of the commands whose mark is set, but for those of panes."""
    return frozenset(one.id for one in ACTIONS if _is_checked(one, state))


def _is_checked(one: Action[Regions, AppState], state: AppState) -> bool:
    if one.setting:
        return bool(getattr(state.settings, one.setting))
    return one.is_checked is not None and one.is_checked(state)


def action(action_id: str) -> Action[Regions, AppState]:
    """Return the command of this id. Raises KeyError where the table has none."""
    return BY_ID[action_id]


def run_of(app: Regions, action_id: str) -> Run:
    """Return what a command or a button does without a window. Raises KeyError for an id that has nothing to do."""
    if action_id in BUTTONS:
        return partial(BUTTONS[action_id], app)
    found = action(action_id)
    if found.setting:
        return partial(app.settings.toggle, found.setting)
    if found.run is None:
        raise KeyError(action_id)
    return partial(found.run, app)


def bound(app: Regions, own: Mapping[str, Run]) -> dict[str, Run]:
    """Return what each command does in a window, which has a way of its own for some of them.

    Raises KeyError for an id of the window's that is in no menu, and for a command that nobody carries out.
    """
    for action_id in own:
        action(action_id)
    return {one.id: own.get(one.id) or run_of(app, one.id) for one in ACTIONS}
