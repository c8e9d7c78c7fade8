-- name: list_tables
SELECT name FROM sqlite_master
WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\_%' ESCAPE '\';

-- name: database_state
-- What changes with every commit: of others (`data_version`, which counts per connection), and of
-- this connection.
SELECT connection_id() AS connection, data_version, total_changes() AS own
FROM pragma_data_version;

-- name: list_live_namespaces
-- Every namespace that holds a memory that has not expired, in one text, which is made and compared
-- faster than rows are. Most hold nothing that has expired, so that their index alone tells.
SELECT group_concat(path, '..') AS paths FROM (
    SELECT n.path FROM namespaces n
    WHERE CASE
        WHEN n.id IN (
            SELECT namespace_id FROM memories WHERE expires_at <= :now AND pinned = 0
        )
        THEN EXISTS (
            SELECT 1 FROM memories m
            WHERE m.namespace_id = n.id
              AND (m.pinned = 1 OR m.expires_at IS NULL OR m.expires_at > :now)
        )
        ELSE EXISTS (SELECT 1 FROM memories m WHERE m.namespace_id = n.id)
    END
    ORDER BY n.path
);

-- name: page_of_namespaces
-- A page of the namespaces that hold a memory that has not expired, in the order of their labels,
-- in one text. That there is a memory, and none that has expired, is told by indexes alone.
SELECT group_concat(path, '..') AS paths FROM (
    SELECT n.path FROM namespaces n
    WHERE replace(n.path, '.', char(0)) >= :first AND replace(n.path, '.', char(0)) < :beyond
      AND EXISTS (SELECT 1 FROM memories m WHERE m.namespace_id = n.id)
      AND (
        NOT EXISTS (
            SELECT 1 FROM memories m
            WHERE m.namespace_id = n.id AND m.pinned = 0 AND m.expires_at <= :now
        )
        OR EXISTS (
            SELECT 1 FROM memories m
            WHERE m.namespace_id = n.id
              AND (m.pinned = 1 OR m.expires_at IS NULL OR m.expires_at > :now)
        )
      )
    ORDER BY replace(n.path, '.', char(0))
    LIMIT :most OFFSET :offset
);

-- name: list_homes
-- A namespace and all below it.
SELECT id, path, changes, sayings FROM namespaces WHERE path = :path
UNION ALL
SELECT id, path, changes, sayings FROM namespaces WHERE path >= :below AND path < :beyond;

-- name: list_all_homes
SELECT id, path, changes, sayings FROM namespaces;

-- name: page_of_one
-- A page of one namespace, newest update first.
SELECT m.id, :path AS path, m.topic, m.value, m.created_at, m.updated_at, m.ttl
FROM memories m
WHERE m.namespace_id = :home
  AND (m.pinned = 1 OR m.expires_at IS NULL OR m.expires_at > :now)
  /*condition*/
ORDER BY m.updated_at DESC, m.topic
LIMIT :most OFFSET :offset;

-- name: first_homes
-- Enough to tell whether there is one namespace, or a few, or many.
SELECT id, path, changes FROM namespaces WHERE path = :path
UNION ALL
SELECT id, path, changes FROM namespaces WHERE path >= :below AND path < :beyond
LIMIT :most;

-- name: first_of_all_homes
SELECT id, path, changes FROM namespaces LIMIT :most;

-- name: list_changes
-- Many namespaces with their counts of changes, in one row, which is made and read faster.
SELECT json_group_array(id) AS ids, json_group_array(changes) AS changes FROM namespaces
WHERE replace(path, '.', char(0)) >= :first AND replace(path, '.', char(0)) < :beyond;

-- name: count_vectors_of
SELECT namespace_id, COUNT(*) AS number FROM vectors
WHERE namespace_id IN (SELECT value FROM json_each(:homes))
GROUP BY namespace_id ORDER BY namespace_id;

-- name: list_vectors_of_homes
SELECT memory_id AS id, vector FROM vectors
WHERE namespace_id IN (SELECT value FROM json_each(:homes))
ORDER BY namespace_id, stamp;

