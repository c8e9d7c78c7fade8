-- Tombstones as an export carries them, by the namespaces (`home`, a keyed hash) that they stand in:
-- hashes by a key of that namespace alone, so that another database, which has another key, knows
-- them. `key` is empty for what was forgotten here, else the one with which they were brought.
CREATE TABLE carried (
    home         TEXT NOT NULL,
    key          TEXT NOT NULL,
    mark         TEXT NOT NULL,
    forgotten_at INTEGER NOT NULL,
    PRIMARY KEY (home, key, mark)
) WITHOUT ROWID;

CREATE TABLE brought_keys (
    home TEXT NOT NULL,
    key  TEXT NOT NULL,
    PRIMARY KEY (home, key)
) WITHOUT ROWID;
