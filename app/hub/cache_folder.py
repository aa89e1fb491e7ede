"""A repository's folder in the Hugging Face cache, laid out so that every other program finds the model there.

Properties: nothing under `snapshots` appears before every file has arrived and was compared with its digest; until then
all that was fetched bears names of our own that end in ".incomplete", which other programs pass over, and which
`discard` removes; a snapshot appears at once, or its config.json last where another program has begun it.

    models--AUTHOR--NAME/blobs/DIGEST                          a file's content
    models--AUTHOR--NAME/blobs/DIGEST.espalier.incomplete      so much of it as has arrived
    models--AUTHOR--NAME/blobs/DIGEST.espalier.whole.incomplete     all of it, compared
    models--AUTHOR--NAME/snapshots/COMMIT/FILE                 a link to its content
    models--AUTHOR--NAME/refs/main                             the commit that "main" was
"""

from __future__ import annotations

import hashlib
import os
import shutil
from contextlib import suppress
from pathlib import Path

from huggingface_hub.constants import HF_HUB_CACHE
from huggingface_hub.file_download import repo_folder_name

from app.hub.repository import HubFile, Repository

_PART, _WHOLE = ".espalier.incomplete", ".espalier.whole.incomplete"
_LAST = "config.json"
_PIECE = 1 << 20


def usual_cache() -> Path:
    """Return the cache that this process's environment names, as every program with huggingface_hub finds it."""
    return Path(HF_HUB_CACHE)


def is_here(name: str, cache: Path) -> bool:
    """Return whether a cache holds some commit of a repository."""
    snapshots = cache / repo_folder_name(repo_id=name, repo_type="model") / "snapshots"
    return next(snapshots.glob(f"*/{_LAST}"), None) is not None


class CacheFolder:
    """The folder of one repository at one commit."""

    def __init__(self, cache: Path, repository: Repository) -> None:
        self._repository = repository
        name = repo_folder_name(repo_id=repository.name, repo_type="model")
        self._folder = cache / name
        self._blobs = self._folder / "blobs"
        self.snapshot = self._folder / "snapshots" / repository.commit
        self.lock = cache / ".locks" / name / "espalier.lock"

    def part(self, file: HubFile) -> Path:
        """Return where the beginning of a file lies."""
        return self._blobs / f"{file.digest}{_PART}"

    def is_whole(self, file: HubFile) -> bool:
        """Return whether a file has been compared already, and has its size still."""
        return _size(self._whole(file)) == file.size

    def arrived(self, file: HubFile) -> int:
        """Return how many bytes of a file need not be fetched."""
        if self.is_whole(file) or self._content(file) is not None:
            return file.size
        return max(0, min(_size(self.part(file)), file.size))

    def is_complete(self) -> bool:
        """Return whether the model is there, each file in its size."""
        return all(_size(self.snapshot / file.name) == file.size for file in self._repository.files)

    def prepare(self) -> None:
        """Make the folders that are written to. Raises OSError."""
        for folder in (self._blobs, self._folder / "refs", self.snapshot.parent, self.lock.parent):
            folder.mkdir(parents=True, exist_ok=True)

    def adopt(self, file: HubFile) -> bool:
        """Return whether this content is here already, whoever fetched it; a damaged one is put out of the way."""
        while (content := self._content(file)) is not None:
            if digest_of(content, file) == file.digest:
                return True
            content.unlink()
        return False

    def keep(self, file: HubFile) -> None:
        """Take what has arrived of a file as the whole of it: its digest was compared. Raises OSError."""
        os.replace(self.part(file), self._whole(file))

    def publish(self) -> Path:
        """Let the model appear, once every file is whole, and return its folder. Raises OSError."""
        for file in self._repository.files:
            if self.is_whole(file):
                os.replace(self._whole(file), self._blob(file))
        if self.snapshot.is_dir():
            self._link_into(self.snapshot)
        else:
            making = self._folder / f"{self._repository.commit}{_PART}"
            shutil.rmtree(making, ignore_errors=True)
            making.mkdir()
            self._link_into(making)
            os.replace(making, self.snapshot)
        main = self._folder / "refs" / f"main{_PART}"
        main.write_text(self._repository.commit, encoding="ascii")
        os.replace(main, main.with_name("main"))
        return self.snapshot

    def discard(self) -> None:
        """Remove what has arrived of a model that is no longer wanted, and folders that nothing is left in."""
        with suppress(OSError):
            for left in (*self._blobs.glob(f"*{_PART}"), *self._blobs.glob(f"*{_WHOLE}")):
                left.unlink(missing_ok=True)
        shutil.rmtree(self._folder / f"{self._repository.commit}{_PART}", ignore_errors=True)
        for folder in (self._blobs, self._folder / "refs", self.snapshot.parent, self._folder):
            with suppress(OSError):  # something else lies there
                folder.rmdir()
        with suppress(OSError):
            self.lock.unlink(missing_ok=True)
            self.lock.parent.rmdir()

    def _link_into(self, folder: Path) -> None:
        for file in sorted(self._repository.files, key=lambda file: file.name == _LAST):
            link = folder / file.name
            if _size(link) == file.size and not self._is_blob(file):
                continue  # the content itself lies there, on a disk without links
            link.parent.mkdir(parents=True, exist_ok=True)
            link.unlink(missing_ok=True)
            up = "../" * (2 + file.name.count("/"))
            try:
                link.symlink_to(f"{up}blobs/{file.digest}")
            except OSError:  # a disk without links: the content itself, as huggingface_hub puts it there
                os.replace(self._blob(file), link)

    def _blob(self, file: HubFile) -> Path:
        return self._blobs / file.digest

    def _whole(self, file: HubFile) -> Path:
        return self._blobs / f"{file.digest}{_WHOLE}"

    def _content(self, file: HubFile) -> Path | None:
        """Return where a file's content lies by its size; in the snapshot itself on a disk without links."""
        places = (self._blob(file), self.snapshot / file.name)
        return next((path for path in places if _size(path) == file.size), None)

    def _is_blob(self, file: HubFile) -> bool:
        return _size(self._blob(file)) == file.size


def digest_of(path: Path, file: HubFile) -> str:
    """Return the digest of what lies at a path, of the kind that a file has. Raises OSError.

    Git's digest of a blob is the SHA-1 of "blob", its size and its content, https://git-scm.com/book/en/v2/Git-Internals-Git-Objects.
    """
    if len(file.digest) == 64:
        known = hashlib.sha256()
    else:
        known = hashlib.sha1(usedforsecurity=False)
        known.update(b"blob %d\0" % _size(path))
    with path.open("rb") as content:
        while piece := content.read(_PIECE):
            known.update(piece)
    return known.hexdigest()


def _size(path: Path) -> int:
    """Return the size of a file, -1 where there is none."""
    try:
        return path.stat().st_size
    except OSError:
        return -1
