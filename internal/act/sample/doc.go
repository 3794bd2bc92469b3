// Package sample reads live numbers of a host and its servers: files of /proc and of cgroups, and the statistics views.
// It judges nothing. Three commands read with three rhythms; each has a separate file, and says what it reads:
//
//	command                 file      how often           of the host                     of a server
//	top                     top.go    as the person says  meminfo, loadavg, stat,         sessions, locks, databases,
//	                                                      pressure; the processes of the  checkpoints, I/O: each as
//	                                                      instance, as often as that      rows of its view
//	                                                      costs next to nothing
//	watch                   host.go   every 10 s          meminfo, stat, vmstat,          one row of 29 numbers
//	                        server.go                     pressure, memory.events         (sql.go)
//	diagnose slow --sample  slow.go   four times a        stat; at both ends vmstat,      pg_stat_activity by wait
//	                                  second, for a       pressure, the control group,    event, who blocks whom
//	                                  minute              all processes; perf (perf.go)
//
// What a file holds is parsed by fact/host (a report of perf: by fact/live); why a file is missing has
// one wording for all (fileGap). A view that a person looks at (Top) takes the
// facts as the snapshot has them, with the reason for each that is missing. What
// runs for months (HostReading, Server) keeps its files and its connection open,
// reads into one buffer, and turns two readings into points of the history
// (points.go). What runs for a minute (Slow) counts, and leaves rates to the judge.
//
// Each look is bounded in time and bytes. A lost connection is reopened; a hanging server does not delay others. When
// to look, and what follows from it, is the caller's: show/top for a screen, act/monitor for the command watch.
package sample
