-- name: list_migrations
SELECT number FROM migrations ORDER BY number;

-- name: add_migration
INSERT INTO migrations (number, name, applied_at) VALUES (:number, :name, :now);

-- name: read_setting
SELECT value FROM settings WHERE name = :name;

-- name: keep_setting
-- The first value stays: two processes that open a new file agree on one.
INSERT INTO settings (name, value) VALUES (:name, :value) ON CONFLICT (name) DO NOTHING;

-- name: remove_setting
DELETE FROM settings WHERE name = :name;

-- name: pay_debt
-- A setting goes, unless it was given another value meanwhile.
DELETE FROM settings WHERE name = :name AND value = :value;

-- name: replace_setting
INSERT INTO settings (name, value) VALUES (:name, :value)
ON CONFLICT (name) DO UPDATE SET value = excluded.value;

-- name: find_namespace
SELECT id FROM namespaces WHERE path = :path;

-- name: add_namespace
INSERT INTO namespaces (path) VALUES (:path) RETURNING id;

-- name: remove_empty_namespace
DELETE FROM namespaces WHERE id = :id
  AND NOT EXISTS (SELECT 1 FROM memories WHERE namespace_id = :id)
  AND NOT EXISTS (SELECT 1 FROM versions WHERE namespace_id = :id)
  AND NOT EXISTS (SELECT 1 FROM sources WHERE namespace_id = :id)
  AND NOT EXISTS (SELECT 1 FROM consents WHERE namespace_id = :id);

-- name: next_expiry
SELECT MIN(expires_at) AS moment FROM memories WHERE expires_at > :now AND pinned = 0;

-- name: find_memory
-- The current row of a topic, expired or not.
SELECT m.*, n.path FROM memories m JOIN namespaces n ON n.id = m.namespace_id
WHERE n.path = :path AND m.topic = :topic;

-- name: find_item
-- What LangGraph's get shows of a topic, unless it has expired.
SELECT m.id, m.value, m.created_at, m.updated_at, m.ttl
FROM memories m JOIN namespaces n ON n.id = m.namespace_id
WHERE n.path = :path AND m.topic = :topic
  AND (m.pinned = 1 OR m.expires_at IS NULL OR m.expires_at > :now);

-- name: find_standing
-- All that a write must know of a topic: its namespace, its current row (expired or not) and the
-- last number among its versions; of a topic that has ended, also their last start and end, which
-- take reading them all. Each is NULL where there is none.
SELECT n.id AS home, n.path, m.*,
    (SELECT MAX(v.number) FROM versions v
     WHERE v.namespace_id = n.id AND v.topic = :topic) AS past_number,
    CASE WHEN m.id IS NULL THEN
        (SELECT MAX(v.valid_from) FROM versions v WHERE v.namespace_id = n.id AND v.topic = :topic)
    END AS past_started,
    CASE WHEN m.id IS NULL THEN
        (SELECT MAX(v.valid_to) FROM versions v WHERE v.namespace_id = n.id AND v.topic = :topic)
    END AS past_ended
FROM namespaces n
LEFT JOIN memories m ON m.namespace_id = n.id AND m.topic = :topic
WHERE n.path = :path;

-- name: add_memory
INSERT INTO memories (
    namespace_id, topic, value, kind, pinned, version, source,
    valid_from, recorded_at, created_at, updated_at, ttl, expires_at, fields
) VALUES (
    :namespace_id, :topic, :value, :kind, :pinned, :version, :source,
    :valid_from, :now, :now, :now, :ttl, :expires_at, :fields
) RETURNING id;

-- name: import_memory
-- A memory as another database held it.
INSERT INTO memories (
    namespace_id, topic, value, kind, pinned, version, source,
    valid_from, recorded_at, created_at, updated_at, ttl, expires_at, fields, uses, used_at
) VALUES (
    :namespace_id, :topic, :value, :kind, :pinned, :version, :source, :valid_from, :recorded_at,
    :created_at, :updated_at, :ttl, :expires_at, :fields, :uses, :used_at
) RETURNING id;

-- name: replace_memory
UPDATE memories SET
    value = :value, kind = :kind, pinned = :pinned, version = :version, source = :source,
    valid_from = :valid_from, recorded_at = :now, updated_at = :now,
    ttl = :ttl, expires_at = :expires_at, fields = :fields
