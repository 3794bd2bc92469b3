package storage

import (
	"strings"

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
	Title:    "The cluster lies on NFS mounted soft",
	Why: "On a soft mount a request that the NFS server does not answer in time fails with an error, although it " +
		"may have been carried out, or " +
		"be carried out later. A write that failed in this way leaves pages of which nobody knows what they hold, " +
		"and PostgreSQL has no " +
		"way to repair that. With hard the client waits until the server is back.",
	Do: "Replace soft or softerr by hard in the options of the mount (/etc/fstab or the volume's definition), stop " +
		"the server, unmount and mount " +
		"again: a remount does not change it. Let the NFS server export the folder with sync.",
	Sources: []string{"pg-creating-cluster", "linux-nfs"},
	Judge: func(c *check.Case) {
		seen := volumes.OnMounts(volumes.Mounts(c),
			func(m host.Mount) bool {
				return (m.FSType == "nfs" || m.FSType == "nfs4") && (m.Has("soft") || m.Has("softerr"))
			},
			func(m host.Mount) string { return m.Source + " (" + strings.Join(m.Options, ",") + ")" })
		if seen != "" {
			c.Found("Mounted soft: {places}.", "places", seen)
		}
	},
}
