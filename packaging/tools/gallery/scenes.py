"""The states of the window that are pictured: what stands there, what a person does, and what is looked at then."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import chain, repeat
from pathlib import Path
from types import SimpleNamespace
from typing import Literal

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from app.conversation.store import Store
from app.launch.paths import sample
from app.models.entry import ModelEntry
from app.protocol.chat import Attachment
from app.viewmodels.app import App
from app.viewmodels.chat import question
from app.viewmodels.hub.hub_region import STARTERS
from app.viewmodels.kit.folders import Folders
from app.viewmodels.library.samples import SAMPLE_ID
from app.viewmodels.text import formatting
from app.widgets.models.context_box import ContextBox
from app.widgets.models.get_models import GetModels, HubField
from app.widgets.models.hub_box import HubBox
from app.widgets.models.model_popover import ModelPopover
from app.widgets.models.model_view import ModelView
from app.widgets.models.models_window import ModelsWindow
from app.widgets.models.on_this_machine import OnThisMachine
from app.widgets.window.main_window import MainWindow
from tools.gallery import alternatives, cached, finding, preferences, servers, several, unusual, verbs
from tools.gallery.branches import answer_fifty_times, filter_by, grow_wild, hoist, name_branches, unfold
from tools.gallery.branching import answer_otherwise
from tools.gallery.conversations import DATES, THOUGHT
from tools.gallery.hub import DESCRIPTION, FOUND, GATED, OFFLINE, SilentHub
from tools.gallery.models import QWEN as MODELS_QWEN
from tools.gallery.models import entries, furnish
from tools.gallery.prices import come_to_right_arrow, come_where_nothing_fits, is_priced, rest_on_left_arrow
from tools.gallery.reading import see_formulas, write_mathematics, write_scripts
from tools.gallery.stage import WRITTEN, Stage
from tools.gallery.waiting import wait

ROOT = Path(__file__).resolve().parents[3]
QWEN = "/Users/ana/Models/Qwen3-8B-4bit"
RECENT = (QWEN, "/Users/ana/Models/Phi-4")
FOLDERS = Folders(
    "/Applications/Espalier.app/guide",
    "/Users/ana/Library/Caches/Espalier/snapshots",
    starters=str(ROOT / "resources" / "models" / "starters.json"),
    database="/Users/ana/Library/Application Support/Espalier/conversations.db",
    logs="/Users/ana/Library/Logs/Espalier",
)
INSTRUCTIONS = """You help two people plan four days in Lisbon. They have no car, travel light and get up early.

Answer in at most five sentences, with prices in euros. Say where you are not sure, and what to look up before \
leaving. Never suggest what needs a booking more than a week ahead.

When they ask for a plan, write one line for each day."""
NOTES = """Start over with what we know now: two adults, no car, one evening at home. Our notes from last year are \
below; keep what still holds and say what does not.

The flat in Graça was quiet but the stairs were a trial with bags; somewhere level would be kinder. We never used the \
second half of the museum card. The bakery at the corner of the square opened at six and was worth every one of them. \
Sintra was too full to enjoy from eleven on, and the bus back took an hour and a half. The fish at the market was \
better and cheaper than in any restaurant, and the cooks told us what to do with it. On the last day it rained from \
noon, and the tile museum saved it. We would skip the castle and go twice to the gardens instead.