-- name: page_below
-- A page of a namespace and all below it, newest update first.
SELECT m.id, n.path, m.topic, m.value, m.created_at, m.updated_at, m.ttl
FROM namespaces n CROSS JOIN memories m ON m.namespace_id = n.id
WHERE (n.path = :path OR (n.path >= :below AND n.path < :beyond))
  AND (m.pinned = 1 OR m.expires_at IS NULL OR m.expires_at > :now)
  /*condition*/
ORDER BY m.updated_at DESC, n.path, m.topic
LIMIT :most OFFSET :offset;

-- name: page_of_all
-- A page of everything, newest update first.
SELECT m.id, n.path, m.topic, m.value, m.created_at, m.updated_at, m.ttl
FROM memories m CROSS JOIN namespaces n ON n.id = m.namespace_id
WHERE (m.pinned = 1 OR m.expires_at IS NULL OR m.expires_at > :now)
  /*condition*/
ORDER BY m.updated_at DESC, n.path, m.topic
LIMIT :most OFFSET :offset;

-- name: list_filtered_ids
-- What a search ranked by meaning alone may return.
SELECT m.id FROM memories m
WHERE m.namespace_id IN (SELECT value FROM json_each(:homes))
  AND (m.pinned = 1 OR m.expires_at IS NULL OR m.expires_at > :now)
  /*condition*/;

-- name: list_items_by_id
-- What LangGraph's search shows of memories, of those that have not expired.
SELECT m.id, n.path, m.topic, m.value, m.created_at, m.updated_at, m.ttl
FROM memories m JOIN namespaces n ON n.id = m.namespace_id
WHERE m.id IN (SELECT value FROM json_each(:ids))
  AND (m.pinned = 1 OR m.expires_at IS NULL OR m.expires_at > :now)
  /*condition*/;

-- name: list_memories_by_id
SELECT m.*, n.path FROM memories m JOIN namespaces n ON n.id = m.namespace_id
WHERE m.id IN (SELECT value FROM json_each(:ids));

-- name: list_memories
SELECT m.*, n.path FROM memories m JOIN namespaces n ON n.id = m.namespace_id
WHERE n.path = :path
  AND (m.pinned = 1 OR m.expires_at IS NULL OR m.expires_at > :now)
  AND m.kind IN (SELECT value FROM json_each(:kinds))
ORDER BY m.topic;

-- name: list_memories_of_kinds
-- The same for some kinds, none of them `fact`, by their index (`+`: not by that of the topics, which
-- has the order but reads every memory).
SELECT m.*, n.path FROM memories m JOIN namespaces n ON n.id = m.namespace_id
WHERE n.path = :path
  AND (m.pinned = 1 OR m.expires_at IS NULL OR m.expires_at > :now)
  AND m.kind <> 'fact' AND m.kind IN (SELECT value FROM json_each(:kinds))
ORDER BY +m.topic;

-- name: list_turns_of
-- The turns that some messages of a thread are.
SELECT m.id FROM namespaces n
JOIN sources s ON s.namespace_id = n.id
JOIN memories m ON m.namespace_id = s.namespace_id AND m.topic = s.topic
WHERE n.path = :path AND s.thread_id = :thread_id
  AND s.message_id IN (SELECT value FROM json_each(:messages)) AND m.kind = 'turn';

-- name: last_turn
-- The highest place among the turns of a thread.
SELECT s.place FROM said s
JOIN namespaces n ON n.id = s.namespace_id
JOIN memories m ON m.id = s.memory_id
WHERE n.path = :path AND s.thread_id IS :thread_id AND m.kind = 'turn'
ORDER BY s.place DESC LIMIT 1;

-- name: list_expired_here
SELECT id FROM memories
WHERE namespace_id = :namespace_id AND pinned = 0 AND expires_at <= :now;

-- name: list_of_kinds
-- The memories of some kinds, none of them `fact`, as one JSON list.
SELECT json_group_array(id) AS ids FROM memories
WHERE namespace_id = :namespace_id AND kind <> 'fact'
  AND kind IN (SELECT value FROM json_each(:kinds));

