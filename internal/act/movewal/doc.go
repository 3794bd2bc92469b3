// Package movewal moves the directory pg_wal of an instance to another filesystem and back.
//
// Fit looks whether a move can be made, and changes nothing: the place (place.go), the rights of the server's account
// to it, the state of the server, and the space. Bring makes it, from wherever an earlier process left off. At every
// moment pg_wal is a directory, or leads to one, that has all of the WAL, so that a server that is started finds it
// complete: the order of steps is documented at move. A record of the move is in the data directory until it has come
// to its end (record.go); it is written and read with the rights of that directory's owner alone.
package movewal
