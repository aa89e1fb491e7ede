# ruff: noqa: S608 (the names in the statements are this program's own)
"""The schema of the database, in versions. `PRAGMA user_version` counts the migrations that have been applied.

An answer's text is the message's own text and then its pieces in order of their numbers; its thought is the pieces of
that kind. So are its token ids, of which as many count as `message.tokens` says, and none where there are fewer: an
answer that went on and was taken back has more of them. Numbers grow with
time, whatever the clock says: they order siblings, and a parent has a smaller number than its children, so there is no
cycle.

What is deleted stays where it is and points at an entry of the trash until that is emptied. What can be seen hangs on
what can be seen: a message on its parent, a conversation in its folder, and the open path ends with such a message.

Dates are for showing. What decides by time, which is only the trash, goes by the clock of `clock.py`; what was used
last has the highest number in `conversation.used`.

The first page of a file says where its tables begin, and is the one that is written most often. So a table that is
never moved, that of the highest numbers given away, says it again: a row `@name` for each table.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

APPLICATION_ID = 0x45735061  # "EsPa"
PAGE_SIZE = 4096

_IS_ID = "length(id) = 32 AND id NOT GLOB '*[^0-9a-f]*'"
_GROWS = """WHEN NOT EXISTS
        (SELECT 1 FROM message WHERE number = NEW.message AND role = 'assistant' AND stop IS NULL)
    BEGIN SELECT RAISE(ABORT, 'only an answer that has not ended can grow'); END"""
_HANGS_ON_HIDDEN = """WHEN NEW.trash IS NULL AND EXISTS
        (SELECT 1 FROM message WHERE number = NEW.parent AND trash IS NOT NULL)
    BEGIN SELECT RAISE(ABORT, 'a message that can be seen hangs on one that can be seen'); END"""
_IS_CLAIM = "INTEGER NOT NULL DEFAULT 0 CHECK ({0} IN (0, 1))"

VERSION_1 = (
    f"PRAGMA application_id = {APPLICATION_ID}",
    f"""CREATE TABLE conversation (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        id TEXT NOT NULL UNIQUE CHECK ({_IS_ID}),
        title TEXT CHECK (title <> ''),
        created REAL NOT NULL,
        updated REAL NOT NULL,
        leaf INTEGER,
        FOREIGN KEY (number, leaf) REFERENCES message (conversation, number) DEFERRABLE INITIALLY DEFERRED
    ) STRICT""",
    f"""CREATE TABLE message (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        id TEXT NOT NULL UNIQUE CHECK ({_IS_ID}),
        conversation INTEGER NOT NULL REFERENCES conversation (number) ON DELETE CASCADE,
        parent INTEGER CHECK (parent < number),
        role TEXT NOT NULL CHECK (role IN ('system', 'user', 'assistant')),
        text TEXT NOT NULL CHECK (role = 'assistant' OR text <> ''),
        created REAL NOT NULL,
        visited INTEGER NOT NULL DEFAULT 0 CHECK (visited IN (0, 1)),
        model TEXT,
        model_name TEXT,
        tokens INTEGER CHECK (tokens >= 0),
        stats TEXT CHECK (stats IS NULL OR json_valid(stats)),
        stop TEXT CHECK (stop <> ''),
        UNIQUE (conversation, number),
        FOREIGN KEY (conversation, parent) REFERENCES message (conversation, number) ON DELETE CASCADE,
        CHECK (role <> 'system' OR parent IS NULL),
        CHECK (role = 'assistant' OR coalesce(model, model_name, tokens, stats, stop) IS NULL),
        CHECK (stop IS NOT NULL OR coalesce(tokens, stats) IS NULL)
    ) STRICT""",
    "CREATE INDEX message_parent ON message (conversation, parent)",
    "CREATE UNIQUE INDEX message_visited ON message (conversation, ifnull(parent, 0)) WHERE visited = 1",
    """CREATE TABLE message_text (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        message INTEGER NOT NULL REFERENCES message (number) ON DELETE CASCADE,
        text TEXT NOT NULL CHECK (text <> '')
    ) STRICT""",
    "CREATE INDEX message_text_message ON message_text (message)",
    f"CREATE TRIGGER message_text_grows BEFORE INSERT ON message_text {_GROWS}",
    """CREATE TABLE message_ids (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        message INTEGER NOT NULL REFERENCES message (number) ON DELETE CASCADE,
        ids BLOB NOT NULL CHECK (length(ids) > 0 AND length(ids) % 4 = 0)
    ) STRICT""",
    "CREATE INDEX message_ids_message ON message_ids (message)",
    f"CREATE TRIGGER message_ids_grow BEFORE INSERT ON message_ids {_GROWS}",
)
VERSION_2 = (
    """CREATE TABLE trash (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        at REAL NOT NULL,
        operation TEXT NOT NULL CHECK (operation <> '')
    ) STRICT""",
    f"""CREATE TABLE folder (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        id TEXT NOT NULL UNIQUE CHECK ({_IS_ID}),
        name TEXT NOT NULL CHECK (name <> ''),
        position INTEGER NOT NULL CHECK (position >= 0),
        trash INTEGER REFERENCES trash (number)
    ) STRICT""",
    f"ALTER TABLE conversation ADD COLUMN favourite {_IS_CLAIM.format('favourite')}",
    "ALTER TABLE conversation ADD COLUMN folder INTEGER REFERENCES folder (number)",
    "ALTER TABLE conversation ADD COLUMN trash INTEGER REFERENCES trash (number)",
    "ALTER TABLE message ADD COLUMN name TEXT CHECK (name <> '')",
    f"ALTER TABLE message ADD COLUMN pinned {_IS_CLAIM.format('pinned')}",
    f"ALTER TABLE message ADD COLUMN favourite {_IS_CLAIM.format('favourite')}",
    """ALTER TABLE message ADD COLUMN sampling TEXT
        CHECK (sampling IS NULL OR role = 'assistant' AND json_valid(sampling))""",
    "ALTER TABLE message ADD COLUMN trash INTEGER REFERENCES trash (number)",
    "CREATE INDEX folder_trash ON folder (trash) WHERE trash IS NOT NULL",
    "CREATE INDEX conversation_trash ON conversation (trash) WHERE trash IS NOT NULL",
    "CREATE INDEX conversation_folder ON conversation (folder) WHERE folder IS NOT NULL",
    "CREATE INDEX message_trash ON message (trash) WHERE trash IS NOT NULL",
    """CREATE TABLE message_alternatives (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        message INTEGER NOT NULL REFERENCES message (number) ON DELETE CASCADE,
        position INTEGER NOT NULL CHECK (position >= 0),
        candidates TEXT NOT NULL CHECK (json_valid(candidates)),
        UNIQUE (message, position)
    ) STRICT""",
    """CREATE TRIGGER message_alternatives_answer BEFORE INSERT ON message_alternatives
        WHEN NOT EXISTS (SELECT 1 FROM message WHERE number = NEW.message AND role = 'assistant')
    BEGIN SELECT RAISE(ABORT, 'only an answer has alternatives'); END""",
    f"CREATE TRIGGER message_added BEFORE INSERT ON message {_HANGS_ON_HIDDEN}",
    f"CREATE TRIGGER message_shown BEFORE UPDATE OF trash ON message {_HANGS_ON_HIDDEN}",
    """CREATE TRIGGER message_hidden BEFORE UPDATE OF trash ON message WHEN NEW.trash IS NOT NULL AND
        (EXISTS (SELECT 1 FROM conversation WHERE number = NEW.conversation AND leaf = NEW.number) OR EXISTS
        (SELECT 1 FROM message WHERE conversation = NEW.conversation AND parent = NEW.number AND trash IS NULL))
    BEGIN SELECT RAISE(ABORT, 'something that can be seen hangs on this message'); END""",
    """CREATE TRIGGER conversation_leaf BEFORE UPDATE OF leaf ON conversation
        WHEN EXISTS (SELECT 1 FROM message WHERE number = NEW.leaf AND trash IS NOT NULL)
    BEGIN SELECT RAISE(ABORT, 'a path does not end in the trash'); END""",
    """CREATE TRIGGER conversation_filed BEFORE UPDATE OF folder ON conversation
        WHEN EXISTS (SELECT 1 FROM folder WHERE number = NEW.folder AND trash IS NOT NULL)
    BEGIN SELECT RAISE(ABORT, 'a conversation does not lie in a folder in the trash'); END""",
    """CREATE TRIGGER folder_hidden BEFORE UPDATE OF trash ON folder
        WHEN NEW.trash IS NOT NULL AND EXISTS (SELECT 1 FROM conversation WHERE folder = NEW.number)
    BEGIN SELECT RAISE(ABORT, 'a folder in the trash is empty'); END""",
)
_DAY = 86400.0  # seconds
_TOO_LATE = 4102444800.0  # the year 2100: no clock of ours has been there, so the date came from a file
_SYSTEM_NOW = "(julianday('now') - 2440587.5) * 86400.0"
VERSION_3 = (
    # What was used last comes first, by a number and not by a date: a clock may be wrong, and dates come from files.
    "ALTER TABLE conversation ADD COLUMN used INTEGER NOT NULL DEFAULT 0 CHECK (used >= 0)",
    """UPDATE conversation SET used = place FROM (SELECT number AS one, row_number() OVER (ORDER BY updated, number)
        AS place FROM conversation) WHERE number = one""",
    # Dates that had followed one from a file, or a wrong clock, are told by the messages again.
    f"""UPDATE conversation SET updated = newest FROM (SELECT conversation AS one, max(created) AS newest FROM message
        GROUP BY conversation) WHERE number = one AND updated > newest + {_DAY}""",
    f"UPDATE conversation SET updated = {_SYSTEM_NOW} WHERE updated > {_TOO_LATE}",
    f"UPDATE trash SET at = {_SYSTEM_NOW} WHERE at > {_SYSTEM_NOW}",
    "CREATE TABLE clock (number INTEGER PRIMARY KEY CHECK (number = 1), seen REAL NOT NULL, now REAL NOT NULL) STRICT",
    f"INSERT INTO clock SELECT 1, {_SYSTEM_NOW}, ifnull((SELECT max(at) FROM trash), {_SYSTEM_NOW})",
)
VERSION_4 = (
    # How a conversation was left; without one: how the blank conversation was.
    f"""CREATE TABLE view_state (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        conversation INTEGER UNIQUE REFERENCES conversation (number) ON DELETE CASCADE,
        draft TEXT NOT NULL,
        editing TEXT,
        aside TEXT NOT NULL,
        anchor TEXT,
        offset REAL NOT NULL,
        is_open {_IS_CLAIM.format("is_open")}
    ) STRICT""",
)
_IS_UNUSED = """NOT EXISTS (SELECT 1 FROM message_attachment WHERE text = OLD.text)
        AND NOT EXISTS (SELECT 1 FROM draft_attachment WHERE text = OLD.text)"""
VERSION_5 = (
    # Texts that come with questions, each of them once; they go with the last row that uses them.
    """CREATE TABLE attached_text (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        digest BLOB NOT NULL UNIQUE CHECK (length(digest) = 32),
        text TEXT NOT NULL
    ) STRICT""",
    """CREATE TABLE message_attachment (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        message INTEGER NOT NULL REFERENCES message (number) ON DELETE CASCADE,
        position INTEGER NOT NULL CHECK (position >= 0),
        name TEXT NOT NULL CHECK (name <> ''),
        kind TEXT NOT NULL CHECK (kind <> ''),
        text INTEGER NOT NULL REFERENCES attached_text (number),
        UNIQUE (message, position)
    ) STRICT""",
    """CREATE TABLE draft_attachment (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        view_state INTEGER NOT NULL REFERENCES view_state (number) ON DELETE CASCADE,
        is_aside INTEGER NOT NULL CHECK (is_aside IN (0, 1)),
        name TEXT NOT NULL CHECK (name <> ''),
        kind TEXT NOT NULL CHECK (kind <> ''),
        text INTEGER NOT NULL REFERENCES attached_text (number)
    ) STRICT""",
    "CREATE INDEX message_attachment_text ON message_attachment (text)",
    "CREATE INDEX draft_attachment_text ON draft_attachment (text)",
    "CREATE INDEX draft_attachment_view_state ON draft_attachment (view_state)",
    """CREATE TRIGGER message_attachment_added BEFORE INSERT ON message_attachment
        WHEN NOT EXISTS (SELECT 1 FROM message WHERE number = NEW.message AND role = 'user')
    BEGIN SELECT RAISE(ABORT, 'only a question has attachments'); END""",
    """CREATE TRIGGER message_attachment_changed BEFORE UPDATE ON message_attachment
    BEGIN SELECT RAISE(ABORT, 'what is attached does not change'); END""",
    """CREATE TRIGGER attached_text_changed BEFORE UPDATE ON attached_text
    BEGIN SELECT RAISE(ABORT, 'what is attached does not change'); END""",
    f"""CREATE TRIGGER message_attachment_deleted AFTER DELETE ON message_attachment WHEN {_IS_UNUSED}
    BEGIN DELETE FROM attached_text WHERE number = OLD.text; END""",
    f"""CREATE TRIGGER draft_attachment_deleted AFTER DELETE ON draft_attachment WHEN {_IS_UNUSED}
    BEGIN DELETE FROM attached_text WHERE number = OLD.text; END""",
)
VERSION_6 = (
    # From a question on, until another one says otherwise: what the model is told first, and whether it thinks.
    "ALTER TABLE message ADD COLUMN instructions TEXT CHECK (instructions IS NULL OR role = 'user')",
    "ALTER TABLE message ADD COLUMN thinks INTEGER CHECK (thinks IS NULL OR role = 'user' AND thinks IN (0, 1))",
    # What was chosen for the next answers of a conversation, and what of it was not used yet.
    "ALTER TABLE view_state ADD COLUMN settings TEXT NOT NULL DEFAULT '' CHECK (settings = '' OR json_valid(settings))",
    """CREATE TABLE preset (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        name TEXT NOT NULL UNIQUE CHECK (name <> ''),
        sampling TEXT NOT NULL CHECK (json_valid(sampling))
    ) STRICT""",
)
VERSION_7 = (
    # What a model thinks before it answers grows as its text does, beside it.
    f"ALTER TABLE message_text ADD COLUMN is_thinking {_IS_CLAIM.format('is_thinking')}",
)
VERSION_8 = (
    # What came to an answer when it went on, and was taken back: it is not read, and gone when the trash is emptied.
    f"ALTER TABLE message_text ADD COLUMN is_undone {_IS_CLAIM.format('is_undone')}",
)
VERSION_9 = (
    # The words in a composer are not another version of the message they belong to, but begin a new branch after it.
    f"ALTER TABLE view_state ADD COLUMN is_after {_IS_CLAIM.format('is_after')}",
)
VERSION_10 = (
    # The list of conversations shows the branches that have a name or are favourites, without reading all messages.
    "CREATE INDEX message_listed ON message (conversation) WHERE name IS NOT NULL OR favourite = 1",
)
VERSION_11 = (
    # Several windows: which one a conversation is open in, and which one a blank conversation belongs to. A blank one
    # has the id that it will be stored under once something is said in it.
    "ALTER TABLE view_state ADD COLUMN window INTEGER CHECK (window > 0)",
    """ALTER TABLE view_state ADD COLUMN blank TEXT
        CHECK (length(blank) = 32 AND blank NOT GLOB '*[^0-9a-f]*')""",
    """UPDATE view_state SET is_open = 0 WHERE is_open = 1
        AND number <> (SELECT max(number) FROM view_state WHERE is_open = 1)""",
    "UPDATE view_state SET blank = lower(hex(randomblob(16))) WHERE conversation IS NULL",
    """UPDATE view_state SET window = 1 WHERE is_open = 1
        OR number = (SELECT max(number) FROM view_state WHERE conversation IS NULL)""",
    "CREATE UNIQUE INDEX view_state_open ON view_state (window) WHERE is_open = 1",
    "CREATE UNIQUE INDEX view_state_blank ON view_state (blank)",
)
VERSION_12 = (
    # What each token of an answer was chosen from, packed. What there was before had not the length of the tokens, so
    # that none of it could be shown, and only imports brought any.
    "DROP TABLE message_alternatives",
    """CREATE TABLE message_choices (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        message INTEGER NOT NULL UNIQUE REFERENCES message (number) ON DELETE CASCADE,
        choices BLOB NOT NULL CHECK (length(choices) > 0)
    ) STRICT""",
    """CREATE TRIGGER message_choices_answer BEFORE INSERT ON message_choices
        WHEN NOT EXISTS (SELECT 1 FROM message WHERE number = NEW.message AND role = 'assistant')
    BEGIN SELECT RAISE(ABORT, 'only an answer has choices'); END""",
)
MIGRATIONS: tuple[tuple[str, ...], ...] = (
    *(VERSION_1, VERSION_2, VERSION_3, VERSION_4),
    *(VERSION_5, VERSION_6, VERSION_7, VERSION_8),
    *(VERSION_9, VERSION_10, VERSION_11, VERSION_12),
)

_NOTE_PLACES = (
    "DELETE FROM sqlite_sequence WHERE name LIKE '@%'",
    """INSERT INTO sqlite_sequence (name, seq)
        SELECT '@' || name, rootpage FROM sqlite_schema WHERE type = 'table' AND rootpage > 0""",
)


def pragma(connection: sqlite3.Connection, name: str) -> int:
    """Read the value of a numeric pragma."""
    return int(connection.execute(f"PRAGMA {name}").fetchone()[0])


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Commit everything inside when it ends, or nothing when it raises."""
    if connection.in_transaction:  # one that could not be taken back when it failed would refuse all that follow
        connection.execute("ROLLBACK")
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")


