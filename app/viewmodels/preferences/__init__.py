"""The window of the settings, without a widget: pages, groups and rows."""
