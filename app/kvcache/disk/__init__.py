"""Cached state in files: what one file is, who writes it, what is known of all of them, how much room they may take."""

FORMAT = 3  # of what snapshot files hold; files of another one are not read
