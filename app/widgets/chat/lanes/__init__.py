"""Several answers to one question, in columns."""
