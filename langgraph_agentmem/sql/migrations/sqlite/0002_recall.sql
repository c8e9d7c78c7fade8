-- A token carries its namespace's id ("12_peanuts"), so a search reads one user's entries only.
CREATE VIRTUAL TABLE words USING fts5 (
    tokens,
    tokenize = "porter unicode61 remove_diacritics 2 tokenchars '_'"
);

-- Unit vectors as little-endian float32. `stamp` is the namespace's count of changes with which a
-- vector came, so that a reader can ask for what was added since it last looked.
CREATE TABLE vectors (
    memory_id    INTEGER NOT NULL REFERENCES memories (id),
    namespace_id INTEGER NOT NULL REFERENCES namespaces (id),
    part         INTEGER NOT NULL,
    stamp        INTEGER NOT NULL,
    vector       BLOB NOT NULL,
    UNIQUE (memory_id, part)
);

CREATE INDEX vectors_by_stamp ON vectors (namespace_id, stamp);

CREATE TRIGGER vectors_added AFTER INSERT ON vectors BEGIN
    UPDATE namespaces SET changes = new.stamp WHERE id = new.namespace_id;
END;

CREATE TRIGGER vectors_removed AFTER DELETE ON vectors BEGIN
    UPDATE namespaces SET changes = changes + 1 WHERE id = old.namespace_id;
END;
