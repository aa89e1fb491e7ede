"""A model comes whole or not at all, whatever the server and the network do."""

from __future__ import annotations

import errno
import os
import random
from collections import namedtuple
from pathlib import Path

import pytest

from app.hub import cache_folder, fetch, transfer
from app.hub.connection import Connection
from app.hub.faults import HubError
from app.hub.repository import Repository, describe
from tests.hub.conftest import NAME
from tests.hub.server import COMMIT, Handler, Hub, Repo, model_files
from tests.seeds import each_seed

NEEDED = {
    "config.json",
    "tokenizer.json",
    "model-00001-of-00002.safetensors",
    "model-00002-of-00002.safetensors",
}
WEIGHTS = "model-00002-of-00002.safetensors"


def IGNORE(done: int, name: str, is_checked: bool) -> None:
    pass


REST = lambda _seconds: None  # noqa: E731 - nobody waits in a test


def without_links(self: Path, target: str) -> None:
    raise OSError(errno.EPERM, "Operation not permitted")


def bring(connection: Connection, cache: Path) -> Path:
    return fetch.fetch(connection, describe(connection, NAME), cache, IGNORE, REST)


def assert_whole(folder: Path, files: dict[str, bytes]) -> None:
    assert {path.name for path in folder.iterdir()} == NEEDED
    for name in NEEDED:
        assert (folder / name).read_bytes() == files[name], name


def assert_no_model(cache: Path) -> None:
    """Nothing lies where another program, or our own list, would take it for a model."""
    snapshots = [path for path in cache.glob("models--*/snapshots/*") if any(path.iterdir())]
    assert snapshots == []
    assert all(path.name.endswith(".incomplete") for path in cache.glob("models--*/blobs/*"))


def failing(connection: Connection, cache: Path) -> HubError:
    with pytest.raises(HubError) as caught:
        bring(connection, cache)
    assert_no_model(cache)
    return caught.value


def test_a_model_lies_where_every_program_looks(hub: Hub, connection: Connection, cache: Path) -> None:
    from huggingface_hub import scan_cache_dir, try_to_load_from_cache

    folder = bring(connection, cache)
    assert folder == cache / "models--mlx-community--Tiny-1B-4bit" / "snapshots" / COMMIT
    assert_whole(folder, hub.repos[NAME].files)
    assert try_to_load_from_cache(NAME, WEIGHTS, cache_dir=cache) == str(folder / WEIGHTS)
    scanned = scan_cache_dir(cache)
    assert not scanned.warnings
    (repo,) = scanned.repos
    (revision,) = repo.revisions
    assert (repo.repo_id, revision.commit_hash, revision.refs, revision.nb_files) == (NAME, COMMIT, {"main"}, 4)


def test_only_what_a_model_needs_is_asked_for(hub: Hub, connection: Connection, cache: Path) -> None:
    bring(connection, cache)
    assert {path.rpartition("/")[2] for path in hub.paths("resolve")} == NEEDED


def test_a_model_that_is_there_is_not_fetched_again(hub: Hub, connection: Connection, cache: Path) -> None:
    first = bring(connection, cache)
    hub.asked.clear()
    assert bring(connection, cache) == first
    assert not hub.paths("resolve")


def test_what_another_program_began_is_used_and_completed(hub: Hub, connection: Connection, cache: Path) -> None:
    """Its blob is compared first: one that is damaged is fetched again."""
    folder = bring(connection, cache)
    kept, damaged = folder / "model-00001-of-00002.safetensors", (folder / WEIGHTS).resolve()
    damaged.write_bytes(bytes(damaged.stat().st_size))
    for name in NEEDED - {kept.name}:
        (folder / name).unlink()
    hub.asked.clear()
    assert_whole(bring(connection, cache), hub.repos[NAME].files)
    assert {path.rpartition("/")[2] for path in hub.paths("resolve")} == {WEIGHTS}


def damaged(path: Path, dice: random.Random) -> None:
    """Damage a file, in its size or in another one, or take it away."""
    content = bytearray(path.read_bytes())
    harm = dice.randrange(4)
    if harm == 0:
        content[dice.randrange(len(content))] ^= 1 << dice.randrange(8)
    elif harm == 1:
        del content[dice.randrange(len(content)) :]
    elif harm == 2:
        content += b"x"
    path.unlink()
    if harm < 3:
        path.write_bytes(content)


