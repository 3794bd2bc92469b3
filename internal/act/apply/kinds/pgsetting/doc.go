// Package pgsetting is the kind of server settings: pg:NAME.
//
// A setting's file is the one whose value wins once it is there (home.go): where ours stands already,
// postgresql.auto.conf where ALTER SYSTEM is allowed, a drop-in of ours in the last directory that an include_dir
// reads, or lines between marks at the end of postgresql.conf. The order of includes is followed as the server follows
// it. Where a server runs, its auto.conf is written by ALTER SYSTEM, so that no concurrent statement is lost; else
// files are replaced as the account that the server runs as.
//
// The live value is pg_settings', which only a reload or a restart changes: that is
// package pgctl's.
package pgsetting
