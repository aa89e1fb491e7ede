"""The log in words, and the list that holds it."""

from __future__ import annotations

import random

import pytest
from PySide6.QtCore import QPersistentModelIndex, Qt
from PySide6.QtTest import QAbstractItemModelTester

from app.protocol.cache_events import CacheEvent, CacheEventKind
from app.protocol.reports import Reason
from app.viewmodels.cache import event_model
from app.viewmodels.cache.event_model import EventModel
from app.viewmodels.cache.rows import EventRow
from app.viewmodels.kit.lists import RowRole
from app.viewmodels.text.formatting import clock

FATAL = QAbstractItemModelTester.FailureReportingMode.Fatal
NOW = 1_700_000_000.0


def event(
    kind: CacheEventKind, offset: int, tokens: int, held: int = 0, reason: Reason = Reason.NONE, at: float = NOW
) -> CacheEvent:
    return CacheEvent(1, at, kind, tokens, held, reason, offset)


def texts(model: EventModel) -> list[str]:
    return [row.text.replace("\u00a0", " ").replace("\u202f", " ") for row in model.rows]


@pytest.mark.parametrize(
    ("happened", "text"),
    [
        (event(CacheEventKind.REQUEST, 3412, 168), "Computed 168, reused 3 412 tokens"),
        (event(CacheEventKind.REQUEST, 0, 412), "Computed 412 tokens, reused none"),
        (event(CacheEventKind.GUEST, 3412, 168), "API: computed 168, reused 3 412 tokens"),
        (event(CacheEventKind.GUEST, 0, 412), "API: computed 412 tokens, reused none"),
        (event(CacheEventKind.CHECKED, 3412, 1), "Went back to 3 412 tokens to check them"),
        (event(CacheEventKind.PAGED_IN, 0, 3412, 240_000_000), "Restored 3 412 tokens, 240 MB"),
        (event(CacheEventKind.PAGED_IN, 412, 0, 1_500_000), "Restored the state at 412, 1.5 MB"),
        (event(CacheEventKind.PAGED_OUT, 0, 3794, 304_000_000), "Paged out 3 794 tokens, 304 MB"),
        (event(CacheEventKind.PAGED_OUT, 0, 3794), "Paged out 3 794 tokens"),
        (
            event(CacheEventKind.EVICTED, 0, 1204, 96_000_000, Reason.EVICTED),
            "Evicted 1 204 tokens, 96 MB: least value",
        ),
        (event(CacheEventKind.EVICTED, 0, 1204, 96_000_000), "Evicted 1 204 tokens, 96 MB: as you asked"),
        (
            event(CacheEventKind.EVICTED, 412, 0, 1_500_000, Reason.EVICTED),
            "Evicted the state at 412, 1.5 MB: least value",
        ),
        (event(CacheEventKind.EVICTED, 412, 90), "Evicted 90 tokens: no room to store them"),
        (event(CacheEventKind.CAPTURED, 412, 0, 1_500_000), "Stored the state at 412, 1.5 MB"),
        (event(CacheEventKind.SPLIT, 3412, 0), "Split at 3 412: a fork began here"),
        (event(CacheEventKind.WRITTEN, 412, 459, 37_000_000), "Wrote 459 tokens to disk, 37 MB"),
        (event(CacheEventKind.WRITTEN, 412, 0, 1_500_000), "Wrote the state at 412 to disk, 1.5 MB"),
        (event(CacheEventKind.READ, 412, 459, 37_000_000), "Read 459 tokens from disk, 37 MB"),
        (event(CacheEventKind.DROPPED, 0, 0, 377_000_000), "Deleted 377 MB of files: longest unused"),
        (event(CacheEventKind.FAULT, 0, 0, 37_000_000, Reason.DISK), "A cache file was missing or damaged: dropped"),
        (event(CacheEventKind.FAULT, 412, 459, 0, Reason.DISK), "Could not write 459 tokens to disk"),
        (event(CacheEventKind.FAULT, 412, 0, 0, Reason.DISK), "Could not write the state at 412 to disk"),
        (event(CacheEventKind.FAULT, 412, 7), "Restore failed at 412: computed again"),
    ],
)
def test_each_kind_in_words(qapp: object, happened: CacheEvent, text: str) -> None:
    model = EventModel()
    model.add([happened])
    assert texts(model) == [text]


def test_what_goes_to_the_disk_is_added_up(qapp: object) -> None:
    model = EventModel()
    model.add([event(CacheEventKind.REQUEST, 0, 412)])
    for offset in (0, 412):
        model.add([event(CacheEventKind.WRITTEN, offset, 400, 30_000_000)])
    model.add(event(CacheEventKind.WRITTEN, 412 + n, 0, 1_500_000) for n in range(2))
    assert texts(model)[:-1] == ["Wrote 800 tokens and 2 states to disk, 63 MB"]
    model.add([event(CacheEventKind.DROPPED, 0, 0, 100_000_000), event(CacheEventKind.WRITTEN, 900, 1, 1_000_000)])
    model.add([event(CacheEventKind.DROPPED, 0, 0, 100_000_000)])
    assert texts(model)[:-1] == [
        "Deleted 200 MB of files: longest unused",
        "Wrote 801 tokens and 2 states to disk, 64 MB",
    ]
    model.add([event(CacheEventKind.REQUEST, 801, 1), event(CacheEventKind.READ, 0, 400, 30_000_000)])
    model.add([event(CacheEventKind.READ, 400, 401, 31_000_000), event(CacheEventKind.WRITTEN, 801, 0, 1_000_000)])
    assert texts(model)[:2] == [
        "Wrote the state at 801 to disk, 1.0 MB",
        "Read 801 tokens from disk, 61 MB",
    ]


