"""The door: what a file is, archives, sizes, and files that cannot be read."""

from __future__ import annotations

import contextlib
import io
import os
import stat
import zipfile
from pathlib import Path

import pytest

from app.exchange import ExchangeError, importing, limits, read_any, read_file, write
from app.exchange import archive as archives
from app.exchange.importing import FileImport
from tests.exchange.samples import forked, outline, packed, random_document, webui_forked


def archive(compression: int = zipfile.ZIP_DEFLATED, **files: bytes) -> bytes:
    """An archive with these files; __ in a name stands for the dot, and ___ for the slash."""
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", compression) as made:
        for name, data in files.items():
            made.writestr(name.replace("___", "/").replace("__", "."), data)
    return whole.getvalue()


def refused(data: bytes) -> str:
    with pytest.raises(ExchangeError) as caught:
        read_any("pears.json", data)
    return caught.value.problem.sentence


def test_the_content_tells_what_a_file_is_and_not_its_name() -> None:
    document = random_document(3)
    for name in ("a.md", "b.zip", "", "/", "c.espalier"):
        assert read_any(name, b"\xef\xbb\xbf" + write(document).encode()).documents == (document,)
        assert outline(read_any(name, packed([forked()])).documents[0]) == outline(
            read_any(name, packed([webui_forked()])).documents[0]
        )


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "it is empty. Choose an .espalier document"),
        (b"# Pears", "line 1, column 1: the JSON is broken here"),
        (b"[]", "there is no conversation in it. Choose"),
        (b"{}", "this is no conversation in a form that Espalier knows. Choose"),
        (b'"x"', "this is no conversation in a form that Espalier knows"),
        (b"[{}]", "conversation 1: this is no conversation in a form that Espalier knows"),
        (b'{"format": "espalier conversation"}', "“version”: has to be a whole number from 1 on"),
        ('{"a": 1}'.encode("utf-16"), "it is not in UTF-8 but, it seems, in UTF-16. Save it in UTF-8"),
        (b'{"a": "\xff"}', "line 1, byte 8: this is not text in UTF-8"),
        (packed([forked()])[:-40], "the JSON is broken here"),
    ],
)
def test_what_is_no_conversation_is_told(data: bytes, words: str) -> None:
    assert words in refused(data)


def test_an_archive_is_looked_into() -> None:
    data = archive(user__json=b"{}", conversations__json=packed([forked()]), chat__html=b"\0")
    assert outline(read_any("export.zip", data).documents[0]) == outline(read_any("x", packed([forked()])).documents[0])
    data = archive(a___conversations_001=b"", a___conversations__json=packed([forked(), forked()]))
    assert len(read_any("export.zip", data).documents) == 2


def test_a_divided_export_is_put_together_in_its_order() -> None:
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w") as made:
        for number in (1, 0):
            made.writestr(f"conversations-00{number}.json", packed([forked() | {"title": str(number)}]))
    found = read_any("export.zip", whole.getvalue())
    assert [document.conversation.title for document in found.documents] == ["0", "1"]


def test_two_files_of_one_name_in_an_archive_are_both_read() -> None:
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w") as made:
        for title in "AB":
            with pytest.warns(UserWarning, match="Duplicate name") if title == "B" else contextlib.nullcontext():
                made.writestr("conversations.json", packed([forked() | {"title": title}]))
    found = read_any("export.zip", whole.getvalue())
    assert [document.conversation.title for document in found.documents] == ["A", "B"]


def test_archives_that_are_none_or_hold_nothing_are_told() -> None:
    good = archive(conversations__json=packed([forked()]))
    assert "there is no “conversations.json” in the archive" in refused(archive(user__json=b"{}"))
    assert "the archive cannot be unpacked" in refused(good[:-30])
    assert "the archive cannot be unpacked" in refused(archive(zipfile.ZIP_LZMA, conversations__json=b"[]"))
    damaged = bytearray(good)
    damaged[60:70] = b"\xff" * 10
    assert "the archive cannot be unpacked" in refused(bytes(damaged))
    assert "“conversations.json”: line 1, column 2: the JSON is broken here" in refused(
        archive(conversations__json=b"[x")
    )
    assert "“conversations.json”: line 1, byte 1: this is not text" in refused(archive(conversations__json=b"\xff"))


def test_a_bomb_is_not_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "LARGEST_FILE", 1 << 20)
    bomb = archive(conversations__json=b" " * (50 << 20))
    assert len(bomb) < 1 << 20
    assert "more than 1 MB are packed in it" in refused(bomb)
    lying = bytearray(archive(conversations__json=b" " * (2 << 20)))
    size = (2 << 20).to_bytes(4, "little")
    assert lying.count(size) == 2
    refused(bytes(lying.replace(size, (100).to_bytes(4, "little"))))
    several = io.BytesIO()
    with zipfile.ZipFile(several, "w", zipfile.ZIP_DEFLATED) as made:
        for number in range(3):
            made.writestr(f"conversations-{number}.json", packed([forked()]) + b" " * (600 << 10))
    assert "more than 1 MB are packed in it" in refused(several.getvalue())


