-- Keyed hashes of forgotten source messages; no content.
CREATE TABLE tombstones (
    mark         TEXT PRIMARY KEY,
    forgotten_at INTEGER NOT NULL
);

CREATE TABLE thread_owners (
    thread_id  TEXT PRIMARY KEY,
    user_id    TEXT NOT NULL,
    claimed_at INTEGER NOT NULL
);

CREATE INDEX thread_owners_by_user ON thread_owners (user_id);
