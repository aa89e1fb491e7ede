"""The prefix cache as its pane and its menu show it."""
