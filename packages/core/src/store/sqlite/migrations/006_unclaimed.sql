-- Until when some bridge must have used a subscription's ticket; NULL: one has. Those that nobody claimed yet have a day from here.
ALTER TABLE subscriptions ADD COLUMN claim_by INTEGER;
UPDATE subscriptions SET claim_by = unixepoch() * 1000 + 86400000
  WHERE ended_at IS NULL AND NOT EXISTS (SELECT 1 FROM capabilities c WHERE c.target = subscriptions.id AND c.holder IS NOT NULL);
CREATE INDEX unclaimed_by_time ON subscriptions (claim_by) WHERE ended_at IS NULL AND claim_by IS NOT NULL;
CREATE INDEX live_of_nobody ON subscriptions (app) WHERE ended_at IS NULL AND user IS NULL;

-- How many occurrences there are of each app.
CREATE TABLE stored_occurrences (
  app    INTEGER PRIMARY KEY,
  stored INTEGER NOT NULL
) STRICT;
INSERT INTO stored_occurrences (app, stored) SELECT app, count(*) FROM occurrences GROUP BY app;
CREATE TRIGGER occurrence_stored AFTER INSERT ON occurrences BEGIN
  INSERT INTO stored_occurrences (app, stored) VALUES (new.app, 1) ON CONFLICT (app) DO UPDATE SET stored = stored + 1;
END;
CREATE TRIGGER occurrence_removed AFTER DELETE ON occurrences BEGIN
  UPDATE stored_occurrences SET stored = stored - 1 WHERE app = old.app;
END;
