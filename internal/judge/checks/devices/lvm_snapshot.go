package devices

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/check/volumes"
)

// snapshotFull is the share of a snapshot's space in use, in percent, above which
// it is likely to overflow unnoticed: LVM itself warns at 80.
const snapshotFull = 80

// LvmSnapshot recognizes the origin of a snapshot by the device "-real" that LVM
// puts below it. Snapshots of thin volumes work differently and cost little.
var LvmSnapshot = check.Check{
	ID:       "lvm_snapshot",
	Area:     check.Storage,
	Severity: check.Notice,
	Scope:    check.PerInstance,
	Title:    "LVM snapshot of a database volume",
	Why: "While a snapshot exists, the first write to each chunk copies the old contents to the space of the " +
		"snapshot. A random write becomes a read and two writes, and more with each further snapshot. If that " +
		"space is full, the snapshot becomes invalid and the backup that reads it fails.",
	Do: "1. List the snapshots: lvs -a -o name,origin,data_percent,lv_time\n" +
		"2. When the backup that needs it is finished, remove the snapshot (not its origin): lvremove VG/SNAPSHOT\n" +
		"3. For backups of PostgreSQL, use pg_basebackup, which needs no snapshot.",
	Sources: []string{"linux-dm", "dalibo-j1"},
	Judge: func(c *check.Case) {
		list := volumes.Stacks(c)
		for _, u := range volumes.Devices(list) {
			if !strings.HasPrefix(u.DMUUID, "LVM-") || !strings.HasSuffix(u.DMUUID, "-real") {
				continue
			}
			var told []say.Message
			sev := check.Notice
			dm, _ := c.Snapshot.Host.Mapped.Get() // without it, the finding has no numbers
			for _, m := range dm {
				switch {
				case m.Target != "snapshot" || m.Origin != u.Device:
				case m.State != "":
					told, sev = append(told, say.M("{name} is unusable ({state})", "name", m.Name, "state",
						m.State)), check.Warning
				case m.Total > 0:
					told = append(told, say.M("{name} is {share} full", "name", m.Name, "share",
						check.PercentOf(unit.Bytes(m.Used), unit.Bytes(m.Total))))
					if check.AtLeast(unit.Bytes(m.Used), snapshotFull, unit.Bytes(m.Total)) {
						sev = check.Warning
					}
				}
			}
			name := strings.TrimSuffix(u.DMName, "-real")
			if len(told) == 0 {
				c.Found("{volume} has a snapshot; the volume is used by {folders}.", "volume", name, "folders",
					u.Directories())
				continue
			}
			c.FoundAs(sev, "Snapshots of {volume}: {snapshots}; the volume is used by {folders}.", "volume", name,
				"folders", u.Directories(), "snapshots", say.List{Items: told, Most: 3})
		}
	},
}
