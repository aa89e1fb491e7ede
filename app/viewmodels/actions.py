"""Every command of the program: menus, keys and tool tips are made from this table, and what the guide model knows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Protocol

from app.viewmodels.app_state import AppState
from app.viewmodels.cache.cache_region import CacheRegion
from app.viewmodels.chat.chat_region import ChatRegion
from app.viewmodels.comparison.comparison import Comparison
from app.viewmodels.edges.edge_region import EdgeRegion
from app.viewmodels.find.find import Find
from app.viewmodels.kit.action import Action, Menu, Submenu
from app.viewmodels.kit.settings import Settings
from app.viewmodels.library.library_region import LibraryRegion
from app.viewmodels.model.model_region import ModelRegion


class Regions(Protocol):
    """The regions on which commands are carried out."""

    chat: ChatRegion
    comparison: Comparison
    library: LibraryRegion
    cache: CacheRegion
    edges: EdgeRegion
    model: ModelRegion
    find: Find
    settings: Settings


Row = Action[Regions, AppState] | Submenu
Run = Callable[[], object]


def _kept_in(bits: int | None, title: str) -> Action[Regions, AppState]:
    """Return the command that keeps the KV cache of the model in use in so many bits."""
    return Action(
        id=f"kv_{bits or 'full'}",
        menu=Menu.CACHE,
        group="kv",
        title=title,
        tip="Less memory for each token where the model allows it, and answers that differ a little. Opens it again."
        if bits
        else "Keeps the state of the model as it is computed. Opens it again.",
        needs="memory_budget",
        is_enabled=lambda state: state.model.is_open and not state.model.is_loading,
        is_checked=lambda state: state.model.is_open and state.model.kv_bits == bits,
        run=lambda app: app.model.keep_in_bits(bits),
    )


TABLE: tuple[Row, ...] = (
    Action(
        id="new",
        menu=Menu.FILE,
        group="new",
        title="New Conversation",
        keys=("Ctrl+N",),
        tip="Starts an empty conversation.",
        run=lambda app: app.library.new_conversation(),
    ),
    Action(
        id="open_model",
        menu=Menu.FILE,
        group="models",
        title="Open Model…",
        keys=("Ctrl+O",),
        tip="Opens a folder that mlx-lm can load.",
        run=lambda app: app.model.choose(),
    ),
    Action(
        id="models",
        menu=Menu.FILE,
        group="models",
        title="Models…",
        keys=("Ctrl+Shift+M",),
        tip="Lists the models of this machine, and those that can be downloaded.",
    ),
    Submenu("recent", Menu.FILE, "models", "Open Recent"),
    Action(
        id="use_guide",
        menu=Menu.FILE,
        group="models",
        title="Use the Guide",
        keys=("Ctrl+Alt+G",),
        tip="Goes back to the small built-in model.",
        is_enabled=lambda state: not state.model.is_guide or state.model.is_missing,
        run=lambda app: app.model.use_guide(),
    ),
    Action(
        id="rename",
        menu=Menu.FILE,
        group="conversation",
        title="Rename Conversation",
        keys=("F2",),
        tip="Gives the open conversation another title.",
        is_enabled=lambda state: not state.chat.is_empty,
    ),
    Action(
        id="favourite",
        menu=Menu.FILE,
        group="conversation",
        title="Favourite",
        tip="Puts the open conversation above the others.",
        is_enabled=lambda state: not state.chat.is_empty,
        is_checked=lambda state: state.library.is_favourite,
        run=lambda app: app.library.edits.mark(app.library.open_id),
    ),
    Action(
        id="new_folder",
        menu=Menu.FILE,
        group="conversation",
        title="New Folder",
        keys=("Ctrl+Shift+N",),
        tip="Makes an empty folder for conversations.",
        run=lambda app: app.library.create_folder(),
    ),
    Submenu("folders", Menu.FILE, "conversation", "Move to Folder"),
    Action(
        id="delete_conversation",
        menu=Menu.FILE,
        group="conversation",
        title="Delete Conversation",
        keys=("Ctrl+Shift+Backspace",),
        tip="Puts the open conversation into the trash; Undo brings it back.",
        is_enabled=lambda state: not state.chat.is_empty,
        run=lambda app: app.library.edits.delete_conversation(app.library.open_id),
    ),
    Action(
        id="import",
        menu=Menu.FILE,
        group="exchange",
        title="Import…",
        keys=("Ctrl+Shift+O",),
        tip="Reads conversations from a file, other programs’ too.",
    ),
    Action(
        id="export",
        menu=Menu.FILE,
        group="exchange",
        title="Export Conversation…",
        keys=("Ctrl+Shift+E",),
        tip="Writes the conversation with all branches to an .espalier file.",
        is_enabled=lambda state: not state.chat.is_empty,
    ),
    Action(
        id="export_branch",
        menu=Menu.FILE,
        group="exchange",
        title="Export Branch as Markdown…",
        tip="Writes the branch you see as text.",
        is_enabled=lambda state: not state.chat.is_empty,
    ),
    Action(
        id="export_tree",
        menu=Menu.FILE,
        group="exchange",
        title="Export All Branches as Markdown…",
        tip="Writes every branch as text.",
        is_enabled=lambda state: not state.chat.is_empty,
    ),
    Action(
        id="export_all",
        menu=Menu.FILE,
        group="exchange",
        title="Export Everything…",
        tip="Writes all conversations to one archive, with their folders, which Import reads again.",
        is_enabled=lambda state: state.library.has_conversations,
    ),
    Action(
        id="attach",
        menu=Menu.FILE,
        group="attach",
        title="Attach File…",
        keys=("Ctrl+Shift+A",),
        tip="Has text, code or a PDF come with your question.",
    ),
    Action(
        id="trash",
        menu=Menu.FILE,
        group="trash",
        title="Trash…",
        tip="Shows what was deleted; it stays for 30 days.",
    ),
    Action(
        id="preferences",
        menu=Menu.FILE,
        group="preferences",
        title="Settings…",
        keys=("Ctrl+,",),
        tip="Shows what can be chosen: start, appearance, models, cache, shortcuts, privacy.",
    ),
    Action(
        id="close",
        menu=Menu.FILE,
        group="window",
        title="Close Window",
        keys=("Ctrl+W",),
        tip="Closes the window; everything is already saved.",
    ),
    Action(
        id="undo",
        menu=Menu.EDIT,
        group="undo",
        title="Undo",
        keys=("Ctrl+Z",),
        tip="Takes back the last change to your text or your conversations.",
        is_enabled=lambda state: bool(state.library.undo),
        run=lambda app: app.library.edits.undo(),
    ),
    Action(
        id="redo",
        menu=Menu.EDIT,
        group="undo",
        title="Redo",
        keys=("Ctrl+Shift+Z",),
        tip="Does it again.",
        is_enabled=lambda state: bool(state.library.redo),
        run=lambda app: app.library.edits.redo(),
    ),
    Action(
        id="cut",
        menu=Menu.EDIT,
        group="text",
        title="Cut",
        keys=("Ctrl+X",),
        tip="Cuts the selected text.",
    ),
    Action(
        id="copy",
        menu=Menu.EDIT,
        group="text",
        title="Copy",
        keys=("Ctrl+C",),
        tip="Copies the selected text, or the selected message.",
    ),
    Action(
        id="copy_markdown",
        menu=Menu.EDIT,
        group="text",
        title="Copy as Markdown",
        keys=("Ctrl+Shift+C",),
        tip="Copies what is selected in the chat, or the message, with its marks.",
        is_enabled=lambda state: not state.chat.is_empty,
    ),
    Action(
        id="copy_branch",
        menu=Menu.EDIT,
        group="text",
        title="Copy Branch",
        tip="Copies all that was said on the branch you see, as text.",
        is_enabled=lambda state: not state.chat.is_empty,
    ),
    Action(
        id="copy_branch_markdown",
        menu=Menu.EDIT,
        group="text",
        title="Copy Branch as Markdown",
        tip="Copies all that was said on the branch you see, with its marks.",
        is_enabled=lambda state: not state.chat.is_empty,
    ),
    Action(
        id="paste",
        menu=Menu.EDIT,
        group="text",
        title="Paste",
        keys=("Ctrl+V",),
        tip="Pastes text; a long one is attached.",
    ),
    Action(
        id="paste_text",
        menu=Menu.EDIT,
        group="text",
        title="Paste as Text",
        keys=("Ctrl+Shift+V",),
        tip="Pastes a long text among the words, and not as an attachment.",
    ),
    Action(
        id="select_all",
        menu=Menu.EDIT,
        group="text",
        title="Select All",
        keys=("Ctrl+A",),
        tip="Selects all of the text you are writing.",
    ),
    Action(
        id="find",
        menu=Menu.EDIT,
        group="find",
        title="Find in Branch…",
        keys=("Ctrl+F",),
        tip="Finds words in the branch that you see.",
        is_enabled=lambda state: not state.chat.is_empty,
    ),
    Action(
        id="find_next",
        menu=Menu.EDIT,
        group="find",
        title="Find Next",
        keys=("Ctrl+G",),
        tip="Goes to the next place, or to the next result of a search in all conversations.",
        is_enabled=lambda state: state.can_find_next,
        run=lambda app: app.find.go(1),
    ),
    Action(
        id="find_previous",
        menu=Menu.EDIT,
        group="find",
        title="Find Previous",
        keys=("Ctrl+Shift+G",),
        tip="Goes back to the place or the result before.",
        is_enabled=lambda state: state.can_find_next,
        run=lambda app: app.find.go(-1),
    ),
    Action(
        id="find_everywhere",
        menu=Menu.EDIT,
        group="find",
        title="Search Conversations",
        keys=("Ctrl+Shift+F",),
        tip="Finds words in every branch of all conversations.",
    ),
    Action(
        id="sidebar",
        menu=Menu.VIEW,
        group="panes",
        title="Show Conversations",
        keys=("Ctrl+Alt+S",),
        tip="Shows or hides the list of conversations.",
        pane="sidebar",
    ),
    Action(
        id="inspector",
        menu=Menu.VIEW,
        group="panes",
        title="Show Inspector",
        keys=("Ctrl+Alt+I",),
        tip="Shows or hides the pane with the branches, the cache and the settings of answers.",
        pane="inspector",
    ),
    Action(
        id="branches",
        menu=Menu.VIEW,
        group="panes",
        title="Show Branches",
        keys=("Ctrl+Alt+1",),
        tip="Shows or hides the outline of the conversation’s branches.",
        pane="branches",
    ),
    Action(
        id="settings",
        menu=Menu.VIEW,
        group="panes",
        title="Show Answer Settings",
        keys=("Ctrl+Alt+P",),
        tip="Shows or hides the system prompt and the sampling of the conversation.",
        pane="settings",
    ),
    Action(
        id="map",
        menu=Menu.VIEW,
        group="panes",
        title="Show Map",
        keys=("Ctrl+Alt+3",),
        tip="Shows or hides a picture of the conversation’s branches.",
        pane="map",
    ),
    Action(
        id="bigger",
        menu=Menu.VIEW,
        group="text size",
        title="Bigger Text",
        keys=(
            "Ctrl++",
            "Ctrl+=",
        ),
        tip="Makes the text bigger.",
    ),
    Action(
        id="smaller",
        menu=Menu.VIEW,
        group="text size",
        title="Smaller Text",
        keys=("Ctrl+-",),
        tip="Makes the text smaller.",
    ),
    Action(
        id="actual_size",
        menu=Menu.VIEW,
        group="text size",
        title="Actual Size",
        keys=("Ctrl+0",),
        tip="Gives the text its usual size again.",
    ),
    Action(
        id="full_screen",
        menu=Menu.VIEW,
        group="full screen",
        title="Enter Full Screen",
        keys=("Meta+Ctrl+F",),
        tip="Gives the window the whole screen, or takes it back.",
    ),
    Action(
        id="jump",
        menu=Menu.VIEW,
        group="focus",
        title="Jump To…",
        keys=("Ctrl+K",),
        tip="Goes to a conversation, a branch, a pin or a command by a few letters of its name.",
    ),
    Action(
        id="compose",
        menu=Menu.VIEW,
        group="focus",
        title="Go to Message Field",
        keys=("Ctrl+L",),
        tip="Puts the cursor where you write.",
    ),
    Action(
        id="send",
        menu=Menu.BRANCH,
        group="send",
        title="Send",
        keys=("Ctrl+Return",),
        tip="Sends what you wrote; Return does the same.",
        is_enabled=lambda state: state.chat.can_send,
    ),
    Action(
        id="fork",
        menu=Menu.BRANCH,
        group="fork",
        title="Edit as New Branch",
        keys=("Ctrl+D",),
        tip="Edits a question; the old branch stays.",
        is_enabled=lambda state: state.chat.can_fork,
        run=lambda app: app.chat.open_draft.begin_edit(),
    ),
    Action(
        id="regenerate",
        menu=Menu.BRANCH,
        group="fork",
        title="Answer Again",
        keys=("Ctrl+R",),
        tip="Asks for another answer beside the old one.",
        is_enabled=lambda state: state.chat.can_regenerate,
        run=lambda app: app.chat.asking.regenerate(),
    ),
    Action(
        id="branch_here",
        menu=Menu.BRANCH,
        group="fork",
        title="New Branch from Here",
        keys=("Ctrl+Shift+D",),
        tip="Asks something else after an answer; what follows it now stays.",
        is_enabled=lambda state: state.chat.can_edit_answer,
        run=lambda app: app.chat.open_draft.begin_after(),
    ),
    Action(
        id="answer",
        menu=Menu.BRANCH,
        group="fork",
        title="Answer This Question",
        tip="Has the question answered that ends the branch, and that nobody answered.",
        is_enabled=lambda state: state.chat.has_unanswered,
        run=lambda app: app.chat.asking.answer_the_end(),
    ),
    Action(
        id="continue",
        menu=Menu.BRANCH,
        group="fork",
        title="Continue Answer",
        keys=("Ctrl+Shift+Return",),
        tip="Has an answer go on that was stopped, cut off or came to a limit.",
        is_enabled=lambda state: state.chat.can_continue,
        run=lambda app: app.chat.asking.go_on(),
    ),
    Action(
        id="edit_answer",
        menu=Menu.BRANCH,
        group="fork",
        title="Edit Answer",
        keys=("Ctrl+E",),
        tip="Changes an answer’s text and has the model go on from it; the old answer stays.",
        is_enabled=lambda state: state.chat.can_edit_answer,
        run=lambda app: app.chat.open_draft.edit_answer(),
    ),
    Action(
        id="repeat_answer",
        menu=Menu.BRANCH,
        group="fork",
        title="Answer Again with the Same Settings and Seed",
        tip="Asks for the same answer once more, beside the old one.",
        is_enabled=lambda state: state.chat.can_regenerate,
        run=lambda app: app.chat.asking.repeat_answer(),
    ),
    Action(
        id="ask_again",
        menu=Menu.BRANCH,
        group="fork",
        title="Ask Again with the New System Prompt",
        tip="Asks the last question beside itself, with what was changed in the settings.",
        is_enabled=lambda state: state.chat.can_ask_again,
        run=lambda app: app.chat.asking.ask_again_with_settings(),
    ),
    Action(
        id="answer_settings",
        menu=Menu.BRANCH,
        group="settings",
        title="Settings of This Answer…",
        tip="Shows how the tokens of the answer were chosen.",
        is_enabled=lambda state: not state.chat.is_empty,
    ),
    Action(
        id="use_settings",
        menu=Menu.BRANCH,
        group="settings",
        title="Use These Settings",
        tip="Takes the answer’s settings over for the next one.",
        is_enabled=lambda state: not state.chat.is_empty,
        run=lambda app: app.chat.settings.use_answer(),
    ),
    Action(
        id="name_branch",
        menu=Menu.BRANCH,
        group="names",
        title="Name This Branch…",
        keys=("Ctrl+Alt+R",),
        tip="Gives the branch you see a name; an empty one takes it away.",
        is_enabled=lambda state: not state.chat.is_empty,
    ),
    Action(
        id="favourite_branch",
        menu=Menu.BRANCH,
        group="names",
        title="Favourite Branch",
        tip="Marks the branch you see with a star.",
        is_enabled=lambda state: not state.chat.is_empty,
        is_checked=lambda state: state.chat.is_favourite_branch,
        run=lambda app: app.chat.open_branch.mark_favourite(),
    ),
    Action(
        id="previous",
        menu=Menu.BRANCH,
        group="versions",
        title="Previous Version",
        keys=("Ctrl+Alt+Left",),
        tip="Shows the version to the left at a fork.",
        is_enabled=lambda state: state.chat.can_show_previous,
        run=lambda app: app.chat.open_branch.select_version(None, -1),
    ),
    Action(
        id="next",
        menu=Menu.BRANCH,
        group="versions",
        title="Next Version",
        keys=("Ctrl+Alt+Right",),
        tip="Shows the version to the right at a fork.",
        is_enabled=lambda state: state.chat.can_show_next,
        run=lambda app: app.chat.open_branch.select_version(None, 1),
    ),
    Action(
        id="compare",
        menu=Menu.BRANCH,
        group="versions",
        title="Compare Branches",
        keys=("Ctrl+Alt+C",),
        tip="Shows two branches side by side, with the words that differ marked.",
        is_enabled=lambda state: state.chat.can_prune,
        run=lambda app: app.comparison.toggle(),
    ),
    Action(
        id="parent",
        menu=Menu.BRANCH,
        group="messages",
        title="Go to Message Above",
        keys=("Ctrl+Alt+Up",),
        tip="Goes to the message that this one follows.",
        is_enabled=lambda state: not state.chat.is_empty,
    ),
    Action(
        id="child",
        menu=Menu.BRANCH,
        group="messages",
        title="Go to Message Below",
        keys=("Ctrl+Alt+Down",),
        tip="Goes to what follows this message, by the branch that was visited last.",
        is_enabled=lambda state: not state.chat.is_empty,
    ),
    Action(
        id="delete_message",
        menu=Menu.BRANCH,
        group="delete",
        title="Delete Message and What Follows",
        keys=("Ctrl+Backspace",),
        tip="Puts a message and its branches into the trash; Undo brings them back.",
        is_enabled=lambda state: not state.chat.is_empty,
        run=lambda app: app.chat.open_branch.delete_message(),
    ),
    Action(
        id="prune",
        menu=Menu.BRANCH,
        group="delete",
        title="Delete Other Branches",
        tip="Keeps the branch you see and puts all others of the conversation into the trash.",
        is_enabled=lambda state: state.chat.can_prune,
        run=lambda app: app.library.edits.prune(app.library.open_id),
    ),
    Action(
        id="stop",
        menu=Menu.BRANCH,
        group="stop",
        title="Stop",
        keys=(
            "Escape",
            "Ctrl+.",
        ),
        tip="Stops the answer, and keeps what was written; else a model that is being opened.",
        is_enabled=lambda state: state.chat.can_stop or state.chat.is_editing,
        run=lambda app: app.chat.asking.stop_or_cancel_edit(),
    ),
    Submenu("budget", Menu.CACHE, "room", "Memory Budget", needs="memory_budget"),
    Submenu("disk_budget", Menu.CACHE, "room", "Disk Budget", needs="disk_cache"),
    Action(
        id="keep_every_fork",
        menu=Menu.CACHE,
        group="room",
        title="Keep Every Fork on Disk",
        tip="Writes every state that can be gone back to, which takes several times the space on some models.",
        needs="disk_cache",
        is_enabled=lambda state: bool(state.cache.folder),
        setting="keeps_every_fork",
    ),
    _kept_in(None, "KV Cache in Full"),
    _kept_in(8, "Approximate KV Cache in 8 Bits"),
    _kept_in(4, "Approximate KV Cache in 4 Bits"),
    Action(
        id="pin",
        menu=Menu.CACHE,
        group="pins",
        title="Pin This Branch",
        keys=("Ctrl+Shift+P",),
        tip="Keeps what is cached of the branch, whatever else needs room, after a restart too.",
        needs="pins",
        is_enabled=lambda state: state.chat.can_pin,
        run=lambda app: app.edges.pin(app.chat.open_branch.path, True),
    ),
    Action(
        id="unpin",
        menu=Menu.CACHE,
        group="pins",
        title="Unpin This Branch",
        tip="Lets the branch make room for others again.",
        needs="pins",
        is_enabled=lambda state: state.chat.can_unpin,
        run=lambda app: app.edges.pin(app.chat.open_branch.path, False),
    ),
    Action(
        id="warm_up",
        menu=Menu.CACHE,
        group="pins",
        title="Warm Up This Branch",
        keys=("Ctrl+Alt+W",),
        tip="Reads the branch in the background, so that going on begins at once; again to stop.",
        needs="warm_ups",
        is_enabled=lambda state: state.has_cached_branch,
        is_checked=lambda state: bool(state.edges.warming),
        run=lambda app: app.edges.warm_up(app.chat.open_branch.path),
    ),
    Action(
        id="show_row",
        menu=Menu.CACHE,
        group="row",
        title="Show Row in Chat",
        tip="Goes to the message that the chosen row of the Cache pane holds.",
        needs="trie",
        is_enabled=lambda state: state.edges.can_show,
        run=lambda app: app.edges.show_in_chat(),
    ),
    Action(
        id="pin_row",
        menu=Menu.CACHE,
        group="row",
        title="Pin Row",
        tip="Keeps what leads to the chosen row, whatever else needs room.",
        needs="pins",
        is_enabled=lambda state: state.edges.can_pin,
        run=lambda app: app.edges.pin_row(),
    ),
    Action(
        id="unpin_row",
        menu=Menu.CACHE,
        group="row",
        title="Unpin Row",
        tip="Lets the chosen row make room for others again.",
        needs="pins",
        is_enabled=lambda state: state.edges.can_unpin,
        run=lambda app: app.edges.pin_row(is_pinned=False),
    ),
    Action(
        id="evict_row",
        menu=Menu.CACHE,
        group="row",
        title="Evict Row",
        tip="Frees what the chosen row and those below it hold; no word is touched.",
        needs="evictions",
        is_enabled=lambda state: state.edges.can_evict,
        run=lambda app: app.edges.evict_row(),
    ),
    Action(
        id="warm_up_row",
        menu=Menu.CACHE,
        group="row",
        title="Warm Up Row",
        tip="Reads the branch of the chosen row in the background.",
        needs="warm_ups",
        is_enabled=lambda state: state.edges.can_warm_up,
        run=lambda app: app.edges.warm_up_row(),
    ),
    Action(
        id="verify",
        menu=Menu.CACHE,
        group="check",
        title="Verify This Branch",
        tip="Computes the branch again and compares it with the cache.",
        needs="checks",
        is_enabled=lambda state: state.has_cached_branch and not state.cache.is_checking,
        run=lambda app: app.cache.verify(app.chat.open_branch.turns),
    ),
    Action(
        id="copy_cache",
        menu=Menu.CACHE,
        group="show",
        title="Copy Cache as Text",
        tip="Copies the tree and its events, without any words.",
        needs="trie",
        is_enabled=lambda state: not state.cache.is_empty,
    ),
    Action(
        id="show_files",
        menu=Menu.CACHE,
        group="show",
        title="Show Cache Files",
        tip="Opens the folder with the cached state of all models.",
        needs="disk_cache",
        is_enabled=lambda state: bool(state.cache.folder),
        run=lambda app: app.cache.show_files(),
    ),
    Action(
        id="forget_cache",
        menu=Menu.CACHE,
        group="delete",
        title="Forget This Conversation’s Cache",
        tip="Deletes the cached state that only this conversation uses; its words stay.",
        needs="trie",
        is_enabled=lambda state: state.has_cached_branch,
        run=lambda app: app.cache.forget_conversation(app.library.open_id),
    ),
    Action(
        id="delete_files",
        menu=Menu.CACHE,
        group="delete",
        title="Delete Cache Files…",
        tip="Deletes the cached state of all models from the disk; conversations stay.",
        needs="disk_cache",
        is_enabled=lambda state: bool(state.cache.folder),
    ),
    Action(
        id="minimise",
        menu=Menu.WINDOW,
        group="window",
        title="Minimise",
        keys=("Ctrl+M",),
        tip="Puts the window away until it is wanted again.",
    ),
    Action(
        id="zoom",
        menu=Menu.WINDOW,
        group="window",
        title="Zoom",
        tip="Makes the window as large as there is room for, or as it was.",
    ),
    Action(
        id="bring_all",
        menu=Menu.WINDOW,
        group="all",
        title="Bring All to Front",
        tip="Puts all windows of the program above those of others.",
    ),
    Action(
        id="about",
        menu=Menu.HELP,
        group="about",
        title="About Espalier",
        tip="Shows the version and the licence.",
    ),
)
"""The menus' entries, in their order."""

