"""Emitting a signal must not cost a reference.

PySide6 6.12.0 on Python 3.11 loses one to True at every emit, connect and disconnect, until the interpreter aborts
after some thousands; the versions that the lock pins do not. This test says so before a person's window does.
"""

from __future__ import annotations

import sys

from PySide6.QtCore import QObject, Signal

EMITS = 20_000


class Sender(QObject):
    sent = Signal(object)


class Receiver(QObject):
    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    def take(self, _value: object) -> None:
        self.count += 1


def test_twenty_thousand_emits_leave_true_alone() -> None:
    sender, receiver = Sender(), Receiver()
    before = sys.getrefcount(True)
    for number in range(EMITS):
        sender.sent.connect(receiver.take)
        sender.sent.emit(number)
        sender.sent.disconnect(receiver.take)
    assert receiver.count == EMITS
    assert abs(sys.getrefcount(True) - before) < 100
