"""Formulas in TeX drawn as outlines, by a process of its own. Standard library, and ziamath in that process."""

FLAG = "--draw-formulas"
"""The option with which the program starts itself as that process."""

LONGEST = 1000
"""Characters of a formula; a longer one is shown as it was written."""
EM = 100
"""Units of a drawing's view box that the size of its letters measures."""
