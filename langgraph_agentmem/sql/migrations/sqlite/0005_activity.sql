-- What a user's runs did: one row for each tool call and each model call. Arguments are masked by
-- the write policy before they come here; results never do. `duration` is in microseconds.
CREATE TABLE activity (
    id            INTEGER PRIMARY KEY,
    at            INTEGER NOT NULL,
    user_id       TEXT NOT NULL,
    thread_id     TEXT,
    kind          TEXT NOT NULL,
    name          TEXT NOT NULL,
    node          TEXT,
    arguments     TEXT,
    error         TEXT,
    duration      INTEGER NOT NULL,
    input_tokens  INTEGER,
    output_tokens INTEGER,
    cost          REAL
);

CREATE INDEX activity_by_user ON activity (user_id, at);
CREATE INDEX activity_by_time ON activity (at);
