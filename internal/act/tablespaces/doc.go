// Package tablespaces looks at the tablespaces of an instance and at what a new one or a move of tables would meet, and
// says what of it is left of an earlier session (lock.go). It changes nothing: package judge/tablespaces judges what is
// found, and the kinds of apply do what is to be done.
package tablespaces
