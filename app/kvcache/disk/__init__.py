"""Cached state in files: what one file is, who writes it, what is known of all of them, how much room they may take."""
