-- Each change of an event's openness. What one has yet to end or move is found here again after a restart.
CREATE TABLE access_changes (
  number   INTEGER PRIMARY KEY,
  app      INTEGER NOT NULL,
  event    TEXT NOT NULL,
  at       INTEGER NOT NULL,
  before   TEXT,                       -- JSON list; NULL: published by an SDK older than the access rule
  after    TEXT,                       -- JSON list
  sdk      TEXT,                       -- which SDK published it
  seq      INTEGER NOT NULL,           -- the newest occurrence at that time
  position INTEGER NOT NULL DEFAULT 0, -- subscriptions numbered up to this are through
  until    INTEGER,                    -- and up to this they have to be; NULL: all of them are
  ended    INTEGER NOT NULL DEFAULT 0,
  told     INTEGER NOT NULL DEFAULT 0  -- 1: it closed nothing, or a publish was answered that it did
) STRICT;
CREATE INDEX access_changes_of_event ON access_changes (app, event);
CREATE INDEX access_changes_under_way ON access_changes (app, event, number) WHERE until IS NOT NULL;
CREATE INDEX access_changes_untold ON access_changes (app) WHERE told = 0;

-- By which routes a subscription was reached before its event became personal, or shared: occurrences up to `until` by `route`.
CREATE TABLE moves (
  subscription INTEGER NOT NULL,
  until        INTEGER NOT NULL,
  route        BLOB NOT NULL,
  PRIMARY KEY (subscription, until)
) STRICT, WITHOUT ROWID;
ALTER TABLE subscriptions ADD COLUMN moved_at INTEGER NOT NULL DEFAULT 0; -- by its own route it is reached after this seq