Money: the three dinners out came to 160 euros, the flat to 330, trains and trams to 41, everything else to about 90. \
We had planned for 700 and were pleased. This year it should be 600, with one good dinner."""


_GARDENS = "The Estrela garden is open every day from seven until midnight. "
ATTACHED = (
    Attachment(
        "gardens-of-lisbon.pdf", "pdf", "The Estrela garden is open every day from seven until midnight. " * 900
    ),
    Attachment("opening hours.csv", "data", "garden,monday,sunday\nEstrela,7-24,7-24\nGulbenkian,closed,10-18\n"),
)


@dataclass(frozen=True)
class Scene:
    """One state of the window.

    stands: whether it is there. then: what the person does; shown: whether that is seen. part: the window to be taken.
    more: what else lies in the database. pane: of the inspector.
    """

    name: str
    stage: Callable[[], Stage]
    model: str = QWEN
    is_filled: bool = True
    size: tuple[int, int] = (1440, 900)
    body: int = 14
    pane: str = "cache"
    state: dict[str, bool] = field(default_factory=dict)
    thought: Literal["none", "whole", "cut"] = "none"
    stands: Callable[[App], bool] = lambda app: bool(app.chat.state.now.subtitle and app.chat.chat_model.rows)
    then: Callable[[App, MainWindow], None] | None = None
    shown: Callable[[App], bool] = lambda app: True
    part: Callable[[MainWindow], QWidget] = lambda window: window
    more: Callable[[Store], None] | None = None


def ask(text: str) -> Callable[[App, MainWindow], None]:
    def ask(app: App, window: MainWindow) -> None:
        seconds = chain([0.0], repeat(1.0))  # when the first word comes, and ever after
        vars(question)["time"] = SimpleNamespace(monotonic=lambda: next(seconds))
        app.chat.requests.send(text)

    return ask


def _open_thought(app: App, window: MainWindow) -> None:
    app.chat.unfolded.toggle_thought(app.chat.chat_model.rows[-1].id)


def _ask_and_open(app: App, window: MainWindow) -> None:
    ask(DATES)(app, window)
    wait("a thought comes", lambda: app.chat.chat_model.rows[-1].thought is not None)
    _open_thought(app, window)


def _new(app: App, window: MainWindow) -> None:
    app.library.new_conversation()


def _edit(app: App, window: MainWindow) -> None:
    app.chat.open_draft.begin_edit()


def _attach(app: App, window: MainWindow) -> None:
    for attachment in ATTACHED:
        app.chat.drafts.attach(app.library.open_id, attachment)
    app.chat.attachments.changed.emit(app.library.open_id)
    window.chat.composer.edit.insertPlainText("Which of these gardens is open on a Monday?")


def _is_attached(app: App) -> bool:
    chips = app.chat.state.now.attachments
    return bool(chips) and all(chip.tokens for chip in chips) and "token" in app.chat.state.now.send_price


def _ask_about(app: App, window: MainWindow) -> None:
    _attach(app, window)
    ask("Which of these gardens is open on a Monday?")(app, window)
    app.chat.unfolded.toggle_attachment(app.library.tree.path[-1].id, 1)


def _is_opened(app: App) -> bool:
    return any(one.is_open for row in app.chat.chat_model.rows for one in row.attachments)


def _refuse(app: App, window: MainWindow) -> None:
    app.chat.attachments.attach_files([str(ROOT / "packaging" / "tools")])


def _overflow(app: App, window: MainWindow) -> None:
    text = "A long line of a long report. " * 160_000
    app.chat.drafts.attach(app.library.open_id, Attachment("archive.txt", "text", text[:109_800]))
    app.chat.attachments.changed.emit(app.library.open_id)
    app.chat.open_draft.write("What is in it?")


def _is_over(app: App) -> bool:
    now = app.chat.state.now
    if now.card is None and now.send_price.startswith("Does not fit"):
        app.chat.requests.send("What is in it?")
    return now.card is not None


def _overflow_limited(app: App, window: MainWindow) -> None:
    app.model.limit_context(app.model.current_model.path, "8192")
    text = "A long line of a long report. " * 2000
    app.chat.drafts.attach(app.library.open_id, Attachment("report.txt", "text", text))
    app.chat.attachments.changed.emit(app.library.open_id)
    app.chat.open_draft.write("What is in it?")


def _select_edge(app: App, window: MainWindow) -> None:
    tree, label = window.cache.tree, "You: Make it cheaper"
    how = Qt.MatchFlag.MatchStartsWith | Qt.MatchFlag.MatchRecursive
    found = tree.model().match(app.cache_rows.trie_model.index(0, 0), Qt.ItemDataRole.DisplayRole, label, 1, how)
    tree.setCurrentIndex(found[0])


def _verify(app: App, window: MainWindow) -> None:
    window.do("verify")


def _compare(app: App, window: MainWindow) -> None:
    window.do("compare")


def _compare_branches(app: App, window: MainWindow) -> None:
    fork = app.library.tree.forks[0].id
    app.comparison.open_beside(fork)


def _show_map(app: App, window: MainWindow) -> None:
    window.do("map")
    wait("all of it is counted", lambda: app.map.is_counted)
    wait("the map is there", lambda: window.map.view is not None and not window.map.view.is_busy)


def _show_map_far(app: App, window: MainWindow) -> None:
    _show_map(app, window)
    for _ in range(12):
        window.map.smaller.click()


def _show_cache(app: App, window: MainWindow) -> None:
    window.do("inspector")


def _models(found: tuple[ModelEntry, ...], width: int = 0, typed: str = "") -> Callable[[App, MainWindow], None]:
    def show(app: App, window: MainWindow) -> None:
        furnish(app.model.list, found)
        app.settings.update(
            models_used={MODELS_QWEN: int(time.time()) - 7200, FOLDERS.guide: int(time.time()) - 90_000}
        )
        window.do("models")
        models = _models_window(window)
        if width:
            models.resize(width, 480)
        models.findChild(OnThisMachine).field.setText(typed)

    return show


def _limit_context(app: App, window: MainWindow) -> None:
    app.model.limit_context(MODELS_QWEN, "8192")
    _models(entries(FOLDERS.guide))(app, window)
    page = _models_window(window).findChild(OnThisMachine)
    page.ask_for_limit(next(row for row in app.model.list.state.now if row.id == MODELS_QWEN))
    box = _context_box(window)
    box.field.setText("1e6")
    box.save()


def _context_box(window: MainWindow) -> ContextBox:
    (box,) = window.findChildren(ContextBox)
    return box


def _unsupported(app: App, window: MainWindow) -> None:
    _models(entries(FOLDERS.guide))(app, window)
    rows = _models_window(window).findChild(ModelView)
    rows.select(rows.model().rowCount() - 1)


def _models_window(window: MainWindow) -> ModelsWindow:
    (models,) = window.findChildren(ModelsWindow)
    return models


def _use_models(app: App) -> None:
    now = int(time.time())
    app.settings.update(models_used={MODELS_QWEN: now - 7200, FOLDERS.guide: now - 90_000})


def _pick(app: App, window: MainWindow) -> None:
    furnish(app.model.list, entries(FOLDERS.guide))
    _use_models(app)
    window.chat.toolbar.chip.click()


def _picker(window: MainWindow) -> ModelPopover:
    (picker,) = window.findChildren(ModelPopover)
    return picker


def _answer_guests(app: App, window: MainWindow) -> None:
    app.workspace.api.gateway.answering.emit(1)


def _show_settings(app: App, window: MainWindow) -> None:
    window.do("settings")


def _change_settings(app: App, window: MainWindow) -> None:
    window.do("settings")
    app.chat.settings.instruct(INSTRUCTIONS)
    for name, text in (("temperature", "1.1"), ("top_k", "40"), ("min_p", "0,05"), ("seed", "7")):
        app.chat.settings.type(name, text)


def _refuse_settings(app: App, window: MainWindow) -> None:
    window.do("settings")
    app.chat.settings.type("temperature", "hot")
    app.chat.settings.type("logit_bias", "fox")
    app.chat.settings.type("stop", "\\nUser:\n###")
    app.catch_up()
    window.settings.show_answer(None)


def _open_presets(app: App, window: MainWindow) -> None:
    app.chat.settings.save_preset("Letters")
    window.do("settings")
    menu = window.settings.page.preset.menu()
    menu.setParent(window)  # a menu of its own window would not be in the picture
    at = window.settings.page.preset.mapTo(window, window.settings.page.preset.rect().bottomLeft())
    menu.setGeometry(at.x(), at.y() + 2, menu.sizeHint().width(), menu.sizeHint().height())
    menu.show()


def _is_settings_priced(app: App) -> bool:
    return bool(app.chat.settings.state.now.price)


def _hub(act: Callable[[App, SilentHub], None], width: int = 0, part: str = "get") -> Callable[[App, MainWindow], None]:
    def show(app: App, window: MainWindow) -> None:
        furnish(app.model.list, entries(FOLDERS.guide))
        hub = SilentHub(app.hub)
        window.do("models")
        models = _models_window(window)
        models.show_page("get")
        if width:
            models.resize(width, 480)
        act(app, hub)
        app.catch_up()
        models.findChild(HubField).setText("" if app.hub.state.now.heading == STARTERS else WORDS)
        if part == "box":
            models.findChild(GetModels).ask_for_hub()

    return show


WORDS = "qwen3"


def _starters(app: App, hub: SilentHub) -> None:
    """Nothing was done yet."""


def _search(app: App, hub: SilentHub) -> None:
    hub.search(WORDS)


def _look_at(app: App, hub: SilentHub) -> None:
    hub.search(WORDS)
    app.hub.look_at(DESCRIPTION.name)
    hub.answer(DESCRIPTION)


def _look_at_large(app: App, hub: SilentHub) -> None:
    hub.search(WORDS)
    app.hub.look_at(FOUND[3].name)
    size = FOUND[3].bytes
    hub.answer(replace(DESCRIPTION, name=FOUND[3].name, bytes=size, missing=size, free=98 * 10**9, is_room=False))


def _be_refused(app: App, hub: SilentHub) -> None:
    app.hub.look_at("meta-llama/Llama-3.2-3B")
    hub.answer(GATED)


def _download(app: App, hub: SilentHub) -> None:
    hub.search(WORDS)
    hub.download()


def _be_offline(app: App, hub: SilentHub) -> None:
    app.hub.search(WORDS)
    hub.answer(OFFLINE)


def _hub_box(window: MainWindow) -> HubBox:
    (box,) = window.findChildren(HubBox)
    return box


def empty_stage() -> Stage:
    return Stage(is_filled=False)


def _add_sample(app: App, _window: MainWindow) -> None:
    app.library.add_sample(sample())


def _has_sample(app: App) -> bool:
    return any(one.id == SAMPLE_ID for one in app.library.library.conversations)


def _is_ready(app: App) -> bool:
    return app.state.now.activity.text.startswith("Ready")


def _has_problem(app: App) -> bool:
    return app.chat.state.now.card is not None


def _is_written(app: App) -> bool:
    *_, asked, answer = app.chat.chat_model.rows
    written, footer, activity = len(WRITTEN.split(" ")), answer.footer, app.chat.state.now.activity
    has_figures = footer is not None and footer.tokens == written
    is_told = activity is not None and formatting.tokens(written) in activity.text
    return asked.residency == "live" and answer.text == WRITTEN and has_figures and is_told


def _is_thought(app: App) -> bool:
    thought = app.chat.chat_model.rows[-1].thought
    return thought is not None and thought.text == THOUGHT


def _is_reading(app: App) -> bool:
    reading = app.chat.chat_model.rows[-1].prefill
    return reading is not None and reading.done > reading.cached


def _is_edited(app: App) -> bool:
    return app.chat.state.now.editing is not None and bool(app.chat.state.now.send_price)


def _is_told(app: App) -> bool:
    return bool(app.notices.now.text)


SCENES = (
    Scene("attached", Stage, then=_attach, shown=_is_attached),
    Scene("attached-narrow", Stage, size=(880, 560), then=_attach, shown=_is_attached),
    Scene("attachment-open", Stage, then=_ask_about, shown=_is_opened),
    Scene("attachment-refused", Stage, then=_refuse, shown=_is_told),
    Scene("too-long", Stage, then=_overflow, shown=_is_over),
    Scene("too-long-limited", Stage, then=_overflow_limited, shown=_is_over),
    *(
        Scene(f"preferences-{name}", Stage, then=preferences.page(name), part=preferences.preferences_window)
        for name in ("general", "appearance", "models", "cache", "shortcuts", "api", "privacy")
    ),
    Scene("preferences-api-on", Stage, then=preferences.api, part=preferences.preferences_window),
    Scene("preferences-api-refused", Stage, then=preferences.api_refused, part=preferences.preferences_window),
    Scene("api-answers", Stage, then=_answer_guests),
    Scene("preferences-conflict", Stage, then=preferences.conflict, part=preferences.preferences_window),
    Scene("preferences-large", Stage, body=24, then=preferences.page("cache"), part=preferences.preferences_window),
    Scene(
        "first-run", empty_stage, FOLDERS.guide, is_filled=False, stands=_is_ready, then=_add_sample, shown=_has_sample
    ),
    Scene("reading", Stage, more=write_mathematics, then=see_formulas),
    Scene("reading-large", Stage, body=24, more=write_mathematics, then=see_formulas),
    Scene("reading-narrow", Stage, size=(900, 640), more=write_mathematics, then=see_formulas),
    Scene("reading-scripts", Stage, more=write_scripts),
    Scene("conversation", Stage, then=_select_edge),
    Scene("streaming", Stage, then=ask("And then put the dates into a table"), shown=_is_written),
    Scene("thought", Stage, thought="whole"),
    Scene("thought-open", Stage, thought="whole", then=_open_thought),
    Scene("thought-cut", Stage, thought="cut", then=_open_thought),
    Scene("thinking", lambda: Stage("think"), then=ask(DATES), shown=_is_thought),
    Scene("thinking-open", lambda: Stage("think"), then=_ask_and_open, shown=_is_thought),
    Scene("prefill", lambda: Stage("read"), then=ask(NOTES), shown=_is_reading),
    Scene("problem", lambda: Stage(missing=[QWEN]), stands=_has_problem),
    Scene("empty", empty_stage, is_filled=False, stands=_is_ready, then=_new),
    Scene("fork", Stage, then=_edit, shown=_is_edited),
    Scene("edit-answer", Stage, then=verbs.edit_answer, shown=_is_edited),
    Scene("edit-answer-narrow", Stage, size=(880, 560), then=verbs.edit_answer, shown=_is_edited),
    Scene("edit-answer-large", Stage, body=24, then=verbs.edit_answer, shown=_is_edited),
    Scene("branch-after", Stage, then=verbs.branch_after),
    Scene("unanswered", Stage, then=verbs.leave_unanswered, shown=verbs.is_unanswered),
    Scene("folder-drop", Stage, then=verbs.make_folder, shown=verbs.drag_into_folder),
    Scene("delete-count", Stage, then=verbs.delete_much, part=verbs.box),
    Scene("verified", Stage, then=_verify, shown=_is_told),
    Scene("disk", lambda: Stage(disk="old"), then=_select_edge),
    Scene("disk-full", lambda: Stage(disk="full")),
    Scene("restarted", lambda: Stage(disk="all")),
    Scene("settings", Stage, then=_show_settings),
    Scene("settings-changed", Stage, then=_change_settings, shown=_is_settings_priced),
    Scene("settings-refused", Stage, then=_refuse_settings),
    Scene("settings-presets", Stage, then=_open_presets),
    Scene("settings-large", Stage, body=20, then=_change_settings, shown=_is_settings_priced),
    Scene("settings-narrow", Stage, size=(880, 700), then=_change_settings, shown=_is_settings_priced),
    Scene("narrow", Stage, size=(880, 560)),
    Scene("cache-message", Stage, then=cached.select_message),
    Scene("cache-others", Stage, then=cached.show_others),
    Scene("cache-warming", Stage, then=cached.warm_up, shown=cached.is_warming),
    Scene("cache-evicted", Stage, then=cached.evict, shown=cached.is_evicted),
    Scene("cache-many", Stage, then=cached.show_many),
    Scene("cache-large", Stage, body=24, then=cached.select_message),
    Scene("narrow-cache", Stage, size=(880, 560), then=_show_cache),
    Scene("large-text", Stage, body=20),
    Scene("price", Stage, then=come_to_right_arrow, shown=is_priced),
    Scene("price-warm", Stage, then=rest_on_left_arrow, shown=is_priced),
    Scene("price-cold", empty_stage, then=come_to_right_arrow, shown=is_priced),
    Scene("price-disk", lambda: Stage(disk="all"), size=(900, 700), then=come_to_right_arrow, shown=is_priced),
    Scene("price-too-long", Stage, size=(880, 560), then=come_where_nothing_fits, shown=is_priced),
    Scene("price-large", Stage, body=24, then=come_to_right_arrow, shown=is_priced),
    Scene("find", Stage, then=finding.find("train", 1)),
    Scene("find-none", Stage, then=finding.find("zeppelin")),
    Scene("find-narrow", Stage, size=(900, 560), then=finding.find("train")),
    Scene("find-large", Stage, body=24, then=finding.find("day")),
    Scene("jump", Stage, more=name_branches, then=finding.jump(), part=finding.panel),
    Scene("jump-typed", Stage, more=name_branches, then=finding.jump("tr"), part=finding.panel),
    Scene("jump-none", Stage, then=finding.jump("zeppelin"), part=finding.panel),
    Scene("jump-large", Stage, body=24, more=name_branches, then=finding.jump("co"), part=finding.panel),
    Scene("comparison", Stage, then=_compare, more=answer_otherwise),
    Scene("comparison-branches", Stage, then=_compare_branches),
    Scene("comparison-narrow", Stage, size=(880, 560), then=_compare, more=answer_otherwise),
    Scene("comparison-large", Stage, body=24, then=_compare, more=answer_otherwise),
    Scene("answers", Stage, then=several.ask_alone, shown=several.are_written),
    Scene("answers-narrow", Stage, size=(900, 640), then=several.ask_for_three, shown=several.are_written),
    Scene("answers-large", Stage, body=24, size=(1920, 1080), then=several.ask_alone, shown=several.are_written),
    Scene("tokens", Stage, then=alternatives.show_tokens, shown=alternatives.are_priced),
    Scene("tokens-narrow", Stage, size=(880, 560), then=alternatives.show_tokens, shown=alternatives.are_priced),
    Scene("tokens-words", Stage, then=alternatives.write_own, shown=alternatives.are_priced),
    Scene("tokens-large", Stage, body=24, then=alternatives.show_tokens, shown=alternatives.are_priced),
    Scene("branches", Stage, pane="branches", more=name_branches),
    Scene("branches-unfolded", Stage, pane="branches", more=name_branches, then=unfold("Day by day")),
    Scene("branches-filtered", Stage, pane="branches", more=name_branches, then=filter_by("train")),
    Scene("branches-hoisted", Stage, pane="branches", more=name_branches, then=hoist("With the children")),
    Scene("branches-narrow", Stage, pane="branches", size=(880, 560), more=name_branches, then=_show_cache),
    Scene("branches-large", Stage, pane="branches", body=24, more=name_branches),
    Scene("branches-many", Stage, pane="branches", more=grow_wild),
    Scene("branches-wide", Stage, pane="branches", size=(1600, 1000), more=grow_wild, then=filter_by("once more dog")),
    Scene("branches-fifty", Stage, pane="branches", more=answer_fifty_times),
    Scene("branches-fifty-large", Stage, pane="branches", body=24, size=(1600, 1000), more=answer_fifty_times),
    Scene("map-fifty", Stage, then=_show_map, more=answer_fifty_times),
    Scene("map", Stage, then=_show_map, more=name_branches),
    Scene("map-long", Stage, then=_show_map, more=grow_wild),
    Scene("map-far", Stage, then=_show_map_far, more=grow_wild),
    Scene("map-narrow", Stage, size=(880, 560), then=_show_map, more=name_branches),
    Scene("map-large", Stage, body=24, then=_show_map, more=name_branches),
    Scene("map-fifty-open", Stage, then=unusual.open_group, more=answer_fifty_times),
    Scene("cold-reason", lambda: Stage(is_filled=False, disk="others"), shown=unusual.is_reason_told),
    Scene("model-refused", lambda: Stage(missing=[unusual.MISSING]), then=unusual.open_what_is_missing, shown=_is_told),
    Scene("crashed", Stage, then=unusual.crash, shown=_is_told),
    Scene("crashed-narrow", Stage, size=(900, 560), then=unusual.crash, shown=_is_told),
    Scene("short-of-memory", Stage, then=unusual.run_short_of_memory, shown=_is_told),
    Scene("engine-failed", Stage, then=unusual.fail_engine, shown=_has_problem),
    Scene("model-too-large", Stage, then=unusual.lack_memory, shown=_has_problem),
    Scene("data-gone", Stage, then=unusual.lose_data, shown=_is_told),
    Scene("disk-of-words-full", Stage, then=unusual.fill_disk, shown=_is_told),
    Scene("pinned", Stage, then=unusual.pin_message),
    Scene("trash", Stage, then=unusual.show_trash, part=unusual.trash),
    Scene("prune-count", Stage, then=unusual.prune, part=verbs.box),
    Scene("found-everywhere", Stage, then=unusual.find_everywhere, shown=unusual.is_found),
    Scene("several-selected", Stage, then=unusual.select_several),
    Scene("drafts", Stage, then=unusual.write_drafts),
    Scene("second-window", Stage, then=unusual.open_another_window, part=unusual.second),
    Scene("conversation-wide", Stage, size=(1600, 1000), more=name_branches),
    Scene("conversation-large", Stage, size=(900, 700), body=24, more=name_branches),
    Scene("models", Stage, then=_models(entries(FOLDERS.guide)), part=_models_window),
    Scene("models-narrow", Stage, then=_models(entries(FOLDERS.guide), 600), part=_models_window),
    Scene("models-filtered", Stage, then=_models(entries(FOLDERS.guide), typed="4-bit gemma"), part=_models_window),
    Scene("models-context", Stage, then=_limit_context, part=_context_box),
    Scene("models-unsupported", Stage, then=_unsupported, part=_models_window),
    Scene("model-picker", Stage, then=_pick, part=_picker),
    Scene("servers", Stage, then=servers.show_page(), part=_models_window),
    Scene("servers-narrow", Stage, then=servers.show_page(600, "llama"), part=_models_window),
    Scene("servers-none", Stage, then=servers.show_none, part=_models_window),
    Scene("servers-silent", Stage, then=servers.show_silent, part=_models_window),
    Scene("servers-large", Stage, body=20, then=servers.show_page(), part=_models_window),
    Scene("server-box", Stage, then=servers.add, part=servers.box_of),
    Scene("server-box-refused", Stage, then=servers.add_in_vain, part=servers.box_of),
    Scene("server-box-untrusted", Stage, then=servers.add_untrusted, part=servers.box_of),
    Scene("server-box-changed", Stage, then=servers.change, part=servers.box_of),
    Scene("server-in-use", Stage, then=servers.talk_with_it, shown=servers.is_in_use),
    Scene("server-cache-empty", lambda: Stage(is_filled=False), then=servers.show_cache, shown=servers.is_in_use),
    Scene("server-cache", Stage, then=servers.show_cache, shown=servers.is_in_use),
    Scene("server-cache-large", Stage, body=24, then=servers.show_cache, shown=servers.is_in_use),
    Scene("server-map", Stage, then=servers.show_map, shown=servers.is_in_use, more=name_branches),
    *(Scene(f"server-{name}", Stage, then=act, shown=_has_problem) for name, act in servers.FAILURES.items()),
    Scene("server-waiting", lambda: Stage("read"), then=servers.wait_for_it),
    Scene("server-silent", lambda: Stage("read"), then=servers.hear_nothing),
    Scene("server-counts-otherwise", Stage, then=servers.count_otherwise, shown=_is_told),
    Scene("server-replica-out", Stage, then=servers.lose_replica, shown=_is_told),
    Scene("server-consent", Stage, then=servers.ask_first, shown=servers.is_asked),
    Scene("server-consent-narrow", Stage, size=(880, 560), then=servers.ask_first, shown=servers.is_asked),
    Scene("get-models", Stage, then=_hub(_starters), part=_models_window),
    Scene("get-models-found", Stage, then=_hub(_search), part=_models_window),
    Scene("get-models-narrow", Stage, then=_hub(_search, 480), part=_models_window),
    Scene("get-models-card", Stage, then=_hub(_look_at), part=_models_window),
    Scene("get-models-too-large", Stage, then=_hub(_look_at_large), part=_models_window),
    Scene("get-models-gated", Stage, then=_hub(_be_refused), part=_models_window),
    Scene("get-models-downloads", Stage, then=_hub(_download), part=_models_window),
    Scene("get-models-offline", Stage, then=_hub(_be_offline), part=_models_window),
    Scene("get-models-large-text", Stage, body=20, then=_hub(_look_at), part=_models_window),
    Scene("hub", Stage, then=_hub(_starters, part="box"), part=_hub_box),
    Scene("downloading", Stage, then=_hub(_download)),
    Scene("models-empty", Stage, then=_models(()), part=_models_window),
)
