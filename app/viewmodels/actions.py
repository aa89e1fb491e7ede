"""Every command of the program: the menus are built from this table, and so is what the guide model was taught."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Menu(StrEnum):
    """The menus, in the order of the menu bar."""

    FILE = "File"
    EDIT = "Edit"
    VIEW = "View"
    BRANCH = "Branch"
    CACHE = "Cache"
    HELP = "Help"


@dataclass(frozen=True, slots=True)
class Action:
    """`keys` are portable ("Ctrl" is Command on a Mac); `tip` says in one sentence what the command does."""

    id: str
    menu: Menu
    title: str
    keys: tuple[str, ...]
    tip: str
    is_checkable: bool = False


ACTIONS: tuple[Action, ...] = (
    Action("new", Menu.FILE, "New Conversation", ("Ctrl+N",), "Starts an empty conversation."),
    Action("open_model", Menu.FILE, "Open Model…", ("Ctrl+O",), "Opens a folder that mlx-lm can load."),
    Action("use_guide", Menu.FILE, "Use the Guide", ("Ctrl+Shift+G",), "Goes back to the small built-in model."),
    Action("rename", Menu.FILE, "Rename Conversation", ("F2",), "Gives the open conversation another title."),
    Action("favourite", Menu.FILE, "Favourite", (), "Puts the open conversation above the others.", True),
    Action("new_folder", Menu.FILE, "New Folder", ("Ctrl+Shift+N",), "Makes an empty folder for conversations."),
    Action(
        "delete_conversation",
        Menu.FILE,
        "Delete Conversation",
        ("Ctrl+Shift+Backspace",),
        "Puts the open conversation into the trash; Undo brings it back.",
    ),
    Action("import", Menu.FILE, "Import…", ("Ctrl+Shift+O",), "Reads conversations from a file, other programs’ too."),
    Action(
        "export",
        Menu.FILE,
        "Export Conversation…",
        ("Ctrl+Shift+E",),
        "Writes the conversation with all branches to an .espalier file.",
    ),
    Action("export_branch", Menu.FILE, "Export Branch as Markdown…", (), "Writes the branch you see as text."),
    Action("export_tree", Menu.FILE, "Export All Branches as Markdown…", (), "Writes every branch as text."),
    Action("trash", Menu.FILE, "Trash…", (), "Shows what was deleted; it stays for 30 days."),
    Action("close", Menu.FILE, "Close Window", ("Ctrl+W",), "Closes the window; everything is already saved."),
    Action("undo", Menu.EDIT, "Undo", ("Ctrl+Z",), "Takes back the last change to your text or your conversations."),
    Action("redo", Menu.EDIT, "Redo", ("Ctrl+Shift+Z",), "Does it again."),
    Action("cut", Menu.EDIT, "Cut", ("Ctrl+X",), "Cuts the selected text."),
    Action("copy", Menu.EDIT, "Copy", ("Ctrl+C",), "Copies the selected text, or the selected message."),
    Action("paste", Menu.EDIT, "Paste", ("Ctrl+V",), "Pastes text."),
    Action("select_all", Menu.EDIT, "Select All", ("Ctrl+A",), "Selects all of the text you are writing."),
    Action("find", Menu.EDIT, "Search Conversations", ("Ctrl+F", "Ctrl+Shift+F"), "Finds words in every branch."),
    Action(
        "sidebar", Menu.VIEW, "Show Conversations", ("Ctrl+Alt+S",), "Shows or hides the list of conversations.", True
    ),
    Action("inspector", Menu.VIEW, "Show Cache", ("Ctrl+Alt+C",), "Shows or hides the cache pane.", True),
    Action("bigger", Menu.VIEW, "Bigger Text", ("Ctrl++", "Ctrl+="), "Makes the text bigger."),
    Action("smaller", Menu.VIEW, "Smaller Text", ("Ctrl+-",), "Makes the text smaller."),
    Action("actual_size", Menu.VIEW, "Actual Size", ("Ctrl+0",), "Gives the text its usual size again."),
    Action("compose", Menu.VIEW, "Go to Message Field", ("Ctrl+L",), "Puts the cursor where you write."),
    Action("send", Menu.BRANCH, "Send", ("Ctrl+Return",), "Sends what you wrote; Return does the same."),
    Action("fork", Menu.BRANCH, "Edit as New Branch", ("Ctrl+D",), "Edits a question; the old branch stays."),
    Action("regenerate", Menu.BRANCH, "Answer Again", ("Ctrl+R",), "Asks for another answer beside the old one."),
    Action("previous", Menu.BRANCH, "Previous Version", ("Ctrl+Alt+Left",), "Shows the version to the left at a fork."),
    Action("next", Menu.BRANCH, "Next Version", ("Ctrl+Alt+Right",), "Shows the version to the right at a fork."),
    Action(
        "delete_message",
        Menu.BRANCH,
        "Delete Message and What Follows",
        ("Ctrl+Backspace",),
        "Puts a message and its branches into the trash; Undo brings them back.",
    ),
    Action(
        "prune",
        Menu.BRANCH,
        "Delete Other Branches",
        (),
        "Keeps the branch you see and puts all others of the conversation into the trash.",
    ),
    Action("stop", Menu.BRANCH, "Stop", ("Escape", "Ctrl+."), "Stops the answer; what was written is kept."),
    Action(
        "keep_every_fork",
        Menu.CACHE,
        "Keep Every Fork on Disk",
        (),
        "Writes every state that can be gone back to, which takes several times the space on some models.",
        True,
    ),
    Action(
        "pin",
        Menu.CACHE,
        "Pin This Branch",
        ("Ctrl+Shift+P",),
        "Keeps what is cached of the branch, whatever else needs room, until the model is closed.",
    ),
    Action("unpin", Menu.CACHE, "Unpin This Branch", (), "Lets the branch make room for others again."),
    Action("verify", Menu.CACHE, "Verify This Branch", (), "Computes the branch again and compares it with the cache."),
    Action("copy_cache", Menu.CACHE, "Copy Cache as Text", (), "Copies the tree and its events, without any words."),
    Action("show_files", Menu.CACHE, "Show Cache Files", (), "Opens the folder with the cached state of all models."),
    Action(
        "forget_cache",
        Menu.CACHE,
        "Forget This Conversation’s Cache",
        (),
        "Deletes the cached state that only this conversation uses; its words stay.",
    ),
    Action(
        "delete_files",
        Menu.CACHE,
        "Delete Cache Files…",
        (),
        "Deletes the cached state of all models from the disk; conversations stay.",
    ),
    Action("about", Menu.HELP, "About Espalier", (), "Shows the version and the licence."),
)
