package devices

import (
	"fmt"
	"strings"

	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/check/volumes"
)

// RaidDegraded is critical where the next disk that fails takes the data along.
var RaidDegraded = check.Check{
	ID:       "raid_degraded",
	Area:     check.Storage,
	Severity: check.Critical,
	Scope:    check.PerInstance,
	Title:    "RAID array is degraded",
	Why: "The array runs without one or more of its disks, so its redundancy is reduced or gone. The next failure, " +
		"or an unreadable sector during the rebuild, can lose data. In RAID 5 and 6, each read from a missing " +
		"disk is computed from all other disks.",
	Do: "1. Verify that the last backup is usable.\n" +
		"2. Show the state of the array: cat /proc/mdstat\n" +
		"3. Find the failed disk (LVM: lvs -a -o name,health_status): mdadm --detail /dev/mdN\n" +
		"4. Replace the disk and add the new one: mdadm --manage /dev/mdN --add NEW_DISK\n" +
		"5. Watch the rebuild in /proc/mdstat.\n" +
		"6. Keep a spare in the array, and let mdadm --monitor send mail.",
	Commands: []check.Command{
		check.Shell("cat /proc/mdstat"),
	},
	Sources: []string{"linux-md", "dalibo-j1"},
	Judge: func(c *check.Case) {
		list := volumes.Stacks(c)
		dm, _ := c.Snapshot.Host.Mapped.Get()
		for _, u := range volumes.Devices(list) {
			if m, ok := volumes.Mapped(dm, u.Block); ok && m.Target == "raid" {
				if n := strings.Count(m.Health, "D"); n > 0 {
					tellDegraded(c, u, m.Level, int64(n), int64(len(m.Health)), "")
				}
				continue
			}
			if u.MDLevel == "" || u.MDLevel == "raid0" || u.MDLevel == "linear" || u.MDLevel == "container" {
				continue
			}
			gone, ok := check.Need(c, u.MDDegraded)
			if !ok || gone == 0 {
				continue
			}
			all, _ := u.MDDisks.Get()
			action, _ := u.MDAction.Get()
			tellDegraded(c, u, u.MDLevel, gone, all, action)
		}
	},
}

func tellDegraded(c *check.Case, u volumes.Device, level string, gone, all int64, action string) {
	disks := fmt.Sprint(gone)
	if all > 0 {
		disks = fmt.Sprintf("%d of %d", gone, all)
	}
	// What the level survives for certain: RAID 10 may survive more, by luck.
	bears := int64(1)
	switch {
	case strings.HasPrefix(level, "raid6"):
		bears = 2
	case level == "raid1" && all > 0:
		bears = all - 1
	}
	sev, left := check.Critical, "Another failure loses the data"
	if gone < bears {
		sev, left = check.Warning, "It still bears the loss of another one"
	}
	state := "It is not being rebuilt"
	if action == "recover" {
		state = "A replacement is being filled"
	}
	if action == "" {
		c.FoundAs(sev, "{array} ({level}) under {folders} is without {disks} disks. {left}.", "array",
			volumes.DeviceName(u.Block), "level", level, "folders", u.Folders(), "disks", disks, "left", left)
		return
	}
	c.FoundAs(sev, "{array} ({level}) under {folders} is without {disks} disks. {left}. {state}.",
		"array", volumes.DeviceName(u.Block), "level", level, "folders", u.Folders(), "disks", disks, "left", left,
		"state", state)
}
