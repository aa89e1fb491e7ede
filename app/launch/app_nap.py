"""App Nap held off while an answer is written: macOS slows down programs whose windows are covered.

https://developer.apple.com/documentation/foundation/nsprocessinfo/beginactivity(options:reason:)
"""

from __future__ import annotations

import ctypes
import ctypes.util
import logging
import sys
from typing import Any, Protocol

from PySide6.QtCore import QObject

from app.protocol.events import EngineFailed, Event, ModelClosed, RunFailed, RunFinished, RunStarted

logger = logging.getLogger(__name__)

# Of a library that is not there, or is another one than was thought: then answers may be slow in a covered window.
_FAULTS = (OSError, AttributeError, AssertionError, TypeError, ValueError, ctypes.ArgumentError)
_REASON = b"An answer is being written"
_USER_INITIATED_ALLOWING_SLEEP = 0x00FFFFFF & ~(1 << 20)


class Activities(Protocol):
    """The way in which the system is told of work under way."""

    def begin(self) -> object:
        """Tell that work begins; returns what `end` is to be given."""
        ...

    def end(self, activity: Any) -> None:
        """Tell that it is over."""
        ...


class AppNap(QObject):
    """App Nap held off from the first answer that begins until the last one ends. Each beginning has its end."""

    def __init__(self, parent: QObject | None = None, activities: Activities | None = None) -> None:
        super().__init__(parent)
        self._activities = activities or system_activities()
        self._runs: set[int] = set()
        self._activity: object | None = None

    def follow(self, event: Event) -> None:
        """Follow an event of the engine."""
        if isinstance(event, RunStarted):
            self._runs.add(event.run_id)
        elif isinstance(event, RunFinished | RunFailed):
            self._runs.discard(event.run_id)
        elif isinstance(event, EngineFailed | ModelClosed):
            self._runs.clear()
        else:
            return
        self._tell()

    def close(self) -> None:
        """End what was begun; no more begins."""
        self._runs.clear()
        self._tell()
        self._activities = None

    def _tell(self) -> None:
        if self._activities is None:
            return
        try:
            if self._runs and self._activity is None:
                self._activity = self._activities.begin()
            elif not self._runs and self._activity is not None:
                activity, self._activity = self._activity, None
                self._activities.end(activity)
        except _FAULTS:
            logger.exception("the system is not told any more that answers are written")
            self._activities = None


def system_activities() -> Activities | None:
    """Return what this system is told with, None where it does not slow programs down, or cannot be told."""
    return _process_info() if sys.platform == "darwin" else None


def _process_info() -> Activities | None:
    try:
        return ProcessInfo()
    except _FAULTS:
        logger.exception("the system cannot be told that answers are written")
        return None


class ProcessInfo:
    """The activities of NSProcessInfo, by the runtime of Objective-C. To be used on the main thread."""

    def __init__(self) -> None:
        self._runtime = ctypes.CDLL(ctypes.util.find_library("objc"))
        ctypes.CDLL(ctypes.util.find_library("Foundation"))
        for function in (self._runtime.objc_getClass, self._runtime.sel_registerName):
            function.restype, function.argtypes = ctypes.c_void_p, [ctypes.c_char_p]
        self._info = self._send(self._runtime.objc_getClass(b"NSProcessInfo"), b"processInfo")

    def begin(self) -> object:
        """Begin an activity, which is kept until it is ended."""
        text = self._send(
            self._runtime.objc_getClass(b"NSString"), b"stringWithUTF8String:", (ctypes.c_char_p, _REASON)
        )
        options = (ctypes.c_uint64, _USER_INITIATED_ALLOWING_SLEEP)
        token = self._send(self._info, b"beginActivityWithOptions:reason:", options, (ctypes.c_void_p, text))
        return self._send(token, b"retain")

    def end(self, activity: Any) -> None:
        """End an activity and let it go."""
        self._send(self._info, b"endActivity:", (ctypes.c_void_p, activity))
        self._send(activity, b"release")

    def _send(self, receiver: Any, message: bytes, *arguments: tuple[Any, Any]) -> Any:
        """Send a message with arguments of these types; each call has a type of its own."""
        kinds = [kind for kind, _ in arguments]
        call = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, *kinds)
        address = ctypes.cast(self._runtime.objc_msgSend, ctypes.c_void_p).value
        assert address is not None
        return call(address)(receiver, self._runtime.sel_registerName(message), *(value for _, value in arguments))
