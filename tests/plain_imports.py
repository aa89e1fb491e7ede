"""Imported before the program itself: modules are imported as in a real start, a fifth sooner than by PySide's way."""

from app.launch.imports import by_python_alone

by_python_alone()
