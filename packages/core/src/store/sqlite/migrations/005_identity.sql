-- Which core this is. Made with the database, so that a bridge can tell another database at the same address from this one.
CREATE TABLE identity (
  id TEXT PRIMARY KEY
) STRICT, WITHOUT ROWID;
INSERT INTO identity (id) VALUES ('core_' || lower(hex(randomblob(16))));
