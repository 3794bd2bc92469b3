// Package wal is the kind of one knob, wal:location: the folder that pg_wal leads to.
// What has to be looked at and done to move it is package movewal's; this package
// tells the engine of apply where it is, where it should be, and that setting it stops
// the server.
package wal
