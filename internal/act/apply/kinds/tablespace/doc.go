// Package tablespace is the kind of options of tablespaces: ALTER TABLESPACE … SET and RESET. They are in a catalog of
// the server and in no file.
package tablespace
