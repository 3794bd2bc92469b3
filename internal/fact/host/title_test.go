package host

import "testing"

// The titles of 13.23 and 18.6 as their processes showed them, and what
// src/backend says of those that were not running.
func TestTitle(t *testing.T) {
	for cmdline, want := range map[string]Title{
		"postgres: checkpointer \x00\x00\x00": {"checkpointer",
			"checkpointer"},
		"postgres: 15/main: checkpointer \x00": {"checkpointer",
			"checkpointer"},
		"postgres: acme: 13/main: background writer \x00": {"background writer",
			"background writer"},
		"postgres: acme: 13/main: walwriter ": {"walwriter", "walwriter"},
		"postgres: acme: 13/main: autovacuum launcher ": {"autovacuum launcher",
			"autovacuum launcher"},
		"postgres: autovacuum worker shop": {"autovacuum worker shop",
			"autovacuum worker"},
		"postgres: acme: 13/main: archiver last was 000000010000000000000001": {
			"archiver last was 000000010000000000000001", "archiver"},
		"postgres: acme: 13/main: stats collector ": {"stats collector",
			"stats collector"},
		"postgres: acme: 13/main: logical replication launcher ": {"logical replication launcher",
			"logical replication launcher"},
		"postgres: logical replication apply worker for subscription 16394 ": {
			"logical replication apply worker for subscription 16394", "logical replication apply worker"},
		"postgres: logical replication worker for subscription 16394 sync 16400": {
			"logical replication worker for subscription 16394 sync 16400", "logical replication worker"},
		"postgres: acme: 18/main: io worker 0": {"io worker 0", "io worker"},
		"postgres: slotsync worker ": {"slotsync worker",
			"slotsync worker"},
		"postgres: walsummarizer ": {"walsummarizer",
			"walsummarizer"},
		"postgres: startup recovering 000000010000000000000003": {
			"startup recovering 000000010000000000000003", "startup"},
		"postgres: walreceiver streaming 0/3000148": {
			"walreceiver streaming 0/3000148", "walreceiver"},
		"postgres: walsender repl 10.0.0.7(51022) streaming 0/3000148": {
			"walsender repl 10.0.0.7(51022) streaming 0/3000148", "walsender"},
		"postgres: walsender repl [local] streaming 0/3000148": {
			"walsender repl [local] streaming 0/3000148", "walsender"},
		"postgres: parallel worker for PID 4711 ": {"parallel worker for PID 4711",
			"parallel worker"},
		"postgres: logger ": {"logger", "logger"},
		"postgres: acme: 18/main: postgres shop [local] SELECT\x00\x00": {"postgres shop [local] SELECT",
			"backend"},
		"postgres: acme: 18/main: postgres shop 127.0.0.1(50860) idle in transaction": {
			"postgres shop 127.0.0.1(50860) idle in transaction", "backend"},
		"postgres: app shop fd00::7(50860) idle": {"app shop fd00::7(50860) idle",
			"backend"},
		"postgres: app shop db.example.com(50860) authentication": {
			"app shop db.example.com(50860) authentication", "backend"},
		// a user of this name
		"postgres: startup shop [local] idle": {"startup shop [local] idle", "backend"},
		"postgres: my user my db [local] idle": {"my user my db [local] idle",
			"backend"},
		"postgres: TimescaleDB Background Worker Launcher ": {
			"TimescaleDB Background Worker Launcher", "background worker"},
		"/usr/lib/postgresql/15/bin/postgres\x00-D\x00/var/lib/postgresql/15/main\x00": {
			"/usr/lib/postgresql/15/bin/postgres -D /var/lib/postgresql/15/main", "postmaster"},
		"postgres\x00-D\x00/data\x00": {"postgres -D /data",
			"postmaster"},
		"/usr/bin/python3\x00/usr/bin/patroni\x00": {
			"/usr/bin/python3 /usr/bin/patroni", ""},
		"":                     {"", ""},
		"postgres: ":           {"postgres:", ""},
		"postgres: x \x1b[31m": {"x  [31m", "background worker"},
	} {
		got, err := ParseTitle([]byte(cmdline))
		if err != nil || got != want {
			t.Errorf("%q: %+v, %v; want %+v", cmdline, got, err, want)
		}
	}
}
