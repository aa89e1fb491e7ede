"""The open conversation: rows of its path, what is typed, what is asked, and the answer being written."""
