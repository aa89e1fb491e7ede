"""The outline of branches in the inspector."""
