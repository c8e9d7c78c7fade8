-- What was learnt in a thread, whoever it is of: copying a thread read every user's sources.
CREATE INDEX sources_by_thread ON sources (thread_id);

-- The messages that have their text from one: rewriting each message of a thread read all of it.
CREATE INDEX thread_messages_by_base ON thread_messages (thread_id, base) WHERE base IS NOT NULL;
