from __future__ import annotations

from app.viewmodels.actions import ACTIONS, BY_ID
from app.widgets.kit.action_button import ActionButton, native_keys, title_with_keys
from app.widgets.kit.icon_paths import Icon
from app.widgets.kit.style import Style


def test_every_command_is_shown_by_its_title_and_with_its_keys_where_it_has_any(qapp: object) -> None:
    for action in ACTIONS:
        keys = native_keys(action)
        assert bool(keys) == bool(action.keys), action.id
        assert title_with_keys(action) == (f"{action.title} ({keys})" if keys else action.title)


def test_a_button_speaks_the_title_alone_and_shows_the_keys(style: Style) -> None:
    button = ActionButton(style, Icon.NEW, BY_ID["new"])
    assert button.accessibleName() == "New Conversation"
    assert button.toolTip() == title_with_keys(BY_ID["new"]) != button.accessibleName()
