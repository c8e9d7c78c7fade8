-- Candidates that wait for their user's consent, and the consents that were given. `id` is a keyed
-- hash. Once consent is given the value is a memory, and value, kind, pinned and source are gone
-- from here. A candidate that the user refused leaves a tombstone, and no row.
CREATE TABLE consents (
    namespace_id INTEGER NOT NULL REFERENCES namespaces (id),
    id           TEXT NOT NULL,
    topic        TEXT NOT NULL,
    categories   TEXT NOT NULL,
    value        TEXT,
    kind         TEXT,
    pinned       INTEGER,
    source       TEXT,
    changed_at   INTEGER NOT NULL,
    PRIMARY KEY (namespace_id, id)
);

CREATE INDEX consents_by_topic ON consents (namespace_id, topic);
