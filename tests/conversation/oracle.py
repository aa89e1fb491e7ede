"""What a store should hold, in plain dictionaries, by rules of its own: no SQL, no edits, no triggers."""

from __future__ import annotations

import copy
from dataclasses import dataclass, field

from app.conversation.message import Message
from app.conversation.store import Store


@dataclass
class Entry:
    """What lies in the trash together."""

    operation: str
    folders: set[str] = field(default_factory=set)
    conversations: set[str] = field(default_factory=set)
    messages: set[str] = field(default_factory=set)

    def __bool__(self) -> bool:
        return bool(self.folders or self.conversations or self.messages)


@dataclass
class State:
    """Everything that can be seen, and what was added so far. Rows are in the order in which they were added."""

    folders: dict[str, str] = field(default_factory=dict)
    positions: dict[str, int] = field(default_factory=dict)
    conversations: dict[str, dict[str, object]] = field(default_factory=dict)
    used: list[str] = field(default_factory=list)
    messages: dict[str, Message] = field(default_factory=dict)
    marks: dict[str, dict[str, object]] = field(default_factory=dict)
    leaves: dict[str, str | None] = field(default_factory=dict)
    visited: dict[tuple[str, str | None], str] = field(default_factory=dict)
    trash: list[Entry] = field(default_factory=list)
    loose: set[str] = field(
        default_factory=set
    )  # begun, taken back, and not used since: their place is nobody's promise

    @property
    def hidden(self) -> set[str]:
        """Ids of all that lies in the trash by itself."""
        return {one for entry in self.trash for one in entry.folders | entry.conversations | entry.messages}

    def shown(self, conversation: str) -> list[str]:
        hidden = self.hidden
        return [one for one, it in self.messages.items() if it.conversation_id == conversation and one not in hidden]

    def seen_conversations(self) -> list[str]:
        hidden = self.hidden
        return [one for one in reversed(self.used) if one not in hidden]

    def seen_folders(self) -> list[str]:
        seen = [one for one in self.folders if one not in self.hidden]
        return sorted(seen, key=lambda one: (self.positions[one], seen.index(one)))

    def path(self, message: str | None) -> list[str]:
        found = []
        while message is not None:
            found.append(message)
            message = self.messages[message].parent_id
        return found

    def below(self, conversation: str, place: str | None, without: set[str]) -> str | None:
        """Where one arrives: by the child last visited where it can be seen, else by the newest."""
        shown = [one for one in self.shown(conversation) if one not in without]
        while True:
            children = [one for one in shown if self.messages[one].parent_id == place]
            if not children:
                return place
            last = self.visited.get((conversation, place))
            place = last if last in children else children[-1]

    def select(self, conversation: str, leaf: str | None) -> None:
        self.leaves[conversation] = leaf
        for message in self.path(leaf):
            self.visited[conversation, self.messages[message].parent_id] = message

    def use(self, conversation: str) -> None:
        if conversation in self.used:
            self.used.remove(conversation)
        self.used.append(conversation)
        self.loose.discard(conversation)

    def add(self, message: Message, select: bool) -> None:
        self.messages[message.id] = message
        self.marks[message.id] = {"pinned": False, "favourite": False, "name": None}
        if select:
            self.select(message.conversation_id, message.id)
        self.use(message.conversation_id)
        about = self.conversations[message.conversation_id]
        if message.role == "user" and about["title"] is None:
            about["title"] = message.text

    def hide_messages(self, conversation: str, roots: list[str], operation: str) -> None:
        gone = {one for one in self.shown(conversation) if set(self.path(one)) & set(roots)}
        if not gone:
            return
        leaf = self.leaves[conversation]
        if leaf in gone:
            place = next((one for one in self.path(leaf) if one not in gone), None)
            self.select(conversation, self.below(conversation, place, gone))
        self.trash.append(Entry(operation, messages=gone))

    def prune(self, conversation: str, end: str | None) -> None:
        leaf = end or self.leaves[conversation] or self.below(conversation, None, set())
        if leaf is not None:
            kept = set(self.path(leaf))
            self.hide_messages(conversation, [one for one in self.shown(conversation) if one not in kept], "prune")

    def delete_folder(self, folder: str) -> None:
        for about in self.conversations.values():
            if about["folder"] == folder:
                about["folder"] = None
        self.trash.append(Entry("delete", folders={folder}))

    def restore(self, place: int) -> None:
        """With all that the messages hang on, from whichever entry."""
        entry = self.trash[place]
        shown = set(entry.folders | entry.conversations)
        for message in entry.messages:
            shown |= {*self.path(message), self.messages[message].conversation_id}
        self.bring_back(shown)

    def bring_back(self, ids: set[str]) -> None:
        for entry in self.trash:
            entry.folders -= ids
            entry.conversations -= ids
            entry.messages -= ids
        self.trash = [entry for entry in self.trash if entry]

    def empty(self) -> None:
        hidden = self.hidden
        gone = {
            one
            for one, it in self.messages.items()
            if it.conversation_id in hidden or any(above in hidden for above in self.path(one))
        }
        self.messages = {one: it for one, it in self.messages.items() if one not in gone}
        self.conversations = {one: it for one, it in self.conversations.items() if one not in hidden}
        self.used = [one for one in self.used if one not in hidden]
        self.folders = {one: it for one, it in self.folders.items() if one not in hidden}
        self.visited = {key: one for key, one in self.visited.items() if one not in gone}
        self.trash = []

    def undone_to(self, then: State, operation: str) -> State:
        """This moment, taken back to that one: what is to be hidden for that, new rows too, is one entry."""
        back = copy.deepcopy(then)
        hidden, known = self.hidden, {*then.folders, *then.conversations, *then.messages}
        entry = Entry(operation)
        for name in ("folders", "conversations", "messages"):
            for one, row in getattr(self, name).items():
                getattr(back, name).setdefault(one, row)
                if (one not in known or one in then.hidden) and one not in hidden:
                    getattr(entry, name).add(one)
        new = {one for one in back.conversations if one not in then.conversations}
        entry.messages = {one for one in entry.messages if self.messages[one].conversation_id not in new}
        back.marks = {**self.marks, **back.marks}
        back.positions = {**self.positions, **back.positions}
        back.leaves = {**self.leaves, **back.leaves}
        back.used = [one for one in self.used if one in new] + back.used
        back.loose = self.loose | new
        back.trash = copy.deepcopy(self.trash)
        back.bring_back({one for one in known if one not in then.hidden})
        if entry:
            back.trash.append(entry)
        return back


