-- Everything a core keeps. Instants are wall-clock milliseconds; hashes are 32 raw bytes of SHA-256.
-- `app` is apps.number: short in every index.

CREATE TABLE meta (
  name  TEXT PRIMARY KEY,
  value INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE apps (
  number     INTEGER PRIMARY KEY,
  id         TEXT NOT NULL UNIQUE,
  name       TEXT NOT NULL UNIQUE,
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE keys (
  key_id     TEXT PRIMARY KEY,
  app        INTEGER NOT NULL,
  name       TEXT NOT NULL,
  public_key BLOB NOT NULL,
  created_at INTEGER NOT NULL,
  revoked_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX keys_by_app ON keys (app, created_at);

-- Used assertions. Numbered in the order of use, so that forgetting is a delete at one end.
CREATE TABLE jtis (
  number     INTEGER PRIMARY KEY,
  jti        TEXT NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;

CREATE TABLE events (
  app              INTEGER NOT NULL,
  name             TEXT NOT NULL,
  description      TEXT NOT NULL,
  arguments_schema TEXT NOT NULL,
  payload_schema   TEXT NOT NULL,
  access           TEXT,             -- JSON list; NULL: published by an SDK older than the access rule
  tools            TEXT NOT NULL,    -- JSON list
  digest           BLOB NOT NULL,
  PRIMARY KEY (app, name)
) STRICT, WITHOUT ROWID;

-- One row per occurrence, whatever the number of its subscribers.
CREATE TABLE occurrences (
  seq        INTEGER PRIMARY KEY,
  app        INTEGER NOT NULL,
  id         TEXT NOT NULL,
  event      TEXT NOT NULL,
  arguments  TEXT NOT NULL,
  payload    TEXT NOT NULL,
  text       TEXT NOT NULL,
  emitted_at INTEGER NOT NULL,
  matched    INTEGER NOT NULL,
  routes     BLOB NOT NULL,          -- 32 bytes each: the entries retention removes with it
  UNIQUE (app, id)
) STRICT;

-- The queue of every subscription on a route: `route = ? AND seq > cursor`.
CREATE TABLE entries (
  route BLOB NOT NULL,
  seq   INTEGER NOT NULL,
  PRIMARY KEY (route, seq)
) STRICT, WITHOUT ROWID;

-- Routes that have live subscriptions.
CREATE TABLE routes (
  route     BLOB PRIMARY KEY,
  live      INTEGER NOT NULL,
  pruned_to INTEGER NOT NULL DEFAULT 0   -- retention removed entries up to this seq while it was live
) STRICT, WITHOUT ROWID;

CREATE TABLE conversations (
  id         TEXT PRIMARY KEY,
  app        INTEGER NOT NULL,
  user       TEXT,
  client     TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE subscriptions (
  number       INTEGER PRIMARY KEY,
  id           TEXT NOT NULL UNIQUE,
  app          INTEGER NOT NULL,
  event        TEXT NOT NULL,
  route        BLOB NOT NULL,
  arguments    TEXT NOT NULL,
  filter       TEXT NOT NULL,
  user         TEXT,
  client       TEXT NOT NULL,
  harness      TEXT,
  conversation TEXT NOT NULL,
  via          TEXT NOT NULL,
  tool         TEXT NOT NULL,
  call_id      TEXT,                 -- the call whose failure ends it
  once         INTEGER NOT NULL,
  created_at   INTEGER NOT NULL,
  expires_at   INTEGER NOT NULL,
  ended_at     INTEGER,
  ended_reason TEXT,
  start        INTEGER NOT NULL,     -- occurrences up to this seq never were its business
  once_after   INTEGER NOT NULL,     -- with `once`: only an occurrence after this seq ends it
  renewal      INTEGER NOT NULL DEFAULT 0,   -- which renewal its terms are of; 0: as it was made
  renewals     INTEGER NOT NULL DEFAULT 0,   -- how many there were
  cursor       INTEGER NOT NULL      -- occurrences up to this seq are handed, skipped or gone
) STRICT;
CREATE INDEX live_by_conversation ON subscriptions (conversation, event) WHERE ended_at IS NULL;
CREATE INDEX live_by_event ON subscriptions (app, event) WHERE ended_at IS NULL;
CREATE INDEX live_by_user ON subscriptions (app, user) WHERE ended_at IS NULL AND user IS NOT NULL;
CREATE INDEX live_by_expiry ON subscriptions (expires_at) WHERE ended_at IS NULL;
CREATE INDEX ended_by_time ON subscriptions (ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX all_by_conversation ON subscriptions (conversation);

-- Which tool calls made or renewed a subscription, so that a failed call takes back only what is its own.
CREATE TABLE calls (
  app          INTEGER NOT NULL,
  call_id      TEXT NOT NULL,
  subscription INTEGER NOT NULL,
  at           INTEGER NOT NULL,
  renewal      INTEGER,              -- the call's last renewal; NULL: it made the subscription
  before       TEXT,                 -- JSON: the terms that renewal replaced
  PRIMARY KEY (app, call_id, subscription)
) STRICT, WITHOUT ROWID;
CREATE INDEX calls_by_subscription ON calls (subscription);
CREATE INDEX calls_by_time ON calls (at);

CREATE TABLE closed_calls (
  app     INTEGER NOT NULL,
  call_id TEXT NOT NULL,
  at      INTEGER NOT NULL,
  PRIMARY KEY (app, call_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX closed_calls_by_time ON closed_calls (at);

-- Everything that allows something by being known: session keys (target: conversation), tickets (target: subscription).
CREATE TABLE capabilities (
  number     INTEGER PRIMARY KEY,    -- order of issue
  hash       BLOB NOT NULL UNIQUE,
  kind       TEXT NOT NULL,
  app        INTEGER NOT NULL,
  target     TEXT NOT NULL,
  holder     BLOB,
  expires_at INTEGER,
  retired    INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX capabilities_by_target ON capabilities (target, number);

-- What was handed to whom. Sorted by seq: retention removes it together with the occurrence.
CREATE TABLE deliveries (
  seq          INTEGER NOT NULL,
  subscription INTEGER NOT NULL,
  handed_at    INTEGER NOT NULL,
  seen_at      INTEGER,
  PRIMARY KEY (seq, subscription)
) STRICT, WITHOUT ROWID;
