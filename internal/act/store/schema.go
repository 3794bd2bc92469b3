package store

// applicationID marks a file as ours in SQLite's header: "pgfh".
const applicationID = 0x70676668

// version is the user_version of the file. A file with a greater one is left alone.
const version = 1

// objects are the tables of a history. The SQL of each is in the file, with its comments, for users who open it with
// sqlite3:
//
//	sqlite3 -readonly history.db "SELECT datetime(at/1000,'unixepoch'), kind, subject, before, after FROM event"
//	sqlite3 -readonly history.db "SELECT datetime(at/1000,'unixepoch'), value FROM recent WHERE name = 'page_tables_bytes'"
var objects = []struct{ name, sql string }{
	{"series", `CREATE TABLE series (
  id INTEGER PRIMARY KEY,
  instance TEXT NOT NULL, -- '' is the host
  name TEXT NOT NULL,
  label TEXT NOT NULL,
  UNIQUE (instance, name, label)
) STRICT`},
	{"sample", `CREATE TABLE sample ( -- the hour under way, as sampled
  at INTEGER PRIMARY KEY, -- ms since 1970
  points TEXT NOT NULL -- JSON: id of the series to value
) STRICT`},
	{"recent", `CREATE VIEW recent AS
SELECT sample.at, series.instance, series.name, series.label, j.value
FROM sample, json_each(sample.points) AS j JOIN series ON series.id = CAST(j.key AS INTEGER)`},
	{"block", `CREATE TABLE block ( -- the hours before, packed
  id INTEGER PRIMARY KEY,
  series INTEGER NOT NULL,
  level INTEGER NOT NULL, -- 0 as sampled, 1 minutes, 2 ten minutes, 3 hours
  start INTEGER NOT NULL, -- ms since 1970
  n INTEGER NOT NULL, -- points or buckets in it
  data BLOB NOT NULL,
  UNIQUE (series, level, start)
) STRICT`},
	{"event", `CREATE TABLE event (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  at INTEGER NOT NULL, -- ms since 1970
  since INTEGER, -- it happened after this; NULL: not known
  kind TEXT NOT NULL,
  instance TEXT NOT NULL, -- '' is the host
  subject TEXT NOT NULL,
  before TEXT NOT NULL,
  after TEXT NOT NULL,
  who TEXT NOT NULL,
  place TEXT NOT NULL,
  detail TEXT NOT NULL
) STRICT`},
	{"event_at", `CREATE INDEX event_at ON event (at)`},
	{"setting", `CREATE TABLE setting ( -- one row a change, and one for how it was found first
  instance TEXT NOT NULL,
  name TEXT NOT NULL,
  at INTEGER NOT NULL, -- ms since 1970
  value TEXT, -- NULL: from here on there is none
  place TEXT NOT NULL,
  PRIMARY KEY (instance, name, at)
) STRICT, WITHOUT ROWID`},
	{"look", `CREATE TABLE look ( -- when settings and findings were compared
  what TEXT NOT NULL, -- settings or findings
  instance TEXT NOT NULL,
  first INTEGER NOT NULL,
  last INTEGER NOT NULL,
  PRIMARY KEY (what, instance)
) STRICT, WITHOUT ROWID`},
	{"finding", `CREATE TABLE finding ( -- as last compared
  instance TEXT NOT NULL,
  id TEXT NOT NULL,
  subject TEXT NOT NULL,
  severity TEXT NOT NULL,
  title TEXT NOT NULL,
  PRIMARY KEY (instance, id, subject)
) STRICT, WITHOUT ROWID`},
	{"state", `CREATE TABLE state ( -- what the watcher remembers from one run to the next
  key TEXT PRIMARY KEY,
  value BLOB NOT NULL
) STRICT, WITHOUT ROWID`},
}