ACTIONS = tuple(row for row in TABLE if isinstance(row, Action))
SUBMENUS = tuple(row for row in TABLE if isinstance(row, Submenu))
BY_ID: Mapping[str, Action[Regions, AppState]] = {action.id: action for action in ACTIONS}

BUTTONS: Mapping[str, Callable[[Regions], object]] = {
    "restart": lambda app: app.model.restart_engine(),
    "open_anyway": lambda app: app.model.open_anyway(),
    "dismiss": lambda app: app.chat.cards.dismiss(),
    "edit_failed": lambda app: app.chat.open_draft.edit_failed(),
    "edit_earlier": lambda app: app.chat.context_overflow.edit_earlier(),
    "raise_limit": lambda app: app.chat.context_overflow.raise_limit(),
    "leave_out_oldest": lambda app: app.chat.context_overflow.leave_out_oldest(),
}
"""What only a button of a card does, by its id."""


def offered(state: AppState) -> frozenset[str]:
    """Return the ids of the commands and submenus that the engine has a use for."""
    return frozenset(row.id for row in TABLE if state.model.has(row.needs))


def enabled(state: AppState) -> frozenset[str]:
    """Return the ids of the commands that would do something now."""
    return frozenset(one.id for one in ACTIONS if state.model.has(one.needs) and one.is_enabled(state))


