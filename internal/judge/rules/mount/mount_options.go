package mount

import (
	"regexp"
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

var MountOptions = rule.Rule{
	Address: "mount:*/options",
	Title:   "Mount options: atime updates",
	Why: "With strictatime, every read of a file updates its access time, so reads cause writes. PostgreSQL never " +
		"uses access times. relatime, the default since Linux 2.6.30, updates them at most once per file and day and " +
		"costs almost nothing. noatime (which includes directories) updates none. Other options stay; a rewritten " +
		"line only loses nobarrier and barrier=0.",
	Formula: "For ext2–ext4, XFS and btrfs that hold a data directory, WAL or a tablespace and have strictatime: " +
		"noatime in its line of /etc/fstab. If the mount holds more than the server (/, /var, /home and similar), " +
		"relatime, because mail programs and cleaners of temporary files use access times. Bind mounts, and mounts " +
		"without exactly one line in /etc/fstab, are reported and not changed. Other filesystems are ignored.",
	Sources: []string{"linux-vfs", "linux-proc", "dalibo-j1"},
	Effect:  knob.Now,
	Risk:    knob.Medium,
	Over: func(c *rule.Case) []knob.Address {
		var out []knob.Address
		if len(c.Snapshot.Instances) == 0 {
			return nil
		}
		if _, ok := rule.Need(c, c.Snapshot.Host.Mounts); !ok {
			return nil
		}
		for i := range c.Snapshot.Instances {
			places, _ := rule.Need(c, c.Snapshot.Instances[i].Places)
			for _, p := range places {
				m, ok := c.Snapshot.MountOf(p.Path)
				if a := knob.MountOptions(m.Point); ok && !slices.Contains(out, a) {
					out = append(out, a)
				}
			}
		}
		slices.Sort(out)
		return out
	},
	Legal: legalOptions,
	Decide: func(c *rule.Case) {
		m, ok := rule.MountAt(c.Snapshot, c.Address.Subject())
		if !ok || !slices.Contains(host.AtimeFS, m.FSType) || !c.Kernel() {
			return
		}
		now := host.ShownFlags(m.Options)
		if now.Atime != "strictatime" || m.Has("ro") {
			c.Keep("reads of files on {point} ({atime}) rarely cause writes", "atime", now.Atime,
				"point", m.Point)
			return
		}
		warn := func(why say.Template, pairs ...any) {
			c.Warn("{point} is mounted with strictatime (every read updates the access time); pgfettle does not "+
				"change it: {why}.", "point", m.Point, "why", say.M(why, pairs...))
		}
		if _, ok := rule.Need(c, c.Snapshot.Host.Fstab); !ok && c.Snapshot.Host.Fstab.State() != known.Absent {
			return
		}
		lines := rule.FstabOf(c.Snapshot, m.Point)
		switch {
		case len(lines) == 0:
			warn("/etc/fstab has no line for it. Set noatime in whatever mounts it, such as a systemd unit")
			return
		case len(lines) > 1:
			warn("/etc/fstab has several lines for it. Keep one of them and set noatime there")
			return
		case lines[0].Options == "":
			warn("its line in /etc/fstab has no options field. Add defaults,noatime")
			return
		}
		if !optionWords.MatchString(lines[0].Options) {
			warn("its line in /etc/fstab has an invalid options field")
			return
		}
		words := strings.Split(lines[0].Options, ",")
		if m.Root != "/" && m.FSType != "btrfs" || slices.Contains(words, "bind") || slices.Contains(words, "rbind") {
			warn("it is a bind mount. Add noatime next to bind in /etc/fstab, then run mount -o remount,bind,noatime "+
				"{point}", "point", m.Point)
			return
		}
		want := host.WantedFlags(words)
		want.Atime = now.Atime
		if want.String() != now.String() {
			warn("it is mounted with {now}, but /etc/fstab has {want}, and a remount would apply that too. Make both "+
				"agree first", "now", now.String(), "want", want.String())
			return
		}
		options := withBarriers(words)
		if a, ok := c.AcceptedOn("nobarrier", m); ok {
			options = lines[0].Options
			c.Warn(
				"The line of {point} in /etc/fstab keeps its write barrier options: finding {id} is accepted: "+
					"{reason}.", "point", m.Point, "id", a.ID, "reason", a.Reason)
		}
		if options != lines[0].Options {
			c.Warn(
				"The line of {point} in /etc/fstab is written without nobarrier and barrier=0, with which fsync "+
					"returns before the data is durable. To enable write barriers at once, run mount -o "+
					"remount,barrier {point}; otherwise they return at the next mount.", "point", m.Point)
		}
		if slices.Contains(commonMounts, m.Point) {
			c.Set(host.WithAtime(options, "relatime"),
				"with strictatime, every read of a file causes a write to {point}; relatime costs almost nothing and "+
					"suits other programs with files there", "point", m.Point)
			return
		}
		c.Set(host.WithAtime(options, "noatime"),
			"with strictatime, every read of a file causes a write to {point}; PostgreSQL never uses access times",
			"point", m.Point)
	},
}

// withBarriers omits what disables write barriers: a rewritten line does not contain what a check calls critical.
func withBarriers(words []string) string {
	return strings.Join(slices.DeleteFunc(slices.Clone(words), func(w string) bool {
		return slices.Contains(noBarriers, w)
	}), ",")
}

// noBarriers are the spellings of ext4, btrfs and XFS before 4.19.
var noBarriers = []string{"nobarrier", "barrier=0"}

// commonMounts are the places of the filesystem hierarchy where programs other than a database server have files.
var commonMounts = []string{"/", "/var", "/var/lib", "/home", "/srv", "/opt", "/usr", "/tmp", "/var/tmp"}

// optionWords is a field of options as fstab(5) has it.
var optionWords = regexp.MustCompile(`^[^\s[:cntrl:],#"\\]+(,[^\s[:cntrl:],#"\\]+)*$`)

// unsafeOptions take away what keeps data safe after a crash, or the right to
// write: no plan does that, pinned or not.
var unsafeOptions = []string{"nobarrier", "barrier=0", "data=writeback", "noload", "norecovery", "ro", "remount",
	"bind", "rbind"}

func legalOptions(c *rule.Case, value string) error {
	m, ok := rule.MountAt(c.Snapshot, c.Address.Subject())
	switch {
	case ok && !slices.Contains(host.AtimeFS, m.FSType):
		return say.Err("mount options of {type} are not planned", "type", m.FSType)
	case !optionWords.MatchString(value):
		return say.Err("invalid options field {value}: write it like defaults,noatime", "value", say.Quoted(value))
	}
	for _, w := range strings.Split(value, ",") {
		if slices.Contains(unsafeOptions, w) {
			return say.Err("a plan never sets {option}: it weakens durability or is not a permanent option",
				"option", w)
		}
	}
	return nil
}