-- name: list_recent
-- A user's newest facts, for a question that matches nothing.
SELECT m.id FROM memories m JOIN namespaces n ON n.id = m.namespace_id
WHERE n.path = :path AND m.pinned = 0
  AND (m.expires_at IS NULL OR m.expires_at > :now)
  AND m.kind IN (SELECT value FROM json_each(:kinds))
ORDER BY m.updated_at DESC, m.topic
LIMIT :most;

-- name: add_words
INSERT INTO words (rowid, tokens) VALUES (:id, :tokens);

-- name: remove_words
DELETE FROM words WHERE rowid = :id;

-- name: list_holders
-- The memories that hold a word, as one JSON list: a row for each would cost more than the search.
SELECT json_group_array(rowid) AS ids FROM words WHERE words MATCH :query;

-- name: match_memories
-- Memories of a kind, by their words.
SELECT m.id, m.topic, m.value, m.kind, m.pinned FROM words w JOIN memories m ON m.id = w.rowid
WHERE words MATCH :query AND m.kind = :kind;

-- name: make_words_then
-- The words of values that are no longer current, for one recall; gone with it.
CREATE VIRTUAL TABLE IF NOT EXISTS temp.words_then USING fts5 (
    tokens,
    tokenize = "porter unicode61 remove_diacritics 2 tokenchars '_'"
);

-- name: clear_words_then
DELETE FROM temp.words_then;

-- name: add_words_then
INSERT INTO temp.words_then (rowid, tokens) VALUES (:id, :tokens);

-- name: list_holders_then
SELECT json_group_array(rowid) AS ids FROM words_then WHERE words_then MATCH :query;

-- name: make_terms_then
-- The terms of `words_then`, as the index stems them.
CREATE VIRTUAL TABLE IF NOT EXISTS temp.terms_then USING fts5vocab (temp, words_then, row);

-- name: make_terms
CREATE VIRTUAL TABLE IF NOT EXISTS temp.terms USING fts5vocab (main, words, row);

-- name: list_gone_terms
SELECT t.term FROM terms_then t WHERE NOT EXISTS (SELECT 1 FROM terms WHERE term = t.term);

-- name: list_terms
SELECT term FROM terms;

-- name: make_term_places
CREATE VIRTUAL TABLE IF NOT EXISTS temp.term_places USING fts5vocab (main, words, instance);

-- name: list_ids_of_term
-- What the index holds under a term, of what was last written before a moment or is not there.
SELECT DISTINCT p.doc AS id FROM term_places p LEFT JOIN memories m ON m.id = p.doc
WHERE p.term = :term AND (m.id IS NULL OR m.updated_at <= :moment);

-- name: list_orphan_words
SELECT rowid AS id FROM words WHERE rowid NOT IN (SELECT id FROM memories);

-- name: list_unindexed
SELECT id, namespace_id, topic, kind, value FROM memories
WHERE id NOT IN (SELECT rowid FROM words);

-- name: tidy_words
-- Merges the index, which drops what deleted rows left in it.
INSERT INTO words (words) VALUES ('optimize');

-- name: list_message_ids
SELECT DISTINCT message_id FROM thread_messages
WHERE thread_id = :thread_id AND message_id IS NOT NULL;

-- name: list_checkpoint_places
SELECT checkpoint_ns, checkpoint_id FROM checkpoints WHERE thread_id = :thread_id
ORDER BY checkpoint_id, checkpoint_ns;

-- name: list_every_thread
SELECT thread_id FROM checkpoints UNION SELECT thread_id FROM writes;

-- name: list_checkpoints_of_threads
SELECT thread_id, checkpoint_ns, checkpoint_id, type, checkpoint AS data, metadata
FROM checkpoints WHERE thread_id IN (SELECT value FROM json_each(:threads));

-- name: list_writes_of_threads
SELECT thread_id, checkpoint_ns, checkpoint_id, task_id, idx, type, value AS data
FROM writes WHERE thread_id IN (SELECT value FROM json_each(:threads));

