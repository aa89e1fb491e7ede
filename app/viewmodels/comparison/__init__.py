"""Two branches of a conversation beside each other: what they share, where they part, and which words differ."""
