"""The model thread as Qt sees it: commands go in, events come out as signals."""