def checked(state: AppState) -> frozenset[str]:
    """Return the ids of the commands whose mark is set, but for those of panes."""
    return frozenset(one.id for one in ACTIONS if _is_checked(one, state))


def _is_checked(one: Action[Regions, AppState], state: AppState) -> bool:
    if one.setting:
        return bool(getattr(state.settings, one.setting))
    return one.is_checked is not None and one.is_checked(state)


def action(action_id: str) -> Action[Regions, AppState]:
    """Return the command of this id. Raises KeyError where the table has none."""
    return BY_ID[action_id]


def run_of(app: Regions, action_id: str) -> Run:
    """Return what a command or a button does without a window. Raises KeyError for an id that has nothing to do."""
    if action_id in BUTTONS:
        return partial(BUTTONS[action_id], app)
    found = action(action_id)
    if found.setting:
        return partial(app.settings.toggle, found.setting)
    if found.run is None:
        raise KeyError(action_id)
    return partial(found.run, app)


def bound(app: Regions, own: Mapping[str, Run]) -> dict[str, Run]:
    """Return what each command does in a window, which has a way of its own for some of them.

    Raises KeyError for an id of the window's that is in no menu, and for a command that nobody carries out.
    """
    for action_id in own:
        action(action_id)
    return {one.id: own.get(one.id) or run_of(app, one.id) for one in ACTIONS}
