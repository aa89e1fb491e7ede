"""The icons hold every size that a Mac asks for, and show what the drawings show."""

from __future__ import annotations

import shutil
import struct
from pathlib import Path
from random import Random

import pytest
from PySide6.QtGui import QImage
from tools import icons
from tools.icons import AS_ARGB, ENTRIES, FOLDER, ICONS, channels, draw, icns, packed

from tests.seeds import each_seed

SIZES = {b"ic04": 16, b"ic11": 32, b"ic05": 32, b"ic12": 64, b"ic07": 128, b"ic13": 256, b"ic08": 256, b"ic14": 512}
SIZES |= {b"ic09": 512, b"ic10": 1024}
"""What Apple calls each picture, and how many pixels it must have."""


def chunks(data: bytes) -> dict[bytes, bytes]:
    """Read an .icns as any reader of the format does."""
    assert data[:4] == b"icns"
    assert struct.unpack(">I", data[4:8])[0] == len(data)
    found, place = {}, 8
    while place < len(data):
        kind, length = struct.unpack(">4sI", data[place : place + 8])
        assert 8 < length <= len(data) - place
        assert kind not in found
        found[kind] = data[place + 8 : place + length]
        place += length
    assert place == len(data)
    return found


def unpacked(data: bytes, length: int) -> tuple[bytes, bytes]:
    """One channel of so many pixels, and what comes after it."""
    out = bytearray()
    while len(out) < length:
        head, data = data[0], data[1:]
        if head < 128:
            out, data = out + data[: head + 1], data[head + 1 :]
        else:
            out, data = out + data[:1] * (head - 125), data[1:]
    assert len(out) == length
    return bytes(out), data


def picture(kind: bytes, content: bytes) -> QImage:
    """A chunk as pixels."""
    if kind not in AS_ARGB:
        assert content.startswith(b"\x89PNG\r\n\x1a\n")
        return QImage.fromData(content, "PNG")
    assert content[:4] == b"ARGB"
    side, rest, read = SIZES[kind], content[4:], []
    for _ in range(4):
        channel, rest = unpacked(rest, side * side)
        read.append(channel)
    assert rest == b""
    alpha, red, green, blue = read
    pixels = bytes(value for four in zip(red, green, blue, alpha, strict=True) for value in four)
    return QImage(pixels, side, side, side * 4, QImage.Format.Format_RGBA8888).copy()


def furthest(one: QImage, other: QImage) -> int:
    """The greatest difference of any channel of any pixel, in 255ths."""
    pairs = zip(channels(one), channels(other), strict=True)
    return max(abs(a - b) for first, second in pairs for a, b in zip(first, second, strict=True))


@pytest.mark.parametrize("name", ICONS)
def test_every_size_to_1024_is_there(name: str) -> None:
    found = chunks((FOLDER / f"{name}.icns").read_bytes())
    assert found.keys() == SIZES.keys()
    for kind, content in found.items():
        image = picture(kind, content)
        assert image.size().toTuple() == (SIZES[kind], SIZES[kind])
        assert image.hasAlphaChannel()


@pytest.mark.parametrize(("name", "drawing"), ICONS.items())
def test_they_show_what_the_drawings_show(name: str, drawing: str) -> None:
    """Within a rounding of Qt's: another version of it may draw an edge a shade differently."""
    for kind, content in chunks((FOLDER / f"{name}.icns").read_bytes()).items():
        assert furthest(picture(kind, content), draw(drawing, SIZES[kind])) <= 8, kind


@pytest.mark.parametrize(("name", "drawing"), ICONS.items())
def test_they_are_not_empty_and_have_clear_corners(name: str, drawing: str) -> None:
    for entry in ENTRIES:
        image = draw(drawing, entry.pixels)
        last = entry.pixels - 1
        assert [image.pixelColor(x, y).alpha() < 40 for x in (0, last) for y in (0, last)] == [True] * 4
        assert image.pixelColor(entry.pixels // 2, entry.pixels // 2).alpha() == 255


def test_the_fruit_is_seen_at_every_size() -> None:
    """An icon drawn without its gradients or from the wrong file has no orange in it."""
    for drawing in ICONS.values():
        for entry in ENTRIES:
            _, red, green, blue = channels(draw(drawing, entry.pixels))
            assert any(r > 220 and 110 < g < 220 and b < 130 for r, g, b in zip(red, green, blue, strict=True))


def test_making_them_twice_gives_the_same_bytes() -> None:
    assert icns("espalier") == icns("espalier")


def test_what_is_written_is_what_was_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for drawing in ICONS.values():
        for form in ("", "-small"):
            shutil.copy(FOLDER / f"{drawing}{form}.svg", tmp_path)
    monkeypatch.setattr(icons, "FOLDER", tmp_path)
    monkeypatch.setattr("sys.argv", ["icons.py", "--check"])
    assert icons.main() == 1
    monkeypatch.setattr("sys.argv", ["icons.py"])
    assert icons.main() == 0
    monkeypatch.setattr("sys.argv", ["icons.py", "--check"])
    assert icons.main() == 0


def test_a_drawing_that_is_missing_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(icons, "FOLDER", tmp_path)
    with pytest.raises(FileNotFoundError, match=r"espalier-small\.svg"):
        draw("espalier", 16)


@each_seed(range(20))
def test_packing_loses_nothing(seed: int) -> None:
    random = Random(seed)
    lengths = [random.choice((1, 1, 2, 3, 129, 130, 131, 300)) for _ in range(60)]
    channel = b"".join(bytes([random.randrange(256)]) * length for length in lengths)
    content = packed(channel)
    assert unpacked(content, len(channel)) == (channel, b"")


def test_packing_keeps_to_the_lengths_that_readers_know() -> None:
    assert packed(b"\7" * 130) == bytes((255, 7))
    assert packed(b"\7" * 3) == bytes((128, 7))
    assert packed(bytes(range(128))) == bytes((127, *range(128)))
    assert packed(b"\1\1") == bytes((1, 1, 1))
