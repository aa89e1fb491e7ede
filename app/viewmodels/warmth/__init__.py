"""What the cache holds of each branch and conversation, and what it would cost to go on from there."""