@each_seed(range(10))
def test_what_of_a_model_is_damaged_is_fetched_again_and_nothing_else(
    hub: Hub, connection: Connection, tmp_path: Path, seed: int
) -> None:
    """By its checksum: most damage leaves a file's size. On a disk without links, too."""
    dice, cache = random.Random(seed), tmp_path / "cache"
    with pytest.MonkeyPatch.context() as patch:
        if dice.random() < 0.5:
            patch.setattr(Path, "symlink_to", without_links)
        folder = bring(connection, cache)
        harmed = set(dice.sample(sorted(NEEDED), dice.randrange(1, len(NEEDED) + 1)))
        for name in sorted(harmed):
            damaged((folder / name).resolve(), dice)
        for _ in range(2):
            hub.asked.clear()
            assert_whole(bring(connection, cache), hub.repos[NAME].files)
            assert {path.rpartition("/")[2] for path in hub.paths("resolve")} == harmed
            harmed = set()


def test_progress_never_goes_back_and_ends_with_everything(hub: Hub, connection: Connection, cache: Path) -> None:
    told: list[int] = []
    repository = describe(connection, NAME)
    fetch.fetch(connection, repository, cache, lambda done, name, is_checked: told.append(done), REST)
    assert told == sorted(told)
    assert told[-1] == repository.bytes == sum(len(hub.repos[NAME].files[name]) for name in NEEDED)


@each_seed(range(12))
def test_connections_that_break_at_random_bytes(
    hub: Hub, connection: Connection, cache: Path, tmp_path: Path, seed: int
) -> None:
    """However often they break, each byte that arrived is kept, and the model is the same."""
    rng = random.Random(seed)
    hub.repos[NAME] = Repo(model_files(seed, rng.randrange(4_000, 400_000)))
    longest = rng.randrange(1_000, 200_000)

    def breaks(handler: Handler) -> bool:
        content = handler.content()
        if content is None or len(content) - handler.start <= longest:
            return False
        start, sent = handler.start, rng.randrange(1, longest + 1)
        headers = {"Content-Length": str(len(content) - start)}
        if start:
            headers["Content-Range"] = f"bytes {start}-{len(content) - 1}/{len(content)}"
        handler.head(206 if start else 200, headers)
        handler.wfile.write(content[start : start + sent])
        if rng.random() < 0.5:
            handler.cut()
        handler.close_connection = True
        return True

    hub.misdeeds[:] = [breaks]
    assert_whole(bring(connection, tmp_path / "cache"), hub.repos[NAME].files)


def test_a_download_goes_on_where_it_was_given_up(hub: Hub, connection: Connection, cache: Path) -> None:
    content = hub.repos[NAME].files[WEIGHTS]
    arrived = 7_000

    def stops(handler: Handler) -> bool:
        if handler.content() != content:
            return False
        if handler.start:
            handler.cut()
        else:
            handler.head(200, {"Content-Length": str(len(content))})
            handler.wfile.write(content[:arrived])
            handler.close_connection = True
        return True

    hub.misdeeds.append(stops)
    error = failing(connection, cache)
    assert error.is_passing
    assert "resume" in error.problem.sentence or "kept" in error.problem.sentence
    hub.misdeeds.clear()
    hub.asked.clear()
    assert_whole(bring(connection, cache), hub.repos[NAME].files)
    ranges = [headers.get("Range") for path, headers in hub.asked if path.endswith(WEIGHTS)]
    assert ranges == [f"bytes={arrived}-"]
    assert len(hub.paths("resolve")) == 1


def test_wrong_content_is_fetched_once_more_and_then_given_up(hub: Hub, connection: Connection, cache: Path) -> None:
    files = hub.repos[NAME].files
    told = files[WEIGHTS]

    def lies(handler: Handler) -> bool:
        if handler.content() != told:
            return False
        handler.file(bytes(len(told)))
        return True

    hub.misdeeds.append(lies)
    assert failing(connection, cache).problem.title == "The checksum does not match"
    assert len(hub.paths(WEIGHTS)) == 2
    hub.misdeeds.clear()
    assert_whole(bring(connection, cache), files)


def test_small_files_are_compared_too(hub: Hub, connection: Connection, cache: Path) -> None:
    def lies(handler: Handler) -> bool:
        if not handler.path.endswith("config.json"):
            return False
        handler.file(b'{"model_type": "evil!"}')
        return True

    assert len(b'{"model_type": "evil!"}') == len(hub.repos[NAME].files["config.json"])
    hub.misdeeds.append(lies)
    assert failing(connection, cache).problem.title == "The checksum does not match"


