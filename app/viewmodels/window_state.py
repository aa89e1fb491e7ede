"""How a person left the window, to be found again the next time."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class WindowState:
    """Plain values that settings can write.

    geometry: from QWidget.saveGeometry, base64, "" for the first time. splitter: widths of sidebar, chat and inspector
    in points, empty for the default. body_size: text size of a message in points; every other role scales with it.
    """

    geometry: str = ""
    splitter: tuple[int, ...] = ()
    is_sidebar_shown: bool = True
    is_inspector_shown: bool = True
    body_size: int = 14
