package storage

import (
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/check/volumes"
)

// NfsSoft looks for soft and softerr; softreval is another matter (it concerns
// cached attributes) and harmless.
var NfsSoft = check.Check{
	ID:       "nfs_soft",
	Area:     check.Storage,
	Severity: check.Critical,
	Scope:    check.PerInstance,
	Title:    "Cluster on a soft-mounted NFS share",
	Why: "On a soft mount, a request that the NFS server does not answer in time fails with an error, although it " +
		"may have been executed or be executed later. After such a failed write, the contents of the page are " +
		"unknown, and PostgreSQL cannot repair them. With hard, the client waits until the NFS server is back.",
	Do: "1. Replace soft or softerr with hard in the mount options (/etc/fstab or the volume definition).\n" +
		"2. On the NFS server, export the directory with sync.\n" +
		"3. Stop the server, unmount and mount again, then start the server: a remount does not change this " +
		"option.",
	Sources: []string{"pg-creating-cluster", "linux-nfs"},
	Judge: func(c *check.Case) {
		seen := volumes.OnMounts(volumes.Mounts(c),
			func(m host.Mount) bool {
				return (m.FSType == "nfs" || m.FSType == "nfs4") && (m.Has("soft") || m.Has("softerr"))
			},
			func(m host.Mount, directories say.List) say.Message { return withOptions(m, m.Options, directories) })
		if len(seen.Items) > 0 {
			c.Found("Soft mounts: {places}.", "places", seen)
		}
	},
}
