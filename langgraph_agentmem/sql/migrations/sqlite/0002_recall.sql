-- A token carries its namespace's id ("12_peanuts"), so a search reads one user's entries only.
CREATE VIRTUAL TABLE words USING fts5 (
    tokens,
    tokenize = "porter unicode61 remove_diacritics 2 tokenchars '_'"
);

-- Unit vectors as little-endian float32.
CREATE TABLE vectors (
    memory_id INTEGER NOT NULL REFERENCES memories (id),
    part      INTEGER NOT NULL,
    vector    BLOB NOT NULL,
    UNIQUE (memory_id, part)
);