WHERE id = :id;

-- name: touch_memory
-- A put of an equal value: no version, but an update.
UPDATE memories SET
    value = :value, kind = :kind, pinned = :pinned, updated_at = :now,
    ttl = :ttl, expires_at = :expires_at, fields = :fields
WHERE id = :id;

-- name: pin_memory
UPDATE memories SET pinned = :pinned, expires_at = :expires_at WHERE id = :id;

-- name: refresh_memory
UPDATE memories SET expires_at = :now + CAST(ROUND(ttl * 60000000) AS INTEGER)
WHERE id = :id AND ttl IS NOT NULL;

-- name: remove_memory
DELETE FROM memories WHERE id = :id;

-- name: list_expired
SELECT n.path, m.topic FROM memories m JOIN namespaces n ON n.id = m.namespace_id
WHERE m.pinned = 0 AND m.expires_at <= :now
LIMIT :most;

-- name: add_version
INSERT INTO versions (
    namespace_id, topic, number, value, kind, source, valid_from, valid_to, recorded_at
) VALUES (
    :namespace_id, :topic, :number, :value, :kind, :source, :valid_from, :valid_to, :recorded_at
);

-- name: list_versions
SELECT v.* FROM versions v JOIN namespaces n ON n.id = v.namespace_id
WHERE n.path = :path AND v.topic = :topic
ORDER BY v.valid_from, v.number;

-- name: find_version_at
-- The version that held at a moment.
SELECT value, valid_to FROM versions
WHERE namespace_id = :namespace_id AND topic = :topic
  AND valid_from <= :moment AND valid_to > :moment
ORDER BY number DESC LIMIT 1;

-- name: end_version_at
-- A value recorded late ends the one that was thought to hold at its start.
UPDATE versions SET valid_to = :moment
WHERE namespace_id = :namespace_id AND topic = :topic
  AND valid_from <= :moment AND valid_to > :moment;

-- name: next_start
-- When the value that followed a moment began.
SELECT MIN(valid_from) AS moment FROM (
    SELECT valid_from FROM versions
    WHERE namespace_id = :namespace_id AND topic = :topic AND valid_from > :moment
    UNION ALL
    SELECT valid_from FROM memories
    WHERE namespace_id = :namespace_id AND topic = :topic AND valid_from > :moment
) AS later;

-- name: remove_versions
DELETE FROM versions WHERE namespace_id = :namespace_id AND topic = :topic
RETURNING value;

-- name: list_topics_below
-- Every topic with a memory, a version, a source or a consent in a namespace or below it.
WITH homes AS (
    SELECT id, path FROM namespaces
    WHERE path = :path OR (path >= :below AND path < :beyond)
)
SELECT h.id AS namespace_id, h.path, m.topic
FROM homes h CROSS JOIN memories m ON m.namespace_id = h.id
UNION
SELECT h.id, h.path, v.topic FROM homes h CROSS JOIN versions v ON v.namespace_id = h.id
UNION
SELECT h.id, h.path, s.topic FROM homes h CROSS JOIN sources s ON s.namespace_id = h.id
UNION
SELECT h.id, h.path, c.topic FROM homes h CROSS JOIN consents c ON c.namespace_id = h.id
ORDER BY 2, 3;

-- name: add_source
INSERT INTO sources (namespace_id, thread_id, message_id, topic)
VALUES (:namespace_id, :thread_id, :message_id, :topic)
ON CONFLICT DO NOTHING;

-- name: list_sources
SELECT thread_id, message_id FROM sources
WHERE namespace_id = :namespace_id AND topic = :topic;

-- name: list_sources_in_order
SELECT s.thread_id, s.message_id FROM sources s JOIN namespaces n ON n.id = s.namespace_id
WHERE n.path = :path AND s.topic = :topic
ORDER BY s.thread_id, s.message_id;

-- name: find_source
SELECT 1 AS found FROM sources s JOIN namespaces n ON n.id = s.namespace_id
WHERE n.path = :path AND s.thread_id = :thread_id
  AND s.message_id = :message_id AND s.topic = :topic;

