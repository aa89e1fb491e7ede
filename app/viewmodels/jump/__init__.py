"""Going to a conversation, a branch, a pin or a command by typing a few letters of it."""
