// Package pgctl reaches a PostgreSQL server: it finds the process of a data directory, logs in, stops, starts, restarts
// and reloads it through what runs it (systemd, pg_ctlcluster, pg_ctl, or the user's own commands), tries whether it
// would start with other settings, and verifies which it has. If it logs is in serverlogs, below, and what a
// distribution's packages made of it in distribution.
//
// As root, everything that an instance leads to is done as the account that owns its
// data directory (account.go), and its programs are run only where that account or
// root alone could have put them there.
package pgctl
