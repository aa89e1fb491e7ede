"""The settings of a conversation in the inspector."""
