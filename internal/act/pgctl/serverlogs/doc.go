// Package serverlogs finds where a PostgreSQL server logs, and reads it: what its standard error leads to, the
// directory of its log collector, the files of syslog, the journal of its systemd unit, and the places of distributions
// for a server that does not run, each with what logrotate made of it, packed files too. It is the only answer to where
// a server's log is; Find gives it.
//
// All files are opened with the rights of the account that owns the data directory, except those of syslog, which may
// be the system's own. Only what is within the limits of Options is read, and whatever is omitted is reported with its
// reason.
package serverlogs
