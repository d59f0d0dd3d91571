-- An event that closes to other paths than its app's tools keeps one number: what such a path subscribed, up to the subscription of
-- this number, receives nothing more. Housekeeping writes the ends.
-- The columns that every claim reads come first, before the schemas, which may fill many pages.
CREATE TABLE events_ahead (
  app              INTEGER NOT NULL,
  name             TEXT NOT NULL,
  closed_through   INTEGER NOT NULL DEFAULT 0,
  shape            TEXT,             -- what its routes are made of; NULL: not published since shapes are kept
  description      TEXT NOT NULL,
  arguments_schema TEXT NOT NULL,
  payload_schema   TEXT NOT NULL,
  access           TEXT,             -- JSON list; NULL: published by an SDK older than the access rule
  tools            TEXT NOT NULL,    -- JSON list
  digest           BLOB NOT NULL,
  PRIMARY KEY (app, name)
) STRICT, WITHOUT ROWID;
INSERT INTO events_ahead (app, name, closed_through, description, arguments_schema, payload_schema, access, tools, digest)
  SELECT app, name, coalesce((
    SELECT max(c.until) FROM access_changes c
    WHERE c.app = events.app AND c.event = events.name AND c.until IS NOT NULL AND c.after = '[]' AND c.before IS NOT '[]'), 0),
    description, arguments_schema, payload_schema, access, tools, digest FROM events;
DROP TABLE events;
ALTER TABLE events_ahead RENAME TO events;
CREATE INDEX live_of_other_paths ON subscriptions (app, event, number) WHERE ended_at IS NULL AND via <> 'tool';

-- What routes are made of: whether the event is personal, and which arguments it requires. A subscription keeps the shape that it was
-- made with; while its event has another one, no emit matches it. NULL: from before shapes were kept.
ALTER TABLE subscriptions ADD COLUMN shape TEXT;
CREATE INDEX live_by_shape ON subscriptions (app, event, shape) WHERE ended_at IS NULL;

-- Which arguments an event required before, so that one user's occurrences are found by the routes of that time.
CREATE TABLE former_requirements (
  app      INTEGER NOT NULL,
  event    TEXT NOT NULL,
  required TEXT NOT NULL,            -- JSON list
  PRIMARY KEY (app, event, required)
) STRICT, WITHOUT ROWID;
INSERT OR IGNORE INTO former_requirements (app, event, required)
  SELECT app, event, required_before FROM access_changes WHERE required_before IS NOT NULL;

-- Of a change of access, only the record is left.
DROP INDEX access_changes_under_way;
DROP INDEX access_changes_untold;
DROP INDEX access_changes_uncounted;
DELETE FROM access_changes WHERE before IS after;
ALTER TABLE access_changes DROP COLUMN seq;
ALTER TABLE access_changes DROP COLUMN position;
ALTER TABLE access_changes DROP COLUMN until;
ALTER TABLE access_changes DROP COLUMN told;
ALTER TABLE access_changes DROP COLUMN required_before;
ALTER TABLE access_changes DROP COLUMN unreachable;
DROP TABLE moves;
ALTER TABLE subscriptions DROP COLUMN moved_at;
