"""What a person does to have a model: look at good ones, search, decide, download, come back later."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.hub.messages import KeepToken
from app.viewmodels.hub import hub_region
from app.viewmodels.hub.download import Stage
from app.viewmodels.hub.hub_region import HubRegion
from tests.hub.conftest import NAME
from tests.hub.server import COMMIT, Handler, Hub, Repo, has_arrived, model_files

PATIENCE = 20_000
LARGE = "model-00002-of-00002.safetensors"


def files_in(folder: Path) -> list[str]:
    """The files anywhere in a folder that is perhaps being removed."""
    return [name for _, _, names in os.walk(folder) for name in names]


def wait(qtbot: QtBot, holds: Callable[[], bool]) -> None:
    qtbot.waitUntil(holds, timeout=PATIENCE)


def search(qtbot: QtBot, region: HubRegion, words: str) -> None:
    region.search(words)
    wait(qtbot, lambda: not region.state.now.is_searching)


def look_at(qtbot: QtBot, region: HubRegion, name: str = NAME) -> None:
    region.look_at(name)
    wait(qtbot, lambda: region.state.now.card is not None and not region.state.now.card.is_loading)


def stalling(hub: Hub, arrived: int) -> None:
    """Have the large file stop after so many bytes, when it is asked for from its beginning."""
    content = hub.repos[NAME].files[LARGE]

    def stalls(handler: Handler) -> bool:
        if handler.content() != content or handler.start:
            return False
        handler.head(200, {"Content-Length": str(len(content))})
        handler.wfile.write(content[:arrived])
        handler.wfile.flush()
        hub.ending.wait(60)
        return True

    hub.misdeeds.append(stalls)


def has_stalled(folder: Path) -> bool:
    """Whether all has arrived that comes before the large file stops."""
    return has_arrived(folder / "cache", 100_000)


def test_good_models_are_shown_and_nothing_goes_online(qtbot: QtBot, region: HubRegion, hub: Hub) -> None:
    now = region.state.now
    assert now.heading == hub_region.STARTERS
    assert len(region.rows.rows) >= 10
    assert all(row.line.startswith("about ") for row in region.rows.rows)
    assert {row.mark for row in region.rows.rows} == {"Fits", "Too large"}
    assert now.online == ""
    region.filter("llama 70b")
    assert [row.title for row in region.rows.rows] == ["Llama-3.3-70B-Instruct-4bit"]
    region.filter("nothing is called that")
    assert "Return searches 127.0.0.1" in region.state.now.empty
    qtbot.wait(50)
    assert not hub.asked


def test_a_search_says_that_it_goes_online_and_shows_what_it_finds(qtbot: QtBot, region: HubRegion, hub: Hub) -> None:
    region.search("tiny")
    assert region.state.now.online.startswith("Searching 127.0.0.1")
    assert region.state.now.empty.startswith("Searching 127.0.0.1")
    wait(qtbot, lambda: not region.state.now.is_searching)
    assert [row.name for row in region.rows.rows] == [NAME]
    assert region.state.now.heading.endswith("found for “tiny”")
    assert region.state.now.online == ""
    region.filter("")
    assert region.state.now.heading == hub_region.STARTERS


def test_every_page_is_shown_when_it_is_asked_for(qtbot: QtBot, region: HubRegion, hub: Hub) -> None:
    hub.found = [{"id": f"a/m-{n}", "tags": ["mlx", "safetensors"]} for n in range(65)]
    hub.found += [{"id": f"b/m-{n}", "tags": ["safetensors"]} for n in range(3)]
    search(qtbot, region, "m-")
    assert len(region.rows.rows) == 30
    while region.state.now.has_more:
        region.show_more()
        wait(qtbot, lambda: not region.state.now.is_searching)
    assert [row.name for row in region.rows.rows] == [one["id"] for one in hub.found]
    region.filter("m-64")
    assert [row.name for row in region.rows.rows] == ["a/m-64"]


def test_a_search_that_fails_says_why(qtbot: QtBot, region: HubRegion, hub: Hub) -> None:
    hub.misdeeds.append(lambda handler: handler.reply(429, b"", {"Retry-After": "9"}) or True)
    search(qtbot, region, "tiny")
    problem = region.state.now.problem
    assert problem is not None
    assert problem.title == "Too many requests"
    hub.misdeeds.clear()
    search(qtbot, region, "tiny")
    assert region.state.now.problem is None
    assert region.rows.rows


def test_a_search_gives_up_the_one_before(qtbot: QtBot, region: HubRegion, hub: Hub) -> None:
    hub.misdeeds.append(lambda handler: "slow" in handler.path and hub.ending.wait(60))
    region.search("slow")
    wait(qtbot, lambda: bool(hub.asked))
    search(qtbot, region, "tiny")
    assert [row.name for row in region.rows.rows] == [NAME]


def test_one_decides_by_size_licence_memory_disk_and_files(qtbot: QtBot, region: HubRegion, tmp_path: Path) -> None:
    look_at(qtbot, region)
    card = region.state.now.card
    assert card is not None
    facts = {fact.about: fact for fact in card.facts}
    assert list(facts) == ["Size", "Licence", "Memory", "Disk", "Updated", "Files"]
    assert facts["Size"].text == "42\u00a0KB"
    assert facts["Licence"].text == "apache-2.0"
    assert facts["Memory"].text.startswith("Fits, and leaves")
    assert str(tmp_path / "cache") in facts["Disk"].text
    assert "config.json" in facts["Files"].text
    assert (card.action, card.can_act) == ("Download", True)


def test_what_cannot_be_fetched_has_no_button(qtbot: QtBot, region: HubRegion, hub: Hub) -> None:
    del hub.repos[NAME].files["config.json"]
    look_at(qtbot, region)
    card = region.state.now.card
    assert card is not None
    assert card.problem is not None
    assert (card.action, card.can_act) == ("", False)


def test_what_the_engine_does_not_know_is_not_offered(qtbot: QtBot, region: HubRegion, hub: Hub) -> None:
    hub.found[0]["config"] = hub.repos[NAME].extra["config"] = {"model_type": "novelty"}
    search(qtbot, region, "tiny")
    assert (region.rows.rows[0].mark, region.rows.rows[0].is_warning) == ("Not supported", True)
    look_at(qtbot, region)
    card = region.state.now.card
    assert card is not None
    assert card.problem is not None
    assert "novelty" in card.problem.sentence
    assert not card.action


def test_what_is_here_already_is_marked(qtbot: QtBot, region: HubRegion) -> None:
    region.have({NAME, region.rows.rows[0].name})
    assert [row.mark for row in region.rows.rows].count("Here already") == 1
    search(qtbot, region, "tiny")
    assert region.rows.rows[0].mark == "Here already"


def test_a_gated_model_says_that_a_token_helps(qtbot: QtBot, region: HubRegion, hub: Hub) -> None:
    hub.misdeeds.append(lambda handler: handler.reply(403, b"", {"X-Error-Code": "GatedRepo"}) or True)
    look_at(qtbot, region)
    card = region.state.now.card
    assert card is not None
    assert card.wants_token
    assert card.problem is not None


def test_a_download_from_the_button_to_the_open_model(
    qtbot: QtBot, region: HubRegion, hub: Hub, opened: list[str], tmp_path: Path
) -> None:
    search(qtbot, region, "tiny")
    look_at(qtbot, region)
    region.act()
    assert region.state.now.card is None
    (row,) = region.state.now.downloads
    assert row.action == "Pause"
    assert region.state.now.activity.text.startswith("Downloading Tiny-1B-4bit")
    wait(qtbot, lambda: region.state.now.downloads[0].action == "Open")
    assert region.state.now.activity.text == ""
    assert region.rows.rows[0].is_here
    region.act_on(region.state.now.downloads[0].key)
    folder = tmp_path / "cache" / "models--mlx-community--Tiny-1B-4bit" / "snapshots" / COMMIT
    assert opened == [str(folder)]
    assert region.state.now.downloads == ()
    look_at(qtbot, region)
    card = region.state.now.card
    assert card is not None
    assert card.action == "Open"
    region.act()
    assert opened == [str(folder)] * 2


@pytest.mark.parametrize("is_listed", [True, False])
def test_what_is_damaged_of_a_model_that_is_here_is_downloaded_again(
    qtbot: QtBot, region: HubRegion, hub: Hub, tmp_path: Path, is_listed: bool
) -> None:
    """Its files have their sizes, so it is taken to be here. The first download may stand in the list still."""
    look_at(qtbot, region)
    card = region.state.now.card
    assert card is not None
    assert not card.can_fetch_again
    region.fetch_again()
    assert region.downloads.list == []
    region.act()
    wait(qtbot, lambda: region.downloads.list[0].stage is Stage.READY)
    weights = Path(region.downloads.list[0].path) / LARGE
    if not is_listed:
        region.downloads.cancel(region.downloads.list[0].key)
    weights.write_bytes(bytes(weights.stat().st_size))
    look_at(qtbot, region)
    card = region.state.now.card
    assert card is not None
    assert (card.action, card.can_act, card.can_fetch_again) == ("Open", True, True)
    region.fetch_again()
    assert region.state.now.card is None
    assert [row.action for row in region.state.now.downloads] == ["Pause"]
    wait(qtbot, lambda: region.downloads.list[0].stage is Stage.READY)
    assert weights.read_bytes() == hub.repos[NAME].files[LARGE]


def test_paused_and_gone_on_with(qtbot: QtBot, region: HubRegion, hub: Hub, tmp_path: Path) -> None:
    hub.repos[NAME] = Repo(model_files(1, 300_000))
    stalling(hub, 100_000)
    look_at(qtbot, region)
    region.act()
    key = region.downloads.list[0].key
    wait(qtbot, lambda: has_stalled(tmp_path))
    region.act_on(key)
    assert region.state.now.downloads[0].line.startswith("Paused")
    assert region.state.now.online == ""
    hub.asked.clear()
    region.act_on(key)
    wait(qtbot, lambda: region.downloads.list[0].stage is Stage.READY)
    assert [headers.get("Range") for path, headers in hub.asked if "resolve" in path] == ["bytes=100000-"]


def test_the_next_start_offers_to_go_on_and_goes_online_only_then(
    qtbot: QtBot, make_region: Callable[[], HubRegion], hub: Hub, tmp_path: Path
) -> None:
    hub.repos[NAME] = Repo(model_files(2, 300_000))
    stalling(hub, 100_000)
    first = make_region()
    look_at(qtbot, first)
    first.act()
    wait(qtbot, lambda: has_stalled(tmp_path))
    hub.asked.clear()
    again = make_region()
    notice = again._notices.now
    assert "was not finished" in notice.text
    assert notice.label == "Resume"
    qtbot.wait(50)
    assert not hub.asked
    assert again.state.now.downloads[0].action == "Resume"
    again._notices.press()
    wait(qtbot, lambda: again.downloads.list[0].stage is Stage.READY)
    assert make_region().downloads.list == []


def test_giving_up_removes_what_has_arrived(qtbot: QtBot, region: HubRegion, hub: Hub, tmp_path: Path) -> None:
    hub.repos[NAME] = Repo(model_files(3, 300_000))
    stalling(hub, 100_000)
    look_at(qtbot, region)
    region.act()
    cache = tmp_path / "cache"
    wait(qtbot, lambda: has_stalled(tmp_path))
    region.downloads.cancel(region.downloads.list[0].key)
    assert region.state.now.downloads == ()
    wait(qtbot, lambda: not files_in(cache))


def test_what_was_given_up_as_the_program_ended_is_removed_the_next_time(
    qtbot: QtBot, make_region: Callable[[], HubRegion], hub: Hub, tmp_path: Path
) -> None:
    hub.repos[NAME] = Repo(model_files(4, 300_000))
    stalling(hub, 100_000)
    first = make_region()
    look_at(qtbot, first)
    first.act()
    cache = tmp_path / "cache"
    wait(qtbot, lambda: has_stalled(tmp_path))
    first.downloads.cancel(first.downloads.list[0].key)
    second = make_region()
    assert second.downloads.list == []
    wait(qtbot, lambda: not files_in(cache))


def test_a_model_that_was_given_up_can_be_had_at_once_again(
    qtbot: QtBot, region: HubRegion, hub: Hub, tmp_path: Path
) -> None:
    hub.repos[NAME] = Repo(model_files(9, 300_000))
    stalling(hub, 100_000)
    look_at(qtbot, region)
    region.act()
    wait(qtbot, lambda: has_stalled(tmp_path))
    again = region.downloads.list[0]
    region.downloads.cancel(again.key)
    hub.misdeeds.clear()
    from dataclasses import replace

    region.downloads.add(replace(again, stage=Stage.WAITING))
    wait(qtbot, lambda: region.downloads.list[0].stage is Stage.READY)


def test_several_come_one_after_another(qtbot: QtBot, region: HubRegion, hub: Hub) -> None:
    names = [f"mlx-community/Other-{n}B-4bit" for n in range(3)]
    for number, name in enumerate(names):
        hub.repos[name] = Repo(model_files(number + 5))
        look_at(qtbot, region, name)
        region.act()
        assert sum(one.stage is Stage.RUNNING for one in region.downloads.list) <= 1
    assert any("Waits for its turn" in row.line for row in region.state.now.downloads)
    wait(qtbot, lambda: all(one.stage is Stage.READY for one in region.downloads.list))
    asked = [path.split("/")[2] for path in hub.paths("resolve")]
    assert list(dict.fromkeys(asked)) == [name.partition("/")[2] for name in names]
    assert asked == sorted(asked)


def test_a_download_that_fails_says_why_and_lets_the_next_one_begin(qtbot: QtBot, region: HubRegion, hub: Hub) -> None:
    hub.repos["a/bad"] = Repo(model_files(8))
    bad = hub.repos["a/bad"].files[LARGE]
    hub.misdeeds.append(lambda handler: handler.content() == bad and (handler.file(bytes(len(bad))) or True))
    for name in ("a/bad", NAME):
        look_at(qtbot, region, name)
        region.act()
    wait(qtbot, lambda: region.downloads.list[1].stage is Stage.READY)
    row, _ = region.state.now.downloads
    assert row.is_bad
    assert row.action == "Resume"
    assert "checksum does not match" in row.line
    hub.misdeeds.clear()
    region.act_on(row.key)
    wait(qtbot, lambda: region.downloads.list[0].stage is Stage.READY)


def test_another_hub_is_asked_from_then_on(qtbot: QtBot, region: HubRegion) -> None:
    assert region.choose_hub("ftp://x").endswith(".")
    assert region.choose_hub("hub.example/") == ""
    assert region.endpoint == "https://hub.example"
    assert region.state.now.host == "hub.example"


def test_the_environment_names_a_hub_unless_one_was_chosen(region: HubRegion, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "https://mirror.example/")
    assert region.endpoint.startswith("http://127.0.0.1")
    region.choose_hub("")
    assert region.endpoint == "https://mirror.example"
    monkeypatch.setenv("HF_ENDPOINT", "nonsense://")
    assert region.endpoint == "https://huggingface.co"


def test_a_token_goes_to_the_keychain_and_into_no_file(
    qtbot: QtBot, region: HubRegion, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from app.hub.messages import Done, Failed

    asked: list[KeepToken] = []
    monkeypatch.setattr(region._keeper, "ask", asked.append)
    region.keep_token("hf_secret")
    region._keeper.replied.emit(Failed("No keychain", "This computer has none."))
    assert not region.state.now.has_token
    assert "This computer has none." in region._notices.now.text
    region.keep_token("hf_secret")
    region._keeper.replied.emit(Done())
    assert region.state.now.has_token
    assert [one.token for one in asked] == ["hf_secret"] * 2
    assert not any("hf_secret" in path.read_text() for path in tmp_path.glob("*.json"))
    region.keep_token("")
    region._keeper.replied.emit(Done())
    assert not region.state.now.has_token


def test_a_token_is_not_kept_for_a_hub_to_which_it_would_not_be_sent(
    region: HubRegion, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[KeepToken] = []
    monkeypatch.setattr(region._keeper, "ask", asked.append)
    region.choose_hub("http://hub.example")
    region.keep_token("hf_secret")
    assert asked == []
    assert "http://" in region._notices.now.text
    region.keep_token("")
    assert len(asked) == 1


def test_the_window_s_process_imports_nothing_that_could_go_online() -> None:
    code = (
        "import sys, app.viewmodels.hub.hub_region\n"
        "loaded = {name.split('.')[0] for name in sys.modules}\n"
        "print(sorted(loaded & {'httpx2', 'httpcore2', 'huggingface_hub', 'keyring', 'filelock', 'ssl'}))"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
