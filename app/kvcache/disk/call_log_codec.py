"""The record of calls that goes into a snapshot's file, so that it can be repeated and checked after a restart.

A call log is written with a key of its own and as far as the snapshot needs it, and so are the call logs it builds on.
No token is written that follows what the snapshot is of, so that a file holds no words but those of its own path.
Files that speak of the same call log, each as far as it was needed, give one call log again when they are read.

All in one run of 32-bit integers: the number of call logs, each call log (bases first), then the provenances.
"""

from __future__ import annotations

import secrets
from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate, chain, pairwise
from operator import sub
from typing import NamedTuple
from weakref import WeakKeyDictionary, WeakValueDictionary

from app.kvcache.call_log import CallLog, Provenance
from app.protocol.sequences import count_common

_KEY = 4  # integers


class CallLogCodec:
    """Writer and reader of call logs, which it knows by their keys once it has met them.

    knows: whether all of these are tokens of the model; no others are read.
    """

    def __init__(self, knows: Callable[[Sequence[int]], bool] = lambda _tokens: True) -> None:
        self._knows = knows
        self._keys: WeakKeyDictionary[CallLog, bytes] = WeakKeyDictionary()
        self._call_logs: WeakValueDictionary[bytes, CallLog] = WeakValueDictionary()
        self._last = _Read(array("i"), [], [])

    def write(self, provenances: Sequence[Provenance], state: tuple[CallLog, int] | None = None) -> array[int]:
        """Return the record of some rows' provenances, or of the whole state that a call log left at an offset."""
        needed: dict[CallLog, int] = {}
        for call_log, end in [(provenance.call_log, provenance.end) for provenance in provenances] + (
            [state] if state else []
        ):
            _need(needed, call_log, end)
        order = {call_log: index for index, call_log in enumerate(needed)}
        out = array("i", [len(needed)])
        for call_log, end in needed.items():
            ends, tokens = call_log.upto(end)
            out.frombytes(self.key(call_log))
            out.extend((call_log.start, -1 if call_log.base is None else order[call_log.base], len(ends), len(tokens)))
            out.extend(map(sub, ends, chain((call_log.start,), ends)))
            out.extend(tokens)
        for provenance in provenances:
            out.extend((order[provenance.call_log], provenance.start, provenance.end))
        if state:
            out.append(order[state[0]])
        return out

    def read_provenances(self, record: Sequence[int]) -> list[Provenance]:
        """Return the provenances of a record of rows. Raises ValueError when the record makes no sense."""
        call_logs, rest = self._read(record)
        found = [Provenance(_item(call_logs, index), start, end) for index, start, end in _triples(rest)]
        if not found or any(one.end != two.start for one, two in pairwise(found)):
            raise ValueError(f"a record of {len(found)} provenances that do not follow each other")
        return found

    def read_state(self, record: Sequence[int]) -> CallLog:
        """Return the call log of a whole state's record. Raises ValueError when the record makes no sense."""
        call_logs, rest = self._read(record)
        if len(rest) != 1:
            raise ValueError(f"a state's record ends with {len(rest)} integers")
        return _item(call_logs, rest[0])

    def rest(self) -> None:
        """Let go of what was read last."""
        self._last = _Read(array("i"), [], [])

    def key(self, call_log: CallLog) -> bytes:
        """Return what a call log is known by in files."""
        key = self._keys.get(call_log)
        if key is None:
            key = self._keys[call_log] = secrets.token_bytes(_KEY * 4)
            self._call_logs[key] = call_log
        return key

    def _read(self, record: Sequence[int]) -> tuple[list[CallLog], array[int]]:
        """Return the call logs of a record, and what follows.

        Files of one path begin with the same call logs: those of the record that was read last are not read again.
        """
        record = array("i", record)
        reader = _Reader(record)
        count = reader.take(1)[0]
        alike = 1 + count_common(self._last.record[1:], record[1:])
        known = max(0, min(count, bisect_right(self._last.ends, alike)))
        call_logs, read_to = self._last.call_logs[:known], self._last.ends[:known]
        if known > 0:
            reader.take(read_to[-1] - 1)
        for _ in range(known, count):
            key = reader.take(_KEY).tobytes()
            start, base, calls, count = reader.take(4)
            ends = _ends(start, reader.take(calls))
            tokens = reader.take(count)
            is_known = start >= 0 and -1 <= base < len(call_logs) and self._knows(tokens)
            last = [start, start, *ends][-2:]  # begin and end of the last call, of whose tokens not all may be known
            if not (is_known and last[0] + bool(ends) <= start + count <= last[1]):
                raise ValueError(f"a call log from {start} on with {calls} calls and {count} tokens")
            above = None if base < 0 else call_logs[base]
            if above is not None and not above.start <= start <= above.end:
                raise ValueError(f"a call log from {start} on that builds on one over [{above.start}, {above.end})")
            call_logs.append(self._met(key, start, above, ends, tokens))
            read_to.append(reader.at)
        self._last = _Read(record, call_logs, read_to)
        return call_logs, reader.rest()

    def _met(self, key: bytes, start: int, base: CallLog | None, ends: Sequence[int], tokens: array[int]) -> CallLog:
        call_log = self._call_logs.get(key)
        if call_log is None:
            call_log = self._call_logs[key] = CallLog(start, base)
            self._keys[call_log] = key
        if call_log.start != start or call_log.base is not base:
            raise ValueError(f"a call log from {start} on that began at {call_log.start}, or on another one")
        known_ends, known_tokens = call_log.upto(call_log.end)
        ours, theirs = len(known_ends), len(ends)
        same_ends = list(known_ends[:theirs]) == list(ends[:ours])
        if not same_ends or known_tokens[: len(tokens)] != tokens[: len(known_tokens)]:
            raise ValueError(f"a call log from {start} on with other calls than are on record")
        call_log.catch_up(ends, tokens)
        return call_log


class _Read(NamedTuple):
    """A record that was read. call_logs: its call logs; ends: where each ends in it."""

    record: array[int]
    call_logs: list[CallLog]
    ends: list[int]


class _Reader:
    def __init__(self, record: array[int]) -> None:
        self._record, self._at = record, 0

    @property
    def at(self) -> int:
        return self._at

    def take(self, count: int) -> array[int]:
        if count < 0 or self._at + count > len(self._record):
            raise ValueError(f"{count} integers asked at {self._at} of {len(self._record)}")
        self._at += count
        return self._record[self._at - count : self._at]

    def rest(self) -> array[int]:
        return self._record[self._at :]


def _need(needed: dict[CallLog, int], call_log: CallLog, end: int) -> None:
    """Note how far a call log is needed, after the call logs that it builds on, so that bases come first."""
    chain = [(call_log, end)]
    while (above := chain[-1][0]).base is not None and above not in needed:
        chain.append((above.base, above.start))
    for one, upto in reversed(chain):
        needed[one] = max(upto, needed.get(one, 0))


def _ends(start: int, lengths: Sequence[int]) -> list[int]:
    if lengths and min(lengths) < 1:
        raise ValueError(f"a call of {min(lengths)} tokens")
    return list(accumulate(lengths, initial=start))[1:]


def _triples(rest: array[int]) -> Iterator[tuple[int, int, int]]:
    if len(rest) % 3:
        raise ValueError(f"{len(rest)} integers of provenances")
    for at in range(0, len(rest), 3):
        yield rest[at], rest[at + 1], rest[at + 2]


def _item(call_logs: Sequence[CallLog], index: int) -> CallLog:
    if not 0 <= index < len(call_logs):
        raise ValueError(f"call log {index} of {len(call_logs)}")
    return call_logs[index]
