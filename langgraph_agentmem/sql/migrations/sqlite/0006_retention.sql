-- How often a memory was recalled, and when last; counted in batches, so a crash may lose some.
ALTER TABLE memories ADD COLUMN uses INTEGER NOT NULL DEFAULT 0;
ALTER TABLE memories ADD COLUMN used_at INTEGER;

-- Most writes ask only whether anything was forgotten since they were begun.
CREATE INDEX tombstones_by_moment ON tombstones (forgotten_at);