-- name: count_of_threads
SELECT
    (SELECT COUNT(*) FROM checkpoints
     WHERE thread_id IN (SELECT value FROM json_each(:threads))) AS checkpoints,
    (SELECT COUNT(*) FROM writes
     WHERE thread_id IN (SELECT value FROM json_each(:threads))) AS writes;

-- name: rewrite_checkpoint
UPDATE checkpoints SET type = :type, checkpoint = :data, metadata = :metadata
WHERE thread_id = :thread_id AND checkpoint_ns = :checkpoint_ns
  AND checkpoint_id = :checkpoint_id;

-- name: rewrite_write
UPDATE writes SET type = :type, value = :data
WHERE thread_id = :thread_id AND checkpoint_ns = :checkpoint_ns
  AND checkpoint_id = :checkpoint_id AND task_id = :task_id AND idx = :idx;

-- name: remove_checkpoints
DELETE FROM checkpoints WHERE thread_id = :thread_id;

-- name: remove_writes
DELETE FROM writes WHERE thread_id = :thread_id;

-- name: count_index_rows
SELECT (SELECT COUNT(*) FROM words WHERE rowid = :id) AS words,
       (SELECT COUNT(*) FROM vectors WHERE memory_id = :id) AS vectors;

-- name: add_checkpoint
INSERT OR REPLACE INTO checkpoints (
    thread_id, checkpoint_ns, checkpoint_id, parent_checkpoint_id, type, checkpoint, metadata
) VALUES (
    :thread_id, :checkpoint_ns, :checkpoint_id, :parent_id, :type, :data, :metadata
);

-- name: add_write
-- What a task has written stays.
INSERT OR IGNORE INTO writes (
    thread_id, checkpoint_ns, checkpoint_id, task_id, task_path, idx, channel, type, value
) VALUES (
    :thread_id, :checkpoint_ns, :checkpoint_id, :task_id, :task_path, :idx, :channel, :type, :data
);

-- name: replace_write
-- Errors, interrupts and resumes: the last one counts.
INSERT OR REPLACE INTO writes (
    thread_id, checkpoint_ns, checkpoint_id, task_id, task_path, idx, channel, type, value
) VALUES (
    :thread_id, :checkpoint_ns, :checkpoint_id, :task_id, :task_path, :idx, :channel, :type, :data
);

-- name: find_checkpoint
SELECT thread_id, checkpoint_ns, checkpoint_id, parent_checkpoint_id, type, checkpoint AS data,
       metadata
FROM checkpoints
WHERE thread_id = :thread_id AND checkpoint_ns = :checkpoint_ns
  AND checkpoint_id = :checkpoint_id;

-- name: find_latest_checkpoint
SELECT thread_id, checkpoint_ns, checkpoint_id, parent_checkpoint_id, type, checkpoint AS data,
       metadata
FROM checkpoints
WHERE thread_id = :thread_id AND checkpoint_ns = :checkpoint_ns
ORDER BY checkpoint_id DESC LIMIT 1;

-- name: page_of_checkpoints
-- Checkpoints of one namespace of a thread, newest first, between two ids: in the order of their
-- index, so that a page reads no more than it gives. A filter is a list of JSON paths and values.
SELECT thread_id, checkpoint_ns, checkpoint_id, parent_checkpoint_id, type, checkpoint AS data,
       metadata
FROM checkpoints
WHERE thread_id = :thread_id AND checkpoint_ns = :checkpoint_ns
  AND checkpoint_id >= :first AND checkpoint_id < :beyond
  AND (:filter = '[]' OR NOT EXISTS (
      SELECT 1 FROM json_each(:filter) AS wanted
      WHERE json_extract(CAST(metadata AS TEXT), json_extract(wanted.value, '$.path'))
            IS NOT json_extract(wanted.value, '$.value')
  ))
ORDER BY checkpoint_id DESC LIMIT :most;