-- name: remove_sources
DELETE FROM sources WHERE namespace_id = :namespace_id AND topic = :topic;

-- name: remove_source
DELETE FROM sources
WHERE namespace_id = :namespace_id AND thread_id = :thread_id AND message_id = :message_id
  AND topic = :topic;

-- name: add_held
INSERT INTO consents (
    namespace_id, id, topic, categories, value, kind, pinned, source, changed_at
) VALUES (
    :namespace_id, :id, :topic, :categories, :value, :kind, :pinned, :source, :now
);

-- name: list_consents
-- What waits for consent (its value is there) and what was consented to, oldest first.
SELECT c.*, n.path FROM consents c JOIN namespaces n ON n.id = c.namespace_id
WHERE n.path = :path
ORDER BY c.changed_at, c.topic, c.id;

-- name: find_consent
SELECT c.*, n.path FROM consents c JOIN namespaces n ON n.id = c.namespace_id
WHERE n.path = :path AND c.id = :id;

-- name: find_held
-- What waits for consent under a topic.
SELECT c.*, n.path FROM consents c JOIN namespaces n ON n.id = c.namespace_id
WHERE n.path = :path AND c.topic = :topic AND c.value IS NOT NULL
ORDER BY c.changed_at, c.id;

-- name: give_consent
UPDATE consents SET value = NULL, kind = NULL, pinned = NULL, source = NULL, changed_at = :now
WHERE namespace_id = :namespace_id AND id = :id;

-- name: remove_consent
DELETE FROM consents WHERE namespace_id = :namespace_id AND id = :id;

-- name: remove_consents
DELETE FROM consents WHERE namespace_id = :namespace_id AND topic = :topic
RETURNING value;

-- name: add_tombstone
INSERT INTO tombstones (mark, forgotten_at) VALUES (:mark, :now)
ON CONFLICT (mark) DO UPDATE SET forgotten_at = MAX(forgotten_at, excluded.forgotten_at);

-- name: find_tombstone
SELECT 1 AS found, forgotten_at FROM tombstones WHERE mark = :mark;

-- name: find_tombstone_since
-- Whether anything was forgotten after a moment: most writes need to know no more.
SELECT 1 AS found FROM tombstones WHERE forgotten_at > :moment LIMIT 1;

-- name: find_tombstones_since
SELECT 1 AS found FROM tombstones
WHERE mark IN (SELECT value FROM json_each(:marks)) AND forgotten_at > :moment LIMIT 1;

-- name: list_tombstones
SELECT mark FROM tombstones WHERE mark IN (SELECT value FROM json_each(:marks));

-- name: last_tombstone
SELECT MAX(forgotten_at) AS moment FROM tombstones
WHERE mark IN (SELECT value FROM json_each(:marks));

-- name: add_carried
-- Gives a row if it was not known, or not at so late a moment.
INSERT INTO carried (home, key, mark, forgotten_at) VALUES (:home, :key, :mark, :moment)
ON CONFLICT (home, key, mark) DO UPDATE SET forgotten_at = excluded.forgotten_at
WHERE excluded.forgotten_at > carried.forgotten_at
RETURNING mark;

-- name: list_carried
SELECT key, mark, forgotten_at FROM carried WHERE home = :home ORDER BY forgotten_at, mark;

-- name: add_brought_key
INSERT INTO brought_keys (home, key) VALUES (:home, :key) ON CONFLICT DO NOTHING;

-- name: list_brought_keys
SELECT home, key FROM brought_keys
WHERE home IN (SELECT value FROM json_each(:homes)) ORDER BY home, key;

-- name: list_waiting_below
-- Candidates that wait for consent in a namespace or below it.
SELECT c.namespace_id, c.id, c.topic, c.value, n.path
FROM consents c JOIN namespaces n ON n.id = c.namespace_id
WHERE (n.path = :path OR (n.path >= :below AND n.path < :beyond)) AND c.value IS NOT NULL;

-- name: list_consents_of
SELECT id, topic, categories, value, kind, pinned, source, changed_at FROM consents c
WHERE topic = :topic AND namespace_id = (SELECT id FROM namespaces WHERE path = :path)
ORDER BY changed_at, id;

