"""Reading stored state back from its files, each verified before MLX sees it. Model thread only.

The bytes are read on another thread, and not for ever; arrays are made of them on this one.
"""

from __future__ import annotations

import logging
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from app.kvcache.active_paths import ActivePaths
from app.kvcache.call_log import Provenance, append_provenances, cut
from app.kvcache.disk import index
from app.kvcache.disk.call_log_codec import CallLogCodec
from app.kvcache.disk.calls import DiskCalls
from app.kvcache.disk.files import DamagedFileError, SnapshotFile, Tensor
from app.kvcache.disk.identity import runs_of
from app.kvcache.disk.index import Entry
from app.kvcache.disk.layout import Layout
from app.kvcache.disk.stored import RECORD, Load, StoredRows, loader_of, read_record, read_state
from app.kvcache.event_log import EventLog
from app.kvcache.layers import CacheFaultError
from app.kvcache.live_layers import RowSource
from app.kvcache.node import FileRef
from app.kvcache.snapshot import RowsSnapshot, StateSnapshot, TrieNode
from app.protocol.cache_events import CacheEventKind
from app.protocol.reports import Reason

log = logging.getLogger(__name__)


class _Source(NamedTuple):
    """Source of the tensors of a file: the file itself, or what will be in it."""

    names: Sequence[str]
    tensor: Callable[[str], Tensor]
    load: Load
    nbytes: int


