// Package oom makes the document of "diagnose oom", the post-mortem of an OOM kill or a
// refusal: what the kernel and the server logged is read into events (read.go), the dead
// processes get their roles (role.go), each event its cause (cause.go) and what followed
// (after.go), and what would prevent the next one (prevent.go).
package oom