-- name: page_of_thread
-- The same over all namespaces of a thread. What the index does not hold is read of the page alone.
WITH page AS (
    SELECT rowid AS id FROM checkpoints
    WHERE thread_id = :thread_id
      AND checkpoint_id >= :first AND checkpoint_id < :beyond
      AND (:last_id IS NULL OR (checkpoint_id, checkpoint_ns) < (:last_id, :last_ns))
      AND (:filter = '[]' OR NOT EXISTS (
          SELECT 1 FROM json_each(:filter) AS wanted
          WHERE json_extract(CAST(metadata AS TEXT), json_extract(wanted.value, '$.path'))
                IS NOT json_extract(wanted.value, '$.value')
      ))
    ORDER BY checkpoint_id DESC, checkpoint_ns DESC LIMIT :most
)
SELECT c.thread_id, c.checkpoint_ns, c.checkpoint_id, c.parent_checkpoint_id, c.type,
       c.checkpoint AS data, c.metadata
FROM page CROSS JOIN checkpoints c ON c.rowid = page.id
ORDER BY c.checkpoint_id DESC, c.checkpoint_ns DESC;

-- name: page_of_all_checkpoints
-- The same over all threads.
WITH page AS (
    SELECT rowid AS id FROM checkpoints
    WHERE checkpoint_id < :beyond
      AND (:last_id IS NULL OR (checkpoint_id, thread_id, checkpoint_ns)
           < (:last_id, :last_thread, :last_ns))
      AND (:filter = '[]' OR NOT EXISTS (
          SELECT 1 FROM json_each(:filter) AS wanted
          WHERE json_extract(CAST(metadata AS TEXT), json_extract(wanted.value, '$.path'))
                IS NOT json_extract(wanted.value, '$.value')
      ))
    ORDER BY checkpoint_id DESC, thread_id DESC, checkpoint_ns DESC LIMIT :most
)
SELECT c.thread_id, c.checkpoint_ns, c.checkpoint_id, c.parent_checkpoint_id, c.type,
       c.checkpoint AS data, c.metadata
FROM page CROSS JOIN checkpoints c ON c.rowid = page.id
ORDER BY c.checkpoint_id DESC, c.thread_id DESC, c.checkpoint_ns DESC;

-- name: list_writes_of_checkpoint
-- In the order in which LangGraph applies them.
SELECT task_id, task_path, channel, type, value AS data FROM writes
WHERE thread_id = :thread_id AND checkpoint_ns = :checkpoint_ns
  AND checkpoint_id = :checkpoint_id
ORDER BY task_path, task_id, idx;

-- name: list_writes_to_channels
SELECT checkpoint_id, task_id, channel, type, value AS data FROM writes
WHERE thread_id = :thread_id AND checkpoint_ns = :checkpoint_ns
  AND checkpoint_id IN (SELECT value FROM json_each(:ids))
  AND channel IN (SELECT value FROM json_each(:channels))
ORDER BY task_path, task_id, idx;

-- name: remove_writes_of_checkpoint
DELETE FROM writes
WHERE thread_id = :thread_id AND checkpoint_ns = :checkpoint_ns
  AND checkpoint_id = :checkpoint_id
RETURNING task_id;

-- name: find_removed
-- Which of these checkpoints were deleted.
SELECT mark FROM removed_checkpoints WHERE mark IN (SELECT value FROM json_each(:marks));

-- name: add_removed
INSERT OR REPLACE INTO removed_checkpoints (mark, removed_at)
SELECT value, :now FROM json_each(:marks);

-- name: remove_removed
DELETE FROM removed_checkpoints WHERE mark IN (SELECT value FROM json_each(:marks));

-- name: list_lineage
-- The checkpoints of a thread, without what they hold.
SELECT checkpoint_ns, checkpoint_id, parent_checkpoint_id,
       json_extract(CAST(metadata AS TEXT), '$.run_id') AS run_id,
       json_extract(CAST(metadata AS TEXT), '$.counters_since_delta_snapshot') AS counters
FROM checkpoints WHERE thread_id = :thread_id;