def entry(name: str = "conversations.json", flags: int = 0, mode: int = 0) -> bytes:
    """An archive with one entry of which the directory says this."""
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w") as made:
        info = zipfile.ZipInfo(name)
        info.external_attr = mode << 16
        made.writestr(info, packed([forked()]))
    data = bytearray(whole.getvalue())
    for signature, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.rindex(signature) + place] |= flags
    return bytes(data)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (entry(flags=1), "“conversations.json” is locked with a password"),
        (entry("../conversations.json"), "the name “../conversations.json” leads out of it"),
        (entry("/conversations.json"), "the name “/conversations.json” leads out of it"),
        (entry("C:/conversations.json"), "the name “C:/conversations.json” leads out of it"),
        (entry(mode=stat.S_IFLNK | 0o777), "“conversations.json” is a link"),
    ],
)
def test_an_entry_that_is_no_plain_file_is_told(data: bytes, words: str) -> None:
    assert words in refused(data)
    assert len(read_any("x", entry()).documents) == 1


def test_entries_over_one_another_are_told() -> None:
    """The same data named twice: what is small on the disk would be large when it is unpacked."""
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w") as made:
        for number in range(2):
            made.writestr(f"conversations-{number}.json", packed([forked()]))
    data = bytearray(whole.getvalue())
    first, second = data.index(b"PK\x01\x02"), data.rindex(b"PK\x01\x02")
    data[second + 42 : second + 46] = data[first + 42 : first + 46]
    assert "its files lie over one another" in refused(bytes(data))


def test_an_archive_of_several_disks_is_told() -> None:
    data = bytearray(entry())
    end = data.rindex(b"PK\x05\x06")
    data[end + 4], data[end + 6] = 1, 1
    with contextlib.suppress(AssertionError):  # some versions of the library read it where all of it is there
        assert len(read_any("x", bytes(data)).documents) == 1
    locator = b"PK\x06\x07" + (0).to_bytes(4, "little") + (0).to_bytes(8, "little") + (2).to_bytes(4, "little")
    assert "the archive cannot be unpacked" in refused(bytes(data[:end]) + locator + bytes(data[end:]))


def test_a_list_of_very_many_files_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w") as made:
        made.writestr("conversations.json", packed([forked()]))
        for number in range(200):
            made.writestr(f"{number}.json", b"")
    assert len(read_any("x", whole.getvalue()).documents) == 1
    monkeypatch.setattr(archives, "LARGEST_DIRECTORY", 10_000)
    assert "it holds too many files" in refused(whole.getvalue())


def test_a_pipe_is_no_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pears.json")
    with pytest.raises(ExchangeError, match="it is a device or a pipe"):
        read_file(tmp_path / "pears.json")


def test_limits_of_messages_and_conversations_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    own = write(random_document(3))
    monkeypatch.setattr(limits, "MOST_MESSAGES", 7)
    for value in (forked(), webui_forked()):
        assert len(read_any("x", packed([value])).documents) == 1
    assert "it has more than 13 messages" in refused_by(monkeypatch, "MOST_IN_A_FILE", 13)
    assert "it has more than 1 conversations" in refused_by(monkeypatch, "MOST_CONVERSATIONS", 1)
    monkeypatch.setattr(limits, "MOST_IN_A_FILE", 99)
    monkeypatch.setattr(limits, "MOST_CONVERSATIONS", 99)
    assert "a conversation in it has more than 6 messages" in refused_by(monkeypatch, "MOST_MESSAGES", 6)
    assert len(random_document(3).messages) > 6
    assert "a conversation in it has more than 6 messages" in refused(own.encode())


def refused_by(monkeypatch: pytest.MonkeyPatch, limit: str, value: int) -> str:
    monkeypatch.setattr(limits, limit, value)
    return refused(packed([forked(), forked()]))


def test_what_is_read_is_told_on_the_way_and_can_be_ended(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(importing, "PIECE", 100)
    for name, data in (("a.json", packed([forked()])), ("a.zip", archive(conversations__json=packed([forked()])))):
        (tmp_path / name).write_bytes(data)
        shares: list[float] = []
        assert len(list(FileImport(tmp_path / name, shares.append))) == 1
        assert len(shares) > 5
        assert shares == sorted(shares)
        assert shares[-1] == 1.0

    def stop(_share: float) -> None:
        raise InterruptedError

    with pytest.raises(ExchangeError):  # as an error of the system; the window raises one of its own
        list(FileImport(tmp_path / "a.json", stop))


def test_a_file_has_a_largest_size(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    data = packed([forked()])
    (tmp_path / "a.json").write_bytes(data)
    monkeypatch.setattr(limits, "LARGEST_FILE", len(data))
    assert len(read_file(tmp_path / "a.json").documents) == 1
    monkeypatch.setattr(limits, "LARGEST_FILE", len(data) - 1)
    with pytest.raises(ExchangeError, match="it has more than 0 MB"):
        read_file(tmp_path / "a.json")


def test_files_that_cannot_be_read_are_told(tmp_path: Path) -> None:
    with pytest.raises(ExchangeError, match=r"“pears.json” cannot be read: it is not there"):
        read_file(tmp_path / "pears.json")
    with pytest.raises(ExchangeError, match="cannot be read: a folder has this name"):
        read_file(tmp_path)
    secret = tmp_path / "secret.json"
    secret.write_bytes(b"[]")
    secret.chmod(0)
    if os.access(secret, os.R_OK):  # root may
        secret.chmod(0o600)
        secret.unlink()
        secret.symlink_to(secret)
        with pytest.raises(ExchangeError, match="cannot be read"):
            read_file(secret)
    else:
        with pytest.raises(ExchangeError, match="Espalier may not use it"):
            read_file(secret)
