// Package cgroup reads the cgroups of a process, of version 1 and version 2 alike: which hierarchies it is in
// (proc/PID/cgroup), which files hold its limits (Files), and what they say. A limit is the smallest of all ancestors,
// wherever one of them is mounted.
package cgroup
