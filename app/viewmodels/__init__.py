"""What the window says: verbs, rows and figures, without a widget."""
