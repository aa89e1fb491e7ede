"""The branches of the open conversation: what an outline of them shows and does."""
