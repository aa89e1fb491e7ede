"""Two branches beside each other, in the chat's place."""
