// Package tablespace is the kind of tablespaces: where one is (place.go, which creates and drops it), who owns it
// (owner.go), and its options (tablespace.go). All of it is in catalogs of the server; of the place the directory too.
package tablespace
