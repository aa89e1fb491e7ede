"""The window itself: menus, toolbar, panes, dialogs, and where each command goes."""
