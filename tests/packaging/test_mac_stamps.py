"""A library says for which processors and from which macOS on it is built."""

from __future__ import annotations

from pathlib import Path

import pytest
from mac.stamps import binaries, oldest_for_all, stamp, written

from tests.packaging.mach_o import ARM64, X86_64, fat, slice_for


def library(folder: Path, name: str, data: bytes) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


@pytest.mark.parametrize("is_old", [False, True])
def test_both_kinds_of_stamp_are_read(tmp_path: Path, is_old: bool) -> None:
    found = stamp(library(tmp_path, "a.dylib", slice_for(ARM64, (14, 2), is_old=is_old)))
    assert found.oldest == (14, 2)
    assert found.is_for_arm64


def test_of_two_processors_apple_silicons_stamp_counts(tmp_path: Path) -> None:
    data = fat((X86_64, slice_for(X86_64, (10, 15))), (ARM64, slice_for(ARM64, (15, 0))))
    found = stamp(library(tmp_path, "a.so", data))
    assert found.oldest == (15, 0)
    assert len(found.processors) == 2


def test_a_library_for_intel_alone_is_told_apart(tmp_path: Path) -> None:
    path = library(tmp_path, "intel.so", slice_for(X86_64, (10, 15)))
    assert not stamp(path).is_for_arm64
    with pytest.raises(ValueError, match=r"intel\.so is not built for Apple silicon but for x86_64"):
        oldest_for_all([path])


def test_a_library_without_a_stamp_is_refused(tmp_path: Path) -> None:
    path = library(tmp_path, "bare.so", slice_for(ARM64, None))
    with pytest.raises(ValueError, match=r"bare\.so does not say"):
        stamp(path)


def test_the_most_demanding_library_decides(tmp_path: Path) -> None:
    systems = [(11, 0), (15, 0), (14, 6), (14, 10)]
    paths = [library(tmp_path, f"{n}.so", slice_for(ARM64, each)) for n, each in enumerate(systems)]
    assert oldest_for_all(paths) == (15, 0)
    assert written((14, 10)) == "14.10"


def test_no_library_has_no_oldest_system() -> None:
    with pytest.raises(ValueError, match="empty"):
        oldest_for_all([])


def test_binaries_are_known_by_their_first_bytes_and_found_once(tmp_path: Path) -> None:
    real = library(tmp_path, "Qt.framework/Versions/A/Qt", slice_for(ARM64, (14, 0)))
    library(tmp_path, "linux.so", b"\x7fELF")
    library(tmp_path, "empty.so", b"")
    library(tmp_path, "archive.a", fat((ARM64, b"!<arch>\n")))
    (tmp_path / "Qt").symlink_to(real)
    assert binaries(tmp_path) == [real]