def test_a_damaged_beginning_is_noticed(hub: Hub, connection: Connection, cache: Path) -> None:
    """What lay on the disk since the last time may have been damaged meanwhile: the checksum says so."""
    repository = describe(connection, NAME)
    folder = cache_folder.CacheFolder(cache, repository)
    folder.prepare()
    file = next(file for file in repository.files if file.name == WEIGHTS)
    folder.part(file).write_bytes(b"\xff" * 5_000)
    assert_whole(bring(connection, cache), hub.repos[NAME].files)
    assert [headers.get("Range") for path, headers in hub.asked if WEIGHTS in path] == ["bytes=5000-", None]


def test_a_beginning_that_is_too_long_is_begun_anew(hub: Hub, connection: Connection, cache: Path) -> None:
    repository = describe(connection, NAME)
    folder = cache_folder.CacheFolder(cache, repository)
    folder.prepare()
    for file in repository.files:
        folder.part(file).write_bytes(bytes(file.size + 1))
    assert_whole(bring(connection, cache), hub.repos[NAME].files)


def test_a_server_that_lies_about_lengths(hub: Hub, connection: Connection, cache: Path) -> None:
    """Too short: the rest is asked for. Too long: nothing beyond the file's size is written."""
    content = hub.repos[NAME].files[WEIGHTS]
    lie = -1

    def lies(handler: Handler) -> bool:
        if handler.content() != content:
            return False
        start = handler.start
        body = content[start:] + b"more" * 1000
        sent = body[: max(1, len(content) - start + lie)]
        headers = {"Content-Length": str(len(sent))}
        if start:
            headers["Content-Range"] = f"bytes {start}-{len(content) - 1}/{len(content)}"
        handler.reply(206 if start else 200, sent, headers)
        return True

    hub.misdeeds.append(lies)
    assert_whole(bring(connection, cache / "short"), hub.repos[NAME].files)
    lie = 3000
    error = failing(connection, cache / "long")
    assert "sends more" in error.problem.sentence
    assert max(path.stat().st_size for path in cache.glob("long/*/blobs/*")) <= len(content)


def test_a_server_that_knows_no_ranges(hub: Hub, connection: Connection, cache: Path) -> None:
    content = hub.repos[NAME].files[WEIGHTS]
    has_broken = False

    def whole(handler: Handler) -> bool:
        nonlocal has_broken
        if handler.content() != content:
            return False
        handler.head(200, {"Content-Length": str(len(content))})
        handler.wfile.write(content[: len(content) if has_broken else 5_000])
        if not has_broken:
            has_broken = True
            handler.cut()
        return True

    hub.misdeeds.append(whole)
    assert_whole(bring(connection, cache), hub.repos[NAME].files)


@pytest.mark.parametrize("claimed", ["bytes 0-19999/20000", "bytes 4000-19999/20001", "nonsense", ""])
def test_another_range_than_was_asked_for_is_never_appended(
    hub: Hub, connection: Connection, cache: Path, claimed: str
) -> None:
    content = hub.repos[NAME].files[WEIGHTS]

    def lies(handler: Handler) -> bool:
        if handler.content() != content:
            return False
        if not handler.start:
            return len(hub.paths(WEIGHTS)) == 1 and _send_some(handler, content)
        handler.reply(206, content[handler.start :], {"Content-Range": claimed} if claimed else {})
        return True

    hub.misdeeds.append(lies)
    assert_whole(bring(connection, cache), hub.repos[NAME].files)
    assert [headers.get("Range") for path, headers in hub.asked if WEIGHTS in path] == [None, "bytes=4000-", None]


def _send_some(handler: Handler, content: bytes) -> bool:
    handler.head(200, {"Content-Length": str(len(content))})
    handler.wfile.write(content[:4000])
    handler.close_connection = True
    return True


def test_a_drip_is_a_connection_that_broke(
    hub: Hub, connection: Connection, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transfer, "SLOW_SECONDS", 0.05)
    monkeypatch.setattr(transfer, "TRIES", 2)
    content = hub.repos[NAME].files[WEIGHTS]

    def drips(handler: Handler) -> bool:
        if handler.content() != content or len(hub.paths(WEIGHTS)) > 1:
            return False
        handler.head(200, {"Content-Length": str(len(content))})
        handler.drip(content, 1, 0.02)
        return True

    hub.misdeeds.append(drips)
    assert_whole(bring(connection, cache), hub.repos[NAME].files)
    assert len(hub.paths(WEIGHTS)) == 2


