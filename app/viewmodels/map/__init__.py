"""The open conversation as a picture: its branches in two dimensions, their lengths in tokens."""
