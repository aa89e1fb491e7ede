"""The conversations in the JSON of a file, read one after the other, whichever program wrote them.

Properties: what is held at one time is one conversation, as messages and not as JSON. The messages of a conversation
may be of any number that `limits` allows, and reading takes time in proportion.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from app.conversation.records import Document
from app.exchange import chatgpt, limits, open_webui
from app.exchange.espalier import Draft, document_of, is_espalier
from app.exchange.faults import MalformedError
from app.exchange.foreign import ForeignConversation, ForeignNode, import_tree
from app.exchange.json_object import Entries, JsonObject, require_object
from app.exchange.json_text import JsonReader
from app.exchange.notes import Notes

CHOOSE = "Choose an .espalier document, or the JSON that ChatGPT or Open WebUI exports."

_KNOWN = frozenset(  # what the forms have a use for; the rest is read and let go
    (
        *("format", "version", "id", "title", "created", "updated", "favourite", "folder", "selected", "messages"),
        *("mapping", "create_time", "update_time", "current_node", "is_starred", "chat", "created_at", "updated_at"),
        *("pinned", "history", "currentId", "timestamp", "system", "params"),
    )
)
_FORMS: tuple[tuple[Callable[[Any], bool], Callable[[JsonObject, Notes], ForeignConversation]], ...] = (
    (chatgpt.is_chatgpt, chatgpt.conversation_of),
    (open_webui.is_open_webui, open_webui.conversation_of),
)
_NodeOf = Callable[[Any, str, Notes], ForeignNode]


class ConversationReader:
    """A reader of conversations from the files of one import, one file after another."""

    def __init__(self, notes: Notes, go_on: Callable[[], None] | None = None) -> None:
        """Count in `notes` what is lost. go_on: called for every message; what it raises ends the reading."""
        self._notes = notes
        self._go_on = go_on
        self._conversations = 0
        self._messages = 0
        self._in_this = 0
        self._json = JsonReader(())
        self._rest = JsonObject({})

    def documents(self, json: JsonReader) -> Iterator[Document]:
        """Yield the conversations of a file. Raises MalformedError where its form is none that is known."""
        self._json = json
        if json.next_sign() == "[":
            for number in json.items():
                yield from self._document(f"conversation {number}")
        else:
            yield from self._document("")
        json.end()

    def _document(self, place: str) -> Iterator[Document]:
        self._conversations += 1
        self._in_this = 0
        if self._conversations > limits.MOST_CONVERSATIONS:
            reason = f"it has more than {limits.MOST_CONVERSATIONS} conversations"
            raise MalformedError("", reason, "Import it in parts.")
        found = self._read(place)
        if isinstance(found, Draft):
            yield found.finished(self._rest)
        elif is_espalier(found):
            yield document_of(found, self._notes)
        else:
            for is_it, conversation_of in _FORMS:
                if is_it(found):
                    document = import_tree(conversation_of(require_object(found, place), self._notes), self._notes)
                    yield from () if document is None else (document,)
                    return
            raise MalformedError(place, "this is no conversation in a form that Espalier knows", CHOOSE)

    def _read(self, place: str) -> Any:
        """Read a conversation, its messages made nodes already; or a draft, and `_rest` is what stands beside it."""
        if self._json.next_sign() != "{":
            return self._json.value()
        entries: Entries = {}
        draft: Draft | None = None
        for name in self._json.members():
            sign = self._json.next_sign()
            if name == "mapping" and sign == "{":
                entries[name] = self._nodes(JsonObject(entries, place).at(name), chatgpt.node_of)
            elif name == "chat" and sign == "{":
                entries[name] = self._chat(JsonObject(entries, place).at(name))
            elif name == "history" and sign == "{":
                entries[name] = self._history(JsonObject(entries, place).at(name))
            elif name == "messages" and sign == "[":
                if is_espalier(entries) and {"version", "id"} <= entries.keys():
                    draft = self._draft(JsonObject(entries, place))
                else:
                    entries[name] = self._list()
            else:
                self._read_known(entries, name)
        self._rest = JsonObject(entries, place)
        return entries if draft is None else draft

    def _draft(self, file: JsonObject) -> Draft:
        draft = Draft(file, self._notes)
        for number in self._json.items():
            self._count()
            place = f"{file.place}, message {number}" if file.place else f"message {number}"
            draft.add(require_object(self._json.value(), place))
        return draft

    def _chat(self, place: str) -> Entries:
        """Open WebUI's: it has its messages in `history`, those of the open path again in a list."""
        entries: Entries = {}
        for name in self._json.members():
            sign = self._json.next_sign()
            if name == "history" and sign == "{":
                entries[name] = self._history(JsonObject(entries, place).at(name))
            elif name == "messages" and sign == "[" and "history" not in entries:
                entries[name] = self._list()
            else:
                self._read_known(entries, name)
        return entries

    def _history(self, place: str) -> Entries:
        entries: Entries = {}
        for name in self._json.members():
            if name == "messages" and self._json.next_sign() == "{":
                entries[name] = self._nodes(JsonObject(entries, place).at(name), open_webui.node_of)
            else:
                self._read_known(entries, name)
        return entries

    def _nodes(self, place: str, node_of: _NodeOf) -> dict[str, ForeignNode]:
        nodes: dict[str, ForeignNode] = {}
        for key in self._json.members():
            self._count()
            nodes[key] = node_of(self._json.value(), JsonObject({}, place).at(key), self._notes)
        return nodes

    def _list(self) -> list[Any]:
        found: list[Any] = []
        for _ in self._json.items():
            self._count()
            found.append(self._json.value())
        return found

    def _read_known(self, entries: Entries, name: str) -> None:
        value = self._json.value()
        if name in _KNOWN:
            entries[name] = value

    def _count(self) -> None:
        if self._go_on is not None:
            self._go_on()
        self._in_this += 1
        self._messages += 1
        if self._in_this > limits.MOST_MESSAGES:
            reason = f"a conversation in it has more than {limits.MOST_MESSAGES} messages"
            raise MalformedError("", reason, "Divide it.")
        if self._messages > limits.MOST_IN_A_FILE:
            raise MalformedError("", f"it has more than {limits.MOST_IN_A_FILE} messages", "Import it in parts.")
