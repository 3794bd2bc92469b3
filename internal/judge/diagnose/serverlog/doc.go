// Package serverlog makes the document of "diagnose log": a collector is given each entry of
// a server's log once, in any number and in bounded memory (collect.go, top.go), and reports
// crashes, locks, temporary files, checkpoints, and statements.
package serverlog
