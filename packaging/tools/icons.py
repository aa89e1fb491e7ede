"""Make resources/icon/*.icns from the drawings beside them (`make icons`).

    python packaging/tools/icons.py            write them
    python packaging/tools/icons.py --check    end with 1 when they are not what would be written now

An .icns file is the four bytes "icns", its length, and one chunk for each picture: a type of four bytes, the chunk's
length with those eight bytes, and the picture. From 64 pixels on a picture is a PNG. At 16 and 32 points some versions
of macOS show PNG chunks wrongly, so there it is "ARGB" and the four channels, each packed in runs, as iconutil writes.
The format is described at https://en.wikipedia.org/wiki/Apple_Icon_Image_format.
"""

from __future__ import annotations

import argparse
import struct
import sys
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QRectF, Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtSvg import QSvgRenderer

FOLDER = Path(__file__).resolve().parents[2] / "resources" / "icon"
ICONS = {"Espalier": "espalier", "EspalierDocument": "document"}
"""Icon file -> drawing; at 16 and 32 pixels the drawing with `-small` in its name."""
SMALL = 32
"""The greatest size in pixels that is drawn from the small drawing, and kept as ARGB where its name asks for it."""
LONGEST_RUN = 130
LONGEST_PLAIN = 128


@dataclass(frozen=True, slots=True)
class Entry:
    """One picture of an icon: the chunk's type and its size in pixels."""

    kind: bytes
    pixels: int


ENTRIES = (
    Entry(b"ic04", 16),
    Entry(b"ic11", 32),  # 16 points at twice the resolution
    Entry(b"ic05", 32),
    Entry(b"ic12", 64),  # 32 at twice
    Entry(b"ic07", 128),
    Entry(b"ic13", 256),  # 128 at twice
    Entry(b"ic08", 256),
    Entry(b"ic14", 512),  # 256 at twice
    Entry(b"ic09", 512),
    Entry(b"ic10", 1024),  # 512 at twice
)
AS_ARGB = frozenset({b"ic04", b"ic05"})


def draw(name: str, pixels: int) -> QImage:
    """The drawing at a size, from its small form where there is no room for the other. ValueError if it is no SVG."""
    path = FOLDER / f"{name}{'-small' if pixels <= SMALL else ''}.svg"
    renderer = QSvgRenderer(QByteArray(path.read_bytes()))
    if not renderer.isValid():
        raise ValueError(f"{path} cannot be drawn")
    image = QImage(pixels, pixels, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    renderer.render(painter, QRectF(0, 0, pixels, pixels))
    painter.end()
    return image.convertToFormat(QImage.Format.Format_ARGB32)


def icns(name: str) -> bytes:
    """The whole file, made from a drawing."""
    chunks = [_chunk(entry.kind, _encoded(draw(name, entry.pixels), entry.kind)) for entry in ENTRIES]
    return _chunk(b"icns", b"".join(chunks))


def _chunk(kind: bytes, content: bytes) -> bytes:
    return kind + struct.pack(">I", len(content) + 8) + content


def _encoded(image: QImage, kind: bytes) -> bytes:
    if kind in AS_ARGB:
        return b"ARGB" + b"".join(packed(channel) for channel in channels(image))
    data = QByteArray()
    buffer = QBuffer(data)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    if not image.save(buffer, "PNG"):  # type: ignore[call-overload]  # bytes, which the stub wants, are refused
        raise ValueError("Qt cannot write PNG")
    return bytes(data.data())


def channels(image: QImage) -> tuple[bytes, bytes, bytes, bytes]:
    """Alpha, red, green and blue of every pixel, row by row."""
    kept = image.convertToFormat(QImage.Format.Format_RGBA8888)
    pixels = bytes(kept.constBits())
    return pixels[3::4], pixels[0::4], pixels[1::4], pixels[2::4]


def packed(channel: bytes) -> bytes:
    """Runs of 3 to 130 equal bytes as (length + 125, byte), the others as (length - 1, bytes), at most 128 of them."""
    out, plain = bytearray(), bytearray()
    for value, group in groupby(channel):
        left = len(list(group))
        while left >= 3:
            out += _plain(plain) + bytes((min(left, LONGEST_RUN) + 125, value))
            plain.clear()
            left -= min(left, LONGEST_RUN)
        plain += bytes([value]) * left
    return bytes(out + _plain(plain))


def _plain(values: bytearray) -> bytes:
    parts = [values[start : start + LONGEST_PLAIN] for start in range(0, len(values), LONGEST_PLAIN)]
    return b"".join(bytes([len(part) - 1]) + part for part in parts)


def main() -> int:
    """Write every icon, or compare."""
    parser = argparse.ArgumentParser(description="Make the .icns files from their drawings.")
    parser.add_argument("--check", action="store_true", help="only compare with what is there")
    is_check = parser.parse_args().check
    for file, drawing in ICONS.items():
        path, wanted = FOLDER / f"{file}.icns", icns(drawing)
        if not is_check:
            path.write_bytes(wanted)
            print(f"resources/icon/{path.name}: {len(ENTRIES)} pictures, {len(wanted) / 1e3:.0f} kB")
        elif not path.exists() or path.read_bytes() != wanted:
            print(f"resources/icon/{path.name} is not what its drawing gives: run `make icons`.", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
