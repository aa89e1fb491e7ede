"""The panel in which one types where to go."""