-- name: import_consent
INSERT INTO consents (
    namespace_id, id, topic, categories, value, kind, pinned, source, changed_at
) VALUES (
    :namespace_id, :id, :topic, :categories, :value, :kind, :pinned, :source, :changed_at
) ON CONFLICT DO NOTHING;

-- name: list_members
-- The facts whose topics have a first label: `hobby.chess` beside `hobby.rowing`.
SELECT m.*, n.path FROM memories m JOIN namespaces n ON n.id = m.namespace_id
WHERE n.path = :path AND m.topic > :above AND m.topic < :below
  AND m.kind = 'fact' AND m.pinned = 0
  AND (m.expires_at IS NULL OR m.expires_at > :now)
ORDER BY m.topic LIMIT :most;

-- name: list_newer_facts
-- The facts that hold now of topics of which these turns told an older value, in this order of
-- joins: else every memory of the namespace is read.
SELECT DISTINCT m.*, n.path, t.id AS turn_id
FROM json_each(:turns) one
CROSS JOIN memories t ON t.id = one.value
CROSS JOIN json_each(t.source, '$.message_ids') told
CROSS JOIN sources s ON s.namespace_id = t.namespace_id
  AND s.thread_id = COALESCE(json_extract(t.source, '$.thread_id'), '')
  AND s.message_id = told.value
CROSS JOIN memories m ON m.namespace_id = s.namespace_id AND m.topic = s.topic
JOIN namespaces n ON n.id = m.namespace_id
WHERE m.kind = 'fact' AND m.pinned = 0
  AND (m.expires_at IS NULL OR m.expires_at > :now)
  AND NOT EXISTS (
      SELECT 1 FROM json_each(m.source, '$.message_ids') held WHERE held.value = told.value
  )
ORDER BY one.key, m.topic;

-- name: list_derived
-- Every value, current or not, of these kinds in a namespace or below it; none of them is `fact`.
SELECT n.id AS namespace_id, n.path, m.topic, m.value, m.source
FROM namespaces n CROSS JOIN memories m ON m.namespace_id = n.id
WHERE (n.path = :path OR (n.path >= :below AND n.path < :beyond))
  AND m.kind <> 'fact' AND m.kind IN (SELECT value FROM json_each(:kinds))
UNION ALL
SELECT n.id, n.path, v.topic, v.value, v.source
FROM namespaces n CROSS JOIN versions v ON v.namespace_id = n.id
WHERE (n.path = :path OR (n.path >= :below AND n.path < :beyond))
  AND v.kind IN (SELECT value FROM json_each(:kinds));

-- name: list_memory_topics_until
-- Topics whose current value was recorded by a moment.
SELECT n.path, m.topic FROM memories m JOIN namespaces n ON n.id = m.namespace_id
WHERE m.recorded_at <= :moment;

-- name: list_version_topics_until
SELECT n.path, v.topic FROM versions v JOIN namespaces n ON n.id = v.namespace_id
WHERE v.recorded_at <= :moment;

-- name: list_all_sources
SELECT n.path, s.thread_id, s.message_id, s.topic
FROM sources s JOIN namespaces n ON n.id = s.namespace_id;

-- name: note_uses
UPDATE memories SET uses = uses + :number, used_at = MAX(COALESCE(used_at, 0), :last)
WHERE topic = :topic AND namespace_id = (SELECT id FROM namespaces WHERE path = :path);

-- name: list_retained
-- What a retention may take, by namespace: neither pinned nor kept by consent.
SELECT n.path, m.topic, m.uses, m.used_at, m.updated_at
FROM memories m JOIN namespaces n ON n.id = m.namespace_id
WHERE (n.path = :path OR (n.path >= :below AND n.path < :beyond))
  AND m.pinned = 0
  AND m.kind IN (SELECT value FROM json_each(:kinds))
  AND NOT EXISTS (
    SELECT 1 FROM consents c
    WHERE c.namespace_id = m.namespace_id AND c.topic = m.topic AND c.value IS NULL
  )
ORDER BY n.path, m.topic;

-- name: list_first_vectors
SELECT memory_id AS id, vector FROM vectors WHERE namespace_id = :namespace_id AND part = 0;

-- name: list_vectors_of
SELECT vector FROM vectors WHERE memory_id = :id;

