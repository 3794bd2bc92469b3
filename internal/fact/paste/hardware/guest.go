package hardware

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
	"github.com/pgfettle/pgfettle/internal/fact/paste/amount"
	"github.com/pgfettle/pgfettle/internal/fact/paste/part"
)

// What Proxmox lets a guest have: qm config and pct config, and their files.
var (
	reGuestLine = regex.New(`^([a-z][a-z_]*\d{0,2}): (\S.*)$`)
	reGuestOwn  = regex.New(`^(?:scsi|virtio|sata|ide|efidisk|net|rootfs|mp)\d{0,2}: \S+(?:[:,=]\S*)` +
		`|^ostype: \w+$|^balloon: \d+$`)
)

// ReadGuest reads the configuration of a guest of Proxmox.
func ReadGuest(w *part.Window) (f part.Found) {
	if !reGuestLine.MatchString(w.Text(0)) {
		return
	}
	own, cores, sockets := 0, int64(0), int64(1)
	for ; f.N < len(w.Lines) && f.N < 200; f.N++ {
		m := reGuestLine.FindStringSubmatch(w.Text(f.N))
		if m == nil {
			break
		}
		if reGuestOwn.MatchString(w.Text(f.N)) {
			own++
		}
		n, ok := amount.Whole(m[2])
		switch {
		case (m[1] == "name" || m[1] == "hostname") && part.HostName.MatchString(m[2]):
			f.Add(part.Word("guest.name", "", m[2]))
		case !ok || n > amount.Max/amount.MB:
		case m[1] == "memory", m[1] == "balloon", m[1] == "swap":
			f.Add(part.Bytes("guest."+m[1], "", n*amount.MB))
		case m[1] == "cores":
			cores = n
		case m[1] == "sockets":
			sockets = n
		}
	}
	if own == 0 || own < 2 && !strings.Contains(w.Command, "config") || len(f.Facts) == 0 {
		return part.Found{}
	}
	if cores > 0 && cores < 8192 && sockets < 64 {
		f.Add(part.Count("guest.cpus", "", cores*sockets))
	}
	return f
}