def test_a_hub_that_asks_to_wait_is_waited_for(hub: Hub, connection: Connection, cache: Path) -> None:
    waited: list[float] = []

    def refuses(handler: Handler) -> bool:
        if handler.content() is None or len(hub.paths("resolve")) > 2:
            return False
        handler.reply(429, b"", {"Retry-After": "7"})
        return True

    hub.misdeeds.append(refuses)
    fetch.fetch(connection, describe(connection, NAME), cache, IGNORE, waited.append)
    assert waited == [7.0, 7.0]


def test_a_file_that_vanished_ends_it_with_a_sentence(hub: Hub, connection: Connection, cache: Path) -> None:
    repository = describe(connection, NAME)
    del hub.repos[NAME].files[WEIGHTS]
    with pytest.raises(HubError, match="not any more"):
        fetch.fetch(connection, repository, cache, IGNORE, REST)
    assert_no_model(cache)


def test_a_disk_that_is_too_small_is_told_before_anything_is_fetched(
    hub: Hub, connection: Connection, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr("shutil.disk_usage", lambda place: usage(0, 0, fetch.RESERVE + 1000))
    error = failing(connection, cache)
    assert error.problem.title == "There is not enough space"
    assert not hub.paths("resolve")
    assert not cache.exists()


def test_a_disk_that_becomes_full_keeps_what_has_arrived(
    hub: Hub, connection: Connection, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write, left = os.write, 25_000

    def full(file: int, data: bytes) -> int:
        nonlocal left
        if left <= 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        left -= (done := write(file, bytes(data)[:left]))
        return done

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", full)
        assert failing(connection, cache).problem.title == "The disk is full"
    before = fetch.space_for(describe(connection, NAME), cache).missing
    assert 0 < before < describe(connection, NAME).bytes
    assert_whole(bring(connection, cache), hub.repos[NAME].files)


def test_two_do_not_fetch_the_same_at_once(hub: Hub, connection: Connection, cache: Path) -> None:
    import filelock

    folder = cache_folder.CacheFolder(cache, describe(connection, NAME))
    folder.prepare()
    with filelock.FileLock(folder.lock):
        assert failing(connection, cache).problem.title == "It is being fetched already"
    assert_whole(bring(connection, cache), hub.repos[NAME].files)


def test_giving_up_leaves_nothing_of_ours(hub: Hub, connection: Connection, cache: Path) -> None:
    hub.misdeeds.append(lambda handler: handler.path.endswith(WEIGHTS) and _send_some(handler, b"x" * 20_000))
    failing(connection, cache)
    assert list(cache.glob("*/blobs/*"))
    fetch.discard(describe(connection, NAME), cache)
    assert [path for path in cache.rglob("*") if path.is_file()] == []
    assert not (cache / "models--mlx-community--Tiny-1B-4bit").exists()


def test_giving_up_leaves_what_other_programs_have(hub: Hub, connection: Connection, cache: Path) -> None:
    folder = bring(connection, cache)
    before = {path: path.read_bytes() for path in cache.glob("models--*/**/*") if path.is_file()}
    fetch.discard(describe(connection, NAME), cache)
    assert {path: path.read_bytes() for path in cache.glob("models--*/**/*") if path.is_file()} == before
    assert_whole(folder, hub.repos[NAME].files)


def test_a_disk_without_links_gets_the_files_themselves(
    hub: Hub, connection: Connection, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Path, "symlink_to", without_links)
    assert_whole(bring(connection, cache), hub.repos[NAME].files)
    hub.asked.clear()
    assert_whole(bring(connection, cache), hub.repos[NAME].files)
    assert not hub.paths("resolve")


def test_templates_in_a_folder_of_their_own(hub: Hub, connection: Connection, cache: Path) -> None:
    files = hub.repos[NAME].files
    files["additional_chat_templates/rag.jinja"] = b"{{ messages }}"
    folder = bring(connection, cache)
    assert (folder / "additional_chat_templates" / "rag.jinja").read_bytes() == b"{{ messages }}"


def test_a_repository_that_is_no_model_is_not_fetched(connection: Connection, cache: Path) -> None:
    with pytest.raises(HubError, match="no weights"):
        fetch.fetch(connection, Repository(NAME, COMMIT, reason="It holds no weights."), cache, IGNORE)
    assert not cache.exists()
