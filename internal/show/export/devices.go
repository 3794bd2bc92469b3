package export

import (
	"regexp"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/shell"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
)

// udevPlace is where the queues of block devices last: udev sets them whenever a
// device appears or changes.
const udevPlace = "/etc/udev/rules.d/60-pgfettle.rules"

const fstabPlace = "/etc/fstab"

// What the names and the values of our own plans look like: whatever else a plan from a file has is reported as
// something to do manually.
var (
	queueAddress = regexp.MustCompile(`^block:(mapper/)?([A-Za-z0-9_][A-Za-z0-9_.:+-]*)/(scheduler|read_ahead_kb)$`)
	queueValue   = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)
	optionsValue = regexp.MustCompile(`^[^\s[:cntrl:],#"\\]+(,[^\s[:cntrl:],#"\\]+)*$`)
)

// queue is a change of a block device's queue.
type queue struct {
	device string // the kernel's name, or that of a volume of device mapper
	mapped bool
	attr   string
	value  string
}

func queueOf(c plan.Change) (q queue, ok bool) {
	m := queueAddress.FindStringSubmatch(string(c.Address))
	if m == nil || !queueValue.MatchString(c.ToBase) {
		return q, false
	}
	return queue{device: m[2], mapped: m[1] != "", attr: m[3], value: c.ToBase}, true
}

// rule is the line of udev up to the value.
func (q queue) rule() string {
	match := "KERNEL"
	if q.mapped { // whose number another volume may have after the next boot
		match = "ENV{DM_NAME}"
	}
	return `ACTION=="add|change", SUBSYSTEM=="block", ` + match + `=="` + q.device + `", ATTR{queue/` + q.attr + `}=`
}

func (q queue) line() string { return q.rule() + `"` + q.value + `"` }

// now is a line of shell that has the value in force, where it is not already.
// The scheduler's file lists all, the one in force between brackets. Device and
// value are plain words (queueAddress, queueValue).
func (q queue) now() string {
	at := "f=/sys/block/" + q.device + "/queue/" + q.attr
	if q.mapped {
		at = "d=$(readlink -e /dev/mapper/" + q.device + ") && f=/sys/block/${d##*/}/queue/" + q.attr
	}
	return at + "; grep -qxF -e " + q.value + " \"$f\" || grep -qF -e '[" + q.value + "]' \"$f\" || echo " + q.value +
		" > \"$f\""
}

// fstabMount is a change of the options of a mount point in fstab.
type fstabMount struct {
	point   string // as fstab spells it
	path    string
	options string
	atime   string
}

func mountOf(c plan.Change) (m fstabMount, ok bool) {
	at := c.Address.Subject()
	if c.Address.Family() != "mount:*/options" || at == knob.Any || !strings.HasPrefix(at, "/") ||
		typeset.Clean(at) != at || !optionsValue.MatchString(c.ToBase) {
		return m, false
	}
	return fstabMount{point: inFstab.Replace(at), path: at, options: c.ToBase,
		atime: host.WantedFlags(strings.Split(c.ToBase, ",")).Atime}, true
}

// inFstab spells a path as fstab(5) has it.
var inFstab = strings.NewReplacer(`\`, `\134`, " ", `\040`, "\t", `\011`)

// remount is the command that applies the options: mount(8) rereads the line of fstab if only the mount point is given,
// and strictatime overrides everything else unless it is undone.
func (m fstabMount) remount() string {
	flag := m.atime
	if flag != "strictatime" {
		flag = "nostrictatime," + flag
	}
	return "mount -o remount," + flag + " " + shell.Quote(m.path)
}
