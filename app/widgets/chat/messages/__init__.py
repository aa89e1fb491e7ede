"""Messages on their rail: rows that are laid out where they are seen, painted, selected and pressed."""
