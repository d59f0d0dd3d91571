-- An event that requires other arguments than before is emitted on other routes, where the subscriptions there were aren't reached.
ALTER TABLE access_changes ADD COLUMN required_before TEXT;  -- JSON list of what it required until then; NULL: the same as after
ALTER TABLE access_changes ADD COLUMN unreachable INTEGER;   -- how many live ones that left behind; NULL: no publish was answered yet
CREATE INDEX access_changes_uncounted ON access_changes (app) WHERE required_before IS NOT NULL AND unreachable IS NULL;
