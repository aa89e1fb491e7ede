"""The tokens of an answer, and what else could have stood in the place of each."""
