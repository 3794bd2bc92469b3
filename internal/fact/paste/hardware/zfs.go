package hardware

import (
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
	"github.com/pgfettle/pgfettle/internal/fact/paste/amount"
	"github.com/pgfettle/pgfettle/internal/fact/paste/part"
)

// zfs get, zfs list, and zpool list.
var (
	reZfsGet  = regex.New(`^NAME\s+PROPERTY\s+VALUE\s+SOURCE$`)
	reZfsProp = regex.New(`^([\w./@:-]{1,255})\s+([a-z][\w:.-]{1,62})\s+(\S.*?)\s+(-|default|local|received|tem` +
		`porary|inherited from \S+)$`)
	reZpoolTop = regex.New(`^NAME\s+SIZE\s+ALLOC\s+FREE\s`)
	reZfsList  = regex.New(`^NAME\s+USED\s+AVAIL\s+REFER\s+MOUNTPOINT$`)
)

// ReadZfs reads zfs get, zfs list and zpool list.
func ReadZfs(w *part.Window) (f part.Found) {
	switch t := w.Text(0); {
	case reZfsGet.MatchString(t):
		for f.N = 1; f.N < len(w.Lines); f.N++ {
			m := reZfsProp.FindStringSubmatch(w.Text(f.N))
			if m == nil {
				break
			}
			f.Add(part.Word("zfs."+m[2], m[1], m[3]))
		}
	case reZpoolTop.MatchString(t):
		head := strings.Fields(t)
		for f.N = 1; f.N < len(w.Lines); f.N++ {
			c := strings.Fields(w.Text(f.N))
			if len(c) != len(head) {
				break
			}
			for _, x := range [][2]string{{"SIZE", "pool.size"}, {"ALLOC", "pool.used"}, {"FREE", "pool.free"}} {
				if a, ok := amount.Of(c[slices.Index(head, x[0])], 1); ok {
					f.Add(a.Fact(x[1], c[0]))
				}
			}
			for _, k := range []string{"CAP", "FRAG"} {
				if at := slices.Index(head, k); at >= 0 {
					if v, ok := amount.Decimal(c[at]); ok {
						f.Add(part.Percent("pool."+strings.ToLower(k), c[0], v))
					}
				}
			}
			if at := slices.Index(head, "HEALTH"); at >= 0 {
				f.Add(part.Word("pool.health", c[0], c[at]))
			}
		}
	case reZfsList.MatchString(t):
		for f.N = 1; f.N < len(w.Lines); f.N++ {
			c := strings.Fields(w.Text(f.N))
			if len(c) != 5 {
				break
			}
			for k, x := range []string{"zfs.used", "zfs.available", "zfs.referenced"} {
				if a, ok := amount.Of(c[1+k], 1); ok {
					f.Add(a.Fact(x, c[0]))
				}
			}
			f.Add(part.Word("zfs.mountpoint", c[0], c[4]))
		}
	}
	if f.N < 2 {
		return part.Found{}
	}
	return f
}
