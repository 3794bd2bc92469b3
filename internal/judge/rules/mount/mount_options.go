package mount

import (
	"fmt"
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
	Title:   "with which options a filesystem is mounted: whether every read is noted on the disk",
	Why: "With strictatime the time of the last access is written for each file that is read, so that a server that " +
		"only reads writes all the time; PostgreSQL never looks at these times. relatime, the default since " +
		"Linux 2.6.30, writes at most one a file and day and is all but free; noatime, which covers directories " +
		"too, leaves out the rest. Nothing else of the options is changed, but that a line which is written anew " +
		"loses nobarrier and barrier=0.",
	Formula: "Where ext2 to ext4, XFS or btrfs under a data directory, WAL or a tablespace has neither relatime nor " +
		"noatime: noatime in the place of strictatime in its line of /etc/fstab, and relatime where the mount holds " +
		"more than the server (/, /var, /home and the like), as mail programs and cleaners of temporary files look " +
		"at access times. Network filesystems, bind mounts and mounts without a line of their own are told and left " +
		"alone.",
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
			c.Keep("{atime} is right for {point}: reading a file is not written down each time", "atime", now.Atime,
				"point", m.Point)
			return
		}
		warn := func(why say.Template, pairs ...any) {
			c.Warn("Every read of a file below {point} is noted on the disk (strictatime), and no plan changes that: "+
				"{why}.", "point", m.Point, "why", say.M(why, pairs...))
		}
		if _, ok := rule.Need(c, c.Snapshot.Host.Fstab); !ok && c.Snapshot.Host.Fstab.State() != known.Absent {
			return
		}
		lines := rule.FstabOf(c.Snapshot, m.Point)
		switch {
		case len(lines) == 0:
			warn("no line of /etc/fstab mounts it, so its options are set where it is mounted, as in a unit of " +
				"systemd; put noatime there")
			return
		case len(lines) > 1:
			warn("several lines of /etc/fstab mount it; leave one of them, and put noatime there")
			return
		case lines[0].Options == "":
			warn("its line of /etc/fstab has no field of options; add defaults,noatime")
			return
		}
		if !optionWords.MatchString(lines[0].Options) {
			warn("its line of /etc/fstab has a field of options that is none")
			return
		}
		words := strings.Split(lines[0].Options, ",")
		if m.Root != "/" && m.FSType != "btrfs" || slices.Contains(words, "bind") || slices.Contains(words, "rbind") {
			warn("it is a bind mount; run mount -o remount,bind,noatime with it, and put noatime beside bind in " +
				"/etc/fstab")
			return
		}
		want := host.WantedFlags(words)
		want.Atime = now.Atime
		if want.String() != now.String() {
			warn("it is mounted with {now}, and /etc/fstab asks for {want}, which a remount would bring about too; "+
				"make the two agree first", "now", now.String(), "want", want.String())
			return
		}
		options := withBarriers(words)
		if a, ok := c.AcceptedOn("nobarrier", m); ok {
			options = lines[0].Options
			c.Warn(
				"The line of {point} in /etc/fstab keeps its words on write barriers: the finding {id} is accepted: "+
					"{reason}.", "point", m.Point, "id", a.ID, "reason", a.Reason)
		}
		if options != lines[0].Options {
			c.Warn(
				"The line of {point} in /etc/fstab is written without nobarrier and barrier=0, which let fsync "+
					"return before the data is on the disk. What is mounted now gets them back with mount -o "+
					"remount,barrier {point}, or when it is mounted again.", "point", m.Point)
		}
		if slices.Contains(commonMounts, m.Point) {
			c.Set(host.WithAtime(options, "relatime"),
				"with strictatime every read of a file is written to {point}; relatime, as others than the server "+
					"have files there, and it is all but free", "point", m.Point)
			return
		}
		c.Set(host.WithAtime(options, "noatime"),
			"with strictatime every read of a file is written to {point}, and PostgreSQL never looks at these times",
			"point", m.Point)
	},
}

// withBarriers leaves out what switches write barriers off: a line that is written anew
// is not written with what a check calls critical.
func withBarriers(words []string) string {
	return strings.Join(slices.DeleteFunc(slices.Clone(words), func(w string) bool {
		return slices.Contains(noBarriers, w)
	}), ",")
}

// noBarriers are the spellings of ext4, btrfs and XFS before 4.19.
var noBarriers = []string{"nobarrier", "barrier=0"}

// commonMounts are the places of the filesystem hierarchy where others than a
// database server have files.
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
		return fmt.Errorf("the options of %s are not set here", m.FSType)
	case !optionWords.MatchString(value):
		return fmt.Errorf("%q is no field of options: write defaults,noatime", value)
	}
	for _, w := range strings.Split(value, ",") {
		if slices.Contains(unsafeOptions, w) {
			return fmt.Errorf("%s is not set by a plan: it takes safety away, or is no option to be kept", w)
		}
	}
	return nil
}
