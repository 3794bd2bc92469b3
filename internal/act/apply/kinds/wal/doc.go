// Package wal is the kind of one knob, wal:location: the directory that pg_wal leads to. Package movewal checks and
// does what is needed to move it; this package reports to the engine of apply where it is, where it should be, and that
// setting it stops the server.
package wal
