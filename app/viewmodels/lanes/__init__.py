"""Several answers to one question, beside each other."""
