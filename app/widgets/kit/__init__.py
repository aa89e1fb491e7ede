"""What every pane draws with: theme, type, icons, controls, marks, and the parts of lists."""
