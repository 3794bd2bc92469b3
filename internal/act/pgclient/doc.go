// Package pgclient is a client of PostgreSQL servers: it connects to one and asks it over
// SQL what the readers of fact/pg want.
//
// A server that the user named is reached as libpq would reach it (Connect.Conninfo, PG* variables, .pgpass). One that
// was only found on this host gets no secrets, and is contacted only if the account of its instance listens
// (discreet.go, dial.go); root becomes that account for the connection alone.
//
// Ask sends all queries at once, each read only, in its own transaction, and with a timeout, and puts the answers into
// an archive of evidence. A query that fails costs its own answer only, and the archive has the reason. Why a server
// did not answer is classified in one place (cause.go) and described in another (refusal.go).
package pgclient
