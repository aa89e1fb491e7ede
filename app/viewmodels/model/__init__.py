"""The model in use, and the libraries under it."""