@contextmanager
def savepoint(connection: sqlite3.Connection) -> Iterator[None]:
    """Keep everything inside for the transaction that is open, or nothing when it raises."""
    connection.execute("SAVEPOINT inner")
    try:
        yield
        connection.execute("RELEASE inner")
    except BaseException:
        if connection.in_transaction:  # SQLite has taken back all of it where the disk is full
            connection.execute("ROLLBACK TO inner")
            connection.execute("RELEASE inner")
        raise


def migrate(
    connection: sqlite3.Connection, path: Path | None, migrations: Sequence[Sequence[str]] = MIGRATIONS
) -> None:
    """Bring a database up to the newest version, all steps or none; a copy of the old one is kept beside it."""
    if pragma(connection, "user_version") == len(migrations):
        return
    if path is not None:
        _keep_copy(connection, path)
    with transaction(connection):
        for statements in migrations[pragma(connection, "user_version") :]:
            for statement in statements:
                connection.execute(statement)
        for statement in _NOTE_PLACES:
            connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {len(migrations)}")


def _keep_copy(connection: sqlite3.Connection, path: Path) -> None:
    version = pragma(connection, "user_version")
    copy = path.with_name(f"{path.stem}.version-{version}{path.suffix}")
    if version > 0 and not copy.exists():
        part = copy.with_suffix(".part")
        os.close(os.open(part, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600))
        connection.execute("VACUUM INTO ?", (str(part),))
        part.replace(copy)
