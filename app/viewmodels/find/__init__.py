"""Finding words in the branch that is shown, and going from one place to the next."""
