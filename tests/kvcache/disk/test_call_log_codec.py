"""Records of calls, written into files and read again."""

from __future__ import annotations

import random
from array import array

import pytest

from app.kvcache.call_log import ANY, CallLog, Provenance
from app.kvcache.disk.call_log_codec import CallLogCodec
from tests.seeds import chosen


def call_log_of(lengths: list[int], start: int = 0, base: CallLog | None = None) -> CallLog:
    call_log = CallLog(start, base)
    at = start
    for length in lengths:
        call_log.add(range(at, at + length))
        at += length
    return call_log


def calls_of(call_log: CallLog, end: int) -> list[tuple[int, int, list[int]]]:
    return [(call.start, call.length, call_log.tokens(call).tolist()) for call in call_log.calls(call_log.start, end)]


def test_rows_come_back_with_the_calls_that_made_them() -> None:
    one, two = call_log_of([5, 3, 1, 1]), call_log_of([1, 4], start=7)
    written = CallLogCodec().write([Provenance(one, 2, 7), Provenance(two, 7, 9)])
    first, second = CallLogCodec().read_provenances(written)
    assert (first.start, first.end, second.start, second.end) == (2, 7, 7, 9)
    assert list(first.call_log.calls(0, 9)) == list(one.calls(0, 7)), "a call that a split cut in two is kept whole"
    assert first.call_log.end == 8, "what came after is not written"
    assert calls_of(second.call_log, 9) == [(7, 1, [7]), (8, 4, [8, ANY, ANY, ANY])], "nor are words beyond the rows"


def test_what_one_file_does_not_say_of_a_call_another_one_does() -> None:
    call_log = call_log_of([5, 3, 1])
    writer = CallLogCodec()
    records = [writer.write([Provenance(call_log, 0, end)]) for end in (2, 5, 7, 9)]
    for seed in chosen(range(20)):
        generator = random.Random(seed)
        reader, known = CallLogCodec(), 0
        held = []
        for record in generator.sample(records, len(records)):
            (found,) = reader.read_provenances(record)
            held.append(found)
            known = max(known, found.end)
            told = [token for call in found.call_log.calls(0, 9) for token in found.call_log.tokens(call)]
            assert told == [*range(known), *[ANY] * (found.call_log.end - known)], f"seed {seed}"
        assert calls_of(held[0].call_log, 9) == calls_of(call_log, 9)


def test_a_state_comes_back_with_all_it_was_built_on() -> None:
    first = call_log_of([4, 1, 1])
    second = call_log_of([3], start=5, base=first)
    third = call_log_of([2, 1], start=8, base=second)
    found = CallLogCodec().read_state(CallLogCodec().write([], (third, 10)))
    assert calls_of(found, 11) == calls_of(third, 10)
    assert found.base is not None
    assert found.base.base is not None
    assert (found.base.start, found.base.base.base) == (5, None)
    assert calls_of(found.base.base, 5) == calls_of(first, 5), "the call that ends at 5 is the last one needed"


def test_files_that_speak_of_one_call_log_give_one_call_log() -> None:
    call_log = call_log_of([4, 1, 1, 2])
    writer, reader = CallLogCodec(), CallLogCodec()
    long, short = writer.write([Provenance(call_log, 0, 8)]), writer.write([Provenance(call_log, 0, 4)])
    (a,), (b,) = reader.read_provenances(short), reader.read_provenances(long)
    assert a.call_log is b.call_log
    assert a.call_log.end == 8
    (c,) = writer.read_provenances(short)
    assert c.call_log is call_log, "a reader that knows the call log itself uses it"


def test_a_long_chain_is_no_difficulty() -> None:
    call_log = call_log_of([1])
    for start in range(1, 5000):
        call_log = call_log_of([1], start, call_log)
    found = CallLogCodec().read_state(CallLogCodec().write([], (call_log, 5000)))
    assert found.start == 4999


def test_what_was_read_last_makes_no_difference() -> None:
    """What begins alike is not read again, and what does not is, wherever it is changed."""

    def outcome(reader: CallLogCodec, record: array[int]) -> object:
        try:
            return [
                (provenance.start, provenance.end, calls_of(provenance.call_log, provenance.end))
                for provenance in reader.read_provenances(record)
            ]
        except ValueError as error:
            return str(error)

    base = call_log_of([4, 1, 1])
    written = CallLogCodec().write([Provenance(call_log_of([2, 1, 3], 6, base), 6, 12)])
    for seed in chosen(range(500)):
        generator = random.Random(seed)
        damaged = array("i", written)
        damaged[generator.randrange(len(damaged))] = generator.choice([-1, 0, 1, 2, 3, 7, 1 << 30])
        one, two = CallLogCodec(), CallLogCodec()
        held = one.read_provenances(written), two.read_provenances(written)
        two.rest()
        assert outcome(one, damaged) == outcome(two, damaged), f"seed {seed}"
        assert outcome(one, written) == outcome(two, written), f"seed {seed}"
        del held


def test_damage_is_a_value_error() -> None:
    """Whatever is changed, the record is refused or still makes sense; nothing else is raised."""
    call_log = call_log_of([4, 1], base=None)
    written = CallLogCodec().write([Provenance(call_log, 1, 5)])
    generator = random.Random(1)
    refused = 0
    for _ in range(500):
        damaged = array("i", written)
        damaged[generator.randrange(len(damaged))] = generator.choice([-1, 0, 1, 7, 1 << 30])
        del damaged[len(damaged) - generator.randrange(3) :]
        try:
            CallLogCodec().read_provenances(damaged)
        except ValueError:
            refused += 1
    assert refused > 250
    with pytest.raises(ValueError, match="integers"):
        CallLogCodec().read_provenances([])
