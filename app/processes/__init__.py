"""Processes of this program itself, for work that may have to be ended at any moment: how they are started."""