class Reader:
    """Reader of the snapshot files of one folder.

    calls: how the disk is reached. data: what a file will hold while it is being written. path_of: the tokens that lead
    to a node's end. lose: told of a file that is of no use any more, and of the edge on which that was found.
    """

    def __init__(
        self,
        paths: ActivePaths,
        event_log: EventLog,
        folder: Path,
        calls: DiskCalls,
        codec: CallLogCodec,
        layout: Layout,
        data: Callable[[FileRef], Mapping[str, Tensor] | None],
        path_of: Callable[[TrieNode], array[int]],
        lose: Callable[[FileRef, TrieNode], None],
    ) -> None:
        self._paths, self._event_log, self._folder, self._codec = paths, event_log, folder, codec
        self._calls = calls
        self._layout, self._data, self._path_of, self._lose = layout, data, path_of, lose
        self._recalled: tuple[tuple[int, int, int], Sequence[RowSource]] | None = None

    def rest(self) -> None:
        """Let go of what was held for a request that has ended."""
        self._recalled = None
        self._codec.rest()

    def verify(self, nodes: Iterable[TrieNode], end: TrieNode) -> bool:
        """Look through the files that entering these nodes, which end with `end`, would read.

        False when one is damaged: it hangs nowhere any more, nor does what needs it. False, too, when the disk does not
        answer; while it is away, nothing on it is to be entered, so there is nothing to look through.
        """
        if self._calls.is_away:
            return True
        try:
            return self._are_sound(list(nodes), end)
        except TimeoutError:
            self._event_log.add(CacheEventKind.FAULT, end.start, len(end.tokens), 0, Reason.DISK)
            return False

    def _are_sound(self, path: Sequence[TrieNode], end: TrieNode) -> bool:
        """Do what `verify` does. Raises TimeoutError."""
        if not self._has_sound_state(end):
            for node in reversed(path):  # the next one that is sound, so that not all begins anew for each
                if self._has_sound_state(node) and (
                    node.stored.state is not None or node.stored.disk_state is not None
                ):
                    break
            return False
        for node in path:
            for ref in node.stored.disk_rows if not node.has_rows_in_memory else ():
                if not self._is_sound(ref, node):
                    self._lose(ref, node)
                    return False
        return True

    def _has_sound_state(self, node: TrieNode) -> bool:
        """Return whether the state at a node's end needs no file or its file can be read; it is lost when it cannot.

        Raises TimeoutError.
        """
        ref = node.stored.disk_state if node.stored.state is None else None
        if ref is None or self._is_sound(ref, node):
            return True
        self._lose(ref, node)
        return False

    def rows(self, node: TrieNode) -> list[StoredRows]:
        """Open the rows of an edge that lie on disk, file by file; their record is the node's from now on.

        Raises CacheFaultError when a file cannot be read after all.
        """
        try:
            opened = [(ref, self._open(ref)) for ref in node.stored.disk_rows]
            if not node.stored.provenances:
                node.stored.provenances = self._provenances(node, opened)
        except (OSError, ValueError, DamagedFileError) as error:
            raise CacheFaultError(f"rows [{node.start}, {node.end}) cannot be read: {error}") from error
        counts = [len(arrays) for arrays in self._layout.rows]
        self._event_log.add(CacheEventKind.READ, node.start, len(node.tokens), sum(file.nbytes for _, file in opened))
        return [
            StoredRows(file.load, ref.start, max(ref.start, node.start), min(ref.end, node.end), counts)
            for ref, file in opened
        ]

    def recall(self, node: TrieNode) -> Sequence[RowSource]:
        """Read the rows of an edge that is computed again, to stay as they were; held until another edge is asked for.

        None of them when a file is damaged or cannot be read now: then nothing hangs there any more.
        """
        if self._recalled is None or self._recalled[0] != (node.id, node.start, node.end):
            self._recalled = None
            try:
                damaged = next((ref for ref in node.stored.disk_rows if not self._is_sound(ref, node)), None)
                found = [RowsSnapshot(tuple(rows.layers)) for rows in self.rows(node)] if damaged is None else []
            except (CacheFaultError, RuntimeError, TimeoutError):
                log.warning("rows [%d, %d) are computed again", node.start, node.end, exc_info=True)
                damaged = node.stored.disk_rows[0]
            if damaged is not None:
                self._lose(damaged, node)
                return ()
            self._recalled = (node.id, node.start, node.end), found
        return self._recalled[1]

    def contents(self, ref: FileRef, node: TrieNode) -> list[Tensor] | None:
        """Return all that is in a file of rows which hangs on this edge. None when it cannot be read, or is damaged."""
        try:
            if not self._is_sound(ref, node):
                return None
            file = self._open(ref)
            return [file.tensor(name) for name in file.names]
        except (OSError, DamagedFileError):
            log.warning("rows [%d, %d) cannot be read", ref.start, ref.end, exc_info=True)
            return None

    def state(self, node: TrieNode) -> StateSnapshot:
        """Read the whole state at a node's end. Raises CacheFaultError when it cannot be read after all."""
        try:
            if node.stored.disk_state is None:
                raise ValueError("there is no file")
            file = self._open(node.stored.disk_state)
            call_log = self._codec.read_state(read_record(file.tensor(RECORD)))
            found = read_state(file.load, file.names, call_log, self._paths.arrays_of_states())
        except (OSError, ValueError, RuntimeError, DamagedFileError) as error:
            raise CacheFaultError(f"the state at {node.end} cannot be read: {error}") from error
        self._event_log.add(CacheEventKind.READ, node.end, 0, found.nbytes)
        return found

    def _open(self, ref: FileRef) -> _Source:
        data = self._data(ref)
        if data is not None:
            nbytes = sum(len(tensor.data) for tensor in data.values())
            return _Source(tuple(data), data.__getitem__, loader_of(data.__getitem__), nbytes)
        path = self._folder / ref.name
        file = self._calls.read(lambda: SnapshotFile(path))

        def tensor(name: str) -> Tensor:
            return self._calls.read(lambda: file.tensor(name))

        return _Source(file.names, tensor, loader_of(tensor), file.nbytes)

    def _provenances(self, node: TrieNode, opened: Sequence[tuple[FileRef, _Source]]) -> list[Provenance]:
        provenances: list[Provenance] = []
        for ref, file in opened:
            record = self._codec.read_provenances(read_record(file.tensor(RECORD)))
            begin, end = max(ref.start, node.start), min(ref.end, node.end)
            append_provenances(provenances, cut(cut(record, end)[0], begin)[1])
        if (provenances[0].start, provenances[-1].end) != (node.start, node.end):
            raise ValueError(f"recorded from {provenances[0].start} to {provenances[-1].end}")
        return provenances

    def _is_sound(self, ref: FileRef, node: TrieNode) -> bool:
        """Return whether a file holds what was written and what this model keeps, and belongs where it hangs.

        One that is being written does. Raises TimeoutError when the disk does not answer.
        """
        if self._data(ref) is not None:
            return True
        try:
            file, entry, path, record = self._calls.read(lambda: _verified(self._folder / ref.name))
            is_like = (entry.start, entry.end, entry.runs, entry.above) == (ref.start, ref.end, ref.runs, ref.above)
            if not is_like or path[: node.end] != self._path_of(node)[: entry.end]:
                raise ValueError("it belongs elsewhere")
            self._require_fit(file, entry, record)
        except TimeoutError:
            raise
        except (OSError, ValueError, DamagedFileError) as error:
            log.warning("a snapshot cannot be used: %s", error)
            return False
        return True

    def _require_fit(self, file: SnapshotFile, entry: Entry, record: array[int]) -> None:
        """Raises ValueError when the arrays are not what the model keeps, or the record is of something else."""
        tokens = entry.end - entry.start
        if entry.kind == "state":
            call_log = self._codec.read_state(record)
            fits = self._layout.fits_state(file.kinds)
            ends = [call.end for call in call_log.calls(entry.end - 1, entry.end)]
            is_of = entry.end == call_log.start or ends == [entry.end]
        else:
            provenances = self._codec.read_provenances(record)
            fits = self._layout.fits_rows(file.kinds, tokens)
            is_whole = (provenances[0].start, provenances[-1].end) == (entry.start, entry.end)
            is_of = (
                is_whole
                and runs_of(provenances, self._codec) == entry.runs
                and all(_is_in_call_log(one) for one in provenances)
            )
        if not fits or not is_of:
            raise ValueError(
                f"{tokens} tokens of {len(file.kinds)} arrays that the model does not keep, or of other calls"
            )


def _verified(path: Path) -> tuple[SnapshotFile, Entry, array[int], array[int]]:
    """Return a file that holds what was written, with its entry, the tokens of its path, and its record of calls."""
    file = SnapshotFile(path)
    file.verify()
    return file, *index.read_entry(file), read_record(file.tensor(RECORD))


def _is_in_call_log(provenance: Provenance) -> bool:
    return provenance.call_log.start <= provenance.start < provenance.end <= provenance.call_log.end
