-- The messages that a topic was learnt from, from the index alone: with a narrower one SQLite read
-- every source of the namespace for each topic, so that forgetting a user took the square of it.
DROP INDEX sources_by_topic;
CREATE INDEX sources_by_topic ON sources (namespace_id, topic, thread_id, message_id);
