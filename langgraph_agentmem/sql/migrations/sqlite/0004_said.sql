-- Who said what a memory came from, where and when, out of its source: by it recall finds the turns
-- before and after, what one speaker said, and what was said in May. `place` orders a thread; ties
-- stand in the order in which they were remembered.
CREATE TABLE said (
    memory_id    INTEGER PRIMARY KEY REFERENCES memories (id) ON DELETE CASCADE,
    namespace_id INTEGER NOT NULL REFERENCES namespaces (id),
    thread_id    TEXT,
    place        INTEGER NOT NULL,
    author       TEXT,
    said_at      INTEGER
);

CREATE INDEX said_by_place ON said (namespace_id, thread_id, place, memory_id);
CREATE INDEX said_by_author ON said (namespace_id, author);
CREATE INDEX said_by_time ON said (namespace_id, said_at) WHERE said_at IS NOT NULL;

-- A memory without a source, such as LangGraph's `put` makes, costs nothing here.
CREATE TRIGGER said_added AFTER INSERT ON memories WHEN new.source IS NOT NULL BEGIN
    INSERT INTO said (memory_id, namespace_id, thread_id, place, author, said_at)
    SELECT new.id, new.namespace_id, s.thread_id,
           COALESCE(s.place, s.said_at, new.recorded_at), s.author, s.said_at
    FROM (
        SELECT new.source ->> 'thread_id' AS thread_id, new.source ->> 'order' AS place,
               new.source ->> 'author' AS author,
               unixepoch(new.source ->> 'said_at') * 1000000 AS said_at
    ) s;
END;

CREATE TRIGGER said_replaced AFTER UPDATE OF source ON memories
WHEN old.source IS NOT NULL OR new.source IS NOT NULL BEGIN
    DELETE FROM said WHERE memory_id = new.id;
    INSERT INTO said (memory_id, namespace_id, thread_id, place, author, said_at)
    SELECT new.id, new.namespace_id, s.thread_id,
           COALESCE(s.place, s.said_at, new.recorded_at), s.author, s.said_at
    FROM (
        SELECT new.source ->> 'thread_id' AS thread_id, new.source ->> 'order' AS place,
               new.source ->> 'author' AS author,
               unixepoch(new.source ->> 'said_at') * 1000000 AS said_at
    ) s
    WHERE new.source IS NOT NULL;
END;

INSERT INTO said (memory_id, namespace_id, thread_id, place, author, said_at)
SELECT id, namespace_id, source ->> 'thread_id',
       COALESCE(source ->> 'order', unixepoch(source ->> 'said_at') * 1000000, recorded_at),
       source ->> 'author', unixepoch(source ->> 'said_at') * 1000000
FROM memories WHERE source IS NOT NULL;
