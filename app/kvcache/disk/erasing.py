"""Erasing an owner from the files of a model that is not open, as the cache does of one that is.

Its trie is made from the files, without arrays: what only this owner used goes, of a file that others built on its
beginning stays, and the index is written anew, without the owner. Nothing may be writing in the folder. On a full disk
what others had may go, too.
"""

from __future__ import annotations

import logging
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from app.kvcache.disk import files, index
from app.kvcache.disk.call_log_codec import CallLogCodec
from app.kvcache.disk.cutting import cut_rows
from app.kvcache.disk.files import DamagedFileError, SnapshotFile
from app.kvcache.disk.hanging import entry_of, listed, settle
from app.kvcache.disk.identity import clipped
from app.kvcache.disk.loading import Loader
from app.kvcache.node import FileRef
from app.kvcache.snapshot import CacheTrie, TrieNode
from app.kvcache.trie import Trie
from app.kvcache.usage import disown

T = TypeVar("T")
log = logging.getLogger(__name__)


def erase(folder: Path, owner: str) -> None:
    """Erase what only this owner used. What cannot be read goes, too: it is of no use, and may be the owner's.

    Raises OSError when the files cannot be listed or deleted, or the index not be written.
    """
    _Folder(folder).erase(owner)


class _Folder:
    """Files of one model, and where they hang."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._sizes = files.sweep(folder)
        self._trie: CacheTrie = Trie()
        self._codec = CallLogCodec()
        self._erased = files.erased(folder)
        Loader(self._trie, folder, self, erased=self._erased).load(self._sizes)

    def read(self, function: Callable[[], T]) -> T:
        """Return what a function returns that reads files."""
        return function()

    def erase(self, owner: str) -> None:
        if not self._sizes:
            files.delete(self._folder, files.INDEX)
            return
        try:
            files.add_erased(self._folder, owner)
        except OSError as error:
            log.warning("it cannot be noted whose snapshots were erased: %s", error.strerror or error)
        for node in reversed(list(disown(self._trie, owner))):
            self._trie.remove(node)
        settle(self._trie, self._shorten)
        for name in self._sizes.keys() - {ref.name for ref in self._trie.files}:
            files.delete(self._folder, name)
        files.write_index(self._folder, index.save(listed(self._trie, self._sizes.__getitem__)))

    def _shorten(self, ref: FileRef, node: TrieNode) -> FileRef | None:
        try:
            return self._shortened(ref, node)
        except (OSError, DamagedFileError, ValueError):
            log.warning("what is left of a snapshot is not kept", exc_info=True)
            return None

    def _shortened(self, ref: FileRef, node: TrieNode) -> FileRef:
        """Raises OSError, DamagedFileError and ValueError."""
        file = SnapshotFile(self._folder / ref.name)
        file.verify()
        _, path = index.read_entry(file)
        data = cut_rows([file.tensor(name) for name in file.names], ref.start, node.end, self._codec)
        new = FileRef("", ref.start, node.end, clipped(ref.runs, ref.start, node.end), ref.above)
        about = entry_of(node, "rows", new, 0, len(self._erased) + 1).about | {"id": secrets.token_hex(8)}
        new.name, nbytes = files.write(self._folder, [index.path_tensor(path[: node.end]), *data], about)
        self._sizes[new.name] = nbytes
        return new
