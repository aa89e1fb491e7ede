"""Faults are told for what they are."""

from __future__ import annotations

import resource
import sqlite3
from contextlib import ExitStack
from pathlib import Path

import pytest

from app.conversation.faults import Fault, StoreError, as_store_errors, fault_of
from app.conversation.store import Store


def test_too_many_open_files_are_told_and_not_a_lack_of_permission(tmp_path: Path) -> None:
    file = tmp_path / "conversations.db"
    Store(file).close()
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    found: list[Fault | None] = []
    sentences: list[str] = []
    with ExitStack() as stack:
        stack.callback(resource.setrlimit, resource.RLIMIT_NOFILE, (soft, hard))
        first = stack.enter_context(file.open("rb"))
        resource.setrlimit(resource.RLIMIT_NOFILE, (first.fileno() + 8, hard))
        try:
            while True:
                stack.enter_context(file.open("rb"))
        except OSError as error:
            found.append(fault_of(error))
        try:
            with as_store_errors(file):
                sqlite3.connect(file).execute("SELECT 1 FROM message")
        except StoreError as error:
            found.append(error.fault)
            sentences.append(str(error))
    assert found == [Fault.FILES, Fault.FILES]
    assert "Too many files are open" in sentences[0]


def test_a_file_that_may_not_be_opened_is_told_as_such(tmp_path: Path) -> None:
    with pytest.raises(sqlite3.OperationalError) as refused:
        sqlite3.connect(tmp_path / "no folder" / "conversations.db")
    assert fault_of(refused.value) is Fault.UNWRITABLE