-- name: add_vector
-- Not INSERT … SELECT: what a trigger changes would first be copied aside, for every vector.
INSERT INTO vectors (memory_id, namespace_id, part, stamp, vector)
VALUES (
    :id,
    (SELECT namespace_id FROM memories WHERE id = :id),
    :part,
    (SELECT n.changes + 1 FROM namespaces n JOIN memories m ON m.namespace_id = n.id
     WHERE m.id = :id),
    :vector
);

-- name: count_vectors
SELECT COUNT(*) AS rows, COALESCE(SUM(stamp > :since), 0) AS new
FROM vectors WHERE namespace_id = :namespace_id;

-- name: list_vectors
SELECT memory_id AS id, stamp, vector FROM vectors
WHERE namespace_id = :namespace_id AND stamp > :since
ORDER BY stamp LIMIT :most;

-- name: remove_vectors
DELETE FROM vectors WHERE memory_id = :id;

-- name: remove_all_vectors
DELETE FROM vectors;

-- name: list_memories_after
-- Memories in order of their ids, a batch at a time.
SELECT m.*, n.path FROM memories m JOIN namespaces n ON n.id = m.namespace_id
WHERE m.id > :id ORDER BY m.id LIMIT :most;

-- name: count_all_memories
SELECT COUNT(*) AS number FROM memories;

-- name: find_embedded
-- What the vectors of a memory were made from.
SELECT value, fields FROM memories WHERE id = :id;

-- name: list_pinned
SELECT m.*, n.path FROM memories m JOIN namespaces n ON n.id = m.namespace_id
WHERE n.path = :path AND m.pinned = 1
ORDER BY m.topic;

-- name: find_owner
SELECT user_id FROM thread_owners WHERE thread_id = :thread_id;

-- name: add_owner
INSERT INTO thread_owners (thread_id, user_id, claimed_at) VALUES (:thread_id, :user_id, :now);

-- name: list_threads
SELECT thread_id FROM thread_owners WHERE user_id = :user_id ORDER BY thread_id;

-- name: remove_owner
DELETE FROM thread_owners WHERE thread_id = :thread_id;

-- name: find_home
-- A namespace with its counts of changes.
SELECT id, path, changes, sayings FROM namespaces WHERE path = :path;

-- name: count_memories
SELECT COUNT(*) AS number FROM memories WHERE namespace_id = :namespace_id;

-- name: count_lacking
-- Memories that should have a vector and have none.
SELECT COUNT(*) AS number FROM memories m
WHERE m.namespace_id = :namespace_id AND m.pinned = 0 AND m.fields IS NOT '[]'
  AND (m.expires_at IS NULL OR m.expires_at > :now)
  AND NOT EXISTS (SELECT 1 FROM vectors v WHERE v.memory_id = m.id);

-- name: count_said
SELECT COUNT(*) AS rows, COALESCE(SUM(stamp > :since), 0) AS new
FROM said WHERE namespace_id = :namespace_id;

-- name: list_said
-- Who said what a memory came from, where and when, as far as it came since.
SELECT memory_id, thread_id, place, author, said_at, is_turn, asks FROM said
WHERE namespace_id = :namespace_id AND stamp > :since
ORDER BY stamp;

-- name: list_held_then
-- Every value of a namespace that held at a moment, whether it still does or not; a topic whose
-- time is over has no past either.
SELECT m.namespace_id, n.path, m.topic, m.value, m.kind, m.pinned, m.version, m.source,
       m.valid_from, m.recorded_at, m.created_at, m.updated_at
FROM memories m JOIN namespaces n ON n.id = m.namespace_id
WHERE n.path = :path AND m.valid_from <= :moment
  AND (m.pinned = 1 OR m.expires_at IS NULL OR m.expires_at > :now)
UNION ALL
SELECT v.namespace_id, n.path, v.topic, v.value, v.kind, COALESCE(m.pinned, 0), v.number,
       v.source, v.valid_from, v.recorded_at, v.recorded_at, v.recorded_at
FROM versions v JOIN namespaces n ON n.id = v.namespace_id
LEFT JOIN memories m ON m.namespace_id = v.namespace_id AND m.topic = v.topic
WHERE n.path = :path AND v.valid_from <= :moment AND v.valid_to > :moment
  AND (m.id IS NULL OR m.pinned = 1 OR m.expires_at IS NULL OR m.expires_at > :now)
