"""Files that people attach: the text of those that have one, and a sentence for each that has none."""

from __future__ import annotations

import os
import random
import socket
import time
from contextlib import suppress
from pathlib import Path

import pytest

from app.attaching import files, pdf
from app.attaching.faults import AttachmentError
from app.attaching.files import name_of, read_file
from app.protocol.chat import Attachment
from app.protocol.reports import Problem
from tests.attaching import pdfs

WORDS = "Grüße, Ω and 😀: pears\n"


def refusal(path: Path) -> Problem:
    with pytest.raises(AttachmentError) as caught:
        read_file(path)
    problem = caught.value.problem
    assert problem.title == f"{name_of(path)} cannot be attached"
    assert problem.sentence.endswith(".")
    return problem


def put(folder: Path, name: str, content: bytes) -> Path:
    path = folder / name
    path.write_bytes(content)
    return path


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"], ids=["utf-8", "with mark", "utf-16", "utf-32"]
)
def test_text_is_read_however_it_says_that_it_is_written(tmp_path: Path, encoding: str) -> None:
    read = read_file(put(tmp_path, "a.txt", WORDS.encode(encoding)))
    assert read == (Attachment("a.txt", "text", WORDS), "")


def test_what_does_not_say_is_read_as_latin_1_and_that_is_told(tmp_path: Path) -> None:
    read = read_file(put(tmp_path, "a.txt", "Grüße".encode("latin-1")))
    assert read.attachment.text == "Grüße"
    assert "Latin-1" in read.note


def test_lines_end_alike(tmp_path: Path) -> None:
    assert read_file(put(tmp_path, "a.csv", b"a\r\nb\rc\n")).attachment.text == "a\nb\nc\n"


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("a.txt", "text"),
        ("a", "text"),
        ("README.MD", "markdown"),
        ("a.py", "code"),
        ("a.Json", "data"),
        ("a.c", "code"),
    ],
)
def test_its_name_tells_its_kind(tmp_path: Path, name: str, kind: str) -> None:
    assert read_file(put(tmp_path, name, b"x")).attachment.kind == kind


def test_every_name_of_a_file_is_one_that_can_be_stored(tmp_path: Path) -> None:
    rng = random.Random(1)
    names = ["a\nb.txt", "\u202eexe.txt", " .txt", "a" * 250, "\udcff.txt", "\u2028"]
    names += [
        "".join(chr(rng.choice([rng.randrange(1, 0x300), 0x1F600, 0x2028])) for _ in range(9)) for _ in range(200)
    ]
    for name in names:
        Attachment(name_of(Path(name.replace("/", ":"))), "text", "")
    assert name_of(Path("a\nb.txt")) == "a b.txt"


def test_a_pdf_says_its_pages(tmp_path: Path) -> None:
    for name in ("a.pdf", "scan without a suffix"):
        read = read_file(put(tmp_path, name, pdfs.pdf("Medlars keep", "", "until March")))
        assert read.attachment.text == "Medlars keep\n\nuntil March"


def test_a_pdf_that_everybody_may_read_is_read(tmp_path: Path) -> None:
    assert read_file(put(tmp_path, "a.pdf", pdfs.encrypted(""))).attachment.text == "Medlars keep"


REFUSED = [
    ("a.txt", b"", "no text in it"),
    ("a.txt", b" \n\t ", "no text in it"),
    ("a.png", b"\x89PNG\r\n\x1a\n\0\0\0", "is not text"),
    ("a.txt", "a\0b".encode("utf-16"), "is not text"),
    ("a.bin", bytes(range(1, 256)) * 4, "is not text"),
    ("a.pdf", b"hello", "not a PDF"),
    ("a.pdf", b"%PDF-1.7\n%%EOF", "not a PDF"),
    ("a.pdf", pdfs.pdf("Medlars")[:120], "not a PDF"),
    ("a.pdf", pdfs.pdf("", ""), "its pages are pictures"),
    ("a.pdf", pdfs.encrypted("secret"), "is encrypted"),
]


@pytest.mark.parametrize(("name", "content", "words"), REFUSED)
def test_what_has_no_text_is_refused_with_its_own_sentence(
    tmp_path: Path, name: str, content: bytes, words: str
) -> None:
    assert words in refusal(put(tmp_path, name, content)).sentence


def test_what_is_no_file_is_refused_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(tmp_path / "pipe.txt")
    os.mkfifo(tmp_path / "pipe.pdf")
    (tmp_path / "folder.pdf").mkdir()
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    with socket.socket(socket.AF_UNIX) as listening:
        monkeypatch.chdir(tmp_path)  # the path of a socket is short
        listening.bind("socket")
        assert "cannot be read" in refusal(tmp_path / "socket").sentence
    for name, words in (
        ("pipe.txt", "pipe or a device"),
        ("pipe.pdf", "pipe or a device"),
        ("folder.pdf", "is a folder"),
        ("gone.txt", "not there any more"),
        ("gone.pdf", "not there any more"),
        ("loop", "cannot be read"),
    ):
        assert words in refusal(tmp_path / name).sentence
    assert "pipe or a device" in refusal(Path("/dev/zero")).sentence


@pytest.mark.parametrize("suffix", [".txt", ".pdf"])
def test_a_huge_file_is_refused_by_its_size(tmp_path: Path, suffix: str) -> None:
    path = put(tmp_path, f"a{suffix}", b"%PDF-")
    with path.open("r+b") as file:
        file.truncate(40 << 30)
    assert "42.9\u00a0GB" in refusal(path).sentence


def test_more_characters_than_may_be_attached_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MOST_CHARACTERS", 10)
    assert "It has 11\u00a0characters, and 10 can be" in refusal(put(tmp_path, "a.txt", b"x" * 11)).sentence
    assert "more than 10 characters" in refusal(put(tmp_path, "a.pdf", pdfs.pdf("Medlars" * 9))).sentence


def test_a_pdf_that_unpacks_without_an_end_takes_no_memory_here(tmp_path: Path) -> None:
    assert refusal(put(tmp_path, "a.pdf", pdfs.bomb())).sentence


def test_a_process_that_holds_too_much_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf, "MOST_MEMORY", 1)
    assert "too much memory" in refusal(put(tmp_path, "a.pdf", pdfs.pdf("Medlars"))).sentence


def test_a_pdf_that_takes_too_long_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = put(tmp_path, "a.pdf", pdfs.pdf("Medlars"))
    with pytest.raises(AttachmentError, match="too long to read"):
        pdf.text_of_pdf(path, "a.pdf", 100, lambda: True, seconds=0.0)
    asked = iter([True, True])
    with pytest.raises(AttachmentError, match="too long to read"):
        pdf.text_of_pdf(path, "a.pdf", 100, lambda: next(asked, False), seconds=time.monotonic())


def test_no_random_damage_of_a_pdf_is_anything_but_a_text_or_a_refusal(tmp_path: Path) -> None:
    rng, sound = random.Random(4), pdfs.pdf("Medlars keep", "until March")
    for number in range(6):
        content = bytearray(sound)
        for _ in range(rng.choice([1, 5, 60])):
            content[rng.randrange(len(content))] = rng.randrange(256)
        path = put(tmp_path, f"{number}.pdf", bytes(content))
        with suppress(AttachmentError):
            assert read_file(path).attachment.text.strip()
