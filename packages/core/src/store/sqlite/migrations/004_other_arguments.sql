-- An event that requires other arguments than before is emitted on other routes, where the subscriptions there were aren't reached.
ALTER TABLE access_changes ADD COLUMN rerouted INTEGER NOT NULL DEFAULT 0; -- 1: the event requires other arguments since then
ALTER TABLE access_changes ADD COLUMN unreachable INTEGER;                 -- how many live ones that left behind; NULL: no publish was answered yet
CREATE INDEX access_changes_uncounted ON access_changes (app) WHERE rerouted = 1 AND unreachable IS NULL;
