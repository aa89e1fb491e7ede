"""What `make shots` shows: sample conversations, an engine that plays them, and the sheet of components."""