def compare(store: Store, state: State, note: str) -> None:
    """All that the store tells, against what it should hold."""
    conversations = store.conversations.all()
    seen = state.seen_conversations()
    assert {one.id for one in conversations} == set(seen), note
    assert [one.id for one in conversations if one.id not in state.loose] == [
        one for one in seen if one not in state.loose
    ], note
    hidden = state.hidden
    for one in conversations:
        about = state.conversations[one.id]
        folder = about["folder"] if about["folder"] not in hidden else None
        assert (one.title, one.folder_id, one.is_favourite) == (about["title"], folder, about["favourite"]), note
        tree = store.messages.load(one.id)
        shown = state.shown(one.id)
        messages = store.messages.of(one.id)
        assert [it.id for it in messages] == shown, note
        for it in messages:
            marks = {"pinned": it.is_pinned, "favourite": it.is_favourite, "name": it.name}
            assert (it.text, it.parent_id, marks) == (
                *(state.messages[it.id].text, state.messages[it.id].parent_id),
                state.marks[it.id],
            ), note
        assert tree.leaf_id == state.below(one.id, state.leaves[one.id], set()), note
    assert [(it.id, it.name) for it in store.folders.all()] == [
        (one, state.folders[one]) for one in state.seen_folders()
    ], note
    wanted = []
    for entry in reversed(state.trash):
        inside = {one for one, it in state.messages.items() if it.conversation_id in entry.conversations}
        wanted.append((entry.operation, len(entry.messages | inside), bool(entry.conversations)))
    assert [(str(it.operation), it.messages, it.is_conversation) for it in store.trash.entries()] == wanted, note