def test_faults_of_the_disk_are_added_up_and_no_others(qapp: object) -> None:
    model = EventModel()
    lost = event(CacheEventKind.FAULT, 0, 0, 37_000_000, Reason.DISK)
    unwritten = event(CacheEventKind.FAULT, 412, 459, 0, Reason.DISK)
    model.add([lost, lost, unwritten, unwritten])
    assert texts(model) == ["Could not write 918 tokens to disk", "2 cache files were missing or damaged: dropped"]
    fault = event(CacheEventKind.FAULT, 412, 7, reason=Reason.FAULT)
    model.add([fault, fault, lost])
    assert len(model.rows) == 5


def test_the_newest_stands_above_with_its_time_and_its_why(qapp: object) -> None:
    model = EventModel()
    model.add([event(CacheEventKind.PAGED_IN, 0, 12, 1000)])
    model.add([event(CacheEventKind.REQUEST, 12, 30, reason=Reason.EVICTED, at=NOW + 5)])
    assert [row.kind for row in model.rows] == [CacheEventKind.REQUEST, CacheEventKind.PAGED_IN]
    top = model.index(0)
    row = top.data(RowRole.ROW)
    assert isinstance(row, EventRow)
    assert row.time == clock(NOW + 5)
    assert top.data() == row.text
    assert top.data(Qt.ItemDataRole.ToolTipRole) == f"{row.text}. {row.why}."
    assert top.data(Qt.ItemDataRole.AccessibleTextRole) == f"{row.time}, {row.text}. {row.why}."
    assert "given up to stay within the memory limit" in row.why
    assert model.index(1).data(Qt.ItemDataRole.ToolTipRole) == model.rows[1].text


def test_captures_and_evictions_of_one_request_are_added_up(qapp: object) -> None:
    model = EventModel()
    tester = QAbstractItemModelTester(model, FATAL)
    model.add([event(CacheEventKind.REQUEST, 0, 900)])
    model.add([event(CacheEventKind.CAPTURED, 256, 0, 2_000_000, at=NOW + 1)])
    kept = QPersistentModelIndex(model.index(0))
    kind, why = CacheEventKind.EVICTED, Reason.EVICTED
    model.add([event(kind, 0, 100, 3_000_000, why), event(kind, 40, 0, 1_000_000, why)])
    model.add([event(CacheEventKind.CAPTURED, 512, 0, 2_000_000, at=NOW + 9)])
    assert texts(model) == [
        "Evicted 100 tokens, 1 state, 4.0 MB: least value",
        "Stored 2 states up to 512, 4.0 MB",
        "Computed 900 tokens, reused none",
    ]
    assert kept.row() == 1
    assert kept.data(RowRole.ROW).time == clock(NOW + 1)
    model.add([event(CacheEventKind.EVICTED, 7, 30)])
    model.add([event(CacheEventKind.REQUEST, 512, 9), event(CacheEventKind.CAPTURED, 520, 0, 1000)])
    assert texts(model)[:3] == [
        "Stored the state at 520, 1 KB",
        "Computed 9, reused 512 tokens",
        "Evicted 30 tokens: no room to store them",
    ]
    tester.deleteLater()


def test_what_moved_nothing_is_left_out(qapp: object) -> None:
    model = EventModel()
    model.add([event(CacheEventKind.PAGED_OUT, 412, 0)])
    assert model.rowCount() == 0


def test_the_log_is_bounded_and_can_be_cleared(qapp: object, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a low bound: the tester looks at every row whenever one comes."""
    most = 20
    monkeypatch.setattr(event_model, "MOST_ROWS", most)
    model = EventModel()
    tester = QAbstractItemModelTester(model, FATAL)
    random_source = random.Random(4)
    kinds = list(CacheEventKind)
    for number in range(400):
        several = random_source.randrange(1, 5)
        model.add(event(random_source.choice(kinds), number, random_source.randrange(3), 5) for _ in range(several))
        assert model.rowCount() == len(model.rows) <= most
    assert model.rowCount() == most
    model.add(event(CacheEventKind.REQUEST, 9, number) for number in range(100))
    assert texts(model)[0] == "Computed 99, reused 9 tokens"
    assert model.rowCount() == most
    model.clear()
    assert model.rowCount() == 0
    tester.deleteLater()


@pytest.mark.parametrize("reason", Reason)
def test_what_is_computed_again_says_why(qapp: object, reason: Reason) -> None:
    model = EventModel()
    model.add([event(CacheEventKind.REQUEST, 12, 30, reason=reason)])
    assert bool(model.rows[0].why) == (reason not in (Reason.NONE, Reason.NEW, Reason.DIVERGED))