ORDER BY topic, valid_from, version;

-- name: list_known_then
-- `list_held_then` as far as it had been recorded by :known: what a later record ended had not
-- ended yet.
SELECT m.namespace_id, n.path, m.topic, m.value, m.kind, m.pinned, m.version, m.source,
       m.valid_from, m.recorded_at, m.created_at, m.updated_at
FROM memories m JOIN namespaces n ON n.id = m.namespace_id
WHERE n.path = :path AND m.valid_from <= :moment AND m.recorded_at <= :known
  AND (m.pinned = 1 OR m.expires_at IS NULL OR m.expires_at > :now)
UNION ALL
SELECT v.namespace_id, n.path, v.topic, v.value, v.kind, COALESCE(m.pinned, 0), v.number,
       v.source, v.valid_from, v.recorded_at, v.recorded_at, v.recorded_at
FROM versions v JOIN namespaces n ON n.id = v.namespace_id
LEFT JOIN memories m ON m.namespace_id = v.namespace_id AND m.topic = v.topic
WHERE n.path = :path AND v.valid_from <= :moment AND v.recorded_at <= :known
  AND (m.id IS NULL OR m.pinned = 1 OR m.expires_at IS NULL OR m.expires_at > :now)
  AND (
    v.valid_to > :moment
    OR (m.valid_from = v.valid_to AND m.recorded_at > :known)
    OR EXISTS (
        SELECT 1 FROM versions s
        WHERE s.namespace_id = v.namespace_id AND s.topic = v.topic
          AND s.valid_from = v.valid_to AND s.recorded_at > :known
    )
  )
ORDER BY topic, valid_from, version;

-- name: add_activity
INSERT INTO activity (at, user_id, thread_id, kind, name, node, arguments, error, duration,
                      input_tokens, output_tokens, cost)
VALUES (:at, :user_id, :thread_id, :kind, :name, :node, :arguments, :error, :duration,
        :input_tokens, :output_tokens, :cost);

-- name: list_activity
-- A user's newest calls; every one of them when :thread_id is NULL.
SELECT * FROM activity
WHERE user_id = :user_id AND at >= :since AND (:thread_id IS NULL OR thread_id = :thread_id)
ORDER BY at DESC, id DESC LIMIT :limit;

-- name: sum_activity
-- A user's calls by what was called. SUM leaves out what is NULL; `unmeasured` counts it.
SELECT kind, name, COUNT(*) AS calls, COUNT(error) AS failures, SUM(duration) AS duration,
       SUM(input_tokens) AS input_tokens, SUM(output_tokens) AS output_tokens, SUM(cost) AS cost,
       COUNT(*) - COUNT(input_tokens) AS unmeasured
FROM activity
WHERE user_id = :user_id AND at >= :since AND (:thread_id IS NULL OR thread_id = :thread_id)
GROUP BY kind, name ORDER BY kind, calls DESC, name;

-- name: count_active_threads
SELECT COUNT(DISTINCT thread_id) AS threads FROM activity
WHERE user_id = :user_id AND at >= :since AND (:thread_id IS NULL OR thread_id = :thread_id);

-- name: list_activity_arguments
SELECT id, arguments FROM activity WHERE user_id = :user_id AND arguments IS NOT NULL;

-- name: rewrite_activity_arguments
UPDATE activity SET arguments = :arguments WHERE id = :id;

-- name: page_of_activity
-- A user's calls, oldest first, after one.
SELECT * FROM activity WHERE user_id = :user_id AND (at, id) > (:at, :id)
ORDER BY at, id LIMIT :most;

-- name: count_same_activity
SELECT COUNT(*) AS calls FROM activity
WHERE user_id = :user_id AND at = :at AND kind = :kind AND name = :name AND duration = :duration
  AND thread_id IS :thread_id AND node IS :node AND error IS :error AND cost IS :cost
  AND input_tokens IS :input_tokens AND output_tokens IS :output_tokens;

-- name: count_activity
SELECT COUNT(*) AS calls FROM activity WHERE user_id = :user_id;

