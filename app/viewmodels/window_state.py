"""How a person left the window, to be found again the next time."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class WindowState:
    """Plain values that settings can write.

    geometry: from QWidget.saveGeometry, base64, "" for the first time. splitter: widths of sidebar, chat and inspector
    in points, empty for the default. events_height: of the log in the cache pane in points, 0 for what suits it;
    is_log_shown: whether it is unfolded. body_size: text size of a message in points; every other role scales with it.
    """

    geometry: str = ""
    splitter: tuple[int, ...] = ()
    is_sidebar_shown: bool = True
    is_inspector_shown: bool = True
    body_size: int = 14
    events_height: int = 0
    is_log_shown: bool = True
