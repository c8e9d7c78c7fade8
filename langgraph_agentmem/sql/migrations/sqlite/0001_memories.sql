-- Times are microseconds since 1970-01-01 UTC, so that they compare and subtract exactly.
-- "AgMm": tells our files from other SQLite databases.
PRAGMA application_id = 1097289069;

CREATE TABLE migrations (
    number     INTEGER PRIMARY KEY,
    name       TEXT NOT NULL,
    applied_at INTEGER NOT NULL
);

CREATE TABLE settings (
    name  TEXT PRIMARY KEY,
    value TEXT NOT NULL
);

-- Labels hold no period, so the path of a namespace joins them with one. `changes` counts what was
-- added to its vectors or removed from them; AUTOINCREMENT, because what was read of a namespace is
-- kept in memory by its id, which must never come to mean another.
CREATE TABLE namespaces (
    id      INTEGER PRIMARY KEY AUTOINCREMENT,
    path    TEXT NOT NULL UNIQUE,
    changes INTEGER NOT NULL DEFAULT 0
);

-- What is current. The row moves to `versions` when its value is replaced or retired.
CREATE TABLE memories (
    id           INTEGER PRIMARY KEY,
    namespace_id INTEGER NOT NULL REFERENCES namespaces (id),
    topic        TEXT NOT NULL,
    value        TEXT NOT NULL,
    kind         TEXT NOT NULL,
    pinned       INTEGER NOT NULL DEFAULT 0,
    version      INTEGER NOT NULL,
    source       TEXT,
    valid_from   INTEGER NOT NULL,
    recorded_at  INTEGER NOT NULL,
    created_at   INTEGER NOT NULL,
    updated_at   INTEGER NOT NULL,
    ttl          REAL,
    expires_at   INTEGER,
    fields       TEXT,
    UNIQUE (namespace_id, topic)
);

CREATE INDEX memories_by_update ON memories (namespace_id, updated_at DESC, topic);
CREATE INDEX memories_pinned ON memories (namespace_id, topic) WHERE pinned = 1;
CREATE INDEX memories_expiring ON memories (expires_at) WHERE expires_at IS NOT NULL;

CREATE TABLE versions (
    namespace_id INTEGER NOT NULL REFERENCES namespaces (id),
    topic        TEXT NOT NULL,
    number       INTEGER NOT NULL,
    value        TEXT NOT NULL,
    kind         TEXT NOT NULL,
    source       TEXT,
    valid_from   INTEGER NOT NULL,
    valid_to     INTEGER NOT NULL,
    recorded_at  INTEGER NOT NULL,
    PRIMARY KEY (namespace_id, topic, number)
);

-- Which messages a topic was learnt from: learning from one again is a no-op, and forgetting
-- finds them.
CREATE TABLE sources (
    namespace_id INTEGER NOT NULL REFERENCES namespaces (id),
    thread_id    TEXT NOT NULL,
    message_id   TEXT NOT NULL,
    topic        TEXT NOT NULL,
    PRIMARY KEY (namespace_id, thread_id, message_id, topic)
);

CREATE INDEX sources_by_topic ON sources (namespace_id, topic);
