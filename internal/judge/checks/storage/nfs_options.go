package storage

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/check/volumes"
)

// NfsOptions covers options other than soft, which has its own check: PostgreSQL
// requires only hard. Older guides also ask for noac, nointr and sync.
var NfsOptions = check.Check{
	ID:       "nfs_options",
	Area:     check.Storage,
	Severity: check.Notice,
	Scope:    check.PerInstance,
	Title:    "Slow or unsafe NFS mount options",
	Why: "noac and sync make the client send each write to the NFS server at once; noac also requests attributes " +
		"each time. PostgreSQL syncs what must be durable, and no second host writes these files, so these " +
		"options only cost time. With UDP, a lost or misassembled fragment can corrupt data on a fast network " +
		"without an error.",
	Do: "1. In /etc/fstab or the volume definition, remove noac, actimeo=0, lookupcache=none and sync, and " +
		"replace proto=udp with proto=tcp.\n" +
		"2. Keep hard, and export with sync on the NFS server. intr and nointr have had no effect since Linux " +
		"2.6.25.\n" +
		"3. Stop the server, unmount and mount again, then start the server.",
	Sources: []string{"pg-creating-cluster", "linux-nfs"},
	Judge: func(c *check.Case) {
		list := volumes.Mounts(c)
		isNFS := func(m host.Mount) bool { return m.FSType == "nfs" || m.FSType == "nfs4" }
		has := func(m host.Mount, options ...string) (found []string) {
			for _, o := range options {
				if m.Has(o) {
					found = append(found, o)
				}
			}
			return found
		}
		// noac is shown as it is; actimeo=0 as the four limits that it implies.
		slow := []string{"noac", "acregmax=0", "actimeo=0", "lookupcache=none", "sync"}
		udp := []string{"udp", "proto=udp", "proto=udp6"}
		for _, o := range []struct {
			sev   check.Severity
			words []string
			text  say.Template
		}{
			{check.Warning, udp, "NFS over UDP: {places}."},
			{check.Notice, slow, "Slow NFS options: {places}."},
		} {
			seen := volumes.OnMounts(list, func(m host.Mount) bool { return isNFS(m) && len(has(m, o.words...)) > 0 },
				func(m host.Mount, directories say.List) say.Message {
					return withOptions(m, has(m, o.words...), directories)
				})
			if len(seen.Items) > 0 {
				c.FoundAs(o.sev, o.text, "places", seen)
			}
		}
	},
}

// withOptions is a clause for volumes.OnMounts that names the options of a mount.
func withOptions(m host.Mount, options []string, directories say.List) say.Message {
	return say.M("{source} with {options} ({directories})", "source", m.Source, "options", strings.Join(options, ","),
		"directories", directories)
}
