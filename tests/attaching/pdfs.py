"""Small PDFs made by hand, sound and hostile. https://opensource.adobe.com/dc-acrobat-sdk-docs/pdfstandards/"""

from __future__ import annotations

import io
import zlib

from pypdf import PdfReader, PdfWriter


def pdf(*pages: str) -> bytes:
    """A PDF whose pages say these words, one line each."""
    streams = [f"BT /F1 12 Tf 72 700 Td ({page}) Tj ET".encode() if page else b"0 0 100 100 re f" for page in pages]
    return of_streams(*[(stream, b"") for stream in streams])


def of_streams(*streams: tuple[bytes, bytes]) -> bytes:
    """A PDF of pages with these contents, each with more entries for its dictionary."""
    first = 4
    kids = " ".join(f"{first + 2 * at} 0 R" for at in range(len(streams))).encode()
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [%s] /Count %d >>" % (kids, len(streams)),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for at, (stream, more) in enumerate(streams):
        contents = first + 2 * at + 1
        objects.append(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents %d 0 R"
            b" /Resources << /Font << /F1 3 0 R >> >> >>" % contents
        )
        objects.append(b"<< /Length %d %s >>\nstream\n%s\nendstream" % (len(stream), more, stream))
    out, places = bytearray(b"%PDF-1.7\n"), []
    for number, content in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % place for place in places)
    out += b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, start)
    return bytes(out)


def encrypted(password: str) -> bytes:
    """A PDF that opens with this password only; "" is what every reader tries."""
    writer = PdfWriter()
    writer.append(PdfReader(io.BytesIO(pdf("Medlars keep"))))
    writer.encrypt(password, "owner", algorithm="RC4-128")
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def bomb() -> bytes:
    """A PDF of a megabyte whose page unpacks to a gigabyte."""
    squeezed = zlib.compressobj(9)
    zeros = b" " * (1 << 20)
    stream = b"".join(squeezed.compress(zeros) for _ in range(1 << 10)) + squeezed.flush()
    return of_streams((stream, b"/Filter /FlateDecode"))