-- name: remove_activity
DELETE FROM activity WHERE user_id = :user_id;

-- name: remove_activity_before
DELETE FROM activity WHERE at < :before RETURNING id;

-- name: find_chunks
SELECT number, mark FROM thread_chunks
WHERE thread_id = :thread_id AND mark IN (SELECT value FROM json_each(:marks));

-- name: find_messages
SELECT number, mark, message_id, base, rewritten FROM thread_messages
WHERE thread_id = :thread_id AND mark IN (SELECT value FROM json_each(:marks));

-- name: last_chunk
SELECT COALESCE(MAX(number), 0) AS number FROM thread_chunks WHERE thread_id = :thread_id;

-- name: last_message
SELECT COALESCE(MAX(number), 0) AS number FROM thread_messages WHERE thread_id = :thread_id;

-- name: add_chunk
INSERT INTO thread_chunks (thread_id, number, mark, messages)
VALUES (:thread_id, :number, :mark, :messages);

-- name: add_message
INSERT INTO thread_messages (thread_id, number, mark, message_id, base, type, data)
VALUES (:thread_id, :number, :mark, :message_id, :base, :type, :data);

-- name: list_chunks_by_number
SELECT number, messages FROM thread_chunks
WHERE thread_id = :thread_id AND number IN (SELECT value FROM json_each(:numbers));

-- name: list_messages_by_number
SELECT m.number, m.mark, m.message_id, m.rewritten,
       COALESCE(m.type, b.type) AS type, COALESCE(m.data, b.data) AS data
FROM thread_messages m
LEFT JOIN thread_messages b ON b.thread_id = m.thread_id AND b.number = m.base
WHERE m.thread_id = :thread_id AND m.number IN (SELECT value FROM json_each(:numbers));

-- name: list_messages_of_thread
SELECT m.number, m.mark, m.message_id, m.rewritten,
       COALESCE(m.type, b.type) AS type, COALESCE(m.data, b.data) AS data
FROM thread_messages m
LEFT JOIN thread_messages b ON b.thread_id = m.thread_id AND b.number = m.base
WHERE m.thread_id = :thread_id ORDER BY m.number;

-- name: rewrite_message
-- The mark stays, so that a late writer finds what stands there now; without an id the same may be
-- said again.
UPDATE thread_messages SET
    type = :type, data = :data, base = NULL, rewritten = 1,
    mark = CASE WHEN message_id IS NULL THEN 'rewritten ' || number ELSE mark END
WHERE thread_id = :thread_id AND number = :number;

-- name: detach_messages
-- The messages that have their text from one get it for their own.
UPDATE thread_messages SET
    base = NULL,
    type = (SELECT b.type FROM thread_messages b
            WHERE b.thread_id = :thread_id AND b.number = :number),
    data = (SELECT b.data FROM thread_messages b
            WHERE b.thread_id = :thread_id AND b.number = :number)
WHERE thread_id = :thread_id AND base = :number;

-- name: remove_chunks_beside
DELETE FROM thread_chunks
WHERE thread_id = :thread_id AND number NOT IN (SELECT value FROM json_each(:numbers));

-- name: remove_messages_beside
DELETE FROM thread_messages
WHERE thread_id = :thread_id AND number NOT IN (
    SELECT value FROM json_each(:numbers)
    UNION
    SELECT base FROM thread_messages
    WHERE thread_id = :thread_id AND base IS NOT NULL
      AND number IN (SELECT value FROM json_each(:numbers))
);

-- name: remove_thread_chunks
DELETE FROM thread_chunks WHERE thread_id = :thread_id;

-- name: remove_thread_messages
DELETE FROM thread_messages WHERE thread_id = :thread_id;

-- name: remove_thread_times
DELETE FROM thread_times WHERE thread_id = :thread_id;

-- name: find_thread_times
SELECT started_at, used_at FROM thread_times WHERE thread_id = :thread_id;

-- name: set_thread_times
UPDATE thread_times SET started_at = :started_at, used_at = :used_at WHERE thread_id = :thread_id;

-- name: use_thread
INSERT INTO thread_times (thread_id, started_at, used_at) VALUES (:thread_id, :now, :now)
ON CONFLICT (thread_id) DO UPDATE SET used_at = excluded.used_at;
