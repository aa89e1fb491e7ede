"""The window of the settings."""