-- name: list_threads_of_runs
SELECT DISTINCT thread_id FROM checkpoints
WHERE json_extract(CAST(metadata AS TEXT), '$.run_id') IN (SELECT value FROM json_each(:runs));

-- name: list_stored_values
SELECT type, checkpoint AS data FROM checkpoints WHERE thread_id = :thread_id
UNION ALL
SELECT type, value AS data FROM writes WHERE thread_id = :thread_id;

-- name: set_parent
UPDATE checkpoints SET parent_checkpoint_id = :parent_id
WHERE thread_id = :thread_id AND checkpoint_ns = :checkpoint_ns
  AND checkpoint_id = :checkpoint_id;

-- name: remove_some_checkpoints
DELETE FROM checkpoints
WHERE thread_id = :thread_id AND (checkpoint_ns, checkpoint_id) IN (
    SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]') FROM json_each(:places)
);

-- name: remove_some_writes
DELETE FROM writes
WHERE thread_id = :thread_id AND (checkpoint_ns, checkpoint_id) IN (
    SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]') FROM json_each(:places)
);

-- name: forget_removed_before
DELETE FROM removed_checkpoints WHERE removed_at < :moment;

-- name: copy_checkpoints
INSERT INTO checkpoints (
    thread_id, checkpoint_ns, checkpoint_id, parent_checkpoint_id, type, checkpoint, metadata
)
SELECT :target, checkpoint_ns, checkpoint_id, parent_checkpoint_id, type, checkpoint, metadata
FROM checkpoints WHERE thread_id = :source;

-- name: copy_writes
INSERT INTO writes (
    thread_id, checkpoint_ns, checkpoint_id, task_id, task_path, idx, channel, type, value
)
SELECT :target, checkpoint_ns, checkpoint_id, task_id, task_path, idx, channel, type, value
FROM writes WHERE thread_id = :source;

-- name: copy_messages
INSERT INTO thread_messages (
    thread_id, number, mark, message_id, base, rewritten, type, data
)
SELECT :target, number, mark, message_id, base, rewritten, type, data
FROM thread_messages WHERE thread_id = :source;

-- name: copy_chunks
INSERT INTO thread_chunks (thread_id, number, mark, messages)
SELECT :target, number, mark, messages FROM thread_chunks WHERE thread_id = :source;

-- name: copy_sources
-- What was learnt from a message was learnt from its copy too: forgetting finds both.
INSERT OR IGNORE INTO sources (namespace_id, thread_id, message_id, topic)
SELECT namespace_id, :target, message_id, topic FROM sources WHERE thread_id = :source;

-- name: list_thread_ages
-- Every thread that has checkpoints.
SELECT c.thread_id, o.user_id, t.started_at, t.used_at, MIN(c.checkpoint_id) AS first_id,
       MAX(c.checkpoint_id) AS last_id, COUNT(*) AS checkpoints
FROM checkpoints c
LEFT JOIN thread_times t ON t.thread_id = c.thread_id
LEFT JOIN thread_owners o ON o.thread_id = c.thread_id
GROUP BY c.thread_id;

-- name: list_thread_ages_of
-- The same of one user, whose threads come first: else everybody's checkpoints are read.
SELECT c.thread_id, o.user_id, t.started_at, t.used_at, MIN(c.checkpoint_id) AS first_id,
       MAX(c.checkpoint_id) AS last_id, COUNT(*) AS checkpoints
FROM thread_owners o
CROSS JOIN checkpoints c ON c.thread_id = o.thread_id
LEFT JOIN thread_times t ON t.thread_id = o.thread_id
WHERE o.user_id = :user_id
GROUP BY o.thread_id;

-- name: find_thread_age
SELECT c.thread_id, t.started_at, t.used_at, MIN(c.checkpoint_id) AS first_id,
       MAX(c.checkpoint_id) AS last_id
FROM checkpoints c
LEFT JOIN thread_times t ON t.thread_id = c.thread_id
WHERE c.thread_id = :thread_id
GROUP BY c.thread_id;
