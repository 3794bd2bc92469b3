package devices

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/check/volumes"
)

// RaidDegraded is critical if the next disk failure can lose the data.
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
	missing := say.N(gone, "{disks} disk is missing.", "{disks} disks are missing.", "disks", gone)
	if all > 0 {
		missing = say.N(gone, "{disks} of {all} disks is missing.", "{disks} of {all} disks are missing.", "disks",
			gone,
			"all", all)
	}
	// What the level survives for certain: RAID 10 may survive more, depending on which disk fails.
	bears := int64(1)
	switch {
	case strings.HasPrefix(level, "raid6"):
		bears = 2
	case level == "raid1" && all > 0:
		bears = all - 1
	}
	sev, left := check.Critical, say.M("Another disk failure can lose the data.")
	if gone < bears {
		sev, left = check.Warning, say.M("The array survives the failure of one more disk.")
	}
	var state say.Message // empty for LVM, which does not show it here
	switch action {
	case "":
	case "recover":
		state = say.M("A rebuild is in progress.")
	default:
		state = say.M("No rebuild is in progress.")
	}
	c.That(sev, say.M(c.Remedy()), say.All(" ", say.M("{array} ({level}) is degraded; it is used by {folders}.",
		"array",
		volumes.DeviceName(u.Block), "level", level, "folders", u.Directories()), missing, left, state))
}
