"""Numbers, ages, sizes and rows in words, for the eye and for a screen reader."""
