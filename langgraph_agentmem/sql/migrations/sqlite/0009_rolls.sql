-- Recall keeps in memory who said what, and reads what came since: `stamp` is the namespace's count
-- `sayings` with which a row came. `asks` says that there is a question in it.
ALTER TABLE namespaces ADD COLUMN sayings INTEGER NOT NULL DEFAULT 0;

DROP TRIGGER said_added;
DROP TRIGGER said_replaced;
DROP TABLE said;

CREATE TABLE said (
    memory_id    INTEGER PRIMARY KEY REFERENCES memories (id) ON DELETE CASCADE,
    namespace_id INTEGER NOT NULL REFERENCES namespaces (id),
    thread_id    TEXT,
    place        INTEGER NOT NULL,
    author       TEXT,
    said_at      INTEGER,
    is_turn      INTEGER NOT NULL,
    asks         INTEGER NOT NULL,
    stamp        INTEGER NOT NULL
);

CREATE INDEX said_by_place ON said (namespace_id, thread_id, place, memory_id);
CREATE INDEX said_by_stamp ON said (namespace_id, stamp);

CREATE VIEW saying AS
SELECT m.id AS memory_id, m.namespace_id, m.source ->> 'thread_id' AS thread_id,
       COALESCE(m.source ->> 'order', unixepoch(m.source ->> 'said_at') * 1000000, m.recorded_at)
           AS place,
       m.source ->> 'author' AS author,
       unixepoch(m.source ->> 'said_at') * 1000000 AS said_at,
       m.kind = 'turn' AS is_turn,
       instr(m.value, '?') + instr(m.value, '？') + instr(m.value, '؟') > 0 AS asks
FROM memories m WHERE m.source IS NOT NULL;

CREATE TRIGGER said_counted AFTER INSERT ON said BEGIN
    UPDATE namespaces SET sayings = new.stamp WHERE id = new.namespace_id;
END;

CREATE TRIGGER said_uncounted AFTER DELETE ON said BEGIN
    UPDATE namespaces SET sayings = sayings + 1 WHERE id = old.namespace_id;
END;

-- A memory without a source, such as LangGraph's `put` makes, costs nothing here.
CREATE TRIGGER said_added AFTER INSERT ON memories WHEN new.source IS NOT NULL BEGIN
    INSERT INTO said SELECT s.*, n.sayings + 1
    FROM saying s JOIN namespaces n ON n.id = s.namespace_id WHERE s.memory_id = new.id;
END;

CREATE TRIGGER said_replaced AFTER UPDATE OF source, kind, value ON memories
WHEN old.source IS NOT NULL OR new.source IS NOT NULL BEGIN
    DELETE FROM said WHERE memory_id = new.id;
    INSERT INTO said SELECT s.*, n.sayings + 1
    FROM saying s JOIN namespaces n ON n.id = s.namespace_id WHERE s.memory_id = new.id;
END;

INSERT INTO said SELECT s.*, n.sayings + 1 + ROW_NUMBER() OVER (ORDER BY s.memory_id)
FROM saying s JOIN namespaces n ON n.id = s.namespace_id;

-- What a recall leaves aside: a kind that was not asked for, and what has expired.
CREATE INDEX memories_by_kind ON memories (namespace_id, kind) WHERE kind <> 'fact';
CREATE INDEX memories_expiring_here ON memories (namespace_id, expires_at)
WHERE expires_at IS NOT NULL AND pinned = 0;
