"""How the modules of the window are imported: there are hundreds, and a person waits for them."""

from __future__ import annotations

import builtins
import gc


def without_delay() -> None:
    """Have modules imported and nothing else done meanwhile. To be called before anything imports PySide6.

    Python's collector would look for cycles again and again: `GarbageCollector` does so once there is a window.
    """
    gc.disable()
    by_python_alone()


def by_python_alone() -> None:
    """Have Python's own `__import__` called again, which Shiboken replaces.

    Shiboken reads the source of each module, to see whether it may use PySide's features (`from __feature__ import`),
    of which nothing here knows: it would take a tenth of a start, and keep all those lines in memory.
    """
    import PySide6.QtCore  # noqa: F401 - replaces it

    builtins.__import__ = getattr(builtins, "__orig_import__", builtins.__import__)
