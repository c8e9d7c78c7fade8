-- What is said in a thread, each message once; checkpoints and writes hold numbers in its place.
-- `mark` is a keyed hash of a message but for its id, by which it is found again. What was said with
-- several ids, or before it got one, is stored once: `base` is the number of the message that holds
-- the text. When a message is rewritten, to forget what it said, its mark stays: a late writer
-- cannot bring it back.
CREATE TABLE thread_messages (
    thread_id  TEXT NOT NULL,
    number     INTEGER NOT NULL,
    mark       TEXT NOT NULL,
    message_id TEXT,
    base       INTEGER,
    rewritten  INTEGER NOT NULL DEFAULT 0,
    type       TEXT,
    data       BLOB,
    PRIMARY KEY (thread_id, number),
    CHECK ((base IS NULL) = (data IS NOT NULL))
);

CREATE UNIQUE INDEX thread_messages_by_mark ON thread_messages (thread_id, mark, message_id);

-- Numbers of 64 messages that follow each other, as JSON: what checkpoints have in common.
CREATE TABLE thread_chunks (
    thread_id TEXT NOT NULL,
    number    INTEGER NOT NULL,
    mark      TEXT NOT NULL,
    messages  TEXT NOT NULL,
    PRIMARY KEY (thread_id, number)
);

CREATE UNIQUE INDEX thread_chunks_by_mark ON thread_chunks (thread_id, mark);

-- Checkpoints that were deleted, by which a late write is known: hashes of thread, namespace and id,
-- of which the id is random and gone, so that nobody can guess whose they were.
CREATE TABLE removed_checkpoints (
    mark       TEXT PRIMARY KEY,
    removed_at INTEGER NOT NULL
) WITHOUT ROWID;

CREATE INDEX removed_checkpoints_by_time ON removed_checkpoints (removed_at);

-- When a thread began and was last written to. A thread of another saver has no row.
CREATE TABLE thread_times (
    thread_id  TEXT PRIMARY KEY,
    started_at INTEGER NOT NULL,
    used_at    INTEGER NOT NULL
) WITHOUT ROWID;
